"""Numbers read out of the bytes of many messages at once, at places known from their shapes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._log_keys import Form, Spot
from superbizagent.analysis._log_shapes import Shapes

__all__ = ["Spots", "read_numbers"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

_EXACT = 15  # digits that a float holds whatever they are
_LONGEST = 40  # digits and point of a number; what is longer is an id
_MINUS, _POINT, _SPACE = b"-. "
_WORD = np.array([byte < 128 and (chr(byte).isalnum() or byte == 95) for byte in range(256)])


@dataclass(frozen=True, slots=True)
class Spots:
    """Spots in columns."""

    part: Ints
    before: Bytes
    form: Ints
    unit: Bytes
    """Shape ``(n, 2)``, zero where there is no letter."""

    @classmethod
    def of(cls, spots: list[Spot]) -> "Spots":
        """Put spots into columns."""
        units = b"".join(s.unit.ljust(2, b"\0") for s in spots)
        return cls(
            np.array([s.part for s in spots], np.int64),
            np.array([s.before for s in spots], np.uint8),
            np.array([s.form for s in spots], np.int64),
            np.frombuffer(units, np.uint8).reshape(-1, 2),
        )


def read_numbers(shapes: Shapes, rows: Ints, spots: Spots, which: Ints) -> Floats:
    """Return the number of each row at one spot each, NaN where none stands there.

    Args:
        shapes: of the messages.
        rows: indices of messages.
        spots: of fields.
        which: the spot to look at, one for each of ``rows``.
    """
    values = np.full(len(rows), np.nan)
    offsets, begins = shapes.numbers()
    line = shapes.lines[rows]
    part = begins[line] + spots.part[which]
    there = np.flatnonzero(part < begins[line + 1])
    at = shapes.text.begins[rows[there]] + offsets[part[there]]
    text = shapes.text.data
    right = text[at - 1] == spots.before[which[there]]
    there, at = there[right], at[right]
    values[there] = _read(text, at, spots, which[there])
    return values


def _read(text: Bytes, at: Ints, spots: Spots, which: Ints) -> Floats:
    """Return the number whose first digit is at each place."""
    whole, end = _digits(text, at, np.zeros(len(at), np.int64))
    form = spots.form[which]
    size = end - at
    good = size > 0
    point = (text[end] == _POINT) & (text[end + 1] - 48 < 10) & (form <= Form.MEASURE)
    tail = np.flatnonzero(point)
    number = whole.astype(np.float64)
    if len(tail):
        mantissa, last = _digits(text, end[tail] + 1, whole[tail])
        number[tail] = mantissa / 10.0 ** (last - end[tail] - 1)
        end[tail] = last
    for k in np.flatnonzero(end - at > _EXACT).tolist():
        number[k] = float(text[at[k] : end[k]].tobytes()) if end[k] - at[k] <= _LONGEST else np.nan
    code = form == Form.CODE
    good &= ~code | ((size <= 5) & ~_WORD[text[end]])
    good &= (form != Form.STATUS) | ((size == 3) & (number >= 100) & (number < 600))
    unit = spots.unit[which]
    measured = np.flatnonzero(unit[:, 0])
    if len(measured):
        after = end[measured] + (text[end[measured]] == _SPACE)
        first, second = unit[measured].T
        same = (text[after] == first) & ((second == 0) | (text[after + 1] == second))
        good[measured] &= same
    number = np.where(spots.before[which] == _MINUS, -number, number)
    return np.where(good, number, np.nan)


def _digits(text: Bytes, at: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Append the digits from each place on to a value; return it, and where they end."""
    value, end = value.copy(), at.copy()
    live = np.arange(len(at))
    place, number = at, value
    for _ in range(_LONGEST + 1):
        digit = text[place] - 48
        on = digit < 10
        if not on.all():
            done = live[~on]
            value[done], end[done] = number[~on], place[~on]
            live, place, number, digit = live[on], place[on], number[on], digit[on]
            if not len(live):
                return value, end
        number = number * 10 + digit
        place = place + 1
    value[live], end[live] = number, place
    return value, end
