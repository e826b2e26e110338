"""The recorded metrics of a bundle, in whichever of their forms they are."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from superbizagent.datasources._records.streams import read_tolerant
from superbizagent.datasources._times import time_ms
from superbizagent.errors import PermanentDataSourceError

from .store import MetricStore, build_store
from .wide import WideTable, is_wide, read_wide, store_of_wide

__all__ = ["METRIC_FILES", "OpenedMetrics", "open_metrics"]

METRIC_FILES = ("metrics.parquet", "metrics.csv", "metrics.csv.gz")
"""In order of preference: the first that exists is read, the others are noted."""

_CSV_HELD_BYTES = 256_000_000
"""Larger tables in text form are turned into one temporary Parquet file, once."""


@dataclass(slots=True)
class OpenedMetrics:
    """The metrics of a bundle, indexed."""

    store: MetricStore
    extent_ms: tuple[int, int] | None
    """Of the bundle's own samples."""
    baseline_extent_ms: tuple[int, int] | None = None
    """Of the added normal telemetry."""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Opened:
    """A metrics file that was found to be readable."""

    table: pl.LazyFrame | None = None
    rows: int | None = None
    wide: WideTable | None = None
    notes: list[str] = field(default_factory=list[str])


def open_metrics(
    folder: Path, baseline: Path | None, scratch: Callable[[], Path]
) -> OpenedMetrics | None:
    """Open the metrics of a bundle.

    Args:
        folder: the bundle.
        baseline: a folder with normal telemetry in the wide form, whose samples are added.
        scratch: returns a folder for temporary files.

    Returns:
        The indexed metrics, or None when the bundle has none.

    Raises:
        PermanentDataSourceError: when the file is there and cannot be read.
    """
    found = [folder / name for name in METRIC_FILES if (folder / name).is_file()]
    if not found:
        return None
    opened = _open(found[0], scratch)
    notes = [*opened.notes, *(f"{p.name} not read: {found[0].name} was" for p in found[1:])]
    if opened.wide is None:
        store = _long_store(found[0], opened)
        return OpenedMetrics(store, store.extent_ms, notes=(*notes, *store.notes))
    added = _baseline(baseline, scratch, notes)
    store = store_of_wide([opened.wide, *added])
    return OpenedMetrics(
        store,
        opened.wide.extent_ms,
        added[0].extent_ms if added else None,
        (*notes, *store.notes),
    )


def _baseline(
    folder: Path | None, scratch: Callable[[], Path], notes: list[str]
) -> list[WideTable]:
    if folder is None:
        return []
    path = next((folder / n for n in METRIC_FILES if (folder / n).is_file()), None)
    if path is None:
        return []
    try:
        opened = _open(path, scratch)
    except PermanentDataSourceError as error:
        notes.append(f"the normal telemetry was left out: {error}")
        return []
    notes += opened.notes
    return [opened.wide] if opened.wide else []


def _open(path: Path, scratch: Callable[[], Path]) -> _Opened:
    try:
        if path.suffix == ".parquet":
            return _open_parquet(path)
        return _open_csv(path, scratch)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _long_store(path: Path, opened: _Opened) -> MetricStore:
    assert opened.table is not None  # noqa: S101 - _open fills one of the two
    try:
        return build_store(opened.table, opened.rows)
    except pl.exceptions.PolarsError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> PermanentDataSourceError:
    # The library's words for a torn file are about its own format; ours say what happened.
    torn = isinstance(error, pl.exceptions.PolarsError) or not str(error).strip()
    reason = "damaged or cut off" if torn else str(error).strip().splitlines()[0][:200]
    return PermanentDataSourceError(f"{path.name} cannot be read ({reason}); record it again")


def _open_parquet(path: Path) -> _Opened:
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            raise ValueError("no Parquet file")
    table = pl.scan_parquet(path, glob=False)
    schema = table.collect_schema()
    missing = [c for c in ("time", "name", "value") if c not in schema]
    if missing:
        raise ValueError(f"columns {', '.join(missing)} are missing")
    rows = int(table.select(pl.len()).collect().item())
    labels = pl.col("labels") if "labels" in schema else pl.lit("")
    selected = table.select(
        pl.col("name").cast(pl.String).fill_null(""),
        labels.cast(pl.String).fill_null("").alias("labels"),
        time_ms(schema["time"]).alias("time"),
        pl.col("value").cast(pl.Float64, strict=False),
    ).filter(pl.col("time").is_not_null() & pl.col("value").is_not_null())
    return _Opened(table=selected, rows=rows)


def _open_csv(path: Path, scratch: Callable[[], Path]) -> _Opened:
    content = read_tolerant(path, _CSV_HELD_BYTES)
    opened = _Opened(notes=[f"{path.name}: {note}" for note in content.notes])
    if not content.data.strip():
        raise ValueError("the file is empty")
    header = content.data.split(b"\n", 1)[0].decode("utf-8", "replace").lstrip("\ufeff")
    if is_wide(header):
        if content.cut:
            raise ValueError(f"the wide form is read up to {_CSV_HELD_BYTES // 10**6} MB")
        opened.wide = read_wide(content.data)
        opened.notes += [f"{path.name}: {note}" for note in opened.wide.notes]
        return opened
    columns = [c.strip().strip('"') for c in header.split(",")]
    missing = [c for c in ("time", "name", "value") if c not in columns]
    if missing:
        raise ValueError(f"columns {', '.join(missing)} are missing")
    source = path if content.cut else content.data
    opened.table = _long_csv(source)
    if content.cut:
        opened.table = _spool(opened.table, scratch)
    return opened


def _long_csv(source: Path | bytes) -> pl.LazyFrame:
    table = pl.scan_csv(
        source, infer_schema=False, ignore_errors=True, truncate_ragged_lines=True, glob=False
    )
    labels = pl.col("labels") if "labels" in table.collect_schema() else pl.lit("")
    return table.select(
        pl.col("name").fill_null(""),
        labels.fill_null("").alias("labels"),
        time_ms(pl.String()).alias("time"),
        pl.col("value").str.strip_chars().str.replace("^\\+", "").cast(pl.Float64, strict=False),
    ).filter(pl.col("time").is_not_null() & pl.col("value").is_not_null())


def _spool(table: pl.LazyFrame, scratch: Callable[[], Path]) -> pl.LazyFrame:
    path = scratch() / "metrics.parquet"
    table.sink_parquet(path, compression="zstd")
    return pl.scan_parquet(path, glob=False)
