"""The facts of one session, by what they are about: where wrong values are drawn from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property

from superbizagent.domain.fact import Fact
from superbizagent.domain.window import Windows
from superbizagent.evaluation.cases import Examined
from superbizagent.evaluation.mutations.spelling import Sayable
from superbizagent.evaluation.mutations.written import Spell
from superbizagent.investigation.wording.values import zone_of

__all__ = ["SessionFacts", "name_of", "time_of", "topic_of", "words_of"]

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SAY_NOTHING = frozenset(
    [
        "total",
        "count",
        "sum",
        "max",
        "min",
        "avg",
        "mean",
        "average",
        "seconds",
        "second",
        "ms",
        "s",
        "m",
        "mi",
        "rate",
        "ops",
        "name",
        "value",
        "values",
        "bytes",
        "byte",
        "db",
        "client",
        "server",
        "http",
        "pool",
        "state",
        "used",
        "type",
        "code",
        "method",
        "status",
        "response",
        "request",
        "process",
        "job",
        "service",
        "pod",
        "log",
        "field",
    ]
)
"""Words of metric names that very different metrics share."""
_PERIODS = {
    "median": "mean", "rate_median": "rate_mean", "mean_median": "mean_mean",
    "mean_before": "mean_since", "rate_mean_before": "rate_mean_since",
    "mean_mean_before": "mean_mean_since", "baseline_count": "count",
    "baseline_median": "median",
}  # fmt: skip
"""Statistic of the baseline -> statistic of the incident that answers to it."""


def topic_of(fact: Fact) -> str:
    """Return what a fact is a value of, its labels and its entity left out."""
    if fact.name.startswith("log:"):
        return "log"
    return fact.name.partition("{")[0]


def words_of(fact: Fact) -> frozenset[str]:
    """Return the telling words of a fact's name, labels and all."""
    return frozenset(w.lower() for w in _PART.findall(fact.name)) - _SAY_NOTHING


def name_of(path: str) -> str:
    """Return the name that ends an entity path."""
    return path.split("/", 3)[-1]


def time_of(fact: Fact) -> datetime | None:
    """Return when what a fact says was, None when it is of no instant."""
    if fact.at is not None:
        return fact.at
    if fact.statistic.endswith("_at") and isinstance(fact.value, str):
        return datetime.fromisoformat(fact.value)
    return None


def _thing(fact: Fact) -> tuple[str, str, str]:
    """Name what a fact is a value of: one series, one template or one field of one call."""
    place = "/".join(fact.place.split("/")[:2])
    return fact.entity, fact.name, f"E{fact.call}:{place}"


@dataclass(frozen=True)
class SessionFacts:
    """Looks facts up by topic, time and period."""

    examined: Examined

    @cached_property
    def by_id(self) -> dict[str, Fact]:
        """Every stored fact."""
        return self.examined.diagnosis.evidence.facts()

    @property
    def windows(self) -> Windows:
        """Incident and baselines."""
        return self.examined.diagnosis.checked.report.frame.windows

    @cached_property
    def zone(self) -> tzinfo:
        """The zone that sentences are written in."""
        return zone_of(self.examined.diagnosis.checked.report.frame.timezone)

    def of(self, ids: Sequence[str]) -> tuple[Fact, ...]:
        """Return the facts that marks stand for; a mark of a whole call stands for all of it."""
        found: dict[str, Fact] = {}
        for mark in ids:
            if mark in self.by_id:
                found[mark] = self.by_id[mark]
            elif "." not in mark:
                found |= {f.id: f for f in self._by_call.get(mark, ())}
        return tuple(found.values())

    @cached_property
    def _by_call(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self.by_id.values():
            found.setdefault(f"E{fact.call}", []).append(fact)
        return found

    @cached_property
    def numbers(self) -> tuple[Fact, ...]:
        """Facts whose value is a number of some entity."""
        return tuple(
            f for f in self.by_id.values() if f.entity and isinstance(f.value, int | float)
        )

    @cached_property
    def _by_topic(self) -> dict[tuple[str, str], list[Fact]]:
        found: dict[tuple[str, str], list[Fact]] = {}
        for fact in self.numbers:
            found.setdefault((topic_of(fact), fact.statistic), []).append(fact)
        return found

    def alike(self, fact: Fact) -> Iterator[Fact]:
        """Yield the same statistic of the same topic at other entities."""
        for other in self._by_topic.get((topic_of(fact), fact.statistic), ()):
            if other.entity != fact.entity:
                yield other

    @cached_property
    def _by_thing(self) -> dict[tuple[str, str, str], list[Fact]]:
        found: dict[tuple[str, str, str], list[Fact]] = {}
        for fact in self.numbers:
            found.setdefault(_thing(fact), []).append(fact)
        return found

    def siblings(self, fact: Fact) -> tuple[Fact, ...]:
        """Return all values of the series or template that a fact is a value of."""
        return tuple(self._by_thing.get(_thing(fact), ()))

    def other_period(self, fact: Fact) -> Iterator[Fact]:
        """Yield what answers to a fact in the baseline, or in the incident."""
        for other in self.siblings(fact):
            pair = (fact.statistic, other.statistic)
            answers = _PERIODS.get(pair[0]) == pair[1] or _PERIODS.get(pair[1]) == pair[0]
            same = pair[0] == pair[1] and other.id != fact.id
            if answers or (same and self._is_before(other, fact)):
                yield other

    def _is_before(self, one: Fact, other: Fact) -> bool:
        """Tell whether two facts of one statistic are of the two sides of the incident's start."""
        if one.window is None or other.window is None:
            return False
        return one.window.end <= other.window.start or other.window.end <= one.window.start

    def showing(self, unit: str, value: object, spell: Spell) -> tuple[Fact, ...]:
        """Return the facts of a unit that a sentence shows as it shows ``value``."""
        if not isinstance(value, int | float):
            return ()
        # What tells one way to write from another.
        way = (spell(0.1234, "ratio"), spell(12345.6, ""), spell(0.5, "s"))
        if (unit, *way) not in self._shown:
            table: dict[str, list[Fact]] = {}
            for fact in self.numbers:
                if fact.unit == unit and isinstance(fact.value, int | float):
                    table.setdefault(spell(float(fact.value), unit), []).append(fact)
            self._shown[unit, *way] = table
        return tuple(self._shown[unit, *way].get(spell(float(value), unit), ()))

    @cached_property
    def _shown(self) -> dict[tuple[str, ...], dict[str, list[Fact]]]:
        return {}

    def sayable(self, marks: tuple[str, ...]) -> Sayable:
        """Return the numbers that what is cited may bear out."""
        if marks not in self._sayable:
            self._sayable[marks] = Sayable.of(self.of(marks))
        return self._sayable[marks]

    @cached_property
    def _sayable(self) -> dict[tuple[str, ...], Sayable]:
        return {}

    @cached_property
    def times(self) -> tuple[datetime, ...]:
        """Every instant that a fact is of, in order, each once."""
        found = {at for fact in self.by_id.values() if (at := time_of(fact)) is not None}
        return tuple(sorted(found))

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """Paths of the catalogue's entities that have facts, in order."""
        with_facts = {f.entity for f in self.by_id.values()}
        known = {e.path for e in self.examined.diagnosis.scope.catalogue.entities}
        return tuple(sorted(known & with_facts))

    @cached_property
    def _by_entity(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self.by_id.values():
            found.setdefault(fact.entity, []).append(fact)
        return found

    def of_entity(self, path: str) -> Sequence[Fact]:
        """Return the facts of an entity."""
        return self._by_entity.get(path, ())
