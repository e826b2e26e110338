"""Sums that keep what rounding lost, and quantiles, as the server computes them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ._values import Mask, Values

__all__ = ["compensated", "ill_conditioned", "mean_of", "quantile_rows", "variance_of"]

_LOST = 1e-13
"""A sum whose rounding may reach this part of it is computed again, with compensation."""


def ill_conditioned(plain: Values, absolute: Values, counts: NDArray[np.int64]) -> Mask:
    """Tell where plain addition may have lost digits to cancellation.

    Args:
        plain: the sums.
        absolute: the sums of absolute values.
        counts: how many were added.
    """
    bound = absolute * counts * np.finfo(np.float64).eps
    return (bound > _LOST * np.abs(plain)) & np.isfinite(absolute)


def compensated(columns: Iterable[Values], start: Values) -> Values:
    """Add columns to ``start`` by Neumaier's variant of Kahan summation."""
    total, lost = start.copy(), np.zeros_like(start)
    for column in columns:
        raised = total + column
        bigger = np.abs(total) >= np.abs(column)
        lost += np.where(bigger, (total - raised) + column, (column - raised) + total)
        total = raised
    return np.where(np.isinf(total), total, total + lost)


def variance_of(squares: Values, away: Values, counts: NDArray[np.int64]) -> Values:
    """Return the variance about the mean.

    The mean is rounded; what that moved every value by is taken out again, so that equal values
    deviate by exactly nothing.

    Args:
        squares: the sums of squared distances to the rounded mean.
        away: the sums of those distances.
        counts: how many were added.
    """
    number = np.maximum(counts, 1)
    raw, off = squares / number, away / number
    return np.where(np.isinf(raw), raw, np.maximum(raw - off * off, 0.0))


def mean_of(total: Values, counts: NDArray[np.int64], scaled: Values) -> Values:
    """Return the mean; where a sum of finite values overflows, the sum of their parts.

    Args:
        total: the sums.
        counts: how many were added.
        scaled: the sums of each value divided by its count.
    """
    mean = total / np.maximum(counts, 1)
    return np.where(np.isinf(mean) & np.isfinite(scaled), scaled, mean)


def quantile_rows(quantile: Values, rows: Values, valid: Mask) -> Values:
    """Return a quantile of each row, between ranks by linear interpolation.

    NaN counts as the smallest value.

    Args:
        quantile: one a row; below 0 it gives -Inf, above 1 +Inf, NaN gives NaN.
        rows: shape (rows, values).
        valid: which of the values count; a row without any gives NaN.
    """
    counts = valid.sum(axis=1)
    undefined = (valid & np.isnan(rows)).sum(axis=1)
    ordered = np.sort(np.where(valid, rows, np.nan), axis=1)  # NaN goes last
    rank = np.clip(quantile, 0.0, 1.0) * np.maximum(counts - 1, 0)
    rank = np.where(np.isnan(rank), 0.0, rank)
    lower = np.floor(rank)
    upper = np.minimum(lower + 1, np.maximum(counts - 1, 0))
    weight = rank - lower
    low = _ranked(ordered, lower.astype(np.int64), undefined)
    high = _ranked(ordered, upper.astype(np.int64), undefined)
    result = low * (1 - weight) + high * weight
    result = np.where(quantile < 0, -np.inf, np.where(quantile > 1, np.inf, result))
    return np.where((counts == 0) | np.isnan(quantile), np.nan, result)


def _ranked(ordered: Values, rank: NDArray[np.int64], undefined: NDArray[np.int64]) -> Values:
    """Return the value of a rank that counts the NaNs first, which are sorted last."""
    place = np.maximum(rank - undefined, 0)
    found = np.take_along_axis(ordered, place[:, None], axis=1)[:, 0]
    return np.where(rank < undefined, np.nan, found)
