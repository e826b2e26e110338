"""Fifth set: nodes, volumes, a rollout that waits, a small limit on processors."""

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
from benchmarks.kubernetes.fifth_parts import IMAGES, STYLE, idle_pending, named, rule
from benchmarks.kubernetes.fourth_parts import (
    forgotten_pod,
    old_crashes,
    sandbox_trouble,
    unused_claim,
)
from benchmarks.kubernetes.objects import Json, http_probe, meta, seconds, volume
from benchmarks.kubernetes.third_parts import failed_job, moved, rollout, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster, Workload
    from benchmarks.kubernetes.saving import Folder


def _timpani(c: Cluster, case: Case) -> Saver:
    """A node runs out of memory as a whole, and its kubelet is heard of no more."""
    ns = "linear-tv"
    works = neighbours.web(c, ns, "epg:3", "adverts:3", "playout-ui:2", limits="", **STYLE)
    name = c.setting.nodes[1]
    node = faults.lost_node(c, name, "29m")
    for process, pid, ago in (("ffmpeg", 402117, "33m"), ("ffmpeg", 402390, "32m"), ("containerd-shim", 398004, "31m")):  # fmt: skip
        told = f"System OOM encountered, victim process: {process}, pid: {pid}"
        warn(c, node, "SystemOOM", told, ago)
    for pod in c.of("Pod", ns):
        if pod["spec"].get("nodeName") == name:
            faults.deleted(c, pod, "24m")
    quiet = next(p for p in works[0].pods if p["spec"]["nodeName"] != name)
    old_crashes(c, quiet, 9, "10d")
    failed_job(c, ns, "epg-import", "26h")
    idle_pending(c, ns, "subtitles-ai", "35d")
    case.started = "29m"
    case.decoys = [
        "epg: 9 restarts, the last one ten days ago",
        "job epg-import: failed more than a day ago",
        "subtitles-ai: has waited for a node with a label for 35 days",
    ]
    text = f"{name} is unreachable and some workloads may be rescheduled on cluster prod."
    rule(case, "KubeNodeUnreachable", "14m", text, node=name, key="node.kubernetes.io/unreachable", effect="NoSchedule")  # fmt: skip
    text = f"{name} has been unready for more than 15 minutes on cluster prod."
    rule(case, "KubeNodeNotReady", "14m", text, node=name, condition="Ready", status="true")
    why = f"{name} ran out of memory as a whole, and its kubelet posts no state any more."
    case.fault("node_not_ready", "memory,unknown,network_loss,restart", why, node)

    def save(out: Folder) -> None:
        out.tables("nodes")
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("describe-node.txt", node)
        out.text("events-default.txt", tables.events(c, "default"))

    return save


def _squeezed(c: Cluster, work: Workload, name: str) -> list[Json]:
    """Let the kubelet of a node have evicted three pods of a workload for memory."""
    owned, gone = work.sets[0], list[Json]()
    for ago, born, kib in (("44m", "2d2h", 9127344), ("29m", "43m", 8840216), ("11m", "27m", 9301580)):  # fmt: skip
        pod = workloads.pod_of(c, owned, born, name)
        left = 80000 + c.rng.randrange(20000)
        told = f"The node was low on resource: memory. Threshold quantity: 100Mi, available: {left}Ki. Container notebook was using {kib}Ki, request is 512Mi, has larger consumption of memory. "
        faults.evicted(c, pod, told, ago)
        gone.append(pod)
    return gone


def _tuba(c: Cluster, case: Case) -> Saver:
    """A notebook takes far more memory than it asked for, and is evicted again and again."""
    ns = "actuarial"
    neighbours.web(c, ns, "hub:2", "datasets", **STYLE)
    work = workloads.deployment(
        c, ns, "notebook-reserving", f"{IMAGES}/notebook:2026.2", replicas=1, age="44d", pods_age="20d", requests="500m/512Mi", labels=named("notebook-reserving"), box="notebook",
    )  # fmt: skip
    name = c.setting.nodes[2]
    node = c.get("Node", name)
    faults.pressed(c, node, "memory", "45m", "11m")
    gone = _squeezed(c, work, name)
    faults.reborn(c, work.pods[0], f"{seconds('11m') - 2}s", c.setting.nodes[0])
    unused_claim(c, ns, "scratch-2024", "400d")
    case.question = (
        "精算平台的 notebook 每十几分钟就断一次，kubectl 里一堆 Evicted，是不是有人在删我们的 pod？"
    )
    case.started = "45m"
    case.decoys = ["scratch-2024: a claim that waits for a first pod, as nobody uses it"]
    why = f"notebook-reserving uses 9 GiB on {name} and asked for 512Mi; the kubelet evicts it for memory."
    sets = work.sets[0]
    case.fault(
        "node_pressure_eviction", "memory,config", why, work.top, node, *gone, *work.pods, sets
    )

    def save(out: Folder) -> None:
        parts = [
            (
                "用户反馈 notebook 频繁断开。kubectl get pod -n actuarial -o wide",
                tables.pods(c, ns),
            ),
            ("kubectl get events -n actuarial", tables.events(c, ns)),
            (f"kubectl describe node {name} 的最后一部分", printed.last_events(c, node)),
        ]
        out.text("ITSM-20931.txt", pasted.ticket(*parts))

    return save


def _ukulele(c: Cluster, case: Case) -> Saver:
    """One disk hangs while it is attached; another one holds no readable file system."""
    ns = "veterinary"
    neighbours.web(c, ns, "appointments:2", "invoices", **STYLE)
    claim = volumes.bound_claim(c, ns, "xray-archive", size="500Gi", age="280d", kind="gp3")
    work = workloads.deployment(
        c, ns, "xray-store", f"{IMAGES}/xray-store:2.4", replicas=1, age="280d", pods_age="60d", port=4242, requests="250m/512Mi", labels=named("xray-store"), mounts={"images": "/images"},
        volumes=[volume("images", "pvc", "xray-archive")],
    )  # fmt: skip
    pod, held = work.pods[0], claim["spec"]["volumeName"]
    disk = c.get("PersistentVolume", held)["spec"]["csi"]["volumeHandle"]
    moved(c, pod, "51m", c.setting.nodes[1])
    faults.stuck_creating(c, pod, "51m")
    faults.scheduled(c, pod)
    told = f'AttachVolume.Attach failed for volume "{held}" : rpc error: code = Internal desc = Could not attach volume "{disk}" to node "i-0{c.rng.getrandbits(64):016x}": attachment of disk "{disk}" failed, expected device to be attached but was attaching'
    warn(c, pod, "FailedAttachVolume", told, "50m", "1m33s", count=29, by="attachdetach-controller")
    base = neighbours.database(
        c, ns, "chip-registry", "docker.io/library/postgres:16.4", replicas=1, age="280d", pods_age="51m"
    )  # fmt: skip
    sick = base.pods[0]
    faults.stuck_creating(c, sick, "51m")
    faults.scheduled(c, sick)
    broken = c.get("PersistentVolumeClaim", "data-chip-registry-0")
    other = broken["spec"]["volumeName"]
    path = f"/var/lib/kubelet/plugins/kubernetes.io/csi/ebs.csi.aws.com/{c.rng.getrandbits(256):064x}/globalmount"
    text = (
        f'MountVolume.MountDevice failed for volume "{other}" : rpc error: code = Internal desc = could not format "/dev/nvme3n1" and mount it at "{path}": mount failed: exit status 32\n'
        f"Mounting command: mount\nMounting arguments: -t ext4 -o defaults /dev/nvme3n1 {path}\nOutput: mount: {path}: wrong fs type, bad option, bad superblock on /dev/nvme3n1, missing codepage or helper program, or other error.\n"
    )
    warn(c, sick, "FailedMount", text, "50m", "48s", count=31)
    idle_pending(c, ns, "dicom-viewer", "93d")
    case.question = "X-ray pictures are gone for the vets since we lost a spot instance an hour ago. cluster-info dump attached. xray-store hangs in ContainerCreating"
    case.started = "51m"
    case.decoys = ["dicom-viewer: has waited for a node with a label for 93 days"]
    why = "The disk of the claim xray-archive hangs in the state attaching, so xray-store cannot start."
    case.fault("volume_attach", "disk,dependency,unknown", why, pod, work.top, claim, work.sets[0])
    why = "The disk of data-chip-registry-0 cannot be mounted: its superblock is not readable."
    case.fault("volume_mount", "disk,config", why, sick, base.top, broken)
    return lambda out: out.dump(ns)


def _viola(c: Cluster, case: Case) -> Saver:
    """The new pod waits for a lock in the database that a killed migration left behind."""
    ns = "tenancy"
    others = neighbours.web(c, ns, "leases-ui:2", "payments-hook", "documents:2", **STYLE)
    work = workloads.deployment(
        c, ns, "rent-ledger", f"{IMAGES}/rent-ledger:3.11.4", replicas=3, age="480d", pods_age="13d", port=8080, requests="300m/768Mi", limits="1/1Gi",
        labels=named("rent-ledger"), rolling={"maxSurge": 1, "maxUnavailable": 0}, revision=57, readiness=http_probe("/actuator/health/readiness", 8080),
    )  # fmt: skip
    fresh = rollout(c, work, f"{IMAGES}/rent-ledger:3.12.0", 1, "36m")
    pod = fresh.pods[0]
    faults.unready(c, pod, "36m")
    ip = pod["status"]["podIP"]
    told = f'Get "http://{ip}:8080/actuator/health/readiness": dial tcp {ip}:8080: connect: connection refused'
    faults.probe_failure(c, pod, "Readiness", told, first="36m", last="6s", count=216)
    faults.scheduled(c, pod)
    faults.stalled(c, work.top, fresh.sets[0], "26m")
    lines = [f"{c.ago('35m'):%Y-%m-%d %H:%M:%S}.771  INFO 1 --- [           main] c.e.tenancy.RentLedgerApplication         : Starting RentLedgerApplication v3.12.0 using Java 21.0.4"]  # fmt: skip
    lines += [f"{c.ago(ago):%Y-%m-%d %H:%M:%S}.204  INFO 1 --- [           main] liquibase.lockservice                    : Waiting for changelog lock...." for ago in ("34m", "42s", "32s", "22s", "12s", "2s")]  # fmt: skip
    c.log(pod, "\n".join(lines))
    case.started = "36m"
    text = f"Rollout of deployment {ns}/rent-ledger is not progressing for longer than 15 minutes on cluster prod."
    rule(case, "KubeDeploymentRolloutStuck", "11m", text, namespace=ns, deployment="rent-ledger", condition="Progressing", status="false")  # fmt: skip
    old_crashes(c, others[0].pods[0], 15, "2d")
    forgotten_pod(c, ns, "pg-client", "47d")
    case.decoys = [
        "leases-ui: 15 restarts, the last one two days ago",
        "pg-client: somebody's pod, ended with an error 47 days ago",
    ]
    why = "The pod of rent-ledger 3.12.0 waits for Liquibase's lock in the database and never gets ready."
    case.fault(
        "deploy_stuck_rollout", "lock_wait,deploy,dependency", why, work.top, pod, fresh.sets[0]
    )

    def save(out: Folder) -> None:
        name = meta(pod)["name"]
        out.text("rollout-status.txt", 'Waiting for deployment "rent-ledger" rollout to finish: 1 out of 3 new replicas have been updated...\nerror: deployment "rent-ledger" exceeded its progress deadline\n')  # fmt: skip
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("describe-deployment.txt", work.top)
        out.text(f"{name}.log", c.logs[ns, name, "rent-ledger", False])

    return save


def _zither(c: Cluster, case: Case) -> Saver:
    """A limit on processors that a service meets all the time."""
    ns = "translation"
    others = neighbours.web(c, ns, "glossary:2", "segmenter", "memory-store:2", **STYLE)
    work = workloads.deployment(
        c, ns, "mt-gateway", f"{IMAGES}/mt-gateway:4.4.0", replicas=3, age="175d", pods_age="8d", port=8080, requests="100m/256Mi", limits="250m/512Mi",
        labels=named("mt-gateway"), readiness=http_probe("/ready", 8080, timeout=3),
    )  # fmt: skip
    for pod, share in zip(work.pods, ("84.21%", "79.6%", "86.05%"), strict=True):
        told = f"{share} throttling of CPU in namespace {ns} for container mt-gateway in pod {meta(pod)['name']} on cluster prod."
        labels = {"namespace": ns, "pod": meta(pod)["name"], "container": "mt-gateway"}
        case.alert("CPUThrottlingHigh", "33m", told, prometheus="monitoring/kps-prometheus", **{"severity": "info", **labels})  # fmt: skip
    sandbox_trouble(c, others[0].pods[0], "46m")
    failed_job(c, ns, "corpus-refresh", "3d")
    case.decoys = [
        "glossary: a predecessor had no network for a minute 46 minutes ago",
        "job corpus-refresh: failed three days ago",
    ]
    why = "mt-gateway runs at its limit of 250m, and most of its periods are throttled."
    case.fault("cpu_throttling", "cpu,config,traffic", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(work.pods[1])["name"]
        stat = "usage_usec 41733920114\nuser_usec 36018442990\nsystem_usec 5715477124\nnr_periods 1688214\nnr_throttled 1343771\nthrottled_usec 120661820551\n"
        steps = [
            (f"kubectl -n {ns} top pods", printed.used(c, ns, {"mt-gateway": (248, 301)})),
            (f"kubectl -n {ns} exec {name} -- cat /sys/fs/cgroup/cpu.stat", stat),
            (f"kubectl -n {ns} get pods -o wide", tables.pods(c, ns)),
        ]
        out.text("oncall.log", pasted.session("sre@tools:~$ ", *steps))
        out.single("mt-gateway-deploy.yaml", work.top)

    return save


BUILDERS: Json = {
    "timpani": _timpani, "tuba": _tuba, "ukulele": _ukulele, "viola": _viola, "zither": _zither,
}  # fmt: skip
