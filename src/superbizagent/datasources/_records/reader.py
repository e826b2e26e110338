"""Log files to `LogChunk`s: the one reader behind every source that holds files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.domain.logs import LogChunk, LogFile
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import PermanentDataSourceError

from .blocks import BLOCK_BYTES, Block, BlockReader
from .clocks import FileClock, plausible
from .files import LogInput
from .profile import Profile, profile_file, sample_stamps
from .records import RecordParser, empty_frame
from .seek import SEEK_FROM_BYTES, Prober, byte_ranges, is_sorted
from .spans import merged_spans
from .stamps import Stamps
from .zones import Zone, ZoneEvidence, decide_zone, fixed_zone

__all__ = ["LogReader", "LogSurvey"]

_PROBES = 48


@dataclass(slots=True)
class LogSurvey:
    """What some log files hold, by their heads and tails."""

    readable: bool = False
    services: tuple[str, ...] = ()
    extent: Window | None = None
    notes: list[str] = field(default_factory=list[str])


class LogReader:
    """Reads files of any usual log format.

    Args:
        log_tz: zone of times that carry none; inferred for each file when absent.
        log_tz_reason: who said so, for the report.
        references: spans that the files are known to be about, e.g. that of recorded metrics.
        block_bytes: how much of a file is held at a time.
    """

    def __init__(
        self,
        *,
        log_tz: tzinfo | None = None,
        log_tz_reason: str = "given with --log-tz",
        references: Sequence[Window] = (),
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self._log_tz = log_tz
        self._log_tz_reason = log_tz_reason
        self._references = [(w.start_ms, w.end_ms) for w in references]
        self._block_bytes = block_bytes

    def survey(self, inputs: Sequence[LogInput]) -> LogSurvey:
        """Look at the head and the tail of each file; never an exception."""
        survey = LogSurvey()
        services: set[str] = set()
        times: list[int] = []
        for item in inputs:
            try:
                profile = profile_file(item.path)
            except OSError as error:
                survey.notes.append(f"{item.label}: {_reason(error)}")
                continue
            survey.notes += [f"{item.label}: {note}" for note in profile.notes]
            if profile.kind in {"binary", "empty"}:
                continue
            survey.readable = True
            services |= set(profile.services or (item.service,))
            zone = self._zone(item, profile, ())
            if zone.ambiguous:
                survey.notes.append(f"{item.label}: time zone {zone.reason}")
            extent = _extent(profile, FileClock(zone, profile.modified_ms))
            times += extent
            survey.notes += self._elsewhere(item, extent)
        survey.services = tuple(sorted(services - {""}))
        if times:
            survey.extent = Window(start=from_ms(min(times)), end=from_ms(max(times)))
        return survey

    def _elsewhere(self, item: LogInput, extent: list[int]) -> list[str]:
        """Note a file whose times lie beside all that it should be about."""
        if not extent or not self._references:
            return []
        first, last = min(extent), max(extent)
        if any(first <= end and last >= start for start, end in self._references):
            return []
        span = f"{from_ms(first):%Y-%m-%d %H:%M:%S} to {from_ms(last):%Y-%m-%d %H:%M:%S} UTC"
        found = f"{item.label}: its times ({span}) lie elsewhere than what was recorded"
        return [f"{found}; is a clock or zone wrong?"]

    def read(self, inputs: Sequence[LogInput], query: LogQuery) -> Iterator[LogChunk]:
        """Yield the records of some files; a file that cannot be read is a note.

        Raises:
            PermanentDataSourceError: when none of the files can be read.
        """
        spans = merged_spans(query.windows)
        budget = query.max_bytes
        failures: list[str] = []
        tried = 0
        for item in inputs:
            try:
                reading = self._open(item, query, spans)
                if not _concerns(reading, query.services):
                    continue
                tried += 1
                reading.budget = budget
                yield from reading.chunks()
                budget -= reading.bytes_read
            except OSError as error:
                if query.services and item.service not in query.services:
                    continue
                tried += 1
                failures.append(f"{item.label}: {_reason(error)}")
                yield LogChunk(_unread(item, _reason(error)), empty_frame())
        if failures and len(failures) == tried:
            raise PermanentDataSourceError(
                f"no log file could be read ({failures[0]}); check the path and its permissions"
            )

    def _open(
        self, item: LogInput, query: LogQuery, spans: Sequence[tuple[int, int]]
    ) -> "_FileReading":
        profile = profile_file(item.path)
        clock = FileClock(self._zone(item, profile, spans), _reference(profile, spans))
        blocks = BlockReader(item.path, encoding=profile.encoding, block_bytes=self._block_bytes)
        parser = RecordParser(profile, clock, item.service, spans)
        blocks.find_cut = parser.last_start
        return _FileReading(item, query, parser, blocks)

    def _zone(self, item: LogInput, profile: Profile, spans: Sequence[tuple[int, int]]) -> Zone:
        if not profile.zone_less:
            return Zone(label="")
        if self._log_tz is not None:
            return fixed_zone(self._log_tz, self._log_tz_reason)
        clock = FileClock(Zone(), _reference(profile, spans))
        local = _local_sample(item, profile, clock)
        asked = self._references or spans
        return decide_zone(ZoneEvidence(local, profile.modified_ms, asked))


@dataclass(slots=True)
class _FileReading:
    """One pass over one file."""

    item: LogInput
    query: LogQuery
    parser: RecordParser
    blocks: BlockReader
    budget: int = 0
    """Uncompressed bytes that may be read."""
    undated: int = 0
    truncated: bool = False

    @property
    def bytes_read(self) -> int:
        """Uncompressed bytes that were read."""
        return self.blocks.bytes_read

    def chunks(self) -> Iterator[LogChunk]:
        """Yield the file's records; the last chunk carries the final `LogFile`."""
        if self.parser.profile.kind not in {"binary", "empty"}:
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

    def _asked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Keep what the asked services wrote, where records name their service themselves."""
        services = self.query.services
        if not services or self.item.service in services:
            return frame
        return frame.filter(pl.col("service").is_in(list(services)))

    def _ranges(self) -> list[tuple[int, int]] | None:
        profile = self.parser.profile
        if profile.packed or profile.size_bytes < SEEK_FROM_BYTES or not profile.dated:
            return None
        prober = _prober(self.item, profile)
        times = [self._utc(p.stamps) for p in prober.sample(_PROBES)]
        if not is_sorted(times):
            return None
        size = profile.size_bytes
        return byte_ranges(prober, self.item.path, size, self.parser.spans, self._utc)

    def _utc(self, stamps: Stamps) -> int:
        return int(self.parser.clock.utc(stamps)[0][0])

    def _file(self, *, final: bool = False) -> LogFile:
        zone = self.parser.clock.zone
        return LogFile(
            path=self.item.label,
            service=self.item.service,
            size_bytes=self.parser.profile.size_bytes,
            digest=self.blocks.digest if final else "",
            lines=self.blocks.lines_read,
            undated_lines=self.undated,
            timezone=zone.label,
            timezone_reason=zone.reason,
            truncated=self.truncated,
            notes=tuple(self._notes(zone)),
        )

    def _notes(self, zone: Zone) -> Iterator[str]:
        yield from self.parser.profile.notes
        yield from self.blocks.notes
        if self.blocks.bad_bytes:
            yield "bytes that are no text were replaced"
        if self.blocks.long_lines:
            yield f"{self.blocks.long_lines} endless lines were cut"
        if self.truncated:
            yield "reading stopped at the byte limit"
        if zone.ambiguous:
            yield f"time zone {zone.reason}"


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()


def _concerns(reading: _FileReading, services: Sequence[str]) -> bool:
    own = {reading.item.service, *reading.parser.profile.services}
    return not services or bool(own & set(services))


def _unread(item: LogInput, reason: str) -> LogFile:
    return LogFile(path=item.label, service=item.service, size_bytes=0, digest="", notes=(reason,))


def _reference(profile: Profile, spans: Sequence[tuple[int, int]]) -> int:
    """Return a UTC time near the file's end: the end of what is asked about, else its mtime."""
    return max((end for _, end in spans), default=profile.modified_ms)


def _extent(profile: Profile, clock: FileClock) -> list[int]:
    parts = [clock.utc(stamps) for stamps in (profile.head, profile.tail)]
    times = plausible(np.concatenate([utc[dated] for utc, dated in parts]))
    return [int(times.min()), int(times.max())] if len(times) else []


def _stamper(profile: Profile) -> Callable[[Block], Stamps]:
    return lambda block: sample_stamps(block, profile)


def _prober(item: LogInput, profile: Profile) -> Prober:
    return Prober(item.path, profile.size_bytes, profile.encoding, _stamper(profile))


def _local_sample(item: LogInput, profile: Profile, clock: FileClock) -> NDArray[np.int64]:
    """Return zone-less times spread over the file, the last one last."""
    if profile.complete or profile.packed:
        parts = [clock.local(profile.head), clock.local(profile.tail)]
    else:
        probes = _prober(item, profile).sample(_PROBES)
        parts = [clock.local(p.stamps) for p in probes]
    return np.concatenate([*parts, clock.local(profile.tail)[-1:]])


def _containing(frame: pl.DataFrame, words: Sequence[str]) -> pl.DataFrame:
    if not words or not len(frame):
        return frame
    found = pl.col("line").str.contains_any(list(words), ascii_case_insensitive=True)
    return frame.filter(found)
