"""The part of log files that lies in a span of time, for a recording."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from pathlib import Path

import click

from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, Windows

__all__ = ["cut_logs"]


def cut_logs(
    files: Mapping[str, Sequence[Path]], window: Window, zone: tzinfo | None, redactor: Redactor
) -> dict[str, str]:
    """Return file name -> the records of the window, whole and in time order, one text a service.

    Args:
        files: the log files of each service.
        window: the span to keep; records without a time belong to no span.
        zone: of times that carry none; inferred when absent.
        redactor: masks secrets.

    Raises:
        DataSourceError: when no file can be read.
    """
    if not files:
        return {}
    source = LogFileSource(files, zone)
    found: dict[str, list[tuple[int, str]]] = {service: [] for service in files}
    notes: dict[str, tuple[str, ...]] = {}
    query = LogQuery(windows=Windows(incident=window, baselines=()))
    for chunk in source.read_logs(query):
        notes[chunk.file.path] = chunk.file.notes
        rows = chunk.frame.select("time", "line").iter_rows()
        found[chunk.file.service] += [
            (at, line)
            for at, line in rows
            if at is not None and window.start_ms <= at <= window.end_ms
        ]
    for path, remarks in notes.items():
        for remark in remarks:
            click.echo(f"{path}: {remark}", err=True)
    for service, records in found.items():
        if not records:
            click.echo(f"no log lines of {service} in this span", err=True)
    return {f"{name}.log": _text(records, redactor) for name, records in found.items() if records}


def _text(records: list[tuple[int, str]], redactor: Redactor) -> str:
    """Join records; the sort is stable, so records of one time keep the order of their file."""
    records.sort(key=lambda record: record[0])
    return "".join(f"{line}\n" for line in redactor.lines([line for _, line in records]))
