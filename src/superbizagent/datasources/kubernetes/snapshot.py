"""From collected objects to what the analysis reads: owners, what stands on what, readings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from superbizagent.datasources.kubernetes.events import read_event
from superbizagent.datasources.kubernetes.fields import Raw, at, labels, mapping, number, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.logs import telling_readings
from superbizagent.datasources.kubernetes.owners import Owners, entity_for
from superbizagent.datasources.kubernetes.pods import (
    claims_of,
    configuration_of,
    hosts_in,
    is_ready,
    read_pod,
    settings_of,
)
from superbizagent.datasources.kubernetes.standing import (
    read_claim,
    read_node,
    read_quota,
    read_service,
    ready_addresses,
    selected,
)
from superbizagent.datasources.kubernetes.workloads import read_job, read_replicas
from superbizagent.domain.cluster import ClusterObject, ClusterSnapshot, Reading
from superbizagent.domain.entity import Entity

__all__ = ["snapshot_of"]

_REPLICATED = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
_OTEL = {
    "pod": "k8s.pod.name", "deployment": "k8s.deployment.name", "replicaset": "k8s.replicaset.name",
    "statefulset": "k8s.statefulset.name", "daemonset": "k8s.daemonset.name", "job": "k8s.job.name",
    "cronjob": "k8s.cronjob.name", "node": "k8s.node.name", "namespace": "k8s.namespace.name",
    "resourcequota": "k8s.resourcequota.name",
}  # fmt: skip
_CHANGED = timedelta(hours=24)
"""A rollout that is older is no news."""


def snapshot_of(gathered: Gathered) -> ClusterSnapshot:
    """Return everything that was collected in the form the analysis reads, ordered by path."""
    builder = _Builder(gathered, Owners(gathered))
    builder.build()
    found = sorted(builder.drafts.values(), key=lambda d: d.entity.path)
    return ClusterSnapshot(
        taken_at=gathered.taken_at,
        objects=tuple(draft.object() for draft in found),
        looks=gathered.looks(),
    )


@dataclass(slots=True)
class _Draft:
    """One object while it is put together."""

    entity: Entity
    origin: str = ""
    root: Entity | None = None
    stands_on: dict[str, None] = field(default_factory=dict[str, None])
    readings: list[Reading] = field(default_factory=list[Reading])

    def object(self) -> ClusterObject:
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
class _Builder:
    gathered: Gathered
    owners: Owners
    drafts: dict[str, _Draft] = field(default_factory=dict[str, _Draft])

    def build(self) -> None:
        for raw, origin in self.gathered.of("Pod"):
            self._pod(raw, origin)
        for raw, origin in self.gathered.of(*_REPLICATED):
            self._add(raw, origin, read_replicas(raw))
        for raw, origin in self.gathered.of("Job"):
            self._add(raw, origin, read_job(raw))
        for raw, origin in self.gathered.of("CronJob", "Ingress", "HorizontalPodAutoscaler"):
            self._add(raw, origin, ())
        self._rollouts()
        for raw, origin in self.gathered.of("Node"):
            self._add(raw, origin, read_node(raw))
        classes = None
        if self.gathered.saw("StorageClass"):
            classes = {
                text(raw, "metadata", "name"): raw for raw, _ in self.gathered.of("StorageClass")
            }
        for raw, origin in self.gathered.of("PersistentVolumeClaim"):
            self._add(raw, origin, read_claim(raw, classes))
        for raw, origin in self.gathered.of("ResourceQuota"):
            self._add(raw, origin, read_quota(raw))
        for raw, origin in self.gathered.of("Namespace"):
            self._add(raw, origin, ())
        self._services()
        self._events()
        self._logs()
        self._throttling()
        self._called()

    def _draft(self, entity: Entity, origin: str = "", root: Entity | None = None) -> _Draft:
        draft = self.drafts.setdefault(entity.path, _Draft(entity, origin))
        draft.origin = draft.origin or origin
        draft.root = draft.root or root
        return draft

    def _add(self, raw: Raw, origin: str, readings: Iterable[Reading]) -> _Draft:
        entity = _entity_of(raw)
        root = self.owners.root_of(raw)
        if root != entity:
            self._draft(root)
        draft = self._draft(entity, origin, root)
        draft.readings += readings
        return draft

    # Pods ----------------------------------------------------------------------------------------

    def _pod(self, raw: Raw, origin: str) -> None:
        draft = self._add(raw, origin, read_pod(raw, self.gathered.taken_at))
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
            self._draft(draft.root).stands_on |= draft.stands_on

    def _is_missing(self, kind: str, namespace: str, name: str) -> bool:
        """Tell whether objects of a kind were listed for a namespace and this one is not there.

        Where none of the namespace was seen, the list may not have covered it.
        """
        if kind == "ServiceAccount" and name == "default":
            return False
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
            if len(found) < 2 or path not in self.drafts:
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
                    self.drafts[path].readings.append(changed)

    def _is_recent(self, raw: Raw) -> bool:
        when, now = at(raw, "metadata", "creationTimestamp"), self.gathered.taken_at
        return when is not None and now is not None and now - when < _CHANGED

    # Services ------------------------------------------------------------------------------------

    def _services(self) -> None:
        pods: defaultdict[str, list[Raw]] = defaultdict(list)
        for raw, _ in self.gathered.of("Pod"):
            pods[text(raw, "metadata", "namespace")].append(raw)
        slices: defaultdict[tuple[str, str], list[Raw]] = defaultdict(list)
        for raw, _ in self.gathered.of("EndpointSlice"):
            service = text(raw, "metadata", "labels", "kubernetes.io/service-name")
            slices[text(raw, "metadata", "namespace"), service].append(raw)
        templates = self._templates(pods)
        for raw, origin in self.gathered.of("Service"):
            space, name = text(raw, "metadata", "namespace"), text(raw, "metadata", "name")
            chosen = selected(raw, pods[space])
            ready = ready_addresses(
                self.gathered.get("Endpoints", space, name), slices[space, name]
            )
            # Of a pod that stands in a table alone it is not known which labels it carries.
            labelled = bool(pods[space]) and all(_labels_of(pod) for pod in pods[space])
            if ready is None and labelled:
                ready = sum(is_ready(pod) for pod in chosen)
            made = templates[space] if labelled else []
            draft = self._add(raw, origin, read_service(raw, chosen, made, ready))
            roots = dict.fromkeys(self.owners.root_of(pod).path for pod in chosen)
            draft.stands_on |= roots or dict.fromkeys(self._chosen_workloads(raw))

    def _templates(self, pods: dict[str, list[Raw]]) -> defaultdict[str, list[dict[str, str]]]:
        """Labels of the pods that exist or would be made, by namespace, each once."""
        found: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
        for raw, _ in self.gathered.of("Deployment", "StatefulSet", "DaemonSet"):
            own = labels(raw, "spec", "template", "metadata", "labels")
            found[text(raw, "metadata", "namespace")].append(own)
        for space, items in pods.items():
            found[space] += [labels(pod, "metadata", "labels") for pod in items]
        for space, items in found.items():
            found[space] = [
                dict(pairs) for pairs in dict.fromkeys(tuple(sorted(i.items())) for i in items)
            ]
        return found

    def _chosen_workloads(self, service: Raw) -> Iterator[str]:
        """Paths of workloads whose pods a service would select if there were any."""
        wanted = labels(service, "spec", "selector")
        space = text(service, "metadata", "namespace")
        for raw, _ in self.gathered.of("Deployment", "StatefulSet", "DaemonSet"):
            own = labels(raw, "spec", "template", "metadata", "labels")
            if (
                wanted
                and text(raw, "metadata", "namespace") == space
                and wanted.items() <= own.items()
            ):
                yield _entity_of(raw).path

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
            if not self._place_for(happened.kind, entity):
                continue
            key = (entity.path, happened.reading.name, happened.reading.quote)
            known = latest.get(key)
            if known is None or _later(happened.reading, known):
                latest[key] = happened.reading
        for (path, _, _), reading in sorted(latest.items(), key=lambda item: item[0]):
            self.drafts[path].readings.append(reading)

    def _place_for(self, kind: str, entity: Entity) -> bool:
        """Make room for events of an object; those of one that is gone are about the past."""
        if entity.path in self.drafts:
            return True
        if self.gathered.saw(kind) and self.gathered.has_whole(kind):
            return False
        root = self.owners.guessed(entity.name, entity.namespace) if kind == "Pod" else None
        if root is not None:
            self._draft(root)
        self._draft(entity, "events", root)
        return True

    def _logs(self) -> None:
        for tail in self.gathered.logs:
            entity = entity_for("Pod", tail.namespace, tail.pod)
            if self._place_for("Pod", entity):
                self.drafts[entity.path].readings += telling_readings(tail)

    def _throttling(self) -> None:
        for item in self.gathered.throttling:
            draft = self.drafts.get(entity_for("Pod", item.namespace, item.pod).path)
            if draft is not None and item.ratio > 0:
                value = round(item.ratio, 3)
                reading = Reading(name="throttled", value=value, unit="ratio", part=item.container)
                draft.readings.append(reading)

        for item in self.gathered.usage:
            draft = self.drafts.get(entity_for("Pod", item.namespace, item.pod).path)
            if draft is not None and (limit := _cpu_limit(draft.readings, item.container)):
                value = round(item.cores / limit, 3)
                quote = f"{item.cores:g} of {limit:g}"
                reading = Reading(
                    name="cpu_of_limit", value=value, unit="ratio", quote=quote, part=item.container
                )
                draft.readings.append(reading)

    def _called(self) -> None:
        """Say which services a workload calls: its settings name them, or its log complains."""
        known: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for raw, _ in self.gathered.of("Service"):
            entity = _entity_of(raw)
            known[entity.namespace][entity.name] = entity.path
            known[entity.namespace][text(raw, "spec", "clusterIP")] = entity.path
        said: defaultdict[str, list[str]] = defaultdict(list)
        for raw, _ in self.gathered.of("Pod"):
            said[_entity_of(raw).path] += settings_of(raw)
        for tail in self.gathered.logs:
            said[entity_for("Pod", tail.namespace, tail.pod).path] += tail.lines
        for path, texts in said.items():
            draft = self.drafts.get(path)
            names = known[draft.entity.namespace] if draft is not None else {}
            if draft is None or not names:
                continue
            hosts = {host for written in texts for host in hosts_in(written)}
            called = dict.fromkeys(names[host] for host in sorted(hosts & names.keys()))
            whole = self._draft(draft.root) if draft.root is not None else draft
            for path_called in called:
                # A service of its own is not what a workload stands on.
                if whole.entity.path not in self.drafts[path_called].stands_on:
                    draft.stands_on[path_called] = None
                    whole.stands_on[path_called] = None


def _entity_of(raw: Raw) -> Entity:
    meta = ("metadata", "namespace"), ("metadata", "name")
    return entity_for(text(raw, "kind"), text(raw, *meta[0]), text(raw, *meta[1]))


def _cpu_limit(readings: Sequence[Reading], container: str) -> float:
    """Cores that a container, or a whole pod, may use; 0 when there is no limit for all of it."""
    limits = {r.part: r.value for r in readings if r.name == "limit_cpu"}
    if container:
        return _cores(limits.get(container))
    parts = {r.part for r in readings if r.name == "image"}
    return sum(map(_cores, limits.values())) if parts <= limits.keys() else 0.0


def _cores(value: float | str | None) -> float:
    return value if isinstance(value, float) else 0.0


def _labels_of(pod: Raw) -> dict[str, str]:
    return labels(pod, "metadata", "labels")


def _later(one: Reading, other: Reading) -> bool:
    return one.at is not None and (other.at is None or one.at > other.at)


def _revision(raw: Raw) -> tuple[float, str]:
    revision = number(raw, "metadata", "annotations", "deployment.kubernetes.io/revision")
    return revision or 0.0, text(raw, "metadata", "creationTimestamp")


def _images(raw: Raw) -> dict[str, str]:
    template = mapping(raw, "spec", "template")
    return {text(c, "name"): text(c, "image") for c in rows(template, "spec", "containers")}
