"""Files of recorded spans, whatever form they are in, to tables of one schema."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, cast

import polars as pl

from .documents import Documents, whole_content
from .jaeger import is_jaeger, jaeger_rows
from .otlp import is_otlp, otlp_rows
from .rows import SpanRow, frame_of
from .table import is_span_row, table_frame
from .zipkin import is_zipkin, zipkin_rows

__all__ = ["TRACE_ENDINGS", "document_rows", "span_frames"]

TRACE_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".parquet")
"""What files of spans end in, compressed ones before their ``.gz``, ``.zst`` or ``.zstd``."""

_ROWS = 100_000
"""Spans of one table: some 40 MB while they are rows."""
_SLICE = 500_000
_OTHER = "neither OTLP, Jaeger nor Zipkin JSON, nor rows with trace_id, span_id, service, start"


def span_frames(path: Path, notes: list[str]) -> Iterator[pl.DataFrame]:
    """Yield the spans of a file in tables of some size.

    Args:
        path: the file.
        notes: gets what was left out, guessed or damaged.

    Raises:
        OSError: when it cannot be opened.
        ValueError: when nothing of it can be read; says why.
    """
    ending = path.name.lower().removesuffix(".gz").removesuffix(".zstd").removesuffix(".zst")
    if ending.endswith(".parquet"):
        yield from _parquet(path, notes)
    elif ending.endswith(".csv"):
        yield _csv(path, notes)
    else:
        yield from _json(path, notes)


def document_rows(document: Any) -> Iterator[SpanRow] | None:
    """Return the spans of one JSON document, or None when it is in no form that has any."""
    if is_otlp(document):
        return otlp_rows(document)
    if is_jaeger(document):
        return jaeger_rows(document)
    if is_zipkin(document):
        return zipkin_rows(document)
    if isinstance(document, list) and document:
        parts = [document_rows(item) for item in cast("list[Any]", document)]
        if any(part is not None for part in parts):
            return (row for part in parts if part is not None for row in part)
    return None


def _parquet(path: Path, notes: list[str]) -> Iterator[pl.DataFrame]:
    with path.open("rb") as file:
        if not (head := file.read(4)):
            raise ValueError("the file is empty")
        if head != b"PAR1":
            raise ValueError("no Parquet file")
    try:
        table = pl.scan_parquet(path)
        rows = int(table.select(pl.len()).collect().item())
        for start in range(0, max(rows, 1), _SLICE):
            yield table_frame(table.slice(start, _SLICE).collect(), notes if not start else [])
    except pl.exceptions.PolarsError as error:
        raise ValueError("damaged or cut off") from error


def _csv(path: Path, notes: list[str]) -> pl.DataFrame:
    data = whole_content(path, notes)
    if not data.strip():
        raise ValueError("the file is empty")
    try:
        table = pl.read_csv(
            data,
            infer_schema=False,
            ignore_errors=True,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
        )
    except pl.exceptions.PolarsError as error:
        raise ValueError("no table") from error
    return table_frame(table, notes)


def _json(path: Path, notes: list[str]) -> Iterator[pl.DataFrame]:
    documents = Documents(path, notes=notes)
    flat: list[Mapping[str, Any]] = []
    other = 0
    read = 0

    def rows() -> Iterator[SpanRow]:
        nonlocal other
        for document in documents:
            found = document_rows(document)
            if found is not None:
                yield from found
            elif flat_rows := _flat(document):
                flat.extend(flat_rows)
            else:
                other += 1

    stream = rows()
    while part := list(islice(stream, _ROWS)):
        read += len(part)
        yield frame_of(part)
    if flat:
        read += len(flat)
        yield table_frame(_table(flat), notes)
    if documents.broken:
        notes.append(f"{documents.broken} lines are no JSON and were left out")
    if other and not read:
        raise ValueError(_OTHER)
    if other:
        notes.append(f"{other} JSON documents hold no spans and were left out")


def _flat(document: Any) -> list[Mapping[str, Any]]:
    found = cast("list[Any]", document if isinstance(document, list) else [document])
    rows = [cast("Mapping[str, Any]", row) for row in found if isinstance(row, dict)]
    return [row for row in rows if is_span_row(row)]


def _table(rows: list[Mapping[str, Any]]) -> pl.DataFrame:
    """Return flat JSON objects as a table of text: types may differ from row to row."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [_cell(row.get(name)) for row in rows] for name in names}
    return pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))


def _cell(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else str(value)
