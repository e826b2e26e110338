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
    if not key:
        return lines.str.extract(_KEY + f"({_ID})", 1)
    where = lines.str.find(key, literal=True)
    if not bool(lines.is_not_null().all()) or int(where.null_count()) * 4 > len(lines):
        return lines.str.extract(_KEY + f"({_ID})", 1)
    # ``find`` counts bytes; only in ASCII are those the letters that ``slice`` counts.
    frame = pl.DataFrame({"line": lines, "begin": where + len(key)})
    ascii_only = pl.col("line").str.len_bytes() == pl.col("line").str.len_chars()
    if not bool(frame.select(ascii_only.all()).item()):
        return lines.str.extract(_KEY + f"({_ID})", 1)
    behind = frame.select(pl.col("line").str.slice(pl.col("begin"), _LONGEST)).to_series()
    found = behind.str.extract(f"^({_ID})", 1)
    rest = found.is_null()
    if not rest.any():
        return found
    others = lines.filter(rest).str.extract(_KEY + f"({_ID})", 1)
    return found.scatter(rest.arg_true(), others)
