"""Order in time and the call graph, on candidates made for it."""

from datetime import timedelta

from superbizagent.domain.finding import CandidateCause, FaultKind, Finding, FindingKind
from superbizagent.domain.outputs import Edge
from superbizagent.domain.rule import AlertRule, RuleReading
from superbizagent.domain.scope import Scope
from superbizagent.investigation.facts.symptom import is_served
from superbizagent.investigation.hypotheses.combine import combine, margin_of, order_of
from tests.investigation.incidents import FAULT_AT, pool_incident

ORDERS, DATABASE, WEB = "//service/order-service", "//database/mysql", "//service/storefront"
STEP = timedelta(seconds=15)


def cause(entity: str, at: float | None, score: float = 1.0, **more: object) -> CandidateCause:
    onset = None if at is None else FAULT_AT + timedelta(seconds=at)
    base = CandidateCause(
        entity=entity,
        fault_kind=FaultKind.CPU,
        score=score,
        onset_at=onset,
        onset_uncertainty=STEP,
    )
    return base.model_copy(update=more)


def symptom(entity: str = ORDERS, at: float = 0.0, subject: str = "s") -> Finding:
    return Finding(
        id="F1",
        kind=FindingKind.METRIC_DEVIATION,
        entity=entity,
        subject=subject,
        family="lat",
        score=5.0,
        onset_at=FAULT_AT + timedelta(seconds=at),
        onset_uncertainty=STEP,
    )


def scope(**more: object) -> Scope:
    return pool_incident(**more).scope()


def test_an_order_is_known_only_beyond_both_uncertainties() -> None:
    hurts = [symptom()]
    assert order_of(cause(DATABASE, 31), hurts) == "after"
    assert order_of(cause(DATABASE, 30), hurts) == "unknown"
    assert order_of(cause(DATABASE, -30), hurts) == "unknown"
    assert order_of(cause(DATABASE, -31), hurts) == "before"
    assert order_of(cause(DATABASE, None), hurts) == "unknown"
    assert order_of(cause(DATABASE, 99), []) == "unknown"


def true_since(at: float, entity: str = ORDERS, **more: object) -> RuleReading:
    reading = RuleReading(
        rule=AlertRule(name="ItHurts", expression="x > 1"),
        entity=entity,
        onset_at=FAULT_AT + timedelta(seconds=at),
        uncertainty=timedelta(seconds=75),
    )
    return reading.model_copy(update=more)


def test_the_alerts_own_rule_tells_since_when_it_hurts() -> None:
    late = [symptom(at=600)]
    rule = true_since(0)
    assert order_of(cause(DATABASE, 91), late, rule) == "after"
    assert order_of(cause(DATABASE, 90), late, rule) == "unknown"
    assert order_of(cause(DATABASE, -91), late, rule) == "before"
    assert order_of(cause(ORDERS, 500), [], rule) == "unknown", "no entity is late for itself"
    assert order_of(cause(DATABASE, 91), [], true_since(0, "")) == "unknown", "whose it is, is open"
    begun = true_since(0, at_least=True)
    assert order_of(cause(DATABASE, -91), [], begun) == "unknown", "it may have hurt for longer"
    assert order_of(cause(DATABASE, 91), [], begun) == "after"


def test_what_came_after_the_rule_was_true_is_ruled_out() -> None:
    framed = scope().model_copy(update={"condition": true_since(0)})
    [second] = combine(framed, [cause(DATABASE, 200, 3.0)], [], [symptom(at=600)])
    assert second.terms[-1].name == "later_than_symptom"
    [kept] = combine(framed, [cause(DATABASE, 60, 3.0)], [], [symptom(at=600)])
    assert kept.score == 3.0


def test_an_entity_is_neither_early_nor_late_for_itself() -> None:
    assert order_of(cause(ORDERS, 500), [symptom()]) == "unknown"


def test_what_came_later_is_ruled_out_and_says_so() -> None:
    first, second = combine(scope(), [cause(DATABASE, 200, 3.0), cause(ORDERS, 0)], [], [symptom()])
    assert (first.entity, first.score) == (ORDERS, 1.0)
    assert (second.entity, second.score, second.terms[-1].name) == (
        DATABASE,
        0.0,
        "later_than_symptom",
    )
    assert margin_of([first, second]) == 1.0


def test_a_caller_is_ruled_out_but_not_for_its_traffic() -> None:
    (caller,) = combine(scope(), [cause(WEB, -100)], [], [symptom()])
    assert caller.terms[-1].name == "not_downstream"
    (caller,) = combine(scope(), [cause(WEB, -100, fault_kind=FaultKind.TRAFFIC)], [], [symptom()])
    assert caller.score == 1.0


def test_what_the_graph_does_not_know_is_not_ruled_out_by_it() -> None:
    (other,) = combine(scope(), [cause("//host/node-1", -100)], [], [symptom()])
    assert other.score == 1.0
    unknown = scope(edges=(Edge(caller="a", callee="b"),))
    (other,) = combine(unknown, [cause(WEB, -100)], [], [symptom()])
    assert other.score == 1.0


def test_ties_are_ordered_by_entity() -> None:
    got = combine(scope(), [cause(ORDERS, 0), cause(DATABASE, 0)], [], [])
    assert [c.entity for c in got] == [DATABASE, ORDERS]
    assert margin_of(got) == 0.0
    assert margin_of(()) == 0.0


def test_what_an_entity_answers_is_told_from_what_it_asks() -> None:
    assert is_served(symptom(subject='http_server_requests_seconds_sum{job="x"}'))
    assert not is_served(symptom(subject="http_client_request_duration_seconds_sum"))
    assert not is_served(symptom(subject="db_client_connection_wait_time_seconds_sum"))
    assert not is_served(symptom(subject="queue_depth"))
