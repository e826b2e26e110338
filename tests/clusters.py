"""Small clusters for tests: healthy ones, and ones with a single fault, as the API has them."""

from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["NOW", "Cluster", "ago", "event", "node", "pod", "service", "workload"]

Raw = dict[str, Any]

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def ago(minutes: float) -> str:
    """Return the time some minutes before `NOW` as the API writes it."""
    return (NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def pod(
    name: str,
    *,
    app: str,
    namespace: str = "shop",
    node: str = "node-1",
    ready: bool = True,
    phase: str = "Running",
    state: Raw | None = None,
    last: Raw | None = None,
    restarts: int = 0,
    **spec: Any,
) -> Raw:
    """Return a pod of one container ``app``, made by the replica set ``<app>-6d5f8b9c7d``."""
    unready = {"reason": "ContainersNotReady", "message": "containers with unready status: [app]"}
    ready_condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": ago(20)}
    conditions = [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(60)},
        ready_condition if ready else ready_condition | unready,
    ]
    container = _container(app) | spec.pop("container", {})
    status: Raw = {
        "phase": phase,
        "conditions": conditions,
        "containerStatuses": [
            {
                "name": "app",
                "ready": ready,
                "restartCount": restarts,
                "state": state if state is not None else {"running": {"startedAt": ago(60)}},
                "lastState": {"terminated": last} if last else {},
            }
        ],
    }
    owner = {"kind": "ReplicaSet", "name": f"{app}-6d5f8b9c7d", "controller": True}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": name,
            "creationTimestamp": ago(60),
            "labels": {"app": app, "pod-template-hash": "6d5f8b9c7d"},
            "ownerReferences": [owner],
        },
        "spec": {"nodeName": node, "containers": [container], **spec},
        "status": status,
    }


def _container(app: str) -> Raw:
    return {
        "name": "app",
        "image": f"registry.example.com/{app}:1.4.0",
        "ports": [{"name": "http", "containerPort": 8080}],
        "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "256Mi"}},
    }


def workload(app: str, *, namespace: str = "shop", wanted: int = 1, ready: int = 1) -> list[Raw]:
    """Return the deployment of an app and its replica set."""
    labels = {"app": app}
    template: Raw = {"metadata": {"labels": labels}, "spec": {"containers": []}}
    deployment: Raw = {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {"name": app, "namespace": namespace, "uid": f"d-{app}", "generation": 3},
        "spec": {"replicas": wanted, "selector": {"matchLabels": labels}, "template": template},
        "status": {"readyReplicas": ready, "observedGeneration": 3},
    }
    owner = {"kind": "Deployment", "name": app, "controller": True}
    replica_set: Raw = {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": {
            "name": f"{app}-6d5f8b9c7d",
            "namespace": namespace,
            "uid": f"r-{app}",
            "creationTimestamp": ago(600),
            "ownerReferences": [owner],
        },
        "spec": {"replicas": wanted, "template": template},
        "status": {"readyReplicas": ready},
    }
    return [deployment, replica_set]


def event(
    kind: str,
    name: str,
    reason: str,
    message: str,
    *,
    namespace: str = "shop",
    minutes: float = 2,
    warning: bool = True,
    core: bool = True,
) -> Raw:
    """Return an event of the core group, or of ``events.k8s.io``."""
    kind_of = "Warning" if warning else "Normal"
    about = {"kind": kind, "namespace": namespace, "name": name}
    metadata = {"name": f"{name}.{reason}.{len(message)}", "namespace": namespace}
    base: Raw = {"kind": "Event", "metadata": metadata, "reason": reason, "type": kind_of}
    if core:
        more: Raw = {
            "involvedObject": about, "message": message, "count": 7,
            "firstTimestamp": ago(minutes + 10), "lastTimestamp": ago(minutes),
        }  # fmt: skip
    else:
        series = {"count": 7, "lastObservedTime": ago(minutes)}
        more = {
            "regarding": about, "note": message, "eventTime": ago(minutes + 10), "series": series
        }  # fmt: skip
    return base | more


def service(
    app: str, *, namespace: str = "shop", selector: Raw | None = None, port: Any = "http"
) -> Raw:
    """Return the service of an app."""
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": {"name": app, "namespace": namespace, "uid": f"s-{app}"},
        "spec": {
            "type": "ClusterIP",
            "selector": selector if selector is not None else {"app": app},
            "ports": [{"port": 80, "targetPort": port}],
        },
    }


def node(name: str, *, ready: str = "True", **conditions: str) -> Raw:
    """Return a node; further conditions by name, such as ``DiskPressure="True"``."""
    well = ready == "True"
    message = "kubelet is posting ready status" if well else "Kubelet stopped posting node status."
    first = {"type": "Ready", "status": ready, "lastTransitionTime": ago(25), "message": message}
    rows = [first | {"lastHeartbeatTime": ago(0)}]
    rows += [
        {"type": k, "status": v, "lastTransitionTime": ago(25), "message": f"{k} is {v}"}
        for k, v in conditions.items()
    ]
    return {
        "kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "uid": name},
        "spec": {}, "status": {"conditions": rows, "allocatable": {"cpu": "4", "memory": "8Gi"}},
    }  # fmt: skip


class Cluster:
    """A shop of two services that run, to which a test adds what is wrong."""

    def __init__(self) -> None:
        self.objects: list[Raw] = [node("node-1"), node("node-2")]
        for app in ("front", "orders"):
            self.objects += [*workload(app), service(app), pod(f"{app}-6d5f8b9c7d-aaaaa", app=app)]

    def with_(self, *more: Raw) -> "Cluster":
        """Add objects; one of the same kind and name takes the other's place."""
        for new in more:
            key = new["kind"], new["metadata"]["name"], new["metadata"].get("namespace")
            self.objects = [
                o
                for o in self.objects
                if (o["kind"], o["metadata"]["name"], o["metadata"].get("namespace")) != key
            ]
            self.objects.append(new)
        return self

    @property
    def listed(self) -> Raw:
        """All objects as ``kubectl get -o json`` prints them."""
        return {"apiVersion": "v1", "kind": "List", "items": self.objects}
