"""Plain log files as a data source."""

import asyncio
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from superbizagent.datasources._records import (
    LogInput,
    LogReader,
    find_log_files,
    line_numbers,
    order_inputs,
)
from superbizagent.domain.entity import Entity
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.source import LogQuery, Signal, SourceDescription
from superbizagent.domain.window import Window
from superbizagent.errors import NothingReadableError

from .specs import STDIN

__all__ = ["LogFileSource"]


class LogFileSource:
    """Reads log files of named services.

    Args:
        files: service -> its files; a folder stands for the log files in it, ``-`` for standard
            input.
        log_tz: zone of times that carry none; inferred when absent.
        name: name in plans and reports.
        references: spans the logs are known to be about, such as the minutes around an alert;
            they place logs without a zone, as `LogQuery.windows` does where they are absent.
        stdin: what ``-`` reads; copied to a temporary file once, because logs are read twice.
    """

    def __init__(
        self,
        files: Mapping[str, Sequence[Path]],
        log_tz: tzinfo | None = None,
        name: str = "logs",
        *,
        references: Sequence[Window] = (),
        stdin: BinaryIO | None = None,
    ) -> None:
        self._files = {service: tuple(paths) for service, paths in files.items()}
        self._name = name
        self._stdin = stdin
        self._reader = LogReader(log_tz=log_tz, references=references)
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which services the files are of and which time they cover.

        Raises:
            NothingReadableError: when no file can be read.
        """
        return await asyncio.to_thread(self._describe)

    def read_logs(self, query: LogQuery) -> Iterator[LogChunk]:
        """Yield log records, file by file.

        Raises:
            DataSourceError: when no file can be read.
        """
        with self._lock:
            inputs = self._inputs
        yield from self._reader.read(inputs, query)

    def line_numbers(self, label: str, offsets: Iterable[int]) -> dict[int, int]:
        """Return the number, from 1, of the line at each byte offset of one file.

        Args:
            label: the file, as `LogFile.path` names it.
            offsets: of records of that file.

        Raises:
            OSError: when the file cannot be read any more.
        """
        with self._lock:
            path = next(i.path for i in self._inputs if i.label == label)
        return line_numbers(path, offsets)

    def _describe(self) -> SourceDescription:
        with self._lock:
            return self._description

    @cached_property
    def _description(self) -> SourceDescription:
        survey = self._reader.survey(self._inputs)
        if not survey.readable:
            why = "; ".join(survey.notes[:3]) or "no files were given"
            raise NothingReadableError(
                f"no log file could be read ({why}); pass text files with --logs NAME=FILE"
            )
        entities = tuple(Entity(name=service) for service in survey.services)
        return SourceDescription(
            name=self._name,
            kind="logfile",
            signals=(Signal.LOGS,),
            entities=entities,
            extent=survey.extent,
            notes=tuple(survey.notes),
            unreadable=tuple(survey.unreadable),
        )

    @cached_property
    def _inputs(self) -> list[LogInput]:
        found: list[LogInput] = []
        for service, paths in self._files.items():
            for path in paths:
                if path == STDIN:
                    found.append(LogInput(self._spool(), "stdin", service))
                elif path.is_dir():
                    inner = find_log_files(path, path.name)
                    found += [LogInput(i.path, i.label, service or i.service) for i in inner]
                else:
                    found.append(LogInput(path, path.name, service))
        return order_inputs(_distinct(found))

    def _spool(self) -> Path:
        folder = tempfile.mkdtemp(prefix="superbiz-stdin-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder) / "stdin.log"
        with path.open("wb") as copy:
            shutil.copyfileobj(self._stdin or sys.stdin.buffer, copy)
        return path


def _distinct(inputs: Sequence[LogInput]) -> list[LogInput]:
    """Name files of the same name by their folders too, so that each line has one origin."""
    labels = [i.label for i in inputs]
    return [
        i
        if labels.count(i.label) == 1
        else LogInput(i.path, i.path.as_posix().lstrip("/"), i.service)
        for i in inputs
    ]
