"""Fifth set: pods for which there is no place, or which may not be made."""

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
from benchmarks.kubernetes.fifth_parts import IMAGES, STYLE, named, rule
from benchmarks.kubernetes.fourth_parts import (
    abandoned,
    forgotten_pod,
    old_crashes,
    unplaced,
    unused_claim,
)
from benchmarks.kubernetes.objects import Json, http_probe, meta
from benchmarks.kubernetes.third_parts import failed_job, leftovers, waiting_job

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster, Workload
    from benchmarks.kubernetes.saving import Folder


def _kazoo(c: Cluster, case: Case) -> Saver:
    """Two workloads wait, and the group of nodes may not grow."""
    ns = "geo-etl"
    neighbours.web(c, ns, "tile-server:4", "catalog-ui:2", **{**STYLE, "requests": "300m/1536Mi", "limits": "1/2Gi"})  # fmt: skip
    mosaic = workloads.deployment(
        c, ns, "mosaic-builder", f"{IMAGES}/mosaic-builder:3.0", replicas=2, age="31m", revision=1, requests="1/14Gi", labels=named("mosaic-builder"),
    )  # fmt: skip
    vector = workloads.deployment(
        c, ns, "vectorizer", f"{IMAGES}/vectorizer:1.6.1", age="120d", pods_age="24m", requests="3800m/1Gi", labels=named("vectorizer"),
    )  # fmt: skip
    total = len(c.setting.nodes)
    for work, what in ((mosaic, "memory"), (vector, "cpu")):
        why = f"{total} Insufficient {what}"
        told = unplaced(c, why, f"{total} No preemption victims found for incoming pod")
        for pod in work.pods:
            faults.unscheduled(c, pod, told, count=5, last="1m9s")
            text = "pod didn't trigger scale-up: 1 max node group size reached"
            how: Json = {"first": "23m", "last": "52s", "count": 61, "by": "cluster-autoscaler"}
            c.event(pod, "NotTriggerScaleUp", text, **how)
            name = meta(pod)["name"]
            text = f"Pod {ns}/{name} has been in a non-ready state for longer than 15 minutes on cluster prod."
            rule(case, "KubePodNotReady", "8m", text, namespace=ns, pod=name)
    forgotten_pod(c, ns, "gdal-shell", "26d")
    case.started = "31m"
    case.decoys = ["gdal-shell: somebody's pod, ended with an error 26 days ago"]
    why = "The pods of mosaic-builder ask for 14Gi of memory, which no node has unrequested, and no node may be added."
    case.fault("pending_memory", "memory,config", why, mosaic.top, *mosaic.pods, mosaic.sets[0])
    why = "The pod of vectorizer asks for 3800m of processor, which no node has unrequested, and no node may be added."
    case.fault("pending_cpu", "cpu,config", why, vector.top, *vector.pods, vector.sets[0])

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("describe-pending.txt", mosaic.pods[0], vector.pods[0])
        out.describe("describe-node.txt", *c.of("Node")[:1])

    return save


def _unprovisioned(c: Cluster, namespace: str, work: Workload, name: str, since: str) -> Json:
    """Make a claim one for which the driver may not create a disk."""
    claim = c.get("PersistentVolumeClaim", name)
    c.items.remove(c.get("PersistentVolume", claim["spec"].pop("volumeName")))
    meta(claim).pop("annotations")
    claim["spec"]["storageClassName"] = "gp3-encrypted"
    claim["status"] = {"phase": "Pending"}
    held = f"pvc-{meta(claim)['uid']}"
    by = f"ebs.csi.aws.com_ebs-csi-controller-6d9f7c5b8c-{c.suffix()}_{c.uid()}"
    told = (
        f'failed to provision volume with StorageClass "gp3-encrypted": rpc error: code = Internal desc = Could not create volume "{held}": could not create volume in EC2: UnauthorizedOperation:'
        f" You are not authorized to perform this operation.\n\tstatus code: 403, request id: {c.uid()}"
    )
    where = f'External provisioner is provisioning volume for claim "{namespace}/{name}"'
    wait = "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered."
    c.event(claim, "Provisioning", where, first=since, last="2m12s", count=14, by=by)
    c.event(claim, "ProvisioningFailed", told, warning=True, first=since, last="2m11s", count=14, by=by)  # fmt: skip
    c.event(claim, "ExternalProvisioning", wait, first=since, last="14s", count=172, by="persistentvolume-controller")  # fmt: skip
    why, total = "pod has unbound immediate PersistentVolumeClaims", len(c.setting.nodes)
    text = unplaced(c, why, f"{total} Preemption is not helpful for scheduling")
    faults.unscheduled(c, work.pods[0], text, count=9, last="3m30s")
    return claim


def _lyre(c: Cluster, case: Case) -> Saver:
    """The driver may not create disks; and a fourth replica finds no fourth node."""
    ns = "dedup"
    others = neighbours.web(c, ns, "fingerprints:2", "ingest-api:2", **STYLE)
    work = workloads.stateful_set(
        c, ns, "dedup-index", f"{IMAGES}/dedup-index:2.2.0", replicas=1, age="43m", claim="200Gi", requests="500m/1Gi", labels=named("dedup-index"), mounts={"data": "/var/lib/index"},
    )  # fmt: skip
    claim = _unprovisioned(c, ns, work, "data-dedup-index-0", "43m")
    apart: Json = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": named("lookup")}, "topologyKey": "kubernetes.io/hostname"}
    ]}}  # fmt: skip
    lookup = workloads.deployment(
        c, ns, "lookup", f"{IMAGES}/lookup:5.1.4", replicas=4, age="230d", pods_age="15d", requests="100m/128Mi", labels=named("lookup"), affinity=apart, port=8080,
    )  # fmt: skip
    fourth, total = lookup.pods[3], len(c.setting.nodes)
    faults.reborn(c, fourth, "38m")
    told = unplaced(c, f"{total} node(s) didn't match pod anti-affinity rules", f"{total} No preemption victims found for incoming pod")  # fmt: skip
    faults.unscheduled(c, fourth, told, count=8, last="2m50s")
    unused_claim(c, ns, "restore-test", "150d")
    old_crashes(c, others[0].pods[0], 27, "9d")
    case.question = "dedup-index-0 一直 Pending，节点 CPU 内存都够，磁盘也没满，为什么调度不上去？"
    case.started = "43m"
    case.decoys = [
        "restore-test: a claim that waits for a first pod, as nobody uses it",
        "fingerprints: 27 restarts, the last one nine days ago",
    ]
    why = "The claim data-dedup-index-0 is not bound: the driver is not allowed to create a disk."
    case.fault("pending_pvc", "config,disk,dependency", why, claim, work.pods[0], work.top)
    why = "The replicas of lookup must stand on different nodes, and there is no fourth node."
    case.fault("pending_affinity", "config", why, lookup.top, fourth, lookup.sets[0])

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get pod -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl get pvc -n {ns}", tables.table(c, "PersistentVolumeClaim", ns)),
            (f"kubectl describe pvc data-dedup-index-0 -n {ns}", describing.describe(c, claim)),
            (f"kubectl get events -n {ns} | grep FailedScheduling", pasted.kept(tables.events(c, ns), "FailedScheduling")),
        ]  # fmt: skip
        out.text("记录.txt", pasted.session("[admin@bastion-sh ~]$ ", *steps))

    return save


def _mandolin(c: Cluster, case: Case) -> Saver:
    """After a maintenance nobody has freed the nodes again."""
    ns = "labbooking"
    others = neighbours.web(
        c, ns, "rooms-api:2", "badge-reader", "notify:2", age="120d", pods_age="25d", **STYLE
    )
    work = workloads.deployment(
        c, ns, "calendar-sync", f"{IMAGES}/calendar-sync:2.8.0", replicas=3, age="150d", pods_age="20m", requests="50m/64Mi", labels=named("calendar-sync"),
    )  # fmt: skip
    total = len(c.setting.nodes)
    told = unplaced(c, f"{total} node(s) were unschedulable", f"{total} Preemption is not helpful for scheduling")  # fmt: skip
    for pod in work.pods:
        faults.unscheduled(c, pod, told, count=5, last="4m44s")
    nodes = c.of("Node")
    for node in nodes:
        node["spec"]["unschedulable"] = True
        node["spec"]["taints"] = [{"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "timeAdded": c.at("49m")}]  # fmt: skip
        text = f"Node {meta(node)['name']} status is now: NodeNotSchedulable"
        c.event(node, "NodeNotSchedulable", text, last="49m")
    leftovers(c, others[2], "8d")
    abandoned(c, ns, "kiosk-trial", "55d")
    case.question = "calendar-sync pods won't schedule since I restarted the deployment. All nodes Ready, lots of free CPU. scheduler broken after last night's kernel patching?"
    case.started = "20m"
    case.decoys = [
        "notify: a pod that was evicted eight days ago was never deleted",
        "kiosk-trial: its image has been gone for 55 days",
    ]
    why = "All nodes are still cordoned, so no new pod can be placed."
    case.fault("pending_taint", "config", why, work.top, *work.pods, work.sets[0], *nodes)

    def save(out: Folder) -> None:
        wide = tables.nodes(c)
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            ("kubectl get nodes -o wide", wide),
            (f"kubectl describe pod -n {ns} {meta(work.pods[2])['name']} | tail -n 5", printed.last_events(c, work.pods[2])),
        ]  # fmt: skip
        out.text("paste.txt", pasted.session("root@rke-admin:~# ", *steps))

    return save


def _oboe(c: Cluster, case: Case) -> Saver:
    """The quota is used up; and a job's account is gone."""
    ns = "team-pricing"
    others = neighbours.web(c, ns, "price-api:2", "promo-ui:2", **{**STYLE, "requests": "500m/2Gi", "limits": "1/3Gi"})  # fmt: skip
    work = workloads.deployment(
        c, ns, "elasticity", f"{IMAGES}/elasticity:0.12", replicas=3, age="66d", pods_age="37m", requests="500m/3Gi", limits="1/4Gi", labels=named("elasticity"),
        rolling={"maxSurge": 1, "maxUnavailable": 0}, port=8080, readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    faults.never_made(c, *work.pods[1:])
    name, owned = work.pods[1], work.sets[0]
    text = f'pods "{meta(name)["name"]}" is forbidden: exceeded quota: team-pricing-quota, requested: requests.memory=3Gi, used: requests.memory=11Gi, limited: requests.memory=12Gi'
    faults.refused(c, work, text, "37m", 18)
    faults.stalled(c, work.top, owned, "27m")
    quota = c.add(
        "ResourceQuota", "team-pricing-quota", "300d", namespace=ns, spec={"hard": {"requests.cpu": "6", "requests.memory": "12Gi"}},
        status={"hard": {"requests.cpu": "6", "requests.memory": "12Gi"}, "used": {"requests.cpu": "2500m", "requests.memory": "11Gi"}},
    )  # fmt: skip
    cron, job, pod = waiting_job(c, ns, "margin-export", "48m", schedule="0 * * * *")
    faults.never_made(c, pod)
    told = f'Error creating: pods "{meta(job)["name"]}-" is forbidden: error looking up service account {ns}/margin-export: serviceaccount "margin-export" not found'
    c.event(job, "FailedCreate", told, warning=True, first="48m", last="5m2s", count=12, by="job-controller")  # fmt: skip
    failed_job(c, ns, "competitor-crawl", "33h")
    case.started = "48m"
    case.decoys = ["job competitor-crawl: failed more than a day ago"]
    told = f"Deployment {ns}/elasticity has not matched the expected number of replicas for longer than 15 minutes on cluster prod."
    rule(case, "KubeDeploymentReplicasMismatch", "21m", told, namespace=ns, deployment="elasticity")
    why = "The quota team-pricing-quota leaves no room for the memory of more pods of elasticity."
    case.fault("quota_exceeded", "config,memory", why, work.top, owned, quota)
    why = "The service account margin-export does not exist, so the pod of the job is refused."
    case.fault("missing_service_account", "config,deploy", why, job, cron)
    old_crashes(c, others[0].pods[0], 4, "7d")

    def save(out: Folder) -> None:
        out.text("get-all.txt", tables.pods(c, ns, wide=False) + "\n" + tables.table(c, "Deployment", ns))  # fmt: skip
        out.describe("describe-deploy.txt", work.top)
        out.describe("quota.txt", quota)
        out.tables("events", namespace=ns)

    return save


BUILDERS: Json = {"kazoo": _kazoo, "lyre": _lyre, "mandolin": _mandolin, "oboe": _oboe}
