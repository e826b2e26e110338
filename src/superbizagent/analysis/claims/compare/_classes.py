"""Classes of things that a sentence speaks of all of, and their members that evidence knows."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from superbizagent.analysis.claims.compare._findings import abnormal, speaks_of
from superbizagent.analysis.claims.compare._speech import Speech
from superbizagent.analysis.claims.concepts import concepts_of_metric
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.entity import Entity

__all__ = ["CLASSES", "Member", "class_in", "kind_of", "members", "moved", "on_topic"]

CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(said, re.IGNORECASE))
    for name, said in (
        ("pod", r"\bpods?\b|\bcontainers?\b|容器"),
        ("instance", r"\binstances?\b|\breplicas?\b|实例|副本"),
        ("database", r"\bdatabases?\b|数据库"),
        ("host", r"\bnodes?\b|\bhosts?\b|\bmachines?\b|节点|主机|机器"),
        ("service", r"\b(?:micro-?)?services?\b|服务(?!器)"),
        ("request", r"\brequests?\b|\bcalls?\b|\bbookings?\b|\bcheckouts?\b|\borders?\b|请求|调用"),
    )
)
_LABELS = {
    "pod": ("pod", "container"),
    "instance": ("pod", "instance", "container", "host", "hostname"),
}
_KINDS = {"service": ("service",), "database": ("database",), "host": ("host", "node")}
_DEGREES = frozenset({"saturation", "held"})
"""How much of a thing, where the thing itself is named: "their processors are used up"."""
_STILL = frozenset({"flat", ""})


@dataclass(frozen=True, slots=True)
class Member:
    """One thing of a class: a pod with its series, or an entity."""

    name: str
    series: tuple[int, ...]
    """Positions in `Ground.stored`."""
    entity: str = ""
    """Entity path when it is one."""


def class_in(text: str) -> str:
    """Return the first class that a text names, nothing when it names none."""
    found = [(m.start(), name) for name, said in CLASSES if (m := said.search(text))]
    return min(found)[1] if found else ""


def kind_of(path: str) -> str:
    """Return the class of an entity path."""
    if path.count("/") < 3:
        return ""
    kind = Entity.parse(path).kind
    return next((name for name, kinds in _KINDS.items() if kind in kinds), "")


def members(ground: Ground, kind: str, entities: Collection[str]) -> tuple[Member, ...]:
    """Return the members of a class, of these entities when any are given."""
    if kind in _LABELS:
        return _by_label(ground, _LABELS[kind], entities)
    if kind in _KINDS:
        # Names of the call graph that nobody looked at have nothing to be all of.
        paths = [p for p in ground.analysis.entities_examined if kind_of(p) == kind]
        return tuple(Member(p.rsplit("/", 1)[-1], _series_of(ground, p), p) for p in paths)
    return ()


def _series_of(ground: Ground, path: str) -> tuple[int, ...]:
    return tuple(k for k, owner in enumerate(ground.stored.owners) if owner == path)


def _by_label(ground: Ground, keys: Sequence[str], entities: Collection[str]) -> tuple[Member, ...]:
    """Members by the first label that tells several apart, else by the first that is there."""
    best: dict[str, list[int]] = {}
    for key in keys:
        found: dict[str, list[int]] = {}
        for k, labels in enumerate(ground.stored.labels):
            if labels.get(key) and (not entities or ground.stored.owners[k] in entities):
                found.setdefault(labels[key], []).append(k)
        if len(found) > len(best):
            best = found
        if len(best) > 1:
            break
    return tuple(Member(name, tuple(best[name])) for name in sorted(best))


def on_topic(ground: Ground, member: Member, said: Speech, without: Collection[str]) -> list[int]:
    """Return the series of a member that a stretch speaks of."""
    asked = said.asked({*without, *_DEGREES}) or said.asked(without)
    rows: list[int] = []
    for code in member.series:
        bits = _bits(ground, code)
        if all(bits & phrase for phrase in asked):
            rows.append(code)
    return rows


def _bits(ground: Ground, code: int) -> int:
    name, _, labels = ground.stored.names[code].partition("{")
    return concepts_of_metric(name, labels.removesuffix("}"), ground.stored.meanings[code].unit, "")


def moved(ground: Ground, member: Member, said: Speech, without: Collection[str]) -> bool:
    """Tell whether something abnormal of a member is what a stretch speaks of."""
    if any(
        ground.stored.direction[k] not in _STILL for k in on_topic(ground, member, said, without)
    ):
        return True
    found = (f for f in abnormal(ground) if member.entity and f.entity == member.entity)
    less = {*without, *_DEGREES} if said.asked({*without, *_DEGREES}) else without
    return any(speaks_of(said, f, less) for f in found)
