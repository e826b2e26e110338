"""The logs of a bundle: files below ``logs/`` and tables with one row for each record."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from superbizagent.datasources._records import LogInput, LogReader, LogSurvey, find_log_files
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import DataSourceError, PermanentDataSourceError

from .log_table import LogTable

__all__ = ["RecordedLogs"]

_TABLES = ("logs.parquet", "logs.csv", "logs.csv.gz")


class RecordedLogs:
    """All log records of one bundle.

    Args:
        folder: the bundle.
        baseline: a folder with normal telemetry, whose records are added.
        reader: reads the files.
        entity_of: file name without its endings -> entity.
    """

    def __init__(
        self,
        folder: Path,
        baseline: Path | None,
        reader: LogReader,
        entity_of: Callable[[str], str],
    ) -> None:
        self._reader = reader
        self._entity_of = entity_of
        self._notes: list[str] = []
        self._unlisted: list[str] = []
        self._files = self._find(folder)
        self._tables = _tables(folder, "") + (_tables(baseline, "normal/") if baseline else [])

    @property
    def is_empty(self) -> bool:
        """There are no logs at all."""
        return not self._files and not self._tables

    def survey(self) -> LogSurvey:
        """Say which services and which time the logs cover."""
        survey = self._reader.survey(self._files)
        survey.notes[:0] = self._notes
        survey.unreadable[:0] = self._unlisted
        services = set(survey.services)
        extents = [survey.extent] if survey.extent else []
        for table in self._tables:
            try:
                seen = table.survey()
            except DataSourceError as error:
                survey.notes.append(str(error))
                survey.unreadable.append(table.label)
                continue
            survey.readable = True
            survey.notes += table.notes
            services |= set(seen.services)
            if seen.extent_ms and not table.is_baseline:
                start, end = seen.extent_ms
                extents.append(Window(start=from_ms(start), end=from_ms(end)))
        survey.services = tuple(sorted(services))
        if extents:
            start, end = min(w.start for w in extents), max(w.end for w in extents)
            survey.extent = Window(start=start, end=end)
        return survey

    def baseline_extent_ms(self) -> tuple[int, int] | None:
        """Return the span of the added normal records."""
        spans = [t.survey().extent_ms for t in self._tables if t.is_baseline and not t.error()]
        known = [span for span in spans if span]
        if not known:
            return None
        return min(s for s, _ in known), max(e for _, e in known)

    def read(self, query: LogQuery) -> Iterator[LogChunk]:
        """Yield the records of files, then of tables.

        Raises:
            PermanentDataSourceError: when nothing can be read.
        """
        failures: list[str] = []
        if self._files:
            try:
                yield from self._reader.read(self._files, query)
            except DataSourceError as error:
                failures.append(str(error))
        for table in self._tables:
            error = table.error()
            if error:
                failures.append(error)
                yield table.unread()
            else:
                yield from table.read(query)
        if failures and len(failures) == len(self._tables) + bool(self._files):
            raise PermanentDataSourceError(failures[0])

    def _find(self, folder: Path) -> list[LogInput]:
        logs = folder / "logs"
        try:
            found = find_log_files(logs, "logs") if logs.is_dir() else []
        except OSError as error:
            self._notes.append(f"logs/ cannot be listed: {error.strerror or error}")
            self._unlisted.append("logs/")
            return []
        return [replace(item, service=self._entity_of(item.service)) for item in found]


def _tables(folder: Path, prefix: str) -> list[LogTable]:
    found = [folder / name for name in _TABLES if (folder / name).is_file()]
    return [LogTable(found[0], prefix + found[0].name, is_baseline=bool(prefix))] if found else []
