"""Series made ready for statistics: cleaned samples, and rates where a series counts up.

Whether a series is a counter is inferred from its values, because a large part of real metrics has
neither a known type nor a telling name. Nothing is filled in: a reset, a gap, an infinite or a
missing value leaves a hole.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.families import (
    GAUGE_FAMILIES,
    UNIT_FLOORS,
    CounterHint,
    Meaning,
    meanings_of,
)
from superbizagent.domain.series import Labels, SeriesSet

__all__ = ["MODES", "Prepared", "prepare"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MODES = ("value", "rate", "mean")
"""How a series was read: as it stands, per second, or sum over count of a histogram."""

_RESET = 0.5  # a drop to at most this share of the value before is a restart from zero
_SEEN = 8  # steps that must agree with a name that only suggests a counter
_RISES = 3  # a name that says nothing must rise this often, and never fall, to be a counter
_HUGE = 1e150  # its square still is a number; nothing that is measured comes near
_GAP = 5.0  # a rate over a hole of more than this many mean intervals says nothing


@dataclass(frozen=True, slots=True)
class Prepared:
    """Finite samples of every series, flat, ordered by series and time.

    ``owner``, ``times`` (ms) and ``values`` have one entry a sample; ``offsets`` (n + 1) bounds
    each series. ``mode`` (code in `MODES`), ``interval`` (mean ms between raw samples, 0 when
    unknown) and ``born_at`` (ms of the first raw sample, or -1) have one entry a series.
    """

    owner: Ints
    times: Ints
    values: Floats
    offsets: Ints
    mode: NDArray[np.int8]
    interval: Floats
    born_at: Ints
    meanings: tuple[Meaning, ...]


def prepare(series: SeriesSet, history_start: int) -> Prepared:
    """Clean the samples and turn counters into rates.

    ``history_start`` (ms) is when the look begins: a counter whose first sample comes later was
    absent before, which for a counter means zero.
    """
    n = len(series)
    meanings = meanings_of(series.labels)
    owner, times, values = _clean(series)
    counts = np.bincount(owner, minlength=n)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    interval, born_at = _spacing(times, offsets)
    hints = _hints(series.labels, meanings)
    counter = _counters(owner, values, hints)
    mode = counter.astype(np.int8)
    rates = _rates(owner, times, values, counter, interval)
    late = counter & (hints >= CounterHint.COUNTER)
    late &= born_at > history_start + 3 * interval
    _set_births(rates, values, offsets, np.flatnonzero(late), interval)
    for_mean = _histogram_pairs(series.labels, hints, counter)
    _set_means(rates, times, offsets, for_mean, mode)
    kept = np.isfinite(rates)
    owner, times, rates = owner[kept], times[kept], rates[kept]
    counts = np.bincount(owner, minlength=n)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    meanings = tuple(
        _of_mean(m) if mode[k] == MODES.index("mean") else m for k, m in enumerate(meanings)
    )
    return Prepared(owner, times, rates, offsets, mode, interval, born_at, meanings)


def _of_mean(meaning: Meaning) -> Meaning:
    """Return what the mean of a histogram stands for.

    How long failed requests take is a latency; how many there are, their ``_count`` says.
    """
    if meaning.unit not in {"s", "ms", "us"}:
        return meaning
    return replace(meaning, family="lat", floor=UNIT_FLOORS[meaning.unit])


def _clean(series: SeriesSet) -> tuple[Ints, Ints, Floats]:
    """Return owner, time and value of finite samples, ascending, one a time and series."""
    owner = np.repeat(np.arange(len(series), dtype=np.int64), np.diff(series.offsets))
    times = np.asarray(series.times, np.int64)
    kept = np.abs(series.values) < _HUGE  # false for NaN
    owner, times, values = owner[kept], times[kept], series.values[kept]
    if len(owner) < 2:
        return owner, times, values
    same = owner[1:] == owner[:-1]
    step = times[1:] - times[:-1]
    if not bool(np.any(same & (step <= 0))):
        return owner, times, values
    # Repeated or unordered times: order them, and take the mean of what one time holds, so that
    # the result does not depend on the order of arrival.
    order = np.lexsort((values, times, owner))
    owner, times, values = owner[order], times[order], values[order]
    first = np.ones(len(owner), np.bool_)
    first[1:] = (owner[1:] != owner[:-1]) | (times[1:] != times[:-1])
    at = np.flatnonzero(first)
    total = np.add.reduceat(values, at)
    size = np.diff(np.append(at, len(values)))
    return owner[at], times[at], total / size


def _spacing(times: Ints, offsets: Ints) -> tuple[Floats, Ints]:
    count = np.diff(offsets)
    if len(times) == 0:
        return np.zeros(len(count)), np.full(len(count), -1, np.int64)
    first = times[np.minimum(offsets[:-1], len(times) - 1)]
    last = times[np.maximum(offsets[1:] - 1, 0)]
    interval = np.where(count > 1, (last - first) / np.maximum(count - 1, 1), 0.0)
    return interval, np.where(count > 0, first, -1)


def _hints(labels: tuple[Labels, ...], meanings: tuple[Meaning, ...]) -> NDArray[np.int8]:
    """Return the hint of every series; ``_sum`` and ``_count`` count up when both are there.

    Alone, ``connection_count`` is as likely a gauge.
    """
    names = [item.get("__name__", "") for item in labels]
    odd = {n for n, m in zip(names, meanings, strict=True) if m.hint is CounterHint.HISTOGRAM}
    pairs = {n for n in odd if _other(n) in odd}
    hints = np.array([int(m.hint) for m in meanings], np.int8)
    for k in np.flatnonzero(hints == CounterHint.HISTOGRAM):
        if names[k] not in pairs:
            level = meanings[k].family in GAUGE_FAMILIES
            hints[k] = CounterHint.GAUGE if level else CounterHint.OPEN
    return hints


def _other(name: str) -> str:
    if name.endswith("_sum"):
        return name.removesuffix("_sum") + "_count"
    return name.removesuffix("_count") + "_sum"


def _counters(owner: Ints, values: Floats, hints: NDArray[np.int8]) -> Flags:
    """Tell which series only count up, apart from restarts."""
    n = len(hints)
    same = owner[1:] == owner[:-1]
    change = np.where(same, values[1:] - values[:-1], 0.0)
    falls = change < 0
    resets = falls & (values[1:] <= _RESET * values[:-1])
    at = owner[1:]
    steps = np.bincount(at[same], minlength=n)
    rises = np.bincount(at[change > 0], minlength=n)
    n_falls = np.bincount(at[falls], minlength=n)
    n_resets = np.bincount(at[resets], minlength=n)
    negative = np.bincount(owner[values < 0], minlength=n) > 0
    only_resets = (n_falls == n_resets) & (n_resets <= np.maximum(1, steps // 10))
    named = (hints >= CounterHint.COUNTER) & only_resets
    named |= (hints == CounterHint.EVENTS) & only_resets & (steps >= _SEEN)
    # Without a telling name: it rises again and again, and never falls.
    seen = (hints == CounterHint.OPEN) & (n_falls == 0) & (rises >= _RISES)
    return (named | seen) & ~negative


def _rates(owner: Ints, times: Ints, values: Floats, counter: Flags, interval: Floats) -> Floats:
    """Return values of gauges and per-second increases of counters; holes are NaN."""
    result = values.copy()
    mine = counter[owner]
    if not bool(np.any(mine)):
        return result
    result[mine] = np.nan
    same = (owner[1:] == owner[:-1]) & mine[1:]
    elapsed = times[1:] - times[:-1]
    change = values[1:] - values[:-1]
    whole = elapsed <= _GAP * np.maximum(interval[owner[1:]], 1.0)
    good = np.flatnonzero(same & (change >= 0) & whole)
    result[good + 1] = change[good] / elapsed[good] * 1000.0
    return result


def _set_births(rates: Floats, values: Floats, offsets: Ints, rows: Ints, interval: Floats) -> None:
    """Count the first value of a late counter as its increase from nothing.

    A target that is old but newly scraped starts at a large value: what came at once is capped at
    three times the fastest later step.
    """
    if len(rows) == 0:
        return
    usual = np.median(interval[interval > 0]) if bool(np.any(interval > 0)) else 0.0
    if usual <= 0:
        return
    first = offsets[rows]
    birth = values[first] / np.where(interval[rows] > 0, interval[rows], usual) * 1000.0
    # Segments start at a birth and end where its series ends.
    bounds = np.stack([first, offsets[rows + 1]], axis=1).ravel()
    fastest = np.fmax.reduceat(np.append(rates, np.nan), bounds)[::2]
    rates[first] = np.where(np.isfinite(fastest), np.minimum(birth, 3 * fastest), birth)


def _histogram_pairs(
    labels: tuple[Labels, ...], hints: NDArray[np.int8], counter: Flags
) -> tuple[Ints, Ints]:
    """Return rows of ``_sum`` series and of their ``_count`` siblings."""
    sums: list[int] = []
    counts: dict[tuple[tuple[str, str], ...], int] = {}
    rows = np.flatnonzero((hints == CounterHint.HISTOGRAM) & counter)
    for k in rows:
        if labels[k]["__name__"].endswith("_count"):
            counts[_identity(labels[k], "_count")] = int(k)
        else:
            sums.append(int(k))
    pairs = [(k, counts.get(_identity(labels[k], "_sum"), -1)) for k in sums]
    found = np.array([p for p in pairs if p[1] >= 0], np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _identity(labels: Labels, suffix: str) -> tuple[tuple[str, str], ...]:
    name = labels["__name__"].removesuffix(suffix)
    return (("", name), *sorted((k, v) for k, v in labels.items() if k != "__name__"))


def _set_means(
    rates: Floats, times: Ints, offsets: Ints, pairs: tuple[Ints, Ints], mode: NDArray[np.int8]
) -> None:
    """Turn the rate of a histogram's sum into its mean: no requests, no value."""
    sums, counts = pairs
    length = np.diff(offsets)
    alike = length[sums] == length[counts]
    sums, counts = sums[alike], counts[alike]
    if len(sums) == 0:
        return
    size = length[sums]
    pair = np.repeat(np.arange(len(sums)), size)
    inner = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    a, b = offsets[sums][pair] + inner, offsets[counts][pair] + inner
    moved = np.bincount(pair[times[a] != times[b]], minlength=len(sums)) > 0
    kept = ~moved[pair]
    a, b = a[kept], b[kept]
    with np.errstate(divide="ignore", invalid="ignore"):
        rates[a] = np.where(rates[b] > 0, rates[a] / rates[b], np.nan)
    mode[sums[~moved]] = MODES.index("mean")
