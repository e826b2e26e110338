"""From collected objects to what the analysis reads: owners, what stands on what, readings."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from superbizagent.datasources.kubernetes.drafts import Draft, Drafts
from superbizagent.datasources.kubernetes.events import read_event
from superbizagent.datasources.kubernetes.fields import Raw, at, mapping, number, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.logs import telling_readings
from superbizagent.datasources.kubernetes.owners import Owners, entity_for
from superbizagent.datasources.kubernetes.placing import blocked_by
from superbizagent.datasources.kubernetes.pods import (
    claims_of,
    configuration_of,
    read_pod,
    read_template,
)
from superbizagent.datasources.kubernetes.reached import add_calls, add_services
from superbizagent.datasources.kubernetes.standing import read_claim, read_node, read_quota
from superbizagent.datasources.kubernetes.workloads import read_job, read_replicas
from superbizagent.domain.cluster import ClusterSnapshot, Reading
from superbizagent.domain.entity import Entity

__all__ = ["snapshot_of"]

_REPLICATED = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
_TAKEN_AWAY = frozenset({"event.Evicted", "event.Preempted", "event.TaintManagerEviction"})
"""What happens to pods that are then gone: that they are not there is what went wrong."""
_CHANGED = timedelta(hours=24)
"""A rollout that is older is no news."""


def snapshot_of(gathered: Gathered) -> ClusterSnapshot:
    """Return everything that was collected in the form the analysis reads, ordered by path."""
    owners = Owners(gathered)
    builder = _Builder(gathered, owners, Drafts(owners))
    builder.build()
    found = sorted(builder.drafts.by_path.values(), key=lambda d: d.entity.path)
    return ClusterSnapshot(
        taken_at=gathered.taken_at,
        objects=tuple(draft.object() for draft in found),
        looks=gathered.looks(),
    )


@dataclass(slots=True)
class _Builder:
    gathered: Gathered
    owners: Owners
    drafts: Drafts

    def build(self) -> None:
        for raw, origin in self.gathered.of("Pod"):
            self._pod(raw, origin)
        for raw, origin in self.gathered.of(*_REPLICATED):
            self.drafts.add(raw, origin, read_replicas(raw))
        for raw, origin in self.gathered.of("Job"):
            self.drafts.add(raw, origin, read_job(raw))
        for raw, origin in self.gathered.of("CronJob", "Ingress", "HorizontalPodAutoscaler"):
            self.drafts.add(raw, origin, ())
        self._rollouts()
        for raw, origin in self.gathered.of("Node"):
            self.drafts.add(raw, origin, read_node(raw))
        classes = None
        if self.gathered.saw("StorageClass"):
            classes = {
                text(raw, "metadata", "name"): raw for raw, _ in self.gathered.of("StorageClass")
            }
        for raw, origin in self.gathered.of("PersistentVolumeClaim"):
            self.drafts.add(raw, origin, read_claim(raw, classes))
        for raw, origin in self.gathered.of("ResourceQuota"):
            self.drafts.add(raw, origin, read_quota(raw))
        for raw, origin in self.gathered.of("Namespace"):
            self.drafts.add(raw, origin, ())
        add_services(self.gathered, self.drafts)
        self._events()
        self._logs()
        self._throttling()
        self._blocked()
        add_calls(self.gathered, self.drafts)

    # Pods ----------------------------------------------------------------------------------------

    def _pod(self, raw: Raw, origin: str) -> None:
        draft = self.drafts.add(raw, origin, read_pod(raw, self.gathered.taken_at))
        namespace = draft.entity.namespace
        needed: list[Entity] = []
        if node := text(raw, "spec", "nodeName"):
            needed.append(entity_for("Node", "", node))
        needed += [entity_for("PersistentVolumeClaim", namespace, n) for n in claims_of(raw)]
        for kind, name in dict.fromkeys(configuration_of(raw)):
            needed.append(entity_for(kind, namespace, name))
            if self._is_missing(kind, namespace, name):
                part = kind.lower()
                draft.readings.append(Reading(name="missing", value=name, quote=name, part=part))
        draft.stands_on |= dict.fromkeys(e.path for e in needed)
        if draft.root is not None and draft.root != draft.entity:
            self.drafts.draft(draft.root).stands_on |= draft.stands_on

    def _is_missing(self, kind: str, namespace: str, name: str) -> bool:
        """Tell whether objects of a kind were listed for a namespace and this one is not there.

        Where none of the namespace was seen, the list may not have covered it.
        """
        if kind == "ServiceAccount" and name == "default":
            return False
        if (kind, namespace, name) in self.gathered.absent:
            return True
        seen = any(text(r, "metadata", "namespace") == namespace for r, _ in self.gathered.of(kind))
        return seen and self.gathered.get(kind, namespace, name) is None

    # Rollouts ------------------------------------------------------------------------------------

    def _rollouts(self) -> None:
        """Say of each deployment which image its newest revision brought, and when."""
        sets: defaultdict[str, list[Raw]] = defaultdict(list)
        for raw, _ in self.gathered.of("ReplicaSet"):
            sets[self.owners.root_of(raw).path].append(raw)
        for path, found in sets.items():
            found.sort(key=_revision)
            if len(found) < 2 or path not in self.drafts.by_path:
                continue
            old, new = _images(found[-2]), _images(found[-1])
            when = at(found[-1], "metadata", "creationTimestamp")
            if not self._is_recent(found[-1]):
                continue
            for name, image in new.items():
                if old.get(name, image) != image:
                    quote = f"{old[name]} -> {image}"
                    changed = Reading(
                        name="image_changed", value=image, at=when, quote=quote, part=name
                    )
                    self.drafts.by_path[path].readings.append(changed)

    def _is_recent(self, raw: Raw) -> bool:
        when, now = at(raw, "metadata", "creationTimestamp"), self.gathered.taken_at
        return when is not None and now is not None and now - when < _CHANGED

    # Events and logs -----------------------------------------------------------------------------

    def _events(self) -> None:
        latest: dict[tuple[str, str, str], Reading] = {}
        for raw, _ in self.gathered.of("Event"):
            happened = read_event(raw, self.gathered.taken_at)
            if happened is None:
                continue
            entity = entity_for(happened.kind, happened.namespace, happened.name)
            if happened.kind == "Node":
                entity = entity_for("Node", "", happened.name)
            gone = happened.kind == "Pod" and self._is_gone(entity)
            if (gone and happened.reading.name not in _TAKEN_AWAY) or not self._place_for(
                happened.kind, entity
            ):
                continue
            key = (entity.path, happened.reading.name, happened.reading.quote)
            known = latest.get(key)
            if known is None or _later(happened.reading, known):
                latest[key] = happened.reading
        for (path, _, _), reading in sorted(latest.items(), key=lambda item: item[0]):
            self.drafts.by_path[path].readings.append(reading)
        self._unseen_nodes()

    def _unseen_nodes(self) -> None:
        """Say of nodes in no list that they are not ready, where that is the last event of them."""
        for path, draft in self.drafts.by_path.items():
            if draft.entity.kind != "node" or self.gathered.get("Node", "", draft.entity.name):
                continue
            told = {r.name.partition(".")[2]: r for r in draft.readings}
            lost, back = told.get("NodeNotReady"), told.get("NodeReady")
            if lost is not None and (back is None or _later(lost, back)):
                state = Reading(name="node_not_ready", value="False", at=lost.at, quote=lost.quote)
                self.drafts.by_path[path].readings.append(state)

    def _is_gone(self, pod: Entity) -> bool:
        """Tell whether a pod is not among those that were listed."""
        if self.gathered.get("Pod", pod.namespace, pod.name) is not None:
            return False
        if {"*", pod.namespace} & self.gathered.listed:
            return True
        root = self.owners.guessed(pod.name, pod.namespace)
        same = [d for d in self.drafts.by_path.values() if d.root == root and d.root != d.entity]
        return root is not None and any(
            d.entity.kind == "pod" for d in same if d.origin != "events"
        )

    def _place_for(self, kind: str, entity: Entity) -> bool:
        """Make room for events of an object; those of one that is gone are about the past."""
        if entity.path in self.drafts.by_path:
            return True
        if self.gathered.saw(kind) and self.gathered.has_whole(kind):
            return False
        root = self._root_of(kind, entity)
        if root is not None:
            self.drafts.draft(root)
        self.drafts.draft(entity, "events", root)
        return True

    def _root_of(self, kind: str, entity: Entity) -> Entity | None:
        """What made an object of which only the name is known, None when nothing tells."""
        if kind == "Pod":
            return self.owners.guessed(entity.name, entity.namespace)
        if kind not in {"ReplicaSet", "Job"}:
            return None
        metadata = {"name": entity.name, "namespace": entity.namespace}
        root = self.owners.root_of({"kind": kind, "metadata": metadata})
        return root if root != entity else None

    def _logs(self) -> None:
        for tail in self.gathered.logs:
            entity = self._pod_named(tail.pod, tail.namespace)
            if self._place_for("Pod", entity):
                self.drafts.by_path[entity.path].readings += telling_readings(tail)

    def _cpu_limit(self, draft: Draft, container: str) -> float:
        """Cores that a container may use: as its pod says, or else what makes the pod."""
        if own := _cpu_limit(draft.readings, container):
            return own
        root = draft.root or draft.entity
        kinds = {k.lower(): k for k in _REPLICATED}
        raw = self.gathered.get(kinds.get(root.kind, ""), root.namespace, root.name) or {}
        return _cpu_limit(list(read_template(raw)), container)

    def _pod_named(self, pod: str, namespace: str) -> Entity:
        return entity_for("Pod", self.gathered.home_of(pod, namespace), pod)

    def _blocked(self) -> None:
        for draft in self.drafts.by_path.values():
            told = {r.value: r for reading in draft.readings for r in blocked_by(reading)}
            draft.readings += told.values()

    def _throttling(self) -> None:
        for item in self.gathered.throttling:
            entity = self._pod_named(item.pod, item.namespace)
            # In no list of pods: the counters themselves say that it runs.
            if item.ratio > 0 and self._place_for("Pod", entity):
                draft = self.drafts.by_path[entity.path]
                value = round(item.ratio, 3)
                reading = Reading(name="throttled", value=value, unit="ratio", part=item.container)
                draft.readings.append(reading)

        for item in self.gathered.usage:
            entity = self._pod_named(item.pod, item.namespace)
            root = self.owners.guessed(entity.name, entity.namespace)
            # In no list of pods: it runs, and what made it says what it may use.
            draft = self.drafts.by_path.get(entity.path) or Draft(entity, root=root)
            if limit := self._cpu_limit(draft, item.container):
                draft = self.drafts.draft(entity, "top", root)
                value = round(item.cores / limit, 3)
                quote = f"{item.cores:g} of {limit:g}"
                reading = Reading(
                    name="cpu_of_limit", value=value, unit="ratio", quote=quote, part=item.container
                )
                draft.readings.append(reading)


def _cpu_limit(readings: Sequence[Reading], container: str) -> float:
    """Cores that a container, or a whole pod, may use; 0 when there is no limit for all of it."""
    limits = {r.part: r.value for r in readings if r.name == "limit_cpu"}
    if container and len(limits.keys() - {""}) > 0:
        return _cores(limits.get(container))
    parts = {r.part for r in readings if r.name == "image"}
    return sum(map(_cores, limits.values())) if parts <= limits.keys() else 0.0


def _cores(value: float | str | None) -> float:
    return value if isinstance(value, float) else 0.0


def _later(one: Reading, other: Reading) -> bool:
    return one.at is not None and (other.at is None or one.at > other.at)


def _revision(raw: Raw) -> tuple[float, str]:
    revision = number(raw, "metadata", "annotations", "deployment.kubernetes.io/revision")
    return revision or 0.0, text(raw, "metadata", "creationTimestamp")


def _images(raw: Raw) -> dict[str, str]:
    template = mapping(raw, "spec", "template")
    return {text(c, "name"): text(c, "image") for c in rows(template, "spec", "containers")}
