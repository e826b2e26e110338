"""The trace id that a line of text carries."""

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .line_bytes import LineBytes

__all__ = ["trace_ids", "trace_key"]

# Spelled out instead of case-insensitive: so the search for it runs at memory speed.
_KEY = r"(?:trace|Trace|TRACE)[_.-]?(?:id|Id|ID)[\"']?\s*[:=]\s*[\"'\[]?"
_ID = r"[0-9a-fA-F][0-9a-fA-F-]{7,35}"
_WORDS = re.compile(rb"trace[_.-]?id", re.IGNORECASE)
_KEYED = re.compile(f"({_KEY}){_ID}".encode())
_BEGIN = re.compile(_ID.encode())
_DASH = ord("-")
_LONGEST = 36


def trace_key(head: bytes) -> str | None:
    """Return how the trace ids of a file are introduced, such as ``trace_id=``.

    None when nothing in its head speaks of any; empty when only the word stands there.
    """
    found = _KEYED.search(head)
    if found is not None:
        return found[1].decode("ascii", "replace")
    return "" if _WORDS.search(head) else None


def trace_ids(lines: pl.Series, key: str | None = "", text: LineBytes | None = None) -> pl.Series:
    """Return the trace id of each line, null where it carries none.

    Args:
        lines: the text of each record.
        key: what `trace_key` found: a search for one spelling takes a third of the time.
        text: the bytes of the same records, without which no spelling is searched for.
    """
    if key is None:
        return pl.Series([None] * len(lines), dtype=pl.String)
    found = _by_spelling(lines, key, text) if key and text is not None and len(lines) else None
    return found if found is not None else lines.str.extract(_KEY + f"({_ID})", 1)


def _by_spelling(lines: pl.Series, key: str, text: LineBytes) -> pl.Series | None:
    """Return what stands behind one spelling of the key, None where that would not be faster."""
    where = lines.str.find(key, literal=True)
    if int(where.null_count()) * 4 > len(lines):
        return None
    frame = pl.DataFrame({"line": lines, "begin": where + len(key)})
    size = _common_size(frame["begin"], text)
    letters = pl.col("line").str.slice(pl.col("begin"), size or _LONGEST)
    behind = frame.select(letters).to_series()
    if size:
        return behind
    found = behind.str.extract(f"^({_ID})", 1)
    rest = found.is_null()
    if not rest.any():
        return found
    others = lines.filter(rest).str.extract(_KEY + f"({_ID})", 1)
    return found.scatter(rest.arg_true(), others)


def _common_size(begins: pl.Series, text: LineBytes) -> int:
    """Return how long the ids are that begin there, 0 unless all are as long as the first."""
    if begins.null_count():
        return 0
    places = begins.to_numpy().astype(np.int64)
    first = LineBytes(text.buffer, text.starts[:1]).windows(places[:1], _LONGEST + 1)[0]
    found = _BEGIN.match(first.tobytes())
    size = len(found[0]) if found else 0
    ids = text.windows(places, size + 1)
    good = _of_id(ids)
    if good[:, size].any() or (ids[:, 0] == _DASH).any():
        return 0
    return size if np.count_nonzero(good) == size * len(ids) else 0


def _of_id(byte: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (byte - 48 < 10) | ((byte | 32) - 97 < 6) | (byte == _DASH)  # less wraps around
