"""The trace id that a line of text carries."""

import re

import polars as pl

__all__ = ["trace_ids", "trace_key"]

# Spelled out instead of case-insensitive: so the search for it runs at memory speed.
_KEY = r"(?:trace|Trace|TRACE)[_.-]?(?:id|Id|ID)[\"']?\s*[:=]\s*[\"'\[]?"
_ID = r"[0-9a-fA-F][0-9a-fA-F-]{7,35}"
_WORDS = re.compile(rb"trace[_.-]?id", re.IGNORECASE)
_KEYED = re.compile(f"({_KEY}){_ID}".encode())
_LONGEST = 36


def trace_key(head: bytes) -> str | None:
    """Return how the trace ids of a file are introduced, such as ``trace_id=``.

    None when nothing in its head speaks of any; empty when only the word stands there.
    """
    found = _KEYED.search(head)
    if found is not None:
        return found[1].decode("ascii", "replace")
    return "" if _WORDS.search(head) else None


def trace_ids(lines: pl.Series, key: str | None = "") -> pl.Series:
    """Return the trace id of each line, null where it carries none.

    Args:
        lines: the text of each record.
        key: what `trace_key` found: a search for one spelling takes a third of the time.
    """
    if key is None:
        return pl.Series([None] * len(lines), dtype=pl.String)
    found = _by_spelling(lines, key) if key and len(lines) else None
    return found if found is not None else lines.str.extract(_KEY + f"({_ID})", 1)


def _by_spelling(lines: pl.Series, key: str) -> pl.Series | None:
    """Return what stands behind one spelling of the key, None where that would not be faster."""
    where = lines.str.find(key, literal=True)
    if int(where.null_count()) * 4 > len(lines):
        return None
    # ``find`` counts bytes; only in ASCII are those the letters that ``slice`` counts.
    frame = pl.DataFrame({"line": lines, "begin": where + len(key)})
    ascii_only = pl.col("line").str.len_bytes() == pl.col("line").str.len_chars()
    if not bool(frame.select(ascii_only.all()).item()):
        return None
    behind = frame.select(pl.col("line").str.slice(pl.col("begin"), _LONGEST + 1)).to_series()
    # Mostly all are as long as the first, and a look at each is cheaper than a cut of each.
    size = len(_begin(behind[0]))
    same = f"^[0-9a-fA-F-]{{{size}}}(?:[^0-9a-fA-F-]|$)"
    if size and not behind.null_count() and bool(behind.str.contains(same).all()):
        return behind.str.slice(0, size)
    found = behind.str.extract(f"^({_ID})", 1)
    rest = found.is_null()
    if not rest.any():
        return found
    others = lines.filter(rest).str.extract(_KEY + f"({_ID})", 1)
    return found.scatter(rest.arg_true(), others)


def _begin(text: str | None) -> str:
    """Return the trace id that a text begins with, empty when it begins with none."""
    found = re.match(_ID, text or "")
    return found[0] if found else ""
