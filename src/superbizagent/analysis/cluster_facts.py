"""Facts and findings of one look at a cluster.

Names are ``object:<reading>``, and ``object:<reading>/<part>`` for a container or resource;
``objects:<kind>`` says how many of a kind there are, or that they could not be looked at. Pure.
"""

from collections.abc import Collection, Sequence
from typing import Any

from superbizagent.analysis._fact_list import FactList
from superbizagent.analysis.cluster_state import Weighed, weigh
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.cluster import ClusterSnapshot, Reading
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding, FindingKind

__all__ = ["facts_of_cluster", "findings_from_cluster", "reading_of"]

_MOST = 2000
"""Facts of one call: 200 objects in trouble have fewer, and a report names three."""
_SEEN = frozenset({"ok", "empty"})


def reading_of(fact_name: str) -> tuple[str, str]:
    """Return reading and part that the name of a fact stands for; empty for other facts."""
    prefix, _, rest = fact_name.partition("object:")
    if prefix or not rest:
        return "", ""
    reading, _, part = rest.partition("/")
    return reading, part


def facts_of_cluster(
    call: int, snapshot: ClusterSnapshot, named: Collection[str] = ()
) -> tuple[Fact, ...]:
    """Return the facts of one look: what was looked at, then the objects, the worst first.

    Args:
        call: its number.
        snapshot: what came back.
        named: paths of which everything is told; of the rest what belongs to trouble.
    """
    facts = FactList(call)
    weighed = weigh(snapshot)
    facts.add("objects_examined", float(len(weighed)), statistic="count")
    abnormal = [w for w in weighed if w.is_abnormal]
    facts.add("objects_abnormal", float(len(abnormal)), statistic="count")
    for look in snapshot.looks:
        name = f"objects:{look.kind}"
        if look.status in _SEEN:
            facts.add(name, float(look.count), statistic="count")
        else:
            facts.add(name, look.status, statistic="status", quote=look.note)
    told = {w.object.root for w in abnormal} | set(named)
    told |= {path for w in abnormal for path in w.object.stands_on}
    chosen = [w for w in weighed if w.is_abnormal or w.object.root in told]
    chosen.sort(key=lambda w: (-_worst(w), w.object.entity.path))
    for item in chosen:
        for place, reading, _ in item.readings:
            if len(facts.items) < _MOST:
                _add(facts, item, place, reading)
    return tuple(facts.items)


def _worst(item: Weighed) -> float:
    return max((weight for _, _, weight in item.readings), default=0.0)


def _add(facts: FactList, item: Weighed, place: int, reading: Reading) -> None:
    part = f"/{reading.part}" if reading.part else ""
    more: dict[str, Any] = {
        "entity": item.object.entity.path,
        "unit": reading.unit,
        "at": reading.at,
        "quote": reading.quote,
        "place": f"object/{item.index}/reading/{place}",
    }
    facts.add(f"object:{reading.name}{part}", reading.value, **more)


def findings_from_cluster(snapshot: ClusterSnapshot, facts: Sequence[Fact]) -> tuple[Finding, ...]:
    """Return a finding for each abnormal reading, about what made the object (ids still empty)."""
    by_place = {fact.place: fact for fact in facts if fact.place.startswith("object/")}
    found: list[Finding] = []
    for item in weigh(snapshot):
        for place, reading, weight in item.readings if item.is_abnormal else ():
            fact = by_place.get(f"object/{item.index}/reading/{place}")
            if fact is None or weight <= 0:
                continue
            found.append(
                Finding(
                    id="",
                    kind=FindingKind.OBJECT_STATE,
                    entity=item.object.root,
                    subject=fact.name,
                    score=round_significant(weight),
                    onset_at=reading.at,
                    ongoing=None if reading.name.startswith(("event.", "last_")) else True,
                    fact_ids=(fact.id,),
                )
            )
    return tuple(found)
