"""Blocks of lines to frames of records, one parser for each kind of log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .blocks import Block, make_block
from .clocks import FileClock
from .cuts import (
    JOIN,
    cut_records,
    starts_like_dated,
    starts_of_runs,
    starts_of_slow_queries,
)
from .headers import Parsed, parse_lines
from .line_bytes import LineBytes
from .profile import Profile, usual_begin
from .stamps import NONE, Stamps, read_stamps
from .structured import Fields, parse_json, parse_logfmt, wraps_text
from .trace_ids import trace_ids

__all__ = ["LINE_LIMIT", "RecordParser", "empty_frame", "parse_texts"]

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

LINE_LIMIT = 16_384
"""Letters kept of a record's raw text: a stack trace of some 200 lines."""

_BEGIN_SLACK = 16
_QUARTER_MS = 900_000


@dataclass(slots=True)
class RecordParser:
    """Turns blocks of one file into frames; see `LogChunk` for the columns."""

    profile: Profile
    clock: FileClock
    service: str
    spans: Sequence[tuple[int, int]]
    """UTC milliseconds; records outside are left out. Undated ones stay."""
    last_ms: int | None = None
    """Time of the last dated record so far."""

    def parse(self, block: Block) -> tuple[pl.DataFrame, int]:
        """Return the records of a block and how many of its lines have no time."""
        parsers: dict[str, Callable[[Block], tuple[pl.DataFrame, int]]] = {
            "json": self._json,
            "logfmt": self._logfmt,
            "slowlog": self._slow_log,
        }
        return parsers.get(self.profile.kind, self._text)(block)

    def last_start(self, block: Block) -> int:
        """Return the last line that begins a record; 0 when there is none."""
        starts = np.flatnonzero(self._starts(block, self._stamps(block)))
        return int(starts[-1]) if len(starts) else 0

    def _stamps(self, block: Block) -> Stamps:
        profile = self.profile
        search: Flags | bool = True
        if profile.folds:
            first = block.buffer[block.starts]
            # Indented lines of a stack trace hold no stamp of their own.
            search = (first != 32) & (first != 9)
        stamps = read_stamps(
            block.buffer, block.starts, block.lengths, profile.places, search=search
        )
        if profile.uniform:
            far = stamps.begin > usual_begin(profile) + _BEGIN_SLACK
            stamps.drop(far)
        return stamps

    def _starts(self, block: Block, stamps: Stamps) -> Flags:
        if self.profile.kind == "slowlog":
            return starts_of_slow_queries(block)
        if self.profile.folds:
            return starts_like_dated(block, stamps.kind != NONE)
        return block.lengths > 0

    def _carry_forward(self, utc: Ints, dated: Flags) -> tuple[Ints, Flags]:
        """Give a record without a time that of the one before it."""
        before = self.last_ms
        if dated.any():
            self.last_ms = int(utc[np.flatnonzero(dated)[-1]])
        if dated.all():
            return utc, dated
        last = np.maximum.accumulate(np.where(dated, np.arange(len(utc)), -1))
        known = (last >= 0) | (before is not None)
        return np.where(last >= 0, utc[last], before or 0), known

    def _text(self, block: Block) -> tuple[pl.DataFrame, int]:
        stamps = self._stamps(block)
        starts = self._starts(block, stamps)
        if not starts.any():
            starts[0] = True
        if self.profile.folds:
            starts[0] = True
        rows = np.flatnonzero(starts)
        undated = int((stamps.kind[rows] == NONE).sum())
        mine = stamps.take(rows)
        utc, dated = self.clock.utc(mine)
        utc, dated = self._carry_forward(utc, dated)
        wanted = ~dated | _inside(utc, self.spans)
        if not wanted.any():
            return empty_frame(), undated
        lines, kept = cut_records(block, starts, wanted)
        text = LineBytes.of(block, rows[kept])
        parsed = parse_lines(lines, mine.take(kept), text)
        trace = trace_ids(lines, self.profile.trace_key, text)
        frame = _frame(
            utc[kept],
            dated[kept],
            parsed.severity,
            pl.repeat(self.service, len(lines), eager=True, dtype=pl.String),
            parsed.body,
            lines,
            block.offsets[rows[kept]],
            trace,
            folded=not starts.all(),
        )
        return self._unwrapped(frame), undated

    def _unwrapped(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Read messages that are JSON themselves."""
        if not self.profile.keys:
            return frame
        fields, good = parse_json(frame["body"], self.profile.keys)
        inner = pl.DataFrame(
            {
                "row": pl.Series(np.flatnonzero(good), dtype=pl.UInt32),
                "severity": pl.Series(fields.severity, dtype=pl.Int8),
                "service": fields.service,
                "body": fields.body,
                "trace_id": fields.trace_id,
            }
        )
        joined = frame.with_row_index("row").join(
            inner, on="row", how="left", maintain_order="left"
        )
        level = pl.when(pl.col("severity_right") > 0).then("severity_right").otherwise("severity")
        return joined.select(
            "time",
            level.alias("severity"),
            pl.coalesce("service_right", "service").alias("service"),
            pl.coalesce("body_right", "body").alias("body"),
            "line",
            "offset",
            pl.coalesce("trace_id_right", "trace_id").alias("trace_id"),
        )

    def _json(self, block: Block) -> tuple[pl.DataFrame, int]:
        lines = _all_lines(block)
        fields, good = parse_json(lines, self.profile.keys)
        rest = ~good & (block.lengths > 0)
        own = self._rest_stamps(block, rest)
        begins = starts_of_runs(rest, good, own.kind != NONE) if self.profile.folds else rest
        utc, dated = self.clock.utc(own)
        utc[good], dated[good] = self.clock.utc(fields.stamps)
        rows = np.flatnonzero(good | begins)
        undated = int((~dated[rows]).sum())
        utc[rows], dated[rows] = self._carry_forward(utc[rows], dated[rows])
        frame = self._structured(fields, utc[good], dated[good], lines, good, block)
        if not begins.any():
            return frame, undated
        # What is no JSON in such a file is a start-up banner or a panic: plain text.
        texts, _ = cut_records(block, good | begins, begins[rows])
        parsed = parse_lines(texts, own.take(np.flatnonzero(begins)))
        others = _frame(
            utc[begins],
            dated[begins],
            parsed.severity,
            pl.repeat(self.service, len(texts), eager=True, dtype=pl.String),
            parsed.body,
            texts,
            block.offsets[begins],
            pl.Series([None] * len(texts), dtype=pl.String),
            folded=True,
        )
        return pl.concat([frame, self._within(others)]).sort("offset"), undated

    def _rest_stamps(self, block: Block, rest: Flags) -> Stamps:
        """Return the stamps of some lines; the others have none."""
        rows = np.flatnonzero(rest)
        found = Stamps.none(len(rest))
        found.put(rows, read_stamps(block.buffer, block.starts[rows], block.lengths[rows]))
        return found

    def _logfmt(self, block: Block) -> tuple[pl.DataFrame, int]:
        lines = _all_lines(block)
        good = block.lengths > 0
        fields = parse_logfmt(lines.filter(pl.Series(good)))
        utc, dated = self.clock.utc(fields.stamps)
        undated = int((~dated).sum())
        utc, dated = self._carry_forward(utc, dated)
        return self._structured(fields, utc, dated, lines, good, block), undated

    def _structured(  # noqa: PLR0913, PLR0917 - what the two structured kinds share
        self, fields: Fields, utc: Ints, dated: Flags, lines: pl.Series, good: Flags, block: Block
    ) -> pl.DataFrame:
        service = fields.service.fill_null(self.service)
        body, severity = fields.body, fields.severity
        if wraps_text(self.profile.keys):
            inner = parse_texts(body)
            body, severity = inner.body, np.where(severity > 0, severity, inner.severity)
        frame = _frame(
            utc,
            dated,
            severity,
            service,
            body,
            lines.filter(pl.Series(good)),
            block.offsets[good],
            fields.trace_id,
        )
        return self._within(frame)

    def _slow_log(self, block: Block) -> tuple[pl.DataFrame, int]:
        stamps = self._stamps(block)
        starts = self._starts(block, stamps)
        starts[0] = True
        rows = np.flatnonzero(starts)
        lines, kept = cut_records(block, starts, np.ones(len(rows), np.bool_))
        written, dated = self.clock.utc(stamps.take(rows))
        written, dated = self._carry_forward(written, dated)
        # The statement's own time is an epoch number: no zone, and set on every statement.
        own = lines.str.extract(r"(?i)SET timestamp=([0-9]{10})", 1).cast(pl.Int64) * 1000
        known = own.is_not_null().to_numpy()
        epoch = own.fill_null(0).to_numpy()
        utc = np.where(known, epoch, written - _written_ahead(written, epoch, known & dated))
        text = lines.str.replace_all(JOIN, "\n", literal=True)
        body = text.str.replace(r"^# Time:[^\n]*\n", "").str.slice(0, 4096)
        frame = _frame(
            utc,
            known | dated,
            np.zeros(len(rows), np.int8),
            pl.repeat(self.service, len(rows), eager=True, dtype=pl.String),
            body.str.strip_chars(),
            lines,
            block.offsets[rows[kept]],
            pl.Series([None] * len(rows), dtype=pl.String),
            folded=True,
        )
        return self._within(frame), int((~(known | dated)).sum())

    def _within(self, frame: pl.DataFrame) -> pl.DataFrame:
        utc = frame["time"].fill_null(0).to_numpy()
        wanted = frame["time"].is_null().to_numpy() | _inside(utc, self.spans)
        return frame if wanted.all() else frame.filter(pl.Series(wanted))


def _written_ahead(written: Ints, epoch: Ints, both: Flags) -> int:
    """Return how far written times run ahead of epoch times: their zone, to a quarter hour."""
    if not both.any():
        return 0
    quarters = np.median(written[both] - epoch[both]) / _QUARTER_MS
    return round(float(quarters)) * _QUARTER_MS


def _inside(utc: Ints, spans: Sequence[tuple[int, int]]) -> Flags:
    inside = np.zeros(len(utc), np.bool_)
    for start, end in spans:
        inside |= (utc >= start) & (utc <= end)
    return inside


def _all_lines(block: Block) -> pl.Series:
    return pl.read_lines(block.text).to_series()


def _frame(  # noqa: PLR0913, PLR0917 - one parameter for each column
    utc: Ints,
    dated: Flags,
    severity: NDArray[np.int8],
    service: pl.Series,
    body: pl.Series,
    line: pl.Series,
    offset: Ints,
    trace_id: pl.Series,
    *,
    folded: bool = False,
) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "time": pl.Series(utc, dtype=pl.Int64),
            "dated": dated,
            "severity": pl.Series(severity, dtype=pl.Int8),
            "service": service,
            "body": body,
            "line": line,
            "offset": pl.Series(offset, dtype=pl.Int64),
            "trace_id": trace_id,
        }
    )
    if not dated.all():
        frame = frame.with_columns(time=pl.when("dated").then("time").otherwise(None))
    frame = frame.drop("dated")
    # Most blocks hold neither; a look at the lengths is cheaper than a rewrite.
    if int(frame["line"].str.len_bytes().max() or 0) > LINE_LIMIT:  # pyright: ignore[reportArgumentType] - a length
        frame = frame.with_columns(pl.col("line").str.slice(0, LINE_LIMIT))
    if folded:
        frame = frame.with_columns(_unfolded(frame[name]) for name in ("body", "line"))
    return frame


def _unfolded(texts: pl.Series) -> pl.Series:
    rows = texts.str.contains(JOIN, literal=True).arg_true()
    folded = texts.gather(rows).str.replace_all(JOIN, "\n", literal=True)
    return texts.scatter(rows, folded).str.strip_chars_end()


def empty_frame() -> pl.DataFrame:
    """Return a frame without records."""
    return pl.DataFrame(
        schema={
            "time": pl.Int64,
            "severity": pl.Int8,
            "service": pl.String,
            "body": pl.String,
            "line": pl.String,
            "offset": pl.Int64,
            "trace_id": pl.String,
        }
    )


def parse_texts(texts: pl.Series) -> Parsed:
    """Take the headers off messages whose times are known from elsewhere."""
    single = texts.str.replace_all("\n", JOIN, literal=True)
    data = "\n".join([*single.to_list(), ""]).encode()
    block = make_block(data, None, 0)
    usual = read_stamps(block.buffer, block.starts[:2000], block.lengths[:2000]).places()
    stamps = read_stamps(block.buffer, block.starts, block.lengths, usual, search=not usual)
    parsed = parse_lines(single, stamps)
    return Parsed(parsed.body.str.replace_all(JOIN, "\n", literal=True), parsed.severity)
