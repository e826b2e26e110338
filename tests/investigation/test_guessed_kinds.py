"""A kind of fault that only words of a log suggest is not stated as a fact."""

import pytest

from superbizagent.domain.finding import (
    Analysis,
    CandidateCause,
    FaultKind,
    Finding,
    FindingKind,
    Verdict,
)
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Section
from superbizagent.domain.skill import Skill
from superbizagent.investigation.follow_up import skills_for
from superbizagent.investigation.hypotheses.combine import rests_on_one_line, without_guesses
from tests.investigation.incidents import Diagnosed, quiet_shop

Skills = tuple[Skill, ...]
ORDERS = "//service/order-service"


def finding(number: int, kind: FindingKind, facts: tuple[str, ...]) -> Finding:
    return Finding(
        id=f"F{number}", kind=kind, entity=ORDERS, subject="s", score=2.0, fact_ids=facts
    )


def cause(kind: FaultKind, *findings: Finding) -> CandidateCause:
    ids = tuple(f.id for f in findings)
    return CandidateCause(entity=ORDERS, fault_kind=kind, score=2.0, finding_ids=ids)


NEW = finding(1, FindingKind.LOG_NOVEL, ("E1.1", "E1.2"))
SAME_LINE = finding(2, FindingKind.LOG_FIELD_SHIFT, ("E1.1", "E1.2"))
OTHER_LINE = finding(3, FindingKind.LOG_BURST, ("E1.3",))
METRIC = finding(4, FindingKind.METRIC_DEVIATION, ("E2.1",))
ALERT = finding(5, FindingKind.ALERT, ("E3.1",))


@pytest.mark.parametrize(
    ("found", "kind", "left"),
    [
        ([NEW, SAME_LINE], FaultKind.POOL_EXHAUSTION, FaultKind.UNKNOWN),
        ([NEW, ALERT], FaultKind.POOL_EXHAUSTION, FaultKind.UNKNOWN),
        ([NEW, OTHER_LINE], FaultKind.POOL_EXHAUSTION, FaultKind.POOL_EXHAUSTION),
        ([NEW, OTHER_LINE], FaultKind.CODE_ERROR, FaultKind.UNKNOWN),
        ([NEW, METRIC], FaultKind.CODE_ERROR, FaultKind.CODE_ERROR),
        ([METRIC], FaultKind.CPU, FaultKind.CPU),
        ([], FaultKind.CPU, FaultKind.CPU),
    ],
)
def test_a_kind_stays_when_more_than_one_line_bears_it_out(
    found: list[Finding], kind: FaultKind, left: FaultKind
) -> None:
    (kept,) = without_guesses([cause(kind, *found)], [NEW, SAME_LINE, OTHER_LINE, METRIC, ALERT])
    assert kept.fault_kind is left
    assert kind in {kept.fault_kind, kept.suspected_kind}


def test_one_line_is_one_however_many_findings_it_gives() -> None:
    assert rests_on_one_line(cause(FaultKind.CPU, NEW, SAME_LINE), [NEW, SAME_LINE])
    assert not rests_on_one_line(cause(FaultKind.CPU, NEW, OTHER_LINE), [NEW, OTHER_LINE])


def test_a_suspicion_is_worth_a_test(skills: Skills) -> None:
    (kept,) = without_guesses([cause(FaultKind.POOL_EXHAUSTION, NEW)], [NEW])
    choices = skills_for(Analysis(candidates=(kept,)), skills, taken=frozenset())
    assert [c.name for c in choices] == ["diagnose-mysql-connection-pool"]


@pytest.mark.parametrize("language", list(Language))
def test_one_kind_of_line_is_no_cause(language: Language, skills: Skills) -> None:
    shop = quiet_shop(language=language)
    shop.log("order-service", 5, "db timeout after 7ms", every=1)
    report = Diagnosed.of(shop, skills).report
    titles = {
        Language.EN: "order-service: cause not found",
        Language.ZH: "order-service：未找到原因",
    }
    assert (report.title, report.verdict) == (titles[language], Verdict.INCONCLUSIVE)
    assert report.fault_kind is FaultKind.UNKNOWN


def test_errors_in_several_lines_name_the_place_but_no_kind(skills: Skills) -> None:
    shop = quiet_shop()
    shop.log("order-service", 5, "db timeout after 7ms", every=1)
    shop.log("order-service", 5, "giving up on the order", every=1)
    report = Diagnosed.of(shop, skills).report
    assert report.title == "order-service: likely starts here, kind of fault unknown"
    assert report.verdict is Verdict.LIKELY
    assert "order-service" in report.section(Section.WHAT)[0].text
