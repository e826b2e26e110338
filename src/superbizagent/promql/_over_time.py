"""Functions of one window's values, order in time aside: ``sum_over_time`` and its like."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ._select import Windows
from ._sums import compensated, ill_conditioned, mean_of, quantile_rows, variance_of
from ._values import Values

__all__ = ["OVER_TIME", "padded", "quantile_over_time", "reduced"]

_BLOCK_SAMPLES = 2_000_000
"""Samples laid out one window a row in one go: 16 MB an array."""


def reduced(
    function: np.ufunc, flat: Values, low: NDArray[np.int64], high: NDArray[np.int64], empty: float
) -> Values:
    """Reduce ``flat[low:high]`` for every window by a ufunc; ``empty`` stands for no sample."""
    result = np.full(low.shape, empty)
    filled = high > low
    if filled.any():
        bounds = np.stack([low[filled], high[filled]], axis=1).ravel()
        # One more element, so that a window may end where the samples end. Every second result
        # belongs to the gap between two windows.
        result[filled] = function.reduceat(np.append(flat, flat[-1:]), bounds)[::2]
    return result


def padded(windows: Windows) -> Iterator[tuple[slice, NDArray[np.int64], NDArray[np.bool_]]]:
    """Yield blocks of the flattened windows, one window a row.

    Yields:
        Which windows; the place of each sample, shape (windows, longest), padded with the last
        one; and whether it is one.
    """
    low, counts = windows.low.ravel(), windows.counts.ravel()
    longest = max(int(counts.max(initial=0)), 1)
    size = max(_BLOCK_SAMPLES // longest, 1)
    for first in range(0, len(low), size):
        part = slice(first, min(first + size, len(low)))
        offsets = np.arange(longest)
        real = offsets < counts[part, None]
        places = low[part, None] + np.minimum(offsets, np.maximum(counts[part, None] - 1, 0))
        yield part, np.minimum(places, max(len(windows.times) - 1, 0)), real


def _sum(windows: Windows) -> Values:
    plain = reduced(np.add, windows.values, windows.low, windows.high, 0.0)
    absolute = reduced(np.add, np.abs(windows.values), windows.low, windows.high, 0.0)
    ill = ill_conditioned(plain, absolute, windows.counts)
    if ill.any():
        low, counts = windows.low[ill], windows.counts[ill]
        places = (low + np.minimum(k, counts - 1) for k in range(int(counts.max())))
        columns = (
            np.where(k < counts, windows.values[place], 0.0) for k, place in enumerate(places)
        )
        plain[ill] = compensated(columns, np.zeros(len(low)))
    return plain


def _avg(windows: Windows) -> Values:
    total, counts = _sum(windows), windows.counts
    if not np.isinf(total).any():
        return mean_of(total, counts, total)
    scaled = np.zeros(total.size)
    for part, places, real in padded(windows):
        share = windows.values[places] / np.maximum(counts.ravel()[part, None], 1)
        scaled[part] = np.where(real, share, 0.0).sum(axis=1)
    return mean_of(total, counts, scaled.reshape(total.shape))


def _min(windows: Windows) -> Values:
    return reduced(np.fmin, windows.values, windows.low, windows.high, np.nan)


def _max(windows: Windows) -> Values:
    return reduced(np.fmax, windows.values, windows.low, windows.high, np.nan)


def _last(windows: Windows) -> Values:
    return windows.values[np.maximum(windows.high - 1, 0)]


def _count(windows: Windows) -> Values:
    return windows.counts.astype(np.float64)


def _present(windows: Windows) -> Values:
    return np.ones(windows.low.shape)


def _variance(windows: Windows) -> Values:
    result = np.zeros(windows.low.size)
    for part, places, real in padded(windows):
        counts = np.maximum(real.sum(axis=1), 1)
        values = np.where(real, windows.values[places], 0.0)
        mean = values.sum(axis=1) / counts
        away = np.where(real, values - mean[:, None], 0.0)
        result[part] = variance_of((away * away).sum(axis=1), away.sum(axis=1), counts)
    return result.reshape(windows.low.shape)


def _deviation(windows: Windows) -> Values:
    return np.sqrt(_variance(windows))


def _changes(windows: Windows) -> Values:
    before, after = windows.values[:-1], windows.values[1:]
    differ = (before != after) & ~(np.isnan(before) & np.isnan(after))
    return _count_pairs(windows, differ)


def _resets(windows: Windows) -> Values:
    return _count_pairs(windows, windows.values[1:] < windows.values[:-1])


def _count_pairs(windows: Windows, flags: NDArray[np.bool_]) -> Values:
    """Count flagged neighbours; flag k is about samples k and k + 1."""
    total = np.concatenate([np.zeros(1), np.cumsum(flags, dtype=np.float64)])
    last = np.maximum(windows.high - 1, windows.low)
    limit = len(total) - 1
    return total[np.minimum(last, limit)] - total[np.minimum(windows.low, limit)]


def quantile_over_time(windows: Windows, quantile: Values) -> Values:
    """Return a quantile of each window; ``quantile`` has one value a step."""
    result = np.zeros(windows.low.size)
    wanted = np.broadcast_to(quantile, windows.low.shape).ravel()
    for part, places, real in padded(windows):
        result[part] = quantile_rows(wanted[part], windows.values[places], real)
    return result.reshape(windows.low.shape)


OVER_TIME: dict[str, Callable[[Windows], Values]] = {
    "avg_over_time": _avg,
    "changes": _changes,
    "count_over_time": _count,
    "last_over_time": _last,
    "max_over_time": _max,
    "min_over_time": _min,
    "present_over_time": _present,
    "resets": _resets,
    "stddev_over_time": _deviation,
    "stdvar_over_time": _variance,
    "sum_over_time": _sum,
}
"""Functions that answer for every window with a sample."""
