"""Log records in a table: ``time, service, trace_id, span_id, message``."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from superbizagent.datasources._records import merged_spans, parse_texts, plausible
from superbizagent.datasources._records.streams import read_tolerant
from superbizagent.datasources._times import time_ms
from superbizagent.domain.canonical import digest_bytes
from superbizagent.domain.logs import LogChunk, LogFile
from superbizagent.domain.source import LogQuery
from superbizagent.errors import PermanentDataSourceError

__all__ = ["LogTable", "TableSurvey"]

_LIMIT_BYTES = 512_000_000
"""A table in text form is held while it is read; larger ones are cut, and that is noted."""

_ROWS = 200_000
"""Records in a chunk: some 30 MB of text."""


@dataclass(frozen=True, slots=True)
class TableSurvey:
    """Which services and which time a table covers."""

    services: tuple[str, ...]
    extent_ms: tuple[int, int] | None


class LogTable:
    """One table, read when it is first asked and kept."""

    def __init__(self, path: Path, label: str, *, is_baseline: bool) -> None:
        self._path = path
        self._label = label
        self.is_baseline = is_baseline
        self.notes: list[str] = []
        self._truncated = False
        self._digest = ""
        self._size = 0

    @property
    def label(self) -> str:
        """Its name in reports."""
        return self._label

    def survey(self) -> TableSurvey:
        """Say what the table covers.

        Raises:
            PermanentDataSourceError: when it cannot be read.
        """
        frame = self._frame
        services = frame["service"].unique().sort().to_list()
        times = plausible(frame["time"].drop_nulls().to_numpy())
        extent = (int(times.min()), int(times.max())) if len(times) else None
        return TableSurvey(tuple(s for s in services if s), extent)

    def error(self) -> str:
        """Say why the table cannot be read; empty when it can."""
        try:
            _ = self._frame
        except PermanentDataSourceError as error:
            return str(error)
        return ""

    def unread(self) -> LogChunk:
        """Return the chunk that stands for a table which cannot be read."""
        file = LogFile(path=self._label, service="", size_bytes=0, digest="", notes=(self.error(),))
        return LogChunk(file, _records(self._empty(), self._empty()["message"]))

    def read(self, query: LogQuery) -> Iterator[LogChunk]:
        """Yield the records that a query asks for."""
        frame = self._frame.with_row_index("offset")
        time = pl.col("time")
        inside = pl.any_horizontal(
            time.is_null(), *(time.is_between(a, b) for a, b in merged_spans(query.windows))
        )
        wanted = frame.filter(inside)
        if query.services:
            wanted = wanted.filter(pl.col("service").is_in(list(query.services)))
        if query.contains:
            words = list(query.contains)
            wanted = wanted.filter(
                pl.col("message").str.contains_any(words, ascii_case_insensitive=True)
            )
        file = self._file(frame)
        for start in range(0, max(len(wanted), 1), _ROWS):
            part = wanted[start : start + _ROWS]
            yield LogChunk(file, _records(part, part["message"]))

    def _file(self, frame: pl.DataFrame) -> LogFile:
        return LogFile(
            path=self._label,
            service="",
            size_bytes=self._size,
            digest=self._digest,
            lines=len(frame),
            undated_lines=int(frame["time"].null_count()),
            truncated=self._truncated,
            notes=tuple(self.notes),
        )

    @cached_property
    def _frame(self) -> pl.DataFrame:
        try:
            self._size = self._path.stat().st_size
            frame = self._parquet() if self._path.suffix == ".parquet" else self._csv()
        except (pl.exceptions.PolarsError, OSError, ValueError) as error:
            torn = isinstance(error, pl.exceptions.PolarsError)
            reason = "damaged or cut off" if torn else str(error).strip()[:200]
            raise PermanentDataSourceError(
                f"{self._label} cannot be read ({reason}); record it again"
            ) from error
        return self._named(frame)

    def _parquet(self) -> pl.DataFrame:
        data = self._path.read_bytes()
        if data[:4] != b"PAR1":
            raise ValueError("no Parquet file")
        self._digest = digest_bytes(data)
        return pl.read_parquet(data)

    def _csv(self) -> pl.DataFrame:
        content = read_tolerant(self._path, _LIMIT_BYTES)
        self.notes += content.notes
        if content.cut:
            self._truncated = True
            self.notes.append(f"only the first {_LIMIT_BYTES // 10**6} MB were read")
        if not content.data.strip():
            raise ValueError("the file is empty")
        self._digest = digest_bytes(content.data)
        return pl.read_csv(
            content.data, infer_schema=False, ignore_errors=True, truncate_ragged_lines=True
        )

    def _named(self, frame: pl.DataFrame) -> pl.DataFrame:
        missing = [name for name in ("time", "message") if name not in frame.columns]
        if missing:
            raise PermanentDataSourceError(
                f"{self._label} cannot be read (columns {', '.join(missing)} are missing)"
            )
        optional = [
            pl.col(name) if name in frame.columns else pl.lit(None)
            for name in ("service", "trace_id", "span_id")
        ]
        named = frame.select(
            time_ms(frame.schema["time"]).alias("time"),
            optional[0].cast(pl.String).fill_null("").alias("service"),
            optional[1].cast(pl.String).alias("trace_id"),
            optional[2].cast(pl.String).alias("span_id"),
            pl.col("message").cast(pl.String).fill_null(""),
        )
        return named.sort("time", maintain_order=True, nulls_last=True)

    def _empty(self) -> pl.DataFrame:
        schema = {
            "offset": pl.UInt32,
            "time": pl.Int64,
            "service": pl.String,
            "trace_id": pl.String,
            "span_id": pl.String,
            "message": pl.String,
        }
        return pl.DataFrame(schema=schema)


def _records(rows: pl.DataFrame, message: pl.Series) -> pl.DataFrame:
    parsed = parse_texts(message)
    return pl.DataFrame(
        {
            "time": rows["time"],
            "severity": pl.Series(parsed.severity, dtype=pl.Int8),
            "service": rows["service"],
            "body": parsed.body,
            "line": message,
            "offset": rows["offset"].cast(pl.Int64),
            "trace_id": rows["trace_id"],
            "span_id": rows["span_id"],
        }
    )
