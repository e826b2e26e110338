"""Incidents that only feel a trouble are merged into its own, whatever came first."""

from itertools import permutations

from alert_streams import alert, at, grouper
from superbizagent.domain.alert import Alert
from superbizagent.domain.grouping import ReasonCode, Regrouping

EDGES = [("web", "orders"), ("orders", "db"), ("orders", "tax")]


def _alerts() -> list[Alert]:
    return [
        alert("HighLatency", service="web", fingerprint="w"),
        alert("HighErrorRate", service="orders", fingerprint="o"),
        alert("DatabaseDeadlock", service="db", fingerprint="d"),
        alert("CertificateExpired", service="apart", fingerprint="a"),
    ]


def test_a_caller_that_complained_first_is_merged_into_the_cause() -> None:
    found = grouper(EDGES)
    caller = found.place(_alerts()[0], at(0)).incident_id
    cause = found.place(alert("KubePodCrashLooping", service="orders"), at(5)).incident_id
    if caller != cause:
        done = found.regroup(at(6))
        assert done.merged == {caller: cause}
        assert [m.reason.code for m in done.moves] == [ReasonCode.EXPLAINED]
    assert found.alert("w").incident_id == cause
    assert found.regroup(at(7)) == Regrouping()
    kept = grouper(EDGES)
    kept.restore(found.snapshot())
    assert kept.snapshot() == found.snapshot()
    assert kept.regroup(at(7)) == Regrouping()


def test_what_was_diagnosed_or_is_old_stays() -> None:
    for when, keep in ((at(6), {"i1"}), (at(301), ())):
        found = grouper(EDGES)
        found.place(_alerts()[0], at(0))
        found.place(alert("KubePodCrashLooping", service="orders"), at(5))
        assert found.regroup(when, keep) == Regrouping()


def test_order_does_not_matter() -> None:
    seen: set[frozenset[frozenset[str]]] = set()
    for order in permutations(_alerts()):
        found = grouper(EDGES)
        for k, one in enumerate(order):
            found.place(one, at(k))
        found.regroup(at(9))
        groups: dict[str, set[str]] = {}
        for fingerprint in "woda":
            groups.setdefault(found.alert(fingerprint).incident_id, set()).add(fingerprint)
        seen.add(frozenset(frozenset(g) for g in groups.values()))
    assert seen == {frozenset({frozenset("wod"), frozenset("a")})}
