"""Which label of a series says whose it is.

The first label of the order that a series carries names its entity. The mapping is data, so that
a site with other conventions changes a setting and no code.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from superbizagent.domain.entity import Entity
from superbizagent.domain.series import Labels

__all__ = ["DEFAULT_LABEL_KINDS", "EntityIndex", "index_entities"]

DEFAULT_LABEL_KINDS: Mapping[str, str] = {
    "service_name": "service",
    "service": "service",
    "app": "service",
    "application": "service",
    "app_kubernetes_io_name": "service",
    "job": "service",
    "container": "service",
    "host": "host",
}
"""Label -> kind of entity its values stand for; the order decides. ``host`` comes last because
applications use it for their own purposes; it is what the wide form's ``node:`` columns carry."""

_HOST_JOBS = frozenset({"node", "node-exporter", "node_exporter"})
"""Scrape jobs whose series are about machines and whose name is no service."""

_ABOUT_ALERTS = frozenset({"ALERTS", "ALERTS_FOR_STATE"})
"""Written by the server from its rules: their labels are those of alerts, not of a target."""

_AMBIGUITIES_TOLD = 3


@dataclass(slots=True)
class EntityIndex:
    """The entities of a set of series and where their names stand."""

    entities: dict[str, Entity] = field(default_factory=dict[str, Entity])
    """By name; a name has one identity in one recording unless namespaces differ."""
    others: list[Entity] = field(default_factory=list[Entity])
    """Further identities of a name: the same name in another namespace or cluster."""
    label_values: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    notes: list[str] = field(default_factory=list[str])


def index_entities(
    labels: Iterable[Labels], order: Mapping[str, str], kinds: Mapping[str, str]
) -> EntityIndex:
    """Find the entities that the label sets speak of.

    Args:
        labels: label sets of all series.
        order: label -> kind, first match first.
        kinds: entity name -> kind, from the topology; wins over ``order``.
    """
    values: dict[str, set[str]] = {}
    identities: dict[str, set[tuple[str, str, str]]] = {}
    rivals: Counter[tuple[str, str]] = Counter()
    names = list(order)
    looked_at = ("cluster", "namespace", *names)
    # Many series differ only in labels that name no entity: look at each combination once.
    combinations = Counter(
        tuple(row.get(name, "") for name in looked_at)
        for row in labels
        if row.get("__name__") not in _ABOUT_ALERTS
    )
    for (cluster, namespace, *found), count in combinations.items():
        present = [(name, value) for name, value in zip(names, found, strict=True) if value]
        if not present:
            continue
        first, value = present[0]
        values.setdefault(first, set()).add(value)
        identity = (cluster, namespace, _kind(first, value, order))
        identities.setdefault(value, set()).add(identity)
        for other, rival in present[1:]:
            if rival != value:
                rivals[first, other] += count
    index = EntityIndex(
        label_values={name: tuple(sorted(values[name])) for name in names if name in values},
        notes=_ambiguities(rivals),
    )
    for name in sorted(identities):
        own = _entities(name, identities[name], kinds)
        index.entities[name] = own[0]
        index.others += own[1:]
    return index


def _kind(label: str, value: str, order: Mapping[str, str]) -> str:
    if label == "job" and value in _HOST_JOBS:
        return "host"
    if value == "_entry":
        return "entry"
    return order[label]


def _entities(
    name: str, identities: set[tuple[str, str, str]], kinds: Mapping[str, str]
) -> Sequence[Entity]:
    located = sorted(i for i in identities if i[0] or i[1])
    # Series that do not say their namespace belong to the only one that is known.
    chosen = located if len(located) == 1 else sorted(identities)
    found = [
        Entity(cluster=cluster, namespace=namespace, kind=kinds.get(name, kind), name=name)
        for cluster, namespace, kind in chosen
    ]
    return list(dict.fromkeys(found))


def _ambiguities(rivals: Counter[tuple[str, str]]) -> list[str]:
    told = sorted(rivals.items(), key=lambda item: (-item[1], item[0]))[:_AMBIGUITIES_TOLD]
    return [
        f"{count} series carry both {first!r} and {other!r}; {first!r} was taken as their entity"
        for (first, other), count in told
    ]
