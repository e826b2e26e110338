"""JSON documents of a file: one object or list, or one a line; plain, gzip or zstd."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import zstandard

from superbizagent.datasources._records.streams import iter_bytes

__all__ = ["Documents", "iter_content", "whole_content"]

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PACKED_PIECE = 1 << 14
"""Bytes of a packed file that are unpacked at once: they may become a thousand times as many."""
_DAMAGED = "the zstd file is truncated or damaged; what could be unpacked was read"
_HELD_BYTES = 512_000_000
"""A single document is held while it is read; of a larger one nothing can be told."""


@dataclass(slots=True)
class Documents:
    """Reads one file; ``broken`` counts lines that are no JSON."""

    path: Path
    broken: int = 0
    notes: list[str] = field(default_factory=list[str])

    def __iter__(self) -> Iterator[Any]:
        """Yield documents as they come.

        Raises:
            OSError: when the file cannot be read.
            ValueError: when it is one document, and malformed or too large.
        """
        with self.path.open("rb") as file:
            lines = _lines(iter_content(file, self.notes))
            first = next((line for line in lines if line.strip()), b"")
            if not first:
                raise ValueError("the file is empty")
            try:
                document = orjson.loads(first.strip().removeprefix(b"\xef\xbb\xbf"))
            except orjson.JSONDecodeError:
                yield from self._whole(chain([first], lines))
                return
            yield document
            yield from self._by_line(lines)

    def _by_line(self, lines: Iterator[bytes]) -> Iterator[Any]:
        for line in lines:
            text = line.strip()
            if text:
                try:
                    yield orjson.loads(text)
                except orjson.JSONDecodeError:
                    self.broken += 1

    def _whole(self, lines: Iterator[bytes]) -> Iterator[Any]:
        """Yield a document of many lines; if it is none, the lines that are documents."""
        held = bytearray()
        for line in lines:
            held += line
            if len(held) > _HELD_BYTES:
                raise ValueError(f"one document of more than {_HELD_BYTES // 10**6} MB")
        data = bytes(held).strip().removeprefix(b"\xef\xbb\xbf")
        try:
            document = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            reason = f"malformed JSON in line {error.lineno}"
        else:
            yield document
            return
        read = False
        for document in self._by_line(iter(data.split(b"\n"))):
            # A number or a bracket of a torn document is a line of valid JSON, too.
            if isinstance(document, dict | list) and document:
                read = True
                yield document
        if not read:
            raise ValueError(reason)


def iter_content(file: BinaryIO, notes: list[str]) -> Iterator[bytes]:
    """Yield the uncompressed content of an open file in pieces; damage ends it and is noted."""
    magic = file.read(len(_ZSTD_MAGIC))
    file.seek(0)
    if magic != _ZSTD_MAGIC:
        yield from iter_bytes(file, notes)
        return
    engine = zstandard.ZstdDecompressor().decompressobj()
    try:
        while data := file.read(_PACKED_PIECE):
            yield engine.decompress(data)
            while engine.eof and (data := engine.unused_data or file.read(_PACKED_PIECE)):
                engine = zstandard.ZstdDecompressor().decompressobj()
                yield engine.decompress(data)
    except zstandard.ZstdError:
        notes.append(_DAMAGED)
        return
    if not engine.eof:
        notes.append(_DAMAGED)


def whole_content(path: Path, notes: list[str]) -> bytes:
    """Return the uncompressed content of a file, as far as it is held.

    Raises:
        OSError: when the file cannot be read.
    """
    held = bytearray()
    with path.open("rb") as file:
        for piece in iter_content(file, notes):
            held += piece
            if len(held) > _HELD_BYTES:
                notes.append(f"only the first {_HELD_BYTES // 10**6} MB were read")
                return bytes(held[: held.rindex(b"\n", 0, _HELD_BYTES) + 1])
    return bytes(held)


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines with their ends."""
    rest: list[bytes] = []
    for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            rest.append(line)
            yield b"".join(rest) + b"\n"
            rest = []
        rest.append(last)
    if tail := b"".join(rest):
        yield tail
