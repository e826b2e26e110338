"""What travels from callees to callers, and which node explains an alert."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import numpy as np
import pytest

from analysis_builders import START, System, entity_of
from superbizagent.analysis.alert_channel import AlertFocus, AlertScore, alert_scores
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.flow import callees_of, flows, passed_on, requests_of
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms

STEP = timedelta(seconds=15)


def _call(system: System) -> MetricCall:
    return MetricCall(1, system.series, measure(system.series, system.windows, STEP))


def _graph(*edges: tuple[str, str]) -> Topology:
    return Topology(edges=tuple(Edge(caller=a, callee=b) for a, b in edges))


def test_latencies_are_compared_in_seconds_whatever_their_unit() -> None:
    system = System()
    slow = np.where(system.faulty, 1.0, 0.0)
    system.gauge("a", "latency_seconds_average", 0.1 + slow)
    system.gauge("b", "latency_average_ms", 100 + 1000 * slow)
    system.gauge("c", "latency_average_us", 1e5 + 1e6 * slow)
    call = _call(system)
    changes = [f.change(call.deviations) for f in flows((call,), entity_of, "lat").values()]
    assert changes == pytest.approx([changes[0]] * 3)


def test_averages_stand_for_a_service_before_percentiles() -> None:
    system = System()
    slow = np.where(system.faulty, 1.0, 0.0)
    system.gauge("a", "latency_p99", 0.1 + 9 * slow)
    system.gauge("a", "latency_average", 0.1 + slow)
    system.gauge("", "latency_average", 0.1 + slow)
    system.gauge("b", "latency_p99", 0.1 + slow)
    system.gauge("b", "latency_p50", 0.1 + 2 * slow)
    call = _call(system)
    names = {
        e: call.series.labels[f.row]["__name__"]
        for e, f in flows((call,), entity_of, "lat").items()
    }
    assert names == {"//service/a": "latency_average", "//service/b": "latency_p50"}


def test_a_fall_of_availability_is_a_rise_of_trouble() -> None:
    system = System()
    system.gauge("a", "availability_average", 100 - np.where(system.faulty, 5.0, 0.0))
    call = _call(system)
    assert flows((call,), entity_of, "err")["//service/a"].change(call.deviations) > 0


def test_requests_are_the_busiest_traffic_series_of_an_entity() -> None:
    system = System()
    for name, rate in (("requests_rate", 5.0), ("calls_rate", 50.0)):
        system.gauge("a", name, np.full(len(system.seconds), rate))
    system.gauge("", "requests_rate", np.full(len(system.seconds), 9.0))
    assert requests_of((_call(system),), entity_of) == {"//service/a": 50.0}


def test_callees_are_paths_and_nobody_calls_itself() -> None:
    found = callees_of(_graph(("a", "c"), ("a", "b"), ("a", "a"), ("", "b")), entity_of)
    assert found == {"//service/a": ("//service/b", "//service/c")}


@pytest.mark.parametrize(
    ("changes", "requests", "share"),
    [
        ({"a": 1.0, "b": 1.0}, None, 1.0),
        ({"a": 1.0, "b": 0.5}, None, 0.5),
        ({"a": 1.0, "b": 0.2}, None, 0.1),
        ({"a": 1.0, "b": -1.0}, None, 0.0),
        ({"a": 1.0}, None, 0.0),
        ({"a": 1.0, "b": 0.2}, {"a": 10, "b": 20}, 0.4),
        ({"a": 1.0, "b": 0.2}, {"a": 10, "b": 900}, 0.6),
        ({"a": 1.0, "b": 0.5}, {"a": 10, "b": 1}, 0.5),
        ({"a": 1.0, "b": 0.5}, {"a": 0, "b": 1}, 0.5),
    ],
)
def test_a_callees_change_explains_its_callers_up_to_its_size(
    changes: dict[str, float], requests: dict[str, float] | None, share: float
) -> None:
    assert passed_on(changes, {"a": ("b",)}, requests)["a"] == pytest.approx(share)


def test_what_did_not_get_worse_needs_no_explanation() -> None:
    assert passed_on({"a": 0.0, "b": 1.0}, {"a": ("b",)}) == {"b": 0.0}


DAY = 86_400


def _another_day(nodes: Mapping[str, Sequence[float]]) -> tuple[MetricCall, AlertFocus]:
    """Five-minute samples: a normal day long ago, then five around the alert."""
    normal = START + 300_000 * np.arange(100)
    recent = START + 1000 * DAY * 30 + 300_000 * np.arange(5)
    random = np.random.default_rng(2)
    series = SeriesSet.of(
        (
            {"__name__": "latency_average", "service": name},
            np.concatenate([normal, recent]),
            np.concatenate([0.1 + random.normal(0, 0.002, 100), np.array(values)]),
        )
        for name, values in nodes.items()
    )
    windows = Windows(
        incident=Window(start=from_ms(int(recent[0])), end=from_ms(int(recent[-1]))),
        baselines=(Window(start=from_ms(int(normal[0])), end=from_ms(int(normal[-1]))),),
    )
    call = MetricCall(1, series, measure(series, windows, timedelta(seconds=300)))
    focus = AlertFocus(entry="//service/front", family="lat", at=from_ms(int(recent[2]) + 60_000))
    return call, focus


GRAPH = _graph(("front", "cart"), ("front", "old"))


def _scores(nodes: Mapping[str, Sequence[float]]) -> dict[str, AlertScore]:
    call, focus = _another_day(nodes)
    return alert_scores((call,), GRAPH, entity_of, focus)


def test_what_was_so_before_the_alert_already_does_not_explain_it() -> None:
    found = _scores(
        {
            "front": [0.1, 0.1, 0.4, 0.4, 0.4],
            "cart": [0.1, 0.1, 0.38, 0.4, 0.4],
            "old": [0.9, 0.9, 0.9, 0.9, 0.9],
        }
    )
    assert max(found, key=lambda e: found[e].score) == "//service/cart"
    assert found["//service/old"].score == 0
    assert found["//service/front"].passed_on > 0.9


def test_what_was_worse_before_the_alert_got_better() -> None:
    found = _scores(
        {
            "front": [0.1, 0.1, 0.4, 0.4, 0.4],
            "cart": [0.1, 0.1, 0.38, 0.4, 0.4],
            "old": [0.9, 0.9, 0.5, 0.5, 0.5],
        }
    )
    assert found["//service/old"].score == 0


def test_an_entry_that_did_not_move_leaves_the_share_open() -> None:
    found = _scores(
        {
            "front": [0.1, 0.1, 0.1, 0.1, 0.1],
            "cart": [0.1, 0.1, 0.3, 0.3, 0.3],
            "old": [0.1, 0.1, 0.1, 0.1, 0.1],
        }
    )
    assert found["//service/cart"].score > 2


def test_a_stub_of_a_peer_counts_half() -> None:
    nodes = {
        "front": [0.1, 0.1, 0.4, 0.4, 0.4],
        "cart_remote": [0.1, 0.1, 0.3, 0.3, 0.3],
        "cart": [0.1, 0.1, 0.3, 0.3, 0.3],
        "old": [0.1, 0.1, 0.1, 0.1, 0.1],
    }
    found = _scores(nodes)
    ratio = found["//service/cart_remote"].score / found["//service/cart"].score
    assert ratio == pytest.approx(0.5, rel=0.1)


def test_an_alert_after_the_last_sample_finds_nothing() -> None:
    call, focus = _another_day({n: [0.1] * 5 for n in ("front", "cart", "old")})
    late = AlertFocus(entry=focus.entry, family="lat", at=focus.at + timedelta(days=1))
    assert {s.score for s in alert_scores((call,), GRAPH, entity_of, late).values()} == {0.0}


def test_between_two_samples_the_next_one_is_asked() -> None:
    call, focus = _another_day(
        {
            "front": [0.1, 0.1, 0.1, 0.1, 0.4],
            "cart": [0.1, 0.1, 0.1, 0.1, 0.4],
            "old": [0.1] * 5,
        }
    )
    quick = MetricCall(1, call.series, measure(call.series, call.deviations.windows, STEP))
    between = AlertFocus(entry=focus.entry, family="lat", at=focus.at + timedelta(seconds=300))
    found = alert_scores((quick,), GRAPH, entity_of, between)
    assert found["//service/cart"].score > 2


def test_two_nodes_are_no_chain() -> None:
    assert _scores({"front": [0.1, 0.1, 0.4, 0.4, 0.4], "cart": [0.1, 0.1, 0.4, 0.4, 0.4]}) == {}
