"""Readings of single series: what each was before, in the incident, and since it hurts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence._series import StoredSeries
from superbizagent.analysis.claims.evidence.spans import (
    Counted,
    Levels,
    Spans,
    levels,
    stands,
    sums,
)
from superbizagent.analysis.families import Meaning
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.series import Labels, series_name
from superbizagent.domain.window import Window, from_ms

__all__ = ["Siblings", "readings_of_series", "siblings_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_UNTOLD = ("_bucket", "_created")
"""Nobody speaks of one bucket of a histogram, nor of when a counter was made."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """Sums of histograms with their counts, pair by pair."""

    sums: Ints
    counts: Ints


def siblings_of(stored: StoredSeries) -> Siblings:
    """Return which series counts the events whose time (or size) another one sums up."""
    calls: list[int] = stored.calls.tolist()
    codes = {key: k for k, key in enumerate(zip(calls, stored.names, strict=True))}
    pairs: list[tuple[int, int]] = []
    for code in np.flatnonzero(stored.modes == MODES.index("mean")).tolist():
        labels = stored.labels[code]
        name = labels["__name__"].removesuffix("_sum") + "_count"
        other = codes.get((calls[code], series_name(labels | {"__name__": name})))
        if other is not None:
            pairs.append((code, other))
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return Siblings(both[:, 0], both[:, 1])


def readings_of_series(
    stored: StoredSeries,
    spans: Sequence[Spans],
    rises: Sequence[Counted],
    siblings: Siblings,
) -> Iterator[Fact]:
    """Yield the readings of every series but the buckets of histograms, in call order.

    Args:
        stored: the series.
        spans: the periods.
        rises: what counters rose by, one a period.
        siblings: of the histograms.
    """
    told = [k for k, item in enumerate(stored.labels) if _is_told(item.get("__name__", ""))]
    tables = [
        _Table(stored, span, levels(stored, span), _overall(stored, rise, siblings), rise)
        for span, rise in zip(spans, rises, strict=True)
    ]
    for code in told:
        reader = _Reader(stored, code)
        for table in tables:
            yield from reader.of_period(table)
        yield from reader.course(tables[1].spans.windows[code])


def _is_told(name: str) -> bool:
    return not name.endswith(_UNTOLD)


_PER_INTERVAL = re.compile(
    r"(?:_|(?<=[a-z]))(?:sum|count)$|_per_(?:interval|period)$", re.IGNORECASE
)
_AMOUNTS = frozenset({"qps", "err", "other"})
"""Families of events: a count of connections is a level and adds up to nothing."""


def _adds_up(labels: Labels, meaning: Meaning) -> bool:
    """Tell a series whose samples each count one interval: ``requests_Sum`` of a vendor."""
    counts = _PER_INTERVAL.search(labels.get("__name__", "")) is not None
    return counts and not meaning.unit and meaning.family in _AMOUNTS


def _overall(stored: StoredSeries, rise: Counted, siblings: Siblings) -> Floats:
    """Return rates per second of counters and means per event of histograms over one period."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(rise.seconds > 0, rise.increase / rise.seconds, np.nan)
        events = rise.increase[siblings.counts]
        each = np.where(events > 0, rise.increase[siblings.sums] / events, np.nan)
    found[stored.modes == MODES.index("mean")] = np.nan
    found[siblings.sums] = each
    return found


class _Table:
    """Columns of one period as lists: a list gives plain numbers, and faster than an array."""

    def __init__(
        self,
        stored: StoredSeries,
        spans: Spans,
        found: Levels,
        overall: Floats,
        rise: Counted,
    ) -> None:
        self.spans = spans
        self.constant = (found.low == found.high).tolist()
        self.overall = overall.tolist()
        self.increase = rise.increase.tolist()
        self.mean = found.mean.tolist()
        stood = stands(stored, spans)
        self.stood: tuple[tuple[str, list[float]], ...] = (
            ("first", stood.first.tolist()),
            ("last", stood.last.tolist()),
        )
        self.sum = sums(stored, spans).tolist()
        self.last_at = found.last_at.tolist()
        self.statistics: tuple[tuple[str, list[float], list[int] | None], ...] = (
            ("mean", self.mean, None),
            ("median", found.median.tolist(), None),
            ("min", found.low.tolist(), found.low_at.tolist()),
            ("max", found.high.tolist(), found.high_at.tolist()),
        )
        if spans.name == "incident":
            self.statistics += (
                ("first", found.first.tolist(), found.first_at.tolist()),
                ("last", found.last.tolist(), self.last_at),
            )


class _Reader:
    """Writes the facts of one series."""

    def __init__(self, stored: StoredSeries, code: int) -> None:
        mode = MODES[int(stored.modes[code])]
        unit = stored.meanings[code].unit
        self.stored = stored
        self.code = code
        self.id = stored.place(code)
        self.prefix = "" if mode == "value" else f"{mode}_"
        self.counts = mode != "value"
        self.is_counter = mode == "rate"
        self.adds_up = mode == "value" and _adds_up(stored.labels[code], stored.meanings[code])
        self.raw_unit = unit
        self.unit = f"{unit}/s" if mode == "rate" else unit
        self.about: dict[str, Any] = {
            "entity": stored.entities[code],
            "name": stored.names[code],
            "place": f"series/{stored.rows[code]}",
        }

    def of_period(self, table: _Table) -> Iterator[Fact]:
        """Yield what the series was in one period, nothing where it has no sample there."""
        code, name = self.code, table.spans.name
        window = table.spans.windows[code]
        if window is None:
            return
        head = self.id if name == "incident" else f"{self.id}.{name}"
        if table.last_at[code] < 0:
            yield from self._increase(table, head, window)
            return
        if name != "since":
            yield from self._levels(table, head, window)
        elif not self.counts:
            yield self._fact(f"{head}.mean", "mean_since", table.mean[code], self.unit, window)
        if self.adds_up:
            yield self._fact(f"{head}.sum", "total", table.sum[code], self.raw_unit, window)
        if not self.counts:
            return
        if self.is_counter and name != "since":
            yield from self._stood(table, head, window)
        overall = table.overall[code]
        if overall == overall:  # noqa: PLR0124 - false for NaN
            statistic = f"{self.prefix}mean{'' if name == 'incident' else f'_{name}'}"
            end = "overall" if name != "since" else "mean"
            yield self._fact(f"{head}.{end}", statistic, overall, self.unit, window)
        yield from self._increase(table, head, window)

    def _increase(self, table: _Table, head: str, window: Window) -> Iterator[Fact]:
        increase = table.increase[self.code]
        if increase == increase:  # noqa: PLR0124 - false for NaN
            yield self._fact(f"{head}.increase", "increase", increase, self.raw_unit, window)

    def _levels(self, table: _Table, head: str, window: Window) -> Iterator[Fact]:
        code, prefix = self.code, self.prefix
        if table.constant[code]:
            value = table.mean[code]
            yield self._fact(f"{head}.constant", f"{prefix}constant", value, self.unit, window)
            return
        for statistic, values, at in table.statistics:
            when = {} if at is None else {"at": from_ms(at[code])}
            value = values[code]
            yield self._fact(
                f"{head}.{statistic}", prefix + statistic, value, self.unit, window, **when
            )

    def _stood(self, table: _Table, head: str, window: Window) -> Iterator[Fact]:
        """What the counter itself showed: it "went from 28 to 38"."""
        for end, values in table.stood:
            value = values[self.code]
            if value == value:  # noqa: PLR0124 - false for NaN
                yield self._fact(f"{head}.raw_{end}", f"raw_{end}", value, self.raw_unit, window)

    def course(self, window: Window | None) -> Iterator[Fact]:
        """Yield which way the series went, and since when."""
        direction = self.stored.direction[self.code]
        if direction:
            yield Fact(
                id=f"{self.id}.direction",
                statistic="direction",
                value=direction,
                window=window,
                **self.about,
            )
        at_ms = self.stored.onsets.get(self.code)
        if at_ms is not None:
            at = from_ms(at_ms)
            text = at.isoformat(timespec="milliseconds" if at_ms % 1000 else "seconds")
            yield Fact(
                id=f"{self.id}.onset",
                statistic="onset_at",
                value=text.replace("+00:00", "Z"),
                at=at,
                **self.about,
            )

    def _fact(
        self, id_: str, statistic: str, value: float, unit: str, window: Window, **more: Any
    ) -> Fact:
        return Fact(
            id=id_,
            statistic=statistic,
            value=round_significant(value),
            unit=unit,
            window=window,
            **self.about,
            **more,
        )
