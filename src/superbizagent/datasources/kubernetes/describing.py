"""What a snapshot offers to the scope of a diagnosis: names, time, and what stands on what."""

from datetime import timedelta

from superbizagent.domain.cluster import ClusterSnapshot, KubernetesQuery
from superbizagent.domain.entity import Entity
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.window import Window

__all__ = ["edges_of", "entities_of", "extent_of", "narrowed"]

_TELLS_OF = timedelta(hours=3)
"""Events are kept for an hour by default; states are dated for longer."""
_MOST_OBJECTS = 20_000
"""Objects of one snapshot that are stored; those that have something to say come first."""


def entities_of(snapshot: ClusterSnapshot) -> tuple[tuple[Entity, ...], dict[str, str]]:
    """Return what people name, and for names of parts (pods, replica sets) that of the whole."""
    whole = tuple(item.entity for item in snapshot.objects if not item.part_of)
    names = {entity.name for entity in whole}
    aliases = {
        item.entity.name: Entity.parse(item.part_of).name
        for item in snapshot.objects
        if item.part_of and item.entity.name not in names
    }
    return whole, aliases


def extent_of(snapshot: ClusterSnapshot) -> Window | None:
    """Return the time that a snapshot tells of; it ends when the snapshot was taken."""
    end = snapshot.taken_at
    return Window(start=end - _TELLS_OF, end=end) if end is not None else None


def edges_of(snapshot: ClusterSnapshot) -> Topology:
    """Return what stands on what: a service on its workloads, these on nodes and claims."""
    known = {item.entity.path: item.entity for item in snapshot.objects}
    found: set[Edge] = set()
    for item in snapshot.objects:
        above = known.get(item.root, item.entity)
        for path in item.stands_on:
            below = known.get(path)
            if below is not None and below.name != above.name:
                found.add(Edge(caller=above.name, callee=below.name))
    ordered = sorted(found, key=lambda edge: (edge.caller, edge.callee))
    return Topology(edges=tuple(ordered))


def narrowed(snapshot: ClusterSnapshot, query: KubernetesQuery) -> tuple[ClusterSnapshot, int]:
    """Return the part of a snapshot that was asked for, and how many objects a cap left out."""
    objects = snapshot.objects
    if query.namespaces:
        spaces = {"", *query.namespaces}
        objects = tuple(o for o in objects if o.entity.namespace in spaces)
    if len(objects) <= _MOST_OBJECTS:
        return snapshot.model_copy(update={"objects": objects}), 0
    kept = sorted(objects, key=lambda o: -len(o.readings))[:_MOST_OBJECTS]
    kept.sort(key=lambda o: o.entity.path)
    left_out = len(objects) - len(kept)
    return snapshot.model_copy(update={"objects": tuple(kept)}), left_out
