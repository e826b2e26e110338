"""What the fifth set of saved clusters brought: names, old things that look bad, alerts."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, workloads
from benchmarks.kubernetes.fourth_parts import unplaced
from benchmarks.kubernetes.objects import Json, meta, seconds

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case
    from benchmarks.kubernetes.cluster import Cluster, Workload

IMAGES = "harbor.example.com/live"
STYLE: Json = {"label": "app.kubernetes.io/name", "registry": IMAGES}


def named(name: str) -> Json:
    """Return the labels of a workload."""
    return {"app.kubernetes.io/instance": name, "app.kubernetes.io/name": name}


_SUMMED = {"KubePodNotReady"}


def rule(case: Case, name: str, since: str, summary: str, **labels: str) -> None:
    """Add an alert of kube-prometheus with the labels that its scrape of the state adds.

    A rule that sums over series keeps only those that it sums by.
    """
    shared = {
        "container": "kube-state-metrics",
        "endpoint": "http",
        "job": "kube-state-metrics",
        "prometheus": "monitoring/kps-prometheus",
        "service": "kps-kube-state-metrics",
    }
    if name in _SUMMED:
        shared = {key: shared[key] for key in ("job", "prometheus")}
    case.alert(name, since, summary, **{**shared, **labels})


def idle_pending(c: Cluster, namespace: str, name: str, age: str) -> Workload:
    """Add a demonstration that has waited for a label on a node for weeks; nobody misses it."""
    work = workloads.deployment(
        c, namespace, name, f"harbor.example.com/demo/{name}:0.1", age=age, pods_age=age, revision=1,
        labels={"app.kubernetes.io/name": name, "purpose": "demo"}, nodeSelector={"disk": "nvme"},
    )  # fmt: skip
    total = len(c.setting.nodes)
    why = f"{total} node(s) didn't match Pod's node affinity/selector"
    told = unplaced(c, why, f"{total} Preemption is not helpful for scheduling")
    faults.unscheduled(c, work.pods[0], told, count=seconds(age) // 300, last="4m1s")
    faults.stalled(c, work.top, work.sets[0], f"{seconds(age) - 600}s")
    return work


def rough_start(c: Cluster, work: Workload, age: str, count: int = 3) -> None:
    """Let young pods have failed their readiness probe while they started, and no more since."""
    for pod in work.pods:
        ip = pod["status"]["podIP"]
        port = pod["spec"]["containers"][0]["ports"][0]["containerPort"]
        told = f'Get "http://{ip}:{port}/ready": dial tcp {ip}:{port}: connect: connection refused'
        first, last = f"{seconds(age) - 6}s", f"{seconds(age) - 6 - 10 * (count - 1)}s"
        faults.probe_failure(c, pod, "Readiness", told, first=first, last=last, count=count)


def mount_trouble(c: Cluster, pod: Json, volume: str, why: str, since: str) -> None:
    """Make a pod wait for a volume that the kubelet cannot set up."""
    faults.stuck_creating(c, pod, since)
    told = f'MountVolume.SetUp failed for volume "{volume}" : {why}'
    c.event(
        pod,
        "FailedMount",
        told,
        warning=True,
        first=since,
        last="1m12s",
        count=seconds(since) // 80,
    )
    faults.scheduled(c, pod)


def without(c: Cluster, pod: Json, *reasons: str) -> None:
    """Take events of a pod away that its fault never had."""
    uid = meta(pod)["uid"]
    c.events = [
        e for e in c.events if e["involvedObject"]["uid"] != uid or e["reason"] not in reasons
    ]
