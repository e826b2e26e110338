"""Reads fields of objects that may be anything: a missing or odd one is empty, never an error.

The same object comes as JSON with numbers and truths, or as YAML whose scalars were left as text.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, cast

__all__ = ["age", "at", "flag", "labels", "mapping", "number", "quantity", "rows", "text"]

Raw = dict[str, Any]

_SUFFIXES = {
    "": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3,
    "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip
_QUANTITY = re.compile(r"([+-]?\d{1,30}(?:\.\d{0,30})?)(?:[eE]([+-]?\d{1,2}))?([A-Za-z]{0,2})")
_AGE = re.compile(r"(\d{1,9})([ydhms])")
_AGE_SECONDS = {"y": 31_536_000, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_FRACTION = re.compile(r"\.(\d{6})\d+")
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 2_000
"""Characters of one text that are kept: a longer message of an event is cut by the server too."""


def mapping(value: Any, *path: str) -> Raw:
    """Return the object at a path of keys, empty when there is none."""
    for key in path:
        value = cast("Raw", value).get(key) if isinstance(value, dict) else None
    return cast("Raw", value) if isinstance(value, dict) else {}


def rows(value: Any, *path: str) -> Iterator[Raw]:
    """Yield the objects of the list at a path of keys; what is no object is passed over."""
    *front, last = path
    found = mapping(value, *front).get(last)
    for item in cast("list[Any]", found) if isinstance(found, list) else ():
        if isinstance(item, dict):
            yield cast("Raw", item)


def text(value: Any, *path: str) -> str:
    """Return the scalar at a path of keys as text, without what would steer a terminal."""
    if path:
        *front, last = path
        value = mapping(value, *front).get(last)
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _STEERING.sub("", str(value)[:_LONGEST])


def number(value: Any, *path: str) -> float | None:
    """Return the number at a path of keys, None when there is none."""
    written = text(value, *path)
    try:
        return float(written) if written and len(written) < 40 else None
    except ValueError:
        return None


def flag(value: Any, *path: str) -> bool:
    """Tell whether what stands at a path of keys is true."""
    return text(value, *path).lower() == "true"


def labels(value: Any, *path: str) -> dict[str, str]:
    """Return the object of texts at a path of keys."""
    return {str(k): text(v) for k, v in mapping(value, *path).items()}


def at(value: Any, *path: str) -> datetime | None:
    """Return the time at a path of keys, None when there is none or it cannot be read."""
    written = _FRACTION.sub(r".\1", text(value, *path))
    if not written:
        return None
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        return found.astimezone(UTC) if found.year > 1 else None  # Go's zero time is no time
    except OverflowError:
        return None


def quantity(written: str) -> float | None:
    """Return a resource quantity as a number: ``250m`` is 0.25, ``1Gi`` is 1073741824."""
    found = _QUANTITY.fullmatch(written.strip())
    if found is None or found[3] not in _SUFFIXES:
        return None
    return float(found[1]) * 10.0 ** int(found[2] or 0) * _SUFFIXES[found[3]]


def age(written: str) -> timedelta | None:
    """Return a length of time as ``kubectl`` prints it (``3d4h``), None for another text."""
    parts = _AGE.findall(written)
    if not parts or "".join(n + u for n, u in parts) != written:
        return None
    try:
        return timedelta(seconds=sum(int(n) * _AGE_SECONDS[u] for n, u in parts))
    except OverflowError:
        return None
