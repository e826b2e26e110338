"""Collects what a diagnosis needs from a live cluster, kind by kind, within a time.

What the server refuses, or does not answer in time, is a look that failed; the rest goes on.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from superbizagent.datasources._http.failures import http_status, status_of
from superbizagent.datasources.kubernetes.api import KubernetesClient, Resource
from superbizagent.datasources.kubernetes.fields import Raw, mapping, number, rows, text
from superbizagent.datasources.kubernetes.gathered import Form, Gathered, LogTail
from superbizagent.datasources.kubernetes.logs import telling_lines
from superbizagent.domain.cluster import LookStatus
from superbizagent.domain.source import EvidenceStatus
from superbizagent.errors import DataSourceError

__all__ = ["Collector"]

_RESOURCES = (
    Resource("Pod", "pods"),
    Resource("Event", "events", "events.k8s.io/v1"),
    Resource("Node", "nodes", namespaced=False),
    Resource("Deployment", "deployments", "apps/v1"),
    Resource("ReplicaSet", "replicasets", "apps/v1"),
    Resource("StatefulSet", "statefulsets", "apps/v1"),
    Resource("DaemonSet", "daemonsets", "apps/v1"),
    Resource("Job", "jobs", "batch/v1"),
    Resource("CronJob", "cronjobs", "batch/v1"),
    Resource("Service", "services"),
    Resource("EndpointSlice", "endpointslices", "discovery.k8s.io/v1"),
    Resource("PersistentVolumeClaim", "persistentvolumeclaims"),
    Resource("ResourceQuota", "resourcequotas"),
    Resource("LimitRange", "limitranges"),
    Resource("Namespace", "namespaces", namespaced=False),
    Resource("StorageClass", "storageclasses", "storage.k8s.io/v1", namespaced=False),
    Resource("ServiceAccount", "serviceaccounts", names_only=True),
    Resource("ConfigMap", "configmaps", names_only=True),
    Resource("Secret", "secrets", names_only=True),
)
"""What is listed, the most telling first: a short time still gives these."""
_CORE_EVENTS = Resource("Event", "events")
_NOT_THERE = 404
_DENIED = 403
_LOGS = 10
"""Containers whose log is read: a report quotes three."""
_LOG_LINES = 60
_STATUSES: dict[EvidenceStatus, LookStatus] = {
    EvidenceStatus.DENIED: "denied",
    EvidenceStatus.TIMEOUT: "timeout",
    EvidenceStatus.ERROR: "error",
}


@dataclass(slots=True)
class Collector:
    """Reads one cluster once.

    Args:
        client: of its API, open.
        namespaces: to look at; empty: all.
        fallback: namespaces to look at where the whole cluster may not be listed.
        seconds: for everything.
    """

    client: KubernetesClient
    namespaces: Sequence[str] = ()
    fallback: Sequence[str] = ()
    seconds: float = 25.0
    gathered: Gathered = field(default_factory=Gathered)
    _open: set[str] = field(default_factory=set[str])

    async def collect(self) -> Gathered:
        """Return everything that could be read in time.

        Raises:
            DataSourceError: when not even pods could be listed for a reason that stands for all.
        """
        self._open = {r.plural for r in _RESOURCES}
        try:
            async with asyncio.timeout(self.seconds):
                async with asyncio.TaskGroup() as group:
                    for resource in _RESOURCES:
                        group.create_task(self._list(resource))
                await self._logs()
        except TimeoutError:
            note = f"not read within {self.seconds:g} s"
            for plural in sorted(self._open):
                self.gathered.looked(plural, "timeout", note)
        return self.gathered

    async def _list(self, resource: Resource) -> None:
        spaces = list(self.namespaces) if resource.namespaced else []
        for namespace in spaces or [""]:
            await self._list_in(resource, namespace)
        self._open.discard(resource.plural)

    async def _list_in(self, resource: Resource, namespace: str) -> None:
        try:
            found = await self.client.list_all(resource, namespace)
        except DataSourceError as error:
            if http_status(error) == _NOT_THERE and resource.plural == "events":
                if resource is not _CORE_EVENTS:
                    await self._list_in(_CORE_EVENTS, namespace)
                return
            if http_status(error) == _DENIED and not namespace and resource.namespaced:
                for space in self.fallback:
                    await self._list_in(resource, space)
                if self.fallback:
                    return
            status = _STATUSES.get(status_of(error), "error")
            self.gathered.looked(resource.plural, status, str(error))
            return
        self.gathered.looked(resource.plural, "ok" if found.items else "empty")
        for item in found.items:
            self.gathered.add(item, Form.WHOLE, self.client.address)
        if found.cut:
            self.gathered.note(f"only the first {len(found.items)} {resource.plural} were read")

    # Logs ----------------------------------------------------------------------------------------

    async def _logs(self) -> None:
        """Read why containers that keep ending, or never get ready, say that they do."""
        wanted = [
            (raw, text(status, "name"), ended)
            for raw, _ in self.gathered.of("Pod")
            for status in rows(raw, "status", "containerStatuses")
            if (ended := _needs_log(status)) is not None
        ]
        for raw, container, ended in wanted[:_LOGS]:
            namespace, name = text(raw, "metadata", "namespace"), text(raw, "metadata", "name")
            for previous in (True, False) if ended else (False,):
                if await self._log(namespace, name, container, previous=previous):
                    break

    async def _log(self, namespace: str, pod: str, container: str, *, previous: bool) -> bool:
        try:
            lines = await self.client.log(
                namespace, pod, container, previous=previous, lines=_LOG_LINES
            )
        except DataSourceError as error:
            status = status_of(error)
            if status is not EvidenceStatus.ERROR:
                self.gathered.looked("logs", _STATUSES[status], str(error))
            return False
        self.gathered.looked("logs", "empty")
        kept = telling_lines(lines)
        if kept:
            self.gathered.logs.append(LogTail(namespace, pod, container, previous, kept))
        return bool(kept)


def _needs_log(status: Raw) -> bool | None:
    """Return whether a container has ended before, None when its log tells nothing."""
    if text(status, "state", "waiting", "reason") in {"ContainerCreating", "PodInitializing"}:
        return None
    ended = (number(status, "restartCount") or 0) > 0 or bool(
        mapping(status, "state", "terminated")
    )
    if text(status, "ready") == "true" or (not ended and not mapping(status, "state", "running")):
        return None
    return ended
