"""Distinct values of long columns, numbered in order of first sight; texts by their form."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["DIGIT", "distinct_of", "joined", "numbered", "with_digits_alike"]

Ints = NDArray[np.int64]

DIGIT = ord("1")
"""Stands for any digit where only the form of a text counts."""

_ALIKE = bytes(DIGIT if 48 <= byte < 58 else byte for byte in range(256))
_DENSE = 1 << 22  # cells of a table, above which sorting is cheaper


def numbered(texts: pl.Series) -> tuple[Ints, pl.Series]:
    """Return the number of each text among the distinct ones in order of first sight, and those."""
    if len(texts) > 1 and texts[0] == texts[-1] and (texts == texts[0]).all():
        return np.zeros(len(texts), np.int64), texts.head(1)
    # Categories of its own: the global ones grow for as long as any column of them lives.
    kind = pl.Categorical(pl.Categories.random())
    codes = texts.cast(kind).to_physical().to_numpy().astype(np.int64)
    first, place = distinct_of(codes, int(codes.max(initial=-1)) + 1)
    return place, texts.gather(pl.Series(first))


def distinct_of(cells: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the first row of each distinct cell, ascending, and of each row which cell it has.

    Args:
        cells: from 0 to below ``size``.
        size: of the table.
    """
    if size > _DENSE:
        cells = np.unique(cells, return_inverse=True)[1]
        size = len(cells)
    seen = np.full(size, -1, np.int64)
    seen[cells[::-1]] = np.arange(len(cells), dtype=np.int64)[::-1]
    first = seen[seen >= 0]
    if len(first) == size and (first[1:] > first[:-1]).all():
        return first, cells
    first.sort()
    place = np.zeros(size, np.int64)
    place[cells[first]] = np.arange(len(first), dtype=np.int64)
    return first, place[cells]


def joined(texts: pl.Series) -> bytes:
    """Return one text or more as bytes, each with a newline behind it."""
    return bytes(texts.str.join("\n").cast(pl.Binary).item()) + b"\n"


def with_digits_alike(lines: bytes) -> pl.Series:
    """Return lines with every digit as `DIGIT`: of many, few are distinct then."""
    text = lines.translate(_ALIKE).decode().removesuffix("\n")
    return pl.Series([text] if lines else [], dtype=pl.String).str.split("\n").explode()
