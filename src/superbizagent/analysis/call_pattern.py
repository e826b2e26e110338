"""What follows a call: events that requests show at a service more or less often than they did.

A visit's events are its inner operations, its calls, its errors and the kinds of log records that
it wrote. The share of visits with an event is compared among visits by the same operation, so that
a change of traffic is no change of pattern.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._visit_events import VisitEvents
from superbizagent.analysis.explained import EXPLAINED

__all__ = ["Pattern", "pattern_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_BEFORE, _DURING = 3, 2  # visits: fewer have no pattern
_RISING_ERROR = 2.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row a pair of group (node and entry operation) and event that any of its visits show."""

    group: Ints
    event: Ints
    before: Floats
    """Share of the group's visits in the baseline that show the event."""
    during: Floats
    visits: Floats
    """Visits that the shares are of, shape ``(2, pairs)``."""
    size: Floats
    """How far the share moved, beyond chance; 0 where there are too few visits."""


def pattern_of(events: VisitEvents) -> Pattern:
    """Compare the shares of every event in every group.

    Visits that failed in the baseline were not normal: what moved only when they are counted, or
    only when they are not, has got better or was so before. Of the two the smaller counts.
    """
    n = max(1, len(events.names))
    keys, cell = np.unique(events.group[events.visit] * n + events.event, return_inverse=True)
    group, event = keys // n, keys % n
    failed = np.zeros(len(events.entry), np.bool_)
    failed[events.visit[events.is_error[events.event]]] = True
    sound = ~failed
    every = _shares(events, cell, group, event, np.ones_like(failed))
    normal = _shares(events, cell, group, event, sound)
    error = events.is_error[event]
    rise = np.where(every.during > every.before, _RISING_ERROR * every.size, 0.0)
    own = normal.size - EXPLAINED * np.minimum(
        normal.size, _chosen(events, cell, group, event, normal)
    )
    size = events.weight[event] * np.where(error, rise, own)
    before = np.where(error, every.before, normal.before)
    during = np.where(error, every.during, normal.during)
    visits = np.where(error, every.visits, normal.visits)
    return Pattern(group, event, before, during, visits, size)


def _chosen(events: VisitEvents, cell: Ints, group: Ints, event: Ints, shares: "_Shares") -> Floats:
    """Return for each pair how far its group's visits are other ones than before.

    When a caller calls in other cases than it did, what follows at its callee follows from that.
    """
    called = events.leads_to[event]
    seen = events.window[events.visit] >= 0
    made = np.bincount(cell[seen], minlength=len(group))
    rows = np.flatnonzero(called >= 0)
    visits = np.bincount(events.group[events.window >= 0], minlength=len(events.group_node))
    part = np.minimum(1.0, made[rows] / np.maximum(visits[called[rows]], 1))
    moved = np.zeros(len(events.group_node))
    np.maximum.at(moved, called[rows], part * shares.size[rows])
    return moved[group]


@dataclass(frozen=True, slots=True)
class _Shares:
    before: Floats
    during: Floats
    visits: Floats
    size: Floats


def _shares(events: VisitEvents, cell: Ints, group: Ints, event: Ints, counted: Bools) -> _Shares:
    """Return for each pair of group and event its shares of the visits that are ``counted``.

    Of what visits wrote, those are counted whose request is in the logs.
    """
    k, n, r = (np.zeros((2, len(group))) for _ in range(3))
    for w in (0, 1):
        inside = (events.window == w) & counted
        k[w] = np.bincount(cell[inside[events.visit]], minlength=len(group))
        for of_log in (False, True):
            seen = inside & events.is_logged if of_log else inside
            rows = events.is_log[event] == of_log
            visits, requests = _totals(events, seen)
            n[w, rows], r[w, rows] = visits[group[rows]], requests[group[rows]]
    share = (k + 0.5) / (n + 1.0)
    gap = np.abs(share[1] - share[0])
    pooled = (k.sum(axis=0) + 0.5) / (n.sum(axis=0) + 1.0)
    # Visits of one request are no independent draws: requests count.
    chance = np.sqrt(pooled * (1.0 - pooled) * (1.0 / np.maximum(r, 1.0)).sum(axis=0))
    enough = (n[0] >= _BEFORE) & (n[1] >= _DURING)
    moved = np.maximum(0.0, gap / chance - 1.0)  # one standard error is no change
    size = np.where(enough, np.sqrt(gap) * np.log1p(moved), 0.0)
    before, during = k / np.maximum(n, 1.0)
    return _Shares(before, during, n, size)


def _totals(events: VisitEvents, seen: Bools) -> tuple[Ints, Ints]:
    """Return how many visits of each group are ``seen``, and of how many requests they are."""
    groups = len(events.group_node)
    pairs = np.unique(np.stack([events.group[seen], events.trace[seen]]), axis=1)
    return (
        np.bincount(events.group[seen], minlength=groups),
        np.bincount(pairs[0], minlength=groups),
    )
