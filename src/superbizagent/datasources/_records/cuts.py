"""Where records begin among lines, and their text."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .blocks import Block

__all__ = [
    "CONTINUED",
    "JOIN",
    "cut_records",
    "starts_like_dated",
    "starts_of_runs",
    "starts_of_slow_queries",
]

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

JOIN = "\x1e"
"""Stands for a line end inside a record while records are cut; logs do not hold it."""

CONTINUED = r"^(?:\s|\}|\)|at |Caused by|\.\.\.|Traceback|$)"
"""How a line begins that is no record of its own: a part of a stack trace, a closing brace."""

_LIKE_BYTES = 4
"""A year, or a bracket and three digits of one."""


def starts_like_dated(block: Block, dated: Flags) -> Flags:
    """Add lines that begin like the record before them: their stamp has a form we do not know."""
    rows = np.flatnonzero(dated)
    if not len(rows) or len(rows) == len(dated):
        return dated
    head = block.buffer[block.starts[:, None] + np.arange(_LIKE_BYTES)]
    before = np.searchsorted(rows, np.arange(len(dated)), side="right") - 1
    like = (head == head[rows[np.maximum(before, 0)]]).all(axis=1) & (before >= 0)
    indented = (head[:, 0] == 32) | (head[:, 0] == 9)
    return dated | (like & ~indented & (block.lengths >= _LIKE_BYTES))


def starts_of_slow_queries(block: Block) -> Flags:
    """Return where the statements of a slow-query log begin."""
    head = block.buffer[block.starts[:, None] + np.arange(8)]
    time = (head == np.frombuffer(b"# Time: ", np.uint8)).all(axis=1)
    user = (head == np.frombuffer(b"# User@H", np.uint8)).all(axis=1)
    after_time = np.concatenate([np.zeros(1, np.bool_), time[:-1]])
    return time | (user & ~after_time)


def starts_of_runs(rest: Flags, good: Flags, dated: Flags) -> Flags:
    """Return where runs of lines begin that are no JSON; a line with a stamp begins one too."""
    filled = rest | good
    last = np.maximum.accumulate(np.where(filled, np.arange(len(rest)), -1))
    before = np.concatenate([np.full(1, -1), last[:-1]])
    after_rest = (before >= 0) & rest[before]
    return rest & (~after_rest | dated)


def cut_records(block: Block, starts: Flags, wanted: Flags) -> tuple[pl.Series, Ints]:
    """Return the text of the wanted records, line ends inside them replaced, and which they are."""
    rows = np.flatnonzero(starts)
    picked = np.flatnonzero(wanted)
    first, last = int(picked[0]), int(picked[-1])
    begin = int(block.starts[rows[first]])
    end = int(block.starts[rows[last + 1]]) if last + 1 < len(rows) else len(block.text)
    inner = np.flatnonzero(~starts)
    inner = inner[(inner > rows[first]) & (block.starts[inner] < end)]
    if len(inner):
        text = block.buffer[begin:end].copy()
        text[block.starts[inner] - 1 - begin] = ord(JOIN)
        data = text.tobytes()
    else:
        data = block.text[begin:end]
    lines = pl.read_lines(data).to_series()
    if len(picked) < last + 1 - first:
        lines = lines.gather(pl.Series(picked - first))
    return lines, picked
