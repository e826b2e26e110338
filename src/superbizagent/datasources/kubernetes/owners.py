"""Which object made which: from a pod up to the deployment that people know it by."""

from dataclasses import dataclass, field

from superbizagent.datasources.kubernetes.fields import Raw, flag, mapping, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.names import cron_job_of, is_drawn, maker_of
from superbizagent.domain.entity import Entity

__all__ = ["Owners", "entity_for"]

_DEEP = 5
"""Owners above one another; a chain that is longer is a circle."""
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
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Pods by namespace."""

    def root_of(self, raw: Raw) -> Entity:
        """Return the object at the top, the object itself when nothing made it."""
        kind, name = text(raw, "kind"), text(raw, "metadata", "name")
        namespace = text(raw, "metadata", "namespace")
        key = (kind, namespace, name)
        if key not in self._known:
            self._known[key] = self._climb(raw, kind, namespace, name)
        return self._known[key]

    def guessed(self, pod: str, namespace: str, *, over: bool = False) -> Entity | None:
        """Return what made a pod of which only the name is known.

        Args:
            pod: its name.
            namespace: its namespace.
            over: whether it ran to its end.
        """
        parts = pod.split("-")
        for cut in range(len(parts) - 1, 0, -1):
            name = "-".join(parts[:cut])
            for kind in _MAKERS:
                if self.gathered.get(kind, namespace, name) is not None:
                    return self._above_guess(kind, namespace, name)
        kind, _, name = maker_of(pod, self._siblings(namespace), ran_to_its_end=over).partition("/")
        return self._above_guess(kind, namespace, name) if name else None

    def _above_guess(self, kind: str, namespace: str, name: str) -> Entity:
        """Return what made the guessed maker of a pod, where that was made in its turn."""
        raw = self.gathered.get(kind, namespace, name)
        if kind == "ReplicaSet" and raw is None:
            return entity_for("Deployment", namespace, name.rpartition("-")[0] or name)
        return self.root_of(raw) if raw is not None else entity_for(kind, namespace, name)

    def _siblings(self, namespace: str) -> tuple[str, ...]:
        if namespace not in self._names:
            pods = (raw for raw, _ in self.gathered.of("Pod"))
            own = [p for p in pods if text(p, "metadata", "namespace") == namespace]
            self._names[namespace] = tuple(text(p, "metadata", "name") for p in own)
        return self._names[namespace]

    def _climb(self, raw: Raw, kind: str, namespace: str, name: str) -> Entity:
        current, here = raw, (kind, name)
        for _ in range(_DEEP):
            owner = _owner(current)
            if owner is None or owner[0] == "Node":  # a static pod belongs to itself
                break
            above = self.gathered.get(owner[0], namespace, owner[1])
            here = owner
            if above is None:
                return entity_for(*self._placed(self._unseen(current, owner), namespace))
            current = above
        if here == (kind, name) and kind == "Pod" and not _owner(raw) and _is_bare(raw):
            guess = self.guessed(name, namespace, over=_is_over(raw))
            if guess is not None:
                return guess
        if here[0] == "ReplicaSet" and not _owner(current):
            here = self._deployment_of(raw, here, namespace)
        elif here[0] == "Job" and not _owner(current) and _is_bare(current):
            here = self._cron_job(here, namespace)
        return entity_for(*self._placed(here, namespace))

    @staticmethod
    def _placed(here: tuple[str, str], namespace: str) -> tuple[str, str, str]:
        return here[0], namespace, here[1]

    def _cron_job(self, here: tuple[str, str], namespace: str) -> tuple[str, str]:
        """What made a job that does not say so: its name ends in the minute it was due."""
        name = cron_job_of(here[1])
        known = self.gathered.get("CronJob", namespace, name) is not None
        return ("CronJob", name) if name and (known or not self.gathered.saw("CronJob")) else here

    def _deployment_of(self, raw: Raw, here: tuple[str, str], namespace: str) -> tuple[str, str]:
        """What made a replica set that does not say so, as one in a table."""
        base, _, stamp = here[1].rpartition("-")
        is_stamped = text(raw, "metadata", "labels", "pod-template-hash") == stamp
        known = self.gathered.get("Deployment", namespace, base) is not None
        return ("Deployment", base) if base and (known or is_stamped or is_drawn(stamp)) else here

    def _unseen(self, below: Raw, owner: tuple[str, str]) -> tuple[str, str]:
        """The owner of an owner that was not seen: a replica set's name ends in a hash."""
        base, _, stamp = owner[1].rpartition("-")
        own = text(below, "metadata", "labels", "pod-template-hash")
        if owner[0] == "ReplicaSet" and base and (stamp == own or (not own and is_drawn(stamp))):
            return "Deployment", base
        if owner[0] == "Job":
            name = cron_job_of(owner[1])
            return ("CronJob", name) if name else owner
        return owner


def _owner(raw: Raw) -> tuple[str, str] | None:
    owners = list(rows(raw, "metadata", "ownerReferences"))
    chosen = next((o for o in owners if flag(o, "controller")), owners[0] if owners else None)
    if chosen is None or not text(chosen, "kind") or not text(chosen, "name"):
        return None
    return text(chosen, "kind"), text(chosen, "name")


def _is_over(raw: Raw) -> bool:
    return text(raw, "status", "phase") in {"Succeeded", "Failed"} or any(
        mapping(s, "state", "terminated") for s in rows(raw, "status", "containerStatuses")
    )


def _is_bare(raw: Raw) -> bool:
    """Tell whether the text that an object was read from cannot name owners: a table."""
    metadata = mapping(raw, "metadata")
    return "uid" not in metadata and (
        "age" in metadata or not list(rows(raw, "spec", "containers"))
    )
