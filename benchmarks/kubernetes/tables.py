"""The tables that `kubectl get` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes.objects import Json, human, meta, moment

if TYPE_CHECKING:
    from datetime import datetime

    from benchmarks.kubernetes.cluster import Cluster

Rows = list[list[str]]


def render(rows: Rows) -> str:
    """Lay rows out as kubectl does: columns as wide as their widest cell plus three."""
    widths = [max(len(row[i]) for row in rows) + 3 for i in range(len(rows[0]))]
    lines = ("".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def age(c: Cluster, at: str | datetime) -> str:
    """Return how long before the capture a time was."""
    return human(c.setting.captured_at - (moment(at) if isinstance(at, str) else at))


def pod_state(pod: Json) -> str:
    """Return the STATUS column of a pod."""
    status = pod["status"]
    state: str = status.get("reason") or status["phase"]
    for row in reversed(status.get("containerStatuses", [])):
        if (found := row["state"].get("waiting")) or (found := row["state"].get("terminated")):
            state = found["reason"]
    for row in status.get("initContainerStatuses", []):
        if found := row["state"].get("waiting"):
            state = f"Init:{found['reason']}"
    return "Terminating" if "deletionTimestamp" in meta(pod) else state


def restarts(c: Cluster, pod: Json) -> str:
    """Return the RESTARTS column of a pod."""
    status = pod["status"]
    # A pod that stands still in its init containers shows their restarts.
    rows: list[Json] = status.get("initContainerStatuses") or status.get("containerStatuses", [])
    total = sum(row["restartCount"] for row in rows)
    last = [row["lastState"]["terminated"]["finishedAt"] for row in rows if row["lastState"]]
    return f"{total} ({age(c, max(last))} ago)" if total and last else str(total)


def pods(
    c: Cluster, namespace: str = "", *, wide: bool = True, labels: bool = False, prefix: str = ""
) -> str:
    """Return `kubectl get pods`, of all namespaces when none is named."""
    head = ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    extra = ["IP", "NODE", "NOMINATED NODE", "READINESS GATES"]
    rows = [["NAMESPACE"] * (not namespace) + head + extra * wide + ["LABELS"] * labels]
    for pod in ordered(c.of("Pod", namespace or None)):
        boxes: list[Json] = pod["status"].get("containerStatuses", [])
        ready = sum(row["ready"] for row in boxes)
        row = [meta(pod)["namespace"]] * (not namespace)
        row += [
            prefix + meta(pod)["name"],
            f"{ready}/{len(pod['spec']['containers'])}",
            pod_state(pod),
        ]
        row += [restarts(c, pod), age(c, meta(pod)["creationTimestamp"])]
        if wide:
            node = pod["spec"].get("nodeName", "<none>")
            row += [pod["status"].get("podIP", "<none>"), node, "<none>", "<none>"]
        if labels:
            row.append(",".join(f"{k}={v}" for k, v in sorted(meta(pod)["labels"].items())))
        rows.append(row)
    return render(rows)


def ordered(items: list[Json]) -> list[Json]:
    """Sort objects by namespace and name, as the API lists them."""
    return sorted(items, key=lambda i: (meta(i).get("namespace", ""), meta(i)["name"]))


def node_state(node: Json) -> str:
    """Return the STATUS column of a node."""
    ready = next(r for r in node["status"]["conditions"] if r["type"] == "Ready")
    state = "Ready" if ready["status"] == "True" else "NotReady"
    return state + ",SchedulingDisabled" * bool(node["spec"].get("unschedulable"))


def nodes(c: Cluster) -> str:
    """Return `kubectl get nodes -o wide`."""
    head = "NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION"
    rows = [[*head.split(), "CONTAINER-RUNTIME"]]
    for node in ordered(c.of("Node")):
        info = node["status"]["nodeInfo"]
        rows.append(
            [
                meta(node)["name"], node_state(node), "<none>",
                age(c, meta(node)["creationTimestamp"]), info["kubeletVersion"],
                node["status"]["addresses"][0]["address"], "<none>", info["osImage"],
                info["kernelVersion"], info["containerRuntimeVersion"],
            ]
        )  # fmt: skip
    return render(rows)


def when(event: Json) -> tuple[str, str, int]:
    """Return an event's first time, last time and count, whichever kind it is."""
    series: Json = event.get("series") or {}
    first: str = event.get("firstTimestamp") or event["eventTime"]
    last: str = series.get("lastObservedTime") or event.get("lastTimestamp") or first
    return first, last, int(series.get("count") or event.get("count") or 1)


def seen(c: Cluster, event: Json) -> str:
    """Return an event's age as `kubectl get events` and `describe` write it."""
    first, last, count = when(event)
    if count > 1:
        return f"{age(c, last)} (x{count} over {age(c, first)})"
    return age(c, last)


def events(c: Cluster, namespace: str = "") -> str:
    """Return `kubectl get events`, sorted by last time."""
    head = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    rows = [["NAMESPACE"] * (not namespace) + head]
    for event in sorted(c.events, key=lambda e: moment(when(e)[1])):
        about = event["involvedObject"]
        if namespace and event["metadata"]["namespace"] != namespace:
            continue
        shown = age(c, when(event)[1])
        row = [event["metadata"]["namespace"]] * (not namespace)
        row += [shown, event["type"], event["reason"], f"{about['kind'].lower()}/{about['name']}"]
        rows.append([*row, event["message"].replace("\n", " ")])
    return render(rows)


def _cells(c: Cluster, item: Json) -> list[str]:
    return CELLS[item["kind"]][1](c, item)


def _deployment(_c: Cluster, item: Json) -> list[str]:
    status = item["status"]
    ready = f"{status.get('readyReplicas', 0)}/{item['spec']['replicas']}"
    return [ready, str(status.get("updatedReplicas", 0)), str(status.get("availableReplicas", 0))]


def _replica_set(_c: Cluster, item: Json) -> list[str]:
    status = item["status"]
    counts = (item["spec"]["replicas"], status["replicas"], status.get("readyReplicas", 0))
    return [str(n) for n in counts]


def _stateful_set(_c: Cluster, item: Json) -> list[str]:
    return [f"{item['status']['readyReplicas']}/{item['spec']['replicas']}"]


def _daemon_set(_c: Cluster, item: Json) -> list[str]:
    keys = "desiredNumberScheduled currentNumberScheduled numberReady updatedNumberScheduled"
    status = item["status"]
    return [*(str(status[k]) for k in keys.split()), str(status["numberAvailable"]), "<none>"]


def _service(_c: Cluster, item: Json) -> list[str]:
    spec = item["spec"]
    ports = ",".join(f"{p['port']}/{p['protocol']}" for p in spec["ports"])
    return [spec["type"], spec["clusterIP"], "<none>", ports]


def _endpoints(_c: Cluster, item: Json) -> list[str]:
    shown = endpoint_list(item)
    return [", ".join(shown[:3]) + f" + {len(shown) - 3} more..." * (len(shown) > 3) or "<none>"]


def endpoint_list(item: Json) -> list[str]:
    """Return the ready `address:port` pairs of an Endpoints object."""
    return [
        f"{address['ip']}:{port['port']}"
        for subset in item.get("subsets", [])
        for address in subset.get("addresses", [])
        for port in subset.get("ports", [])
    ]


def _claim(_c: Cluster, item: Json) -> list[str]:
    spec, status = item["spec"], item["status"]
    size = status.get("capacity", {}).get("storage", "")
    modes = "RWO" if status.get("accessModes") else ""
    return [status["phase"], spec.get("volumeName", ""), size, modes, spec["storageClassName"]]


def _quota(_c: Cluster, item: Json) -> list[str]:
    hard, used = item["status"]["hard"], item["status"]["used"]
    shown = {k: f"{k}: {used[k]}/{hard[k]}" for k in sorted(hard)}
    requests = ", ".join(v for k, v in shown.items() if not k.startswith("limits."))
    return [requests, ", ".join(v for k, v in shown.items() if k.startswith("limits."))]


def _job(_c: Cluster, item: Json) -> list[str]:
    status = item["status"]
    took = human(moment(status["completionTime"]) - moment(status["startTime"]))
    return ["1/1", took]


CELLS: dict[str, tuple[str, Any]] = {
    "Deployment": ("READY UP-TO-DATE AVAILABLE", _deployment),
    "ReplicaSet": ("DESIRED CURRENT READY", _replica_set),
    "StatefulSet": ("READY", _stateful_set),
    "DaemonSet": ("DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE_SELECTOR", _daemon_set),
    "Service": ("TYPE CLUSTER-IP EXTERNAL-IP PORT(S)", _service),
    "Endpoints": ("ENDPOINTS", _endpoints),
    "PersistentVolumeClaim": ("STATUS VOLUME CAPACITY ACCESS_MODES STORAGECLASS", _claim),
    "ResourceQuota": ("REQUEST LIMIT", _quota),
    "Job": ("COMPLETIONS DURATION", _job),
}
_AGE_FIRST = {"ResourceQuota"}


def table(c: Cluster, kind: str, namespace: str = "", *, prefix: str = "") -> str:
    """Return `kubectl get KIND`; `prefix` is put before names, as `kubectl get all` does."""
    head = [word.replace("_", " ") for word in CELLS[kind][0].split()]
    early = kind in _AGE_FIRST
    head = [*(["AGE"] * early), *head, *(["AGE"] * (not early))]
    rows = [["NAMESPACE"] * (not namespace) + ["NAME", *head]]
    for item in ordered(c.of(kind, namespace or None)):
        old = [age(c, meta(item)["creationTimestamp"])]
        row = [meta(item)["namespace"]] * (not namespace) + [prefix + meta(item)["name"]]
        rows.append([*row, *(old * early), *_cells(c, item), *(old * (not early))])
    return render(rows)


def top(rows: Rows, *, boxes: bool = True) -> str:
    """Return `kubectl top pods`; rows as namespace, pod, (container,) cpu, memory."""
    head = ["NAMESPACE", "POD" if boxes else "NAME", *(["NAME"] * boxes), "CPU(cores)"]
    return render([[*head, "MEMORY(bytes)"], *rows])
