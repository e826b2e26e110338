"""Levels that changed for good: of a share of the lines, and of a number in them.

A share is split in time where ``G = 2 sum o ln(o / e)`` of (this, other) x (before, after) is
largest; of a number the medians by bucket are, where their difference is largest against what
medians of that many values vary by. Buckets within each side tell how much either varies anyway:
logs come in bunches, so their counts spread more than chance alone would have it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Shift", "number_shift", "share_shifts"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_ALARM = 10.0  # above 2 ln(all splits looked at)
_LEAST = 20  # values, or records, before a change of level can be told
_SURE = 6.0  # standard deviations of a difference of medians, at the best of all splits
_EFFECT = 0.5  # of the spread within a bucket
_MEDIAN = 1.2533  # standard deviation of a median against that of a mean
_QUARTILES = 1.349  # distance of the quartiles of a normal distribution
_IN_A_ROW = 3  # buckets


@dataclass(frozen=True, slots=True)
class Shift:
    """One change of level."""

    bucket: int
    """First bucket of the new level."""
    before: float
    after: float
    statistic: float
    """``G`` over its usual spread, or standard deviations of the difference."""
    effect: float
    """Difference over the spread within a bucket; of a share, the ratio of its odds."""
    onset: int
    """Bucket in which it began to move: of a slow rise long before the split."""


# Shares ------------------------------------------------------------------------------------------


def share_shifts(counts: Ints) -> dict[int, Shift]:
    """Return where the share of each row of ``counts`` (rows x buckets) in the sum changed.

    Only rows that came on both sides of the split: what is new or gone is no shift.
    """
    totals = counts.sum(axis=0)
    filled = np.flatnonzero(totals)
    if len(filled) < 4 or len(counts) < 2:
        return {}
    own = np.cumsum(counts[:, filled], axis=1, dtype=np.float64)
    every = np.cumsum(totals[filled], dtype=np.float64)
    statistic = _g(own[:, :-1], own[:, -1:], every[:-1], every[-1])
    best = statistic.argmax(axis=1)
    bound = 2.0 * np.log(statistic.size) + _ALARM
    found: dict[int, Shift] = {}
    for row in np.flatnonzero(statistic.max(axis=1) > bound).tolist():
        split = int(best[row]) + 1
        cells, sums = counts[row, filled].astype(np.float64), totals[filled].astype(np.float64)
        before, after = (float(cells[s].sum() / sums[s].sum()) for s in _sides(split))
        g = float(statistic[row, best[row]]) / _spread(cells, sums, split)
        if g > bound and 0.0 < before < 1.0 and 0.0 < after < 1.0 and own[row, -1] >= _LEAST:
            odds = after * (1 - before) / (before * (1 - after))
            bucket = int(filled[split])
            found[row] = Shift(bucket, before, after, g, max(odds, 1 / odds), bucket)
    return found


def _sides(split: int) -> tuple[slice, slice]:
    return slice(0, split), slice(split, None)


def _g(own: Floats, own_sum: Floats, every: Floats, every_sum: float) -> Floats:
    """Return G of every row and split."""
    whole = np.broadcast_to(own_sum, own.shape)
    cells = np.stack([own, whole - own, every - own, every_sum - every - whole + own])
    this, other = whole / every_sum, 1.0 - whole / every_sum
    after = every_sum - every
    expected = np.stack([this * every, this * after, other * every, other * after])
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(cells > 0, cells * np.log(cells / expected), 0.0)
    return 2.0 * terms.sum(axis=0)


def _spread(cells: Floats, sums: Floats, split: int) -> float:
    """Return how much more than by chance the share varies on either side, not below 1."""
    total, freedom = 0.0, 0
    for side in _sides(split):
        share = cells[side].sum() / sums[side].sum()
        if not 0.0 < share < 1.0 or len(cells[side]) < 2:
            continue
        wanted = share * sums[side]
        total += float(((cells[side] - wanted) ** 2 / (wanted * (1 - share))).sum())
        freedom += len(cells[side]) - 1
    return max(1.0, total / freedom) if freedom else 1.0


# Numbers -----------------------------------------------------------------------------------------


def number_shift(buckets: Ints, values: Floats, first: int) -> Shift | None:
    """Return where the level of a number changed, None where it did not.

    Args:
        buckets: of each value.
        values: in any order.
        first: first bucket of the incident; what was before it is usual.
    """
    if len(values) < 2 * _LEAST:
        return None
    order = np.argsort(buckets, kind="stable")
    buckets, values = buckets[order], values[order]
    filled, starts, sizes = np.unique(buckets, return_index=True, return_counts=True)
    parts = np.split(values, starts[1:])
    medians = np.array([np.median(p) for p in parts])
    spread = _spread_within(parts, values)
    sums, counts = np.cumsum(medians * sizes)[:-1], np.cumsum(sizes)[:-1]
    left = len(values) - counts
    allowed = np.flatnonzero((counts >= _LEAST) & (left >= _LEAST))
    if len(allowed) == 0:
        return None
    gap = (float((medians * sizes).sum()) - sums) / left - sums / counts
    z = np.abs(gap) / (_MEDIAN * spread * np.sqrt(1 / counts + 1 / left))
    split = int(allowed[z[allowed].argmax()]) + 1
    before, after = (float(np.median(np.concatenate(parts[s]))) for s in _sides(split))
    effect = abs(after - before) / spread
    if z[split - 1] < _SURE or effect < _EFFECT:
        return None
    bucket = int(filled[split])
    usual = values[buckets < first]
    base = float(np.median(usual)) if len(usual) >= _LEAST else before
    # What is usual tells when it began to move: of a rise the spread mostly rises too.
    early = [p for p, b in zip(parts, filled.tolist(), strict=True) if b < first]
    narrow = _spread_within(early, usual) if len(usual) >= _LEAST else spread
    levels = (medians - base) * np.sign(after - before)
    bars = np.maximum(3 * _MEDIAN * narrow / np.sqrt(sizes), 0.5 * narrow)
    onset = _first_run(levels > bars, filled, first, bucket)
    return Shift(bucket, before, after, float(z[split - 1]), effect, onset)


def _spread_within(parts: list[Floats], values: Floats) -> float:
    """Return the pooled spread inside buckets; of constants, a hundredth of their level."""
    some = [(len(p), np.subtract(*np.percentile(p, [75, 25]))) for p in parts if len(p) >= 4]
    weight = sum(n for n, _ in some)
    pooled = sum(n * float(width) for n, width in some) / weight / _QUARTILES if weight else 0.0
    return max(pooled, 0.01 * float(np.abs(values).mean()), 1e-9)


def _first_run(high: NDArray[np.bool_], buckets: Ints, first: int, otherwise: int) -> int:
    """Return the first of some buckets in a row that are high, not before the incident."""
    rows = np.flatnonzero(buckets >= first)
    run = 0
    for row in rows.tolist():
        run = run + 1 if high[row] else 0
        if run == _IN_A_ROW:
            return min(int(buckets[row - _IN_A_ROW + 1]), otherwise)
    return otherwise
