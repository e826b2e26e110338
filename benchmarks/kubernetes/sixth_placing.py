"""Sixth set: pods for which there is no place, or which may not be made."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    describing,
    faults,
    neighbours,
    pasted,
    printed,
    tables,
    workloads,
)
from benchmarks.kubernetes.fourth_parts import forgotten_pod, old_crashes, unplaced
from benchmarks.kubernetes.objects import Json, meta
from benchmarks.kubernetes.sixth_parts import IMAGES, STYLE, forgotten_trial, named, spread
from benchmarks.kubernetes.third_parts import failed_job, leftovers

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _gurnard(c: Cluster, case: Case) -> Saver:
    """Somebody asked for more replicas than the nodes have processors for."""
    ns = "exam-grading"
    style = {**STYLE, "requests": "850m/512Mi", "limits": "2/1Gi", "age": "80d", "pods_age": "12d"}
    others = neighbours.web(c, ns, "scanner:3", "answer-store:3", "teacher-portal:3", **style)
    spread(c, [pod for work in others for pod in work.pods])
    work = workloads.deployment(
        c, ns, "ocr-worker", f"{IMAGES}/ocr-worker:1.4.2", replicas=4, age="80d", pods_age="16m", requests="2/1Gi", limits="4/2Gi", labels=named("ocr-worker"),
    )  # fmt: skip
    total = len(c.setting.nodes)
    told = unplaced(c, f"{total} Insufficient cpu", f"{total} No preemption victims found for incoming pod")  # fmt: skip
    for pod in work.pods:
        faults.unscheduled(c, pod, told, count=4, last="54s")
    failed_job(c, ns, "archive-papers", "22h")
    forgotten_pod(c, ns, "curl-debug", "15d")
    case.question = (
        "ocr-worker 四个副本全是 Pending，kubectl top node 看 CPU 才用 20%，调度器是不是坏了？"
    )
    case.started = "16m"
    case.decoys = [
        "job archive-papers: failed 22 hours ago",
        "curl-debug: somebody's pod, ended with an error 15 days ago",
    ]
    why = "Each pod of ocr-worker asks for 2 processors, and no node has so much unrequested."
    case.fault("pending_cpu", "cpu,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod, node = work.pods[2], c.of("Node")[0]
        steps = [
            (f"kubectl get pods -n {ns} -o wide", tables.pods(c, ns)),
            (f"kubectl describe pod {meta(pod)['name']} -n {ns} | grep -A10 Events", printed.last_events(c, pod)),
            (f"kubectl describe node {meta(node)['name']}", describing.describe(c, node)),
        ]  # fmt: skip
        out.text("现场.txt", pasted.session("ubuntu@master1:~$ ", *steps))

    return save


def _classless(c: Cluster, name: str, kind: str, since: str) -> Json:
    """Make a claim one that asks for a storage class which does not exist."""
    claim = c.get("PersistentVolumeClaim", name)
    c.items.remove(c.get("PersistentVolume", claim["spec"].pop("volumeName")))
    meta(claim).pop("annotations")
    claim["spec"]["storageClassName"] = kind
    claim["status"] = {"phase": "Pending"}
    told = f'storageclass.storage.k8s.io "{kind}" not found'
    by = "persistentvolume-controller"
    c.event(claim, "ProvisioningFailed", told, warning=True, first=since, last="9s", count=128, by=by)  # fmt: skip
    return claim


def _haddock(c: Cluster, case: Case) -> Saver:
    """A chart's values name the storage class of another cluster."""
    ns = "search"
    others = neighbours.web(c, ns, "query-api:2", "suggest", **STYLE)
    work = workloads.stateful_set(
        c, ns, "opensearch-data", "docker.io/opensearchproject/opensearch:2.17.1", replicas=1, age="32m", claim="80Gi", requests="500m/2Gi", labels=named("opensearch-data"),
        mounts={"data": "/usr/share/opensearch/data"}, port=9200,
    )  # fmt: skip
    claim = _classless(c, "data-opensearch-data-0", "gp3-ssd", "32m")
    total = len(c.setting.nodes)
    told = unplaced(c, "pod has unbound immediate PersistentVolumeClaims", f"{total} Preemption is not helpful for scheduling")  # fmt: skip
    faults.unscheduled(c, work.pods[0], told, count=7, last="2m4s")
    old_crashes(c, others[1].pods[0], 18, "7d")
    case.question = "opensearch-data-0 Pending after helm install. We just added 2 nodes for it, doesn't help. Do we need even bigger nodes?"
    case.started = "32m"
    case.decoys = ["suggest: 18 restarts, the last one seven days ago"]
    why = (
        "The claim data-opensearch-data-0 asks for the storage class gp3-ssd, which does not exist."
    )
    case.fault("pending_pvc", "config,disk,deploy", why, claim, work.pods[0], work.top)

    def save(out: Folder) -> None:
        parts = [
            ("Hi all,\n\nsince the helm install this morning:", tables.pods(c, ns, wide=False)),
            ("kubectl describe pod opensearch-data-0 ends with", printed.last_events(c, work.pods[0])),
            ("and the claim:", describing.describe(c, claim)),
            ("storage classes we have:", "NAME                 PROVISIONER       RECLAIMPOLICY   VOLUMEBINDINGMODE      ALLOWVOLUMEEXPANSION   AGE\ngp3 (default)        ebs.csi.aws.com   Delete          WaitForFirstConsumer   true                   88d\n"),
        ]  # fmt: skip
        out.text("mail.txt", pasted.mailed(*parts))

    return save


def _herring(c: Cluster, case: Case) -> Saver:
    """The only node in the zone of the volume has no room for the pod."""
    ns = "telemetry"
    style = {**STYLE, "requests": "200m/3Gi", "limits": "1/4Gi", "age": "60d", "pods_age": "20d"}
    others = neighbours.web(c, ns, "ingester:3", "compactor:3", "query-front:3", **style)
    spread(c, [pod for work in others for pod in work.pods])
    work = workloads.stateful_set(
        c, ns, "timescale", "docker.io/timescale/timescaledb:2.17.2-pg16", replicas=1, age="190d", claim="300Gi", requests="1/8Gi", limits="2/8Gi", labels=named("timescale"),
        mounts={"data": "/var/lib/postgresql/data"}, port=5432,
    )  # fmt: skip
    pod, total = work.pods[0], len(c.setting.nodes)
    faults.reborn(c, pod, "47m")
    told = unplaced(
        c, f"1 Insufficient memory, {total - 1} node(s) had volume node affinity conflict",
        f"1 No preemption victims found for incoming pod, {total - 1} Preemption is not helpful for scheduling",
    )  # fmt: skip
    faults.unscheduled(c, pod, told, count=10, last="1m58s")
    leftovers(c, others[2], "9d")
    forgotten_trial(c, ns, "anomaly-poc", "31d")
    case.question = (
        "timescale-0 stuck in Pending since the node group was recycled, dashboards are empty"
    )
    case.started = "47m"
    case.decoys = [
        "query-front: a pod that was evicted nine days ago was never deleted",
        "anomaly-poc: has waited for a secret for 31 days",
    ]
    why = "timescale-0 asks for 8Gi; the one node in the zone of its volume has not so much unrequested, and the others are in other zones."
    claim = c.get("PersistentVolumeClaim", "data-timescale-0")
    case.fault("pending_memory", "memory,disk,config", why, work.top, pod, claim)

    def save(out: Folder) -> None:
        parts = [
            ("What happened?", "We recycled the node group. timescale-0 does not come back."),
            ("kubectl get pods -n telemetry", tables.pods(c, ns, wide=False)),
            ("kubectl get pvc -n telemetry", tables.table(c, "PersistentVolumeClaim", ns)),
            ("kubectl get events", printed.recent(c, ns)),
            ("Kubernetes version", c.setting.version),
        ]  # fmt: skip
        out.text("issue.md", pasted.issue("timescale-0 Pending", *parts))

    return save


def _ling(c: Cluster, case: Case) -> Saver:
    """The quota counts limits, and the pods name none."""
    ns = "partner-portal"
    style = {**STYLE, "requests": "200m/256Mi", "limits": "400m/512Mi"}
    others = neighbours.web(c, ns, "portal-web:2", "contract-api:2", **style)
    work = workloads.deployment(
        c, ns, "invoice-export", f"{IMAGES}/invoice-export:0.9.1", replicas=2, age="36m", revision=1, requests="100m/128Mi", labels=named("invoice-export"),
    )  # fmt: skip
    faults.never_made(c, *work.pods)
    name = meta(work.pods[0])["name"]
    text = f'pods "{name}" is forbidden: failed quota: compute-quota: must specify limits.cpu for: invoice-export; limits.memory for: invoice-export'
    faults.refused(c, work, text, "36m", 18)
    faults.stalled(c, work.top, work.sets[0], "26m")
    quota = c.add(
        "ResourceQuota", "compute-quota", "140d", namespace=ns, spec={"hard": {"limits.cpu": "8", "limits.memory": "16Gi"}},
        status={"hard": {"limits.cpu": "8", "limits.memory": "16Gi"}, "used": {"limits.cpu": "1600m", "limits.memory": "2Gi"}},
    )  # fmt: skip
    old_crashes(c, others[0].pods[1], 7, "10d")
    failed_job(c, ns, "vat-check", "3d")
    case.question = "I deployed invoice-export, kubectl apply said created, but there is no pod at all?? no errors anywhere"
    case.started = "36m"
    case.decoys = [
        "portal-web: 7 restarts, the last one ten days ago",
        "job vat-check: failed three days ago",
    ]
    why = (
        "The quota compute-quota wants limits from every container, and invoice-export names none."
    )
    case.fault("quota_exceeded", "config,deploy", why, work.top, work.sets[0], quota)

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get deploy,rs -n {ns}", tables.table(c, "Deployment", ns, prefix="deployment.apps/") + "\n" + tables.table(c, "ReplicaSet", ns, prefix="replicaset.apps/")),
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl describe rs {meta(work.sets[0])['name']} -n {ns}", describing.describe(c, work.sets[0])),
            (f"kubectl top pods -n {ns}", printed.used(c, ns, {})),
        ]  # fmt: skip
        out.text("console.log", pasted.session("jo@wsl:~/portal$ ", *steps))

    return save


BUILDERS: Json = {
    "gurnard": _gurnard, "haddock": _haddock, "herring": _herring, "ling": _ling,
}  # fmt: skip
