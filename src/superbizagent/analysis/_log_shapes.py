"""Distinct shapes among message heads, their grouping keys, and where numbers stand in them.

With all digits alike most messages repeat, so what depends on the form of a message alone is asked
for of few of them; only the values of its numbers are read line by line, out of the bytes.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_parts import parts_alike
from superbizagent.analysis._masks import HEAD, key_of
from superbizagent.domain.distinct import (
    DIGIT,
    digits_alike,
    joined,
    lines_of,
    numbered,
    places_of,
)

__all__ = ["PAD", "HeadText", "Shapes", "shapes_of"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

PAD = 128
"""Bytes that follow the last head, so that a look past the end of a number stays inside."""

_COLON = ord(":")
_NEWLINE = ord("\n")
_SAMPLE = 1000
_MANY = 0.4
"""Share of a sample from which on distinct heads are so many that they must be made alike."""

_FEW = 1000
"""Shapes of which it does not pay to look for those that are alike once filled."""

_WORD = np.array([byte < 128 and (chr(byte).isalnum() or byte in b"_.-") for byte in range(256)])


@dataclass(frozen=True, slots=True)
class HeadText:
    """The heads of some messages one after the other."""

    data: Bytes
    """All heads, each with a newline behind it, and `PAD` bytes more."""
    begins: Ints
    """Where each begins."""
    sample: pl.Series
    """Some of the heads, evenly spread."""
    has_line_ends: bool
    """A line end stands within a head, and ``begins`` are those of all lines."""

    @classmethod
    def of(cls, heads: pl.Series) -> "HeadText":
        """Lay out one head or more, at most `HEAD` letters of each."""
        if int(heads.str.len_bytes().to_numpy().max()) > HEAD:
            heads = heads.str.head(HEAD)
        data = np.frombuffer(joined(heads, "\0" * PAD), np.uint8)
        ends = places_of(_NEWLINE, data[:-PAD])
        sample = heads.gather_every(max(1, len(heads) // _SAMPLE))
        return cls(data, np.append(0, ends[:-1] + 1), sample, has_line_ends=len(ends) > len(heads))

    @property
    def lines(self) -> Bytes:
        """What stands before the padding."""
        return self.data[:-PAD]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The heads of some messages by shape."""

    text: HeadText
    codes: Ints
    """The key of each, an index in ``keys``."""
    keys: pl.Series
    """Distinct grouping keys, in order of first sight."""
    shapes: pl.Series
    """Distinct heads with all digits alike, and where many hold ids all that the key leaves out."""
    lines: Ints
    """The shape of each, an index in ``shapes``."""

    def numbers(self) -> tuple[Ints, Ints]:
        """Return where the parts that the key leaves out have their first digit.

        Offsets in a shape, which hold for the heads of that shape too, and where those of each
        shape begin, one more than there are shapes.
        """
        data = _bytes_of(self.shapes)
        digit = data == DIGIT
        word = _WORD[data]
        fresh = word.copy()
        fresh[1:] &= ~word[:-1]
        at = np.flatnonzero(digit)
        run = np.cumsum(fresh, dtype=np.int32)[at]
        first = np.ones(len(at), np.bool_)
        first[1:] = run[1:] != run[:-1]
        at, run = at[first], run[first]
        # ``a1:20`` is one part: a word behind a colon that begins with a digit goes on.
        goes_on = np.zeros(len(at), np.bool_)
        goes_on[1:] = (run[1:] == run[:-1] + 1) & fresh[at[1:]]
        goes_on[1:] &= (data[at[1:] - 1] == _COLON) & word[at[1:] - 2]
        at = at[~goes_on]
        ends = places_of(_NEWLINE, data)
        starts = np.append(0, ends + 1)
        begins = np.searchsorted(at, starts)
        return at - np.repeat(starts[:-1], np.diff(begins)), begins


def shapes_of(text: HeadText) -> Shapes:
    """Return the shapes of message heads, none with a line end in it."""
    sample = lines_of(digits_alike(_bytes_of(text.sample)))
    if sample.n_unique() > _MANY * len(sample):
        lines, shapes = numbered(lines_of(parts_alike(text.lines)))
        of_shape, keys = numbered(key_of(shapes))
    else:  # it is less work to fill the shapes alone
        lines, shapes = numbered(lines_of(digits_alike(text.lines)))
        of_shape, keys = _keys_of(shapes)
    return Shapes(text=text, codes=of_shape[lines], keys=keys, shapes=shapes, lines=lines)


def _keys_of(shapes: pl.Series) -> tuple[Ints, pl.Series]:
    """Return which key each shape has, and the distinct keys."""
    if len(shapes) < _FEW:
        return numbered(key_of(shapes))
    of_shape, filled = numbered(lines_of(parts_alike(_bytes_of(shapes))))
    of_filled, keys = numbered(key_of(filled))
    return of_filled[of_shape], keys


def _bytes_of(texts: pl.Series) -> Bytes:
    return np.frombuffer(joined(texts), np.uint8)
