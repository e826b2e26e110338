"""What the fourth set of saved clusters brought: old things that look bad, wordings by version."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, workloads
from benchmarks.kubernetes.objects import Json, container, meta, seconds

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster, Workload

STYLE: Json = {"label": "app", "registry": "reg.example.com/prod"}


def named(name: str) -> Json:
    """Return the labels of a workload."""
    return {"app": name, "owner": "platform"}


def unplaced(c: Cluster, why: str, help_: str) -> str:
    """Return the scheduler's message; from 1.26 to 1.29 it ended with two full stops."""
    total = len(c.setting.nodes)
    end = ".." if 26 <= c.minor <= 29 else "."
    base = f"0/{total} nodes are available: {why}."
    return f"{base} preemption: 0/{total} nodes are available: {help_}{end}"


def pull_error(c: Cluster, image: str, why: str, code: str = "Unknown") -> str:
    """Return containerd's error of a pull; before 1.30 the kubelet showed the call's code."""
    lead = f"rpc error: code = {code} desc = " if c.minor < 30 else ""
    return f'{lead}failed to pull and unpack image "{image}": failed to resolve reference "{image}": {why}'


def cleared(c: Cluster, name: str) -> None:
    """Move every pod that stands on a node to another one."""
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") == name:
            other = c.rng.choice([node for node in c.setting.nodes if node != name])
            ip = c.pod_ip(other)
            pod["spec"]["nodeName"] = other
            pod["status"] |= {"hostIP": c.node_ip(other), "podIP": ip, "podIPs": [{"ip": ip}]}


def control_plane(c: Cluster) -> Json:
    """Make the first node one of the control plane, on which no workload stands."""
    node = c.get("Node", c.setting.nodes[0])
    node["spec"]["taints"] = [
        {"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"}
    ]
    meta(node)["labels"]["node-role.kubernetes.io/control-plane"] = ""
    cleared(c, meta(node)["name"])
    return node


def forgotten_pod(c: Cluster, namespace: str, name: str, age: str) -> Json:
    """Add somebody's bare pod that ended with an error long ago."""
    box = container(name, "docker.io/library/busybox:1.36", command=["sh"])
    spec: Json = {
        "containers": [box], "dnsPolicy": "ClusterFirst", "restartPolicy": "Never",
        "schedulerName": "default-scheduler", "serviceAccountName": "default",
    }  # fmt: skip
    pod = workloads.add_pod(c, None, name, spec, namespace=namespace, labels={"run": name}, age=age)
    end = f"{seconds(age) - 240}s"
    row = faults.status_of(pod)
    row["state"] = faults.ended(c, row, (1, "Error"), f"{seconds(age) - 3}s", end)
    row |= {"ready": False, "started": False}
    pod["status"]["phase"] = "Failed"
    for line in pod["status"]["conditions"]:
        if line["type"] in {"Ready", "ContainersReady"}:
            line |= {"status": "False", "reason": "PodFailed", "lastTransitionTime": c.at(end)}
    return pod


def abandoned(c: Cluster, namespace: str, name: str, age: str) -> Workload:
    """Add a workload whose image has been gone for weeks, and that nobody misses."""
    image = f"reg.example.com/sandbox/{name}:tmp"
    work = workloads.deployment(
        c, namespace, name, image, age=age, pods_age=age, revision=1, labels={"app": name, "owner": "none"},
    )  # fmt: skip
    faults.waiting(c, work.pods[0], "ImagePullBackOff", f'Back-off pulling image "{image}"', since=age)  # fmt: skip
    told = f'Back-off pulling image "{image}"'
    c.event(work.pods[0], "BackOff", told, first=age, last="2m", count=90211, path=name)
    faults.stalled(c, work.top, work.sets[0], f"{seconds(age) - 600}s")
    return work


def old_crashes(c: Cluster, pod: Json, count: int, ago: str) -> None:
    """Give a pod that runs well now many ends with an error, the last one long ago."""
    born = c.at(f"{seconds(ago) * 2 + 7200}s")
    owned = c.get("ReplicaSet", meta(pod)["ownerReferences"][0]["name"])
    for item in (pod, owned):
        meta(item)["creationTimestamp"] = min(born, meta(item)["creationTimestamp"])
    pod["status"]["startTime"] = meta(pod)["creationTimestamp"]
    for row in pod["status"]["conditions"]:
        row["lastTransitionTime"] = meta(pod)["creationTimestamp"]
    faults.restarted(c, pod, 1, "Error", ago, ran="3m", restarts=count)


def node_upgrade(c: Cluster, name: str, began: str, ended: str) -> None:
    """Let a node have been cordoned, restarted and freed again within the hour."""
    node = c.get("Node", name)
    up = f"{seconds(ended) + 45}s"
    told = f"Node {name} status is now: "
    c.event(node, "NodeNotSchedulable", f"{told}NodeNotSchedulable", last=began)
    c.event(node, "Starting", "Starting kubelet.", last=up)
    capacity = "invalid capacity 0 on image filesystem"
    c.event(node, "InvalidDiskCapacity", capacity, last=up, warning=True)
    for state in ("NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"):
        c.event(node, state, told + state, first=up, last=up, count=2)
    text = f"Node {name} has been rebooted, boot id: {c.uid()}"
    c.event(node, "Rebooted", text, last=up, warning=True)
    c.event(node, "NodeReady", f"{told}NodeReady", last=f"{seconds(ended) + 10}s")
    c.event(node, "NodeSchedulable", f"{told}NodeSchedulable", last=ended)
    for row in node["status"]["conditions"]:
        row["lastTransitionTime"] = c.at(up)
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") == name and meta(pod)["creationTimestamp"] < c.at("1d"):
            faults.restarted(c, pod, 255, "Unknown", f"{seconds(ended) + 90}s", ran="9h")
            text = "Pod sandbox changed, it will be killed and re-created."
            c.event(pod, "SandboxChanged", text, last=f"{seconds(ended) + 20}s")


def unused_claim(c: Cluster, namespace: str, name: str, age: str) -> Json:
    """Add a claim that waits for a first pod, and that no pod uses."""
    claim = c.add(
        "PersistentVolumeClaim", name, age, namespace=namespace,
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}},
              "storageClassName": "standard", "volumeMode": "Filesystem"},
        status={"phase": "Pending"},
    )  # fmt: skip
    told = "waiting for first consumer to be created before binding"
    how: Json = {"first": age, "last": "12s", "count": 9244, "by": "persistentvolume-controller"}
    c.event(claim, "WaitForFirstConsumer", told, **how)
    return claim


def sandbox_trouble(c: Cluster, pod: Json, ago: str) -> None:
    """Let a predecessor of a pod have had no network, for a minute, a while ago."""
    gone = faults.predecessor(c, pod)
    told = (
        f'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "{c.rng.getrandbits(256):064x}":'
        ' plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized: Unauthorized'
    )
    first = f"{seconds(ago) + 55}s"
    c.event(gone, "FailedCreatePodSandBox", told, warning=True, first=first, last=ago, count=5)


def waited(c: Cluster, pod: Json, ago: str) -> None:
    """Let a predecessor of a pod have waited for a new node that has long come."""
    gone = faults.predecessor(c, pod)
    count = len(c.setting.nodes)
    why = f"{count} Insufficient cpu"
    told = unplaced(c, why, f"{count} No preemption victims found for incoming pod")
    first = f"{seconds(ago) + 130}s"
    how: Json = {"first": first, "last": ago, "count": 3, "by": "default-scheduler"}
    c.event(gone, "FailedScheduling", told, warning=True, **how)
    text = "pod triggered scale-up: [{pool-general 3->4 (max: 10)}]"
    c.event(gone, "TriggeredScaleUp", text, last=first, by="cluster-autoscaler")
