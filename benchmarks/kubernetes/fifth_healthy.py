"""Fifth set: clusters in which nothing is wrong, and somebody worries."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    faults,
    neighbours,
    pasted,
    tables,
    workloads,
)
from benchmarks.kubernetes.fifth_parts import IMAGES, STYLE, named, rough_start
from benchmarks.kubernetes.fourth_parts import old_crashes, unplaced, waited
from benchmarks.kubernetes.objects import Json, http_probe, meta
from benchmarks.kubernetes.third_parts import flapped_node, leftovers, moved, old_kills

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_FINE = ("healthy", "inconclusive")


def _harp(c: Cluster, case: Case) -> Saver:
    """Restart counters of a power cut three days ago."""
    ns = "churchwiki"
    works = neighbours.web(c, ns, "wiki:2", "choir-calendar", "donations:2", age="90d", pods_age="44d", **STYLE)  # fmt: skip
    neighbours.database(c, ns, "wiki-db", "docker.io/library/postgres:16.3", age="90d", pods_age="44d", replicas=1)  # fmt: skip
    for index, pod in enumerate(c.of("Pod", ns)):
        faults.restarted(c, pod, 255, "Unknown", "3d5h", ran="20d", restarts=1 + index % 3)
    old_crashes(c, works[2].pods[1], 38, "44h")
    neighbours.job_noise(c, ns, "backup", "26m")
    case.question = "Every pod has restarts and donations has 38!! Is something wrong with the cluster? (we had a power cut at the weekend)"
    case.verdict = _FINE
    case.decoys = [
        "all pods: restarts of the power cut three days ago",
        "donations: 38 restarts, the last one nearly two days ago",
    ]

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get nodes", tables.nodes(c)),
            ("kubectl get pods -A", tables.pods(c, wide=False)),
            ("kubectl get events -A", tables.events(c)),
        ]
        out.text("check.txt", pasted.session("pi@k3s-server:~ $ ", *steps))

    return save


def _lute(c: Cluster, case: Case) -> Saver:
    """A release of 25 minutes ago whose pods were not ready for half a minute."""
    ns = "ehr-portal"
    works = neighbours.web(c, ns, "patients:3", "lab-results:2", "sso-proxy:2", **STYLE)
    work = workloads.deployment(
        c, ns, "appointments-api", f"{IMAGES}/appointments-api:2.14.0", replicas=3, age="260d", pods_age="25m", port=8080, requests="200m/512Mi", labels=named("appointments-api"),
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    rough_start(c, work, "25m")
    old_kills(c, works[1].pods[0], "2d4h")
    waited(c, works[0].pods[1], "47m")
    case.question = "刚发完 appointments-api 2.14.0，事件里有 Unhealthy 和 FailedScheduling 的 Warning，可以收工吗？"
    case.verdict = _FINE
    case.decoys = [
        "appointments-api: its new pods failed their readiness probe while they started",
        "patients: a predecessor waited for a node 47 minutes ago",
        "lab-results: 17 kills for memory, the last one two days ago",
    ]

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl rollout status deploy/appointments-api -n {ns}", 'deployment "appointments-api" successfully rolled out\n'),
            (f"kubectl get pod -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl get deploy -n {ns}", tables.table(c, "Deployment", ns)),
            (f"kubectl get events -n {ns} --sort-by=.lastTimestamp", tables.events(c, ns)),
        ]  # fmt: skip
        out.text("发布检查.txt", pasted.taken(c, steps, "root@deploy01"))

    return save


def _marimba(c: Cluster, case: Case) -> Saver:
    """A node was away for three minutes; it and its pods are back."""
    ns = "harvest"
    neighbours.web(c, ns, "silo-sensors:3", "weighbridge:2", "contracts:2", age="130d", pods_age="22d", **STYLE)  # fmt: skip
    flapped_node(c, c.setting.nodes[2])
    case.question = f"I got paged 'node {c.setting.nodes[2]} NotReady' and when I looked it was Ready. Is it still broken, do I have to drain it?"
    case.verdict = _FINE
    case.decoys = [f"{c.setting.nodes[2]}: was not ready for three minutes 55 minutes ago"]

    def save(out: Folder) -> None:
        out.tables("nodes", "pods", "deployments")
        out.describe("describe-node.txt", c.get("Node", c.setting.nodes[2]))
        out.text("get-events.txt", tables.events(c))

    return save


def _sitar(c: Cluster, case: Case) -> Saver:
    """A busy morning: more replicas, a node more, old evictions; all is well now."""
    ns = "parcel-lockers"
    works = neighbours.web(
        c, ns, "locker-gw:4", "otp-sender:2", "routes", age="200d", pods_age="33d", **STYLE
    )
    fresh = works[0].pods[3]
    moved(c, fresh, "41m", c.setting.nodes[-1])
    where = f"Successfully assigned {ns}/{meta(fresh)['name']} to {c.setting.nodes[-1]}"
    c.event(fresh, "Scheduled", where, last="39m", by="default-scheduler")
    told = unplaced(c, f"{len(c.setting.nodes) - 1} Insufficient cpu", f"{len(c.setting.nodes) - 1} No preemption victims found for incoming pod")  # fmt: skip
    c.event(fresh, "FailedScheduling", told, warning=True, first="41m", last="41m", by="default-scheduler")  # fmt: skip
    text = "pod triggered scale-up: [{workers-a 3->4 (max: 8)}]"
    c.event(fresh, "TriggeredScaleUp", text, last="40m", by="cluster-autoscaler")
    scaler = c.add("HorizontalPodAutoscaler", "locker-gw", "200d", namespace=ns, spec={"maxReplicas": 12, "minReplicas": 2})  # fmt: skip
    text = "New size: 4; reason: cpu resource utilization (percentage of request) above target"
    c.event(scaler, "SuccessfulRescale", text, last="42m", by="horizontal-pod-autoscaler")
    leftovers(c, works[1], "14d", "14d6h", "15d")
    case.question = "morning check parcel-lockers: 3 Evicted pods + FailedScheduling warnings, should I open an incident?"
    case.verdict = _FINE
    case.decoys = [
        "otp-sender: three pods that were evicted two weeks ago were never deleted",
        "locker-gw: its fourth pod waited for a new node for a minute",
    ]

    def save(out: Folder) -> None:
        pods = tables.pods(c, ns, wide=False)
        lines = [
            ("5m", "omar", f"pods:\n{pasted.quoted(pods)}"),
            ("4m", "omar", f"k get deploy\n{pasted.quoted(tables.table(c, 'Deployment', ns))}"),
            ("3m", "omar", f"and events\n{pasted.quoted(tables.events(c, ns))}"),
            ("2m", "lin", f"{meta(fresh)['name']} looks ok to me"),
        ]  # fmt: skip
        out.text("slack.md", pasted.chat(c, *lines))
        out.listed("pods.yaml", "Pod", ns)

    return save


BUILDERS: Json = {"harp": _harp, "lute": _lute, "marimba": _marimba, "sitar": _sitar}
