"""What the columns of each kind's own table say, in the form of the API."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from superbizagent.datasources.kubernetes.fields import Raw

__all__ = ["FILLS", "Cells", "Fill", "endpoints_of", "labels_of", "value_of"]

Cells = dict[str, str]

_RESTARTED = re.compile(r"(\d+) \((.+) ago\)")
_PHASES = frozenset({"Running", "Pending", "Succeeded", "Failed", "Unknown", "Completed"})
_ENDINGS = frozenset({"OOMKilled", "Error", "ContainerCannotRun", "DeadlineExceeded", "StartError"})
_OVER = frozenset(
    {"Evicted", "UnexpectedAdmissionError", "OutOfcpu", "OutOfmemory", "OutOfpods",
     "NodeAffinity", "NodeShutdown", "Terminated", "Shutdown", "ContainerStatusUnknown",
     "Preempting", "NodeLost", "OutOfephemeral-storage"}
)  # fmt: skip
"""Why pods are over that will never run again."""
_CODE = re.compile(r"(?:ExitCode|Signal):(\d+)")
_NOTHING = frozenset({"<none>", "<unset>", "<unknown>", "<nil>", "-", ""})


@dataclass(frozen=True, slots=True)
class Fill:
    """How a row of one kind is read."""

    read: Callable[[Cells], Raw]
    needs: frozenset[str]


def value_of(own: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the first cell of some headings that says something."""
    return next((own[n] for n in names if own.get(n, "") not in _NOTHING), "")


def labels_of(written: str) -> dict[str, str]:
    """Return labels or a selector as a table writes them."""
    pairs = [p.partition("=") for p in written.split(",") if "=" in p]
    return {key: value for key, _, value in pairs}


def _pair(written: str) -> tuple[int, int]:
    left, _, right = written.partition("/")
    return (int(left), int(right)) if left.isdigit() and right.isdigit() else (0, 0)


def _pod(cells: Cells) -> Raw:
    word = cells["STATUS"]
    ready, total = _pair(cells["READY"])
    again = _RESTARTED.fullmatch(cells["RESTARTS"])
    is_init = word.startswith("Init:")
    state = word.removeprefix("Init:")
    status: Raw = {
        "name": "",
        "ready": ready == total and total > 0,
        "restartCount": again[1] if again else cells["RESTARTS"],
    }
    if again:
        status["endedAgo"] = again[2]
    phase = state if state in _PHASES else "Running"
    code = _CODE.fullmatch(state)
    if state in _ENDINGS or code:
        number = int(code[1]) if code else 137 if "OOM" in state else 1
        status["state"] = {"terminated": {"reason": "Error" if code else state, "exitCode": number}}
        if status["restartCount"] == "0":  # such a one is not started again
            phase = "Failed"
    elif state in _OVER:
        phase = "Failed"
    elif state in {"Terminating", "NotReady"} or state in _PHASES:
        status["state"] = {"running": {}} if phase == "Running" else {}
    elif is_init and _pair(state)[1]:
        status["state"] = {"waiting": {"reason": "PodInitializing"}}
        phase = "Pending"
    else:
        status["state"] = {"waiting": {"reason": state}}
        phase = "Pending" if is_init or state != "CrashLoopBackOff" else "Running"
    phase = "Succeeded" if phase == "Completed" else phase
    is_ready = ready == total and phase == "Running"
    body: Raw = {
        "phase": phase,
        "reason": state if state in _OVER else "",
        "conditions": [{"type": "Ready", "status": "True" if is_ready else "False",
                        "reason": "" if is_ready else "ContainersNotReady"}],
        "initContainerStatuses" if is_init else "containerStatuses": [status],
    }  # fmt: skip
    node = cells.get("NODE", "")
    return {"spec": {"nodeName": "" if node in _NOTHING else node}, "status": body}


def _template(cells: Cells) -> Raw:
    """What the wide table of a workload says of the pods that it makes."""
    names, images = cells.get("CONTAINERS", ""), cells.get("IMAGES", "")
    pairs = zip(names.split(","), images.split(","), strict=False) if names and images else ()
    return {"spec": {"containers": [{"name": n, "image": i} for n, i in pairs]}}


def _selector(cells: Cells) -> Raw:
    return {"matchLabels": labels_of(cells.get("SELECTOR", ""))}


def _replicas(cells: Cells) -> Raw:
    if "DESIRED" in cells:
        ready, wanted = cells.get("AVAILABLE", "0"), cells["DESIRED"]
    else:
        ready, wanted = map(str, _pair(cells["READY"]))
    return {
        "spec": {"replicas": wanted, "template": _template(cells), "selector": _selector(cells)},
        "status": {"readyReplicas": ready},
    }


def _daemons(cells: Cells) -> Raw:
    return {
        "spec": {"template": _template(cells), "selector": _selector(cells)},
        "status": {"desiredNumberScheduled": cells["DESIRED"], "numberReady": cells["READY"]},
    }


def _set(cells: Cells) -> Raw:
    return {
        "spec": {
            "replicas": cells["DESIRED"],
            "template": _template(cells),
            "selector": _selector(cells),
        },
        "status": {"readyReplicas": cells["READY"]},
    }


def _job(cells: Cells) -> Raw:
    done, wanted = _pair(cells["COMPLETIONS"])
    word = cells.get("STATUS", "")
    conditions = [{"type": word, "status": "True"}] if word in {"Failed", "Complete"} else []
    if word == "Suspended":
        conditions = [{"type": word, "status": "True"}]
    if wanted and done >= wanted and not conditions:
        conditions = [{"type": "Complete", "status": "True"}]
    # The table does not tell a pod that works from one that was never made.
    return {"status": {"conditions": conditions, "succeeded": done, "active": not conditions}}


def _node(cells: Cells) -> Raw:
    words = cells["STATUS"].split(",")
    ready = "True" if "Ready" in words else "False"
    conditions = [{"type": "Ready", "status": ready, "reason": words[0]}]
    return {
        "spec": {"unschedulable": "SchedulingDisabled" in words},
        "status": {"conditions": conditions},
    }


def _claim(cells: Cells) -> Raw:
    volume = cells.get("VOLUME", "")
    return {
        "spec": {"storageClassName": cells.get("STORAGECLASS", ""), "volumeName": volume},
        "status": {"phase": cells["STATUS"].removeprefix("Terminating")},
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


def endpoints_of(written: str) -> Raw:
    """Return the subsets of addresses as a line writes them; none for ``<none>``."""
    if written in _NOTHING:
        return {"subsets": []}
    listed = [e.strip().rpartition(":") for e in written.partition(" + ")[0].split(",")]
    addresses = [{"ip": ip} for ip, _, _ in listed if ip]
    ports = dict.fromkeys(port for _, _, port in listed if port.isdigit())
    return {"subsets": [{"addresses": addresses, "ports": [{"port": p} for p in ports]}]}


def _endpoints(cells: Cells) -> Raw:
    return endpoints_of(cells["ENDPOINTS"])


def _slice(cells: Cells) -> Raw:
    """A slice is named after its service; its table does not say which addresses are ready."""
    written = cells["ENDPOINTS"].partition(" + ")[0]
    addresses = [] if written in _NOTHING else written.split(",")
    service = cells["NAME"].rpartition("-")[0]
    return {
        "metadata": {"labels": {"kubernetes.io/service-name": service}},
        "endpoints": [{"addresses": [a.strip()]} for a in addresses],
    }


def _service(cells: Cells) -> Raw:
    spec: Raw = {"type": cells["TYPE"], "clusterIP": cells["CLUSTER-IP"]}
    if "SELECTOR" in cells:
        spec["selector"] = labels_of(cells["SELECTOR"])
    return {"spec": spec}


def _fill(read: Callable[[Cells], Raw], *needs: str) -> Fill:
    return Fill(read, frozenset(needs))


FILLS: dict[str, Fill] = {
    "Pod": _fill(_pod, "READY", "STATUS", "RESTARTS"),
    "Deployment": _fill(_replicas, "AVAILABLE"),
    "StatefulSet": _fill(_replicas, "READY"),
    "DaemonSet": _fill(_daemons, "DESIRED", "READY"),
    "ReplicaSet": _fill(_set, "DESIRED", "READY"),
    "Job": _fill(_job, "COMPLETIONS"),
    "Node": _fill(_node, "STATUS"),
    "PersistentVolumeClaim": _fill(_claim, "STATUS"),
    "ResourceQuota": _fill(_quota),
    "Endpoints": _fill(_endpoints, "ENDPOINTS"),
    "EndpointSlice": _fill(_slice, "ENDPOINTS", "NAME"),
    "Service": _fill(_service, "TYPE", "CLUSTER-IP"),
}
"""By kind; a row of other columns is read by `columns.free_object`."""
