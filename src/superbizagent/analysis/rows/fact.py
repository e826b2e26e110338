"""One fact of a stored row, and how JSON of unknown origin is held."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeGuard, cast

import orjson

__all__ = [
    "FactKind",
    "RowFact",
    "Value",
    "as_list",
    "as_mapping",
    "is_value",
    "parsed",
    "shown",
    "text_of",
]

_SERIOUS = frozenset({"FATAL", "CRITICAL", "SEVERE", "ERROR"})

Value = tuple[str, float | str, str]
"""Statistic or key, value, unit; key and unit may be empty."""


class FactKind(StrEnum):
    """Which sort of source a fact came from."""

    LOG = "log"
    METRIC = "metric"
    ALERT = "alert"
    CHANGE = "change"
    EDGE = "edge"
    PASSAGE = "passage"
    COUNT = "count"
    """About the call itself: how many series, how many records."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class RowFact:
    """One fact of a row; every non-empty string occurs in the row."""

    kind: FactKind
    name: str = ""
    """Series, alert name, passage title."""
    entity: str = ""
    """Service or other entity, its bare name."""
    values: tuple[Value, ...] = ()
    """In the row's order."""
    level: str = ""
    text: str = ""
    """Log line, message, description or snippet, verbatim."""
    ids: tuple[str, ...] = ()
    """``E3.2`` where the row has them."""

    @property
    def rank(self) -> int:
        """0 for what a reader must not miss (error lines, alerts), 2 for counts, else 1."""
        if self.kind is FactKind.ALERT or self.level.upper() in _SERIOUS:
            return 0
        return 2 if self.kind is FactKind.COUNT else 1


def is_value(value: Any) -> TypeGuard[float | str]:
    """Tell whether JSON data is a text or a number that JSON can hold."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int | str) and not isinstance(value, bool)


def shown(value: float | str) -> str:
    """Return a value as the row's JSON prints it, without a trailing ``.0``."""
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode().removesuffix(".0")


def parsed(value: Any) -> Any:
    """Return JSON data; text is parsed when it is JSON, else None."""
    if not isinstance(value, str):
        return value
    if not value.lstrip().startswith(("{", "[")):
        return None
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return None


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return JSON data as an object, or None when it is something else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any]:
    """Return JSON data as a list, empty when it is something else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(source: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first non-empty text among some keys."""
    for key in keys:
        value = source.get(key)
        if isinstance(value, str) and value:
            return value
    return ""
