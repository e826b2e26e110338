"""Where in a large, time-sorted file the asked spans lie."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .blocks import Block, decode_block, make_block
from .stamps import NONE, Stamps

__all__ = ["SEEK_FROM_BYTES", "Probe", "Prober", "byte_ranges", "is_sorted"]

SEEK_FROM_BYTES = 8 << 20
"""Smaller files are read whole: that is as fast, and right even when a line is out of order."""

_PROBE_BYTES = 16 << 10
_FEW_BYTES = 1 << 10
_PROBE_LIMIT = 1 << 20
"""A stretch of this many bytes without a stamp ends the search for one."""

_DISORDER_MS = 5_000
"""Threads write a little out of order; a file is still sorted then."""

_MARGIN_MS = 60_000
"""Read this much more at either end, for lines that are out of order."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The first dated line at or after some offset."""

    offset: int
    stamps: Stamps
    """Of that one line."""


class Prober:
    """Looks into a plain file at any offset."""

    def __init__(
        self, path: Path, size: int, encoding: str, stamp: Callable[[Block], Stamps]
    ) -> None:
        """Take the file and a function that returns the stamps of a block's lines."""
        self._path = path
        self._size = size
        self._encoding = encoding
        self._stamp = stamp

    def at(self, file: BinaryIO, position: int) -> Probe | None:
        """Return the first dated line that starts at or after ``position``."""
        start, size = position, _PROBE_BYTES
        while start < self._size and size <= _PROBE_LIMIT:
            file.seek(start)
            data = file.read(size)
            skip = 0 if start == 0 else data.find(b"\n") + 1
            end = data.rfind(b"\n") + 1
            # Mostly the first line will do; the rest is looked at only when it does not.
            few = data.find(b"\n", skip + _FEW_BYTES) + 1
            for stop in (few, end):
                if stop > skip:
                    found = self._first(data[skip:stop], start + skip)
                    if found is not None:
                        return found
            size *= 4
        return None

    def _first(self, data: bytes, base: int) -> Probe | None:
        text, _ = decode_block(data, self._encoding)
        block = make_block(text, data if text is not data else None, base)
        stamps = self._stamp(block)
        dated = np.flatnonzero(stamps.kind != NONE)
        if not len(dated):
            return None
        row = int(dated[0])
        one = stamps.take(np.array([row]))
        return Probe(int(block.offsets[row]), one)

    def sample(self, count: int) -> Iterator[Probe]:
        """Yield dated lines spread evenly over the file."""
        with self._path.open("rb") as file:
            for k in range(count):
                probe = self.at(file, self._size * k // count)
                if probe is not None:
                    yield probe

    def offset_of(self, file: BinaryIO, wanted: int, utc: Callable[[Stamps], int]) -> int:
        """Return an offset from which all lines at or after ``wanted`` (UTC ms) follow."""
        low, high = 0, self._size
        while high - low > _PROBE_BYTES:
            middle = (low + high) // 2
            probe = self.at(file, middle)
            if probe is None or utc(probe.stamps) >= wanted:
                high = middle
            else:
                low = probe.offset
                if low >= high:
                    break
        probe = self.at(file, low)
        return probe.offset if probe is not None else low


def is_sorted(times: Iterable[int]) -> bool:
    """Tell whether sampled times ascend, but for small disorder; look no further than that."""
    several, before = False, None
    for at in times:
        if before is not None and at < before - _DISORDER_MS:
            return False
        several, before = before is not None, at
    return several


def byte_ranges(
    prober: Prober,
    path: Path,
    size: int,
    spans: Sequence[tuple[int, int]],
    utc: Callable[[Stamps], int],
) -> list[tuple[int, int]]:
    """Return the byte ranges that hold the spans, merged, ascending."""
    ranges: list[tuple[int, int]] = []
    with path.open("rb") as file:
        for start, end in sorted(spans):
            low = prober.offset_of(file, start - _MARGIN_MS, utc)
            high = prober.offset_of(file, end + _MARGIN_MS, utc)
            # offset_of stays before the wanted line by up to a probe's length.
            high = _line_end(file, min(size, high + 2 * _PROBE_BYTES), size)
            if high <= low:
                continue
            if ranges and low <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], max(high, ranges[-1][1]))
            else:
                ranges.append((low, high))
    return ranges


def _line_end(file: BinaryIO, position: int, size: int) -> int:
    """Return the offset after the line end at or after a position."""
    while position < size:
        file.seek(position)
        data = file.read(_PROBE_BYTES)
        if not data:
            return size
        cut = data.find(b"\n") + 1
        if cut:
            return position + cut
        position += len(data)
    return size
