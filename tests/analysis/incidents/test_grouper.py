"""Each rule by which an alert joins an incident, and the life cycle of both."""

from collections import defaultdict
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alert_streams import alert, at, grouper
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.grouping import AlertEvent, CoreKind, GrouperSnapshot, ReasonCode

SHOP = (("web", "orders"), ("orders", "orders-db"), ("web", "catalog"), ("catalog", "catalog-db"))
BY_NAME = '{}:{alertname="HighLatency"}'


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (alert(service="a"), alert("HighErrorRate", service="a"), ReasonCode.SAME_SERVICE),
        (alert(service="a"), alert(service="b"), None),
        (
            alert(service="a", cluster="x"),
            alert("HighErrorRate", service="a", cluster="y"),
            None,
        ),
        (
            alert(service="a", namespace="x"),
            alert("HighErrorRate", service="a", namespace="y"),
            None,
        ),
        (
            alert(service="a", namespace="x"),
            alert("HighErrorRate", service="a"),
            ReasonCode.SAME_SERVICE,
        ),
        (
            alert("NodeDown", node="w1"),
            alert("PodUnreachable", service="a", node="w1"),
            ReasonCode.SAME_HOST,
        ),
        (alert(service="a", node="w1"), alert(service="b", node="w1"), None),
        (alert(service="a", host="vm1"), alert("Load", host="vm1"), ReasonCode.SAME_HOST),
        (alert(service="a", node="w1"), alert("NodeDown", node="w1"), ReasonCode.SAME_HOST),
        (alert(service="a", node="w1"), alert("NodeDown", node="w2"), None),
        (
            alert("NetworkUnreachable", namespace="x"),
            alert(service="a", namespace="x"),
            ReasonCode.SAME_NAMESPACE,
        ),
        (alert("QuotaLow", namespace="x"), alert(service="a", namespace="x"), None),
        (
            alert(service="a", namespace="x"),
            alert("QuotaLow", namespace="x"),
            ReasonCode.SAME_NAMESPACE,
        ),
        (alert(service="orders-db"), alert(service="orders"), ReasonCode.CALLS_CORE),
        (alert(service="orders-db"), alert(service="web"), ReasonCode.CALLS_CORE),
        (alert(service="orders"), alert(service="orders-db"), ReasonCode.CALLED_BY_CORE),
        (alert(service="orders-db"), alert("DiskFull", service="orders"), None),
        (alert("CertificateExpired", service="web"), alert(service="orders"), None),
        (
            alert(source_workload="a", destination_workload="b"),
            alert(service="b"),
            ReasonCode.SAME_SERVICE,
        ),
        (
            alert(service="a"),
            alert("UpstreamErrors", service="a", peer_service="b"),
            ReasonCode.CALLED_BY_CORE,
        ),
        (
            alert(group_key=BY_NAME, shard="1"),
            alert(group_key=BY_NAME, shard="2"),
            ReasonCode.SAME_GROUP,
        ),
        (
            alert(group_key=BY_NAME, service="a"),
            alert(group_key=BY_NAME, service="b"),
            None,
        ),
        (alert(group_key="{}:{}", shard="1"), alert(group_key="{}:{}", shard="2"), None),
        (
            alert("KubePodCrashLooping", pod="cart-7d9f8c6b5d-x2k4p", job="kube-state-metrics"),
            alert("HighErrorRate", service="cart"),
            ReasonCode.SAME_SERVICE,
        ),
    ],
)
def test_a_second_alert_joins_by_its_rule(
    first: Alert, second: Alert, code: ReasonCode | None
) -> None:
    made = grouper(SHOP)
    one = made.place(first, at(0))
    two = made.place(second, at(10))
    assert one.is_new
    assert one.reason.code is ReasonCode.NEW
    assert two.reason.code is (code or ReasonCode.NEW)
    assert (two.incident_id == one.incident_id) is (code is not None)


def test_the_deeper_service_becomes_what_the_incident_is_about() -> None:
    made = grouper(SHOP)
    for k, service in enumerate(("web", "orders", "orders-db")):
        made.place(alert(service=service), at(k))
    (state,) = made.incidents()
    assert (state.core, state.services) == ("orders-db", ("orders", "orders-db", "web"))


def test_trouble_of_its_own_keeps_an_incident_where_it_is() -> None:
    made = grouper(SHOP)
    made.place(alert("OOMKilled", service="orders"), at(0))
    made.place(alert("DiskFull", service="orders-db"), at(1))
    assert [s.core for s in made.incidents()] == ["orders", "orders-db"]


def test_a_node_explains_the_service_that_complained_first() -> None:
    made = grouper()
    made.place(alert(service="a", node="w1"), at(0))
    made.place(alert("NodeDown", node="w1"), at(1))
    made.place(alert("PodUnreachable", service="b", node="w1"), at(2))
    (state,) = made.incidents()
    assert (state.core_kind, state.core, state.services) == (CoreKind.HOST, "w1", ("a", "b"))


def test_a_common_caller_chains_nothing() -> None:
    for order in permutations(("web", "orders-db", "catalog-db", "orders", "catalog")):
        made = grouper(SHOP)
        found = {s: made.place(alert(service=s), at(k)).incident_id for k, s in enumerate(order)}
        assert found["orders-db"] != found["catalog-db"], order


def test_the_nearer_of_two_incidents_is_taken() -> None:
    made = grouper((("a", "b"), ("b", "c"), ("a", "d")))
    made.place(alert("DiskFull", service="d"), at(0))
    made.place(alert("DiskFull", service="c"), at(1))
    assert made.incident(made.place(alert(service="a"), at(2)).incident_id).core == "d"


def test_five_faults_of_one_connected_system_stay_five() -> None:
    edges = [("gate", f"s{k}") for k in range(5)] + [(f"s{k}", f"db{k}") for k in range(5)]
    made = grouper(edges)
    for k in range(5):
        made.place(alert("DiskFull", service=f"db{k}"), at(k))
    for k in range(5):
        made.place(alert(service=f"s{k}"), at(5 + k))
    made.place(alert(service="gate"), at(11))
    assert [s.core for s in made.incidents()] == [f"db{k}" for k in range(5)]


@pytest.mark.parametrize(("seconds", "same"), [(299, True), (301, False)])
def test_a_place_is_shared_within_the_group_window(seconds: float, same: bool) -> None:  # noqa: FBT001
    made = grouper()
    one = made.place(alert(service="a"), at(0))
    two = made.place(alert("HighErrorRate", service="a"), at(seconds))
    assert (one.incident_id == two.incident_id) is same


def test_a_duplicate_changes_nothing_but_its_count() -> None:
    made = grouper()
    made.place(alert(service="a"), at(0))
    before = made.incidents()
    again = made.place(alert(service="a"), at(1))
    assert again.is_duplicate
    assert again.reason.code is ReasonCode.SAME_ALERT
    assert made.incidents() == before
    assert made.alert(again.fingerprint).times == 2


def test_an_incident_is_resolved_when_all_its_alerts_are() -> None:
    made = grouper()
    for name in ("A", "B"):
        made.place(alert(name, service="a"), at(0))
    made.place(alert("A", service="a", resolved=True), at(10))
    assert made.incident("i1").status is AlertStatus.FIRING
    made.place(alert("B", service="a", resolved=True), at(20))
    state = made.incident("i1")
    assert (state.status, state.resolved_at, state.firing_count) == ("resolved", at(20), 0)


@pytest.mark.parametrize(("minutes", "same"), [(29, True), (31, False)])
def test_what_fires_again_within_the_flap_window_is_reopened(minutes: int, same: bool) -> None:  # noqa: FBT001
    made = grouper()
    made.place(alert(service="a", starts_at=at(0)), at(0))
    made.place(alert(service="a", starts_at=at(0), ends_at=at(60), resolved=True), at(60))
    later = at(60 + minutes * 60)
    again = made.place(alert(service="a", starts_at=later), later)
    assert again.reopened is same
    assert again.event is (AlertEvent.REOPENED if same else AlertEvent.FIRED)
    assert again.is_new is not same
    assert made.incident("i1").reopened == int(same)


def test_what_comes_and_goes_is_one_flapping_incident() -> None:
    made = grouper(flap_toggles=4)
    for k in range(6):
        resolved = k % 2 == 1
        times = {"starts_at": at(k // 2 * 120), "ends_at": at(k * 60) if resolved else None}
        made.place(alert(service="a", resolved=resolved, **times), at(k * 60))
    (state,) = made.incidents()
    assert (state.reopened, state.is_flapping, state.alert_count) == (2, True, 1)


def test_a_resolved_that_overtook_its_firing_stays_resolved() -> None:
    made = grouper()
    first = made.place(alert(service="a", starts_at=at(0), ends_at=at(5), resolved=True), at(6))
    late = made.place(alert(service="a", starts_at=at(0)), at(8))
    assert (first.event, late.event) == (AlertEvent.RESOLVED_UNSEEN, AlertEvent.OUTDATED)
    assert late.is_duplicate
    assert made.incident("i1").status is AlertStatus.RESOLVED


def test_a_firing_with_its_old_start_is_believed_once_it_cannot_be_late() -> None:
    made = grouper()
    made.place(alert(service="a", starts_at=at(0)), at(0))
    made.place(alert(service="a", starts_at=at(0), ends_at=at(60), resolved=True), at(60))
    assert made.place(alert(service="a", starts_at=at(0)), at(90)).event is AlertEvent.OUTDATED
    assert made.place(alert(service="a", starts_at=at(0)), at(500)).event is AlertEvent.REOPENED


def test_an_old_resolved_does_not_end_a_newer_firing() -> None:
    made = grouper()
    made.place(alert(service="a", starts_at=at(100)), at(101))
    late = made.place(alert(service="a", starts_at=at(0), ends_at=at(50), resolved=True), at(102))
    assert late.event is AlertEvent.OUTDATED
    assert made.incident("i1").status is AlertStatus.FIRING


def test_a_start_in_the_future_is_taken_as_received() -> None:
    made = grouper()
    placed = made.place(alert(service="a", starts_at=at(86400)), at(0))
    assert placed.notes == ("starts_in_future",)
    assert made.incident("i1").started_at == at(0)


def test_an_alert_without_labels_has_an_incident_of_its_own() -> None:
    made = grouper()
    placed = made.place(Alert(), at(0))
    assert (placed.is_new, placed.notes) == (True, ("no_labels",))


def test_what_is_over_is_let_go() -> None:
    made = grouper()
    made.place(alert("A", service="a"), at(0))
    made.place(alert("B", service="b"), at(0))
    made.place(alert("A", service="a", resolved=True), at(60))
    assert made.expire(at(1000)) == ()
    assert [s.incident_id for s in made.expire(at(60 + 1800))] == ["i1"]
    (silent,) = made.expire(at(86400))
    assert (silent.incident_id, silent.status, len(made)) == ("i2", AlertStatus.RESOLVED, 0)
    assert made.place(alert("A", service="a"), at(86401)).is_new


_SERVICES = st.sampled_from(["web", "orders", "orders-db", "catalog", "catalog-db", "mail"])
_NAMES = st.sampled_from(["HighLatency", "DiskFull", "NodeDown", "Watchdog", "HighErrorRate"])


def drawn(name: str, service: str, node: str, *, resolved: bool, keyed: bool) -> Alert:
    labels = {k: v for k, v in (("service", service), ("node", node)) if v}
    key = f'{{}}:{{alertname="{name}"}}' if keyed else ""
    return alert(name, resolved=resolved, group_key=key, **labels)


_ALERTS = st.builds(
    drawn,
    _NAMES,
    st.just("") | _SERVICES,
    st.sampled_from(["", "w1", "w2"]),
    resolved=st.booleans(),
    keyed=st.booleans(),
)
_STREAMS = st.lists(st.tuples(_ALERTS, st.integers(0, 200)), max_size=25)


@settings(max_examples=60, deadline=None)
@given(_STREAMS, st.integers(0, 25))
def test_a_restored_grouper_goes_on_as_the_one_that_was_stored(
    stream: list[tuple[Alert, int]], cut: int
) -> None:
    made, seconds = grouper(SHOP), 0
    other = None
    for k, (one, step) in enumerate(stream):
        seconds += step
        if k == cut:
            stored = made.snapshot().model_dump_json()
            other = grouper(SHOP, first=len(made) + 1)
            other.restore(GrouperSnapshot.model_validate_json(stored))
            assert other.snapshot() == made.snapshot()
        placed = made.place(one, at(seconds))
        assert other is None or other.place(one, at(seconds)) == placed
    assert other is None or other.snapshot() == made.snapshot()


@settings(max_examples=60, deadline=None)
@given(_STREAMS)
def test_duplicates_change_no_incident(stream: list[tuple[Alert, int]]) -> None:
    once, twice, seconds = grouper(SHOP), grouper(SHOP), 0
    for one, step in stream:
        seconds += step
        once.place(one, at(seconds))
        twice.place(one, at(seconds))
        assert twice.place(one, at(seconds)).is_duplicate
    assert once.incidents() == twice.incidents()


@given(st.permutations(["a", "b", "c"] * 3), st.integers(0, 30))
def test_the_order_of_arrival_within_the_window_makes_no_other_groups(
    order: list[str], gap: int
) -> None:
    """Of alerts that tell a service alone; along calls the first ones may come apart."""
    made, found = grouper(), defaultdict[str, set[str]](set)
    for k, service in enumerate(order):
        placed = made.place(alert(f"A{k}", service=service), at(k * gap))
        found[service].add(placed.incident_id)
    assert sorted(map(len, found.values())) == [1, 1, 1]
    assert len(made.incidents()) == 3


@given(st.permutations(["web", "orders", "orders-db"]))
def test_a_chain_of_calls_is_one_incident_in_any_order(order: list[str]) -> None:
    made = grouper(SHOP)
    for k, service in enumerate(order):
        made.place(alert(service=service), at(k))
    (state,) = made.incidents()
    assert state.core == "orders-db"


def test_a_new_call_graph_counts_from_then_on() -> None:
    made = grouper()
    made.place(alert(service="orders-db"), at(0))
    assert made.place(alert(service="orders"), at(1)).is_new
    made.set_edges(SHOP)
    assert made.place(alert(service="web"), at(2)).reason.code is ReasonCode.CALLS_CORE
    assert made.config.group_window == timedelta(minutes=5)
