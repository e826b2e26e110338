"""Order in time and the call graph, on candidates made for it."""

from datetime import timedelta
from typing import Any

from superbizagent.domain.finding import (
    CandidateCause,
    FaultKind,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
    ScoreTerm,
)
from superbizagent.domain.outputs import Edge
from superbizagent.domain.rule import AlertRule, RuleReading
from superbizagent.domain.scope import Scope
from superbizagent.investigation.facts.symptom import is_served
from superbizagent.investigation.hypotheses.combine import (
    combine,
    margin_of,
    order_of,
)
from superbizagent.investigation.hypotheses.combine import (
    tested_entities as with_a_condition,
)
from tests.investigation.incidents import FAULT_AT, pool_incident

ORDERS, DATABASE, WEB = "//service/order-service", "//database/mysql", "//service/storefront"
STEP = timedelta(seconds=15)


def cause(entity: str, at: float | None, score: float = 1.0, **more: object) -> CandidateCause:
    onset = None if at is None else FAULT_AT + timedelta(seconds=at)
    base = CandidateCause(
        entity=entity,
        fault_kind=FaultKind.CPU,
        score=score,
        terms=(ScoreTerm(name="metrics", value=score),),
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


def holding(entity: str, kind: FaultKind = FaultKind.LOCK_WAIT, **more: Any) -> HypothesisResult:
    made = HypothesisResult(
        skill="diagnose-it",
        id="it",
        fault_kind=kind,
        entity=entity,
        outcome=HypothesisOutcome.SUPPORTED,
    )
    return made.model_copy(update=more)


def test_a_tested_cause_accounts_for_its_callers() -> None:
    causes = [cause(ORDERS, 0, 2.0), cause(DATABASE, 0, 1.0)]
    first, second = combine(scope(), causes, [holding(DATABASE)], [])
    assert (first.entity, first.score) == (DATABASE, 3.0)
    assert (second.terms[-1].name, second.score) == ("explained_by_callee", 0.4)
    assert second.terms[-1].note == first.hypothesis


def test_more_load_accounts_for_what_is_called() -> None:
    causes = [cause(ORDERS, 0, 2.0), cause(WEB, 0, 1.0)]
    surge = holding(WEB, FaultKind.TRAFFIC)
    first, second = combine(scope(), causes, [surge], [])
    assert first.entity == WEB
    assert (second.terms[-1].name, second.score) == ("explained_by_caller", 0.4)


def test_what_is_called_is_not_put_down_to_its_caller_nor_what_is_tested_itself() -> None:
    below = combine(scope(), [cause(ORDERS, 0, 2.0), cause(DATABASE, 0)], [holding(ORDERS)], [])
    assert [c.score for c in below] == [4.0, 1.0]
    both = [holding(ORDERS), holding(DATABASE)]
    tested = combine(scope(), [cause(ORDERS, 0, 2.0), cause(DATABASE, 0)], both, [])
    assert [c.score for c in tested] == [4.0, 3.0]


def test_what_is_ruled_out_accounts_for_nobody() -> None:
    late = cause(DATABASE, 200, 1.0)
    first, second = combine(
        scope(), [cause(ORDERS, 0, 2.0), late], [holding(DATABASE)], [symptom()]
    )
    assert (first.entity, first.score) == (ORDERS, 2.0)
    assert second.score == 0


def test_a_tested_cause_that_stands_out_little_is_lifted_all_the_same() -> None:
    (only,) = combine(scope(), [cause(DATABASE, 0, 0.0)], [holding(DATABASE)], [])
    assert only.score == 1.0


def test_a_condition_counts_where_something_moved_or_its_mechanism_was_seen() -> None:
    moved = symptom(ORDERS)
    held = [holding(ORDERS), holding(DATABASE), holding(WEB, mechanism_seen=True)]
    refuted = holding("//host/node-1", mechanism_seen=True, outcome=HypothesisOutcome.REFUTED)
    assert with_a_condition([*held, refuted], [moved]) == {ORDERS, WEB}
    still = moved.model_copy(update={"score": 0.0})
    assert with_a_condition(held, [still]) == {WEB}
