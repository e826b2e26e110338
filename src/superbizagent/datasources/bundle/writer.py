"""Write a recorded incident to a folder that the bundle source reads.

The folder appears whole or not at all: files are written beside it and moved into place.
"""

import io
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl

from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.series import Labels, Series, SeriesSet, series_name
from superbizagent.errors import StorageError, UsageError

__all__ = ["Recording", "WrittenFile", "changing_series", "check_target", "write_bundle"]

_ZSTD_LEVEL = 19
_ROWS_IN_GROUP = 1_000_000
_PAGE_BYTES = 16 * 1024 * 1024
"""Series of one target repeat each other's times; large pages let zstd see it: 10 % smaller."""
_LIMITS = re.compile(
    r"(^|_)up$|_(max|limits?|quota|capacity|max_connections|max_open_connections)$"
)
"""Names whose constant value is what other series are measured against."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What was seen, ready to be written; what is empty is left out."""

    series: SeriesSet
    source: Mapping[str, Any]
    """Server version, scrape interval, times; becomes ``source.json``."""
    alert: bytes = b""
    """The Alertmanager body as it came."""
    logs: Mapping[str, str] = field(default_factory=dict[str, str])
    """File name below ``logs`` -> text."""
    traces: bytes = b""
    """A table of spans in Parquet."""
    traces_size: str = ""
    """How many there are, for people."""
    rules: Mapping[str, Any] = field(default_factory=dict[str, Any])
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further files by name, e.g. ``topology.yaml`` and ``changes.jsonl``."""


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """One file of a bundle."""

    name: str
    size_bytes: int
    content: str
    """What is in it, for people."""


def changing_series(series: SeriesSet, *, step_ms: int, keep: Iterable[str] = ()) -> SeriesSet:
    """Return the series that tell something: those that change, appear or vanish.

    A histogram stays whole, or its quantiles would come out differently. Kept too are metrics named
    in ``keep`` (those that alert rules read) and limits, because a limit that never moves is what
    its neighbours are measured against.

    Args:
        series: everything that was read.
        step_ms: interval between samples; a series may miss three at either end of the recording.
        keep: metric names.
    """
    if not len(series):
        return series
    wanted = frozenset(keep)
    latest_start = int(series.times.min()) + 3 * step_ms
    earliest_end = int(series.times.max()) - 3 * step_ms
    groups: dict[str, list[Series]] = {}
    for s in series:
        groups.setdefault(_group(s.labels), []).append(s)
    return SeriesSet.of(
        (s.labels, s.times, s.values)
        for group in groups.values()
        if any(
            s.name in wanted or _LIMITS.search(s.name) or _changes(s, latest_start, earliest_end)
            for s in group
        )
        for s in group
    )


def _group(labels: Labels) -> str:
    """Name what is kept or left out as one: a series, or all buckets of a histogram."""
    return series_name({k: v for k, v in labels.items() if k != "le"})


def _changes(series: Series, latest_start: int, earliest_end: int) -> bool:
    bits = series.values.view(np.int64)
    if (bits != bits[0]).any():
        return True
    return bool(series.times[0] > latest_start or series.times[-1] < earliest_end)


def check_target(folder: Path) -> None:
    """Refuse a folder that holds something: a recording never mixes with other files.

    Raises:
        UsageError: when it exists and is not an empty folder.
    """
    try:
        free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    except OSError as error:
        raise UsageError(f"{str(folder)!r}: {error.strerror}; choose another --out") from error
    if not free:
        raise UsageError(f"{str(folder)!r} exists and is not empty; choose another --out")


def write_bundle(folder: Path, recording: Recording) -> tuple[WrittenFile, ...]:
    """Write the files of a bundle and list them.

    Raises:
        UsageError: when the folder exists and is not empty.
        StorageError: when it cannot be written.
    """
    check_target(folder)
    whole = folder.absolute()
    partial = whole.with_name(f".{whole.name}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        written = _write_files(partial, recording)
        _move(partial, whole)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise StorageError(
            f"{str(folder)!r} cannot be written: {error.strerror}; free space or choose another"
            " --out"
        ) from error
    return written


def _move(partial: Path, folder: Path) -> None:
    if not folder.exists():
        partial.rename(folder)
        return
    # The folder stays: it may be where the user stands, or a link.
    for path in partial.iterdir():
        path.rename(folder / path.name)
    partial.rmdir()


def _write_files(folder: Path, recording: Recording) -> tuple[WrittenFile, ...]:
    written: list[WrittenFile] = []
    for name, data, content in _contents(recording):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written.append(WrittenFile(name=name, size_bytes=len(data), content=content))
    return tuple(written)


def _contents(recording: Recording) -> Iterator[tuple[str, bytes, str]]:
    """Yield name, bytes and description of each file."""
    series = recording.series
    size = f"{len(series):,} series, {len(series.times):,} samples"
    yield "metrics.parquet", _parquet(series), size
    if recording.alert:
        yield "alert.json", recording.alert, "the alert as it came"
    for name, text in recording.logs.items():
        lines = text.count("\n")
        yield f"logs/{name}", text.encode(), f"{lines:,} lines"
    if recording.traces:
        yield "traces.parquet", recording.traces, recording.traces_size
    if recording.rules.get("groups"):
        yield "rules.json", _pretty(recording.rules), "alert and recording rules"
    for name, text in recording.texts.items():
        yield name, text.encode(), ""
    yield "source.json", _pretty(recording.source), "where it was read"


def _pretty(value: Any) -> bytes:
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(value, option=options)


def _parquet(series: SeriesSet) -> bytes:
    lengths = np.diff(series.offsets)
    keys = pl.DataFrame(
        {
            "name": [labels.get("__name__", "") for labels in series.labels],
            "labels": [_labels_json(labels) for labels in series.labels],
        },
        schema={"name": pl.String, "labels": pl.String},
    )
    row = pl.Series(np.repeat(np.arange(len(series)), lengths), dtype=pl.UInt32)
    frame = (
        keys[row]
        .with_columns(
            pl.Series("time", series.times).cast(pl.Datetime("ms", "UTC")),
            pl.Series("value", series.values),
        )
        .select("time", "name", "labels", "value")
        .sort("name", "labels", "time", maintain_order=True)
    )
    # Into memory: on a full disk polars ends with an error of its own instead of an OSError.
    buffer = io.BytesIO()
    frame.write_parquet(
        buffer,
        compression="zstd",
        compression_level=_ZSTD_LEVEL,
        statistics=False,
        row_group_size=_ROWS_IN_GROUP,
        data_page_size=_PAGE_BYTES,
    )
    return buffer.getvalue()


def _labels_json(labels: Labels) -> str:
    return canonical_bytes({k: v for k, v in labels.items() if k != "__name__"}).decode()
