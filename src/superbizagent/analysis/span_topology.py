"""Who calls whom and how often, read out of recorded spans."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    ends = zip((keys // n).tolist(), (keys % n).tolist(), counts.tolist(), strict=True)
    for a, b, count in ends:
        if visits.is_entity(a) and visits.is_entity(b):
            caller_path, callee_path = visits.nodes[int(a)], visits.nodes[int(b)]
            calls[caller_path, callee_path] = count
            callees[caller_path] = (*callees.get(caller_path, ()), callee_path)
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
    silent = np.flatnonzero(spans.peer >= 0)
    above, below = spans.service[spans.parent[inside]], spans.service[inside]
    pairs = {(spans.services[a], spans.services[b]) for a, b in _distinct(above, below)}
    named = _distinct(spans.service[silent], spans.peer[silent])
    pairs |= {(spans.services[a], spans.peers[b]) for a, b in named}
    ordered = sorted((a, b) for a, b in pairs if a and b and a != b)
    return Topology(edges=tuple(Edge(caller=a, callee=b) for a, b in ordered))


def _distinct(a: NDArray[np.int32], b: NDArray[np.int32]) -> list[tuple[int, int]]:
    pairs = np.unique(np.stack([a, b]), axis=1)
    return list(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True))


def merged(given: Topology, *seen: Topology) -> Topology:
    """Return a given topology with the calls that were seen besides."""
    known = dict.fromkeys(given.edges)
    edges = dict.fromkeys((*given.edges, *(e for item in seen for e in item.edges)))
    return given if len(edges) == len(known) else Topology(nodes=given.nodes, edges=tuple(edges))
