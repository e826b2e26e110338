"""Third set: cases about volumes, limits and quotas."""

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
    volumes,
    workloads,
)
from benchmarks.kubernetes.objects import Json, meta, volume
from benchmarks.kubernetes.third_parts import STYLE, named, old_kills, repaired_image, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _quince(c: Cluster, case: Case) -> Saver:
    """A limit range, not a quota, forbids the pods."""
    ns = "tutoring"
    neighbours.web(c, ns, "lessons:2", "calendar:2", **STYLE)
    work = workloads.deployment(
        c, ns, "whiteboard", "cr.example.com/tutoring/whiteboard:0.9.1", replicas=2, age="23m", revision=1,
        requests="250m/1Gi", limits="1/2Gi", labels=named("whiteboard"),
    )  # fmt: skip
    owned = work.sets[0]
    faults.never_made(c, *work.pods)
    told = f'pods "{meta(owned)["name"]}-{c.suffix()}" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi'
    faults.refused(c, work, told, "23m", 16)
    limits = c.add("LimitRange", "container-bounds", "300d", namespace=ns)
    bounds: Json = {
        "type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "default": {"cpu": "500m", "memory": "256Mi"},
        "defaultRequest": {"cpu": "100m", "memory": "128Mi"},
    }  # fmt: skip
    limits["spec"] = {"limits": [bounds]}
    summary = f"Deployment {ns}/whiteboard has not matched the expected number of replicas for longer than 15 minutes."
    case.alert("KubeDeploymentReplicasMismatch", "8m", summary, namespace=ns, deployment="whiteboard", job="kube-state-metrics")  # fmt: skip
    case.started = "23m"
    why = "The limit range container-bounds allows 1Gi of memory for a container, and whiteboard's limit is 2Gi."
    case.fault("quota_exceeded", "config,memory", why, work.top, owned, limits)

    def save(out: Folder) -> None:
        out.single("whiteboard-deployment.json", work.top)
        waits = 'Waiting for deployment "whiteboard" rollout to finish: 0 out of 2 new replicas have been updated...\n'
        steps = [
            (f"kubectl -n {ns} rollout status deploy/whiteboard --timeout=30s", waits + "error: timed out waiting for the condition"),
            (f"kubectl -n {ns} describe limitrange", printed.limits(limits)),
            (f"kubectl -n {ns} get pods", tables.pods(c, ns, wide=False)),
        ]  # fmt: skip
        out.text("term.txt", pasted.session("% ", *steps))

    return save


def _willow(c: Cluster, case: Case) -> Saver:
    """A stateful set that stands still at its first pod: the storage is full."""
    ns = "registry-mirror"
    neighbours.web(c, ns, "ui:2", "gc-report", **STYLE)
    work = workloads.stateful_set(
        c, ns, "blobs", "cr.example.com/platform/blobs:3.0", replicas=3, age="28m", claim="400Gi", requests="250m/512Mi",
        labels=named("blobs"),
    )  # fmt: skip
    for pod in work.pods[1:]:
        c.items.remove(pod)
    for index in (0, 1, 2):
        claim = c.get("PersistentVolumeClaim", f"data-blobs-{index}")
        c.items.remove(c.get("PersistentVolume", claim["spec"].pop("volumeName")))
        if index:
            c.items.remove(claim)
    claim, pod = c.get("PersistentVolumeClaim", "data-blobs-0"), work.pods[0]
    meta(claim).pop("annotations")
    claim["spec"]["storageClassName"] = "lvm-thin"
    claim["status"] = {"phase": "Pending"}
    by = "local.csi.example.com_csi-provisioner-6f7d9b8c54-qmz7p_1f0c7c52-3d51-4f0e-9f55-0a4c1f6d2b11"
    told = 'failed to provision volume with StorageClass "lvm-thin": rpc error: code = ResourceExhausted desc = Node CreateVolume: device creation failed: not enough space'
    warn(c, claim, "ProvisioningFailed", told, "28m", "2m10s", count=15, by=by)
    text = f'External provisioner is provisioning volume for claim "{ns}/data-blobs-0"'
    c.event(claim, "Provisioning", text, first="28m", last="2m10s", count=15, by=by)
    text = "waiting for pod blobs-0 to be scheduled"
    c.event(claim, "WaitForPodScheduled", text, first="28m", last="11s", count=104, by="persistentvolume-controller")  # fmt: skip
    faults.unscheduled(c, pod, 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded', count=3, last="8m")  # fmt: skip
    text = "create Claim data-blobs-0 Pod blobs-0 in StatefulSet blobs success"
    c.event(work.top, "SuccessfulCreate", text, last="28m", by="statefulset-controller")
    summary = f"StatefulSet {ns}/blobs has not matched the expected number of replicas for longer than 15 minutes."
    case.alert("KubeStatefulSetReplicasMismatch", "13m", summary, namespace=ns, statefulset="blobs", job="kube-state-metrics")  # fmt: skip
    case.started = "28m"
    why = "The volume for data-blobs-0 cannot be made: the storage behind the class lvm-thin has not enough space."
    case.fault("pending_pvc", "disk,config,dependency", why, claim, work.top, pod)

    def save(out: Folder) -> None:
        out.text("sts.txt", printed.controller(c, work.top))
        out.describe("pvc.txt", claim)
        out.describe("blobs-0.txt", pod)

    return save


def _yarrow(c: Cluster, case: Case) -> Saver:
    """The driver that should mount the share is not on that node."""
    neighbours.system(c, network="cilium")
    ns = "scans"
    neighbours.web(c, ns, "ocr:2", "upload:2", **STYLE)
    repaired_image(c, ns, "preview")
    share = volumes.bound_claim(c, ns, "incoming", size="2Ti", age="390d", kind="smb")
    work = workloads.deployment(
        c, ns, "watch-folder", "cr.example.com/scans/watch-folder:1.2.9", age="390d", pods_age="60d", requests="50m/64Mi",
        labels=named("watch-folder"), mounts={"in": "/in"}, volumes=[volume("in", "pvc", "incoming")],
    )  # fmt: skip
    pod, held = work.pods[0], share["spec"]["volumeName"]
    faults.reborn(c, pod, "44m", c.setting.nodes[2])
    faults.stuck_creating(c, pod, "44m")
    told = f'MountVolume.MountDevice failed for volume "{held}" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name smb.csi.k8s.io not found in the list of registered CSI drivers'
    warn(c, pod, "FailedMount", told, "44m", "1m5s", count=29)
    case.question = (
        "Scanned documents have not been picked up since about three quarters of an hour"
    )
    case.started = "44m"
    case.decoys = ["preview: its wrong image tag was corrected 36 minutes ago"]
    why = f"watch-folder's share cannot be mounted: the driver smb.csi.k8s.io is not registered on {c.setting.nodes[2]}."
    node = c.get("Node", c.setting.nodes[2])
    case.fault(
        "volume_mount", "config,disk,dependency", why, work.top, pod, work.sets[0], share, node
    )
    return lambda out: out.dump(ns)


def _zinnia(c: Cluster, case: Case) -> Saver:
    """The disk behind the volume was deleted by hand."""
    ns = "warehouse"
    works = neighbours.web(c, ns, "pick-lists:2", "labels:2", **STYLE)
    work = neighbours.database(
        c, ns, "stock-db", "docker.io/library/postgres:15.7", age="700d", claim="120Gi", replicas=1
    )
    pod, claim = work.pods[0], c.get("PersistentVolumeClaim", "data-stock-db-0")
    held = claim["spec"]["volumeName"]
    handle = c.get("PersistentVolume", held)["spec"]["csi"]["volumeHandle"]
    faults.reborn(c, pod, "27m")
    faults.stuck_creating(c, pod, "27m")
    told = f'AttachVolume.Attach failed for volume "{held}" : rpc error: code = NotFound desc = [ControllerPublishVolume] Volume {handle} not found'
    warn(c, pod, "FailedAttachVolume", told, "27m", "41s", count=21, by="attachdetach-controller")
    for one in works[0].pods:
        at = c.ago("12s").strftime("%Y-%m-%d %H:%M:%S")
        c.log(one, f"{at} ERROR could not connect to stock-db.warehouse:5432: connection refused")
    old_kills(c, works[1].pods[0], "18h")
    case.question = "仓库的拣货单 pick-lists 全部报错，连不上数据库"
    case.started = "27m"
    case.decoys = [
        "labels: 17 kills for memory, the last 18 hours ago",
        "pick-lists: only says that stock-db does not answer",
    ]
    why = "The disk behind the volume of stock-db-0 does not exist any more, so it cannot be attached."
    case.fault("volume_attach", "disk,config,dependency", why, work.top, pod, claim)

    def save(out: Folder) -> None:
        parts = [
            ("昨晚有人在控制台清理过磁盘。", tables.pods(c, ns)),
            (f"`kubectl -n {ns} describe pod stock-db-0`", describing.describe(c, pod)),
            (f"`kubectl -n {ns} get pvc`", tables.table(c, "PersistentVolumeClaim", ns)),
            ("pick-lists 日志：", c.logs[ns, meta(works[0].pods[0])["name"], "pick-lists", False]),
        ]
        out.text("故障记录.md", pasted.fenced(*parts))

    return save


BUILDERS: Json = {
    "quince": _quince, "willow": _willow, "yarrow": _yarrow, "zinnia": _zinnia,
}  # fmt: skip
