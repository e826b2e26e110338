"""Workloads, nodes, services and what they stand on, as ``kubectl describe`` tells of them."""

import re
from collections.abc import Callable

from superbizagent.datasources.kubernetes.described_pods import container_of, pod_of
from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.outline import Node, moment, pairs, table

__all__ = ["FILLS"]

_COUNTS = re.compile(r"(\d+) (desired|updated|total|available|unavailable)")


def _replicas(tree: Node) -> Raw:
    counts = {word: n for n, word in _COUNTS.findall(tree.text("Replicas"))}
    running = re.match(r"(\d+) Running", tree.text("Pods Status"))
    ready = counts.get("available") or (running[1] if running else "")
    conditions = [
        {
            "type": row.get("Type", ""),
            "status": row.get("Status", ""),
            "reason": row.get("Reason", ""),
        }
        for row in table(tree.child("Conditions").lines)
    ]
    wanted = counts.get("desired") or tree.text("Replicas").rpartition("/")[2].strip().split(" ")[0]
    if not counts and running is None:  # the lines that count pods are lost
        return {"spec": {"template": _template(tree)}}
    return {
        "spec": {"replicas": wanted, "template": _template(tree)},
        "status": {"readyReplicas": ready or "0", "conditions": conditions},
    }


def _daemons(tree: Node) -> Raw:
    running = re.match(r"(\d+) Running", tree.text("Pods Status"))
    return {
        "spec": {"template": _template(tree)},
        "status": {
            "desiredNumberScheduled": tree.text("Desired Number of Nodes Scheduled"),
            "numberReady": tree.text("Number of Nodes Scheduled with Available Pods")
            or (running[1] if running else "0"),
        },
    }


def _service(tree: Node) -> Raw:
    targets = [c.value.partition("/")[0] for c in tree.children if c.key == "TargetPort"]
    return {
        "spec": {
            "type": tree.text("Type"),
            "clusterIP": tree.text("IP"),
            "selector": pairs(tree.child("Selector")),
            "ports": [{"targetPort": target} for target in targets],
        }
    }


def _job(tree: Node) -> Raw:
    written = tree.text("Pods Statuses") or tree.text("Pods Status")
    counts = {word.lower(): n for n, word in re.findall(r"(\d+) (\w+)", written)}
    if not counts:
        return {"spec": {"suspend": tree.text("Suspend"), "template": _template(tree)}}
    return {
        "spec": {"suspend": tree.text("Suspend"), "template": _template(tree)},
        "status": {
            "startTime": moment(tree.text("Start Time")),
            "active": counts.get("active") or counts.get("running") or "0",
            "succeeded": counts.get("succeeded", "0"),
            "failed": counts.get("failed", "0"),
        },
    }


def _slice(tree: Node) -> Raw:
    endpoints = [
        {
            "addresses": [a.strip() for a in node.text("Addresses").split(",")],
            "conditions": {"ready": node.text("Conditions", "Ready") or "true"},
        }
        for node in _each(tree.child("Endpoints"), "Addresses")
    ]
    return {"endpoints": endpoints}


def _each(parent: Node, key: str) -> list[Node]:
    """Cut what is indented below a node into one node for each time that a key comes."""
    found: list[Node] = []
    for child in parent.children:
        if child.key.lstrip("- ") == key:
            found.append(Node(""))
        if found:
            found[-1].children.append(Node(child.key.lstrip("- "), child.value, child.children))
    return found


def _endpoints(tree: Node) -> Raw:
    subsets = [
        {"addresses": [{"ip": ip.strip()} for ip in node.text("Addresses").split(",") if ip]}
        for node in _each(tree.child("Subsets"), "Addresses")
    ]
    return {"subsets": subsets}


def _template(tree: Node) -> Raw:
    """The pods that an object makes."""
    own = tree.child("Pod Template")
    return {
        "metadata": {"labels": pairs(own.child("Labels"))},
        "spec": {"containers": [container_of(c) for c in own.child("Containers").children]},
    }


def _node(tree: Node) -> Raw:
    conditions = [
        {
            "type": row.get("Type", ""),
            "status": row.get("Status", ""),
            "reason": row.get("Reason", ""),
            "message": row.get("Message", ""),
            "lastTransitionTime": moment(row.get("LastTransitionTime", "")),
        }
        for row in table(tree.child("Conditions").lines)
    ]
    taints = [tree.text("Taints"), *tree.child("Taints").lines]
    split = [re.match(r"\s*([^=:\s]+)(?:=([^:]*))?:(\S+)", t) for t in taints]
    return {
        "spec": {
            "unschedulable": tree.text("Unschedulable"),
            "taints": [{"key": m[1], "value": m[2] or "", "effect": m[3]} for m in split if m],
        },
        "status": {
            "conditions": conditions,
            "allocatable": {c.key: c.value for c in tree.child("Allocatable").children},
        },
    }


def _claim(tree: Node) -> Raw:
    return {
        "spec": {"storageClassName": tree.text("StorageClass")},
        "status": {"phase": tree.text("Status")},
    }


def _quota(tree: Node) -> Raw:
    lines = [line for line in tree.lines if line.strip()]
    start = next((n for n, line in enumerate(lines) if line.startswith("Resource  ")), len(lines))
    rows = list(table(lines[start:]))
    return {
        "status": {
            "used": {r["Resource"]: r.get("Used", "") for r in rows},
            "hard": {r["Resource"]: r.get("Hard", "") for r in rows},
        }
    }


FILLS: dict[str, Callable[[Node], Raw]] = {
    "Pod": pod_of,
    "Deployment": _replicas,
    "StatefulSet": _replicas,
    "ReplicaSet": _replicas,
    "DaemonSet": _daemons,
    "Job": _job,
    "Service": _service,
    "Node": _node,
    "PersistentVolumeClaim": _claim,
    "ResourceQuota": _quota,
    "EndpointSlice": _slice,
    "Endpoints": _endpoints,
}
"""By kind, what its description holds beside its name and labels."""
