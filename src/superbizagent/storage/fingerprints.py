"""What is hashed of a row: its values in a form that every database gives back the same.

PostgreSQL reorders the keys of JSON and prints ``1e16`` as an integer, MariaDB keeps text as it
came, SQLite has no types worth the name. So hashes go over values: keys sorted, whole floats as
integers, times in UTC, bytes by their digest, what JSON cannot hold as null.
"""

import hashlib
import hmac
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import Table

from superbizagent.domain.canonical import canonical_bytes, digest, digest_bytes
from superbizagent.storage.tables import journal_entry

__all__ = ["chain_hash", "column_marks", "content_hash", "hashed_columns", "row_hash", "stable"]

_EXACT = 2.0**53
"""Above it a float no longer stands for one integer."""

_LINK_COLUMNS = frozenset({"seq", "prev_hash", "hash", "content_hash"})
"""Set when an entry is linked, or computed from the rest."""

_UNSEALED = {
    # each evaluator's key is an entry of its own; the chain's head is checked against the chain
    "diagnosis_session": frozenset({"self_evaluation", "journal_length", "head_hash"}),
    "journal_entry": _LINK_COLUMNS,
}


def stable(value: Any) -> Any:
    """Return ``value`` in the form that is hashed."""
    match value:
        case None | bool() | int():
            plain = value
        case str():
            plain = str(value)
        case float():
            plain = _stable_float(value)
        case datetime():
            plain = value.astimezone(UTC).isoformat(timespec="microseconds")
        case bytes():
            plain = digest_bytes(value)
        case Mapping():
            pairs = cast("Mapping[Any, Any]", value).items()
            plain = {str(k): stable(v) for k, v in pairs}
        case _:
            plain = [stable(v) for v in cast("list[Any] | tuple[Any, ...]", value)]
    return plain


def _stable_float(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def hashed_columns(table: Table) -> tuple[str, ...]:
    """Names of the columns that a row's hash covers: all but computed ones and the few above."""
    left_out = _UNSEALED.get(table.name, frozenset())
    return tuple(c.name for c in table.columns if c.computed is None and c.name not in left_out)


def row_hash(table: Table, row: Mapping[str, Any]) -> str:
    """Return the digest of a row's values; a column that is not given counts as null."""
    return digest({name: stable(row.get(name)) for name in hashed_columns(table)})


def column_marks(table: Table, row: Mapping[str, Any]) -> dict[str, str]:
    """Return eight hex digits per column: they only name the column; the row's hash proves."""
    return {name: _mark(row.get(name)) for name in hashed_columns(table)}


def _mark(value: Any) -> str:
    return hashlib.sha256(canonical_bytes(stable(value))).hexdigest()[:8]


def content_hash(entry: Mapping[str, Any]) -> str:
    """Return the digest of an entry's own columns, before it has a place in the chain."""
    return row_hash(journal_entry, entry)


def chain_hash(key: bytes | None, seq: int, prev_hash: str, content: str) -> str:
    """Return the hash that links an entry; with a key nobody else can make it."""
    data = canonical_bytes([seq, prev_hash, content])
    if key is None:
        return digest_bytes(data)
    return f"hmac-sha256:{hmac.new(key, data, hashlib.sha256).hexdigest()}"
