"""A small invented cluster: nodes, workloads, services, events and logs at one moment."""

from __future__ import annotations

import random
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.kubernetes import objects
from benchmarks.kubernetes.objects import Json, meta, stamp

# The letters that Kubernetes uses for generated names.
LETTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(frozen=True)
class Setting:
    """What is the same for all of a cluster's objects."""

    seed: int
    captured_at: datetime
    version: str = "v1.29.4"
    nodes: tuple[str, ...] = ("worker-1", "worker-2", "worker-3")
    runtime: str = "containerd://1.7.13"
    os_image: str = "Ubuntu 22.04.4 LTS"
    kernel: str = "5.15.0-105-generic"
    node_cpu: str = "4"
    node_memory: str = "16393236Ki"
    pod_net: str = "10.244"


@dataclass
class Workload:
    """A controller, its replica sets (for a deployment) and its pods."""

    top: Json
    pods: list[Json]
    sets: list[Json] = field(default_factory=list[Json])


class Cluster:
    """Collects objects, events and logs; every random choice comes from the seed."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.rng = random.Random(setting.seed)  # noqa: S311 - names, no secrets
        self.items: list[Json] = []
        self.events: list[Json] = []
        self.logs: dict[tuple[str, str, str, bool], str] = {}
        self._version = 40_000_000 + self.rng.randrange(90_000_000)
        self._pods_on: dict[str, int] = {}
        for index, name in enumerate(setting.nodes):
            self._node(name, index)

    @property
    def minor(self) -> int:
        """The minor version of the cluster, as 29 of v1.29.4."""
        return int(self.setting.version.split(".")[1])

    def ago(self, age: str) -> datetime:
        """Return the time that lies `age` (such as `5m20s`) before the capture."""
        return self.setting.captured_at - timedelta(seconds=objects.seconds(age))

    def at(self, age: str) -> str:
        """Return `ago` as the API writes it."""
        return stamp(self.ago(age))

    def jitter(self, age: str, spread: int = 40) -> str:
        """Return an age near another one, in seconds."""
        return f"{max(1, objects.seconds(age) + self.rng.randrange(spread))}s"

    def younger(self, age: str) -> str:
        """Return an age a little below one of hours or days; a recent one stays as it is."""
        if objects.seconds(age) < EVENTS_KEPT_SECONDS:
            return age
        return f"{objects.seconds(age) - self.rng.randrange(40)}s"

    def suffix(self, length: int = 5) -> str:
        """Return letters as Kubernetes appends them to generated names."""
        return "".join(self.rng.choice(LETTERS) for _ in range(length))

    def uid(self) -> str:
        """Return an object's unique id."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def add(self, kind: str, name: str, age: str, **parts: Any) -> Json:
        """Add an object; `namespace`, `labels`, `annotations`, `owner`, and body parts by name."""
        if kind not in _EXACT and objects.seconds(age) > objects.seconds("1d"):
            age = self.jitter(age, 3500)
        about: Json = {
            "creationTimestamp": self.at(age),
            "name": name,
            "resourceVersion": str(self._next()),
            "uid": self.uid(),
        }
        for key in ("namespace", "labels", "annotations", "generation", "generateName"):
            if parts.get(key):
                about[key] = parts.pop(key)
            else:
                parts.pop(key, None)
        if owner := parts.pop("owner", None):
            about["ownerReferences"] = [
                {
                    "apiVersion": owner["apiVersion"],
                    "blockOwnerDeletion": True,
                    "controller": True,
                    "kind": owner["kind"],
                    "name": meta(owner)["name"],
                    "uid": meta(owner)["uid"],
                }
            ]
        item = {"apiVersion": API[kind], "kind": kind, "metadata": about, **parts}
        self.items.append(item)
        return item

    def _next(self) -> int:
        self._version += self.rng.randrange(3, 900)
        return self._version

    def of(self, kind: str, namespace: str | None = None) -> list[Json]:
        """Return the objects of a kind, optionally of one namespace."""
        return [
            item
            for item in self.items
            if item["kind"] == kind
            and (namespace is None or meta(item).get("namespace") == namespace)
        ]

    def get(self, kind: str, name: str) -> Json:
        """Return the object of that kind and name."""
        return next(item for item in self.of(kind) if meta(item)["name"] == name)

    def namespaces(self) -> list[str]:
        """Return the namespaces in use, sorted."""
        return sorted({meta(i)["namespace"] for i in self.items if "namespace" in meta(i)})

    def pod_ip(self, node: str) -> str:
        """Return the next free address of a node's range."""
        self._pods_on[node] = self._pods_on.get(node, 1) + self.rng.randrange(1, 9)
        index = self.setting.nodes.index(node)
        return f"{self.setting.pod_net}.{index}.{self._pods_on[node]}"

    def node_ip(self, node: str) -> str:
        """Return a node's address; some clouds name the node after it."""
        if found := re.match(r"ip-(\d+)-(\d+)-(\d+)-(\d+)\.", node):
            return ".".join(found.groups())
        return f"10.20.{self.setting.seed % 200}.{11 + self.setting.nodes.index(node)}"

    def _node(self, name: str, index: int) -> None:
        setting = self.setting
        allocatable = {
            "cpu": f"{int(setting.node_cpu) * 1000 - 80}m",
            "ephemeral-storage": "95551679124",
            "memory": f"{int(setting.node_memory[:-2]) - 1_048_576}Ki",
            "pods": "110",
        }
        capacity = {
            "cpu": setting.node_cpu,
            "ephemeral-storage": "101430960Ki",
            "memory": setting.node_memory,
            "pods": "110",
        }
        age = f"{70 + self.rng.randrange(60)}d"
        self.add(
            "Node",
            name,
            age,
            labels={
                "beta.kubernetes.io/arch": "amd64",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": f"zone-{'abc'[index % 3]}",
            },
            annotations={"node.alpha.kubernetes.io/ttl": "0"},
            spec={"podCIDR": f"{setting.pod_net}.{index}.0/24"},
            status={
                "addresses": [
                    {"address": self.node_ip(name), "type": "InternalIP"},
                    {"address": name, "type": "Hostname"},
                ],
                "allocatable": allocatable,
                "capacity": capacity,
                "conditions": [self.node_condition(*row, since=age) for row in HEALTHY_NODE],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
                "nodeInfo": {
                    "architecture": "amd64",
                    "containerRuntimeVersion": setting.runtime,
                    "kernelVersion": setting.kernel,
                    "kubeProxyVersion": setting.version,
                    "kubeletVersion": setting.version,
                    "operatingSystem": "linux",
                    "osImage": setting.os_image,
                },
            },
        )

    def node_condition(self, kind: str, status: str, reason: str, message: str, **at: str) -> Json:
        """Return a node's condition; `since` and `beat` are ages."""
        return {
            "lastHeartbeatTime": self.at(at.get("beat", f"{10 + self.rng.randrange(200)}s")),
            "lastTransitionTime": self.at(at["since"]),
            "message": message,
            "reason": reason,
            "status": status,
            "type": kind,
        }

    def event(self, item: Json, reason: str, message: str, **how: Any) -> Json:
        """Add an event about an object.

        `warning` (False), `first` and `last` (ages), `count`, `by` (kubelet, or a controller),
        `path` (the container's name). The scheduler writes the newer kind of event, with
        `eventTime` and no first and last time.
        """
        about = meta(item)
        first, last = how.get("first", how["last"]), how["last"]
        by, count = how.get("by", "kubelet"), how.get("count", 1)
        namespace = about.get("namespace", "default")
        host = about["name"] if item["kind"] == "Node" else item.get("spec", {}).get("nodeName")
        event: Json = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "creationTimestamp": self.at(first),
                "name": f"{about['name']}.{self._nanoseconds(first):x}",
                "namespace": namespace,
                "resourceVersion": str(self._next()),
                "uid": self.uid(),
            },
            "involvedObject": _involved(item, how.get("path", "")),
            "message": message,
            "reason": reason,
            "type": "Warning" if how.get("warning") else "Normal",
            "reportingComponent": by if self.minor >= 27 or by == "default-scheduler" else "",
            "reportingInstance": "",
        }
        if by == "default-scheduler":
            event |= self._scheduling(first, last, count)
        else:
            event |= {
                "count": count,
                "eventTime": None,
                "firstTimestamp": self.at(first),
                "lastTimestamp": self.at(last),
                "source": {"component": by, **({"host": host} if by == "kubelet" else {})},
            }
        if objects.seconds(last) < EVENTS_KEPT_SECONDS:
            self.events.append(event)
        return event

    def _nanoseconds(self, age: str) -> int:
        """Return a time as an event's name holds it."""
        return int(self.ago(age).timestamp()) * 10**9 + self.rng.randrange(10**9)

    def _scheduling(self, first: str, last: str, count: int) -> Json:
        began = self.ago(first) + timedelta(microseconds=self.rng.randrange(1_000_000))
        found: Json = {
            "action": "Scheduling" if first != last else "Binding",
            "eventTime": objects.micro(began),
            "firstTimestamp": None,
            "lastTimestamp": None,
            "reportingInstance": "default-scheduler-control-plane-1",
            "source": {},
        }
        if count > 1:
            seen = objects.micro(self.ago(last))
            found["series"] = {"count": count, "lastObservedTime": seen}
        return found

    def log(self, pod: Json, text: str, box: str = "", *, previous: bool = False) -> None:
        """Keep what a container wrote; `previous` is that of the run before."""
        about = meta(pod)
        name = box or pod["spec"]["containers"][0]["name"]
        self.logs[about["namespace"], about["name"], name, previous] = text.rstrip("\n") + "\n"


def _involved(item: Json, path: str) -> Json:
    """Return an event's reference to its object, and to the container `path` in it."""
    about = item["metadata"]
    involved: Json = {
        "apiVersion": item["apiVersion"],
        "kind": item["kind"],
        "name": about["name"],
        "resourceVersion": about["resourceVersion"],
        "uid": about["name"] if item["kind"] == "Node" else about["uid"],
    }
    if "namespace" in about:
        involved["namespace"] = about["namespace"]
    if path:
        involved["fieldPath"] = f"spec.containers{{{path}}}"
    return involved


HEALTHY_NODE = (
    (
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)

# Objects whose age other objects must agree with to the second.
_EXACT = frozenset(("Pod", "ReplicaSet", "Job"))
# An API server forgets an event an hour after it was last seen.
EVENTS_KEPT_SECONDS = 3500

API = {
    "Node": "v1", "Pod": "v1", "Service": "v1", "Endpoints": "v1", "ConfigMap": "v1",
    "PersistentVolumeClaim": "v1", "PersistentVolume": "v1", "ResourceQuota": "v1",
    "ServiceAccount": "v1", "Namespace": "v1", "LimitRange": "v1",
    "Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1",
    "StorageClass": "storage.k8s.io/v1", "VolumeAttachment": "storage.k8s.io/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2", "EndpointSlice": "discovery.k8s.io/v1",
    "PodDisruptionBudget": "policy/v1", "Lease": "coordination.k8s.io/v1",
}  # fmt: skip


def at_time(text: str) -> datetime:
    """Read a case's capture time."""
    return datetime.fromisoformat(text).astimezone(UTC)
