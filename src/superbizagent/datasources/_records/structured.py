"""Records that name their parts: JSON lines and logfmt."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import orjson
import polars as pl
from numpy.typing import NDArray

from .blocks import make_block
from .headers import BODY_LIMIT, severity_of_numbers, severity_of_words
from .json_keys import Part, keys_of, part_of
from .stamps import Stamps, read_stamps

__all__ = ["Fields", "json_schema", "parse_json", "parse_logfmt", "wraps_text"]

_VALUE_BYTES = 200
"""Longer values are documents, not facts about the record; the raw line keeps them."""

_KEYS = 40
"""So many keys of a file are looked at, the most frequent first."""


@dataclass(slots=True)
class Fields:
    """The named parts of each record."""

    stamps: Stamps
    severity: NDArray[np.int8]
    body: pl.Series
    service: pl.Series
    """Null where a record does not name its service."""
    trace_id: pl.Series


def json_schema(lines: Sequence[bytes]) -> tuple[str, ...]:
    """Return the keys of some sample lines, the most frequent first; none when few are JSON."""
    keys: Counter[str] = Counter()
    objects = 0
    for line in lines:
        value = _object(line)
        if value is not None:
            objects += 1
            keys.update(value.keys())
    filled = sum(1 for line in lines if line.strip())
    if not objects or objects * 2 < filled:
        return ()
    return tuple(sorted(keys, key=lambda k: (part_of(k) is None, -keys[k]))[:_KEYS])


def wraps_text(keys: Sequence[str]) -> bool:
    """Tell whether the message is a whole line of another log, as container runtimes write it."""
    return keys_of(Part.MESSAGE, keys)[:1] == ["log"]


def _object(line: bytes) -> Mapping[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = orjson.loads(line)
    except ValueError:
        return None
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None


def parse_json(lines: pl.Series, keys: Sequence[str]) -> tuple[Fields, NDArray[np.bool_]]:
    """Read JSON lines.

    Returns:
        The parts of the lines that are objects, in order, and which lines those are.
    """
    schema = dict.fromkeys(keys, pl.String())
    good = lines.str.contains(r"^\s*\{.*\}\s*$").to_numpy()
    candidates = lines.filter(pl.Series(good))
    try:
        frame = _read(candidates, schema)
    except pl.exceptions.PolarsError:
        good = _really_json(lines, good)
        frame = _rows(lines.filter(pl.Series(good)), keys)
    else:
        if len(frame) != len(candidates):  # several objects on one line
            good = _really_json(lines, good)
            frame = _rows(lines.filter(pl.Series(good)), keys)
    return _fields(frame, keys), good


def _read(lines: pl.Series, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    text = "\n".join(lines.to_list())
    if not text:
        return pl.DataFrame(schema=schema)
    return pl.read_ndjson(text.encode(), schema=schema)


def _really_json(lines: pl.Series, candidates: NDArray[np.bool_]) -> NDArray[np.bool_]:
    good = candidates.copy()
    for row in np.flatnonzero(candidates):
        good[row] = _object(str(lines[int(row)]).encode()) is not None
    return good


def _rows(lines: pl.Series, keys: Sequence[str]) -> pl.DataFrame:
    """Read lines one by one: the way for a block with a damaged line in it."""
    columns: dict[str, list[str | None]] = {key: [] for key in keys}
    for line in lines.to_list():
        value = _object(line.encode()) or {}
        for key in keys:
            columns[key].append(_text(value.get(key)))
    return pl.DataFrame(columns, schema=dict.fromkeys(keys, pl.String()))


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def _fields(frame: pl.DataFrame, keys: Sequence[str]) -> Fields:
    message = _first_of(frame, keys_of(Part.MESSAGE, keys), _not_object)
    stack = _first_of(frame, keys_of(Part.STACK, keys))
    return Fields(
        stamps=_times(_first_of(frame, keys_of(Part.TIME, keys))),
        severity=_levels(_level(frame, keys)),
        body=_bodies(frame, keys, message, stack),
        service=_first_of(frame, keys_of(Part.SERVICE, keys), _name_of_object),
        trace_id=_first_of(frame, keys_of(Part.TRACE, keys)),
    )


def _first_of(
    frame: pl.DataFrame,
    names: Sequence[str],
    reading: Callable[[pl.Expr], pl.Expr] = lambda column: column,
) -> pl.Series:
    """Return the first value that is there, each column read in the given way."""
    if not names:
        return pl.Series([None] * len(frame), dtype=pl.String)
    present = pl.coalesce(reading(pl.col(name)) for name in names)
    return frame.select(present.alias("found")).to_series()


def _not_object(column: pl.Expr) -> pl.Expr:
    """Some conventions use a name of the message for an object with other facts."""
    return pl.when(~column.str.starts_with("{")).then(column)


def _name_of_object(column: pl.Expr) -> pl.Expr:
    """Return the name inside ``{"name": "order"}``."""
    name = column.str.extract(r'"name":\s*"([^"]*)"', 1)
    return pl.when(column.str.starts_with("{")).then(name).otherwise(column)


def _level(frame: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    plain = _first_of(frame, keys_of(Part.LEVEL, keys))
    if "log" not in keys:
        return plain
    inner = frame["log"].str.extract(r'^\{.*"level":\s*"([A-Za-z]+)"', 1)
    return pl.select(pl.coalesce(plain, inner)).to_series()


def _times(texts: pl.Series) -> Stamps:
    """Read the stamps of a column of texts or numbers; fractions of seconds stay."""
    data = "\n".join(texts.fill_null("").str.replace_all("\n", " ", literal=True).to_list())
    block = make_block(data.encode() + b"\n", None, 0)
    if len(texts) == 0:
        return Stamps.none(0)
    first = read_stamps(block.buffer, block.starts[:200], block.lengths[:200])
    return read_stamps(block.buffer, block.starts, block.lengths, first.places())


def _levels(texts: pl.Series) -> NDArray[np.int8]:
    codes = severity_of_words(texts)
    rows = np.flatnonzero(codes == 0)
    if len(rows):
        numbers = texts.gather(pl.Series(rows)).cast(pl.Float64, strict=False)
        if numbers.is_not_null().any():
            codes[rows] = severity_of_numbers(numbers.fill_null(float("nan")))
    return codes


def _bodies(
    frame: pl.DataFrame, keys: Sequence[str], message: pl.Series, stack: pl.Series
) -> pl.Series:
    """Return the message, then the other values as ``key=value``, then a stack trace."""
    # A second message key beside the first is a value like any other.
    pairs = [
        pl.when((pl.col(key).str.len_bytes() <= _VALUE_BYTES) & pl.col(key).ne_missing(message))
        .then(pl.format("{}={}", pl.lit(key), pl.col(key)))
        .alias(f"pair {place}")
        for place, key in enumerate(keys)
        if part_of(key) in {None, Part.MESSAGE}
    ]
    parts = frame.select(message.fill_null("").str.strip_chars().alias("message"), *pairs)
    joined = parts.select(pl.concat_str(pl.all(), separator=" ", ignore_nulls=True).alias("body"))
    traced = joined.with_columns(stack=stack.str.strip_chars_end())
    whole = pl.concat_str("body", "stack", separator="\n", ignore_nulls=True)
    return traced.select(whole.str.strip_chars().str.slice(0, BODY_LIMIT).alias("body")).to_series()


_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^\s"]*)'
_LOGFMT_MESSAGE = r'(?:^|\s)(?:msg|message|event)=("(?:[^"\\]|\\.)*"|[^\s"]*)'
_LOGFMT_LEVEL = r'(?:^|\s)(?:level|lvl|severity)="?([A-Za-z0-9]+)'
_LOGFMT_TIME = r'(?:^|\s)(?:ts|time|timestamp|t)="?([^"]{10,35}?)(?:"|\s[a-zA-Z_.@-]+=|$)'
_LOGFMT_SERVICE = r'(?:^|\s)(?:service|service_name|service\.name|app)="?([^\s"]+)'
_LOGFMT_TRACE = r'(?:^|\s)(?:trace_id|traceId|traceID|trace)="?([0-9a-fA-F]{8,32})'
_LOGFMT_DROP = (
    r"(?:^|\s)(?:ts|time|timestamp|t|level|lvl|severity|msg|message|event|caller|logger|source"
    rf"|trace_id|traceId|traceID|span_id|service|service_name)={_VALUE}"
)
LOGFMT_LINE = rf"^[a-zA-Z_@][\w.@/-]*={_VALUE}(?:\s+[a-zA-Z_@][\w.@/-]*(?:={_VALUE})?)+\s*$"
"""A line that begins with a pair and holds only pairs."""


def parse_logfmt(lines: pl.Series) -> Fields:
    """Read ``key=value`` lines."""
    message = lines.str.extract(_LOGFMT_MESSAGE, 1)
    plain = message.str.replace('^"(.*)"$', "${1}").str.replace_all('\\"', '"', literal=True)
    rest = lines.str.replace_all(_LOGFMT_DROP, "").str.strip_chars()
    body = pl.DataFrame({"message": plain.fill_null(""), "rest": rest}).select(
        pl.concat_str("message", "rest", separator=" ").str.strip_chars().str.slice(0, BODY_LIMIT)
    )
    return Fields(
        stamps=_times(lines.str.extract(_LOGFMT_TIME, 1)),
        severity=_levels(lines.str.extract(_LOGFMT_LEVEL, 1)),
        body=body.to_series().alias("body"),
        service=lines.str.extract(_LOGFMT_SERVICE, 1),
        trace_id=lines.str.extract(_LOGFMT_TRACE, 1),
    )
