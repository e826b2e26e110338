"""Decoded JSON of strangers: what is of another form than expected reads as empty."""

from typing import Any, cast

__all__ = ["items", "mapping"]


def mapping(value: Any) -> dict[str, Any]:
    """Return an object, or an empty one for what is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a list, or an empty one for what is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []
