"""Made storms: what they hold, how they are grouped, and what they would cost."""

import json

import pytest

from benchmarks.grouping import pairwise, score
from benchmarks.storm_alerts import make_storm
from benchmarks.storm_faults import SHAPES

COUNT = 2500


def test_a_storm_holds_five_faults_and_the_rest() -> None:
    storm = make_storm(1, "mixed", count=COUNT)
    alerts = [json.loads(one.body)["alerts"] for one in storm.deliveries]
    assert len(alerts) == COUNT == len(storm.truth)
    assert {len(some) for some in alerts} == {1}
    names = {a[0]["labels"]["alertname"] for a in alerts}
    assert names >= {"Watchdog", "KubeNodeNotReady", "CertificateExpired", "HighLatency"}
    assert {a[0]["status"] for a in alerts} == {"firing", "resolved"}
    assert {fault.name for fault in storm.faults} <= set(storm.truth)
    assert "" in storm.truth
    span = storm.deliveries[-1].received_at - storm.deliveries[0].received_at
    assert 50 < span.total_seconds() < 65
    reached = {storm.system.gateway, *storm.system.callees(storm.system.gateway, 9)}
    assert reached == set(storm.system.services)


def test_a_seed_gives_the_same_storm() -> None:
    one, same, other = (make_storm(seed, "edge", count=COUNT) for seed in (3, 3, 4))
    assert one.deliveries == same.deliveries
    assert one.deliveries != other.deliveries


@pytest.mark.parametrize("shape", SHAPES)
def test_a_storm_is_taken_apart_and_costs_no_more_than_it_may(shape: str) -> None:
    found = score(make_storm(7, shape, count=COUNT), topology=True)
    assert found.sessions <= 8
    assert found.precision > 0.6
    assert found.f1 > 0.5
    assert found.reached >= 4
    blind = score(make_storm(7, shape, count=COUNT), topology=False)
    assert blind.precision > 0.85
    assert blind.recall < found.recall  # the call graph is worth something


def test_pairs_are_counted() -> None:
    assert pairwise("aabb", "xxyy") == (1.0, 1.0, 1.0)
    assert pairwise("aabb", "xxxx") == (2 / 6, 1.0, 0.5)
    assert pairwise("aaa", "xyz") == (1.0, 0.0, 0.0)
