"""Entities that the labels of a live server speak of."""

from collections.abc import Mapping, Sequence

from superbizagent.domain.entity import Entity
from superbizagent.domain.series import Labels

__all__ = ["entities_of"]

_HOST_JOBS = frozenset({"node", "node-exporter", "node_exporter"})
"""Scrape jobs whose series are about machines and whose name is no service."""


def entities_of(
    label_values: Mapping[str, Sequence[str]],
    targets: Sequence[Labels],
    kinds: Mapping[str, str],
    place: Mapping[str, str] | None = None,
) -> tuple[Entity, ...]:
    """Return the entities behind label values, each with the places its targets are in.

    Args:
        label_values: label -> names.
        targets: label sets of scraped targets; their ``namespace`` and ``cluster`` are an
            entity's. A name that no target carries has neither.
        kinds: label -> kind of entity.
        place: ``namespace`` and ``cluster`` of everything that does not tell its own.
    """
    here = place or {}
    home = (here.get("cluster", ""), here.get("namespace", ""))
    places: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row in targets:
        own = (row.get("cluster", home[0]), row.get("namespace", home[1]))
        for label in label_values:
            if row.get(label):
                places.setdefault((label, row[label]), set()).add(own)
    found = [
        Entity(cluster=cluster, namespace=namespace, kind=_kind(label, name, kinds), name=name)
        for label, names in label_values.items()
        for name in names
        for cluster, namespace in _known(places.get((label, name), set()), home)
    ]
    located = {e.name for e in found if e.cluster or e.namespace}
    # A name may stand in two labels: where one of them tells the place, that is where it is.
    kept = {e.path: e for e in found if e.cluster or e.namespace or e.name not in located}
    return tuple(kept[path] for path in sorted(kept))


def _known(places: set[tuple[str, str]], home: tuple[str, str]) -> list[tuple[str, str]]:
    located = sorted(place for place in places if any(place))
    return located or [home]


def _kind(label: str, name: str, kinds: Mapping[str, str]) -> str:
    if label == "job" and name in _HOST_JOBS:
        return "host"
    return kinds.get(label, "service")
