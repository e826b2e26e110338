"""Time stamps of many lines at once: where they stand and what they say.

Only lines whose stamp is not where the file's stamps usually are get searched.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from superbizagent.domain.distinct import DIGIT, joined, numbered

from .layouts import FORMS, MAX_LENGTH, STAMP
from .stamp_forms import (
    DATE_LESS,
    LOCAL,
    NONE,
    PAD,
    SEARCHED,
    UTC,
    YEAR_LESS,
    Lines,
    Place,
    Stamps,
    digit,
    fits,
    is_word,
    matches,
    read_form,
)

__all__ = [
    "DATE_LESS",
    "LOCAL",
    "NONE",
    "PAD",
    "UTC",
    "YEAR_LESS",
    "Place",
    "Stamps",
    "read_stamps",
]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NEAR = 32
"""Most stamps begin within so many bytes, and so much of a line is mostly like that of others."""

_FEW = 1000
"""Lines of which it does not pay to look for the distinct forms."""

_BARE_BEGIN = 24
"""A number or a time of day further inside is more often an id or part of the message."""


def read_stamps(
    buffer: Bytes,
    starts: Ints,
    lengths: Ints,
    places: Sequence[Place] = (),
    *,
    search: Flags | bool = True,
) -> Stamps:
    """Read the stamps of all lines.

    Args:
        buffer: text, followed by at least `PAD` bytes.
        starts: offset of each line in ``buffer``.
        lengths: bytes of each line without its end.
        places: where to look first.
        search: which lines to search when there is nothing at those places.
    """
    found = Stamps.none(len(starts))
    lines = Lines(buffer, starts, lengths)
    for place in places:
        rows = np.flatnonzero(found.kind == NONE)
        if not len(rows):
            return found
        begins = np.full(len(rows), place.begin, np.int64)
        read_form(place.form, lines, rows, begins, found)
    open_rows = (found.kind == NONE) & (lengths >= 8) & search
    rows = np.flatnonzero(open_rows)
    if len(rows):
        _search(lines, rows, found)
    return found


def _search(lines: Lines, rows: Ints, found: Stamps) -> None:
    """Find stamps anywhere in the first bytes of some lines, then read them there.

    Where a stamp stands depends on the form of a line alone, and with all digits alike few lines
    have one of their own. What such a form promised and the digits did not keep is looked for
    line by line.
    """
    if len(rows) < _FEW:
        _search_each(lines, rows, found)
        return
    for width in (_NEAR, SEARCHED):
        if not len(rows):
            return
        head = _heads(lines, rows, width + MAX_LENGTH)
        head[digit(head)] = DIGIT
        shape, distinct = numbered(pl.read_lines(head.tobytes()).to_series())
        first = np.frombuffer(joined(distinct), np.uint8).reshape(len(distinct), -1)
        form, begin = _forms(distinct, first, width)
        form, begin = form[shape], begin[shape]
        for number in np.unique(form[form >= 0]).tolist():
            mine = np.flatnonzero(form == number)
            read_form(number, lines, rows[mine], begin[mine], found)
        _search_each(lines, rows[(form >= 0) & (found.kind[rows] == NONE)], found)
        rows = rows[(form < 0) & (lines.lengths[rows] > width)]


def _forms(texts: pl.Series, head: Bytes, width: int) -> tuple[NDArray[np.int8], Ints]:
    """Return which form of a stamp stands in each text, -1 for none, and where it begins."""
    hit, begins = _places_of(texts, head)
    form = np.full(len(head), -1, np.int8)
    todo = np.flatnonzero(hit & (begins < width))
    for number, one in enumerate(FORMS):
        size = len(one.layout)
        some = todo[begins[todo] + size < head.shape[1]]
        if one.epoch_digits or not one.has_date:
            some = some[begins[some] <= _BARE_BEGIN]
        for column in one.telling:
            some = some[fits(one.layout[column], head[some, begins[some] + column])]
        if not len(some):
            continue
        text = sliding_window_view(head, size + 1, axis=1)[some, begins[some]]
        form[some[matches(one, text) & ~digit(text[:, size])]] = number
        todo = todo[form[todo] < 0]
    return form, begins


def _search_each(lines: Lines, rows: Ints, found: Stamps) -> None:
    """Look for stamps in each line by itself."""
    if not len(rows):
        return
    head = _heads(lines, rows, SEARCHED + MAX_LENGTH)
    hit, begins = _places_of(pl.read_lines(head.tobytes()).to_series(), head)
    todo = np.flatnonzero(hit & (begins < SEARCHED))
    for number, form in enumerate(FORMS):
        if not len(todo):
            return
        near = todo
        if form.epoch_digits or not form.has_date:
            near = todo[begins[todo] <= _BARE_BEGIN]
        read_form(number, lines, rows[near], begins[near], found)
        todo = todo[found.kind[rows[todo]] == NONE]


def _heads(lines: Lines, rows: Ints, width: int) -> Bytes:
    """Return the first bytes of some lines, each row ended by a newline.

    One ASCII byte stands for each byte, so that places in the text are places in the buffer.
    """
    head = lines.windows(rows, 0, width)
    beyond = np.arange(width, dtype=np.int64) >= lines.lengths[rows][:, None]
    head[beyond | (head < 32)] = 32
    head[head > 126] = 63
    head[:, -1] = 10
    return head


def _places_of(texts: pl.Series, head: Bytes) -> tuple[Flags, Ints]:
    """Return which texts hold a stamp, and where it begins in each."""
    # Most lines without a stamp have no digit pair with a separator; the finder sees to that.
    at = texts.str.find(STAMP, strict=True)
    begins = at.fill_null(0).to_numpy().astype(np.int64)
    first = head[np.arange(len(head)), begins]
    return at.is_not_null().to_numpy(), begins + ~is_word(first)
