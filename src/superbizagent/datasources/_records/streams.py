"""Bytes of a plain or gzipped file, whole or in pieces; a truncated end is a note, no error."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

__all__ = ["Content", "is_gzip", "iter_bytes", "read_tolerant"]

_PIECE = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 31
"""zlib's word for "a gzip header and a 32 kB window"."""
TRUNCATED = "the gzip file is truncated or damaged; what could be unpacked was read"


@dataclass(slots=True)
class Content:
    """What a file holds."""

    data: bytes
    cut: bool = False
    """There is more than was asked for."""
    notes: list[str] = field(default_factory=list[str])


def is_gzip(path: Path) -> bool:
    """Tell from the first bytes, whatever the name says."""
    with path.open("rb") as file:
        return file.read(2) == _GZIP_MAGIC


def iter_bytes(file: BinaryIO, notes: list[str], piece: int = _PIECE) -> Iterator[bytes]:
    """Yield the uncompressed content of an open file from its start, in pieces.

    Several gzip members one after another are one file. Damage ends the stream and is noted.
    """
    head = file.read(piece)
    if head.startswith(_GZIP_MAGIC):
        yield from _unpack(file, head, notes, piece)
        return
    while head:
        yield head
        del head  # before the next is read
        head = file.read(piece)


def _unpack(file: BinaryIO, data: bytes, notes: list[str], piece: int) -> Iterator[bytes]:
    engine = zlib.decompressobj(wbits=_GZIP)
    while data:
        try:
            out = engine.decompress(data, piece)
        except zlib.error:
            notes.append(TRUNCATED)
            return
        if out:
            yield out
        data = engine.unconsumed_tail
        if engine.eof:
            # Some writers pad a member with zeros.
            data = engine.unused_data.lstrip(b"\x00") or file.read(piece)
            if not data:
                return
            if not data.startswith(_GZIP_MAGIC):
                notes.append("bytes after the end of the gzip file were not read")
                return
            engine = zlib.decompressobj(wbits=_GZIP)
        elif not data:
            data = file.read(piece)
    notes.append(TRUNCATED)


def read_tolerant(path: Path, limit: int) -> Content:
    """Return up to ``limit`` uncompressed bytes of a file.

    Raises:
        OSError: when the file cannot be opened or read.
    """
    content = Content(b"")
    parts: list[bytes] = []
    size = 0
    with path.open("rb") as file:
        for part in iter_bytes(file, content.notes):
            parts.append(part)
            size += len(part)
            if size > limit:
                content.cut = True
                break
    data = b"".join(parts)
    if content.notes and b"\n" in data:  # the last line of a damaged file is torn
        data = data[: data.rindex(b"\n") + 1]
    content.data = data[:limit]
    return content
