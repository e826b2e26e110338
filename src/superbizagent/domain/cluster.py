"""What a Kubernetes cluster says of itself: its objects, and what can be read of each.

A source turns API objects, saved output and text of ``kubectl`` into this one form. Only what
tells of trouble, or is needed to explain it, becomes a reading; values of secrets and config maps
never do.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from superbizagent.domain.entity import Entity
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "NOT_WORKLOADS",
    "ClusterObject",
    "ClusterSnapshot",
    "KindLook",
    "KubernetesQuery",
    "LookStatus",
    "Reading",
    "belongings",
]

LookStatus = Literal["ok", "empty", "error", "timeout", "denied"]
"""How a look ended, in the words of `EvidenceStatus`."""

NOT_WORKLOADS = frozenset(
    {
        "service", "node", "namespace", "persistentvolumeclaim", "persistentvolume",
        "resourcequota", "limitrange", "configmap", "secret", "serviceaccount", "ingress",
        "endpoints", "endpointslice", "storageclass", "host", "database",
    }
)  # fmt: skip
"""Kinds that run no containers; every other kind, known or not, is a workload."""


class Reading(Model):
    """One value of one object.

    ``name`` is a word of ours: ``waiting``, ``last_terminated``, ``event.FailedScheduling`` …
    ``quote`` is verbatim text of the object; ``at`` is since when, or when, it was so.
    """

    name: str
    value: float | str
    unit: str = ""
    at: Instant | None = None
    quote: str = ""
    part: str = ""
    """The part of the object that it is about: a container, a port, a resource."""


class ClusterObject(Model):
    """One object of the cluster."""

    entity: Entity
    attributes: dict[str, str] = Field(default_factory=dict)
    """OpenTelemetry keys: ``k8s.namespace.name``, ``k8s.pod.name``, ``k8s.deployment.name`` …"""
    part_of: str = ""
    """Path of the object that made it, up to the last: a pod's deployment; empty: none."""
    stands_on: tuple[str, ...] = ()
    """Paths of what it needs: its node, claims, configuration; of a service its workloads."""
    readings: tuple[Reading, ...] = ()
    origin: str = ""
    """File or address that it was read from."""

    @property
    def root(self) -> str:
        """Path of what people know it by: the object that made it, or itself."""
        return self.part_of or self.entity.path


class KindLook(Model):
    """How a look for objects of one kind ended: none there, or not allowed to see any."""

    kind: str
    """Plural as the API writes it: ``pods``, ``events``, ``previous logs``."""
    status: LookStatus
    count: int = 0
    note: str = ""
    """Why it could not be looked at, verbatim."""


class ClusterSnapshot(Model):
    """Objects of a cluster at one time."""

    taken_at: Instant | None = None
    objects: tuple[ClusterObject, ...] = ()
    looks: tuple[KindLook, ...] = ()

    def saw(self, kind: str) -> bool:
        """Tell whether objects of a kind could be looked for."""
        return any(look.kind == kind and look.status in {"ok", "empty"} for look in self.looks)


class KubernetesQuery(Model):
    """Which part of a cluster is looked at."""

    namespaces: tuple[str, ...] = ()
    """Empty: all that may be seen."""
    names: tuple[str, ...] = ()
    """Paths of what was named; of these everything is read, of the rest what is abnormal."""


def belongings(snapshots: Iterable[ClusterSnapshot]) -> Mapping[str, str]:
    """Return path -> path of what it is a part of, for every object that is a part."""
    return {
        item.entity.path: item.part_of
        for snapshot in snapshots
        for item in snapshot.objects
        if item.part_of
    }
