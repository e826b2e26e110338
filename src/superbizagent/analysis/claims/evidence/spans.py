"""Statistics of every stored series over the spans that statements speak of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence._series import Samples, StoredSeries
from superbizagent.analysis.preparation import MODES
from superbizagent.analysis.quantiles import row_extremes, row_means, row_quantiles
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.window import Window, Windows, from_ms

__all__ = [
    "Counted",
    "Levels",
    "Spans",
    "Stands",
    "acute_of",
    "counted",
    "levels",
    "spans_of",
    "stands",
    "sums",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Column = TypeVar("_Column", Floats, Ints)


def acute_of(evidence: Evidence, windows: Windows) -> Window | None:
    """Return the span since the symptom began, as the stored facts were read over it.

    Averages and increases are read from the symptom's onset on, so the onset stands in their
    windows. None when nothing said when it began.
    """
    incident = windows.incident
    for row in evidence.invocations:
        for fact in row.facts:
            since = fact.statistic.endswith("mean_since") or fact.statistic in _SINCE
            span = fact.window
            if since and span and span.end == incident.end and span.start > incident.start:
                return span
    return None


_SINCE = frozenset({"increase", "mean", "failed", "requests", "answered", "spent"})


@dataclass(frozen=True, slots=True)
class Spans:
    """The time that one period is of, a span for every series."""

    name: str
    """``before``, ``incident`` or ``since``."""
    windows: tuple[Window | None, ...]
    """One a series; None: it has no such period."""
    start: Ints
    end: Ints
    """Milliseconds; an empty span (``end < start``) where there is none."""


def spans_of(
    stored: StoredSeries, windows: Windows, acute: Window | None, guard: int
) -> tuple[Spans, ...]:
    """Return the baseline used, the incident and the span since the symptom began.

    ``guard`` (ms) before the incident is left out of the baselines, as `deviation.measure` does.
    """
    n = len(stored)
    latest = windows.incident.start_ms - guard
    before: list[Window] = []
    for window in windows.baselines:
        late = window.start_ms <= windows.incident.start_ms and latest < window.end_ms
        end = max(latest, window.start_ms)
        before.append(Window(start=window.start, end=from_ms(end)) if late else window)
    # A series that was judged by no baseline is still what it was in the nearest.
    nearest = 0 if before else -1
    used: list[int] = np.maximum(stored.used, nearest).tolist()
    found = [_spans("before", [before[k] if k >= 0 else None for k in used])]
    found.append(_spans("incident", [windows.incident] * n))
    if acute is not None:
        found.append(_spans("since", [acute] * n))
    return tuple(found)


def _spans(name: str, windows: Sequence[Window | None]) -> Spans:
    # The same few objects again and again.
    known = {key: (w.start_ms, w.end_ms) for key, w in {id(w): w for w in windows}.items() if w}
    ends = [known[id(w)] if w is not None else (0, -1) for w in windows]
    both = np.array(ends, np.int64).reshape(-1, 2)
    return Spans(name, tuple(windows), both[:, 0], both[:, 1])


@dataclass(frozen=True, slots=True)
class Levels:
    """What the judged samples of each series come to in its span; NaN and -1 without a sample."""

    mean: Floats
    median: Floats
    low: Floats
    high: Floats
    first: Floats
    last: Floats
    low_at: Ints
    high_at: Ints
    first_at: Ints
    last_at: Ints

    @classmethod
    def of(cls, part: Samples) -> Self:
        """Reduce the samples of one span."""
        lengths = part.lengths
        low, high = row_extremes(part.values, lengths)
        (median,) = row_quantiles(part.values, lengths, (0.5,))
        filled = np.flatnonzero(lengths > 0)
        heads, tails = part.offsets[:-1][filled], part.offsets[1:][filled] - 1
        return cls(
            mean=row_means(part.values, lengths),
            median=median,
            low=low,
            high=high,
            first=_at(filled, part.values[heads], np.full(len(lengths), np.nan)),
            last=_at(filled, part.values[tails], np.full(len(lengths), np.nan)),
            low_at=_first_at(part, low),
            high_at=_first_at(part, high),
            first_at=_at(filled, part.times[heads], np.full(len(lengths), -1, np.int64)),
            last_at=_at(filled, part.times[tails], np.full(len(lengths), -1, np.int64)),
        )


def levels(stored: StoredSeries, spans: Spans) -> Levels:
    """Return the levels of every series in one period."""
    return Levels.of(stored.judged.within(spans.start, spans.end))


def sums(stored: StoredSeries, spans: Spans) -> Floats:
    """Return what the samples of each series in its span add up to; NaN without any."""
    inside = stored.judged.within(spans.start, spans.end)
    total = np.bincount(inside.owner, inside.values, minlength=len(stored))
    return np.where(inside.lengths > 0, total, np.nan)


@dataclass(frozen=True, slots=True)
class Stands:
    """What counters themselves showed as their span began and ended; NaN without a sample."""

    first: Floats
    last: Floats


def stands(stored: StoredSeries, spans: Spans) -> Stands:
    """Return the first and the last stored sample of each series in its span."""
    inside = stored.raw.within(spans.start, spans.end)
    filled = np.flatnonzero(inside.lengths > 0)
    nothing = np.full(len(stored), np.nan)
    return Stands(
        first=_at(filled, inside.values[inside.offsets[:-1][filled]], nothing.copy()),
        last=_at(filled, inside.values[inside.offsets[1:][filled] - 1], nothing.copy()),
    )


def _at(rows: Ints, values: _Column, into: _Column) -> _Column:
    into[rows] = values
    return into


def _first_at(part: Samples, value: Floats) -> Ints:
    hit = np.flatnonzero(part.values == value[part.owner])
    found = np.full(len(value), -1, np.int64)
    found[part.owner[hit][::-1]] = part.times[hit][::-1]  # the first one stays
    return found


@dataclass(frozen=True, slots=True)
class Counted:
    """What each series that counts up rose by in its span, and over which time; NaN for others."""

    increase: Floats
    since: Ints
    """Last sample before the span, else its start (ms)."""
    until: Ints
    """Last sample of the span (ms); -1 without one."""

    @property
    def seconds(self) -> Floats:
        """Time from sample to sample in which it rose."""
        return (self.until - self.since) / 1000.0


def counted(
    stored: StoredSeries, periods: Sequence[Spans], history_start: int
) -> tuple[Counted, ...]:
    """Return the increase of every counter in each period.

    Steps are summed up; after a restart the value itself is the step. A counter that is born well
    after ``history_start`` (ms) counted from zero, as in the facts of checks.
    """
    born = _born_at(stored.raw, history_start)
    steps = replace(stored.raw, values=_steps(stored.raw, born))
    counter = stored.modes != MODES.index("value")
    return tuple(_counted(steps, spans, counter, born) for spans in periods)


def _counted(steps: Samples, spans: Spans, counter: NDArray[np.bool_], born: Ints) -> Counted:
    n = len(counter)
    inside = steps.within(spans.start, spans.end)
    counts = inside.lengths
    increase = np.bincount(inside.owner, inside.values, minlength=n)
    earlier = np.bincount(steps.owner[steps.before(spans.start)], minlength=n)
    head = steps.offsets[:-1] + earlier
    until = np.full(n, -1, np.int64)
    filled = counts > 0
    until[filled] = steps.times[(head + counts - 1)[filled]]
    since = spans.start.copy()
    older = filled & (earlier > 0)
    since[older] = steps.times[(head - 1)[older]]
    # A counter that has no sample yet has counted nothing; it was there for none of the time.
    known = filled | ((spans.start <= spans.end) & (born > spans.end))
    return Counted(np.where(counter & known, increase, np.nan), since, until)


def _born_at(raw: Samples, history_start: int) -> Ints:
    """Return the first sample (ms) of each series that was born in the look; -1 for others."""
    born = np.full(len(raw.lengths), -1, np.int64)
    filled = np.flatnonzero(raw.lengths > 0)
    heads, tails = raw.offsets[:-1][filled], raw.offsets[1:][filled] - 1
    spacing = (raw.times[tails] - raw.times[heads]) / np.maximum(tails - heads, 1)
    late = raw.times[heads] > history_start + 3 * spacing
    born[filled[late]] = raw.times[heads[late]]
    return born


def _steps(raw: Samples, born: Ints) -> Floats:
    steps = np.zeros(len(raw.values))
    if len(steps) == 0:
        return steps
    change = raw.values[1:] - raw.values[:-1]
    steps[1:] = np.where(change >= 0, change, raw.values[1:])
    filled = np.flatnonzero(raw.lengths > 0)
    heads = raw.offsets[:-1][filled]
    steps[heads] = np.where(born[filled] >= 0, raw.values[heads], 0.0)
    return steps
