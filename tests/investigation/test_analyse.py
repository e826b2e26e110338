"""Hypotheses, order, verdict: on made-up incidents with known truth."""

from dataclasses import replace
from datetime import timedelta

import pytest

from superbizagent.domain.alert import Alert
from superbizagent.domain.finding import (
    Analysis,
    CandidateCause,
    CheckOutcome,
    FaultKind,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
    Verdict,
)
from superbizagent.domain.outputs import Edge
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.hypotheses.verdict import Judged, decide_verdict
from tests.investigation.incidents import (
    ALERT,
    ENTITY_LABELS,
    FAULT_AT,
    Shop,
    counter,
    pool_incident,
    quiet_shop,
    step,
)

ORDERS = "//service/order-service"
SLOW, LEAK, LIMIT = (
    "pool_exhausted_by_slow_transactions",
    "connection_leak",
    "database_connection_limit",
)
Skills = tuple[Skill, ...]
LEAD = timedelta(minutes=8)


def analyse(shop: Shop, skills: Skills) -> Analysis:
    return analyse_evidence(shop.scope(), shop.evidence(skills), skills, ENTITY_LABELS)


def result(analysis: Analysis, name: str) -> HypothesisResult:
    return next(h for h in analysis.hypotheses if h.id == name)


def outcomes(analysis: Analysis) -> dict[str, HypothesisOutcome]:
    return {h.id: h.outcome for h in analysis.hypotheses}


def test_slow_transactions_are_found_and_their_rivals_ruled_out(skills: Skills) -> None:
    analysis = analyse(pool_incident(), skills)
    assert analysis.verdict is Verdict.ROOT_CAUSE_FOUND
    assert analysis.verdict_reasons == (
        "mechanism_seen",
        f"rivals_refuted:{LEAK},{LIMIT}",
        "margin:1.00",
    )
    first = analysis.candidates[0]
    assert (first.entity, first.fault_kind) == (ORDERS, FaultKind.POOL_EXHAUSTION)
    assert first.hypothesis == f"diagnose-mysql-connection-pool/{SLOW}@{ORDERS}"
    assert {t.name for t in first.terms} >= {"hypothesis"}
    assert outcomes(analysis) == {
        SLOW: HypothesisOutcome.SUPPORTED,
        LEAK: HypothesisOutcome.REFUTED,
        LIMIT: HypothesisOutcome.REFUTED,
        "database_refuses_its_exporter": HypothesisOutcome.REFUTED,
    }


def test_every_fact_of_a_check_is_in_the_evidence(skills: Skills) -> None:
    shop = pool_incident()
    facts = shop.evidence(skills).facts()
    checks = [c for h in analyse(shop, skills).hypotheses for c in h.checks]
    assert all(i in facts for c in checks for i in c.fact_ids)
    assert all(c.fact_ids for c in checks if c.outcome is CheckOutcome.HOLDS)


def test_other_names_give_the_same_answer_about_other_names(skills: Skills) -> None:
    names = {"order-service": "bestellung", "mysql": "daten-7", "storefront": "laden"}
    shop = pool_incident(
        names=names, alert=ALERT.model_copy(update={"labels": {"service": "bestellung"}})
    )
    analysis = analyse(shop, skills)
    assert analysis.verdict is Verdict.ROOT_CAUSE_FOUND
    assert analysis.candidates[0].entity == "//service/bestellung"


@pytest.mark.parametrize("seconds", [5.0, 15.0, 30.0, 60.0])
def test_thinner_samples_read_the_same(skills: Skills, seconds: float) -> None:
    analysis = analyse(pool_incident(step_seconds=seconds), skills)
    assert (analysis.verdict, analysis.candidates[0].entity) == (Verdict.ROOT_CAUSE_FOUND, ORDERS)


def test_without_pool_metrics_and_lines_it_is_inconclusive(skills: Skills) -> None:
    analysis = analyse(pool_incident().without("db_client").without("connection"), skills)
    assert analysis.verdict is Verdict.INCONCLUSIVE
    assert analysis.verdict_reasons == ("only_symptom",)
    assert outcomes(analysis)[SLOW] is HypothesisOutcome.OPEN
    assert analysis.candidates[0].hypothesis == ""


def test_without_logs_the_mechanism_is_not_seen_and_the_cause_is_likely(skills: Skills) -> None:
    shop = pool_incident()
    shop.failed["sweep:logs"] = EvidenceStatus.TIMEOUT
    analysis = analyse(shop, skills)
    assert analysis.verdict is Verdict.LIKELY
    assert analysis.verdict_reasons[:2] == ("one_signal", "source_failed:shop")
    checks = {c.id: c.outcome for c in result(analysis, SLOW).checks}
    assert checks["log_holder"] is CheckOutcome.UNKNOWN
    assert checks["pool_full"] is CheckOutcome.HOLDS


def test_a_quiet_time_has_no_cause_and_is_not_called_healthy(skills: Skills) -> None:
    analysis = analyse(quiet_shop(), skills)
    assert analysis.verdict is Verdict.INCONCLUSIVE
    assert analysis.verdict_reasons == ("nothing_abnormal", "no_learnt_baseline")
    assert analysis.candidates == ()
    assert (analysis.series_examined, analysis.series_abnormal) == (17, 0)


def test_an_alert_about_a_calm_service_is_not_answered_by_the_pool(skills: Skills) -> None:
    alert = Alert(labels={"alertname": "MySQLDown", "service": "mysql"}, starts_at=ALERT.starts_at)
    analysis = analyse(pool_incident(alert=alert), skills)
    assert analysis.verdict is Verdict.INCONCLUSIVE
    assert analysis.verdict_reasons[0] == "scope_calm"


def test_a_calm_service_with_a_sick_callee_gets_a_likely_cause_at_most(skills: Skills) -> None:
    alert = Alert(labels={"alertname": "Slow", "service": "storefront"}, starts_at=ALERT.starts_at)
    shop = pool_incident(alert=alert)
    shop.drop("storefront")
    analysis = analyse(shop, skills)
    assert analysis.candidates[0].entity == ORDERS
    assert analysis.verdict is Verdict.LIKELY
    assert "named_calm" in analysis.verdict_reasons


def test_without_a_call_graph_a_calm_service_is_not_answered_by_others(skills: Skills) -> None:
    alert = Alert(labels={"alertname": "Slow", "service": "storefront"}, starts_at=ALERT.starts_at)
    shop = pool_incident(alert=alert, edges=())
    shop.drop("storefront")
    assert analyse(shop, skills).verdict_reasons[0] == "scope_calm"


def test_where_nothing_was_recorded_there_is_no_data(skills: Skills) -> None:
    assert analyse(Shop(), skills).verdict_reasons == ("no_data",)


def test_an_alert_about_an_unknown_service_is_answered_by_its_name(skills: Skills) -> None:
    alert = Alert(labels={"alertname": "X", "service": "order-servise"}, starts_at=ALERT.starts_at)
    analysis = analyse(pool_incident(alert=alert), skills)
    assert analysis.verdict_reasons == ("unknown_entity:order-servise",)
    assert analysis.candidates == ()


def test_the_caller_s_alert_leads_to_the_pool_of_its_callee(skills: Skills) -> None:
    alert = Alert(
        labels={"alertname": "HighErrorRate", "service": "storefront"}, starts_at=ALERT.starts_at
    )
    analysis = analyse(pool_incident(alert=alert), skills)
    assert analysis.candidates[0].entity == ORDERS
    # Pool and errors move within one sampling step: the order between services is not known.
    assert analysis.verdict is Verdict.LIKELY
    assert "order_unknown" in analysis.verdict_reasons


def test_a_caller_of_what_hurts_is_ruled_out_in_the_open(skills: Skills) -> None:
    analysis = analyse(pool_incident().without("db_client").without("connection"), skills)
    shop = next((c for c in analysis.candidates if c.entity == "//service/storefront"), None)
    assert shop is not None
    assert shop.score == 0.0
    assert shop.terms[-1].name == "not_downstream"


def test_a_callee_that_moves_later_than_the_symptom_is_ruled_out(skills: Skills) -> None:
    shop = pool_incident().without("db_client").without("connection")

    def late(seconds: float) -> float:
        return 2.0 if seconds < 180 else 90.0

    shop.add("mysql", "process_cpu_usage_ratio", late)
    shop.add("mysql", "mysql_global_status_threads_running", late)
    analysis = analyse(shop, skills)
    database = next(c for c in analysis.candidates if c.entity == "//database/mysql")
    assert database.terms[-1].name == "later_than_symptom"
    assert database.score == 0.0


def test_a_check_cannot_lift_an_entity_in_which_nothing_is_abnormal(skills: Skills) -> None:
    shop = quiet_shop()
    full = quiet_shop().without("db_client")
    for name, value in (("count", 10), ("max", 10), ("pending_requests", 3)):
        labels = {"state": "used"} if name == "count" else {}
        full.noise = 0
        full.add(
            "order-service",
            f"db_client_connection_{name}",
            step(value, value),
            pool_name="orders",
            **labels,
        )
    analysis = analyse(full, skills)
    assert outcomes(analysis)[SLOW] is HypothesisOutcome.SUPPORTED
    assert analysis.candidates == ()
    assert analysis.verdict is Verdict.INCONCLUSIVE
    assert analyse(shop, skills).verdict is Verdict.INCONCLUSIVE


def leak_incident() -> Shop:
    shop = pool_incident().without("use_time").without("connection held")
    pool = {"pool_name": "orders"}
    name = "db_client_connection_use_time_seconds"
    shop.add("order-service", f"{name}_sum", counter(0.4, 0.05), **pool)
    shop.add("order-service", f"{name}_count", counter(8, 1), **pool)
    text = "Apparent connection leak detected: connection 17 was not returned to the pool"
    return shop.log("order-service", 20, text, severity="warn", every=20)


def test_a_leak_is_told_from_slow_transactions(skills: Skills) -> None:
    analysis = analyse(leak_incident(), skills)
    assert analysis.candidates[0].fault_kind is FaultKind.CONNECTION_LEAK
    assert outcomes(analysis)[SLOW] is HypothesisOutcome.REFUTED
    assert analysis.verdict is Verdict.ROOT_CAUSE_FOUND


def test_transactions_that_wait_for_locks_are_not_called_slow(skills: Skills) -> None:
    shop = pool_incident().without("row_lock")
    shop.add("mysql", "mysql_global_status_innodb_row_lock_current_waits", step(0, 6))
    slow = result(analyse(shop, skills), SLOW)
    assert slow.outcome is HypothesisOutcome.REFUTED
    assert {c.id for c in slow.checks if c.outcome is CheckOutcome.HOLDS and c.role == "refutes"}


def test_a_database_at_its_limit_is_found(skills: Skills) -> None:
    shop = quiet_shop().without("threads_connected").without("connection_errors")
    shop.noise = 0
    shop.add("mysql", "mysql_global_status_threads_connected", step(12, 40))
    shop.add(
        "mysql",
        "mysql_global_status_connection_errors_total",
        counter(0, 4),
        error="max_connections",
    )
    shop.add("order-service", "app_errors_total", counter(0, 4), error_type="OperationalError")
    text = "(1040, 'Too many connections')"
    shop.log("order-service", 3, text, every=1)
    analysis = analyse(shop, skills)
    assert analysis.candidates[0].entity == "//database/mysql"
    assert analysis.candidates[0].fault_kind is FaultKind.CONNECTION_LIMIT


def test_a_rival_without_data_is_not_taken_for_refuted(skills: Skills) -> None:
    analysis = analyse(pool_incident().without("mysql"), skills)
    limit = result(analysis, LIMIT)
    assert (limit.entity, limit.outcome) == ("", HypothesisOutcome.OPEN)
    assert analysis.verdict is Verdict.LIKELY
    assert analysis.verdict_reasons[0] == f"rival_open:{LIMIT}"


def test_a_pool_without_a_maximum_is_unknown_not_full(skills: Skills) -> None:
    shop = pool_incident().without("connection_max")
    shop.add("order-service", "db_client_connection_max", step(0, 0), pool_name="orders")
    checks = {c.id: c.outcome for c in result(analyse(shop, skills), SLOW).checks}
    assert checks["pool_full"] is CheckOutcome.UNKNOWN


def test_other_stacks_names_work_as_well(skills: Skills) -> None:
    shop = pool_incident().without("db_client")
    shop.noise = 0
    pool = {"pool": "HikariPool-1"}
    for name, shape in {
        "hikaricp_connections_active": step(2, 10),
        "hikaricp_connections_max": step(10, 10),
        "hikaricp_connections_pending": step(0, 14),
        "hikaricp_connections_usage_seconds_sum": counter(0.4, 10),
        "hikaricp_connections_usage_seconds_count": counter(8, 3.3),
    }.items():
        shop.add("order-service", name, shape, **pool)
    analysis = analyse(shop, skills)
    assert analysis.verdict is Verdict.ROOT_CAUSE_FOUND
    held = next(c for c in result(analysis, SLOW).checks if c.id == "held_longer")
    assert held.reason == "3.0303 >= 3 x 0.05"


def test_without_a_known_time_an_average_that_fails_is_unknown(skills: Skills) -> None:
    """The window may be healthy for the most part, and hide what the average is asked for."""
    shop = leak_incident()
    asked = replace(shop, alert=None, question="order-service fails", since=FAULT_AT - LEAD)
    dated = {c.id: c for c in result(analyse(asked, skills), SLOW).checks}
    assert dated["held_longer"].outcome is CheckOutcome.FAILS  # since the errors began
    asked = asked.without("http_server").without("timeouts")
    checks = {c.id: c for c in result(analyse(asked, skills), SLOW).checks}
    assert (checks["held_longer"].outcome, checks["held_longer"].reason) == (
        CheckOutcome.UNKNOWN,
        "diluted",
    )
    assert checks["held_longer"].fact_ids
    assert checks["pool_full"].outcome is CheckOutcome.HOLDS
    narrowed = {c.id: c for c in result(analyse(shop, skills), SLOW).checks}
    assert narrowed["held_longer"].outcome is CheckOutcome.FAILS


def test_when_no_call_answers_that_is_what_it_says(skills: Skills) -> None:
    shop = pool_incident()
    for entity in (ORDERS, "//database/mysql", "//service/storefront"):
        shop.failed[f"sweep:{entity}"] = EvidenceStatus.ERROR
    shop.failed["sweep:logs"] = EvidenceStatus.DENIED
    analysis = analyse(shop, skills)
    assert analysis.verdict_reasons == ("nothing_answered", "source_failed:shop")


def test_without_history_there_is_nothing_to_compare_with(skills: Skills) -> None:
    shop = pool_incident()
    scope = shop.scope()
    bare = scope.model_copy(update={"windows": scope.windows.model_copy(update={"baselines": ()})})
    analysis = analyse_evidence(bare, shop.evidence(skills), skills, ENTITY_LABELS)
    assert analysis.verdict is not Verdict.ROOT_CAUSE_FOUND
    assert analysis.verdict is not Verdict.HEALTHY


def test_unrelated_trouble_elsewhere_does_not_answer_for_it(skills: Skills) -> None:
    """The graph is known and mysql is below both: its own trouble may be the cause of either."""
    shop = pool_incident(edges=(Edge(caller="storefront", callee="order-service"),))
    shop.add("mysql", "process_cpu_usage_ratio", step(0.1, 0.9))
    analysis = analyse(shop, skills)
    assert analysis.candidates[0].entity == ORDERS


def test_the_same_evidence_gives_the_same_analysis(skills: Skills) -> None:
    assert analyse(pool_incident(), skills) == analyse(pool_incident(), skills)


def test_symptoms_are_errors_and_latency_of_what_was_asked_about(skills: Skills) -> None:
    analysis = analyse(pool_incident(), skills)
    symptom = [analysis.finding(i) for i in analysis.symptom]
    assert {f.entity for f in symptom} == {ORDERS}
    assert {f.family for f in symptom} <= {"err", "lat", "qps"}


def test_two_supported_rivals_leave_the_cause_likely(skills: Skills) -> None:
    shop = pool_incident().without("threads_connected")
    shop.noise = 0
    shop.add("mysql", "mysql_global_status_threads_connected", step(12, 40))
    analysis = analyse(shop, skills)
    assert f"rival_supported:{LIMIT}" in analysis.verdict_reasons or (
        f"rival_supported:{SLOW}" in analysis.verdict_reasons
    )
    assert analysis.verdict is not Verdict.ROOT_CAUSE_FOUND


def judged(skills: Skills, **update: object) -> Judged:
    shop = pool_incident()
    analysis = analyse(shop, skills)
    base = Judged(
        scope=shop.scope(),
        evidence=shop.evidence(skills),
        skills=skills,
        findings=analysis.findings,
        symptom=[analysis.finding(i) for i in analysis.symptom],
        hypotheses=analysis.hypotheses,
        candidates=analysis.candidates,
        margin=analysis.margin,
        looked_at=1,
    )
    return replace(base, **update)  # pyright: ignore[reportArgumentType] - the fields of Judged


def test_one_thing_lacking_is_likely_two_with_a_small_margin_are_not(skills: Skills) -> None:
    assert decide_verdict(judged(skills))[0] is Verdict.ROOT_CAUSE_FOUND
    verdict, reasons = decide_verdict(judged(skills, margin=0.59))
    assert (verdict, reasons[0]) == (Verdict.LIKELY, "margin:0.59")
    hypotheses = [h for h in judged(skills).hypotheses if h.id == SLOW]
    blind = [h.model_copy(update={"mechanism_seen": False, "checks": ()}) for h in hypotheses]
    verdict, reasons = decide_verdict(judged(skills, hypotheses=blind))
    assert (verdict, reasons[0]) == (Verdict.LIKELY, "one_signal")
    verdict, _ = decide_verdict(judged(skills, hypotheses=blind, margin=0.3))
    assert verdict is Verdict.INCONCLUSIVE
    verdict, _ = decide_verdict(judged(skills, hypotheses=blind, margin=0.4))
    assert verdict is Verdict.LIKELY


def test_a_close_ranking_is_no_answer(skills: Skills) -> None:
    bare = [c.model_copy(update={"hypothesis": ""}) for c in judged(skills).candidates]
    assert decide_verdict(judged(skills, candidates=bare, margin=0.39)) == (
        Verdict.INCONCLUSIVE,
        ("margin_small",),
    )
    verdict, reasons = decide_verdict(judged(skills, candidates=bare, margin=0.4))
    assert (verdict, reasons) == (Verdict.LIKELY, ("no_hypothesis", "margin:0.40"))


def test_healthy_is_never_said_without_a_learnt_baseline(skills: Skills) -> None:
    for shop in (quiet_shop(), pool_incident(), Shop(), quiet_shop(alert=None)):
        assert analyse(shop, skills).verdict is not Verdict.HEALTHY


def test_only_ruled_out_candidates_are_no_candidate(skills: Skills) -> None:
    out = [c.model_copy(update={"score": 0.0}) for c in judged(skills).candidates]
    assert decide_verdict(judged(skills, candidates=out)) == (
        Verdict.INCONCLUSIVE,
        ("no_candidate",),
    )


def waiting_shop(memory_from: float) -> Shop:
    """Requests of order-service wait; its memory rises from a time on (seconds from the fault)."""
    shop = pool_incident().without("db_client").without("connection").without("resident")

    def memory(seconds: float) -> float:
        return 1e8 if seconds < memory_from else 1.6e8

    return shop.add("order-service", "process_resident_memory_bytes", memory)


def test_memory_that_rises_with_the_waiting_explains_nothing(skills: Skills) -> None:
    analysis = analyse(waiting_shop(0), skills)
    assert any(f.family == "mem" and f.entity == ORDERS for f in analysis.findings)
    assert analysis.verdict_reasons == ("only_symptom",)


def test_memory_that_rose_before_anything_hurt_may_explain_it(skills: Skills) -> None:
    analysis = analyse(waiting_shop(-150), skills)
    assert analysis.verdict is Verdict.LIKELY
    assert analysis.verdict_reasons[0] == "no_hypothesis"


def test_requests_under_way_are_part_of_the_symptom(skills: Skills) -> None:
    shop = waiting_shop(1e9)
    shop.add("order-service", "http_server_active_requests", step(1, 15))
    analysis = analyse(shop, skills)
    assert any("active_requests" in analysis.finding(i).subject for i in analysis.symptom)
    assert analysis.verdict_reasons == ("only_symptom",)


@pytest.mark.parametrize(
    ("seconds", "strength", "verdict"),
    [
        (5, 1.0, Verdict.INCONCLUSIVE),
        (-60, 1.0, Verdict.LIKELY),
        (5, 9.0, Verdict.LIKELY),
    ],
)
def test_packets_that_follow_what_hurts_elsewhere_are_no_cause(
    skills: Skills, seconds: float, strength: float, verdict: Verdict
) -> None:
    hurts = Finding(
        id="F1", kind=FindingKind.METRIC_DEVIATION, entity=ORDERS, subject="errors", family="err",
        direction=1, score=3.8, onset_at=FAULT_AT, onset_uncertainty=timedelta(seconds=15),
    )  # fmt: skip
    moved = hurts.model_copy(
        update={
            "id": "F2", "entity": "//host/node", "subject": "packets", "family": "net",
            "score": strength, "onset_at": FAULT_AT + timedelta(seconds=seconds),
        }
    )  # fmt: skip
    node = CandidateCause(
        entity="//host/node", fault_kind=FaultKind.UNKNOWN, score=0.1, terms=(),
        finding_ids=("F2",), onset_at=moved.onset_at,
    )  # fmt: skip
    asked = judged(
        skills, findings=(hurts, moved), symptom=(), hypotheses=(), candidates=(node,), margin=1.0
    )
    assert decide_verdict(asked)[0] is verdict
