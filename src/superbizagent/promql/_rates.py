"""How values move within a window: ``rate`` and its like, and straight lines through samples."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ._over_time import padded, reduced
from ._rules import Rules
from ._select import Windows
from ._values import Mask, Values

__all__ = ["RATES", "derivative", "prediction"]

_NEAR = 1.1
"""A gap below this many mean intervals counts as one: up to the edge is extrapolated."""

Rate = Callable[[Windows, Rules], tuple[Values, Mask]]


def _ends(windows: Windows) -> tuple[NDArray[np.int64], NDArray[np.int64], Mask]:
    """Return the places of the first and the last sample, and where there are two."""
    enough = windows.counts >= 2
    first = np.where(enough, windows.low, 0)
    last = np.where(enough, windows.high - 1, min(1, len(windows.times) - 1))
    return first, last, enough


def _grown(windows: Windows, first: NDArray[np.int64], last: NDArray[np.int64]) -> Values:
    """Return how far a counter went up: every drop is a reset, after which it starts at 0."""
    values = windows.values
    before = np.concatenate([[0.0], values[:-1]])
    lost = np.where(values < before, before, 0.0)
    resets = reduced(np.add, lost, first + 1, last + 1, 0.0)
    return values[last] - values[first] + resets


def _extrapolated(
    windows: Windows, rules: Rules, *, counter: bool, per_second: bool
) -> tuple[Values, Mask]:
    """Extrapolate the change between the outer samples to the edges of the range.

    Source: ``extrapolatedRate`` of the server, before and since 2.52.
    """
    if not len(windows.times):
        return np.zeros(windows.low.shape), windows.any
    first, last, enough = _ends(windows)
    times, values, span = windows.times, windows.values, windows.span
    change = _grown(windows, first, last) if counter else values[last] - values[first]
    sampled = (times[last] - times[first]) / 1000.0
    interval = sampled / np.maximum(windows.counts - 1, 1)
    to_start = (times[first] - (span.ends - span.range_ms)) / 1000.0
    to_end = (span.ends - times[last]) / 1000.0
    rises = (change > 0) & (values[first] >= 0) if counter else np.zeros(change.shape, np.bool_)
    to_zero = np.where(rises, sampled * (values[first] / change), np.inf)
    if not rules.zero_point_last:
        to_start = np.where(to_zero < to_start, to_zero, to_start)
    to_start = np.where(to_start < interval * _NEAR, to_start, interval / 2)
    if rules.zero_point_last:
        to_start = np.where(to_zero < to_start, to_zero, to_start)
    to_end = np.where(to_end < interval * _NEAR, to_end, interval / 2)
    factor = (sampled + to_start + to_end) / sampled
    if per_second:
        factor = factor / (span.range_ms / 1000.0)
    return change * factor, enough


def _rate(windows: Windows, rules: Rules) -> tuple[Values, Mask]:
    return _extrapolated(windows, rules, counter=True, per_second=True)


def _increase(windows: Windows, rules: Rules) -> tuple[Values, Mask]:
    return _extrapolated(windows, rules, counter=True, per_second=False)


def _delta(windows: Windows, rules: Rules) -> tuple[Values, Mask]:
    return _extrapolated(windows, rules, counter=False, per_second=False)


def _last_step(windows: Windows) -> tuple[Values, Values, Values, Mask]:
    """Return the last value, the one before, the seconds between, and where there are two."""
    enough = windows.counts >= 2
    last = np.where(enough, windows.high - 1, 0)
    before = np.maximum(last - 1, 0)
    apart = (windows.times[last] - windows.times[before]) / 1000.0
    return windows.values[last], windows.values[before], apart, enough


def _irate(windows: Windows, rules: Rules) -> tuple[Values, Mask]:
    del rules
    if not len(windows.times):
        return np.zeros(windows.low.shape), windows.any
    last, before, apart, enough = _last_step(windows)
    change = np.where(last < before, last, last - before)
    return change / apart, enough


def _idelta(windows: Windows, rules: Rules) -> tuple[Values, Mask]:
    del rules
    if not len(windows.times):
        return np.zeros(windows.low.shape), windows.any
    last, before, _, enough = _last_step(windows)
    return last - before, enough


RATES: dict[str, Rate] = {
    "delta": _delta,
    "idelta": _idelta,
    "increase": _increase,
    "irate": _irate,
    "rate": _rate,
}
"""Functions that need two samples in the range."""


def derivative(windows: Windows) -> tuple[Values, Mask]:
    """Return the slope a second of the least-squares line."""
    slope, _ = _lines(windows)
    return slope, windows.counts >= 2


def prediction(windows: Windows, ahead: Values) -> tuple[Values, Mask]:
    """Return where the least-squares line is ``ahead`` seconds after each step."""
    slope, level = _lines(windows)
    return slope * ahead + level, windows.counts >= 2


def _lines(windows: Windows) -> tuple[Values, Values]:
    """Fit a line to each window.

    Returns:
        The slope a second, and the height at the step itself. Times and values are counted from
        the first sample, which loses less to rounding and leaves a constant series exactly flat.
    """
    shape = windows.low.shape
    slope, level = np.zeros(windows.low.size), np.zeros(windows.low.size)
    at = np.broadcast_to(windows.span.at, shape).ravel()
    if not len(windows.times):
        return slope.reshape(shape), level.reshape(shape)
    for part, places, real in padded(windows):
        origin = windows.times[places[:, 0]]
        base = windows.values[places[:, 0]]
        x = np.where(real, (windows.times[places] - origin[:, None]) / 1000.0, 0.0)
        y = np.where(real, windows.values[places] - base[:, None], 0.0)
        counts = np.maximum(real.sum(axis=1), 1)
        sum_x, sum_y = x.sum(axis=1), y.sum(axis=1)
        covariance = (x * y).sum(axis=1) - sum_x * sum_y / counts
        variance = (x * x).sum(axis=1) - sum_x * sum_x / counts
        tilt = covariance / variance
        slope[part] = tilt
        after = (at[part] - origin) / 1000.0
        level[part] = base + sum_y / counts + tilt * (after - sum_x / counts)
    return slope.reshape(shape), level.reshape(shape)
