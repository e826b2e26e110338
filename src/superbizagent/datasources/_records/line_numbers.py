"""Byte offsets to line numbers: readers and editors count lines, records know their offset."""

from collections.abc import Iterable
from pathlib import Path

from .streams import iter_bytes

__all__ = ["line_numbers"]


def line_numbers(path: Path, offsets: Iterable[int]) -> dict[int, int]:
    """Return the number, from 1, of the line that each byte offset of the uncompressed file is in.

    One pass over the file. Offsets behind its end, where it was cut meanwhile, are left out.

    Raises:
        OSError: when the file cannot be read.
    """
    wanted = sorted(set(offsets), reverse=True)
    found: dict[int, int] = {}
    start, lines = 0, 1
    with path.open("rb") as file:
        for piece in iter_bytes(file, []):
            at = 0
            while wanted and wanted[-1] < start + len(piece):
                offset = wanted.pop()
                lines += piece.count(b"\n", at, offset - start)
                at = offset - start
                found[offset] = lines
            if not wanted:
                break
            lines += piece.count(b"\n", at)
            start += len(piece)
    return found
