"""Sixth set: nodes, their disks, and a volume that is held elsewhere."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    faults,
    neighbours,
    pasted,
    printed,
    tables,
    volumes,
    workloads,
)
from benchmarks.kubernetes.fifth_parts import rule
from benchmarks.kubernetes.fourth_parts import old_crashes, unused_claim
from benchmarks.kubernetes.objects import Json, seconds, volume
from benchmarks.kubernetes.sixth_parts import (
    IMAGES,
    STYLE,
    forgotten_trial,
    named,
    runtime_down,
    spread,
    worn,
)
from benchmarks.kubernetes.third_parts import failed_job, moved, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster, Workload
    from benchmarks.kubernetes.saving import Folder


def _sardine(c: Cluster, case: Case) -> Saver:
    """The container runtime of a node does not answer any more."""
    ns = "fleet"
    works = neighbours.web(c, ns, "positions:3", "geofence:3", "driver-app:3", **STYLE)
    spread(c, [pod for work in works for pod in work.pods])
    name = c.setting.nodes[1]
    old_crashes(c, works[1].pods[0], 12, "6d")
    node = runtime_down(c, name, "22m")
    for pod in c.of("Pod", ns):
        if pod["spec"].get("nodeName") == name:
            faults.deleted(c, pod, "17m")
    failed_job(c, ns, "toll-import", "27h")
    case.started = "22m"
    case.decoys = [
        "geofence: 12 restarts, the last one six days ago",
        "job toll-import: failed more than a day ago",
    ]
    text = f"{name} has been unready for more than 15 minutes on cluster prod."
    rule(case, "KubeNodeNotReady", "7m", text, node=name, condition="Ready", status="true")
    why = f"The container runtime of {name} does not answer its kubelet, so the node is not ready."
    case.fault("node_not_ready", "unknown,restart,dependency,config", why, node)

    def save(out: Folder) -> None:
        refused = '\\"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused\\"'

        def stamp(ago: str) -> str:
            return f"{c.ago(ago):%m%d %H:%M:%S}.{seconds(ago) * 7919:06d}    1187"

        rows = [
            ("1m3s", f'E{stamp("1m3s")} kuberuntime_sandbox.go:305] "Failed to list pod sandboxes" err="rpc error: code = Unavailable desc = connection error: desc = {refused}"'),
            ("58s", f'I{stamp("58s")} kubelet.go:2412] "Skipping pod synchronization" err="[container runtime is down, PLEG is not healthy: pleg was last seen active 23m54.102s ago; threshold is 3m0s]"'),
            ("53s", f'E{stamp("53s")} generic.go:238] "GenericPLEG: Unable to retrieve pods" err="rpc error: code = Unavailable desc = connection error: desc = {refused}"'),
        ]  # fmt: skip
        out.tables("nodes")
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("node.txt", node)
        out.text("kubelet-journal.txt", printed.journal(c, name, "kubelet[1187]", *rows))

    return save


def _filled(c: Cluster, work: Workload, name: str) -> list[Json]:
    """Let the kubelet of a node have evicted two pods of a workload for its disk."""
    owned, gone = work.sets[0], list[Json]()
    for ago, born, kib in (("41m", "6d3h", 61298732), ("13m", "40m", 58870144)):
        pod = workloads.pod_of(c, owned, born, name)
        left = 8100000 + c.rng.randrange(90000)
        told = f"The node was low on resource: ephemeral-storage. Threshold quantity: 10091158530, available: {left}Ki. Container transcoder was using {kib}Ki, request is 0, has larger consumption of ephemeral-storage. "
        faults.evicted(c, pod, told, ago)
        gone.append(pod)
    return gone


def _sole(c: Cluster, case: Case) -> Saver:
    """A program writes its scratch files onto the node's disk until the kubelet evicts it."""
    ns = "podcasts"
    neighbours.web(c, ns, "feed:2", "player", **STYLE)
    work = workloads.deployment(
        c, ns, "transcoder", f"{IMAGES}/transcoder:4.1.0", replicas=1, age="210d", pods_age="25d", requests="1/1Gi", limits="2/2Gi", labels=named("transcoder"),
        volumes=[volume("scratch", "emptyDir", "")], mounts={"scratch": "/scratch"},
    )  # fmt: skip
    name = c.setting.nodes[2]
    node = c.get("Node", name)
    faults.pressed(c, node, "disk", "42m", "13m")
    gone = _filled(c, work, name)
    worn(c, work.pods[0], work.sets[0], f"{seconds('13m') - 2}s")
    unused_claim(c, ns, "masters-old", "300d")
    case.question = "Uploads to our podcast site fail every half hour since this morning, dump attached, what's up?"
    case.started = "42m"
    case.decoys = ["masters-old: a claim that waits for a first pod, as nobody uses it"]
    why = f"transcoder fills the disk of {name} with its scratch files, and the kubelet evicts it."
    case.fault("node_pressure_eviction", "disk,config", why, work.top, *gone, node, *work.pods, work.sets[0])  # fmt: skip
    return lambda out: out.dump(ns)


def _tench(c: Cluster, case: Case) -> Saver:
    """The new pod wants a disk that the old pod's node still holds."""
    ns = "wiki-prod"
    neighbours.web(c, ns, "renderer:2", "auth-proxy", **STYLE)
    claim = volumes.bound_claim(c, ns, "wiki-attachments", size="120Gi", age="500d", kind="csi-rbd")
    work = workloads.deployment(
        c, ns, "wiki", f"{IMAGES}/wiki:8.9.1", replicas=1, age="500d", pods_age="70d", port=8090, requests="500m/2Gi", labels=named("wiki"), mounts={"files": "/var/wiki"},
        volumes=[volume("files", "pvc", "wiki-attachments")], revision=9,
    )  # fmt: skip
    pod, held = work.pods[0], claim["spec"]["volumeName"]
    moved(c, pod, "34m", c.setting.nodes[0])
    faults.stuck_creating(c, pod, "34m")
    faults.scheduled(c, pod)
    told = f'Multi-Attach error for volume "{held}" Volume is already exclusively attached to one node and can\'t be attached to another'
    warn(c, pod, "FailedAttachVolume", told, "34m", by="attachdetach-controller")
    token = pod["spec"]["volumes"][-1]["name"]
    text = f"Unable to attach or mount volumes: unmounted volumes=[files], unattached volumes=[files {token}]: timed out waiting for the condition"
    warn(c, pod, "FailedMount", text, "32m", "1m41s", count=14)
    other = c.add(
        "VolumeAttachment", f"csi-{c.rng.getrandbits(256):064x}", "70d",
        spec={"attacher": "rbd.csi.ceph.com", "nodeName": c.setting.nodes[2], "source": {"persistentVolumeName": held}}, status={"attached": True},
    )  # fmt: skip
    forgotten_trial(c, ns, "wiki-bot", "66d")
    case.question = (
        "半夜 k8s 节点重启后 wiki 打不开，pod 一直 ContainerCreating，是镜像太大拉得慢吗？"
    )
    case.started = "34m"
    case.decoys = ["wiki-bot: has waited for a secret for 66 days"]
    why = f"The volume of wiki is still attached to {other['spec']['nodeName']}, so it cannot be attached where the new pod is."
    case.fault("volume_attach", "disk,config,dependency,unknown", why, pod, work.top, claim, work.sets[0])  # fmt: skip

    def save(out: Folder) -> None:
        parts = [
            ("h3. 环境\nkubeadm + ceph rbd\n\nkubectl get pod -n wiki-prod -o wide", tables.pods(c, ns)),
            ("kubectl describe pod 末尾", printed.last_events(c, pod)),
            ("kubectl get volumeattachment", printed.attachments(c)),
            ("h3. 期望\n尽快恢复", ""),
        ]  # fmt: skip
        out.text("INC-7702.txt", pasted.ticket(*parts))

    return save


BUILDERS: Json = {"sardine": _sardine, "sole": _sole, "tench": _tench}
