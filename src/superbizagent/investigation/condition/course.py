"""When an expression was true: the spans in which it has a series, of those the alert is about."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.source import RuleQuery
from superbizagent.domain.window import Window, from_ms, to_ms

__all__ = ["COMPARES", "Run", "fired_run", "grid_step_ms", "rows_of_alert", "run_above"]

_DIP = timedelta(minutes=1)
"""Servers evaluate rules once a minute unless told otherwise: a shorter dip they may not see."""

COMPARES: Mapping[str, Callable[[float, float], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True, slots=True)
class Run:
    """A span in which it was true without a break."""

    start_ms: int
    end_ms: int
    row: int
    """Series that was true at its start."""

    @property
    def window(self) -> Window:
        """From its first true instant to its last."""
        return Window(start=from_ms(self.start_ms), end=from_ms(self.end_ms))


def grid_step_ms(query: RuleQuery) -> int:
    """Return the distance of the instants of an evaluation."""
    return max(round(query.step / timedelta(milliseconds=1)), 1)


def rows_of_alert(found: SeriesSet, query: RuleQuery) -> list[int]:
    """Return which series an alert is about: all of its labels are the alert's, or else all."""
    own = [k for k, labels in enumerate(found.labels) if _is_about(labels, query.alert_labels)]
    return own or list(range(len(found)))


def _is_about(labels: Labels, alert: Mapping[str, str]) -> bool:
    # A label that the rule itself sets hides what the series says.
    return all(alert.get(k, v) == v for k, v in labels.items() if k != "__name__") and any(
        k in alert for k in labels if k != "__name__"
    )


def fired_run(found: SeriesSet, query: RuleQuery) -> Run | None:
    """Return the run of true instants in which the alert fired, None when it was never true.

    Without the time at which it fired that is the last one.
    """
    rows = rows_of_alert(found, query)
    return _chosen(list(_runs(found, rows, query, _DIP)), query.fired_at and to_ms(query.fired_at))


def run_above(
    found: SeriesSet, query: RuleQuery, limit: float, before_ms: int | None = None
) -> Run | None:
    """Return the run in which a measured value was past a limit, as `fired_run` does.

    Args:
        found: values of the telling comparison's left side.
        query: what was asked.
        limit: of its right side.
        before_ms: when the whole expression began to be true.
    """
    past = COMPARES.get(query.operator)
    if past is None:
        return None
    rows = rows_of_alert(found, query)
    kept = SeriesSet.of(
        (s.labels, s.times[mask], s.values[mask])
        for s in (found[k] for k in rows)
        if (mask := np.array([past(float(v), limit) for v in s.values], np.bool_)).any()
    )
    names = [str(series) for series in found]
    runs = _runs(kept, range(len(kept)), query, max(_DIP, query.reach))
    placed = [Run(r.start_ms, r.end_ms, names.index(str(kept[r.row]))) for r in runs]
    return _chosen(placed, before_ms)


def _chosen(runs: list[Run], at_ms: int | None) -> Run | None:
    if not runs:
        return None
    begun = [run for run in runs if at_ms is None or run.start_ms <= at_ms]
    return begun[-1] if begun else runs[0]


def _runs(
    found: SeriesSet, rows: "range | list[int]", query: RuleQuery, dip: timedelta
) -> Iterator[Run]:
    """Yield the runs of all rows together, in the order of time."""
    owners = np.concatenate(
        [np.zeros(0, np.int64), *(np.full(len(found[k].times), k, np.int64) for k in rows)]
    )
    times = np.concatenate([np.zeros(0, np.int64), *(found[k].times for k in rows)])
    order = np.argsort(times, kind="stable")
    times, owners = times[order], owners[order]
    if not len(times):
        return
    widest = max(2 * grid_step_ms(query), round(dip / timedelta(milliseconds=1)))
    breaks = np.flatnonzero(np.diff(times) > widest)
    starts = [0, *(breaks + 1).tolist()]
    ends = [*breaks.tolist(), len(times) - 1]
    for first, last in zip(starts, ends, strict=True):
        yield Run(int(times[first]), int(times[last]), int(owners[first]))
