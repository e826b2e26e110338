"""Who calls whom and how often, read out of recorded spans."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from superbizagent.analysis._visits import Visits
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.spans import SpanSet

__all__ = ["CallGraph", "call_graph", "merged", "topology_of_spans"]


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Calls between entities and requests to them."""

    callees: Mapping[str, tuple[str, ...]]
    """Entity paths by the path of their caller, sorted."""
    calls: Mapping[tuple[str, str], int]
    """How often, over all windows."""
    requests: Mapping[str, tuple[int, int]]
    """Visits of each entity in the baseline and in the incident."""


def call_graph(visits: Visits) -> CallGraph:
    """Return the calls between entities."""
    called = np.flatnonzero(visits.caller >= 0)
    silent = np.flatnonzero(visits.peer >= 0)
    caller = np.concatenate([visits.node[visits.caller[called]], visits.node[silent]])
    callee = np.concatenate([visits.node[called], visits.peer[silent]])
    n = max(1, len(visits.nodes))
    keys, counts = np.unique(caller * n + callee, return_counts=True)
    calls: dict[tuple[str, str], int] = {}
    callees: dict[str, tuple[str, ...]] = {}
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        a, b = key // n, key % n
        if visits.is_entity(a) and visits.is_entity(b):
            edge = (visits.nodes[a], visits.nodes[b])
            calls[edge] = count
            callees[edge[0]] = (*callees.get(edge[0], ()), edge[1])
    entry, requests = visits.entries, dict[str, tuple[int, int]]()
    windows = [
        np.bincount(visits.node[entry[visits.window[entry] == w]], minlength=n).tolist()
        for w in (0, 1)
    ]
    for k, name in enumerate(visits.nodes):
        if visits.is_entity(k) and windows[0][k] + windows[1][k]:
            requests[name] = (windows[0][k], windows[1][k])
    return CallGraph(callees, calls, requests)


def topology_of_spans(spans: SpanSet) -> Topology:
    """Return who calls whom, by the names that the spans bear."""
    inside = np.flatnonzero(spans.parent >= 0)
    pairs = {
        (spans.services[a], spans.services[b])
        for a, b in set(
            zip(
                spans.service[spans.parent[inside]].tolist(),
                spans.service[inside].tolist(),
                strict=True,
            )
        )
        if a != b
    }
    silent = np.flatnonzero(spans.peer >= 0)
    named = zip(spans.service[silent].tolist(), spans.peer[silent].tolist(), strict=True)
    pairs |= {(spans.services[a], spans.peers[b]) for a, b in set(named)}
    ordered = sorted(p for p in pairs if p[0] != p[1] and all(p))
    return Topology(edges=tuple(Edge(caller=a, callee=b) for a, b in ordered))


def merged(given: Topology, seen: Topology) -> Topology:
    """Return a given topology with the calls that were seen besides."""
    known = {(e.caller, e.callee) for e in given.edges}
    more = tuple(e for e in seen.edges if (e.caller, e.callee) not in known)
    return Topology(nodes=given.nodes, edges=(*given.edges, *more)) if more else given
