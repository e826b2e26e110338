"""What objects of a cluster say to a check: readings of an entity, its parts, what it stands on.

Only facts of stored calls are read, so a check never rests on what cannot be cited.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from superbizagent.analysis.cluster_facts import reading_of
from superbizagent.domain.check import Check, Place
from superbizagent.domain.cluster import ClusterSnapshot
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact

__all__ = ["ObjectAnswer", "ObjectEvidence", "readings_asked"]

_DEEP = 4
"""Steps down: a service, its workload, the claim, the claim's quota."""
_NEEDS = (("event.", "events"), ("note.", "events"), ("log", "logs"), ("previous_log", "logs"))
"""Beginning of a reading's name -> kind that must have been looked at to say that there is none."""


@dataclass(frozen=True, slots=True)
class ObjectAnswer:
    """What the readings of some objects say to one check."""

    looked: bool
    """Whether the objects, and what the readings come from, could be looked at."""
    facts: tuple[Fact, ...] = ()
    """The readings that count, in the order of their call."""


@dataclass(slots=True)
class ObjectEvidence:
    """The looks at clusters of one session, indexed for checks."""

    evidence: Evidence
    _facts: defaultdict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))
    """Root path -> facts of it and its parts."""
    _below: defaultdict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    _above: defaultdict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    _roots: dict[str, str] = field(default_factory=dict[str, str])
    _snapshots: list[ClusterSnapshot] = field(default_factory=list[ClusterSnapshot])

    def __post_init__(self) -> None:
        """Index the answered calls."""
        for row in self.evidence.invocations:
            if not isinstance(row.output, ClusterSnapshot):
                continue
            self._snapshots.append(row.output)
            self._roots |= {o.entity.path: o.root for o in row.output.objects}
            for item in row.output.objects:
                for path in item.stands_on:
                    below = self._roots.get(path, path)
                    self._below[item.root][below] = None
                    self._above[below][item.root] = None
            for fact in row.facts:
                if fact.place.startswith("object/"):
                    self._facts[self._roots.get(fact.entity, fact.entity)].append(fact)

    def knows(self, path: str) -> bool:
        """Tell whether any look saw an object of this path."""
        return path in self._roots

    def under(self, path: str) -> tuple[str, ...]:
        """Return what an object stands on, nearest first, itself not among it."""
        return self._walk(path, self._below)

    def answer(self, check: Check, path: str) -> ObjectAnswer:
        """Return the readings that a check about an object asks for."""
        if not self.knows(path):
            return ObjectAnswer(looked=False)
        looked = all(
            any(snapshot.saw(kind) for snapshot in self._snapshots)
            for prefix, kind in _NEEDS
            if all(name.startswith(prefix) for name in check.reading)
        )
        facts = tuple(
            fact
            for place in self._places(check.at, path)
            for fact in self._facts.get(place, ())
            if _counts(check, fact)
        )
        return ObjectAnswer(looked=looked or bool(facts), facts=facts)

    def _places(self, at: Place, path: str) -> Sequence[str]:
        match at:
            case Place.ENTITY:
                return (path,)
            case Place.CALLEES:
                return self.under(path)
            case Place.CALLERS:
                return self._walk(path, self._above)
            case Place.ANYWHERE:
                return tuple(self._facts)

    def _walk(self, path: str, ways: defaultdict[str, dict[str, None]]) -> tuple[str, ...]:
        seen, front = {path: None}, [path]
        for _ in range(_DEEP):
            front = [p for f in front for p in ways.get(f, ()) if p not in seen]
            seen |= dict.fromkeys(front)
        return tuple(p for p in seen if p != path)


def _counts(check: Check, fact: Fact) -> bool:
    name, part = reading_of(fact.name)
    if not any(_matches(pattern, name) for pattern in check.reading):
        return False
    said = f"{fact.value} {fact.quote} {part}".casefold()
    if check.contains and not any(text.casefold() in said for text in check.contains):
        return False
    return not any(text.casefold() in said for text in check.lacks)


def _matches(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def readings_asked(check: Check, names: Sequence[str]) -> Iterator[str]:
    """Yield those names of readings that a check asks for."""
    for name in names:
        if any(_matches(pattern, name) for pattern in check.reading):
            yield name
