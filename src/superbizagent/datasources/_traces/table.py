"""Spans in a table: one row a span, under any of the usual column names."""

from collections.abc import Mapping, Sequence

import polars as pl

from superbizagent.datasources._times import time_us

from .rows import SCHEMA, Failure, kind_of, what_failed

__all__ = ["is_span_row", "table_frame"]

_NAMES: Mapping[str, tuple[str, ...]] = {
    "trace_id": ("traceid", "trace"),
    "span_id": ("spanid", "span", "id"),
    "parent_id": ("parentid", "parentspanid", "parentspan", "parent"),
    "service": ("service", "servicename", "cmdbid", "process"),
    "namespace": ("servicenamespace",),
    "operation": ("operation", "operationname", "spanname", "methodname", "name", "url"),
    "kind": ("kind", "spankind"),
    "error": ("error", "iserror", "errormessage", "exception"),
    "status": ("status", "statuscode", "httpstatus", "httpstatuscode", "code", "responsecode"),
    "peer": ("peer", "peerservice", "remoteservice"),
    "instance": ("instance", "pod", "podname", "podid", "host", "hostname", "instanceid"),
}
"""Column -> names it goes by, without case and underscores; the first that is there is taken."""

_STARTS = (
    *("starttimeunixnano", "startns", "startus", "starttimeus", "starttime", "start", "startms"),
    *("starttimemillis", "starttimems", "timestamp", "time", "ts"),
)
"""The finest first, where a table has several."""
_ENDS = ("endtimeunixnano", "endns", "endus", "endtimeus", "endtime", "end", "endms")
_DURATIONS = {
    **dict.fromkeys(("durationns", "durationnano", "durationnanos"), 0.001),
    **dict.fromkeys(("durationus", "durationmicros", "elapsedus"), 1.0),
    **dict.fromkeys(("durationms", "durationmillis", "elapsedms", "latencyms"), 1e3),
    **dict.fromkeys(("durations", "durationseconds"), 1e6),
}
"""Name -> microseconds a unit."""
_UNITLESS = ("duration", "elapsedtime", "elapsed", "latency", "cost")
_UNITS = {"ns": 0.001, "µs": 1.0, "ms": 1e3, "s": 1e6}
_ENOUGH = 0.9
"""Of the spans, share that must begin while their parent runs: some calls do not wait."""
_FALSE = frozenset({"", "0", "false", "none", "null", "no", "ok", "nan"})
_NEEDED = ("trace_id", "span_id", "service")


def is_span_row(row: Mapping[str, object]) -> bool:
    """Tell whether a flat JSON object is a row of such a table."""
    return not _missing(row)


def table_frame(table: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Return a table as one of the schema that every reader gives.

    Args:
        table: any columns; what is not known is left out.
        notes: gets a line for what had to be guessed.

    Raises:
        ValueError: when there are no trace, span and service columns, or no time.
    """
    missing = _missing(table.columns)
    if missing:
        raise ValueError(f"columns {', '.join(missing)} are missing")
    plain = {_plain(name): name for name in reversed(table.columns)}
    chosen = {
        column: plain[name]
        for column, names in _NAMES.items()
        if (name := next((n for n in (_plain(column), *names) if n in plain), None))
    }
    frame = table.select(
        *(_text(chosen.get(column)).alias(column) for column in _NAMES),
        _time(table, plain, _STARTS).alias("start_us"),
        _time(table, plain, _ENDS).alias("end_us"),
    )
    duration = _duration(table, plain, frame, notes)
    return frame.with_columns(
        duration.alias("duration_us"),
        _kinds(frame["kind"]).alias("kind"),
        pl.Series("error", _errors(frame), dtype=pl.String),
        pl.col("namespace").fill_null(""),
    ).select(*SCHEMA)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "").replace(".", "").replace(" ", "")


def _missing(names: "Sequence[str] | Mapping[str, object]") -> list[str]:
    known = {_plain(name) for name in names}
    found = [c for c in _NEEDED if not known & {_plain(c), *_NAMES[c]}]
    return found + (["start"] if not known & set(_STARTS) else [])


def _text(name: str | None) -> pl.Expr:
    if name is None:
        return pl.lit(None, dtype=pl.String)
    return pl.col(name).cast(pl.String, strict=False).str.strip_chars()


def _time(table: pl.DataFrame, plain: Mapping[str, str], names: Sequence[str]) -> pl.Expr:
    name = next((plain[n] for n in names if n in plain), None)
    if name is None:
        return pl.lit(None, dtype=pl.Int64)
    return time_us(table.schema[name], name)


def _duration(
    table: pl.DataFrame, plain: Mapping[str, str], frame: pl.DataFrame, notes: list[str]
) -> pl.Series:
    """Return microseconds: of a column whose name says its unit, of two times, else as it fits."""
    for name, unit in _DURATIONS.items():
        if name in plain:
            return _number(table[plain[name]], unit)
    ends = frame["end_us"] - frame["start_us"]
    if ends.null_count() < len(ends):
        return ends
    name = next((plain[n] for n in _UNITLESS if n in plain), None)
    if name is None:
        notes.append("no column says how long spans took")
        return pl.Series([0], dtype=pl.Int64).new_from_index(0, len(frame))
    unit = _fitting_unit(frame, _number(table[name], 1000.0))
    notes.append(f"column {name!r} names no unit and was read as {unit}")
    return _number(table[name], _UNITS[unit])


def _number(column: pl.Series, unit: float) -> pl.Series:
    return (column.cast(pl.Float64, strict=False) * unit).round().cast(pl.Int64, strict=False)


def _fitting_unit(frame: pl.DataFrame, thousandths: pl.Series) -> str:
    """Return the least unit with which calls begin while their callers run.

    Args:
        frame: of `_NAMES` and ``start_us``.
        thousandths: durations as written, times 1000.
    """
    spans = frame.select("trace_id", "span_id", "start_us").with_columns(long=thousandths)
    pairs = (
        frame.select("trace_id", "start_us", span_id="parent_id")
        .join(spans, on=["trace_id", "span_id"], suffix="_above")
        .drop_nulls()
    )
    if not len(pairs):
        return "µs"
    lag = (pairs["start_us"] - pairs["start_us_above"]).to_numpy()
    # Times in whole milliseconds hide what is shorter.
    slack = 1000 if bool((pairs["start_us"] % 1000 == 0).all()) else 0
    for unit, size in _UNITS.items():
        room = pairs["long"].to_numpy() * (size / 1000.0) + slack
        if float((lag <= room).mean()) >= _ENOUGH:
            return unit
    return "s"


def _kinds(column: pl.Series) -> pl.Series:
    numbers = {value: int(kind_of(value)) for value in column.unique().to_list()}
    return column.replace_strict(numbers, return_dtype=pl.Int64)


def _errors(frame: pl.DataFrame) -> list[str | None]:
    words: dict[tuple[str | None, str | None], str | None] = {}
    rows = zip(frame["error"].to_list(), frame["status"].to_list(), strict=True)
    return [words[row] if row in words else words.setdefault(row, _error(*row)) for row in rows]


def _error(error: str | None, status: str | None) -> str | None:
    """Return what went wrong, of an error column and of a status of HTTP, gRPC or OpenTelemetry."""
    code = (status or "").strip().upper().removeprefix("STATUS_CODE_").removesuffix(".0")
    is_http = code.isdigit() and len(code) == len("503")
    is_code = code.isdigit() and int(code) <= 16
    tags = {"http.status_code": code} if is_http else {}
    if is_code and int(code) > 2:
        tags = {"grpc.status_code": code}
    named = (error or "").strip()
    failed = named.lower() not in _FALSE
    word = named if failed and named.lower() not in {"true", "1", "yes", "error"} else ""
    return what_failed(
        tags, Failure(failed=failed or code in {"ERROR", "2", "FAILED"}, exception=word)
    )
