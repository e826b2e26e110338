"""Distinct values of long columns, numbered in order of first sight; texts by their form."""

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = [
    "DIGIT",
    "digits_alike",
    "distinct_of",
    "joined",
    "lines_of",
    "numbered",
    "pieces_of",
    "places_of",
    "stable_order",
]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

DIGIT = ord("1")
"""Stands for any digit where only the form of a text counts."""

_RADIX = np.iinfo(np.uint16).max
"""The largest number that is sorted digit by digit, some ten times as fast."""

_PIECE = 1 << 18
"""Bytes."""

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


def stable_order(cells: Ints) -> Ints:
    """Return the rows by ascending cell, none negative, those of one cell in their order."""
    if cells.max(initial=0) <= _RADIX:
        return np.argsort(cells.astype(np.uint16), kind="stable")
    return np.argsort(cells, kind="stable")


def joined(texts: pl.Series, behind: str = "") -> bytes:
    """Return one text or more as bytes, each with a newline behind it, and what is to follow."""
    whole = texts.extend_constant(behind, 1).str.join("\n").cast(pl.Binary).item()
    return bytes(whole)


def pieces_of(text: Bytes) -> Iterator[Bytes]:
    """Yield a text in pieces so small that what is made of them stays in the processor's cache."""
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE]


def places_of(byte: int, text: Bytes) -> Ints:
    """Return where a byte stands in a text."""
    found = [np.zeros(0, np.int64)]
    for number, piece in enumerate(pieces_of(text)):
        found.append(np.flatnonzero(piece == byte) + number * _PIECE)
    return np.concatenate(found)


def digits_alike(text: Bytes) -> bytes:
    """Return the bytes of a text with every digit as `DIGIT`: of many lines few differ then."""
    alike: list[bytes] = []
    for piece in pieces_of(text):
        above = piece - DIGIT
        above *= piece - 48 < 10  # what is below 48 wraps around
        alike.append((piece - above).tobytes())
    return b"".join(alike)


def lines_of(text: bytes) -> pl.Series:
    """Return the lines of a text, each ended by a newline and by nothing else."""
    if b"\r" not in text:
        return pl.read_lines(text).to_series()
    whole = text.decode().removesuffix("\n")
    return pl.Series([whole], dtype=pl.String).str.split("\n").explode()
