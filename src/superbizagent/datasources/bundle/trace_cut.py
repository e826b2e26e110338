"""The spans of a span of time, out of files in any form, for a recording."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from superbizagent.datasources._traces import SpanStore, span_frames, within
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.window import Window

__all__ = ["CutTraces", "cut_traces"]

_COLUMNS = ("trace_id", "span_id", "parent_id", "service", "operation", "kind", "start_us")
_MORE = ("duration_us", "error", "peer", "instance", "namespace")
_WORDS = ("trace_id", "span_id", "parent_id", "service", "operation", "error", "peer", "instance")
_ZSTD_LEVEL = 19


@dataclass(frozen=True, slots=True)
class CutTraces:
    """What was kept."""

    data: bytes
    """A table in Parquet; empty when there is no span."""
    spans: int
    traces: int
    notes: tuple[str, ...]


def cut_traces(
    paths: Sequence[Path], window: Window, services: Sequence[str], redactor: Redactor
) -> CutTraces:
    """Return the spans that begin in a window, of the traces that touch some services.

    Args:
        paths: files of spans.
        window: what is kept.
        services: names; empty: all.
        redactor: masks secrets in names, ids and errors.

    Raises:
        OSError: when a file cannot be opened.
        ValueError: when nothing of a file can be read; says why.
    """
    store = SpanStore()
    notes: list[str] = []
    for path in paths:
        own: list[str] = []
        try:
            for frame in span_frames(path, own):
                store.add(frame, own)
        except ValueError as error:
            raise ValueError(f"{str(path)!r}: {error}") from error
        notes += [f"{path.name}: {note}" for note in dict.fromkeys(own)]
    if not store.bears_all:
        notes.append(f"of {store.read} spans {store.held} are held at most; traces were left out")
    kept = within(store.table(), [(window.start_ms, window.end_ms)], services or None)
    if not len(kept):
        return CutTraces(b"", 0, 0, tuple(notes))
    table = kept.select(*_COLUMNS, *_MORE).sort("start_us", "trace_id", "span_id")
    table = table.with_columns(_masked(table[name], redactor) for name in _WORDS)
    # Into memory: on a full disk polars ends with an error of its own instead of an OSError.
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd", compression_level=_ZSTD_LEVEL, statistics=False)
    return CutTraces(buffer.getvalue(), len(table), table["trace_id"].n_unique(), tuple(notes))


def _masked(column: pl.Series, redactor: Redactor) -> pl.Series:
    distinct = column.drop_nulls().unique().sort().to_list()
    clean = redactor.lines(distinct)
    if clean == distinct:
        return column
    return column.replace(distinct, clean)
