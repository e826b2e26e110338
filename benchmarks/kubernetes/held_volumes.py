"""Held-out cases about volumes and quotas."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, neighbours, tables, volumes, workloads
from benchmarks.kubernetes.objects import Json, volume

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_STYLE: Json = {"label": "app.kubernetes.io/name", "registry": "harbor.example.com/prod"}


def _named(name: str) -> Json:
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "platform"}


def _harrier(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "wiki"
    neighbours.web(c, ns, "editor:3", "diagrams:2", "search:2", **_STYLE)
    work = workloads.deployment(
        c, ns, "attachments", "harbor.example.com/prod/attachments:1.7.7", age="25m", port=8080,
        requests="100m/128Mi", labels=_named("attachments"), mounts={"files": "/files"},
        volumes=[volume("files", "pvc", "attachment-files")],
    )  # fmt: skip
    volumes.bound_claim(c, ns, "attachments-files", size="200Gi", age="40d", kind="nfs-retain")
    base = f'0/{len(c.setting.nodes)} nodes are available: persistentvolumeclaim "attachment-files" not found.'
    told = (
        f"{base} preemption: 0/{len(c.setting.nodes)} nodes are available: {faults.not_helpful(c)}."
    )
    faults.unscheduled(c, work.pods[0], told, count=6)
    case.question = "Uploading files to the wiki gives a 503"
    case.started = "25m"
    why = "attachments uses the claim attachment-files, which does not exist (there is attachments-files)."
    case.fault("pending_pvc", "config,disk", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "pvc", "events", namespace=ns)
        out.describe("describe.txt", *work.pods)

    return save


def _shearwater(c: Cluster, case: Case) -> Saver:
    ns = "batch-reports"
    neighbours.web(c, ns, "composer:4", "mailer:2", "templates:3", "archive", **_STYLE)
    labels = {"job-name": "quarter-close"}
    job = c.add(
        "Job", "quarter-close", "24m", namespace=ns, labels=labels, generation=1,
        spec={"completions": 6, "parallelism": 6, "backoffLimit": 4, "template": {"metadata": {"labels": labels}}},
        status={"active": 0, "startTime": c.at("24m")},
    )  # fmt: skip
    told = (
        f'Error creating: pods "quarter-close-{c.suffix()}" is forbidden: exceeded quota: reports, requested:'
        " requests.memory=8Gi, used: requests.memory=2432Mi, limited: requests.memory=10Gi"
    )
    c.event(
        job,
        "FailedCreate",
        told,
        warning=True,
        first="24m",
        last="4m2s",
        count=13,
        by="job-controller",
    )
    hard = {"count/jobs.batch": "20", "pods": "40", "requests.memory": "10Gi"}
    used = {"count/jobs.batch": "1", "pods": "3", "requests.memory": "2432Mi"}
    quota = c.add(
        "ResourceQuota",
        "reports",
        "400d",
        namespace=ns,
        spec={"hard": hard},
        status={"hard": hard, "used": used},
    )
    case.question = "The quarter-close job has been created but no pod starts"
    case.started = "24m"
    why = "The quota reports allows 10Gi of memory requests, and a pod of quarter-close would exceed it."
    case.fault("quota_exceeded", "config,memory", why, quota, job)

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c, ns))
        out.text("events.txt", tables.events(c, ns))
        out.describe("quota.txt", quota)
        out.listed("job.yaml", "Job", ns)

    return save


def _fulmar(c: Cluster, case: Case) -> Saver:
    ns = "timeseries"
    neighbours.web(c, ns, "query:2", "rules:2", **_STYLE)
    work = workloads.stateful_set(
        c, ns, "ingester", "harbor.example.com/prod/ingester:2.11", replicas=2, age="200d", claim="100Gi",
        requests="500m/2Gi", labels=_named("ingester"), mounts={"data": "/data"},
    )  # fmt: skip
    pod = work.pods[1]
    faults.reborn(c, pod, "18m")
    faults.stuck_creating(c, pod, "18m")
    held = c.get("PersistentVolumeClaim", "data-ingester-1")["spec"]["volumeName"]
    told = (
        f'MountVolume.MountDevice failed for volume "{held}" : rpc error: code = Internal desc = failed to format and'
        " mount: 'fsck' found errors on device /dev/nvme2n1 but could not correct them: fsck from util-linux 2.37.4"
        "\n/dev/nvme2n1: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.\n"
    )
    c.event(pod, "FailedMount", told, warning=True, first="17m", last="52s", count=16)
    told = f'AttachVolume.Attach succeeded for volume "{held}"'
    c.event(pod, "SuccessfulAttachVolume", told, last="17m50s", by="attachdetach-controller")
    case.question = "ingester-1 卡在 ContainerCreating"
    case.started = "18m"
    why = "The file system of ingester-1's volume is damaged: fsck could not repair it, so it is not mounted."
    case.fault(
        "volume_mount",
        "disk,unknown",
        why,
        work.top,
        pod,
        c.get("PersistentVolumeClaim", "data-ingester-1"),
    )
    return lambda out: out.listed("ts.json", "Pod,Event,PersistentVolumeClaim", ns)


def _razorbill(c: Cluster, case: Case) -> Saver:
    ns = "mailroom"
    neighbours.web(c, ns, "smtp:2", "spam-filter:2", "imap:2", **_STYLE)
    work = neighbours.database(
        c, ns, "mailbox", "docker.io/library/postgres:14.11", claim="500Gi", age="320d"
    )
    pod, claim = work.pods[0], c.get("PersistentVolumeClaim", "data-mailbox-0")
    faults.reborn(c, pod, "32m")
    faults.stuck_creating(c, pod, "32m")
    held, node = claim["spec"]["volumeName"], pod["spec"]["nodeName"]
    error = (
        f'rpc error: code = Internal desc = Could not attach volume "{held[:12]}" to node "{node}": attachment of disk'
        " failed: the node has reached its maximum of 26 attached volumes"
    )
    c.add(
        "VolumeAttachment", f"csi-{c.rng.getrandbits(256):064x}", "32m",
        spec={"attacher": "csi.example.com", "nodeName": node, "source": {"persistentVolumeName": held}},
        status={"attached": False, "attachError": {"message": error, "time": c.at("48s")}},
    )  # fmt: skip
    told = f'AttachVolume.Attach failed for volume "{held}" : {error}'
    c.event(
        pod,
        "FailedAttachVolume",
        told,
        warning=True,
        first="31m",
        last="48s",
        count=22,
        by="attachdetach-controller",
    )
    case.started = "32m"
    told = f"StatefulSet {ns}/mailbox has not matched the expected number of replicas."
    case.alert("KubeStatefulSetReplicasMismatch", "16m", told, namespace=ns, statefulset="mailbox")
    why = (
        f"The volume of mailbox-0 cannot be attached: {node} has reached its maximum of 26 volumes."
    )
    case.fault("volume_attach", "disk,config", why, work.top, pod, claim)

    def save(out: Folder) -> None:
        out.listed("mailroom.yaml", "Pod,StatefulSet,PersistentVolumeClaim,Event", ns)
        out.listed("volumeattachments.yaml", "VolumeAttachment")

    return save


BUILDERS: Json = {
    "harrier": _harrier, "shearwater": _shearwater, "fulmar": _fulmar, "razorbill": _razorbill,
}  # fmt: skip
