"""Tables that ``kubectl get`` prints, brought into the form of the objects that they list.

A table tells little: a pod's state in one word, an age instead of a time. Columns are found by
where their headings stand, so a cell may hold blanks.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.gathered import Form, Gathered

__all__ = ["add_tables", "is_table"]

_HEADER = re.compile(r"(?:NAMESPACE|NAME|LAST SEEN)(?: {2,}|\s*$)")
_COLUMN = re.compile(r"\S+(?: \S+)*")
_RESTARTED = re.compile(r"(\d+) \((.+) ago\)")
_PHASES = frozenset({"Running", "Pending", "Succeeded", "Failed", "Unknown", "Completed"})
_ENDINGS = frozenset({"OOMKilled", "Error", "ContainerCannotRun", "DeadlineExceeded", "StartError"})
_PREFIXED = re.compile(r"([a-z]+)(?:\.[a-z0-9.]+)?/(.+)")
_SHORT_KINDS = {
    "pod": "Pod", "deployment": "Deployment", "statefulset": "StatefulSet", "job": "Job",
    "daemonset": "DaemonSet", "replicaset": "ReplicaSet", "service": "Service", "node": "Node",
    "cronjob": "CronJob", "persistentvolumeclaim": "PersistentVolumeClaim",
    "endpoints": "Endpoints",
    "configmap": "ConfigMap", "secret": "Secret", "serviceaccount": "ServiceAccount",
    "resourcequota": "ResourceQuota", "namespace": "Namespace", "ingress": "Ingress",
    "persistentvolume": "PersistentVolume", "storageclass": "StorageClass", "event": "Event",
    "horizontalpodautoscaler": "HorizontalPodAutoscaler", "cronjob.batch": "CronJob",
}  # fmt: skip

Cells = dict[str, str]


def is_table(line: str) -> bool:
    """Tell whether a line is the heading of a table of ``kubectl get``."""
    return _HEADER.match(line) is not None and line.strip() == line.strip().upper()


def add_tables(body: str, origin: str, gathered: Gathered) -> bool:
    """Take every row of every table of a text; lines outside any table are passed over."""
    found = False
    strange = 0
    for cells in _rows(body):
        raw = _object(cells)
        if raw is None:
            strange += 1
            continue
        gathered.add(raw, Form.TABLE, origin)
        found = True
    if strange:
        gathered.note(f"{origin}: {strange} rows of a table of unknown columns were left out")
    return found


def _rows(body: str) -> Iterator[Cells]:
    columns: list[tuple[str, int]] = []
    for line in body.splitlines():
        if is_table(line):
            columns = [(m[0], m.start()) for m in _COLUMN.finditer(line)]
        elif not line.strip():
            columns = []
        elif columns:
            yield _cells(line, columns)


def _cells(line: str, columns: list[tuple[str, int]]) -> Cells:
    ends = [start for _, start in columns[1:]] + [len(line)]
    return {name: line[start:end].strip() for (name, start), end in zip(columns, ends, strict=True)}


def _object(cells: Cells) -> Raw | None:
    """Return the object of a row; its kind stands before its name, or its columns tell."""
    if {"REASON", "OBJECT", "MESSAGE"} <= cells.keys():
        return _event(cells)
    name = cells.get("NAME", "")
    prefixed = _PREFIXED.fullmatch(name)
    kind = _SHORT_KINDS.get(prefixed[1], "") if prefixed else ""
    if prefixed and kind:
        name = prefixed[2]
    kind = kind or next((k for k, needs in _TELLING if needs <= cells.keys()), "")
    if not kind or not name:
        return None
    named: Raw = {
        "name": name,
        "namespace": cells.get("NAMESPACE", ""),
        "age": cells.get("AGE", ""),
        "labels": _labels(cells.get("LABELS", "")),
    }
    raw: Raw = {"kind": kind, "metadata": named}
    fill = _FILL.get(kind)
    if fill is not None:
        raw |= fill(cells)
    return raw


_TELLING: tuple[tuple[str, frozenset[str]], ...] = (
    ("Pod", frozenset({"READY", "STATUS", "RESTARTS"})),
    ("Deployment", frozenset({"READY", "UP-TO-DATE", "AVAILABLE"})),
    ("DaemonSet", frozenset({"DESIRED", "CURRENT", "READY", "AVAILABLE"})),
    ("ReplicaSet", frozenset({"DESIRED", "CURRENT", "READY"})),
    ("CronJob", frozenset({"SCHEDULE", "SUSPEND"})),
    ("Job", frozenset({"COMPLETIONS", "DURATION"})),
    ("Service", frozenset({"TYPE", "CLUSTER-IP", "PORT(S)"})),
    ("Node", frozenset({"STATUS", "ROLES", "VERSION"})),
    ("PersistentVolumeClaim", frozenset({"STATUS", "VOLUME", "CAPACITY"})),
    ("ResourceQuota", frozenset({"REQUEST", "LIMIT"})),
    ("Endpoints", frozenset({"ENDPOINTS", "AGE"})),
    ("StorageClass", frozenset({"PROVISIONER", "RECLAIMPOLICY"})),
    ("Secret", frozenset({"TYPE", "DATA"})),
    ("ConfigMap", frozenset({"DATA", "AGE"})),
    ("ServiceAccount", frozenset({"SECRETS", "AGE"})),
    ("StatefulSet", frozenset({"READY", "AGE"})),
    ("Namespace", frozenset({"STATUS", "AGE"})),
)
"""Columns that tell the kind of a table, the most telling first."""


def _event(cells: Cells) -> Raw | None:
    about = _PREFIXED.fullmatch(cells["OBJECT"])
    kind = _SHORT_KINDS.get(about[1], about[1].capitalize()) if about else ""
    if about is None:
        return None
    seen = cells.get("LAST SEEN", "")
    namespace = "" if kind == "Node" else cells.get("NAMESPACE", "")
    name = f"{about[2]}.{cells['REASON']}.{hash_of(cells['MESSAGE']):x}"
    return {
        "kind": "Event",
        "metadata": {"name": name, "namespace": cells.get("NAMESPACE", "")},
        "involvedObject": {"kind": kind, "namespace": namespace, "name": about[2]},
        "reason": cells["REASON"],
        "type": cells.get("TYPE", ""),
        "message": cells["MESSAGE"],
        "lastSeen": seen.partition(" ")[0],
    }


def hash_of(message: str) -> int:
    """A number that is the same for the same text in every process."""
    value = 0
    for character in message:
        value = (value * 31 + ord(character)) % 0xFFFFFFFF
    return value


# What each kind's columns say --------------------------------------------------------------------


def _pair(written: str) -> tuple[int, int]:
    left, _, right = written.partition("/")
    return (int(left), int(right)) if left.isdigit() and right.isdigit() else (0, 0)


def _pod(cells: Cells) -> Raw:
    word = cells["STATUS"]
    ready, total = _pair(cells["READY"])
    restarts = cells["RESTARTS"]
    again = _RESTARTED.fullmatch(restarts)
    count = again[1] if again else restarts
    is_init = word.startswith("Init:")
    state = word.removeprefix("Init:")
    status: Raw = {"name": "", "ready": ready == total and total > 0, "restartCount": count}
    if again:
        status["endedAgo"] = again[2]
    phase = state if state in _PHASES else "Running"
    if state in _ENDINGS:
        status["state"] = {
            "terminated": {"reason": state, "exitCode": 137 if "OOM" in state else 1}
        }
    elif state in {"Evicted", "Terminating"} or state in _PHASES:
        status["state"] = {"running": {}} if phase == "Running" and state != "Evicted" else {}
    elif not _pair(state)[1]:
        status["state"] = {"waiting": {"reason": state}}
        phase = "Pending" if is_init or state != "CrashLoopBackOff" else "Running"
    phase = {"Completed": "Succeeded", "Evicted": "Failed"}.get(state, phase)
    is_ready = ready == total and phase == "Running"
    body: Raw = {
        "phase": phase,
        "reason": state if state == "Evicted" else "",
        "conditions": [{"type": "Ready", "status": "True" if is_ready else "False",
                        "reason": "" if is_ready else "ContainersNotReady"}],
        "initContainerStatuses" if is_init else "containerStatuses": [status],
    }  # fmt: skip
    node = cells.get("NODE", "")
    return {"spec": {"nodeName": "" if node == "<none>" else node}, "status": body}


def _labels(written: str) -> dict[str, str]:
    pairs = [p.partition("=") for p in written.split(",") if "=" in p]
    return {key: value for key, _, value in pairs}


def _replicas(cells: Cells) -> Raw:
    ready, wanted = _pair(cells["READY"])
    return {"spec": {"replicas": wanted}, "status": {"readyReplicas": ready}}


def _daemons(cells: Cells) -> Raw:
    return {
        "status": {
            "desiredNumberScheduled": cells["DESIRED"],
            "numberReady": cells["READY"],
        }
    }


def _set(cells: Cells) -> Raw:
    return {"spec": {"replicas": cells["DESIRED"]}, "status": {"readyReplicas": cells["READY"]}}


def _node(cells: Cells) -> Raw:
    words = cells["STATUS"].split(",")
    ready = "True" if "Ready" in words else "False"
    conditions = [{"type": "Ready", "status": ready, "reason": words[0]}]
    return {
        "spec": {"unschedulable": "SchedulingDisabled" in words},
        "status": {"conditions": conditions},
    }


def _claim(cells: Cells) -> Raw:
    return {
        "spec": {"storageClassName": cells.get("STORAGECLASS", "")},
        "status": {"phase": cells["STATUS"]},
    }


def _quota(cells: Cells) -> Raw:
    used: dict[str, Any] = {}
    hard: dict[str, Any] = {}
    for entry in f"{cells.get('REQUEST', '')}, {cells.get('LIMIT', '')}".split(","):
        resource, _, amounts = entry.strip().partition(": ")
        have, _, most = amounts.partition("/")
        if most:
            used[resource], hard[resource] = have, most
    return {"status": {"used": used, "hard": hard}}


def _endpoints(cells: Cells) -> Raw:
    written = cells["ENDPOINTS"]
    if written in {"<none>", "<unset>", ""}:
        return {"subsets": []}
    listed = written.partition(" + ")[0].split(",")
    return {"subsets": [{"addresses": [{"ip": entry.rpartition(":")[0]} for entry in listed]}]}


def _service(cells: Cells) -> Raw:
    return {"spec": {"type": cells["TYPE"], "selector": _labels(cells.get("SELECTOR", ""))}}


_FILL: dict[str, Callable[[Cells], Raw]] = {
    "Pod": _pod,
    "Deployment": _replicas,
    "StatefulSet": _replicas,
    "DaemonSet": _daemons,
    "ReplicaSet": _set,
    "Node": _node,
    "PersistentVolumeClaim": _claim,
    "ResourceQuota": _quota,
    "Endpoints": _endpoints,
    "Service": _service,
}
