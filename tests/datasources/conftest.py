"""Small log files and what reading them gives."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import polars as pl
import pytest

from contract.recorded import LOG_COLUMNS
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.logs import SEVERITIES, LogChunk, LogFile
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, Windows, from_ms

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def hours(first: float, last: float) -> Windows:
    """An incident of the last half and a baseline of the first half of a span after `START`."""
    begin, end = START + timedelta(hours=first), START + timedelta(hours=last)
    middle = begin + (end - begin) / 2
    return Windows(
        incident=Window(start=middle, end=end), baselines=(Window(start=begin, end=middle),)
    )


@dataclass(frozen=True)
class Reading:
    """The records of some files, and the files."""

    frame: pl.DataFrame
    files: dict[str, LogFile]
    chunks: tuple[LogChunk, ...]

    @property
    def file(self) -> LogFile:
        """The only file."""
        assert len(self.files) == 1
        return next(iter(self.files.values()))

    @property
    def times(self) -> list[str | None]:
        """Time of each record as text."""
        return [
            None if ms is None else from_ms(ms).isoformat().replace("+00:00", "Z")
            for ms in self.frame["time"].to_list()
        ]

    @property
    def bodies(self) -> list[str]:
        """Message of each record."""
        return self.frame["body"].to_list()

    @property
    def levels(self) -> list[str]:
        """Severity of each record."""
        return [SEVERITIES[code] for code in self.frame["severity"].to_list()]


ReadLog = Callable[..., Reading]


@pytest.fixture
def read_log(tmp_path: Path) -> ReadLog:
    """Write a log and read it."""

    def read(
        content: str | bytes | Sequence[str],
        *,
        name: str = "order.log",
        windows: Windows | None = None,
        log_tz: tzinfo | None = None,
        modified: datetime | None = None,
        services: tuple[str, ...] = (),
        max_bytes: int = 2_000_000_000,
        block_bytes: int | None = None,
    ) -> Reading:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            text = content if isinstance(content, str) else "".join(f"{x}\n" for x in content)
            path.write_text(text, encoding="utf-8", newline="")
        if modified is not None:
            os.utime(path, (modified.timestamp(), modified.timestamp()))
        source = LogFileSource({"order": (path,)}, log_tz)
        if block_bytes is not None:
            source._reader._block_bytes = block_bytes
        query = LogQuery(windows=windows or hours(0, 1), services=services, max_bytes=max_bytes)
        return reading(list(source.read_logs(query)))

    return read


def reading(chunks: Sequence[LogChunk]) -> Reading:
    """Put chunks together; the last one of a file holds what is true of it."""
    frames = [c.frame for c in chunks]
    return Reading(
        frame=pl.concat([pl.DataFrame(schema=LOG_COLUMNS), *frames]),
        files={c.file.path: c.file for c in chunks},
        chunks=tuple(chunks),
    )
