"""Quantiles of classic histograms: one series a bucket, its upper bound in the label ``le``."""

import re

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.series import Labels

from ._values import NAME, Values, Vector, group_rows, label_key, merged

__all__ = ["histogram_quantile"]

_NUMBER = re.compile(r"[+-]?(?:inf|infinity|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE)
_EQUAL = 1e-12
"""Since 2.52 a count that falls short of the one below by less than this part equals it."""


def histogram_quantile(quantile: Values, vector: Vector) -> Vector:
    """Return a quantile of every histogram, by linear interpolation in its bucket.

    Args:
        quantile: one a step.
        vector: the buckets; series without a readable ``le`` are passed over.

    Raises:
        QueryError: when histograms differ in their name alone.
    """
    bounds = [_bound(row.get("le", "")) for row in vector.labels]
    used = np.array([k for k, bound in enumerate(bounds) if bound is not None], np.int64)
    buckets = vector.rows(used)
    limits = np.array([bound for bound in bounds if bound is not None], np.float64)
    owner, groups = group_rows([label_key(_without_bound(row)) for row in buckets.labels])
    steps = vector.steps
    result = Vector([{}] * groups, np.zeros((groups, steps)), np.zeros((groups, steps), np.bool_))
    order = np.lexsort((limits, owner))
    starts = np.searchsorted(owner[order], np.arange(groups + 1))
    for group in range(groups):
        rows = order[starts[group] : starts[group + 1]]
        labels = _without_bound(buckets.labels[int(rows[0])])
        result.labels[group] = {k: v for k, v in labels.items() if k != NAME}
        result.present[group] = buckets.present[rows].any(axis=0)
        result.values[group] = _quantiles(quantile, limits[rows], buckets.rows(rows))
    return merged(result)


def _bound(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _without_bound(row: Labels) -> Labels:
    return {k: v for k, v in row.items() if k != "le"}


def _quantiles(quantile: Values, limits: Values, buckets: Vector) -> Values:
    """Return the quantile at each step; steps with the same buckets are computed together."""
    result = np.full(buckets.steps, np.nan)
    patterns, which = np.unique(buckets.present, axis=1, return_inverse=True)
    for number in range(patterns.shape[1]):
        rows, steps = np.flatnonzero(patterns[:, number]), np.flatnonzero(which.ravel() == number)
        if len(rows):
            counts = buckets.values[np.ix_(rows, steps)]
            result[steps] = _of_buckets(quantile[steps], limits[rows], counts)
    outside = np.where(quantile < 0, -np.inf, np.where(quantile > 1, np.inf, np.nan))
    inside = (quantile >= 0) & (quantile <= 1)
    return np.where(inside, result, outside)


def _of_buckets(quantile: Values, limits: Values, counts: Values) -> Values:
    """Source: ``bucketQuantile`` of the server.

    Args:
        quantile: shape (steps), within 0 to 1.
        limits: upper bounds, ascending.
        counts: cumulative, shape (buckets, steps).
    """
    undefined = np.full(len(quantile), np.nan)
    if not np.isposinf(limits[-1]):
        return undefined
    limits, counts = _coalesced(limits, counts)
    if len(limits) < 2:
        return undefined
    counts = _rising(counts)
    observations = counts[-1]
    rank = quantile * observations
    bucket = _first_reaching(counts[:-1], rank)
    steps = np.arange(len(quantile))
    below = np.maximum(bucket - 1, 0)
    start = np.where(bucket > 0, limits[below], 0.0)
    before = np.where(bucket > 0, counts[below, steps], 0.0)
    share = (rank - before) / (counts[bucket, steps] - before)
    value: Values = start + (limits[bucket] - start) * share
    lowest, highest = float(limits[0]), float(limits[-2])
    value = np.where((bucket == 0) & (lowest <= 0), lowest, value)
    value = np.where(bucket == len(limits) - 1, highest, value)
    return np.where(observations == 0, np.nan, value)


def _coalesced(limits: Values, counts: Values) -> tuple[Values, Values]:
    """Add up buckets with the same bound, such as ``1`` and ``1.0``."""
    starts = np.flatnonzero(np.diff(limits, prepend=np.nan) != 0)
    return limits[starts], np.add.reduceat(counts, starts, axis=0)


def _rising(counts: Values) -> Values:
    """Lift counts that fall short of the one below, as scrapes of a moving histogram do."""
    lifted = counts.copy()
    highest: Values = counts[0]
    for number in range(1, len(counts)):
        row: Values = counts[number]
        close = np.abs(row - highest) < _EQUAL * (np.abs(row) + np.abs(highest))
        lifted[number] = np.where((row < highest) | close, highest, row)
        highest = np.where(row > highest, row, highest)
    return lifted


def _first_reaching(counts: Values, rank: Values) -> NDArray[np.int64]:
    """Find by bisection the first bucket whose count reaches the rank, as the server does.

    Counts that are no numbers make this differ from looking at each in turn.
    """
    steps = np.arange(len(rank))
    low = np.zeros(len(rank), np.int64)
    high = np.full(len(rank), len(counts), np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        reaches = counts[np.minimum(middle, len(counts) - 1), steps] >= rank
        searching = low < high
        high = np.where(searching & reaches, middle, high)
        low = np.where(searching & ~reaches, middle + 1, low)
    return low
