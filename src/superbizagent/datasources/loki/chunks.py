"""Entries to the chunks that a log search is folded from: one file a service."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from superbizagent.datasources._records import TimedParser, empty_frame, level_codes
from superbizagent.datasources.loki.asking import service_of
from superbizagent.datasources.loki.entries import Entry, fold_entries
from superbizagent.domain.logs import LogChunk, LogFile

__all__ = ["LokiChunks"]

_LEVELS = ("level", "severity", "severity_text", "lvl", "loglevel")
"""What the program or its shipper says; it wins over what the line looks like."""

_DETECTED = "detected_level"
"""What Loki guessed from the line; it is used where we cannot tell."""

_TRACES = ("trace_id", "traceid", "traceID", "traceId", "trace")


@dataclass(slots=True)
class _Part:
    """What was read of one service so far."""

    parser: TimedParser = field(default_factory=TimedParser)
    lines: int = 0
    records: int = 0
    size_bytes: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)


class LokiChunks:
    """Turns pages into chunks.

    Args:
        name: of the source.
        labels: labels that name services, first match wins.
    """

    def __init__(self, name: str, labels: Sequence[str]) -> None:
        self._name = name
        self._labels = tuple(labels)
        self._parts: dict[str, _Part] = {}

    def of_page(self, page: Sequence[Entry]) -> Iterator[LogChunk]:
        """Yield the records of a page, service by service."""
        mine: dict[str, list[Entry]] = {}
        for entry in page:
            mine.setdefault(service_of(entry.labels, self._labels)[1], []).append(entry)
        for service in sorted(mine):
            part = self._parts.setdefault(service, _Part())
            records = fold_entries(mine[service])
            frame = _frame(service, records, part)
            for entry in mine[service]:
                text = f"{entry.ns} {entry.line}\n".encode("utf-8", "replace")
                part.digest.update(text)
                part.size_bytes += len(text)
            part.lines += len(mine[service])
            part.records += len(records)
            yield LogChunk(self._file(service, part), frame)

    def ends(self, notes: Sequence[str], *, truncated: bool) -> Iterator[LogChunk]:
        """Yield the last chunk of each service, and what is to be said of the whole search."""
        for service in sorted(self._parts):
            yield LogChunk(self._file(service, self._parts[service], final=True), empty_frame())
        if notes or truncated:
            about = LogFile(
                path=self._name,
                service="",
                size_bytes=0,
                digest=f"sha256:{hashlib.sha256().hexdigest()}",
                truncated=truncated,
                notes=tuple(notes),
            )
            yield LogChunk(about, empty_frame())

    def _file(self, service: str, part: _Part, *, final: bool = False) -> LogFile:
        printable = "".join(c if c.isprintable() else "?" for c in service)
        return LogFile(
            path=f"{self._name}/{printable}",
            service=service,
            size_bytes=part.size_bytes,
            digest=f"sha256:{part.digest.hexdigest()}" if final else "",
            lines=part.lines,
        )


def _frame(service: str, records: Sequence[tuple[Entry, str]], part: _Part) -> pl.DataFrame:
    heads = [head for head, _ in records]
    said = part.parser.parse([text for _, text in records])
    told = level_codes([_first(head, _LEVELS) for head in heads])
    guessed = level_codes([_first(head, (_DETECTED,)) for head in heads])
    severity = np.where(told > 0, told, np.where(said.severity > 0, said.severity, guessed))
    traces = pl.Series([_first(head, _TRACES) or None for head in heads], dtype=pl.String)
    return pl.DataFrame(
        {
            "time": pl.Series([head.ns // 1_000_000 for head in heads], dtype=pl.Int64),
            "severity": pl.Series(severity, dtype=pl.Int8),
            "service": pl.Series([service] * len(heads), dtype=pl.String),
            "body": said.body,
            "line": said.line,
            "offset": pl.int_range(part.records, part.records + len(heads), eager=True),
            "trace_id": traces.zip_with(traces.is_not_null(), said.trace_id),
        }
    )


def _first(entry: Entry, names: Sequence[str]) -> str:
    """Return the first of some labels that an entry, or else its stream, carries."""
    for labels in (entry.metadata, entry.labels):
        if found := _one_of(labels, names):
            return found
    return ""


def _one_of(labels: Mapping[str, str], names: Sequence[str]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")
