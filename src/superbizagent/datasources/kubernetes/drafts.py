"""Objects of a snapshot while they are put together."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from superbizagent.datasources.kubernetes.fields import Raw, text
from superbizagent.datasources.kubernetes.owners import Owners, entity_for
from superbizagent.domain.cluster import ClusterObject, Reading
from superbizagent.domain.entity import Entity

__all__ = ["Draft", "Drafts", "entity_of"]

_OTEL = {
    "pod": "k8s.pod.name", "deployment": "k8s.deployment.name", "replicaset": "k8s.replicaset.name",
    "statefulset": "k8s.statefulset.name", "daemonset": "k8s.daemonset.name", "job": "k8s.job.name",
    "cronjob": "k8s.cronjob.name", "node": "k8s.node.name", "namespace": "k8s.namespace.name",
    "resourcequota": "k8s.resourcequota.name",
}  # fmt: skip


@dataclass(slots=True)
class Draft:
    """One object while it is put together."""

    entity: Entity
    origin: str = ""
    root: Entity | None = None
    stands_on: dict[str, None] = field(default_factory=dict[str, None])
    readings: list[Reading] = field(default_factory=list[Reading])

    def object(self) -> ClusterObject:
        """Return what was put together."""
        named = {"k8s.namespace.name": self.entity.namespace} if self.entity.namespace else {}
        for entity in (self.root, self.entity):
            if entity is not None and entity.kind in _OTEL:
                named[_OTEL[entity.kind]] = entity.name
        is_part = self.root is not None and self.root != self.entity
        return ClusterObject(
            entity=self.entity,
            attributes=named,
            part_of=self.root.path if self.root is not None and is_part else "",
            stands_on=tuple(self.stands_on),
            readings=tuple(self.readings),
            origin=self.origin,
        )


@dataclass(slots=True)
class Drafts:
    """All of them, by path."""

    owners: Owners
    by_path: dict[str, Draft] = field(default_factory=dict[str, Draft])

    def draft(self, entity: Entity, origin: str = "", root: Entity | None = None) -> Draft:
        """Return the draft of an object, a new one where there is none."""
        draft = self.by_path.setdefault(entity.path, Draft(entity, origin))
        draft.origin = draft.origin or origin
        draft.root = draft.root or root
        return draft

    def add(self, raw: Raw, origin: str, readings: Iterable[Reading]) -> Draft:
        """Add what was read of an object; what made it gets a draft as well."""
        entity = entity_of(raw)
        root = self.owners.root_of(raw)
        if root != entity:
            self.draft(root)
        draft = self.draft(entity, origin, root)
        draft.readings += readings
        return draft


def entity_of(raw: Raw) -> Entity:
    """Return the entity of a raw object."""
    return entity_for(
        text(raw, "kind"), text(raw, "metadata", "namespace"), text(raw, "metadata", "name")
    )
