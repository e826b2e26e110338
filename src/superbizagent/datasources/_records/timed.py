"""Lines whose times and services are known from elsewhere: what each says, and how severely.

A server hands lines of many programs over together, so every line is read as what it is: JSON,
logfmt, JSON behind a header, or text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .blocks import decode_block
from .cuts import CONTINUED, JOIN
from .headers import severity_of_words
from .records import LINE_LIMIT, parse_texts
from .structured import LOGFMT_LINE, Fields, json_schema, parse_json, parse_logfmt, wraps_text
from .trace_ids import trace_ids

__all__ = ["TimedLines", "TimedParser", "continues", "level_codes"]

_OBJECT = r"^\s*\{.*\}\s*$"
_SAMPLE = 400
_MOST_KEYS = 60
_CONTINUED = re.compile(CONTINUED)


def continues(line: str) -> bool:
    """Tell whether a line looks like a part of the record before it."""
    return _CONTINUED.match(line) is not None


def level_codes(words: Sequence[str]) -> NDArray[np.int8]:
    """Return the severity codes of level words as programs and shippers write them."""
    return severity_of_words(pl.Series(words, dtype=pl.String))


@dataclass(frozen=True, slots=True)
class TimedLines:
    """What some lines say, in their order."""

    severity: NDArray[np.int8]
    body: pl.Series
    line: pl.Series
    """The whole text, without colour codes, at most 16 kB."""
    trace_id: pl.Series


@dataclass(slots=True)
class TimedParser:
    """Reads the lines of one service; it learns the keys of its JSON as they come."""

    _keys: list[str] = field(default_factory=list[str])

    def parse(self, texts: Sequence[str]) -> TimedLines:
        """Read some lines.

        Args:
            texts: each a record, which may have several lines.
        """
        lines = _clean(texts)
        self._learn(lines)
        parts = self._parts(lines, nested=True)
        whole = pl.concat(parts).sort("row")
        return TimedLines(
            whole["severity"].to_numpy(),
            _unfolded(whole["body"]),
            _unfolded(lines.str.slice(0, LINE_LIMIT)),
            whole["trace_id"],
        )

    def _learn(self, lines: pl.Series) -> None:
        if len(self._keys) >= _MOST_KEYS:
            return
        objects = lines.filter(lines.str.contains(r"\{.*\}\s*$")).head(_SAMPLE)
        inner = objects.str.extract(r"(\{.*\})\s*$", 1).to_list()
        keys = json_schema([text.encode() for text in inner])
        self._keys += [key for key in keys if key not in self._keys]
        del self._keys[_MOST_KEYS:]

    def _parts(self, lines: pl.Series, *, nested: bool) -> list[pl.DataFrame]:
        rows = np.arange(len(lines))
        objects = lines.str.contains(_OBJECT).to_numpy() & bool(self._keys)
        parts = [_empty()]
        if objects.any():
            mine = rows[objects]
            fields, good = parse_json(lines.filter(pl.Series(objects)), self._keys)
            parts.append(self._structured(mine[good], fields))
            objects[mine[~good]] = False
        pairs = ~objects & lines.str.contains(LOGFMT_LINE).to_numpy()
        if pairs.any():
            parts.append(
                self._structured(rows[pairs], parse_logfmt(lines.filter(pl.Series(pairs))))
            )
        texts = ~objects & ~pairs
        if texts.any():
            part = _text_part(rows[texts], lines.filter(pl.Series(texts)))
            parts += self._behind_headers(part) if nested and self._keys else [part]
        return parts

    def _behind_headers(self, part: pl.DataFrame) -> list[pl.DataFrame]:
        """Read messages that are JSON themselves, as container runtimes leave them."""
        inner = part["body"].str.contains(_OBJECT)
        if not inner.any():
            return [part]
        outer = part.filter(inner)
        found = pl.concat(self._parts(outer["body"], nested=False)).sort("row")
        level = np.where(found["severity"] > 0, found["severity"], outer["severity"])
        moved = found.with_columns(row=outer["row"], severity=pl.Series(level, dtype=pl.Int8))
        return [part.filter(~inner), moved]

    def _structured(self, rows: NDArray[np.int64], fields: Fields) -> pl.DataFrame:
        body, severity = fields.body, fields.severity
        if wraps_text(self._keys):
            inner = parse_texts(body)
            body, severity = inner.body, np.where(severity > 0, severity, inner.severity)
        return _part(rows, severity, body, fields.trace_id)


def _clean(texts: Sequence[str]) -> pl.Series:
    """Take out colour codes and carriage returns; line ends inside a record become `JOIN`."""
    joined = "\n".join(text.replace("\r\n", "\n").replace("\n", JOIN) for text in texts)
    data, _ = decode_block(joined.encode("utf-8", "replace"))
    return pl.Series(data.decode().split("\n"), dtype=pl.String)


def _text_part(rows: NDArray[np.int64], lines: pl.Series) -> pl.DataFrame:
    parsed = parse_texts(lines)
    return _part(rows, parsed.severity, parsed.body, trace_ids(lines))


def _part(
    rows: NDArray[np.int64], severity: NDArray[np.int8], body: pl.Series, trace_id: pl.Series
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "row": pl.Series(rows, dtype=pl.Int64),
            "severity": pl.Series(severity, dtype=pl.Int8),
            "body": body,
            "trace_id": trace_id,
        }
    )


def _empty() -> pl.DataFrame:
    nothing = pl.Series([], dtype=pl.String)
    return _part(np.zeros(0, np.int64), np.zeros(0, np.int8), nothing, nothing)


def _unfolded(texts: pl.Series) -> pl.Series:
    return texts.str.replace_all(JOIN, "\n", literal=True).str.strip_chars_end()
