"""What sort of log a file is, learnt from its head and its tail."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .blocks import Block, decode_block, make_block
from .cuts import CONTINUED
from .headers import parse_lines
from .stamps import DATE_LESS, LOCAL, NONE, UTC, YEAR_LESS, Place, Stamps, read_stamps
from .streams import is_gzip, iter_bytes
from .structured import LOGFMT_LINE, json_schema, parse_json, parse_logfmt
from .trace_ids import trace_key

__all__ = ["UNPACK_BYTES", "Profile", "profile_file", "sample_stamps", "usual_begin"]

_HEAD_BYTES = 256 << 10
_TAIL_BYTES = 64 << 10
_UNPACKED_BYTES = 4 << 20
"""Of a packed file so much is unpacked to learn what it is."""

UNPACK_BYTES = 64 << 20
"""So much packed text is unpacked to find where files end: a second or two."""

_SAMPLE_LINES = 1000
_CONTINUED = re.compile(CONTINUED.encode())
_CJK = re.compile("[\u4e00-\u9fff]")


@dataclass(slots=True)
class Profile:
    """How to read one file."""

    kind: str = "text"
    """``text``, ``json``, ``logfmt``, ``slowlog``, ``binary`` or ``empty``."""
    encoding: str = "utf-8"
    places: tuple[Place, ...] = ()
    folds: bool = False
    """A line without a stamp continues the record before it."""
    uniform: bool = False
    """Stamps stand at one place; elsewhere they belong to the message."""
    trace_key: str | None = None
    """What stands before trace ids; see `trace_ids.trace_key`."""
    keys: tuple[str, ...] = ()
    """Keys of JSON records, the known ones first; in a text file, of JSON behind headers."""
    services: tuple[str, ...] = ()
    """Services that records name themselves, as far as seen."""
    size_bytes: int = 0
    modified_ms: int = 0
    packed: bool = False
    head: Stamps = field(default_factory=lambda: Stamps.none(0))
    may_unpack: bool = True
    """A packed file may be unpacked to its end, which takes 3 s for a gigabyte of text."""
    complete: bool = False
    """The head is the whole file."""
    notes: list[str] = field(default_factory=list[str])
    _path: Path = Path()
    _tail: Stamps | None = None

    @property
    def tail(self) -> Stamps:
        """Stamps of the last lines; none for a packed file that may not be unpacked.

        Raises:
            OSError: when the file cannot be read any more.
        """
        if self._tail is None:
            self._tail = self.head if self.complete else _read_tail(self._path, self)
        return self._tail

    @property
    def zone_less(self) -> bool:
        """Some times do not say their zone."""
        head = self.head if (self.head.kind != NONE).any() else self.tail
        return bool(np.isin(head.kind, (LOCAL, YEAR_LESS, DATE_LESS)).any())

    @property
    def dated(self) -> bool:
        """Some lines have a time."""
        return bool((self.head.kind != NONE).any() or (self.tail.kind != NONE).any())


def profile_file(path: Path) -> Profile:
    """Look at a file's beginning and end.

    Raises:
        OSError: when it cannot be read.
    """
    stat = path.stat()
    profile = Profile(size_bytes=stat.st_size, modified_ms=round(stat.st_mtime * 1000), _path=path)
    profile.packed = stat.st_size > 0 and is_gzip(path)
    head = _head(path, profile)
    if not head:
        profile.kind, profile.complete = "empty", True
        profile.notes.append("the file is empty")
        return profile
    if _is_binary(head):
        profile.kind = "binary"
        profile.notes.append("binary file: not read")
        return profile
    profile.encoding = _encoding(head)
    profile.trace_key = trace_key(head)
    block = _block(head, profile)
    _classify(block, profile)
    profile.head = sample_stamps(block, profile)
    _learn(block, profile)
    return profile


def _head(path: Path, profile: Profile) -> bytes:
    limit = _UNPACKED_BYTES if profile.packed else _HEAD_BYTES
    parts: list[bytes] = []
    size = 0
    with path.open("rb") as file:
        for part in iter_bytes(file, [], limit if not profile.packed else 1 << 18):
            parts.append(part)
            size += len(part)
            if size >= limit:
                break
        else:
            profile.complete = True
    if not profile.packed and size >= profile.size_bytes:
        profile.complete = True
    data = b"".join(parts)
    if profile.complete:
        return data
    cut = data.rfind(b"\n") + 1
    return data[:cut] if cut else data


def _is_binary(head: bytes) -> bool:
    sample = head[:8192]
    # Text has no NUL; a few control bytes are colour codes and form feeds.
    control = sum(sample.count(bytes([c])) for c in (*range(1, 7), *range(14, 27), 28, 29, 30, 31))
    return sample.count(0) > len(sample) // 100 or control > len(sample) // 20


def _encoding(head: bytes) -> str:
    """UTF-8, or GB18030 where the bytes are Chinese in it and no UTF-8."""
    if head.isascii():
        return "utf-8"
    end = head.rfind(b"\n") + 1 or len(head)
    try:
        head[:end].decode()
    except UnicodeDecodeError:
        try:
            chinese = head[:end].decode("gb18030")
        except UnicodeDecodeError:
            return "utf-8"
        # Chance makes rare characters of random bytes, but not mostly common ideographs.
        strange = sum(1 for c in chinese if ord(c) > 127)
        return "gb18030" if len(_CJK.findall(chinese)) * 10 > strange * 7 else "utf-8"
    return "utf-8"


def _block(data: bytes, profile: Profile) -> Block:
    whole = data if data.endswith(b"\n") else data + b"\n"
    text, _ = decode_block(whole, profile.encoding)
    return make_block(text, None, 0)


def _sampled(block: Block) -> NDArray[np.int64]:
    """Return lines spread evenly over a block."""
    count = len(block.starts)
    if count <= _SAMPLE_LINES:
        return np.arange(count)
    return np.linspace(0, count - 1, _SAMPLE_LINES).astype(np.int64)


def _lines(block: Block, rows: NDArray[np.int64]) -> list[bytes]:
    places = zip(block.starts[rows].tolist(), block.lengths[rows].tolist(), strict=True)
    return [block.text[start : start + length] for start, length in places]


def _classify(block: Block, profile: Profile) -> None:
    lines = _lines(block, np.arange(min(len(block.starts), 400)))
    profile.keys = json_schema(lines)
    if profile.keys:
        profile.kind = "json"
        # Few other lines are panics, one record each; many are a second way of logging.
        others = sum(1 for line in lines if line.strip() and not line.startswith(b"{"))
        profile.folds = others * 4 <= len(lines)
        return
    if any(line.startswith(b"# User@Host:") for line in lines):
        profile.kind = "slowlog"
        return
    filled = [line.decode("utf-8", "replace") for line in lines if line.strip()]
    texts = pl.Series(filled, dtype=pl.String)
    if len(texts) and texts.str.contains(LOGFMT_LINE).mean() >= 0.5:  # pyright: ignore[reportOperatorIssue, reportOptionalOperand] - a mean of booleans is a number
        profile.kind = "logfmt"


def sample_stamps(block: Block, profile: Profile) -> Stamps:
    """Return the stamps of some lines of a block, its first and last among them."""
    rows = _sampled(block)
    if profile.kind in {"json", "logfmt"}:
        texts = pl.Series(
            [line.decode("utf-8", "replace") for line in _lines(block, rows)], dtype=pl.String
        )
        fields = (
            parse_logfmt(texts) if profile.kind == "logfmt" else parse_json(texts, profile.keys)[0]
        )
        named = fields.service.drop_nulls().unique().to_list()
        profile.services = tuple(sorted({*profile.services, *named}))
        return fields.stamps
    stamps = read_stamps(block.buffer, block.starts[rows], block.lengths[rows], profile.places)
    if profile.kind == "slowlog" and (stamps.kind == UTC).any():
        # Each statement sets its own epoch time, which needs no zone; the written one does.
        stamps.drop(stamps.kind == LOCAL)
    # Dates in indented lines belong to stack traces, unless the whole log is indented.
    indented = np.isin(block.buffer[block.starts[rows]], (32, 9)) & (stamps.kind != NONE)
    if indented.sum() * 2 < (stamps.kind != NONE).sum():
        stamps.drop(indented)
    return stamps


def _learn(block: Block, profile: Profile) -> None:
    """Learn where stamps stand and whether lines without one continue a record."""
    stamps = profile.head
    profile.places = stamps.places()
    if profile.kind != "text":
        return
    dated = stamps.kind != NONE
    total = int(dated.sum())
    if not total:
        return
    lines = _lines(block, _sampled(block))
    own = np.array([_CONTINUED.match(line) is None for line in lines], np.bool_) | dated
    profile.folds = total * 2 >= int(own.sum())
    _look_behind_headers(block, profile)
    if profile.places:
        first = profile.places[0]
        same = (stamps.form == first.form) & (stamps.begin == first.begin)
        profile.uniform = int(same.sum()) * 5 >= total * 4


def _look_behind_headers(block: Block, profile: Profile) -> None:
    """Find out whether the messages of a text file are JSON, as container runtimes leave it."""
    rows = np.arange(min(len(block.starts), 100))
    lines = [line.decode("utf-8", "replace") for line in _lines(block, rows)]
    stamps = read_stamps(block.buffer, block.starts[rows], block.lengths[rows], profile.places)
    bodies = parse_lines(pl.Series(lines, dtype=pl.String), stamps).body
    profile.keys = json_schema([body.encode() for body in bodies.to_list()])


def usual_begin(profile: Profile) -> int:
    """Return how far inside a line a stamp of this file may begin."""
    return max((place.begin for place in profile.places), default=0)


def _read_tail(path: Path, profile: Profile) -> Stamps:
    with path.open("rb") as file:
        if profile.packed:
            data = _unpacked_end(file, profile)
        else:
            file.seek(max(0, profile.size_bytes - _TAIL_BYTES))
            data = file.read(_TAIL_BYTES)
    cut = data.find(b"\n") + 1
    data = data[cut:] if cut else data
    return sample_stamps(_block(data, profile), profile) if data else Stamps.none(0)


def _unpacked_end(file: BinaryIO, profile: Profile) -> bytes:
    """Unpack a file to its end, the only way to its last lines."""
    if not profile.may_unpack or profile.size_bytes > UNPACK_BYTES:
        return b""
    end = b""
    for part in iter_bytes(file, []):
        end = part if len(part) >= _TAIL_BYTES else (end + part)[-_TAIL_BYTES:]
    return end[-_TAIL_BYTES:]
