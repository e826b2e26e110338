"""The wide form of recorded metrics: ``time`` and one column for each ``<entity>|<metric>``.

``node:<name>|<metric>`` is a machine, ``_entry|<metric>`` the front door as its users see it.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.datasources._records import plausible
from superbizagent.datasources._times import time_ms
from superbizagent.domain.series import Labels, series_name

from .store import MetricStore, store_of_rows

__all__ = ["WideTable", "is_wide", "read_wide", "series_of_column", "store_of_wide"]

_MANY_COLUMNS = 5_000
"""A file of this many series has few rows; reading it by rows takes a third of the memory."""

_TIME_NAMES = ("time", "timestamp", "ts")


@dataclass(slots=True)
class WideTable:
    """Columns as label sets, and the samples as one matrix."""

    labels: list[Labels]
    times: NDArray[np.int64]
    """Milliseconds, one for each row of ``values``."""
    values: NDArray[np.float64]
    """Rows are times, columns are series; NaN where there is no sample."""
    notes: list[str] = field(default_factory=list[str])

    @property
    def extent_ms(self) -> tuple[int, int] | None:
        """The first and the last time."""
        times = plausible(self.times)
        return (int(times.min()), int(times.max())) if len(times) else None


def is_wide(header: str) -> bool:
    """Tell from the first line whether a table is in the wide form."""
    names = [name.strip() for name in _cells(header)]
    long = {"name", "value"} <= set(names)
    return not long and len(names) > 1 and names[0] in _TIME_NAMES


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line.replace("\r", " ")]), list[str]())
    except csv.Error as error:  # a cell longer than any name
        raise ValueError(f"the first line is no list of columns: {error}") from error


def series_of_column(column: str) -> Labels:
    """Return the label set of a column; without a ``|`` it belongs to no entity."""
    entity, bar, metric = column.rpartition("|")
    if not bar:
        return {"__name__": column}
    if entity.startswith("node:"):
        return {"__name__": metric, "host": entity.removeprefix("node:")}
    return {"__name__": metric, "service": entity}


def read_wide(data: bytes) -> WideTable:
    """Read a table of the wide form.

    Raises:
        ValueError: when no row has a time or no column holds numbers.
        polars.exceptions.PolarsError: when it is no table at all.
    """
    header = data.split(b"\n", 1)[0].decode("utf-8", "replace").lstrip("\ufeff").rstrip("\r")
    names = [name.strip() for name in _cells(header)]
    read = _by_rows if len(names) > _MANY_COLUMNS else _by_columns
    times, values = read(data, len(names))
    return _table(times, values, names)


def _by_columns(data: bytes, count: int) -> tuple[pl.Series, NDArray[np.float64]]:
    """Return the first column as text and the others as numbers."""
    # Positions as names: duplicate column names are legal in the file and would be renamed.
    positions = [f"c{k}" for k in range(count)]
    frame = pl.read_csv(
        data,
        has_header=False,
        skip_rows=1,
        schema=_schema(positions),
        ignore_errors=True,
        truncate_ragged_lines=True,
    )
    return frame.to_series(0), frame.drop(positions[0]).to_numpy()


def _by_rows(data: bytes, count: int) -> tuple[pl.Series, NDArray[np.float64]]:
    """Do the same where there are so many columns that each one's overhead would count."""
    lines = [line for line in data.decode("utf-8", "replace").split("\n")[1:] if line.strip()]
    values = np.full((len(lines), count - 1), np.nan)
    times: list[str] = []
    for number, line in enumerate(lines):
        time, *cells = line.rstrip("\r").replace('"', "").split(",")
        times.append(time)
        row = pl.Series(cells[: count - 1], dtype=pl.String).cast(pl.Float64, strict=False)
        values[number, : len(row)] = row.fill_null(float("nan")).to_numpy()
    return pl.Series("c0", times, dtype=pl.String), values


def _schema(positions: list[str]) -> dict[str, pl.DataType]:
    schema: dict[str, pl.DataType] = dict.fromkeys(positions, pl.Float64())
    schema[positions[0]] = pl.String()
    return schema


def _table(texts: pl.Series, values: NDArray[np.float64], names: list[str]) -> WideTable:
    times = texts.to_frame().select(time_ms(pl.String(), texts.name)).to_series()
    undated = int(times.null_count())
    notes = [f"{undated} rows without a time left out"] if undated else []
    if undated == len(times):
        raise ValueError("no row has a time in its first column")
    if undated:
        values = values[times.is_not_null().to_numpy()]
    kept: dict[str, int] = {}
    for place, name in enumerate(names[1:]):
        kept.setdefault(name, place)
    if len(kept) < len(names) - 1:
        notes.append(f"{len(names) - 1 - len(kept)} columns repeat a name; the first one stays")
        values = values[:, list(kept.values())]
    if np.isnan(values).all():
        raise ValueError("no column holds numbers")
    return WideTable(
        labels=[series_of_column(name) for name in kept],
        times=times.drop_nulls().to_numpy(),
        values=values,
        notes=notes,
    )


def store_of_wide(tables: Sequence[WideTable]) -> MetricStore:
    """Index one or more tables together; equal columns become one series."""
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    printed_names = sorted({series_name(row) for table in tables for row in table.labels})
    numbers = {name: number for number, name in enumerate(printed_names)}
    labels: list[Labels] = [{}] * len(numbers)
    for table in tables:
        ids = np.empty(len(table.labels), np.int64)
        for place, row in enumerate(table.labels):
            ids[place] = numbers[series_name(row)]
            labels[ids[place]] = row
        # Series by series in the order of their numbers, so that nothing is sorted afterwards.
        by_number = np.ascontiguousarray(table.values.T[np.argsort(ids)])
        there = ~np.isnan(by_number)
        counts = there.sum(axis=1)
        when = np.broadcast_to(table.times, there.shape)[there]
        parts.append((np.repeat(np.sort(ids), counts), when, by_number[there]))
    return store_of_rows(
        labels,
        np.concatenate([p[0] for p in parts]),
        np.concatenate([p[1] for p in parts]),
        np.concatenate([p[2] for p in parts]),
    )
