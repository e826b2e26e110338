"""The sections behind the first screen, and what was not seen."""

from datetime import timedelta

import pytest

from superbizagent.domain.alert import Alert
from superbizagent.domain.check import Check
from superbizagent.domain.entity import Entity, Resolution
from superbizagent.domain.finding import (
    CandidateCause,
    CheckOutcome,
    CheckResult,
    ScoreTerm,
    Verdict,
)
from superbizagent.domain.incident import Language
from superbizagent.domain.outputs import Change
from superbizagent.domain.plan import Plan
from superbizagent.domain.report import ClaimKind, Report, Section
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.report import write_report
from superbizagent.investigation.verify import verify_report
from superbizagent.investigation.wording.check_phrases import sentence_of
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.slots import Slots
from superbizagent.investigation.wording.sparkline import sparkline_of
from superbizagent.investigation.wording.writer import Given, Writer
from tests.investigation.incidents import (
    ALERT_AT,
    ENTITY_LABELS,
    FAULT_AT,
    Diagnosed,
    Shop,
    counter,
    pool_incident,
    quiet_shop,
    step,
)

Skills = tuple[Skill, ...]
ORDERS, DATABASE = "//service/order-service", "//database/mysql"


def symptom_only() -> Shop:
    return pool_incident().without("db_client").without("connection")


def said(shop: Shop, skills: Skills, section: Section) -> list[str]:
    case = Diagnosed.of(shop, skills)
    assert case.verified().report.rejected == ()
    return [c.text.partition(" [E")[0] for c in case.report.section(section)]


def two_sick_services() -> Shop:
    """Neither is tested by a playbook; both may be the cause."""
    shop = quiet_shop().without("request")
    shop.add("order-service", "process_cpu_usage_ratio", step(0.1, 0.9))
    shop.add("mysql", "process_cpu_usage_ratio", step(0.1, 0.8))
    shop.add("mysql", "node_disk_io_time_seconds_total", counter(0.01, 0.6))
    return shop


def test_candidates_are_listed_with_their_terms(skills: Skills) -> None:
    margin, line = said(pool_incident(), skills, Section.CANDIDATES)
    assert "no other candidate" in margin
    assert line.startswith("order-service, connection pool exhausted, score ")
    for term in ("metrics", "log lines", "condition of a playbook"):
        assert f" {term} " in line


def test_rivals_are_ruled_out_with_the_check_that_did_it(skills: Skills) -> None:
    lines = said(pool_incident(noise=0.0), skills, Section.RULED_OUT)
    held = "On average a connection was held 3.03 s, 50 ms before"
    assert f"order-service, connection leak: {held}" in lines
    limit = "at connection limit: does not hold (0.325)"
    assert f"mysql, connection limit reached: {limit}" in lines


def test_what_could_not_be_tested_says_so(skills: Skills) -> None:
    lines = said(pool_incident().without("mysql"), skills, Section.RULED_OUT)
    assert "connection limit reached: could not be tested" in lines
    shop = pool_incident().without("pending_requests").without("timeouts")
    shop.failed["sweep:logs"] = EvidenceStatus.ERROR
    lines = said(shop, skills, Section.RULED_OUT)
    assert "order-service, connection pool exhausted: neither supported nor ruled out" in lines


def test_the_timeline_is_in_order_with_changes_and_the_alert(skills: Skills) -> None:
    change = Change(
        at=FAULT_AT - timedelta(minutes=1), entity="order-service", summary="deploy 2.14.3"
    )
    case = Diagnosed.of(pool_incident(changes=(change,)), skills)
    assert case.verified().report.rejected == ()
    texts = [c.text for c in case.report.section(Section.TIMELINE)]
    assert any("11:59:00 order-service changed: deploy 2.14.3" in t for t in texts)
    assert texts[-1] == "12:02:00 alert OrderServiceConnectionPoolExhausted fired"
    clocks = [t[:8] for t in texts[:-1]]
    assert clocks == sorted(clocks)


def test_two_candidates_get_a_query_that_compares_them(skills: Skills) -> None:
    case = Diagnosed.of(two_sick_services(), skills)
    first = case.analysis.candidates[0]
    others = {ORDERS, DATABASE} - {first.entity}
    second = first.model_copy(
        update={
            "entity": others.pop(),
            "score": 0.9 * first.score,
            "finding_ids": tuple(
                f.id for f in case.analysis.findings if f.entity != first.entity and f.score > 0
            ),
        }
    )
    analysis = case.analysis.model_copy(update={"candidates": (first, second)})
    report = write_report(case.scope, (), case.evidence, analysis, skills)
    look = report.section(Section.CHECK_NEXT)[0]
    assert look.text.startswith("This tells the first two candidates apart (")
    assert " or " in look.command
    assert verify_report(report, case.evidence, analysis, case.scope).report.rejected == ()


def test_a_likely_cause_without_a_playbook_is_said_by_its_strongest_finding(
    skills: Skills,
) -> None:
    shop = quiet_shop().without("request")
    shop.add("order-service", "process_cpu_usage_ratio", step(0.1, 0.9))
    shop.add("order-service", "process_cpu_seconds_total", counter(0.05, 0.95))
    case = Diagnosed.of(shop, skills)
    text = case.report.section(Section.WHAT)[0].text
    assert text.startswith("Most likely it starts at order-service: process_cpu_")
    assert case.report.title == "order-service: processor exhausted"
    sure = case.report.section(Section.SURENESS)[0].text
    assert "it rests on the ranking alone, no playbook tested it" in sure


def test_a_log_may_be_what_stands_out(skills: Skills) -> None:
    shop = quiet_shop()
    shop.log("order-service", 5, "FATAL config key 'payment.url' is missing", every=1)
    case = Diagnosed.of(shop, skills)
    text = case.report.section(Section.WHAT)[0].text
    assert "order-service" in text
    assert "payment.url" in text
    assert case.verified().report.rejected == ()


def test_cut_warned_and_noted_looks_are_named(skills: Skills) -> None:
    shop = pool_incident(
        truncated=frozenset({f"sweep:{ORDERS}"}),
        warnings=("2 files were skipped",),
        notes=("clock of mysql is 40 s ahead",),
        log_zone="+08:00",
    )
    lines = said(shop, skills, Section.NOT_SEEN)
    assert any("cut at the limit" in line for line in lines)
    assert any(line.endswith("logs of shop: 2 files were skipped") for line in lines)
    assert "clock of mysql is 40 s ahead" in lines
    assert "log times without a zone were read as +08:00 (told)" in lines
    assert (
        "3 files: 3 lines cut, they were too long (mysql.log, order-service.log, storefront.log)"
    ) in lines


def test_empty_looks_are_named_but_not_those_of_checks(skills: Skills) -> None:
    shop = pool_incident()
    scope = shop.scope()
    rows = tuple(
        r.model_copy(update={"status": EvidenceStatus.EMPTY})
        if r.call.purpose == "sweep://database/mysql"
        else r
        for r in shop.evidence(skills).invocations
    )
    case = Diagnosed.of(shop, skills)
    evidence = case.evidence.model_copy(update={"invocations": rows})
    report = write_report(scope, (), evidence, case.analysis, skills)
    texts = [c.text for c in report.section(Section.NOT_SEEN)]
    assert any(t.startswith("metrics about mysql of shop: found nothing") for t in texts)
    checks = tuple(
        r.model_copy(update={"call": r.call.model_copy(update={"purpose": "check:a/b/c"})})
        for r in rows
    )
    report = write_report(
        scope, (), evidence.model_copy(update={"invocations": checks}), case.analysis, skills
    )
    assert not any("found nothing" in c.text for c in report.section(Section.NOT_SEEN))


def test_calls_that_the_limits_cut_are_named(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    plan = Plan(left_out=("sweep://service/a", "sweep://service/b"))
    report = write_report(case.scope, (plan,), case.evidence, case.analysis, skills)
    line = "planned but cut by the limits: a, b"
    assert line in [c.text for c in report.section(Section.NOT_SEEN)]
    checked = verify_report(report, case.evidence, case.analysis, case.scope)
    assert [r.claim.text for r in checked.report.rejected if "planned" in r.claim.text] == []


def test_a_second_name_that_nobody_knows_is_named_beside_the_cause(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    scope = case.scope.model_copy(update={"unresolved": (Resolution(name="mail-gateway"),)})
    report = write_report(scope, (), case.evidence, case.analysis, skills)
    texts = [c.text for c in report.section(Section.NOT_SEEN)]
    assert "no data about mail-gateway" in texts


def test_a_cause_of_unknown_kind_is_said_to_be_unknown(skills: Skills) -> None:
    shop = quiet_shop().without("request")
    shop.add("order-service", "queue_surprise_level", step(3, 90))
    report = Diagnosed.of(shop, skills).report
    assert report.entity == ORDERS
    assert "order-service" in report.title


def test_candidates_beyond_the_first_stay_candidates(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    more = CandidateCause(
        entity=DATABASE,
        fault_kind=case.analysis.candidates[0].fault_kind,
        score=0.5,
        terms=(ScoreTerm(name="metrics", value=0.5),),
    )
    analysis = case.analysis.model_copy(update={"candidates": (*case.analysis.candidates, more)})
    report = write_report(case.scope, (), case.evidence, analysis, skills)
    listed = report.section(Section.CANDIDATES)
    assert [c.extras["candidate"] for c in listed if "candidate" in c.extras] == [ORDERS, DATABASE]


def test_every_section_has_its_chinese_words(skills: Skills) -> None:
    report: Report = Diagnosed.of(
        pool_incident(language=Language.ZH, log_zone="+08:00", notes=("备注",)), skills
    ).report
    for section in (Section.CANDIDATES, Section.RULED_OUT, Section.FINDINGS, Section.CALLS):
        assert any("\u4e00" <= ch <= "\u9fff" for ch in report.section(section)[0].text)


def test_a_sparkline_needs_a_series_or_a_kind_of_record(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    windows = case.scope.windows
    facts = case.evidence.facts().values()
    used = next(f for f in facts if "state=" in f.name and f.place.startswith("series"))
    line = sparkline_of(case.evidence, used.id, windows)
    assert len(line) == 40
    assert max(v for v in line if v is not None) == 10
    rising = next(f for f in facts if "timeouts_total" in f.name)
    assert sparkline_of(case.evidence, rising.id, windows) == []
    assert sparkline_of(case.evidence, "E1.1", windows) == []
    assert sparkline_of(case.evidence, "E99.1", windows) == []


def appearing() -> Shop:
    """A series that is not there before the fault, as error counters often are."""
    shop = quiet_shop().without("request")

    def born(seconds: float) -> float:
        return float("nan") if seconds < 0 else 40.0

    shop.add("order-service", "queue_pending_jobs", born)
    return shop


def test_a_series_that_came_up_has_nothing_before_it(skills: Skills) -> None:
    case = Diagnosed.of(appearing(), skills)
    assert case.verified().report.rejected == ()
    texts = [c.text for c in case.report.claims]
    assert any("queue_pending_jobs came up" in t for t in texts)


def test_without_history_the_report_says_that_nothing_can_be_compared(skills: Skills) -> None:
    shop = quiet_shop()
    scope = shop.scope()
    bare = scope.model_copy(update={"windows": scope.windows.model_copy(update={"baselines": ()})})
    analysis = analyse_evidence(bare, shop.evidence(skills), skills, ENTITY_LABELS)
    evidence = shop.evidence(skills)
    report = write_report(bare, (), evidence, analysis, skills)
    assert report.title == "order-service: nothing to compare with"
    assert report.section(Section.WHAT)[0].text.startswith("Nothing can be compared")
    assert [c.text for c in report.section(Section.IMPACT)] == [
        "Impact not measured: there is no earlier data to compare with."
    ]
    assert "no earlier data to compare with" in [c.text for c in report.section(Section.NOT_SEEN)]


def test_trouble_elsewhere_is_counted_and_not_blamed(skills: Skills) -> None:
    alert = Alert(labels={"alertname": "MySQLDown", "service": "mysql"}, starts_at=ALERT_AT)
    case = Diagnosed.of(pool_incident(alert=alert), skills)
    first = case.report.section(Section.WHAT)[0].text
    assert first.startswith("Nothing abnormal was found at mysql. Elsewhere ")
    assert case.report.title == "mysql: nothing abnormal found"
    assert case.report.section(Section.WHY) == ()
    assert case.verified().report.rejected == ()


def test_a_question_about_everything_speaks_of_all_services(skills: Skills) -> None:
    shop = quiet_shop(alert=None, question="is anything wrong?", since=FAULT_AT)
    case = Diagnosed.of(shop, skills)
    (impact,) = case.report.section(Section.IMPACT)
    assert "error and latency series of all services left its band" in impact.text
    assert case.report.title == "all services: nothing abnormal found"
    assert case.verified().report.rejected == ()


def test_a_rise_that_no_entity_explains_is_no_cause(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    analysis = case.analysis.model_copy(
        update={
            "candidates": (),
            "hypotheses": (),
            "verdict": Verdict.INCONCLUSIVE,
            "verdict_reasons": ("no_candidate",),
        }
    )
    report = write_report(case.scope, (), case.evidence, analysis, skills)
    assert report.section(Section.WHAT)[0].text.startswith("Something moved, but no cause was")
    assert report.title == "order-service: cause not found"
    assert verify_report(report, case.evidence, analysis, case.scope).report.rejected == ()


def test_a_sentence_may_name_the_entity() -> None:
    check = Check.model_validate(
        {
            "id": "c",
            "any_of": [{"role": "pool.used"}],
            "reduce": "max",
            "holds": {"op": ">=", "value": 1},
            "role": "required",
            "says": {"en": "{entity} has {value}", "zh": "{entity} {value}"},
        }
    )
    result = CheckResult(id="c", role="required", outcome=CheckOutcome.HOLDS, fact_ids=("E1.2",))
    assert sentence_of(check, result, Language.EN).template == "{p|entity} has {E1.2}"


def test_a_sentence_that_cannot_be_filled_is_not_written(skills: Skills) -> None:
    case = Diagnosed.of(pool_incident(), skills)
    slots = Slots.of(case.evidence, case.report.frame, narrator_for(Language.EN))
    writer = Writer(slots)
    assert not writer.add(Section.WHY, ClaimKind.OBSERVATION, "{E99.1}")
    assert writer.claims == []
    given = Given(case.scope, (), case.evidence, case.analysis, skills)
    with pytest.raises(KeyError):
        given.skill("nothing")


def test_without_findings_that_have_facts_nothing_is_said_of_a_candidate(skills: Skills) -> None:
    case = Diagnosed.of(symptom_only(), skills)
    bare = tuple(f.model_copy(update={"fact_ids": ()}) for f in case.analysis.findings)
    analysis = case.analysis.model_copy(update={"findings": bare})
    report = write_report(case.scope, (), case.evidence, analysis, skills)
    assert report.section(Section.WHY) == ()
    assert not any(c.kind is ClaimKind.INFERENCE for c in report.section(Section.WHAT))
    assert report.section(Section.FINDINGS) == ()


def test_of_a_candidate_s_logs_counts_are_given(skills: Skills) -> None:
    shop = quiet_shop()
    shop.log("order-service", 5, "config key payment is missing", every=1)
    shop.log("order-service", 6, "giving up on the payment provider", every=1)
    case = Diagnosed.of(shop, skills)
    texts = [c.text for c in case.report.section(Section.WHY)]
    assert any(t.startswith("In the log of order-service ") for t in texts)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            Language.EN,
            (
                "The name is not unique: prod/order-service, test/order-service were looked at"
                " together from 11:56:45 to 12:04:00; choose one with --service."
            ),
        ),
        (
            Language.ZH,
            (
                "名称不唯一：一并查看了 prod/order-service、test/order-service"
                "（11:56:45 到 12:04:00）；可用 --service 指定其中一个。"
            ),
        ),
    ],
)
def test_a_name_of_several_places_is_reported(
    skills: Skills, language: Language, expected: str
) -> None:
    namesakes = tuple(Entity(name="order-service", namespace=n) for n in ("prod", "test"))
    shop = pool_incident(elsewhere=namesakes, language=language)
    assert expected in said(shop, skills, Section.WHAT)
