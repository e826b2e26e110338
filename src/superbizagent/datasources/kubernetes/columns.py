"""Rows in columns that somebody chose: pods, nodes and others with any headings.

Headings are matched by what they say, and words by what they are: ``OOMKilled`` is how a container
ended, in whatever column it stands.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.rows import Cells, labels_of, value_of

__all__ = ["free_object", "plain_heading"]

_STRANGE = re.compile(r"[^A-Z0-9]")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_NAMED = ("NAME", "POD", "PODNAME", "WORKLOAD", "DEPLOYMENT", "CLAIM", "PVC", "SERVICE", "SVC")
_OF_KIND = {"POD": "Pod", "PODNAME": "Pod", "DEPLOYMENT": "Deployment", "SERVICE": "Service",
            "PVC": "PersistentVolumeClaim", "SVC": "Service"}  # fmt: skip
_PHASES = frozenset({"Running", "Pending", "Succeeded", "Failed", "Unknown"})
_WAITS = re.compile(
    r"(?:\w*BackOff|Err(?:Image|Registry)\w*|\w*(?:Config|Container|Inspect|Sandbox)Error"
    r"|InvalidImageName|RegistryUnavailable|SignatureValidationFailed"
    r"|ContainerCreating|PodInitializing)"
)
_ENDED = frozenset({"OOMKilled", "Error", "ContainerCannotRun", "StartError", "DeadlineExceeded",
                    "ContainerStatusUnknown"})  # fmt: skip
_OVER = frozenset({"Evicted", "Preempting", "NodeLost", "UnexpectedAdmissionError", "NodeAffinity"})
_UNPLACED = frozenset({"Unschedulable", "SchedulingGated"})
_TAINT = re.compile(r"map\[([^\]]*)\]")
_TAINT_WORD = re.compile(r"(effect|key|value):(\S+)")
_PLAIN_TAINT = re.compile(r"([\w./-]+)(?:=([\w.-]*))?:(NoSchedule|NoExecute|PreferNoSchedule)")
_NODE_HEADINGS = frozenset({"TAINTS", "TAINT", "UNSCHEDULABLE", "KUBELET", "ROLES", "ALLOCATABLE",
                            "ALLOCATABLECPU", "ALLOCATABLEMEMORY"})  # fmt: skip
_POD_HEADINGS = frozenset({"RESTARTS", "RESTART", "RESTARTCOUNT", "PHASE", "CONTAINERS",
                           "CONTAINER", "WAITING", "EXIT", "EXITCODE", "NODE", "NODENAME", "HOST",
                           "LASTSTATE", "QOS", "MEMLIMIT", "CPULIMIT"})  # fmt: skip
_LIMITS = {
    "memory": ("MEMLIMIT", "MEMORYLIMIT", "LIMITMEMORY", "LIMITSMEMORY", "MEMLIM", "LIMMEM"),
    "cpu": ("CPULIMIT", "CPULIMITS", "LIMITCPU", "LIMITSCPU", "CPULIM", "LIMCPU"),
}


def plain_heading(written: str) -> str:
    """Return a heading without case, blanks and signs: ``Exit code`` and ``EXIT_CODE`` are one."""
    return _STRANGE.sub("", written.upper())


def free_object(cells: Cells, kind: str = "") -> Raw | None:
    """Return the object of a row, None when it is of nothing that is read.

    Args:
        cells: by heading.
        kind: where it is known from elsewhere; a row tells pods and nodes by itself.
    """
    own = {plain_heading(name): value for name, value in cells.items()}
    heading = next((n for n in _NAMED if own.get(n)), "NODE" if own.get("NODE") else "")
    name = own.get(heading, "").rpartition("/")[2]
    if not _NAME.fullmatch(name):
        return None
    told = kind or _OF_KIND.get(heading, "") or _told_kind(own, heading)
    metadata: Raw = {
        "name": name,
        "namespace": value_of(own, ("NAMESPACE", "NS")),
        "age": own.get("AGE", ""),
        "labels": labels_of(own.get("LABELS", "")),
    }
    if told == "Pod":
        return {"kind": told, "metadata": metadata, **_pod(own)}
    if told == "Node":
        return {"kind": told, "metadata": metadata, **_node(own)}
    return {"kind": told, "metadata": metadata} if told else None


def _told_kind(own: Cells, heading: str) -> str:
    if heading == "NODE" or own.keys() & _NODE_HEADINGS:
        return "Node"
    words = set(_words(own))
    states = _PHASES | _ENDED | _OVER | _UNPLACED
    telling = words & states or any(_WAITS.fullmatch(word) for word in words)
    return "Pod" if telling or own.keys() & _POD_HEADINGS else ""


def _words(own: Cells) -> Iterator[str]:
    for value in own.values():
        if " " not in value:
            yield from value.split(",")


def _pod(own: Cells) -> Raw:
    phase = next((w for w in _words(own) if w in _PHASES), "")
    over = next((w for w in _words(own) if w in _OVER), "")
    unplaced = next((w for w in _words(own) if w in _UNPLACED), "")
    message = value_of(own, ("MESSAGE", "MSG", "CONDITION", "WHY", "DETAIL"))
    waits = any(_WAITS.fullmatch(w) for w in _words(own))
    status: Raw = {
        "phase": "Failed" if over else phase or ("Pending" if unplaced else ""),
        "reason": over,
        "message": message if over else "",
        "containerStatuses": _statuses(own, message if waits else ""),
    }
    if unplaced or (phase == "Pending" and "nodes are available" in message):
        status["conditions"] = [
            {"type": "PodScheduled", "status": "False", "reason": unplaced or "Unschedulable",
             "message": message}
        ]  # fmt: skip
    node = value_of(own, ("NODE", "NODENAME", "HOST"))
    spec: Raw = {"nodeName": node, "containers": _containers(own)}
    return {"spec": spec, "status": status}


def _listed(own: Cells, names: Sequence[str]) -> list[str]:
    written = value_of(own, names)
    return [part.strip() for part in written.split(",")] if written else []


def _containers(own: Cells) -> list[Raw]:
    names = _listed(own, ("CONTAINERS", "CONTAINER"))
    images = _listed(own, ("IMAGES", "IMAGE"))
    limits = {resource: _listed(own, headings) for resource, headings in _LIMITS.items()}
    found: list[Raw] = []
    for place in range(max(len(names), len(images), *map(len, limits.values()))):
        held = {r: values[place] for r, values in limits.items() if place < len(values)}
        found.append(
            {
                "name": names[place] if place < len(names) else "",
                "image": images[place] if place < len(images) else "",
                "resources": {"limits": held},
            }
        )
    return found


def _statuses(own: Cells, message: str) -> list[Raw]:
    """One state for the containers of a row; whose it is a list of one word cannot tell."""
    names = _listed(own, ("CONTAINERS", "CONTAINER"))
    counts = _listed(own, ("RESTARTS", "RESTART", "RESTARTCOUNT"))
    numbers = [int(c.partition(" ")[0]) for c in counts if c.partition(" ")[0].isdigit()]
    # Of several containers the one that was restarted is what a single word is about.
    whose = numbers.index(max(numbers)) if len(numbers) == len(names) > 0 else 0
    status: Raw = {"name": names[whose] if len(numbers) == len(names) > 0 else ""}
    if numbers:
        status["restartCount"] = max(numbers)
    ready = _listed(own, ("READY",))
    if ready and all(r in {"true", "false"} for r in ready):
        status["ready"] = "true" if all(r == "true" for r in ready) else "false"
    waits = next((w for w in _words(own) if _WAITS.fullmatch(w)), "")
    ended = next((w for w in _words(own) if w in _ENDED), "")
    code = next((c for c in _listed(own, ("EXIT", "EXITCODE", "CODE")) if c.isdigit()), "")
    state: dict[str, Any] = {}
    if waits:
        state = {"waiting": {"reason": waits, "message": message}}
    if ended or code not in {"", "0"}:
        over: Raw = {"reason": ended or "Error"}
        over |= {"exitCode": code} if code else {}
        status["lastState"] = {"terminated": over}
    status["state"] = state or ({"running": {}} if "Running" in _words(own) else {})
    return [status] if len(status) > 2 or state else []


def _node(own: Cells) -> Raw:
    taints: list[Raw] = []
    for value in own.values():
        for found in _TAINT.findall(value):
            pairs = dict(_TAINT_WORD.findall(found))
            if "key" in pairs:
                taints.append(pairs)
        if "map[" not in value:
            taints += [
                {"key": m[1], "value": m[2] or "", "effect": m[3]}
                for m in _PLAIN_TAINT.finditer(value)
            ]
    spec: Raw = {"taints": taints}
    if value_of(own, ("UNSCHEDULABLE",)):
        spec["unschedulable"] = own["UNSCHEDULABLE"]
    words = [w for w in _words(own) if w in {"Ready", "NotReady"}]
    ready = next(iter(_listed(own, ("READY",))), "True" if words == ["Ready"] else "")
    if words == ["NotReady"]:
        ready = "False"
    conditions = [{"type": "Ready", "status": ready, "reason": ready}] if ready else []
    return {"spec": spec, "status": {"conditions": conditions}}
