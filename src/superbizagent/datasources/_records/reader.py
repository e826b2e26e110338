"""Log files to `LogChunk`s: the one reader behind every source that holds files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

import numpy as np

from superbizagent.domain.logs import LogChunk, LogFile
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import PermanentDataSourceError

from .blocks import BLOCK_BYTES, BlockReader
from .clocks import FileClock, plausible
from .files import LogInput
from .placing import Placing, ProfiledFile
from .profile import UNPACK_BYTES, Profile, profile_file
from .reading import FileReading, beside
from .records import RecordParser, empty_frame
from .spans import merged_spans

__all__ = ["LogReader", "LogSurvey"]


@dataclass(slots=True)
class LogSurvey:
    """What some log files hold, by their heads and tails."""

    readable: bool = False
    services: tuple[str, ...] = ()
    extent: Window | None = None
    notes: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])
    """Files of which nothing can be read; an empty one is read."""


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
        self._references = [(w.start_ms, w.end_ms) for w in references]
        self._placing = Placing(log_tz, log_tz_reason, self._references)
        self._block_bytes = block_bytes

    def survey(self, inputs: Sequence[LogInput]) -> LogSurvey:
        """Look at the head and the tail of each file; never an exception."""
        survey = LogSurvey()
        files: list[ProfiledFile] = []
        unpacked = 0
        for item in inputs:
            profile = _profile(item)
            if isinstance(profile, OSError):
                survey.notes.append(f"{item.label}: {_reason(profile)}")
                survey.unreadable.append(item.label)
                continue
            survey.notes += [f"{item.label}: {note}" for note in profile.notes]
            if profile.kind == "binary":
                survey.unreadable.append(item.label)
            if profile.packed and not profile.complete:
                unpacked += profile.size_bytes
                profile.may_unpack = unpacked <= UNPACK_BYTES
            if profile.kind not in {"binary", "empty"}:
                files.append(ProfiledFile(item, profile))
        if unpacked > UNPACK_BYTES:
            survey.notes.append("large packed logs: where they end in time was not looked for")
        survey.readable = bool(files)
        try:
            self._place(files, survey)
        except OSError as error:
            survey.notes.append(f"logs: {_reason(error)}")
        return survey

    def _place(self, files: Sequence[ProfiledFile], survey: LogSurvey) -> None:
        """Say which services and which time some files cover."""
        services: set[str] = set()
        extents: dict[str, list[tuple[int, int]]] = {}
        for file, clock in zip(files, self._placing.clocks(files, ()), strict=True):
            services |= set(file.profile.services or (file.item.service,))
            if clock.zone.ambiguous and not clock.zone.label:
                survey.notes.append(f"{file.item.label}: time zone {clock.zone.reason}")
            if extent := _extent(file.profile, clock):
                extents.setdefault(file.item.service, []).append(extent)
        survey.services = tuple(sorted(services - {""}))
        survey.notes += self._elsewhere(extents)
        times = [at for spans in extents.values() for span in spans for at in span]
        if times:
            survey.extent = Window(start=from_ms(min(times)), end=from_ms(max(times)))

    def _elsewhere(self, extents: Mapping[str, Sequence[tuple[int, int]]]) -> Iterator[str]:
        """Note services whose logs all lie beside what they should be about."""
        for service, spans in sorted(extents.items()):
            if not self._references or any(
                first <= end and last >= start
                for first, last in spans
                for start, end in self._references
            ):
                continue
            first, last = min(a for a, _ in spans), max(b for _, b in spans)
            span = f"{from_ms(first):%Y-%m-%d %H:%M:%S} to {from_ms(last):%Y-%m-%d %H:%M:%S} UTC"
            found = f"the logs of {service} ({span}) lie elsewhere than what was recorded"
            yield f"{found}; is a clock or zone wrong?"

    def read(self, inputs: Sequence[LogInput], query: LogQuery) -> Iterator[LogChunk]:
        """Yield the records of some files; a file that cannot be read is a note.

        Raises:
            PermanentDataSourceError: when none of the files can be read.
        """
        failures: list[str] = []
        files: list[ProfiledFile] = []
        for item in inputs:
            profile = _profile(item)
            if isinstance(profile, Profile):
                files.append(ProfiledFile(item, profile))
            elif not query.services or item.service in query.services:
                failures.append(f"{item.label}: {_reason(profile)}")
                yield _unread(item, profile)
        concerned = [f for f in files if _concerns(f, query.services)]
        readings = self._readings(concerned, query)
        budget, read = query.max_bytes, 0
        for reading, later in zip(readings, [*readings[1:], None], strict=bool(readings)):
            reading.skipped = beside(reading, later)
            reading.budget = budget
            try:
                yield from reading.chunks()
                read += 1
            except OSError as error:
                failures.append(f"{reading.file.item.label}: {_reason(error)}")
                yield _unread(reading.file.item, error)
            budget -= reading.bytes_read
        if failures and not read:
            raise PermanentDataSourceError(
                f"no log file could be read ({failures[0]}); check the path and its permissions"
            )

    def _readings(self, files: Sequence[ProfiledFile], query: LogQuery) -> list[FileReading]:
        spans = merged_spans(query.windows)
        found: list[FileReading] = []
        for file, clock in zip(files, self._placing.clocks(files, spans), strict=True):
            parser = RecordParser(file.profile, clock, file.item.service, spans)
            blocks = BlockReader(
                file.item.path,
                encoding=file.profile.encoding,
                block_bytes=self._block_bytes,
                find_cut=parser.last_start,
            )
            found.append(FileReading(file, query, parser, blocks))
        return found


def _profile(item: LogInput) -> Profile | OSError:
    try:
        return profile_file(item.path)
    except OSError as error:
        return error


def _reason(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()


def _concerns(file: ProfiledFile, services: Sequence[str]) -> bool:
    own = {file.item.service, *file.profile.services}
    return not services or bool(own & set(services))


def _unread(item: LogInput, error: OSError) -> LogChunk:
    file = LogFile(
        path=item.label, service=item.service, size_bytes=0, digest="", notes=(_reason(error),)
    )
    return LogChunk(file, empty_frame())


def _extent(profile: Profile, clock: FileClock) -> tuple[int, int] | None:
    parts = [clock.utc(stamps) for stamps in (profile.head, profile.tail)]
    times = plausible(np.concatenate([utc[dated] for utc, dated in parts]))
    return (int(times.min()), int(times.max())) if len(times) else None
