"""Text of ``kubectl describe``, brought into the form of the objects that it describes.

The text names no kind; each kind has a line that no other has.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from superbizagent.datasources.kubernetes.fields import Raw, age
from superbizagent.datasources.kubernetes.gathered import Form, Gathered
from superbizagent.datasources.kubernetes.outline import Node, outline, table
from superbizagent.datasources.kubernetes.tables import hash_of

__all__ = ["add_descriptions", "is_description"]

_COUNTS = re.compile(r"(\d+) (desired|updated|total|available|unavailable)")
_REFERENCE = re.compile(r"<set to the key '[^']*' (?:in|of) (secret|config map) '([^']*)'>")
_TELLING: tuple[tuple[str, str], ...] = (
    ("Node-Selectors", "Pod"),
    ("StrategyType", "Deployment"),
    ("Update Strategy", "StatefulSet"),
    ("Desired Number of Nodes Scheduled", "DaemonSet"),
    ("Concurrency Policy", "CronJob"),
    ("Completions", "Job"),
    ("Pods Status", "ReplicaSet"),
    ("Session Affinity", "Service"),
    ("Allocatable", "Node"),
    ("VolumeMode", "PersistentVolumeClaim"),
    ("Image pull secrets", "ServiceAccount"),
    ("Subsets", "Endpoints"),
)
"""A key that stands in the description of one kind, the surest first."""


def is_description(head: str) -> bool:
    """Tell whether a text begins as a description does."""
    first = head.lstrip("\n").split("\n", 3)
    return first[0].startswith("Name:  ") and len(first) > 1 and ":" in first[1]


def add_descriptions(body: str, origin: str, gathered: Gathered) -> bool:
    """Take every object that a text describes, with the events that stand below it."""
    found, strange = False, 0
    for lines in _blocks(body):
        tree = outline(lines)
        kind = _kind_of(tree)
        if not kind:
            strange += 1
            continue
        gathered.add(_object(kind, tree), Form.DESCRIBED, origin)
        for event in _events(kind, tree):
            gathered.add(event, Form.DESCRIBED, origin)
            if event["reason"] == "Scheduled":
                gathered.began_ago(tree.text("Name"), event["lastSeen"])
        gathered.looked("events", "empty")
        found = True
    if strange:
        gathered.note(f"{origin}: {strange} descriptions of kinds that are not read were left out")
    return found


def _blocks(body: str) -> Iterator[list[str]]:
    block: list[str] = []
    in_events = False
    for line in body.splitlines():
        if line.startswith("Name:  ") and block:
            yield block
            block = []
        # The further lines of a message stand at the margin; events are the last of a description.
        message = in_events and line.strip() and not line.startswith((" ", "Name:  "))
        in_events = line.startswith("Events:") or bool(in_events and line.strip() and block)
        block.append(f"    {line}" if message else line)
    if any(line.strip() for line in block):
        yield block


def _kind_of(tree: Node) -> str:
    keys = {child.key for child in tree.children}
    kind = next((kind for key, kind in _TELLING if key in keys), "")
    if kind == "ReplicaSet" and "Replicas" not in keys:
        return "Job"
    if not kind and any(line.startswith("Resource  ") for line in tree.lines):
        return "ResourceQuota"
    return kind


def _object(kind: str, tree: Node) -> Raw:
    metadata: Raw = {
        "name": tree.text("Name"),
        "namespace": tree.text("Namespace"),
        "labels": _pairs(tree, "Labels"),
        "uid": "",
    }
    for key in ("Start Time", "CreationTimestamp"):
        if (when := _time(tree.text(key))) and "creationTimestamp" not in metadata:
            metadata["creationTimestamp"] = when
    owner_kind, _, owner = tree.text("Controlled By").partition("/")
    if owner:
        metadata["ownerReferences"] = [{"kind": owner_kind, "name": owner, "controller": True}]
    fill = _FILL.get(kind)
    return {"kind": kind, "metadata": metadata, **(fill(tree) if fill else {})}


def _pairs(tree: Node, key: str) -> dict[str, str]:
    """Labels stand one a line, the first beside the key."""
    node = tree.child(key)
    written = [node.value, *node.lines]
    pairs = [p.strip().partition("=") for line in written for p in line.split(",")]
    return {name: value for name, sign, value in pairs if sign}


def _time(written: str) -> str:
    try:
        found = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError):
        return ""
    moment: datetime = found if found.tzinfo else found.replace(tzinfo=UTC)
    return moment.isoformat()


# Pods --------------------------------------------------------------------------------------------


def _pod(tree: Node) -> Raw:
    containers = [_spec(c) for c in tree.child("Containers").children]
    initial = [_spec(c) for c in tree.child("Init Containers").children]
    phase = tree.text("Status").partition(" ")[0]
    conditions = [
        {"type": row.get("Type", ""), "status": row.get("Status", "")}
        for row in table(tree.child("Conditions").lines)
    ]
    spec: Raw = {
        "nodeName": tree.text("Node").partition("/")[0],
        "serviceAccountName": tree.text("Service Account"),
        "containers": containers,
        "initContainers": initial,
        "volumes": [_volume(v) for v in tree.child("Volumes").children],
    }
    status: Raw = {
        "phase": "" if phase == "Terminating" else phase,
        "reason": tree.text("Reason"),
        "message": tree.text("Message"),
        "conditions": conditions,
        "containerStatuses": [_status(c) for c in tree.child("Containers").children],
        "initContainerStatuses": [_status(c) for c in tree.child("Init Containers").children],
    }
    return {"spec": spec, "status": status}


def _spec(node: Node) -> Raw:
    ports = [p.strip().partition("/")[0] for p in node.text("Port").split(",")]
    ports += [p.strip().partition("/")[0] for p in node.text("Ports").split(",")]
    env = [_variable(c.value) for c in node.child("Environment").children]
    return {
        "name": node.key,
        "image": node.text("Image"),
        "ports": [{"containerPort": p} for p in ports if p.isdigit() and p != "0"],
        "resources": {
            "limits": {c.key: c.value for c in node.child("Limits").children},
            "requests": {c.key: c.value for c in node.child("Requests").children},
        },
        "env": [v for v in env if v],
        "envFrom": [
            s for line in node.child("Environment Variables from").lines if (s := _source(line))
        ],
    }


def _variable(value: str) -> Raw:
    found = _REFERENCE.match(value)
    if found is None:
        return {}
    key = "secretKeyRef" if found[1] == "secret" else "configMapKeyRef"
    return {"valueFrom": {key: {"name": found[2], "optional": "Optional: true" in value}}}


def _source(line: str) -> Raw:
    words = line.split()
    if len(words) < 2 or words[1] not in {"ConfigMap", "Secret"}:
        return {}
    key = "configMapRef" if words[1] == "ConfigMap" else "secretRef"
    return {key: {"name": words[0], "optional": "Optional: true" in " ".join(words)}}


def _volume(node: Node) -> Raw:
    optional = node.text("Optional") == "true"
    kind = node.text("Type").partition(" ")[0]
    match kind:
        case "PersistentVolumeClaim":
            return {"persistentVolumeClaim": {"claimName": node.text("ClaimName")}}
        case "ConfigMap":
            return {"configMap": {"name": node.text("Name"), "optional": optional}}
        case "Secret":
            return {"secret": {"secretName": node.text("SecretName"), "optional": optional}}
        case _:
            return {}


def _status(node: Node) -> Raw:
    return {
        "name": node.key,
        "ready": node.text("Ready"),
        "restartCount": node.text("Restart Count"),
        "state": _state(node.child("State")),
        "lastState": _state(node.child("Last State")),
    }


def _state(node: Node) -> Raw:
    inner = {"reason": node.text("Reason"), "message": node.text("Message")}
    match node.value:
        case "Waiting":
            return {"waiting": inner}
        case "Running":
            return {"running": {"startedAt": _time(node.text("Started"))}}
        case "Terminated":
            times = {
                "startedAt": _time(node.text("Started")),
                "finishedAt": _time(node.text("Finished")),
            }
            return {"terminated": {**inner, **times, "exitCode": node.text("Exit Code")}}
        case _:
            return {}


# The others --------------------------------------------------------------------------------------


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
    template: Raw = {"metadata": {"labels": _pairs(tree.child("Pod Template"), "Labels")}}
    wanted = counts.get("desired") or tree.text("Replicas").rpartition("/")[2].strip().split(" ")[0]
    return {
        "spec": {"replicas": wanted, "template": template},
        "status": {"readyReplicas": ready or "0", "conditions": conditions},
    }


def _daemons(tree: Node) -> Raw:
    running = re.match(r"(\d+) Running", tree.text("Pods Status"))
    return {
        "status": {
            "desiredNumberScheduled": tree.text("Desired Number of Nodes Scheduled"),
            "numberReady": running[1] if running else "0",
        }
    }


def _service(tree: Node) -> Raw:
    pairs = [p.strip().partition("=") for p in tree.text("Selector").split(",")]
    target = tree.text("TargetPort").partition("/")[0]
    return {
        "spec": {
            "type": tree.text("Type"),
            "selector": {k: v for k, sign, v in pairs if sign},
            "ports": [{"targetPort": target}] if target else [],
        }
    }


def _node(tree: Node) -> Raw:
    conditions = [
        {
            "type": row.get("Type", ""),
            "status": row.get("Status", ""),
            "reason": row.get("Reason", ""),
            "message": row.get("Message", ""),
            "lastTransitionTime": _time(row.get("LastTransitionTime", "")),
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


_FILL: dict[str, Callable[[Node], Raw]] = {
    "Pod": _pod,
    "Deployment": _replicas,
    "StatefulSet": _replicas,
    "ReplicaSet": _replicas,
    "DaemonSet": _daemons,
    "Service": _service,
    "Node": _node,
    "PersistentVolumeClaim": _claim,
    "ResourceQuota": _quota,
}


def _events(kind: str, tree: Node) -> Iterator[Raw]:
    namespace, name = tree.text("Namespace"), tree.text("Name")
    for row in table(_whole(tree.child("Events").lines)):
        reason, message = row.get("Reason", ""), row.get("Message", "")
        seen = row.get("Age", "").partition(" ")[0]
        if not reason or (age(seen) is None and seen != "<unknown>"):
            continue
        yield {
            "kind": "Event",
            "metadata": {"name": f"{name}.{reason}.{hash_of(message):x}", "namespace": namespace},
            "involvedObject": {"kind": kind, "namespace": namespace, "name": name},
            "reason": reason,
            "type": row.get("Type", ""),
            "message": message,
            "lastSeen": seen,
        }


def _whole(lines: Sequence[str]) -> list[str]:
    """Put the further lines of a message, which stand deeper than the table, behind its first."""
    whole: list[str] = []
    for line in lines:
        if whole and _margin(line) != _margin(whole[0]):
            whole[-1] += f" {line.strip()}"
        else:
            whole.append(line)
    return whole


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
