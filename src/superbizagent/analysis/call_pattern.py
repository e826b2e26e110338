"""What follows a call: events that requests show at a service more or less often than they did.

A visit's events are its inner operations, its calls, its errors and the kinds of log records that
it wrote. The share of visits with an event is compared among visits by the same operation, so that
a change of traffic is no change of pattern.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._visit_events import VisitEvents

__all__ = ["Pattern", "pattern_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

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
    size: Floats
    """How far the share moved, beyond chance; 0 where there are too few visits."""


def pattern_of(events: VisitEvents) -> Pattern:
    """Compare the shares of every event in every group."""
    n = events.visits_by_group
    cells = events.group[events.visit] * len(events.names) + events.event
    keys, cell = np.unique(cells, return_inverse=True)
    group, event = keys // max(1, len(events.names)), keys % max(1, len(events.names))
    window = events.window[events.visit]
    k = np.stack([np.bincount(cell[window == w], minlength=len(keys)) for w in (0, 1)])
    n1, n2 = n[0, group].astype(np.float64), n[1, group].astype(np.float64)
    p, q = (k[0] + 0.5) / (n1 + 1.0), (k[1] + 0.5) / (n2 + 1.0)
    pooled = (k[0] + k[1] + 0.5) / (n1 + n2 + 1.0)
    enough = (n1 >= _BEFORE) & (n2 >= _DURING)
    chance = np.sqrt(
        pooled * (1.0 - pooled) * (1.0 / np.maximum(n1, 1.0) + 1.0 / np.maximum(n2, 1.0))
    )
    gap = np.abs(q - p)
    weight = events.weight[event] * np.where(
        events.is_error[event] & (q > p), _RISING_ERROR, 1.0
    )
    size = np.where(enough, weight * np.sqrt(gap) * np.log1p(gap / chance), 0.0)
    return Pattern(
        group, event, k[0] / np.maximum(n1, 1.0), k[1] / np.maximum(n2, 1.0), size
    )
