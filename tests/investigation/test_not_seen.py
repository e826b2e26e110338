"""What could not be seen: damage first, the like together, what was merely empty last."""

import re

import pytest

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.report import Report, Section
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.report import write_report
from superbizagent.investigation.verify import verify_report
from tests.investigation.incidents import ENTITY_LABELS, Diagnosed, pool_incident

Skills = tuple[Skill, ...]
WEB = "sweep://service/storefront"


def changed(case: Diagnosed, purpose: str, **update: object) -> Evidence:
    rows = [
        r.model_copy(update=update) if r.call.purpose == purpose else r
        for r in case.evidence.invocations
    ]
    return case.evidence.model_copy(update={"invocations": tuple(rows)})


def rejected(report: Report, evidence: Evidence, case: Diagnosed) -> list[str]:
    """Return what was taken out of the sections these tests are about."""
    checked = verify_report(report, evidence, case.analysis, case.scope).report
    about = {Section.NOT_SEEN, Section.TIMELINE}
    return [r.claim.text for r in checked.rejected if r.claim.section in about]


def unseen(scope: Scope, evidence: Evidence, case: Diagnosed, skills: Skills) -> list[str]:
    report = write_report(scope, (), evidence, case.analysis, skills)
    assert rejected(report, evidence, case) == []
    return [c.text for c in report.section(Section.NOT_SEEN)]


def test_the_gravest_comes_first_and_the_empty_last(skills: Skills) -> None:
    notes = (
        "clock of mysql is 40 s ahead",
        "a.log: the file is empty",
        "orders.log: permission denied",
        "b.log: the file is empty",
        "c.log: the file is empty",
    )
    shop = pool_incident(
        notes=notes, failed={"sweep:logs": EvidenceStatus.TIMEOUT}, truncated=frozenset({WEB})
    )
    case = Diagnosed.of(shop, skills)
    database = "sweep://database/mysql"
    evidence = changed(case, database, status=EvidenceStatus.EMPTY)
    scope = case.scope.model_copy(
        update={
            "failed": ("prometheus: connection refused",),
            "sources": tuple(
                s.model_copy(update={"unreadable": ("orders.log",)}) for s in case.scope.sources
            ),
            "incident": case.scope.incident.model_copy(
                update={"notes": ("an alert has no labels",)}
            ),
        }
    )
    lines = unseen(scope, evidence, case, skills)
    order = [
        "logs of",
        "prometheus: connection refused",
        "orders.log: permission denied",
        "clock of mysql",
        "alert: an alert has no labels",
        "3 files are empty: a.log, b.log, c.log",
        "cut at",
        "traces were not read",
        "found nothing",
    ]
    places = [next((n for n, line in enumerate(lines) if part in line), -1) for part in order[1:]]
    assert places == sorted(places)
    assert -1 not in places
    assert "timed out" in lines[0]


@pytest.mark.parametrize("language", list(Language))
def test_an_empty_list_of_changes_is_an_answer_not_a_gap(
    language: Language, skills: Skills
) -> None:
    case = Diagnosed.of(pool_incident(language=language), skills)
    row = case.evidence.invocations[-1]
    call = PlannedCall(number=99, tool=ToolName.LIST_CHANGES, source="shop", purpose="context")
    empty = row.model_copy(
        update={"call": call, "status": EvidenceStatus.EMPTY, "output": None, "facts": ()}
    )
    rows = (*case.evidence.invocations, empty)
    evidence = case.evidence.model_copy(update={"invocations": rows})
    report = write_report(case.scope, (), evidence, case.analysis, skills)
    assert not [c for c in report.section(Section.NOT_SEEN) if "E99" in c.fact_ids]
    assert [c for c in report.section(Section.TIMELINE) if c.fact_ids == ("E99",)]
    assert rejected(report, evidence, case) == []


def test_a_count_that_does_not_fit_its_list_is_taken_out(skills: Skills) -> None:
    notes = ("a.log: the file is empty", "b.log: the file is empty")
    case = Diagnosed.of(pool_incident(notes=notes), skills)
    claim = next(c for c in case.report.section(Section.NOT_SEEN) if "a.log" in c.text)
    wrong = claim.model_copy(
        update={
            "text": claim.text.replace("2", "3"),
            "extras": claim.extras | {"params": claim.extras["params"] | {"count": "3"}},
        }
    )
    report = case.report.model_copy(update={"claims": (wrong,)})
    (taken_out,) = case.verified(report).report.rejected
    assert taken_out.reason == "unknown_name:3"


@pytest.mark.parametrize("language", list(Language))
def test_a_lost_file_caps_the_verdict_and_is_named(language: Language, skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(language=language), skills)
    assert case.report.verdict is Verdict.ROOT_CAUSE_FOUND
    sources = tuple(
        s.model_copy(update={"unreadable": ("a.log", "b.log")}) for s in case.scope.sources
    )
    scope = case.scope.model_copy(update={"sources": sources})
    analysis = analyse_evidence(scope, case.evidence, skills, ENTITY_LABELS)
    report = write_report(scope, (), case.evidence, analysis, skills)
    assert report.verdict is Verdict.LIKELY
    (sure,) = report.section(Section.SURENESS)
    said = {Language.EN: "a.log, b.log could not be read", Language.ZH: "a.log、b.log 无法读取"}
    assert said[language] in sure.text
    assert sure.text.count("a.log") == 1


def test_a_source_that_did_not_answer_at_all_caps_the_verdict(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    scope = case.scope.model_copy(update={"failed": ("prometheus: connection refused",)})
    analysis = analyse_evidence(scope, case.evidence, skills, ENTITY_LABELS)
    assert analysis.verdict is Verdict.LIKELY
    assert "source_failed:prometheus" in analysis.verdict_reasons


@pytest.mark.parametrize("language", list(Language))
def test_no_inner_name_stands_in_a_report(language: Language, skills: Skills) -> None:
    shop = pool_incident(language=language, failed={"sweep:logs": EvidenceStatus.TIMEOUT})
    case = Diagnosed.of(shop, skills)
    evidence = changed(case, "sweep://database/mysql", status=EvidenceStatus.EMPTY)
    report = write_report(case.scope, (), evidence, case.analysis, skills)
    text = " ".join(c.text for c in report.claims)
    for inner in ("sweep:", "context", "check:", "query_metrics", "search_logs", "held_longer"):
        assert inner not in text
    assert not re.search(r"_sum\b", " ".join(c.text for c in report.section(Section.FINDINGS)))
