"""A file as blocks of whole lines: unpacked, UTF-8, without colour codes, with raw offsets."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat, takewhile
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.distinct import places_of

from .stamps import PAD
from .streams import iter_bytes

__all__ = ["BLOCK_BYTES", "Block", "BlockReader", "decode_block", "make_block"]

BLOCK_BYTES = 8 << 20
"""So much is held at a time; with its strings and columns it takes some 25 times that."""

_LINE_LIMIT = 1 << 20
"""A line longer than this is cut: nothing that long is read by anybody."""

_RECORD_LIMIT = 256 << 10
"""A record longer than this may be cut in two between blocks."""

_NEWLINE = ord("\n")
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a file."""

    text: bytes
    """UTF-8, each line ended by ``\\n``."""
    buffer: NDArray[np.uint8]
    """``text`` and `PAD` zero bytes."""
    starts: NDArray[np.int64]
    """Offset of each line in ``text``."""
    lengths: NDArray[np.int64]
    """Bytes of each line in ``text`` without its end."""
    offsets: NDArray[np.int64]
    """Offset of each line in the uncompressed file."""
    ends: NDArray[np.int64]
    """Where each line ends in the uncompressed file, its newline included."""


@dataclass(slots=True)
class BlockReader:
    """Reads a file, or some byte ranges of a plain one, block by block."""

    path: Path
    encoding: str = "utf-8"
    block_bytes: int = BLOCK_BYTES
    find_cut: "Callable[[Block], int] | None" = None
    """Returns the last line of a block that begins a record, so that no record is cut in two."""
    notes: list[str] = field(default_factory=list[str])
    bytes_read: int = 0
    lines_read: int = 0
    long_lines: int = 0
    bad_bytes: bool = False
    _hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    @property
    def digest(self) -> str:
        """Digest of the uncompressed bytes that were read so far."""
        return f"sha256:{self._hash.hexdigest()}"

    def blocks(self, ranges: Sequence[tuple[int, int]] | None = None) -> Iterator[Block]:
        """Yield the file's lines.

        Args:
            ranges: byte ranges that start and end at line boundaries; the whole file when None.

        Raises:
            OSError: when the file cannot be read.
        """
        with self.path.open("rb") as file:
            if ranges is None:
                yield from self._cut(iter_bytes(file, self.notes, self.block_bytes), 0)
                return
            for start, end in ranges:
                file.seek(start)
                yield from self._cut(_bounded(file, end - start, self.block_bytes), start)

    def _cut(self, pieces: Iterator[bytes], base: int) -> Iterator[Block]:
        """Cut a stream at line ends; ``base`` is the offset of its first byte."""
        carry = b""
        skipping = False
        for piece in pieces:
            self._hash.update(piece)
            self.bytes_read += len(piece)
            data = carry + piece
            # What is held here stays in memory while a block is used: the next takes new memory.
            del piece
            if skipping:
                cut = data.find(b"\n") + 1
                base += cut or len(data)
                skipping, data = not cut, data[cut:] if cut else b""
            carry = data
            if len(data) < self.block_bytes:  # gzip gives small pieces
                continue
            cut = self._record_end(data, data.rfind(b"\n") + 1)
            if cut:
                whole, carry, taken = data[:cut], data[cut:], cut
            else:
                # An endless line: keep its head, drop the rest, so that memory stays bounded.
                self.long_lines += 1
                whole, carry, taken, skipping = data[:_LINE_LIMIT] + b"\n", b"", len(data), True
            del data
            yield self._block(whole, base)
            del whole
            base += taken
        if carry:
            yield self._block(carry if carry.endswith(b"\n") else carry + b"\n", base)

    def _record_end(self, data: bytes, line_end: int) -> int:
        """Return where the last whole record ends, or the last line when that is too far back."""
        if self.find_cut is None or not line_end:
            return line_end
        begin = data.find(b"\n", max(0, line_end - _RECORD_LIMIT)) + 1
        if begin >= line_end:
            return line_end
        raw = data[begin:line_end]
        text, _ = decode_block(raw, self.encoding)
        block = make_block(text, raw if text is not raw else None, begin)
        start = self.find_cut(block)
        return int(block.offsets[start]) if start else line_end

    def _block(self, data: bytes, base: int) -> Block:
        text, bad = decode_block(data, self.encoding)
        self.bad_bytes = self.bad_bytes or bad
        block = make_block(text, data if text is not data else None, base)
        self.lines_read += len(block.starts)
        return block


def _bounded(file: BinaryIO, size: int, piece: int) -> Iterator[bytes]:
    """Read so many bytes in pieces, and hold none of them."""
    whole, rest = divmod(size, piece)
    return takewhile(len, map(file.read, chain(repeat(piece, whole), (rest,))))


def decode_block(data: bytes, encoding: str = "utf-8") -> tuple[bytes, bool]:
    """Return UTF-8 without colour codes, byte order mark and carriage returns at line ends.

    The number of lines stays the same. The second value tells whether bytes had to be replaced.
    """
    bad = False
    text = data.removeprefix(b"\xef\xbb\xbf")
    if not text.isascii():
        try:
            decoded = text.decode(encoding)
            text = text if encoding == "utf-8" else decoded.encode()
        except UnicodeDecodeError:
            bad = True
            text = text.decode(encoding, "replace").encode()
    if b"\x1b" in text:
        text = _ANSI.sub(b"", text)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    return text, bad


def make_block(text: bytes, raw: bytes | None, base: int) -> Block:
    """Find the lines of a text that ends with a newline.

    Args:
        text: what is parsed.
        raw: the same lines as they stand in the file, when they differ.
        base: offset of the first byte in the file.
    """
    buffer = np.frombuffer(text + bytes(PAD), np.uint8)
    newlines = places_of(_NEWLINE, buffer[: len(text)])
    starts = _after(newlines)
    in_file = newlines if raw is None else places_of(_NEWLINE, np.frombuffer(raw, np.uint8))
    ends = in_file + 1
    offsets = _after(in_file)
    return Block(text, buffer, starts, newlines - starts, offsets + base, ends + base)


def _after(newlines: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the lines start that these newlines end."""
    return np.concatenate([np.zeros(1, np.int64), newlines + 1])[: len(newlines)]
