"""Blocks of lines to frames of records, one parser for each kind of log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .blocks import Block, make_block
from .clocks import FileClock
from .headers import Parsed, parse_lines
from .profile import Profile, usual_begin
from .stamps import NONE, Stamps, read_stamps
from .structured import Fields, parse_json, parse_logfmt, wraps_text

__all__ = ["RecordParser", "empty_frame", "parse_texts"]

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_JOIN = "\x1e"
"""Stands for a line end inside a record while records are cut; logs do not hold it."""

_LINE_LIMIT = 16_384
"""Letters kept of a record's raw text: a stack trace of some 200 lines."""

# Spelled out instead of case-insensitive: so the search for it runs at memory speed.
_TRACE_KEY = r"(?:trace|Trace|TRACE)[_.-]?(?:id|Id|ID)"
_TRACE_ID = _TRACE_KEY + r"[\"']?\s*[:=]\s*[\"'\[]?([0-9a-fA-F][0-9a-fA-F-]{7,35})"
_BEGIN_SLACK = 16
_QUARTER_MS = 900_000
_LIKE_BYTES = 4
"""A year, or a bracket and three digits of one."""


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
            return _slow_starts(block)
        if self.profile.folds:
            return _with_likes(block, stamps.kind != NONE)
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
        lines, kept = _cut_records(block, starts, wanted)
        parsed = parse_lines(lines, mine.take(kept))
        trace = (
            lines.str.extract(_TRACE_ID, 1)
            if self.profile.has_trace_id
            else pl.Series([None] * len(lines), dtype=pl.String)
        )
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
        frame, undated = self._structured(fields, lines, good, block)
        rest = np.flatnonzero(~good & (block.lengths > 0))
        if not len(rest):
            return frame, undated
        # What is no JSON in such a file is a start-up banner or a panic: plain text.
        texts = lines.gather(pl.Series(rest))
        stamps = read_stamps(block.buffer, block.starts[rest], block.lengths[rest])
        utc, dated = self.clock.utc(stamps)
        parsed = parse_lines(texts, stamps)
        others = _frame(
            utc,
            dated,
            parsed.severity,
            pl.repeat(self.service, len(rest), eager=True, dtype=pl.String),
            parsed.body,
            texts,
            block.offsets[rest],
            pl.Series([None] * len(rest), dtype=pl.String),
        )
        whole = pl.concat([self._within(frame), self._within(others)]).sort("offset")
        return whole, undated + int((~dated).sum())

    def _logfmt(self, block: Block) -> tuple[pl.DataFrame, int]:
        lines = _all_lines(block)
        good = block.lengths > 0
        return self._structured(parse_logfmt(lines.filter(pl.Series(good))), lines, good, block)

    def _structured(
        self, fields: Fields, lines: pl.Series, good: Flags, block: Block
    ) -> tuple[pl.DataFrame, int]:
        utc, dated = self.clock.utc(fields.stamps)
        utc, carried = self._carry_forward(utc, dated)
        service = fields.service.fill_null(self.service)
        body, severity = fields.body, fields.severity
        if wraps_text(self.profile.keys):
            inner = parse_texts(body)
            body, severity = inner.body, np.where(severity > 0, severity, inner.severity)
        frame = _frame(
            utc,
            carried,
            severity,
            service,
            body,
            lines.filter(pl.Series(good)),
            block.offsets[good],
            fields.trace_id,
        )
        return self._within(frame), int((~dated).sum())

    def _slow_log(self, block: Block) -> tuple[pl.DataFrame, int]:
        stamps = self._stamps(block)
        starts = self._starts(block, stamps)
        starts[0] = True
        rows = np.flatnonzero(starts)
        lines, kept = _cut_records(block, starts, np.ones(len(rows), np.bool_))
        written, dated = self.clock.utc(stamps.take(rows))
        written, dated = self._carry_forward(written, dated)
        # The statement's own time is an epoch number: no zone, and set on every statement.
        own = lines.str.extract(r"(?i)SET timestamp=([0-9]{10})", 1).cast(pl.Int64) * 1000
        known = own.is_not_null().to_numpy()
        epoch = own.fill_null(0).to_numpy()
        utc = np.where(known, epoch, written - _written_ahead(written, epoch, known & dated))
        text = lines.str.replace_all(_JOIN, "\n", literal=True)
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


def _with_likes(block: Block, dated: Flags) -> Flags:
    """Add lines that begin like the record before them: their stamp has a form we do not know."""
    rows = np.flatnonzero(dated)
    if not len(rows) or len(rows) == len(dated):
        return dated
    head = block.buffer[block.starts[:, None] + np.arange(_LIKE_BYTES)]
    before = np.searchsorted(rows, np.arange(len(dated)), side="right") - 1
    like = (head == head[rows[np.maximum(before, 0)]]).all(axis=1) & (before >= 0)
    indented = (head[:, 0] == 32) | (head[:, 0] == 9)
    return dated | (like & ~indented & (block.lengths >= _LIKE_BYTES))


def _slow_starts(block: Block) -> Flags:
    head = block.buffer[block.starts[:, None] + np.arange(8)]
    time = (head == np.frombuffer(b"# Time: ", np.uint8)).all(axis=1)
    user = (head == np.frombuffer(b"# User@H", np.uint8)).all(axis=1)
    after_time = np.concatenate([np.zeros(1, np.bool_), time[:-1]])
    return time | (user & ~after_time)


def _inside(utc: Ints, spans: Sequence[tuple[int, int]]) -> Flags:
    inside = np.zeros(len(utc), np.bool_)
    for start, end in spans:
        inside |= (utc >= start) & (utc <= end)
    return inside


def _all_lines(block: Block) -> pl.Series:
    return pl.read_lines(block.text).to_series()


def _cut_records(block: Block, starts: Flags, wanted: Flags) -> tuple[pl.Series, Ints]:
    """Return the text of the wanted records, line ends inside them replaced, and which they are."""
    rows = np.flatnonzero(starts)
    picked = np.flatnonzero(wanted)
    first, last = int(picked[0]), int(picked[-1])
    begin = int(block.starts[rows[first]])
    end = int(block.starts[rows[last + 1]]) if last + 1 < len(rows) else len(block.text)
    inner = np.flatnonzero(~starts)
    inner = inner[(inner > rows[first]) & (block.starts[inner] < end)]
    if len(inner):
        text = block.buffer[begin:end].copy()
        text[block.starts[inner] - 1 - begin] = ord(_JOIN)
        data = text.tobytes()
    else:
        data = block.text[begin:end]
    lines = pl.read_lines(data).to_series()
    if len(picked) < last + 1 - first:
        lines = lines.gather(pl.Series(picked - first))
    return lines, picked


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
    if int(frame["line"].str.len_bytes().max() or 0) > _LINE_LIMIT:  # pyright: ignore[reportArgumentType] - a length
        frame = frame.with_columns(pl.col("line").str.slice(0, _LINE_LIMIT))
    if folded:
        frame = frame.with_columns(_unfolded("body"), _unfolded("line"))
    return frame


def _unfolded(name: str) -> pl.Expr:
    return pl.col(name).str.replace_all(_JOIN, "\n", literal=True).str.strip_chars_end()


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
    single = texts.str.replace_all("\n", _JOIN, literal=True)
    data = "\n".join([*single.to_list(), ""]).encode()
    block = make_block(data, None, 0)
    usual = read_stamps(block.buffer, block.starts[:2000], block.lengths[:2000]).places()
    stamps = read_stamps(block.buffer, block.starts, block.lengths, usual, search=not usual)
    parsed = parse_lines(single, stamps)
    return Parsed(parsed.body.str.replace_all(_JOIN, "\n", literal=True), parsed.severity)
