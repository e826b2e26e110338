"""Facts of one call under construction, numbered in the order they are added."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.series import Labels
from superbizagent.domain.window import from_ms

__all__ = ["EntityOf", "FactList", "facts_by_place", "iso"]

EntityOf = Callable[[Labels], str | None]
"""Entity path that a label set stands for, None when it stands for none."""


@dataclass(slots=True)
class FactList:
    """Facts of one call under construction; ids are ``E<call>.<n>`` in order of `add`."""

    call: int
    items: list[Fact] = field(default_factory=list[Fact])

    def add(self, name: str, value: float | str | None, **more: Any) -> str:
        """Append a fact and return its id."""
        number = round_significant(value) if isinstance(value, float) else value
        fact = Fact(id=f"E{self.call}.{len(self.items) + 1}", name=name, value=number, **more)
        self.items.append(fact)
        return fact.id


def iso(ms: int) -> str:
    """Return an instant as facts and quotes write it: ``2026-03-04T12:00:15Z``."""
    at = from_ms(ms)
    return at.isoformat(timespec="milliseconds" if ms % 1000 else "seconds").replace("+00:00", "Z")


def facts_by_place(facts: tuple[Fact, ...]) -> dict[str, tuple[str, ...]]:
    """Return fact ids by the first two parts of their place: ``series/17``, ``template/4``."""
    found: dict[str, list[str]] = {}
    for fact in facts:
        found.setdefault("/".join(fact.place.split("/")[:2]), []).append(fact.id)
    return {place: tuple(ids) for place, ids in found.items()}
