"""Which entity a list of alerts points at, by what, and what never changes that."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.alert_evidence import (
    alert_evidence,
    rests_on_alerts,
    shares_of,
    shows_itself,
)
from superbizagent.analysis.alert_history import AlertHistory
from superbizagent.analysis.alert_list import AlertListInput, ScoredEntity, rank_alert_list
from superbizagent.analysis.alert_readings import AlertReading, readings_of
from superbizagent.domain.alert import Alert
from superbizagent.domain.finding import CandidateCause, FaultKind, ScoreTerm

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
NAMES: tuple[str, ...] = (
    "CpuUsageHigh",
    "MemoryUsageHigh",
    "LatencyP95High",
    "ErrorRateHigh",
    "TrafficLow",
)
PLACES: tuple[str, ...] = ("booking", "ledger", "mailer", "portal", "pricing", "refund")


def alert(name: str, service: str = "", seconds: int = 0, **labels: str) -> Alert:
    own = {"service": service} if service else {}
    at = AT + timedelta(seconds=seconds)
    return Alert(labels={"alertname": name, **own, **labels}, starts_at=at)


def call(client: str, server: str, **labels: str) -> Alert:
    return alert("CallLatencyHigh", server, 0, client=client, server=server, **labels)


def operation(name: str, service: str) -> Alert:
    return alert("CallErrorsHigh", service, 0, span_name=name)


def line(template: str, service: str) -> Alert:
    return alert("LogNovel", service, 0, log_template=template)


def read(alerts: Sequence[Alert]) -> tuple[AlertReading, ...]:
    return readings_of(alerts, lambda labels: labels.get("service"))


def rank(
    alerts: Sequence[Alert],
    callees: Mapping[str, Sequence[str]] | None = None,
    history: AlertHistory | None = None,
    entities: Sequence[str] = PLACES,
) -> tuple[ScoredEntity, ...]:
    return rank_alert_list(AlertListInput(read(alerts), callees or {}, entities, history))


def scores(found: Sequence[ScoredEntity]) -> dict[str, float]:
    return {item.entity: item.score for item in found}


def terms(found: Sequence[ScoredEntity], entity: str) -> dict[str, float]:
    own = next(item for item in found if item.entity == entity)
    return {t.name: t.value for t in own.terms}


@st.composite
def storms(draw: st.DrawFn) -> list[Alert]:
    place = st.sampled_from(PLACES)
    own = st.builds(alert, st.sampled_from(NAMES), place, st.integers(0, 600))
    between = st.tuples(place, place).map(lambda ends: call(*ends, span_name="GET"))
    inner = st.builds(operation, st.sampled_from(["GET", "SELECT"]), place)
    lines = st.builds(line, st.sampled_from(["a", "b", "c"]), place)
    return draw(st.lists(st.one_of(own, between, inner, lines), max_size=25))


@given(storms(), st.randoms(use_true_random=False), st.lists(storms(), max_size=4))
def test_neither_order_nor_repetition_counts(
    storm: list[Alert], random: Random, past: list[list[Alert]]
) -> None:
    history = AlertHistory.of([read(alerts) for alerts in past])
    shuffled = [*storm, *storm[: len(storm) // 2]]
    random.shuffle(shuffled)
    expected = rank(storm, history=history)
    found = rank(shuffled, history=history)
    assert [(i.entity, i.score, i.fault_kind, i.first_at) for i in found] == [
        (i.entity, i.score, i.fault_kind, i.first_at) for i in expected
    ]


@given(storms(), st.permutations(PLACES))
def test_other_names_give_the_same_scores(storm: list[Alert], names: list[str]) -> None:
    renamed = dict(zip(PLACES, (f"x-{name}" for name in names), strict=True))
    other = [
        a.model_copy(update={"labels": {k: renamed.get(v, v) for k, v in a.labels.items()}})
        for a in storm
    ]
    expected = {renamed[e]: s for e, s in scores(rank(storm)).items()}
    assert scores(rank(other, entities=list(renamed.values()))) == expected


@given(storms(), st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES)), max_size=9))
def test_any_graph_gives_terms_that_add_up(
    storm: list[Alert], edges: list[tuple[str, str]]
) -> None:
    """Loops, self calls and callees that nobody knows of included."""
    callees: dict[str, list[str]] = {}
    for caller, callee in [*edges, ("nowhere", "gone")]:
        callees.setdefault(caller, []).append(callee)
    for item in rank(storm, callees):
        assert item.score == pytest.approx(sum(t.value for t in item.terms), abs=1e-4)
        assert item.score >= 0
        assert all(0 <= k < len(storm) for t in item.terms for k in t.sources)


def test_a_list_that_names_nobody_points_nowhere() -> None:
    assert rank([]) == ()
    assert rank([alert("Watchdog"), alert("CpuUsageHigh")]) == ()


def test_what_one_entity_alone_has_outweighs_what_many_share() -> None:
    shared = [alert("TrafficLow", place) for place in PLACES]
    noisy = [*shared, alert("LatencyP95High", "portal"), alert("LatencyP95High", "booking")]
    found = rank([*noisy, alert("CpuUsageHigh", "ledger")])
    assert found[0].entity == "ledger"
    assert found[0].fault_kind is FaultKind.CPU
    assert shows_itself(found[0].terms)
    assert not shows_itself(found[1].terms)


def test_latency_of_a_caller_is_explained_by_its_callee() -> None:
    storm = [alert("LatencyP95High", place) for place in ("portal", "booking", "ledger")]
    found = rank(storm, {"portal": ["booking"], "booking": ["ledger"]})
    assert found[0].entity == "ledger"
    assert terms(found, "portal")["explained_by_callee"] < 0
    assert "explained_by_callee" not in terms(found, "ledger")


def test_a_graph_that_says_both_ways_explains_nothing() -> None:
    storm = [alert("LatencyP95High", place) for place in ("portal", "ledger")]
    found = rank(storm, {"portal": ["ledger"], "ledger": ["portal"]})
    assert scores(found)["portal"] == scores(found)["ledger"]


def test_resources_of_a_callee_do_not_explain_those_of_its_caller() -> None:
    storm = [alert("CpuUsageHigh", "portal"), alert("CpuUsageHigh", "ledger")]
    found = rank(storm, {"portal": ["ledger"]})
    assert scores(found)["portal"] == scores(found)["ledger"]


def test_a_callee_that_all_its_callers_complain_of_stands_out() -> None:
    found = rank([call("portal", "ledger"), call("booking", "ledger"), call("portal", "mailer")])
    assert found[0].entity == "ledger"


def test_calls_that_only_the_caller_finds_slow_are_of_the_common_end() -> None:
    slow = [
        call("portal", callee, span_kind="client", span_name=callee)
        for callee in ("ledger", "mailer", "pricing")
    ]
    known = [read([call("refund", callee, span_name=callee)]) for callee in PLACES[1:4]]
    found = rank(slow, history=AlertHistory.of(known))
    assert found[0].entity == "portal"


def test_a_call_that_its_callee_finds_slow_too_is_the_callees() -> None:
    seen = call("portal", "ledger", span_kind="client", span_name="pay")
    served = call("portal", "ledger", span_kind="server", span_name="pay")
    assert scores(rank([seen]))["portal"] == scores(rank([seen]))["ledger"]
    assert set(scores(rank([seen, served]))) == {"ledger"}


def test_an_operation_is_of_the_one_that_was_seen_to_serve_it() -> None:
    client = alert("CallLatencyHigh", "portal", span_name="pay")
    history = AlertHistory.of([read([call("booking", "ledger", span_name="pay")])])
    assert set(scores(rank([client]))) == {"portal"}
    assert set(scores(rank([client], history=history))) == {"portal", "ledger"}


def test_what_always_fires_counts_little_once_that_is_known() -> None:
    storm = [
        alert("CpuUsageHigh", "mailer"),
        alert("MemoryUsageHigh", "mailer"),
        alert("DiskUsageHigh", "ledger"),
    ]
    assert rank(storm)[0].entity == "mailer"
    usual = [read(storm[:2])] * 30
    assert rank(storm, history=AlertHistory.of(usual))[0].entity == "ledger"


def test_what_always_comes_with_another_alert_is_explained_by_it() -> None:
    cause = [alert("CpuUsageHigh", "ledger"), alert("LatencyP95High", "portal")]
    others = [[alert("LatencyP95High", "portal"), alert("DiskUsageHigh", e)] for e in PLACES[:3]]
    history = AlertHistory.of([read(a) for a in (*[cause] * 10, *others * 5)])
    found = rank(cause, history=history)
    assert found[0].entity == "ledger"
    plain = rank(cause)
    before = scores(plain)["portal"] / scores(plain)["ledger"]
    assert scores(found)["portal"] / scores(found)["ledger"] < before


def test_a_list_is_not_its_own_past() -> None:
    lists = [read([alert("CpuUsageHigh", place)]) for place in PLACES]
    history = AlertHistory.of(lists)
    assert history.besides(0).lists == len(PLACES) - 1
    without = AlertHistory.of(lists[1:])
    storm = [alert("CpuUsageHigh", place) for place in PLACES[:3]]
    assert scores(rank(storm, history=history.besides(0))) == scores(rank(storm, history=without))


def test_of_equals_the_first_to_alert_stands_first() -> None:
    storm = [alert("CpuUsageHigh", "ledger", 60), alert("CpuUsageHigh", "mailer", 0)]
    found = rank(storm)
    assert [item.entity for item in found] == ["mailer", "ledger"]
    assert found[0].score == found[1].score
    assert found[0].first_at == AT


def test_kinds_of_fault_follow_the_families() -> None:
    def kind(*alerts: Alert) -> FaultKind:
        return next(i for i in rank(alerts) if i.entity == "ledger").fault_kind

    assert kind(alert("MemoryUsageHigh", "ledger")) is FaultKind.MEMORY
    both = (alert("MemoryUsageHigh", "ledger"), alert("CpuUsageHigh", "ledger"))
    assert kind(*both) is FaultKind.MEMORY
    assert kind(alert("DiskUsageHigh", "ledger")) is FaultKind.DISK
    assert kind(alert("PodRestarts", "ledger")) is FaultKind.RESTART
    assert kind(call("portal", "ledger")) is FaultKind.NETWORK_DELAY
    assert kind(alert("SomethingOdd", "ledger")) is FaultKind.UNKNOWN


def test_evidence_cites_the_alerts_of_each_term() -> None:
    storm = [alert("TrafficLow", "portal"), alert("CpuUsageHigh", "ledger")]
    found = alert_evidence(AlertListInput(read(storm)), [("E1.2", "E1.3"), ("E1.4",)])
    assert found["ledger"].facts == (("E1.4",),)
    assert found["ledger"].fault_kind is FaultKind.CPU
    assert found["portal"].facts == (("E1.2",),)


def test_terms_are_scaled_to_their_part_of_a_score_and_keep_their_signs() -> None:
    storm = [alert("LatencyP95High", place) for place in ("portal", "ledger")]
    given_ = AlertListInput(read(storm), {"portal": ["ledger"]})
    found = alert_evidence(given_, [("E1.2",), ("E1.3",)])["portal"]
    parts = shares_of(found, 0.5)
    assert sum(t.value for t in parts) == pytest.approx(0.5, rel=1e-4)
    assert [t.value < 0 for t in parts] == [False, True]
    first = CandidateCause(entity="portal", fault_kind=FaultKind.UNKNOWN, score=0.5, terms=parts)
    assert rests_on_alerts(first)
    metric = ScoreTerm(name="metrics", value=1.0)
    assert not rests_on_alerts(first.model_copy(update={"terms": (*parts, metric)}))
    assert not rests_on_alerts(first.model_copy(update={"terms": ()}))


def test_a_thousand_alerts_are_ranked_within_a_second() -> None:
    places = [f"svc-{k}" for k in range(120)]
    storm = [alert(NAMES[2 + k % 3], places[k % 119], k) for k in range(700)]
    storm += [call(places[k % 97], places[k % 119]) for k in range(300)]
    storm.append(alert("CpuUsageHigh", "svc-119"))
    begin = process_time()
    found = rank(storm, entities=places)
    assert process_time() - begin < 1.0
    assert found[0].entity == "svc-119"
