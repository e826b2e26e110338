"""Readings of several series together: what labels part is one number to who speaks of it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence._groups import Group, groups_of
from superbizagent.analysis.claims.evidence._series import Samples, StoredSeries
from superbizagent.analysis.claims.evidence._series_readings import Siblings
from superbizagent.analysis.claims.evidence.spans import Counted, Levels, Spans
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.window import Window, from_ms

__all__ = ["histogram_quantiles", "readings_of_sums"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_SHARES = (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99))
_LEAST_BUCKETS = 2  # one with a bound, and the rest
_LEVELS = frozenset({"saturation", "inst"})
"""Families of whole things that add up: connections, waiters, targets that are up."""


def readings_of_sums(
    stored: StoredSeries,
    spans: Sequence[Spans],
    rises: Sequence[Counted],
    siblings: Siblings,
) -> Iterator[Fact]:
    """Yield what counters, histograms and counts of things add up to, by metric and by label.

    Args:
        stored: the series.
        spans: the periods.
        rises: what counters rose by, one a period.
        siblings: of the histograms.
    """
    counter = stored.modes == MODES.index("rate")
    bucket = np.array([n.get("__name__", "").endswith("_bucket") for n in stored.labels], np.bool_)
    periods = [
        _Period(stored, span, rise, siblings) for span, rise in zip(spans, rises, strict=True)
    ]
    for group in groups_of(stored, np.flatnonzero(counter & ~bucket).tolist()):
        for period in periods:
            yield from period.counters(group)
    for group in groups_of(stored, siblings.sums.tolist()):
        for period in periods:
            yield from period.histograms(group)
    little = frozenset({"le"})
    for group in groups_of(stored, np.flatnonzero(bucket & counter).tolist(), little):
        for period in periods:
            yield from period.quantiles(group)
    yield from _levels(stored, spans)


class _Period:
    """What rose by how much in one period, as lists: the groups are many and small."""

    def __init__(
        self, stored: StoredSeries, spans: Spans, rise: Counted, siblings: Siblings
    ) -> None:
        self.stored = stored
        self.spans = spans
        self.increase: list[float] = rise.increase.tolist()
        self.since: list[int] = rise.since.tolist()
        self.until: list[int] = rise.until.tolist()
        counts: list[float] = rise.increase[siblings.counts].tolist()
        self.events: dict[int, float] = dict(zip(siblings.sums.tolist(), counts, strict=True))

    def counters(self, group: Group) -> Iterator[Fact]:
        """Yield the increase of a group, its rate, and the part of it that failed."""
        window = self._window(group)
        seen = [k for k in group.codes if isfinite(self.increase[k])]
        if window is None or not seen:
            return
        unit = self.stored.meanings[seen[0]].unit
        total = sum(self.increase[k] for k in seen)
        failed = [k for k in seen if self.stored.meanings[k].family == "err"]
        parted = 0 < len(failed) < len(seen)
        yield self._fact(group, "requests" if parted else "increase", total, unit, window)
        seconds = (max(self.until[k] for k in seen) - min(self.since[k] for k in seen)) / 1000
        if seconds > 0:
            yield self._fact(group, "rate_mean", total / seconds, f"{unit}/s", window)
        if parted:
            bad = sum(self.increase[k] for k in failed)
            yield self._fact(group, "failed", bad, unit, window)
            if total > 0:
                yield self._fact(group, "share", bad / total, "ratio", window)

    def histograms(self, group: Group) -> Iterator[Fact]:
        """Yield the mean per event of several histograms."""
        window = self._window(group)
        pairs = [(self.increase[k], self.events[k]) for k in group.codes]
        known = [(spent, events) for spent, events in pairs if isfinite(spent) and isfinite(events)]
        total = sum(events for _, events in known)
        if window is not None and total > 0:
            mean = sum(spent for spent, _ in known) / total
            unit = self.stored.meanings[group.codes[0]].unit
            yield self._fact(group, "mean_mean", mean, unit, window)

    def quantiles(self, group: Group) -> Iterator[Fact]:
        """Yield percentiles as Prometheus estimates them from what its buckets rose by."""
        window = self._window(group)
        if window is None:
            return
        counts: dict[float, float] = {}
        for code in group.codes:
            bound = _bound(self.stored, code)
            if bound is not None and isfinite(self.increase[code]):
                counts[bound] = counts.get(bound, 0.0) + self.increase[code]
        bounds = sorted(counts)
        found = histogram_quantiles(bounds, [counts[b] for b in bounds])
        unit = self.stored.meanings[group.codes[0]].unit
        for (statistic, _), value in zip(_SHARES, found, strict=False):
            yield self._fact(group, statistic, value, unit, window)

    def _window(self, group: Group) -> Window | None:
        return self.spans.windows[group.codes[0]]

    def _fact(self, group: Group, statistic: str, value: float, unit: str, window: Window) -> Fact:
        return _fact(group, self.spans.name, statistic, value, unit=unit, window=window)


def _fact(group: Group, period: str, statistic: str, value: float, **more: Any) -> Fact:
    middle = "" if period == "incident" else f".{period}"
    since = "_since" if period == "since" and statistic.endswith("mean") else ""
    return Fact(
        id=f"{group.id}{middle}.{statistic}",
        entity=group.entity,
        name=group.name,
        statistic=statistic + since,
        value=round_significant(value),
        place=group.place,
        **more,
    )


def _bound(stored: StoredSeries, code: int) -> float | None:
    try:
        return float(stored.labels[code].get("le", ""))
    except ValueError:
        return None


def histogram_quantiles(bounds: Sequence[float], counts: Sequence[float]) -> tuple[float, ...]:
    """Return the quantiles of `_SHARES` of a cumulative histogram, none when it counted nothing.

    As Prometheus' ``histogram_quantile``: linear within a bucket, the lowest begins at zero, and
    what lies beyond the last finite bound is that bound.

    Args:
        bounds: upper bounds, ascending, the last one infinite.
        counts: how many were at or below each.
    """
    if len(bounds) < _LEAST_BUCKETS or bounds[-1] != inf or counts[-1] <= 0:
        return ()
    total = list(accumulate(counts, max))
    found: list[float] = []
    for _, share in _SHARES:
        rank = share * total[-1]
        k = bisect_left(total, rank)
        if k >= len(bounds) - 1:
            found.append(bounds[-2])
            continue
        low, below = (bounds[k - 1], total[k - 1]) if k else (0.0, 0.0)
        inside = total[k] - below
        part = (rank - below) / inside if inside > 0 else 1.0
        found.append(low + (bounds[k] - low) * part)
    return tuple(found)


# Levels ------------------------------------------------------------------------------------------


def _levels(stored: StoredSeries, spans: Sequence[Spans]) -> Iterator[Fact]:
    """Yield the sums of counts of things, sample by sample where all were taken at one time."""
    whole = [
        k
        for k, meaning in enumerate(stored.meanings)
        if meaning.family in _LEVELS and not meaning.unit and not meaning.ignored
    ]
    codes = [k for k in whole if stored.modes[k] == MODES.index("value")]
    groups: list[Group] = []
    parts: list[tuple[Ints, Floats]] = []
    for group in groups_of(stored, codes):
        added = _added(stored.judged, group.codes)
        if added is not None:
            groups.append(group)
            parts.append(added)
    if not groups:
        return
    lengths = np.array([len(times) for times, _ in parts], np.int64)
    times, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    samples = Samples.of(lengths, times, values)
    heads = np.array([g.codes[0] for g in groups], np.int64)
    for span in spans:
        found = Levels.of(samples.within(span.start[heads], span.end[heads]))
        for k, group in enumerate(groups):
            window = span.windows[group.codes[0]]
            if window is not None and found.last_at[k] >= 0:
                yield from _of_levels(group, span.name, found, k, window)


def _added(samples: Samples, codes: Sequence[int]) -> tuple[Ints, Floats] | None:
    parts = [slice(int(samples.offsets[k]), int(samples.offsets[k + 1])) for k in codes]
    times = samples.times[parts[0]]
    if any(not np.array_equal(samples.times[part], times) for part in parts[1:]):
        return None
    return times, np.sum([samples.values[part] for part in parts], axis=0)


def _of_levels(group: Group, period: str, found: Levels, k: int, window: Window) -> Iterator[Fact]:
    if period == "since":
        yield _fact(group, period, "mean", float(found.mean[k]), window=window)
        return
    if found.low[k] == found.high[k]:
        yield _fact(group, period, "constant", float(found.low[k]), window=window)
        return
    yield _fact(group, period, "mean", float(found.mean[k]), window=window)
    yield _fact(group, period, "median", float(found.median[k]), window=window)
    for statistic, values, at in (
        ("min", found.low, found.low_at),
        ("max", found.high, found.high_at),
        ("last", found.last, found.last_at),
    ):
        when = from_ms(float(at[k]))
        yield _fact(group, period, statistic, float(values[k]), window=window, at=when)
