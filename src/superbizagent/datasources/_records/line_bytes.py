"""The bytes that records were cut from, where bytes are letters: a look at them is cheap."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from .blocks import Block
from .cuts import JOIN

__all__ = ["FILLER", "LineBytes"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

FILLER = "\0"
"""Stands behind the end of a line that is shorter than what was asked for; no line holds it."""

_NEWLINE = ord("\n")


@dataclass(frozen=True, slots=True)
class LineBytes:
    """Where the text of each of some records begins among the bytes of their block."""

    buffer: Bytes
    starts: Ints

    @classmethod
    def of(cls, block: Block, rows: Ints) -> "LineBytes | None":
        """Return the records that begin with these lines, None where bytes are no letters."""
        if not block.text.isascii() or FILLER.encode() in block.text:
            return None
        return cls(block.buffer, block.starts[rows])

    def windows(self, begins: Ints, width: int) -> Bytes:
        """Return ``width`` bytes of each record from a place in it on, one row each."""
        return sliding_window_view(self.buffer, width)[self.starts + begins]

    def lines(self, begins: Ints, ends: Ints, width: int) -> Bytes:
        """Return the same as lines, each ended by a newline, with `FILLER` from ``ends`` on.

        ``width`` is at most what follows the last line in the buffer, less one.
        """
        found = self.windows(begins, width + 1)
        found[:, width] = _NEWLINE
        inner = found[:, :width]
        inner[inner == _NEWLINE] = ord(JOIN)
        short = np.flatnonzero(ends - begins < width)
        beyond = np.arange(width, dtype=np.int64) >= (ends - begins)[short, None]
        inner[short] = np.where(beyond, ord(FILLER), inner[short])
        return found
