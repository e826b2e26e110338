"""Development cases about placing pods: scheduling, nodes, quotas, accounts and volumes."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, volumes, workloads
from benchmarks.kubernetes.objects import Json, meta, volume

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _harbour(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "berths"
    neighbours.web(c, ns, "pilots:3", "tides:2", "cranes:3", requests="900m/512Mi", limits="2/1Gi")
    work = workloads.deployment(
        c, ns, "berth-planner", "registry.example.com/berths/planner:3.0.2", replicas=2, age="55d",
        pods_age="36m", port=8080, requests="3500m/1Gi", limits="4/2Gi",
    )  # fmt: skip
    for pod in work.pods:
        faults.unscheduled(c, pod, faults.no_node(c, "3 Insufficient cpu"), count=8)
    neighbours.job_noise(c, ns, "tide-table", "22m")
    case.started = "36m"
    why = "No node has the 3.5 processors free that each pod of berth-planner asks for."
    case.fault("pending_cpu", "cpu,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "nodes", "events")
        out.describe("describe.txt", work.pods[0], *c.of("Node"))

    return save


def _lantern(c: Cluster, case: Case) -> Saver:
    ns = "festival"
    neighbours.web(c, ns, "tickets:2", "stages", "lights:2")
    work = workloads.stateful_set(
        c, ns, "seat-index", "docker.io/opensearchproject/opensearch:2.13.0", replicas=3, age="12d",
        pods_age="41m", requests="500m/24Gi", limits="2/24Gi",
    )  # fmt: skip
    gone = work.pods.pop()
    c.items.remove(gone)
    stuck = work.pods[0]
    for extra in work.pods[1:]:
        c.items.remove(extra)
    faults.unscheduled(c, stuck, faults.no_node(c, "4 Insufficient memory"), count=9)
    case.question = "节日门票的搜索不可用，seat-index 没有起来"
    case.started = "41m"
    why = "seat-index-0 asks for 24Gi of memory, more than any node has."
    case.fault("pending_memory", "memory,config", why, work.top, stuck)
    return lambda out: out.listed("festival.yaml", "Pod,StatefulSet,Event,Node")


def _quarry(c: Cluster, case: Case) -> Saver:
    ns = "vision"
    neighbours.web(c, ns, "labels:2", "uploads", "review:2")
    for name in c.setting.nodes[2:]:
        c.get("Node", name)["spec"]["taints"] = [
            {"effect": "NoSchedule", "key": "accelerator", "value": "gpu"}
        ]
    work = workloads.deployment(
        c, ns, "stone-classifier", "registry.example.com/vision/classifier:0.9.7", age="8d",
        pods_age="52m", requests="2/4Gi", nodeSelector={"pool": "gpu"}, node=None,
    )  # fmt: skip
    for name in c.setting.nodes[2:]:
        meta(c.get("Node", name))["labels"]["pool"] = "gpu"
    why = "2 node(s) didn't match Pod's node affinity/selector, 2 node(s) had untolerated taint {accelerator: gpu}"
    told = faults.no_node(c, why, faults.not_helpful(c))
    faults.unscheduled(c, work.pods[0], told, count=11, last="47s")
    neighbours.autoscaler_noise(c, ns, "review")
    case.question = "石料识别模型服务 stone-classifier 一直 Pending"
    case.started = "52m"
    why = (
        "stone-classifier does not tolerate the taint accelerator=gpu of the nodes that it selects."
    )
    case.fault("pending_taint", "config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.raw("pods.json", "Pod")
        out.raw("nodes.json", "Node")
        out.raw("events.json", "Event")

    return save


def _orchard(c: Cluster, case: Case) -> Saver:
    neighbours.system(c, network="calico-node")
    ns = "fruit"
    neighbours.web(c, ns, "prices:2", "pickers", "weather:2")
    term = {
        "labelSelector": {"matchLabels": {"app": "auction"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    work = workloads.deployment(
        c, ns, "auction", "registry.example.com/fruit/auction:5.4.0", replicas=4, age="26d",
        pods_age="31m", port=8080, requests="100m/128Mi",
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
    )  # fmt: skip
    last = work.pods[3]
    told = faults.no_node(c, "3 node(s) didn't match pod anti-affinity rules")
    faults.unscheduled(c, last, told, count=7)
    case.started = "31m"
    summary = (
        f"Deployment {ns}/auction has not matched the expected number of replicas for 15 minutes."
    )
    case.alert("KubeDeploymentReplicasMismatch", "15m", summary, namespace=ns, deployment="auction")
    why = "auction wants four pods on different nodes, and there are three nodes."
    case.fault("pending_affinity", "config", why, work.top, last, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "nodes")
        out.describe("auction.txt", work.top, last)
        out.listed("events.yaml", "Event", ns)

    return save


def _cellar(c: Cluster, case: Case) -> Saver:
    ns = "archive"
    neighbours.web(c, ns, "scans:2", "index", "viewer:2")
    work = workloads.stateful_set(
        c, ns, "deeds-db", "docker.io/library/mariadb:11.3", replicas=1, age="44m", pods_age="44m",
        claim="100Gi", requests="500m/1Gi", mounts={"data": "/var/lib/mysql"},
    )  # fmt: skip
    claim = c.get("PersistentVolumeClaim", "data-deeds-db-0")
    c.items.remove(c.get("PersistentVolume", claim["spec"].pop("volumeName")))
    claim["spec"]["storageClassName"] = "fast-ssd"
    claim["status"] = {"phase": "Pending"}
    meta(claim).pop("annotations")
    told = 'storageclass.storage.k8s.io "fast-ssd" not found'
    how: Json = {"warning": True, "by": "persistentvolume-controller"}
    c.event(claim, "ProvisioningFailed", told, first="44m", last="11s", count=176, **how)
    why = "pod has unbound immediate PersistentVolumeClaims"
    faults.unscheduled(c, work.pods[0], faults.no_node(c, why, faults.not_helpful(c)), count=10)
    neighbours.database(c, ns, "cache", "docker.io/library/redis:7.2", claim="5Gi")
    case.question = "deeds-db in namespace archive stays Pending"
    case.started = "44m"
    why = "The claim data-deeds-db-0 names the storage class fast-ssd, which does not exist."
    case.fault("pending_pvc", "config,disk", why, claim, work.top, *work.pods)
    return lambda out: out.listed("archive.json", "Pod,PersistentVolumeClaim,StatefulSet,Event", ns)


def _cooperage(c: Cluster, case: Case) -> Saver:
    ns = "barrels"
    neighbours.web(c, ns, "staves:2", "hoops:3", "sales:2", "toasting:2", "oak-prices", "web:3")
    work = workloads.deployment(
        c, ns, "stock-sync", "registry.example.com/barrels/stock-sync:2.2.0", replicas=2, age="19m",
        account="stock-sync", port=8080, requests="100m/128Mi", revision=1,
    )  # fmt: skip
    faults.never_made(c, *work.pods)
    owned = work.sets[0]
    told = (
        f'pods "{meta(owned)["name"]}-" is forbidden: error looking up service account {ns}/stock-sync:'
        ' serviceaccount "stock-sync" not found'
    )
    faults.refused(c, work, told, "19m", 17)
    case.question = "I deployed stock-sync 20 minutes ago and there are no pods at all"
    case.started = "19m"
    why = "The service account stock-sync does not exist, so the pods of stock-sync are refused."
    case.fault("missing_service_account", "config,deploy", why, work.top, owned)

    def save(out: Folder) -> None:
        out.tables("pods", "deployments", "replicasets", namespace=ns)
        out.describe("describe-rs.txt", owned)

    return save


def _lighthouse(c: Cluster, case: Case) -> Saver:
    ns = "signals"
    neighbours.web(c, ns, "beam:3", "fog:2", "keeper", "logbook:2")
    name = c.setting.nodes[1]
    node = faults.lost_node(c, name, "13m")
    for pod in c.of("Pod", ns):
        if pod["spec"]["nodeName"] == name:
            faults.deleted(c, pod, "8m")
    case.started = "13m"
    told = f"{name} has been unready for more than 10 minutes."
    case.alert("KubeNodeNotReady", "3m", told, node=name, condition="Ready", status="true")
    why = f"The kubelet of {name} stopped reporting; its pods are being moved."
    case.fault("node_not_ready", "unknown,restart,network_loss", why, node)
    return lambda out: out.listed("cluster.json", "Node,Pod,Event")


def _granary(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "milling"
    neighbours.web(c, ns, "silos:2", "orders:2", "labels")
    work = workloads.deployment(
        c, ns, "grinder", "registry.example.com/milling/grinder:1.1.0", age="15d", pods_age="4d8h",
        requests="100m/256Mi", nodeSelector={"kubernetes.io/hostname": c.setting.nodes[0]},
    )  # fmt: skip
    name = c.setting.nodes[0]
    node, young = c.get("Node", name), work.pods[0]
    faults.reborn(c, young, "3m", name)
    template = work.sets[0]["spec"]["template"]["spec"]
    for ago, born in (("24m", "3d2h"), ("13m", "24m"), ("3m", "13m")):
        gone = workloads.add_pod(
            c, work.sets[0], meta(work.sets[0])["name"] + "-" + c.suffix(), template, namespace=ns,
            labels=work.sets[0]["spec"]["selector"]["matchLabels"], age=born, node=name,
        )  # fmt: skip
        used = 11_000_000 + c.rng.randrange(2_000_000)
        told = (
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 81204Ki. Container"
            f" grinder was using {used}Ki, request is 256Mi, has larger consumption of memory. "
        )
        faults.evicted(c, gone, told, ago)
        work.pods.append(gone)
    faults.pressed(c, node, "memory", "24m", "3m")
    why = (
        "1 node(s) had untolerated taint {node.kubernetes.io/memory-pressure: }, 2 node(s) didn't match Pod's node"
        " affinity/selector"
    )
    faults.unscheduled(c, young, faults.no_node(c, why, faults.not_helpful(c)), count=1, last="3m")
    case.question = "grinder pods in milling are being evicted all the time"
    case.started = "24m"
    why = f"grinder uses about 11Gi with a request of 256Mi and no limit, and drives {name} out of memory."
    case.fault("node_pressure_eviction", "memory", why, work.top, node, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "events")
        out.describe("describe-node.txt", node)
        out.describe("describe-evicted.txt", work.pods[-1])

    return save


def _almanac(c: Cluster, case: Case) -> Saver:
    ns = "forecast"
    neighbours.web(c, ns, "radar:2", "models:2", "stations", limits="1/512Mi")
    work = workloads.deployment(
        c, ns, "alerts", "registry.example.com/forecast/alerts:8.0.0", replicas=4, age="71d",
        pods_age="33m", port=8080, requests="500m/512Mi", limits="1/1Gi",
    )  # fmt: skip
    faults.never_made(c, *work.pods[2:])
    owned = work.sets[0]
    told = (
        f'pods "{meta(owned)["name"]}-{c.suffix()}" is forbidden: exceeded quota: team-quota, requested:'
        " limits.cpu=1, used: limits.cpu=7, limited: limits.cpu=7"
    )
    faults.refused(c, work, told, "33m", 19)
    hard = {"limits.cpu": "7", "limits.memory": "16Gi", "pods": "30", "requests.cpu": "6"}
    used = {"limits.cpu": "7", "limits.memory": "4608Mi", "pods": "7", "requests.cpu": "1500m"}
    quota = c.add("ResourceQuota", "team-quota", "200d", namespace=ns, spec={"hard": hard},
                  status={"hard": hard, "used": used})  # fmt: skip
    case.started = "33m"
    told = f"Namespace {ns} is using 100% of its limits.cpu quota."
    case.alert(
        "KubeQuotaFullyUsed",
        "18m",
        told,
        namespace=ns,
        resource="limits.cpu",
        resourcequota="team-quota",
    )
    case.alert("KubeDeploymentReplicasMismatch", "18m", f"Deployment {ns}/alerts has too few replicas.",
               namespace=ns, deployment="alerts")  # fmt: skip
    why = "The quota team-quota allows 7 processors of limits, all used, so two pods of alerts are refused."
    case.fault("quota_exceeded", "config,cpu", why, quota, work.top, owned)
    return lambda out: out.listed(
        "forecast.yaml", "Pod,Deployment,ReplicaSet,ResourceQuota,Event", ns
    )


def _stables(c: Cluster, case: Case) -> Saver:
    ns = "media"
    neighbours.web(c, ns, "thumbs:2", "uploads:3", "player:2", "subtitles", "ads:4")
    work = workloads.deployment(
        c, ns, "transcoder", "registry.example.com/media/transcoder:2.6.1", age="37d", pods_age="21m",
        requests="1/1Gi", mounts={"footage": "/footage"},
        volumes=[{"name": "footage", "nfs": {"path": "/exports/footage", "server": "10.20.0.40"}}],
    )  # fmt: skip
    pod = work.pods[0]
    faults.stuck_creating(c, pod, "21m")
    uid = meta(pod)["uid"]
    target = f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~nfs/footage"
    told = (
        f'MountVolume.SetUp failed for volume "footage" : mount failed: exit status 32\nMounting command: mount\n'
        f"Mounting arguments: -t nfs 10.20.0.40:/exports/footage {target}\n"
        "Output: mount.nfs: Connection timed out for 10.20.0.40:/exports/footage on " + target
    )
    c.event(pod, "FailedMount", told, warning=True, first="19m", last="1m12s", count=8)
    faults.scheduled(c, pod)
    case.question = "Why is the transcoder stuck in ContainerCreating?"
    case.started = "21m"
    why = "The NFS server 10.20.0.40 does not answer, so the volume footage cannot be mounted."
    case.fault(
        "volume_mount", "dependency,network_loss,disk,config", why, work.top, pod, work.sets[0]
    )

    def save(out: Folder) -> None:
        out.transcript(
            "terminal.txt",
            (f"kubectl get all -n {ns}", out.everything(ns)),
            (f"kubectl describe pod {meta(pod)['name']} -n {ns}", describing.describe(c, pod)),
        )

    return save


def _drydock(c: Cluster, case: Case) -> Saver:
    ns = "repairs"
    neighbours.web(c, ns, "quotes:2", "crews", "parts:2")
    claim = volumes.bound_claim(c, ns, "drawings", size="50Gi", age="90d")
    work = workloads.deployment(
        c, ns, "drawings", "registry.example.com/repairs/drawings:3.1.4", age="90d", pods_age="5d2h",
        port=8080, requests="100m/256Mi", mounts={"store": "/store"}, revision=6,
        volumes=[volume("store", "pvc", "drawings")],
    )  # fmt: skip
    meta(work.top)["annotations"]["deployment.kubernetes.io/revision"] = "7"
    meta(work.top)["generation"] = 7
    image = "registry.example.com/repairs/drawings:3.2.0"
    work.top["spec"]["template"]["spec"]["containers"][0]["image"] = image
    fresh = workloads.replica_set(c, work, 1, "29m", work.top["spec"]["template"]["spec"])
    old, new = work.pods
    spare = [n for n in c.setting.nodes if n != old["spec"]["nodeName"]]
    new["spec"]["nodeName"] = spare[0]
    faults.stuck_creating(c, new, "29m")
    held = claim["spec"]["volumeName"]
    told = f'Multi-Attach error for volume "{held}" Volume is already used by pod(s) {meta(old)["name"]}'
    c.event(new, "FailedAttachVolume", told, last="29m", warning=True, by="attachdetach-controller")
    told = (
        "Unable to attach or mount volumes: unmounted volumes=[store], unattached volumes=[store]: timed out"
        " waiting for the condition"
    )
    c.event(new, "FailedMount", told, first="27m", last="2m", count=12, warning=True)
    faults.scheduled(c, new)
    case.question = "The new version of drawings does not start"
    case.started = "29m"
    why = "The volume of drawings can be attached to one node and the old pod still holds it on another."
    case.fault("volume_attach", "config,deploy,disk", why, work.top, new, fresh, claim)
    return lambda out: out.listed(
        "repairs.json", "Pod,Deployment,ReplicaSet,PersistentVolumeClaim,Event", ns
    )


BUILDERS: Json = {
    "harbour": _harbour, "lantern": _lantern, "quarry": _quarry, "orchard": _orchard,
    "cellar": _cellar, "cooperage": _cooperage, "lighthouse": _lighthouse, "granary": _granary,
    "almanac": _almanac, "stables": _stables, "drydock": _drydock,
}  # fmt: skip
