"""How a value that is no evidence call becomes JSON and comes back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

__all__ = ["INSTANT", "PLAIN", "Codec", "typed"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """``load(dump(x))`` is what everybody gets to see, live and on replay."""

    dump: Callable[[T], Any]
    """To plain JSON."""
    load: Callable[[Any], T]


def typed(kind: Any) -> Codec[Any]:
    """Return the codec of a model or of any type pydantic knows, e.g. ``tuple[SkillChoice, ...]``.

    Example:
        ``await journal.effect(key, request, source.describe, typed(SourceDescription))``
    """
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    return Codec(lambda value: adapter.dump_python(value, mode="json"), adapter.validate_python)


PLAIN: Codec[Any] = Codec(lambda value: value, lambda value: value)
"""Plain JSON as it is."""

INSTANT: Codec[datetime] = Codec(lambda at: at.isoformat(), datetime.fromisoformat)
