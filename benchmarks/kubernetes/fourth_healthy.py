"""Fourth set: clusters in which nothing is wrong, and somebody worries."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    describing,
    faults,
    neighbours,
    pasted,
    tables,
    workloads,
)
from benchmarks.kubernetes.fourth_parts import (
    STYLE,
    named,
    node_upgrade,
    old_crashes,
    pull_error,
    sandbox_trouble,
    unused_claim,
    waited,
)
from benchmarks.kubernetes.objects import Json, http_probe
from benchmarks.kubernetes.third_parts import failed_job, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_FINE = ("healthy", "inconclusive")


def _chalk(c: Cluster, case: Case) -> Saver:
    """A control plane with the restarts of a year."""
    neighbours.system(c, network="calico-node", age="66d")
    works = neighbours.web(c, "intranet", "portal:2", "directory", "wiki-lite:2", **STYLE)
    for index, pod in enumerate(c.of("Pod", "kube-system")):
        faults.restarted(c, pod, 255, "Unknown", "39d", ran="20d", restarts=3 + index % 7)
    old_crashes(c, works[1].pods[0], 57, "26h")
    failed_job(c, "intranet", "ldap-sync", "3d4h")
    case.question = "Restart counters in kube-system are all between 3 and 9 and directory has 57. Do we need to act before the weekend?"
    case.verdict = _FINE
    case.decoys = [
        "kube-system: restarts of 39 days ago",
        "directory: 57 restarts, the last one more than a day ago",
        "job ldap-sync: failed three days ago",
    ]

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get nodes -o wide", tables.nodes(c)),
            ("kubectl get pods -A", tables.pods(c, wide=False)),
            ("kubectl get deploy,ds -A", tables.table(c, "Deployment") + "\n" + tables.table(c, "DaemonSet")),
            ("kubectl get events -A | tail -30", pasted.tail(tables.events(c), 30)),
        ]  # fmt: skip
        out.text("weekly-check.txt", pasted.session("[root@k8s-master01 ~]# ", *steps))

    return save


def _obsidian(c: Cluster, case: Case) -> Saver:
    """The nodes were upgraded within the hour, and everything is back."""
    ns = "logistics"
    works = neighbours.web(c, ns, "orders:3", "couriers:2", "invoices", **STYLE)
    neighbours.database(
        c,
        ns,
        "orders-db",
        "docker.io/library/postgres:15.7",
        age="300d",
        pods_age="30d",
        replicas=1,
    )
    node_upgrade(c, c.setting.nodes[0], "57m", "44m")
    node_upgrade(c, c.setting.nodes[1], "41m", "27m")
    sandbox_trouble(c, works[0].pods[0], "38m")
    waited(c, works[1].pods[0], "35m")
    gone = faults.predecessor(c, works[2].pods[0])
    box = works[2].pods[0]["spec"]["containers"][0]["name"]
    c.event(gone, "Killing", f"Stopping container {box}", last="40m", path=box)
    case.question = "升级完节点之后事件里一堆 Warning，NodeNotSchedulable、FailedScheduling 之类的，现在集群正常吗？"
    case.verdict = _FINE
    case.decoys = [
        "two nodes were cordoned and restarted on purpose, and are back, as are their pods",
        "orders: a predecessor had no network for a minute 38 minutes ago",
        "couriers: a predecessor waited for a node 35 minutes ago",
    ]

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get node -o wide", tables.nodes(c)),
            (f"kubectl get pod -n {ns} -o wide", tables.pods(c, ns)),
            (f"kubectl get deploy,sts -n {ns}", tables.table(c, "Deployment", ns) + "\n" + tables.table(c, "StatefulSet", ns)),
            ("kubectl get event -A", tables.events(c)),
        ]  # fmt: skip
        out.text("升级后检查.txt", pasted.taken(c, steps, "root@vm-0-5:~"))

    return save


def _talc(c: Cluster, case: Case) -> Saver:
    """A release that went wrong at first, and was mended 40 minutes ago."""
    ns = "newsletters"
    works = neighbours.web(c, ns, "composer:2", "sender:2", "unsubscribe", **STYLE)
    image = "reg.example.com/prod/segments"
    work = workloads.deployment(
        c, ns, "segments", f"{image}:1.31.1", replicas=2, age="190d", pods_age="39m", port=8080, requests="100m/128Mi", labels=named("segments"),
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    gone = faults.predecessor(c, work.pods[0])
    told = f'Failed to pull image "{image}:1.31": ' + pull_error(
        c, f"{image}:1.31", f"{image}:1.31: not found", "NotFound"
    )
    for text, count in ((told, 6), ("Error: ErrImagePull", 6), ("Error: ImagePullBackOff", 41)):
        warn(c, gone, "Failed", text, "57m", "40m", count=count, path="segments")
    unused_claim(c, ns, "old-exports", "212d")
    neighbours.job_noise(c, ns, "bounce-cleanup", "21m")
    old_crashes(c, works[1].pods[1], 14, "2d")
    case.question = (
        "Is segments OK now? There were ImagePullBackOffs earlier and one PVC is still Pending"
    )
    case.verdict = _FINE
    case.decoys = [
        "segments: its wrong image tag was corrected 40 minutes ago",
        "old-exports: a claim that waits for a first pod, as nobody uses it",
        "sender: 14 restarts, the last one two days ago",
    ]

    def save(out: Folder) -> None:
        out.listed("objects.yaml", "Pod,Deployment,Service,Endpoints,PersistentVolumeClaim", ns)
        out.text("events.txt", tables.events(c, ns))

    return save


def _topaz(c: Cluster, case: Case) -> Saver:
    """A kill for memory of last night, an evening peak that the autoscaler has met."""
    ns = "streaming"
    works = neighbours.web(c, ns, "playlists:3", "profiles:2", "watch-history:4", **STYLE)
    pod = works[2].pods[1]
    faults.restarted(c, pod, 137, "OOMKilled", "19h", ran="20h", restarts=2)
    scaler = c.add("HorizontalPodAutoscaler", "watch-history", "150d", namespace=ns, spec={"maxReplicas": 10, "minReplicas": 2})  # fmt: skip
    text = "New size: 4; reason: cpu resource utilization (percentage of request) above target"
    c.event(scaler, "SuccessfulRescale", text, last="49m", by="horizontal-pod-autoscaler")
    neighbours.job_noise(c, ns, "trending", "13m")
    failed_job(c, ns, "catalog-diff", "1d3h")
    case.question = "Grafana showed an OOMKilled for watch-history, customers say 'app feels slow'. anything wrong in k8s?"
    case.verdict = _FINE
    case.decoys = [
        "watch-history: one kill for memory 19 hours ago",
        "job catalog-diff: failed a day ago",
    ]

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c, ns))
        out.text("events.txt", tables.events(c, ns))
        out.text("deployments.txt", tables.table(c, "Deployment", ns))
        out.text("describe-watch-history.txt", describing.describe(c, pod))

    return save


BUILDERS: Json = {"chalk": _chalk, "obsidian": _obsidian, "talc": _talc, "topaz": _topaz}
