"""Distinct shapes among message heads, their grouping keys, and where numbers stand in them.

With all digits alike most messages repeat, so what depends on the form of a message alone is asked
for of few of them; only the values of its numbers are read line by line, out of the bytes.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._masks import HEAD, key_of
from superbizagent.domain.distinct import DIGIT, joined, numbered, with_digits_alike

__all__ = ["PAD", "Shapes", "shapes_of"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

PAD = 128
"""Bytes that follow the last head, so that a look past the end of a number stays inside."""

_COLON = ord(":")
_WORD = np.array([byte < 128 and (chr(byte).isalnum() or byte in b"_.-") for byte in range(256)])
_SAMPLE = 2000  # messages


@dataclass(frozen=True, slots=True)
class Shapes:
    """The heads of some messages by shape."""

    data: bytes
    """All heads, each with a newline behind it."""
    begins: Ints
    """Where each begins."""
    codes: Ints
    """The key of each, an index in ``keys``."""
    keys: pl.Series
    """Distinct grouping keys, in order of first sight."""
    shapes: pl.Series
    """Distinct heads with all digits alike."""
    lines: Ints
    """The shape of each, an index in ``shapes``."""

    def text(self) -> Bytes:
        """Return all heads as bytes, and `PAD` more."""
        return np.frombuffer(self.data + bytes(PAD), np.uint8)

    def numbers(self) -> tuple[Ints, Ints]:
        """Return where the parts that the key leaves out have their first digit.

        Offsets in a shape, which hold for the heads of that shape too, and where those of each
        shape begin, one more than there are shapes.
        """
        data = np.frombuffer(joined(self.shapes), np.uint8)
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
        ends = np.flatnonzero(data == 10)
        starts = np.append(0, ends + 1)
        begins = np.searchsorted(at, starts)
        return at - np.repeat(starts[:-1], np.diff(begins)), begins


def shapes_of(heads: pl.Series) -> Shapes:
    """Return the shapes of one message head or more, none with a line end in it."""
    sizes = heads.str.len_bytes().to_numpy().astype(np.int64)
    if sizes.max() > HEAD:
        heads = heads.str.head(HEAD)
        sizes = heads.str.len_bytes().to_numpy().astype(np.int64)
    data = joined(heads)
    ends = np.cumsum(sizes + 1)
    texts = with_digits_alike(data)
    sample = texts.gather_every(max(1, len(texts) // _SAMPLE))
    if sample.n_unique() > 0.8 * len(sample):
        # Nearly all hold a hexadecimal id, and hardly two are alike.
        lines = np.arange(len(texts), dtype=np.int64)
        codes, keys = numbered(key_of(texts))
    else:
        lines, texts = numbered(texts)
        of_shape, keys = numbered(key_of(texts))
        codes = of_shape[lines]
    return Shapes(
        data=data,
        begins=ends - sizes - 1,
        codes=codes,
        keys=keys,
        shapes=texts,
        lines=lines,
    )
