"""Where errors begin: visits that fail while none of the calls that they made did."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._visit_events import VisitEvents
from superbizagent.analysis._visits import Visits

__all__ = ["Origins", "origins_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BEFORE, _DURING = 3, 2  # visits of a node on either side


@dataclass(frozen=True, slots=True)
class Origins:
    """One row a node and an error (an event) that began there."""

    node: Ints
    event: Ints
    count: Ints
    """Visits in the incident."""
    expected: Floats
    """What the baseline leads one to expect of as many visits."""
    requests: Floats
    """Visits of the node in the baseline and in the incident, shape ``(2, rows)``."""
    size: Floats
    visit: Ints
    """Visits of the incident in which it began, with ``row`` their row here."""
    row: Ints


def origins_of(visits: Visits, events: VisitEvents) -> Origins:
    """Count where errors began, in the baseline and in the incident."""
    n, kinds = len(events.entry), max(1, len(events.names))
    failing = events.is_error[events.event] if len(events.names) else np.zeros(0, np.bool_)
    failed = np.zeros(n, np.bool_)
    failed[events.visit[failing]] = True
    visit, event = events.visit[failing], events.event[failing]
    node = events.node[visit]
    begins = ~_fails_below(visits, events, failed)[visit]
    node, blames = _silent_callee(visits, events, visit, node)
    begins |= blames
    visit, event, node = visit[begins], event[begins], node[begins]
    keys, row = np.unique(node * kinds + event, return_inverse=True)
    window = events.window[visit]
    count = np.stack([np.bincount(row[window == w], minlength=len(keys)) for w in (0, 1)])
    nodes = keys // kinds
    seen = _requests(visits, events)
    before, during = seen[0, nodes], seen[1, nodes]
    # What few visits lead one to expect of many is unsure by itself.
    growth = during / np.maximum(before, 1.0)
    expected = count[0] * growth
    likely = expected + 0.5 * growth
    spread = np.sqrt(likely * (1.0 + growth) + 1.0 + 0.1 * likely**2)
    surprise = (count[1] - likely) / spread
    enough = (before >= _BEFORE) & (during >= _DURING)
    size = np.where(enough, np.log1p(np.maximum(0.0, surprise)), 0.0)
    late = window == 1
    return Origins(
        nodes, keys % kinds, count[1], expected, seen[:, nodes], size, visit[late], row[late]
    )


def _fails_below(
    visits: Visits, events: VisitEvents, failed: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell for each visit whether a visit that it called failed."""
    below = np.zeros(len(failed), np.bool_)
    bad = np.flatnonzero(failed & (visits.caller[events.entry] >= 0))
    below[events.of_span[visits.caller[events.entry[bad]]]] = True
    return below


def _silent_callee(
    visits: Visits, events: VisitEvents, visit: Ints, node: Ints
) -> tuple[Ints, NDArray[np.bool_]]:
    """Put a failed call of something that records no spans down to it."""
    calls = np.flatnonzero((visits.peer >= 0) & (visits.spans.error >= 0))
    blamed = np.full(len(events.entry), -1, np.int64)
    blamed[events.of_span[calls][::-1]] = visits.peer[calls][::-1]
    there = blamed[visit] >= 0
    return np.where(there, blamed[visit], node), there


def _requests(visits: Visits, events: VisitEvents) -> Floats:
    """Return how many visits each node had in the baseline and in the incident.

    Of what records no spans, the calls of it.
    """
    n = len(visits.nodes)
    calls = np.flatnonzero(visits.peer >= 0)
    return np.stack(
        [
            np.bincount(events.node[events.window == w], minlength=n)
            + np.bincount(visits.peer[calls][visits.window[calls] == w], minlength=n)
            for w in (0, 1)
        ]
    ).astype(np.float64)
