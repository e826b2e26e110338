"""Put pods, nodes and workloads of the invented cluster into the states of known faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes import workloads
from benchmarks.kubernetes.objects import Json, condition, meta, moment, seconds

if TYPE_CHECKING:
    from datetime import datetime

    from benchmarks.kubernetes.cluster import Cluster


def status_of(pod: Json, box: str = "") -> Json:
    """Return a container's status, the first one's by default."""
    rows: list[Json] = pod["status"]["containerStatuses"]
    return next(row for row in rows if not box or row["name"] == box)


def unready(c: Cluster, pod: Json, since: str, box: str = "") -> None:
    """Make the pod not ready since an age, because of one container."""
    status_of(pod, box)["ready"] = False
    names = [row["name"] for row in pod["status"]["containerStatuses"] if not row["ready"]]
    message = f"containers with unready status: [{' '.join(names)}]"
    for row in pod["status"]["conditions"]:
        if row["type"] in {"Ready", "ContainersReady"}:
            row |= {"status": "False", "reason": "ContainersNotReady", "message": message}
            row["lastTransitionTime"] = c.at(since)


def ended(c: Cluster, row: Json, end: tuple[int, str], *ages: str, **more: str) -> Json:
    """Return a terminated state, from exit code and reason; ages are those of begin and end."""
    code, reason = end
    began, ago = ages
    return {
        "terminated": {
            "containerID": row.get("containerID", ""),
            "exitCode": code,
            "finishedAt": c.at(ago),
            "reason": reason,
            "startedAt": c.at(began),
            **more,
        }
    }


def waiting(c: Cluster, pod: Json, reason: str, message: str, **how: Any) -> None:
    """Put a container that never started into a waiting state; `since`, `box`."""
    row = status_of(pod, how.get("box", ""))
    unready(c, pod, how["since"], row["name"])
    row |= {"state": {"waiting": {"message": message, "reason": reason}}, "started": False}
    row["imageID"] = ""
    row.pop("containerID", None)
    if all("waiting" in r["state"] for r in pod["status"]["containerStatuses"]):
        pod["status"]["phase"] = "Pending"


def crashing(c: Cluster, pod: Json, code: int, reason: str = "Error", **how: Any) -> None:
    """Put a container into CrashLoopBackOff, with its events.

    `restarts`, `ran` (how long each run lasted), `ended` (age of the last end), `since`, `box`,
    `message` (the container's termination message), `events` (False leaves them out).
    """
    row = status_of(pod, how.get("box", ""))
    about, box = meta(pod), row["name"]
    restarts: int = how.get("restarts", 7)
    last: str = how.get("ended", "2m12s")
    began = f"{seconds(last) + seconds(how.get('ran', '3s'))}s"
    # A container without a readiness probe counts as ready while it runs.
    unready(c, pod, last, box)
    more = {"message": how["message"]} if how.get("message") else {}
    row["lastState"] = ended(c, row, (code, reason), began, last, **more)
    delay = ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"][min(restarts, 6) - 1]
    where = f"{about['name']}_{about['namespace']}({about['uid']})"
    text = f"back-off {delay} restarting failed container={box} pod={where}"
    row["state"] = {"waiting": {"message": text, "reason": "CrashLoopBackOff"}}
    row |= {"restartCount": restarts, "started": False}
    if how.get("events", True):
        scheduled(c, pod)
        told = "Back-off restarting failed container"
        told += f" {box} in pod {where}" if c.minor >= 27 else ""
        repeated = {"first": how["since"], "path": box}
        c.event(pod, "BackOff", told, warning=True, last="14s", count=restarts * 4 + 3, **repeated)
        image = next(b["image"] for b in pod["spec"]["containers"] if b["name"] == box)
        present = f'Container image "{image}" already present on machine'
        c.event(pod, "Pulled", present, last=began, count=restarts, **repeated)
        c.event(pod, "Created", created(c, box), last=began, count=restarts + 1, **repeated)
        c.event(
            pod, "Started", f"Started container {box}", last=began, count=restarts + 1, **repeated
        )


def created(c: Cluster, box: str) -> str:
    """Return the kubelet's words for a created container, which changed with 1.32."""
    return f"Created container: {box}" if c.minor >= 32 else f"Created container {box}"


def restarted(c: Cluster, pod: Json, code: int, reason: str, ago: str, **how: Any) -> None:
    """Give a pod that runs well again an earlier end; `ran`, `restarts`, `box`."""
    row = status_of(pod, how.get("box", ""))
    began = f"{seconds(ago) + seconds(how.get('ran', '26h'))}s"
    row["lastState"] = ended(c, row, (code, reason), began, ago)
    row["restartCount"] = how.get("restarts", 1)
    up = f"{max(1, seconds(ago) - 2)}s"
    row["state"] = {"running": {"startedAt": c.at(up)}}
    for line in pod["status"]["conditions"]:
        if line["type"] in {"Ready", "ContainersReady"} and line["status"] == "True":
            line["lastTransitionTime"] = c.at(up)


def unscheduled(c: Cluster, pod: Json, message: str, count: int = 9, last: str = "1m40s") -> None:
    """Make the pod one that the scheduler found no node for since it was created."""
    about = meta(pod)
    pod["spec"].pop("nodeName")
    c.events = [
        e
        for e in c.events
        if e["reason"] != "Scheduled" or e["involvedObject"]["uid"] != about["uid"]
    ]
    row = condition("PodScheduled", "False", about["creationTimestamp"], "Unschedulable", message)
    pod["status"] = {
        "conditions": [row],
        "phase": "Pending",
        "qosClass": pod["status"]["qosClass"],
    }
    age = f"{int((c.setting.captured_at - _created(pod)).total_seconds())}s"
    how: Json = {"warning": True, "by": "default-scheduler"}
    c.event(pod, "FailedScheduling", message, first=age, last=last, count=count, **how)


def _created(pod: Json) -> datetime:

    return moment(meta(pod)["creationTimestamp"])


def no_node(c: Cluster, why: str, help_: str = "") -> str:
    """Return the scheduler's message; `why` counts nodes, as in `3 Insufficient cpu`."""
    total = len(c.setting.nodes)
    base = f"0/{total} nodes are available: {why}."
    spare = help_ or f"{total} No preemption victims found for incoming pod"
    return f"{base} preemption: 0/{total} nodes are available: {spare}."


def not_helpful(c: Cluster) -> str:
    """Return the scheduler's words when evicting other pods would change nothing."""
    return f"{len(c.setting.nodes)} Preemption is not helpful for scheduling"


def image_failure(c: Cluster, pod: Json, error: str, since: str, count: int = 6) -> None:
    """Make a pod's first image fail to pull with `error`, with the kubelet's events."""
    box = pod["spec"]["containers"][0]
    image = box["image"]
    text = f'Back-off pulling image "{image}"'
    state = f"{text}: ErrImagePull: {error}" if c.minor >= 32 else text
    waiting(c, pod, "ImagePullBackOff", state, since=since)
    where: Json = {"first": since, "path": box["name"]}
    c.event(pod, "Pulling", f'Pulling image "{image}"', last="2m20s", count=count, **where)
    failed = f'Failed to pull image "{image}": {error}'
    bad: Json = {**where, "warning": True}
    c.event(pod, "Failed", failed, last="2m19s", count=count, **bad)
    c.event(pod, "Failed", "Error: ErrImagePull", last="2m19s", count=count, **bad)
    c.event(pod, "Failed", "Error: ImagePullBackOff", last="1m5s", count=count * 3, **bad)
    c.event(pod, "BackOff", text, last="8s", count=count * 4, **where)
    scheduled(c, pod)


def scheduled(c: Cluster, pod: Json) -> None:
    """Add the event with which the scheduler bound the pod."""
    about = meta(pod)
    where = f"{about['namespace']}/{about['name']} to {pod['spec']['nodeName']}"
    age = f"{int((c.setting.captured_at - _created(pod)).total_seconds())}s"
    c.event(pod, "Scheduled", f"Successfully assigned {where}", last=age, by="default-scheduler")


def config_error(c: Cluster, pod: Json, what: str, since: str, count: int = 40) -> None:
    """Make a pod's first container wait for a missing object: `configmap "x" not found`."""
    box = pod["spec"]["containers"][0]["name"]
    waiting(c, pod, "CreateContainerConfigError", what, since=since)
    where: Json = {"first": since, "path": box, "warning": True}
    c.event(pod, "Failed", f"Error: {what}", last="21s", count=count, **where)
    scheduled(c, pod)


def stuck_creating(c: Cluster, pod: Json, since: str) -> None:
    """Make all of a pod's containers wait for their volumes."""
    for row in pod["status"]["containerStatuses"]:
        unready(c, pod, since, row["name"])
        row |= {
            "state": {"waiting": {"reason": "ContainerCreating"}},
            "started": False,
            "imageID": "",
        }
        row.pop("containerID", None)
    for line in pod["status"]["conditions"]:
        if line["type"] == "PodReadyToStartContainers":
            line |= {"status": "False", "lastTransitionTime": c.at(since)}
    pod["status"]["phase"] = "Pending"
    pod["status"].pop("podIP", None)
    pod["status"].pop("podIPs", None)


def stalled(c: Cluster, top: Json, owned: Json, since: str) -> None:
    """Make a deployment one whose rollout ran out of time, `since` ago."""
    top.setdefault("status", {})["progressing"] = {
        "lastTransitionTime": c.at(since),
        "lastUpdateTime": c.at(since),
        "message": f'ReplicaSet "{meta(owned)["name"]}" has timed out progressing.',
        "reason": "ProgressDeadlineExceeded",
        "status": "False",
        "type": "Progressing",
    }


def refused(c: Cluster, work: workloads.Workload, message: str, since: str, count: int) -> None:
    """Make a deployment's replica set unable to create pods, for the reason in `message`."""
    owned, top = work.sets[0], work.top
    told = f"Error creating: {message}"
    how: Json = {"warning": True, "by": "replicaset-controller"}
    c.event(owned, "FailedCreate", told, first=since, last="3m20s", count=count, **how)
    row = condition("ReplicaFailure", "True", c.at(since), "FailedCreate", message)
    row.pop("lastProbeTime")
    owned["status"] = {"conditions": [dict(row)]}
    top.setdefault("status", {})["more"] = [{**row, "lastUpdateTime": c.at(since)}]


def probe_failure(c: Cluster, pod: Json, kind: str, message: str, **how: Any) -> None:
    """Add the event of a failing probe; `first`, `last`, `count`, and `killed` restarts."""
    box = pod["spec"]["containers"][0]["name"]
    killed = how.pop("killed", 0)
    text = f"{kind} probe failed: {message}"
    c.event(pod, "Unhealthy", text, warning=True, path=box, **how)
    if killed:
        told = f"Container {box} failed {kind.lower()} probe, will be restarted"
        c.event(pod, "Killing", told, path=box, **{**how, "count": killed})


def lost_node(c: Cluster, name: str, since: str) -> Json:
    """Make a node one whose kubelet no longer reports, with its pods not ready."""
    node = c.get("Node", name)
    beat = f"{seconds(since) + 38}s"
    for row in node["status"]["conditions"]:
        row |= {
            "lastHeartbeatTime": c.at(beat), "lastTransitionTime": c.at(since), "status": "Unknown",
            "message": "Kubelet stopped posting node status.", "reason": "NodeStatusUnknown",
        }  # fmt: skip
    node["spec"]["taints"] = [
        {"effect": effect, "key": "node.kubernetes.io/unreachable", "timeAdded": c.at(since)}
        for effect in ("NoSchedule", "NoExecute")
    ]
    by = "node-controller"
    c.event(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady", last=since, by=by)
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") == name and pod["status"]["phase"] == "Running":
            for row in pod["status"]["conditions"]:
                if row["type"] == "Ready":
                    row |= {"status": "False", "lastTransitionTime": c.at(since)}
            c.event(pod, "NodeNotReady", "Node is not ready", last=since, warning=True, by=by)
    return node


def deleted(c: Cluster, pod: Json, ago: str) -> None:
    """Mark a pod as being deleted (its node cannot confirm it)."""
    meta(pod)["deletionTimestamp"] = c.at(f"{max(1, seconds(ago) - 30)}s")
    meta(pod)["deletionGracePeriodSeconds"] = 30
    about = meta(pod)
    told = f"Marking for deletion Pod {about['namespace']}/{about['name']}"
    c.event(pod, "TaintManagerEviction", told, last=ago, by="taint-eviction-controller")
    owner = meta(pod)["ownerReferences"][0]
    if owner["kind"] == "ReplicaSet":
        _replaced(c, pod, c.get("ReplicaSet", owner["name"]), ago)


def _replaced(c: Cluster, pod: Json, owned: Json, ago: str) -> None:
    """Add the pod that takes the place of one whose node is lost."""
    about = meta(owned)
    others = [n for n in c.setting.nodes if n != pod["spec"]["nodeName"]]
    fresh = workloads.add_pod(
        c, owned, f"{about['name']}-{c.suffix()}", owned["spec"]["template"]["spec"],
        namespace=about["namespace"], labels=owned["spec"]["selector"]["matchLabels"],
        age=f"{seconds(ago) - 1}s", node=c.rng.choice(others), generate=f"{about['name']}-",
    )  # fmt: skip
    scheduled(c, fresh)
    told = f"Created pod: {meta(fresh)['name']}"
    c.event(owned, "SuccessfulCreate", told, last=ago, by="replicaset-controller")


def predecessor(c: Cluster, pod: Json) -> Json:
    """Return a pod of an earlier revision that is gone: only events still speak of it."""
    parts = meta(pod)["name"].rsplit("-", 2)
    about = {**meta(pod), "name": f"{parts[0]}-{c.suffix(10)}-{c.suffix()}", "uid": c.uid()}
    return {**pod, "metadata": about}


def never_made(c: Cluster, *pods: Json) -> None:
    """Take pods away that the API server refused to create, with the events of their creation."""
    for pod in pods:
        c.items.remove(pod)
        told = f"Created pod: {meta(pod)['name']}"
        c.events = [e for e in c.events if e["message"] != told]


def reborn(c: Cluster, pod: Json, age: str, node: str = "") -> None:
    """Make a pod as young as `age`: its replica set is older and had to make it again."""
    if node:
        ip = c.pod_ip(node)
        pod["spec"]["nodeName"] = node
        pod["status"] |= {"hostIP": c.node_ip(node), "podIP": ip, "podIPs": [{"ip": ip}]}
    at = c.at(age)
    meta(pod)["creationTimestamp"] = at
    pod["status"]["startTime"] = at
    for row in pod["status"]["conditions"]:
        row["lastTransitionTime"] = at
    for row in pod["status"]["containerStatuses"]:
        row["state"] = {"running": {"startedAt": at}}
    scheduled(c, pod)


def pressed(c: Cluster, node: Json, kind: str, first: str, last: str) -> None:
    """Put a node under `memory` or `disk` pressure: condition, taint, events."""
    disk = kind == "disk"
    at, name = c.at(last), meta(node)["name"]
    reason = "KubeletHasDiskPressure" if disk else "KubeletHasInsufficientMemory"
    told = "kubelet has disk pressure" if disk else "kubelet has insufficient memory available"
    for row in node["status"]["conditions"]:
        if row["type"] == f"{kind.title()}Pressure":
            row |= {"status": "True", "reason": reason, "message": told, "lastTransitionTime": at}
    taint = {"effect": "NoSchedule", "key": f"node.kubernetes.io/{kind}-pressure", "timeAdded": at}
    node["spec"]["taints"] = [taint]
    how: Json = {"first": first, "last": last, "count": 3}
    what = "ephemeral-storage" if disk else "memory"
    c.event(node, "EvictionThresholdMet", f"Attempting to reclaim {what}", warning=True, **how)
    state = reason.replace("Kubelet", "Node")
    c.event(node, state, f"Node {name} status is now: {state}", **how)


def evicted(c: Cluster, pod: Json, message: str, ago: str) -> None:
    """Make a pod one that the kubelet evicted."""
    pod["status"] = {
        "message": message,
        "phase": "Failed",
        "reason": "Evicted",
        "startTime": pod["status"]["startTime"],
        "hostIP": pod["status"]["hostIP"],
        "qosClass": pod["status"]["qosClass"],
        "conditions": [
            condition("DisruptionTarget", "True", c.at(ago), "TerminationByKubelet", message)
        ],
    }
    c.event(pod, "Evicted", message, last=ago, warning=True)
