"""Spans read as visits: a request enters a service, does things inside, calls others, leaves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.domain.spans import SpanKind, SpanSet
from superbizagent.domain.window import Windows

__all__ = ["Visits", "visits_of"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CALLING = (SpanKind.UNKNOWN, SpanKind.CLIENT, SpanKind.PRODUCER)


@dataclass(frozen=True, slots=True)
class Visits:
    """Who did each span, for which visit, and when; columns have one value a span."""

    spans: SpanSet
    nodes: tuple[str, ...]
    """Entity paths, and names in angle brackets of what stands for no entity; sorted."""
    node: Ints
    window: Ints
    """1: it began in the incident, 0: in a baseline, -1: in neither."""
    visit: Ints
    """Row of the span by which the request entered the service: it is the visit's own."""
    caller: Ints
    """Row of the span of *another* node that called this one, -1 for inner spans and roots."""
    peer: Ints
    """Node that a calling span named and that recorded no span for the call, else -1."""

    @property
    def entries(self) -> Ints:
        """Rows of the visits' own spans."""
        return np.flatnonzero(self.visit == np.arange(len(self.visit)))

    def is_entity(self, node: int) -> bool:
        """Tell whether a node stands for an entity."""
        return not self.nodes[node].startswith("<")


def visits_of(spans: SpanSet, windows: Windows, entity_of: EntityOf) -> Visits:
    """Return the visits; services of one entity are one node."""
    paths = [entity_of({"service": name}) or f"<{name}>" for name in spans.services]
    others = [entity_of({"service": name}) or f"<{name}>" for name in spans.peers]
    nodes = tuple(sorted({*paths, *others}))
    position = {name: k for k, name in enumerate(nodes)}
    node = np.array([position[p] for p in paths], np.int64)[spans.service]
    parent = spans.parent.astype(np.int64)
    inside = parent >= 0
    crosses = inside.copy()
    crosses[inside] = node[parent[inside]] != node[inside]
    return Visits(
        spans=spans,
        nodes=nodes,
        node=node,
        window=_windows(spans, windows),
        visit=_tops(np.where(inside & ~crosses, parent, np.arange(len(spans)))),
        caller=np.where(crosses, parent, -1),
        peer=_peers(spans, np.array([position[p] for p in others], np.int64), node, crosses),
    )


def _windows(spans: SpanSet, windows: Windows) -> Ints:
    # Windows are closed to the millisecond.
    ms = spans.start // 1000
    window = np.full(len(spans), -1, np.int64)
    for baseline in windows.baselines:
        window[(ms >= baseline.start_ms) & (ms <= baseline.end_ms)] = 0
    incident = windows.incident
    window[(ms >= incident.start_ms) & (ms <= incident.end_ms)] = 1
    return window


def _tops(above: Ints) -> Ints:
    """Return the topmost row over each row; a row that is its own ``above`` is a top."""
    while not np.array_equal(above, further := above[above]):
        above = further
    return above


def _peers(spans: SpanSet, nodes: Ints, node: Ints, crosses: Bools) -> Ints:
    peer = np.full(len(spans), -1, np.int64)
    named = (spans.peer >= 0) & np.isin(spans.kind, _CALLING)
    peer[named] = nodes[spans.peer[named]]
    # Who records spans is seen by them; and nobody calls themselves.
    peer[spans.parent[crosses]] = -1
    peer[peer == node] = -1
    return peer
