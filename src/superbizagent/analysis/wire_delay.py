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

_FEWEST = 2  # calls on either side: a median of fewer says nothing
_MOST = 30.0  # calls that count: beyond, a median gets no surer
_FLOOR = 500.0  # microseconds; less moves on any day
_LEVEL = 0.1
_SPARSE = 0.1
_EVEN = 1e-4
"""Splits evenly what cannot be told apart."""
_BOTH_WAYS = 0.01
"""A slow service is slow in calling and in answering alike; of equal ends the one that is fits."""


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
    return Wire(start, end, before.middle, during.middle, weight, size, delay, edge, rows, gaps)


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
    """Return the delay of every node: of what it sends to callees and of what it answers.

    Minimises ``sum w (size - out[caller] - in[callee])^2 + (s sum x)^2`` over ``x >= 0``, where
    ``x`` is ``out`` and ``in`` of all nodes.
    """
    if not bool((size * weight).any()):
        return np.zeros(nodes)
    most = float(weight.max())
    # Who has no lifted edge has no delay, so that a large system is a small problem.
    lifted = size * weight > 0
    ends = np.unique(np.concatenate([caller[lifted], callee[lifted] + nodes]))
    place = np.full(2 * nodes, -1, np.int64)
    place[ends] = np.arange(len(ends))
    matrix = np.full((len(ends), len(ends)), _SPARSE**2 * most)
    matrix[np.diag_indices(len(ends))] += _EVEN * most
    right = np.zeros(len(ends))
    a, b = place[caller], place[callee + nodes]
    for x in (a, b):
        np.add.at(right, x[x >= 0], (weight * size)[x >= 0])
        np.add.at(matrix, (x[x >= 0], x[x >= 0]), weight[x >= 0])
    # The other side of a node that has one, lifted or not, holds its delay back.
    calling, answering = (np.bincount(end, weight, nodes) > 0 for end in (caller, callee))
    sides = np.flatnonzero(calling & answering)
    a_side, b_side = place[sides], place[sides + nodes]
    for x in (a_side, b_side):
        np.add.at(matrix, (x[x >= 0], x[x >= 0]), _BOTH_WAYS * most)
    pair = (a_side >= 0) & (b_side >= 0)
    np.add.at(matrix, (a_side[pair], b_side[pair]), -_BOTH_WAYS * most)
    np.add.at(matrix, (b_side[pair], a_side[pair]), -_BOTH_WAYS * most)
    both = (a >= 0) & (b >= 0)
    np.add.at(matrix, (a[both], b[both]), weight[both])
    np.add.at(matrix, (b[both], a[both]), weight[both])
    delay = np.zeros(2 * nodes)
    delay[ends] = non_negative(matrix, right)
    return delay[:nodes] + delay[nodes:]
