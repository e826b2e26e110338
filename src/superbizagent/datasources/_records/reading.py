"""One pass over one log file, and whether it is needed at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from superbizagent.domain.logs import LogChunk, LogFile
from superbizagent.domain.source import LogQuery

from .blocks import BlockReader
from .placing import ProfiledFile, prober_of
from .records import RecordParser, empty_frame
from .seek import SEEK_FROM_BYTES, byte_ranges, is_sorted
from .stamps import Stamps
from .zones import Zone

__all__ = ["FileReading", "beside"]

_PROBES = 48
_ROTATION_SLACK_MS = 600_000
"""Rotated files overlap by what was buffered; ten minutes is far more than that."""


@dataclass(slots=True)
class FileReading:
    """One pass over one file."""

    file: ProfiledFile
    query: LogQuery
    parser: RecordParser
    blocks: BlockReader
    budget: int = 0
    """Uncompressed bytes that may be read."""
    undated: int = 0
    truncated: bool = False
    skipped: str = ""
    """Why nothing of the file is read."""

    @property
    def bytes_read(self) -> int:
        """Uncompressed bytes that were read."""
        return self.blocks.bytes_read

    def chunks(self) -> Iterator[LogChunk]:
        """Yield the file's records; the last chunk carries the final `LogFile`."""
        if self.file.profile.kind not in {"binary", "empty"} and not self.skipped:
            for block in self.blocks.blocks(self._ranges()):
                frame, undated = self.parser.parse(block)
                self.undated += undated
                frame = _containing(self._asked(frame), self.query.contains)
                if len(frame):
                    yield LogChunk(self._file(), frame)
                if self.blocks.bytes_read >= self.budget:
                    self.truncated = True
                    break
        yield LogChunk(self._file(final=True), empty_frame())

    def begins_ms(self) -> int | None:
        """Return the UTC time of the first dated line."""
        utc, dated = self.parser.clock.utc(self.file.profile.head)
        return int(utc[dated][0]) if dated.any() else None

    def _asked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Keep what the asked services wrote, where records name their service themselves."""
        services = self.query.services
        if not services or self.file.item.service in services:
            return frame
        return frame.filter(pl.col("service").is_in(list(services)))

    def _ranges(self) -> list[tuple[int, int]] | None:
        profile = self.file.profile
        if profile.packed or profile.size_bytes < SEEK_FROM_BYTES or not profile.dated:
            return None
        prober = prober_of(self.file)
        if not is_sorted(self._utc(p.stamps) for p in prober.sample(_PROBES)):
            return None
        size = profile.size_bytes
        return byte_ranges(prober, self.file.item.path, size, self.parser.spans, self._utc)

    def _utc(self, stamps: Stamps) -> int:
        return int(self.parser.clock.utc(stamps)[0][0])

    def _file(self, *, final: bool = False) -> LogFile:
        zone = self.parser.clock.zone
        return LogFile(
            path=self.file.item.label,
            service=self.file.item.service,
            size_bytes=self.file.profile.size_bytes,
            digest=self.blocks.digest if final else "",
            lines=self.blocks.lines_read,
            undated_lines=self.undated,
            timezone=zone.label,
            timezone_reason=zone.reason,
            truncated=self.truncated,
            notes=tuple(self._notes(zone)),
        )

    def _notes(self, zone: Zone) -> Iterator[str]:
        yield from self.file.profile.notes
        if self.skipped:
            yield self.skipped
        yield from self.blocks.notes
        if self.blocks.bad_bytes:
            yield "bytes that are no text were replaced"
        if self.blocks.long_lines:
            yield f"{self.blocks.long_lines} endless lines were cut"
        if self.truncated:
            yield "reading stopped at the byte limit"
        if zone.ambiguous and not zone.label:  # else the zone is stated with its reason
            yield f"time zone {zone.reason}"


def beside(reading: FileReading, later: FileReading | None) -> str:
    """Say why a packed file need not be unpacked; empty when it must.

    Rotated parts follow each other: one ends where the next of its log begins.
    """
    spans = reading.parser.spans
    if not reading.file.profile.packed or not spans:
        return ""
    begins = reading.begins_ms()
    if begins is not None and begins > spans[-1][1] + _ROTATION_SLACK_MS:
        return "not read: it begins after the span asked about"
    if later is None or later.file.log != reading.file.log:
        return ""
    ends = later.begins_ms()
    if begins is None or ends is None or not begins <= ends:
        return ""
    slack = _ROTATION_SLACK_MS
    if all(ends + slack < start or begins > end + slack for start, end in spans):
        return "not read: the next file begins before the span asked about"
    return ""


def _containing(frame: pl.DataFrame, words: Sequence[str]) -> pl.DataFrame:
    if not words or not len(frame):
        return frame
    found = pl.col("line").str.contains_any(list(words), ascii_case_insensitive=True)
    return frame.filter(found)
