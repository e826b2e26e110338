"""Statistics of many short rows at once.

Rows of like length are worked on together as one matrix, in blocks of bounded size: linear in the
number of series, no Python work per series. numpy sorts NaN last, which is what the padding uses.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["row_extremes", "row_means", "row_quantiles", "row_sustained", "spans"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CELLS = 4_000_000  # 32 MB a block


def spans(starts: Ints, lengths: Ints) -> Ints:
    """Return the indices ``starts[k] .. starts[k] + lengths[k] - 1`` of all rows, concatenated."""
    total = int(lengths.sum())
    before = np.cumsum(lengths) - lengths
    return np.arange(total, dtype=np.int64) + np.repeat(starts - before, lengths)


def row_quantiles(values: Floats, lengths: Ints, shares: tuple[float, ...]) -> Floats:
    """Return quantiles (linear between neighbours) of every row: shape ``(len(shares), n)``.

    ``values`` holds the rows one after the other, ``lengths`` their sizes. An empty row gives NaN.
    """
    result = np.full((len(shares), len(lengths)), np.nan)
    for rows, matrix in _matrices(values, lengths):
        matrix.sort(axis=1)
        for k, share in enumerate(shares):
            result[k, rows] = _pick(matrix, lengths[rows], share)
    return result


def row_means(values: Floats, lengths: Ints) -> Floats:
    """Return the mean of every row; an empty row gives NaN."""
    filled = np.flatnonzero(lengths > 0)
    result = np.full(len(lengths), np.nan)
    if len(filled):
        starts = (np.cumsum(lengths) - lengths)[filled]
        result[filled] = np.add.reduceat(values, starts) / lengths[filled]
    return result


def row_extremes(values: Floats, lengths: Ints) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of every row; an empty row gives NaN."""
    filled = np.flatnonzero(lengths > 0)
    low, high = np.full(len(lengths), np.nan), np.full(len(lengths), np.nan)
    if len(filled):
        starts = (np.cumsum(lengths) - lengths)[filled]
        low[filled] = np.minimum.reduceat(values, starts)
        high[filled] = np.maximum.reduceat(values, starts)
    return low, high


def row_sustained(values: Floats, lengths: Ints, share: float, least: int) -> tuple[Floats, Floats]:
    """Return the lowest and highest mean over any run of a row.

    A run is ``share`` of the row's length, at least ``least`` samples; a shorter row is one run.
    """
    low, high = np.full(len(lengths), np.nan), np.full(len(lengths), np.nan)
    for rows, matrix in _matrices(values, lengths):
        size = lengths[rows]
        run = np.minimum(np.maximum(np.ceil(share * size).astype(np.int64), least), size)
        total = np.zeros((len(rows), matrix.shape[1] + 1))
        np.cumsum(np.nan_to_num(matrix), axis=1, out=total[:, 1:])
        start = np.arange(matrix.shape[1], dtype=np.int64)
        stop = start + run[:, None]
        inside = stop <= size[:, None]
        ends = np.take_along_axis(total, np.minimum(stop, matrix.shape[1]), axis=1)
        means = (ends - total[:, :-1]) / run[:, None]
        low[rows] = np.where(inside, means, np.inf).min(axis=1)
        high[rows] = np.where(inside, means, -np.inf).max(axis=1)
    return low, high


def _matrices(values: Floats, lengths: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield rows and their values as a matrix padded with NaN."""
    starts = np.cumsum(lengths) - lengths
    for rows, width in _blocks(lengths):
        matrix = np.full((len(rows), width), np.nan)
        inside = np.arange(width) < lengths[rows][:, None]
        matrix[inside] = values[spans(starts[rows], lengths[rows])]
        yield rows, matrix


def _blocks(lengths: Ints) -> Iterator[tuple[Ints, int]]:
    """Yield rows of like length with the widest of them; at most `_CELLS` cells a block."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    start = 0
    while start < len(order):
        # Rows from `start` on that are at most half as wide again, so that padding stays small.
        narrow = int(lengths[order[start]])
        stop = int(np.searchsorted(lengths[order], narrow + narrow // 2 + 8, side="right"))
        stop = min(stop, start + max(1, _CELLS // (narrow + narrow // 2 + 8)))
        rows = order[start:stop]
        yield rows, int(lengths[rows[-1]])
        start = stop


def _pick(matrix: Floats, lengths: Ints, share: float) -> Floats:
    position = share * (lengths - 1)
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, lengths - 1)
    row = np.arange(len(lengths))
    a, b = matrix[row, low], matrix[row, high]
    return a + (b - a) * (position - low)
