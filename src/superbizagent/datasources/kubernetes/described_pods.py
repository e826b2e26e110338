"""Pods and the containers of templates, as ``kubectl describe`` tells of them."""

import re

from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.outline import Node, moment, table

__all__ = ["container_of", "pod_of"]

_REFERENCE = re.compile(r"<set to the key '[^']*' (?:in|of) (secret|config map) '([^']*)'>")


def pod_of(tree: Node) -> Raw:
    """Return what the description of a pod holds beside its name and labels."""
    containers = [container_of(c) for c in tree.child("Containers").children]
    initial = [container_of(c) for c in tree.child("Init Containers").children]
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


def container_of(node: Node) -> Raw:
    """Return what a container asks for, refers to and runs."""
    ports = [p.strip().partition("/")[0] for p in node.text("Port").split(",")]
    ports += [p.strip().partition("/")[0] for p in node.text("Ports").split(",")]
    env = [_variable(c) for c in node.child("Environment").children]
    return {
        "name": node.key,
        "image": node.text("Image"),
        "ports": [{"containerPort": p} for p in ports if p.isdigit() and p != "0"],
        "resources": {
            "limits": {c.key: c.value for c in node.child("Limits").children},
            "requests": {c.key: c.value for c in node.child("Requests").children},
        },
        "args": [line.strip() for key in ("Command", "Args") for line in node.child(key).lines],
        "env": env,
        "envFrom": [
            s for line in node.child("Environment Variables from").lines if (s := _source(line))
        ],
    }


def _variable(node: Node) -> Raw:
    found = _REFERENCE.match(node.value)
    if found is None:
        return {"name": node.key, "value": node.value}
    key = "secretKeyRef" if found[1] == "secret" else "configMapKeyRef"
    optional = "Optional: true" in node.value
    return {"name": node.key, "valueFrom": {key: {"name": found[2], "optional": optional}}}


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
            return {"running": {"startedAt": moment(node.text("Started"))}}
        case "Terminated":
            times = {
                "startedAt": moment(node.text("Started")),
                "finishedAt": moment(node.text("Finished")),
            }
            return {"terminated": {**inner, **times, "exitCode": node.text("Exit Code")}}
        case _:
            return {}
