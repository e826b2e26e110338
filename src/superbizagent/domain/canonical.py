"""Canonical bytes: the one form that is hashed, compared and replayed.

JSON with sorted keys, UTF-8, no spaces, no NaN, times as ISO-8601 with ``Z``. Stored JSON text is
never hashed, because databases reorder keys and drop spaces.
"""

import hashlib
import math
from typing import Any

import orjson
from pydantic import BaseModel

__all__ = ["canonical_bytes", "digest", "digest_bytes", "loads", "round_significant"]

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS


def canonical_bytes(value: Any) -> bytes:
    """Return the canonical JSON of a model or of plain JSON data."""
    return orjson.dumps(value, default=_plain, option=_OPTIONS)


def digest(value: Any) -> str:
    """Return ``sha256:<hex>`` of the canonical bytes of ``value``."""
    return digest_bytes(canonical_bytes(value))


def digest_bytes(data: bytes) -> str:
    """Return ``sha256:<hex>`` of ``data``."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def loads(data: bytes | str) -> Any:
    """Parse JSON text.

    Raises:
        ValueError: when the text is not JSON.
    """
    return orjson.loads(data)


def round_significant(value: float, digits: int = 6) -> float:
    """Round to ``digits`` significant digits, so that sums in another order sort the same."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, frozenset | set):
        return sorted(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - any sortable members
    raise TypeError(f"{type(value).__name__} has no canonical form")
