"""What the sixth set of saved clusters brought: its registry, old things that look bad, a node."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, workloads
from benchmarks.kubernetes.objects import Json, key_ref, meta
from benchmarks.kubernetes.third_parts import warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster, Workload

IMAGES = "registry.gitlab.example.com/tideline"
STYLE: Json = {"label": "app", "registry": IMAGES}


def named(name: str) -> Json:
    """Return the labels of a workload."""
    return {"app": name, "team": "product"}


def forgotten_trial(c: Cluster, namespace: str, name: str, age: str) -> Workload:
    """Add a trial that has waited for a secret for weeks; nobody misses it."""
    work = workloads.deployment(
        c, namespace, name, f"{IMAGES}/labs/{name}:0.0.3", age=age, pods_age=age, revision=1, labels={"app": name, "team": "labs"},
        env={"TOKEN": key_ref("secret", f"{name}-token", "token")},
    )  # fmt: skip
    what = f'secret "{name}-token" not found'
    faults.config_error(c, work.pods[0], what, age, count=91244)
    return work


def repeated(c: Cluster, pod: Json, since: str, last: str, count: int) -> None:
    """Add the events of a container that was started again and again."""
    box = pod["spec"]["containers"][0]
    how: Json = {"first": since, "last": last, "count": count, "path": box["name"]}
    present = f'Container image "{box["image"]}" already present on machine'
    c.event(pod, "Pulled", present, **how)
    c.event(pod, "Created", faults.created(c, box["name"]), **how)
    c.event(pod, "Started", f"Started container {box['name']}", **how)


def runtime_down(c: Cluster, name: str, since: str) -> Json:
    """Make a node one whose kubelet reports that it cannot reach the container runtime."""
    node = c.get("Node", name)
    told = "[container runtime is down, PLEG is not healthy: pleg was last seen active 24m51.318s ago; threshold is 3m0s]"
    for row in node["status"]["conditions"]:
        if row["type"] == "Ready":
            row |= {"status": "False", "reason": "KubeletNotReady", "message": told, "lastTransitionTime": c.at(since)}  # fmt: skip
    node["spec"]["taints"] = [
        {"effect": effect, "key": "node.kubernetes.io/not-ready", "timeAdded": c.at(since)}
        for effect in ("NoSchedule", "NoExecute")
    ]
    c.event(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady", last=since)
    why = 'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"'
    warn(c, node, "ContainerGCFailed", why, since, "31s", count=24)
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") == name and pod["status"]["phase"] == "Running":
            for row in pod["status"]["conditions"]:
                if row["type"] == "Ready":
                    row |= {"status": "False", "lastTransitionTime": c.at(since)}
            warn(c, pod, "NodeNotReady", "Node is not ready", since, by="node-controller")
    return node


def worn(c: Cluster, pod: Json, owned: Json, ago: str) -> None:
    """Let a running pod be young, because the one before it was evicted `ago`."""
    faults.reborn(c, pod, ago, c.setting.nodes[0])
    told = f"Created pod: {meta(pod)['name']}"
    c.event(owned, "SuccessfulCreate", told, last=ago, by="replicaset-controller")


def spread(c: Cluster, pods: list[Json]) -> None:
    """Put pods on the nodes in turn."""
    for index, pod in enumerate(pods):
        name = c.setting.nodes[index % len(c.setting.nodes)]
        ip = c.pod_ip(name)
        pod["spec"]["nodeName"] = name
        pod["status"] |= {"hostIP": c.node_ip(name), "podIP": ip, "podIPs": [{"ip": ip}]}
