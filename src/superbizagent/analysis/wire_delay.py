"""Time that calls lose between caller and callee, put down to the services at their ends.

A service whose network or processor is slow lifts all the edges that it takes part in; each of its
neighbours has one lifted edge among many. So the delays of the edges are explained by as little
delay of services as possible.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._non_negative import non_negative
from superbizagent.analysis._visits import Visits
from superbizagent.analysis.quantiles import row_quantiles
from superbizagent.domain.spans import SpanKind

__all__ = ["Wire", "wire_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEWEST = 3  # calls on either side: a median of fewer says nothing
_MOST = 200.0  # calls that count: beyond, a median gets no surer
_FLOOR = 500.0  # microseconds; less moves on any day
_LEVEL = 0.1
_SPARSE = 0.1
_EVEN = 1e-4
"""Splits what cannot be told apart evenly: of one edge alone either end may be the slow one."""


@dataclass(frozen=True, slots=True)
class Wire:
    """Edges between nodes, and the delay of each node."""

    caller: Ints
    callee: Ints
    before: Floats
    """Median gap in the baseline, microseconds; NaN where there are too few calls."""
    during: Floats
    weight: Floats
    """Calls that the edge counts for; 0 where it says nothing."""
    size: Floats
    """``ln(1 + z)`` of the rise of the median."""
    delay: Floats
    """Of each node."""
    edge: Ints
    """Edge of each of ``rows``."""
    rows: Ints
    """Spans of the callee, or of the caller where the callee records none."""
    gaps: Floats
    """Of each of ``rows``, microseconds."""


def wire_of(visits: Visits) -> Wire:
    """Measure every edge and share its delay out to its ends."""
    rows, caller, callee, gaps = _calls(visits)
    keys, edge = np.unique(caller * len(visits.nodes) + callee, return_inverse=True)
    window = visits.window[rows]
    before, during = (_quantiles(edge, gaps, window == w, len(keys)) for w in (0, 1))
    enough = np.minimum(before.count, during.count) >= _FEWEST
    weight = np.where(enough, np.minimum(during.count, _MOST), 0.0)
    scale = np.maximum((before.high - before.low) / 1.349, _LEVEL * before.middle)
    rise = (during.middle - before.middle) / np.maximum(scale, _FLOOR)
    size = np.log1p(np.maximum(0.0, np.where(enough, rise, 0.0)))
    start, end = keys // max(1, len(visits.nodes)), keys % max(1, len(visits.nodes))
    delay = _shared_out(start, end, size, weight, len(visits.nodes))
    return Wire(
        start, end, before.middle, during.middle, weight, size, delay, edge, rows, gaps
    )


def _calls(visits: Visits) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the span, caller, callee and gap of every call."""
    spans = visits.spans
    # Whoever puts a message into a queue does not wait for it.
    own = np.flatnonzero((visits.caller >= 0) & (spans.kind != SpanKind.CONSUMER))
    above = visits.caller[own]
    gap = np.maximum(0, spans.duration[above] - spans.duration[own])
    silent = np.flatnonzero(visits.peer >= 0)
    return (
        np.concatenate([own, silent]),
        np.concatenate([visits.node[above], visits.node[silent]]),
        np.concatenate([visits.node[own], visits.peer[silent]]),
        np.concatenate([gap, spans.duration[silent]]).astype(np.float64),
    )


@dataclass(frozen=True, slots=True)
class _Quantiles:
    count: Ints
    low: Floats
    middle: Floats
    high: Floats


def _quantiles(edge: Ints, gaps: Floats, chosen: NDArray[np.bool_], edges: int) -> _Quantiles:
    order = np.argsort(edge[chosen], kind="stable")
    count = np.bincount(edge[chosen], minlength=edges)
    low, middle, high = row_quantiles(gaps[chosen][order], count, (0.25, 0.5, 0.75))
    return _Quantiles(count, low, middle, high)


def _shared_out(caller: Ints, callee: Ints, size: Floats, weight: Floats, nodes: int) -> Floats:
    """Return the delay of every node.

    Minimises ``sum w (size - x[caller] - x[callee])^2 + (s sum x)^2`` over ``x >= 0``.
    """
    if len(size) == 0 or not bool((size * weight).any()):
        return np.zeros(nodes)
    most = float(weight.max())
    # Nodes without a lifted edge have no delay, so that a large system is a small problem.
    lifted = np.unique(np.concatenate([end[size * weight > 0] for end in (caller, callee)]))
    place = np.full(nodes, -1, np.int64)
    place[lifted] = np.arange(len(lifted))
    matrix = np.full((len(lifted), len(lifted)), _SPARSE**2 * most)
    matrix[np.diag_indices(len(lifted))] += _EVEN * most
    right = np.zeros(len(lifted))
    a, b = place[caller], place[callee]
    for x in (a, b):
        np.add.at(right, x[x >= 0], (weight * size)[x >= 0])
        np.add.at(matrix, (x[x >= 0], x[x >= 0]), weight[x >= 0])
    both = (a >= 0) & (b >= 0)
    np.add.at(matrix, (a[both], b[both]), weight[both])
    np.add.at(matrix, (b[both], a[both]), weight[both])
    delay = np.zeros(nodes)
    delay[lifted] = non_negative(matrix, right)
    return delay
