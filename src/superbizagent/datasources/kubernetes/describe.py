"""Text of ``kubectl describe``, brought into the form of the objects that it describes.

The text names no kind; each kind has a line that no other has. Of a description whose beginning is
lost the command tells what it is of, or its messages do.
"""

import re
from collections.abc import Iterator, Sequence

from superbizagent.datasources.kubernetes.described_others import FILLS
from superbizagent.datasources.kubernetes.event_rows import said_event
from superbizagent.datasources.kubernetes.fields import Raw, age
from superbizagent.datasources.kubernetes.gathered import KINDS, Form, Gathered
from superbizagent.datasources.kubernetes.outline import (
    Node,
    bare_event_rows,
    moment,
    outline,
    pairs,
    table,
)
from superbizagent.datasources.kubernetes.rows import endpoints_of

__all__ = ["add_descriptions"]

_BEGINS = re.compile(r"Name:\s")
_TELLING: tuple[tuple[str, str], ...] = (
    ("Node-Selectors", "Pod"),
    ("StrategyType", "Deployment"),
    ("Update Strategy", "StatefulSet"),
    ("Desired Number of Nodes Scheduled", "DaemonSet"),
    ("Concurrency Policy", "CronJob"),
    ("Completions", "Job"),
    ("Pods Statuses", "Job"),
    ("Pods Status", "ReplicaSet"),
    ("Session Affinity", "Service"),
    ("Allocatable", "Node"),
    ("VolumeMode", "PersistentVolumeClaim"),
    ("Image pull secrets", "ServiceAccount"),
    ("Subsets", "Endpoints"),
    ("AddressType", "EndpointSlice"),
    ("Provisioner", "StorageClass"),
    ("Reclaim Policy", "PersistentVolume"),
    ("Default backend", "Ingress"),
    ("Ingress Class", "Ingress"),
    ("Min replicas", "HorizontalPodAutoscaler"),
    ("BinaryData", "ConfigMap"),
    # Of descriptions that are cut off, what stands further up.
    ("Roles", "Node"),
    ("Containers", "Pod"),
    ("Start Time", "Pod"),
    ("QoS Class", "Pod"),
    ("StorageClass", "PersistentVolumeClaim"),
    ("TargetPort", "Service"),
    ("Replicas", "ReplicaSet"),
)
"""A key that stands in the description of one kind, the surest first."""
_OF_CONTAINER = frozenset({"State", "Last State", "Limits"})
_INSIDE = frozenset(
    {"Image", "Port", "Ports", "Command", "Args", "State", "Last State", "Ready", "Restart Count",
     "Limits", "Requests", "Environment", "Environment Variables from"}
)  # fmt: skip
_MAKERS = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "Job"})
_SAYS_WHOSE = (
    re.compile(r"Successfully assigned (?P<space>[a-z0-9-]+)/(?P<name>[a-z0-9.-]+) to "),
    re.compile(r"in pod (?P<name>[a-z0-9.-]+)_(?P<space>[a-z0-9-]+)\("),
)
"""Messages of events that name the pod that they are about."""


def add_descriptions(
    body: str, origin: str, gathered: Gathered, kind: str = "", name: str = ""
) -> bool:
    """Take every object that a text describes, with the events that stand below it.

    Args:
        body: the text.
        origin: where it is from.
        gathered: takes the objects.
        kind: that was asked for, lower case, where it is known.
        name: that was asked for, where it is known.
    """
    found, strange = False, 0
    for lines in _blocks(body):
        tree = _completed(outline(lines), kind)
        own = _kind_of(tree) or next((k for k in KINDS if k.lower() == kind), "")
        if not tree.text("Name"):
            own = _named(tree, own, name)
        own = own or ("Pod" if _is_torn(tree) else "")
        if not own or not tree.text("Name"):
            nameless = list(_nameless(own, tree)) if own in {"", "Pod"} else []
            gathered.nameless += nameless
            strange += not nameless
            found |= bool(nameless)
            continue
        _add(own, tree, origin, gathered)
        found = True
    if strange:
        gathered.note(f"{origin}: {strange} descriptions of kinds that are not read were left out")
    return found


def _add(kind: str, tree: Node, origin: str, gathered: Gathered) -> None:
    """Take one described object, what it tells of others, and its events."""
    raw = _object(kind, tree)
    counted = kind not in _MAKERS or "status" in raw or tree.child("Pod Template").children
    if counted if kind != "Pod" else _says_its_state(tree):
        gathered.add(raw, Form.DESCRIBED, origin)
    if kind == "Node":
        for row in table(tree.child("Non-terminated Pods").lines):
            gathered.homes[row.get("Name", "")] = row.get("Namespace", "")
    if kind == "Service" and (behind := _behind(tree)):
        gathered.add(behind, Form.DESCRIBED, origin)
    for event in _events(kind, tree):
        gathered.add(event, Form.DESCRIBED, origin)
        if event["reason"] == "Scheduled":
            gathered.began_ago(tree.text("Name"), event.get("lastSeen", ""))
    gathered.looked("events", "empty")


def _completed(tree: Node, kind: str) -> Node:
    """Put the state of a container whose heading is lost where a description has it."""
    if not tree.text("Name") and any(c.key in _OF_CONTAINER for c in tree.children):
        own = Node("", children=[c for c in tree.children if c.key in _INSIDE])
        tree.children = [c for c in tree.children if c not in own.children]
        held = Node("Containers", children=[own])
        made = kind not in {"", "pod"}
        tree.children.append(Node("Pod Template", children=[held]) if made else held)
    return tree


def _is_torn(tree: Node) -> bool:
    return bool(tree.child("Containers").children)


def _nameless(kind: str, tree: Node) -> Iterator[Raw]:
    """What is left of a pod's description without its name: events, and how its containers are."""
    yield from _events(kind or "Pod", tree)
    if _is_torn(tree):
        yield _object("Pod", tree)


def _says_its_state(tree: Node) -> bool:
    """Tell whether what is left of a pod's description says more than its events."""
    ready = any(line.split()[:1] == ["Ready"] for line in tree.child("Conditions").lines)
    return ready or bool(tree.text("Status") or tree.child("Containers").children)


def _named(tree: Node, kind: str, name: str) -> str:
    """Give a description without a beginning its name; return its kind, empty if it has none."""
    written = "\n".join(tree.child("Events").lines or tree.lines)
    said = next((m for p in _SAYS_WHOSE if (m := p.search(written))), None)
    if not said and not name:
        return ""
    tree.children.append(Node("Name", said["name"] if said else name))
    if said and not tree.text("Namespace"):
        tree.children.append(Node("Namespace", said["space"]))
    return "Pod" if said else kind


def _blocks(body: str) -> Iterator[list[str]]:
    block: list[str] = []
    in_events = False
    for line in body.splitlines():
        if _BEGINS.match(line) and block:
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
    if not kind and any(re.match(r"Resource\s+Used", line) for line in tree.lines):
        return "ResourceQuota"
    if not kind and any(re.match(r"Type\s+Resource\s+Min", line) for line in tree.lines):
        return "LimitRange"
    if not kind and "Type" in keys and "Data" in {line.strip() for line in tree.lines}:
        return "Secret"
    return kind


def _object(kind: str, tree: Node) -> Raw:
    metadata: Raw = {
        "name": tree.text("Name"),
        "namespace": tree.text("Namespace"),
        "labels": pairs(tree.child("Labels")),
    }
    if any(child.key == "Labels" for child in tree.children):
        metadata["uid"] = ""  # its beginning is there: without an owner in it, it has none
    else:
        metadata["age"] = ""  # as in a table, nothing tells of an owner
    for key in ("Start Time", "CreationTimestamp"):
        if (when := moment(tree.text(key))) and "creationTimestamp" not in metadata:
            metadata["creationTimestamp"] = when
    if lasts := re.match(r"Terminating \(lasts (\S+)\)", tree.text("Status")):
        metadata["deletedAgo"] = lasts[1]
    owner_kind, _, owner = tree.text("Controlled By").partition("/")
    if owner:
        metadata["ownerReferences"] = [{"kind": owner_kind, "name": owner, "controller": True}]
    fill = FILLS.get(kind)
    return {"kind": kind, "metadata": metadata, **(fill(tree) if fill else {})}


def _behind(tree: Node) -> Raw | None:
    """What the description of a service says of its endpoints; None when it says nothing."""
    lines = [child.value for child in tree.children if child.key == "Endpoints"]
    if not lines:
        return None
    metadata = {"name": tree.text("Name"), "namespace": tree.text("Namespace")}
    told = next((line for line in lines if line not in {"", "<none>"}), "")
    return {"kind": "Endpoints", "metadata": metadata, **endpoints_of(told)}


def _events(kind: str, tree: Node) -> Iterator[Raw]:
    for row in _event_rows(tree):
        reason = row.get("Reason", "")
        seen = row.get("Age", "").partition(" ")[0]
        if not reason or (age(seen) is None and seen != "<unknown>"):
            continue
        yield said_event(
            kind=kind,
            name=tree.text("Name"),
            namespace=tree.text("Namespace"),
            reason=reason,
            message=row.get("Message", ""),
            seen=seen,
            type_of=row.get("Type", ""),
        )


def _event_rows(tree: Node) -> Iterator[dict[str, str]]:
    if lines := tree.child("Events").lines or _bare_events(tree):
        yield from table(_whole(lines))
    else:
        yield from bare_event_rows(tree.lines)


def _bare_events(tree: Node) -> list[str]:
    """The rows of events of which even the word above the heading is lost."""
    start = next((n for n, li in enumerate(tree.lines) if re.match(r"\s*Type\s+Reason", li)), -1)
    return tree.lines[start:] if start >= 0 else []


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
