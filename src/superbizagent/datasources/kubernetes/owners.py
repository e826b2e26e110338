"""Which object made which: from a pod up to the deployment that people know it by."""

import re
from dataclasses import dataclass, field

from superbizagent.datasources.kubernetes.fields import Raw, flag, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.domain.entity import Entity

__all__ = ["Owners", "entity_for"]

_DEEP = 5
"""Owners above one another; a chain that is longer is a circle."""
_POD_OF_SET = re.compile(r"(.+)-[a-z0-9]{8,10}-[a-z0-9]{5}")
_MAKERS = ("Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "ReplicaSet")


def entity_for(kind: str, namespace: str, name: str) -> Entity:
    """Return the entity of an object."""
    return Entity(kind=kind.lower(), namespace=namespace, name=name)


@dataclass(slots=True)
class Owners:
    """Finds the last owner of an object, also where what stands between was not seen."""

    gathered: Gathered
    _known: dict[tuple[str, str, str], Entity] = field(
        default_factory=dict[tuple[str, str, str], Entity]
    )

    def root_of(self, raw: Raw) -> Entity:
        """Return the object at the top, the object itself when nothing made it."""
        kind, name = text(raw, "kind"), text(raw, "metadata", "name")
        namespace = text(raw, "metadata", "namespace")
        key = (kind, namespace, name)
        if key not in self._known:
            self._known[key] = self._climb(raw, kind, namespace, name)
        return self._known[key]

    def guessed(self, pod: str, namespace: str) -> Entity | None:
        """Return what made a pod of which only the name is known."""
        parts = pod.split("-")
        for cut in range(len(parts) - 1, 0, -1):
            name = "-".join(parts[:cut])
            for kind in _MAKERS[:3]:
                if self.gathered.get(kind, namespace, name) is not None:
                    return entity_for(kind, namespace, name)
        shape = _POD_OF_SET.fullmatch(pod)
        return entity_for("Deployment", namespace, shape[1]) if shape else None

    def _climb(self, raw: Raw, kind: str, namespace: str, name: str) -> Entity:
        current, here = raw, (kind, name)
        for _ in range(_DEEP):
            owner = _owner(current)
            if owner is None or owner[0] == "Node":  # a static pod belongs to itself
                break
            above = self.gathered.get(owner[0], namespace, owner[1])
            here = owner
            if above is None:
                here = self._unseen(current, owner)
                break
            current = above
        if here == (kind, name) and kind == "Pod" and not _owner(raw) and _is_bare(raw):
            guess = self.guessed(name, namespace)
            if guess is not None:
                return guess
        if here[0] == "ReplicaSet" and not _owner(current):
            here = self._deployment_of(raw, here, namespace)
        return entity_for(here[0], namespace, here[1])

    def _deployment_of(self, raw: Raw, here: tuple[str, str], namespace: str) -> tuple[str, str]:
        """What made a replica set that does not say so, as one in a table."""
        base, _, stamp = here[1].rpartition("-")
        is_stamped = text(raw, "metadata", "labels", "pod-template-hash") == stamp
        known = self.gathered.get("Deployment", namespace, base) is not None
        return ("Deployment", base) if base and (known or is_stamped) else here

    def _unseen(self, below: Raw, owner: tuple[str, str]) -> tuple[str, str]:
        """The owner of an owner that was not seen: a replica set's name ends in a hash."""
        stamp = text(below, "metadata", "labels", "pod-template-hash")
        if owner[0] == "ReplicaSet" and stamp and owner[1].endswith(f"-{stamp}"):
            return "Deployment", owner[1].removesuffix(f"-{stamp}")
        return owner


def _owner(raw: Raw) -> tuple[str, str] | None:
    owners = list(rows(raw, "metadata", "ownerReferences"))
    chosen = next((o for o in owners if flag(o, "controller")), owners[0] if owners else None)
    if chosen is None or not text(chosen, "kind") or not text(chosen, "name"):
        return None
    return text(chosen, "kind"), text(chosen, "name")


def _is_bare(raw: Raw) -> bool:
    """Tell whether the text that an object was read from cannot name owners: a table."""
    return "uid" not in raw.get("metadata", {}) and not raw.get("spec", {}).get("containers")
