"""Several forms of one object: a line of a table, a description, the object itself."""

from enum import IntEnum
from typing import Any, cast

from superbizagent.datasources.kubernetes.fields import Raw

__all__ = ["Form", "filled"]

_WHOLE_STATES = frozenset({"state", "lastState"})
"""A container is in one of these; half of one and half of another is none."""


class Form(IntEnum):
    """How much of an object its form tells, least first."""

    SPOKEN = 0
    """Named in a sentence."""
    TABLE = 1
    DESCRIBED = 2
    WHOLE = 3


def filled(better: Raw, other: Raw, form: Form, form_of_other: Form) -> Raw:
    """Return the better form of an object with what only the other one tells.

    A wide table tells labels, one of somebody's own columns how a container ended, a manifest has
    no status. Lists are taken whole, but for those of two tables, which say a piece each.
    """
    return _filled(better, other, tables=form is form_of_other is Form.TABLE)


def _filled(better: Raw, other: Raw, *, tables: bool) -> Raw:
    kept = dict(better)
    for key, value in other.items():
        own = kept.get(key)
        if _is_empty(own):
            kept[key] = value
        elif key in _WHOLE_STATES:
            continue
        elif isinstance(own, dict) and isinstance(value, dict):
            kept[key] = _filled(cast("Raw", own), cast("Raw", value), tables=tables)
        elif tables and isinstance(own, list) and isinstance(value, list):
            kept[key] = _filled_list(cast("list[Any]", own), cast("list[Any]", value))
    if tables and _is_empty(kept.get("lastState")) and (ended := _end_of(other)):
        kept["lastState"] = ended  # rows that came one after another while somebody watched
    return kept


def _end_of(status: Raw) -> Raw:
    """How a container ended that is in another state by now, empty when it did not end badly."""
    state = status.get("state")
    ended = cast("Raw", state).get("terminated") if isinstance(state, dict) else None
    return {"terminated": ended} if isinstance(ended, dict) else {}


def _filled_list(own: list[Any], other: list[Any]) -> list[Any]:
    first = [_piece(a, b) for a, b in zip(own, other, strict=False)]
    longer = own if len(own) >= len(other) else other
    return [*first, *longer[len(first) :]]


def _piece(own: Any, other: Any) -> Any:
    if isinstance(own, dict) and isinstance(other, dict):
        return _filled(cast("Raw", own), cast("Raw", other), tables=True)
    return cast("Any", own)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", "0", [], {})
