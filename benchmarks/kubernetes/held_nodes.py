"""Held-out cases about placing pods: scheduling, nodes, quotas, accounts and volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, tables, workloads
from benchmarks.kubernetes.objects import Json, meta, volume

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_STYLE: Json = {"label": "app.kubernetes.io/name", "registry": "harbor.example.com/prod"}


def _named(name: str) -> Json:
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "platform"}


def _control_plane(c: Cluster) -> None:
    node = c.get("Node", c.setting.nodes[0])
    node["spec"]["taints"] = [
        {"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"}
    ]


def _osprey(c: Cluster, case: Case) -> Saver:
    """A scaled deployment of which the last two pods find no place."""
    ns = "search"
    _control_plane(c)
    neighbours.web(c, ns, "suggest:2", "spelling", requests="1200m/256Mi", **_STYLE)
    work = workloads.deployment(
        c, ns, "query", "harbor.example.com/prod/query:3.21", replicas=5, age="160d", pods_age="12d",
        port=8080, requests="1500m/1Gi", labels=_named("query"),
    )  # fmt: skip
    told = faults.no_node(
        c,
        "1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 Insufficient cpu",
        "1 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod",
    )
    hpa = c.add(
        "HorizontalPodAutoscaler",
        "query",
        "90d",
        namespace=ns,
        spec={"maxReplicas": 8, "minReplicas": 3},
    )
    c.event(hpa, "SuccessfulRescale", "New size: 5; reason: cpu resource utilization (percentage of request) above target",
            last="28m", by="horizontal-pod-autoscaler")  # fmt: skip
    for pod in work.pods[3:]:
        meta(pod)["creationTimestamp"] = c.at("28m")
        faults.unscheduled(c, pod, told, count=6, last="3m50s")
    case.started = "28m"
    summary = f"Deployment {ns}/query has not matched the expected number of replicas for longer than 15 minutes."
    case.alert("KubeDeploymentReplicasMismatch", "12m", summary, namespace=ns, deployment="query")
    why = "The workers have no 1.5 processors free for the two pods by which query was scaled up."
    case.fault("pending_cpu", "cpu,traffic,config", why, work.top, *work.pods[3:], work.sets[0])
    return lambda out: out.must_gather(ns)


def _merlin(c: Cluster, case: Case) -> Saver:
    """No events were kept: only the pod's condition says why."""
    ns = "genomics"
    neighbours.web(c, ns, "intake:2", "catalog", **_STYLE)
    work = workloads.deployment(
        c, ns, "aligner", "harbor.example.com/prod/aligner:8.1", replicas=2, age="6h20m", pods_age="6h20m",
        requests="2/60Gi", limits="4/60Gi", labels=_named("aligner"),
    )  # fmt: skip
    for pod in work.pods:
        faults.unscheduled(
            c, pod, faults.no_node(c, "3 Insufficient memory"), count=1, last="6h20m"
        )
    case.question = "Why does aligner not run?"
    case.started = "6h20m"
    why = "Each pod of aligner asks for 60Gi of memory and the nodes have 16."
    case.fault("pending_memory", "memory,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.listed("pods.yml", "Pod", ns)
        out.listed("nodes.yml", "Node")

    return save


def _kestrel(c: Cluster, case: Case) -> Saver:
    ns = "render-farm"
    for name in c.setting.nodes:
        c.get("Node", name)["spec"]["taints"] = [
            {"effect": "NoSchedule", "key": "team", "value": "animation"}
        ]
    every = [{"effect": "NoSchedule", "key": "team", "operator": "Equal", "value": "animation"}]
    for name in ("frames", "compositor", "assets"):
        workloads.deployment(
            c, ns, name, f"harbor.example.com/prod/{name}:1.{c.rng.randrange(9)}", replicas=2, age="33d",
            requests="250m/512Mi", labels=_named(name), tolerations=every,
        )  # fmt: skip
    work = workloads.deployment(
        c, ns, "thumbnailer", "harbor.example.com/prod/thumbnailer:0.2.0", age="11m", requests="100m/128Mi",
        labels=_named("thumbnailer"), revision=1,
    )  # fmt: skip
    told = faults.no_node(
        c, "3 node(s) had untolerated taint {team: animation}", faults.not_helpful(c)
    )
    faults.unscheduled(c, work.pods[0], told, count=3, last="44s")
    case.question = "thumbnailer stays Pending although the nodes are nearly idle"
    case.started = "11m"
    why = "Every node is tainted team=animation:NoSchedule, which thumbnailer does not tolerate."
    case.fault("pending_taint", "config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = work.pods[0]
        out.transcript(
            "notes.txt",
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl describe pod -n {ns} {meta(pod)['name']}", describing.describe(c, pod)),
            ("kubectl describe nodes", describing.describe(c, *c.of("Node")[:2])),
        )

    return save


def _buzzard(c: Cluster, case: Case) -> Saver:
    ns = "compliance"
    neighbours.web(c, ns, "audit-log:2", "vault-agent", **_STYLE)
    work = workloads.deployment(
        c, ns, "hsm-bridge", "harbor.example.com/prod/hsm-bridge:2.0", replicas=2, age="58m",
        nodeSelector={"hardware/hsm": "present"}, requests="100m/64Mi", labels=_named("hsm-bridge"),
    )  # fmt: skip
    told = faults.no_node(
        c, "4 node(s) didn't match Pod's node affinity/selector", faults.not_helpful(c)
    )
    for pod in work.pods:
        faults.unscheduled(c, pod, told, count=12, last="2m41s")
    neighbours.dns_noise(c, c.of("Pod", ns)[0])
    case.question = "合规系统的 hsm-bridge 调度不上去"
    case.started = "58m"
    why = "hsm-bridge selects nodes labelled hardware/hsm=present, and no node has that label."
    case.fault("pending_affinity", "config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.raw("pods.json", "Pod", indent=2)
        out.raw("nodes.json", "Node", indent=2)

    return save


def _harrier(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "wiki"
    neighbours.web(c, ns, "editor:2", "diagrams", **_STYLE)
    work = workloads.deployment(
        c, ns, "attachments", "harbor.example.com/prod/attachments:1.7.7", age="25m", port=8080,
        requests="100m/128Mi", labels=_named("attachments"), mounts={"files": "/files"},
        volumes=[volume("files", "pvc", "attachment-files")],
    )  # fmt: skip
    workloads.bound_claim(c, ns, "attachments-files", "200Gi", "40d", "nfs-retain")
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


def _sparrowhawk(c: Cluster, case: Case) -> Saver:
    ns = "queues"
    neighbours.web(c, ns, "producer:2", "monitor", **_STYLE)
    work = workloads.stateful_set(
        c, ns, "broker", "docker.io/library/rabbitmq:3.13", replicas=3, age="14m", account="broker-peers",
        requests="500m/1Gi", labels=_named("broker"),
    )  # fmt: skip
    for pod in work.pods:
        c.items.remove(pod)
    told = (
        'create Pod broker-0 in StatefulSet broker failed error: pods "broker-0" is forbidden: error looking up'
        f' service account {ns}/broker-peers: serviceaccount "broker-peers" not found'
    )
    c.event(
        work.top,
        "FailedCreate",
        told,
        warning=True,
        first="14m",
        last="1m31s",
        count=16,
        by="statefulset-controller",
    )
    neighbours.job_noise(c, ns, "drain-dead-letters", "20m")
    case.question = "The message broker was never created"
    case.started = "14m"
    why = "The service account broker-peers does not exist, so the pods of broker are refused."
    case.fault("missing_service_account", "config,deploy", why, work.top)

    def save(out: Folder) -> None:
        out.text("all.txt", out.everything(ns))
        out.text("events.txt", tables.events(c, ns))

    return save


def _egret(c: Cluster, case: Case) -> Saver:
    """The kubelet reports, and says that it has no network."""
    neighbours.system(c, network="calico-node")
    ns = "booking"
    neighbours.web(c, ns, "rooms:4", "prices:2", "mail", **_STYLE)
    name = c.setting.nodes[-1]
    node = c.get("Node", name)
    told = (
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady"
        " message:Network plugin returns error: cni plugin not initialized"
    )
    for row in node["status"]["conditions"]:
        if row["type"] == "Ready":
            row |= {
                "status": "False",
                "reason": "KubeletNotReady",
                "message": told,
                "lastTransitionTime": c.at("26m"),
            }
    node["spec"]["taints"] = [
        {"effect": effect, "key": "node.kubernetes.io/not-ready", "timeAdded": c.at("26m")}
        for effect in ("NoSchedule", "NoExecute")
    ]
    c.event(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady", last="26m")
    for pod in c.of("Pod", ns):
        if pod["spec"]["nodeName"] == name:
            c.event(
                pod,
                "NodeNotReady",
                "Node is not ready",
                last="26m",
                warning=True,
                by="node-controller",
            )
            faults.deleted(c, pod, "21m")
    case.started = "26m"
    case.alert("KubeNodeNotReady", "11m", f"{name} has been unready for more than 15 minutes.", node=name,
               condition="Ready", status="true")  # fmt: skip
    why = f"{name} is not ready because its network plugin is not initialized."
    case.fault("node_not_ready", "config,unknown,network_loss,restart", why, node)

    def save(out: Folder) -> None:
        out.text("nodes.txt", tables.nodes(c))
        out.text("pods.txt", tables.pods(c))
        out.describe("node.txt", node)

    return save


def _bittern(c: Cluster, case: Case) -> Saver:
    ns = "telemetry"
    neighbours.web(c, ns, "gateway:2", "alerts", **_STYLE)
    work = workloads.deployment(
        c, ns, "trace-buffer", "harbor.example.com/prod/trace-buffer:0.18", age="70d", pods_age="19m",
        requests="200m/256Mi", labels=_named("trace-buffer"), mounts={"spool": "/spool"},
        volumes=[volume("spool", "emptyDir", "")],
    )  # fmt: skip
    node = c.get("Node", work.pods[0]["spec"]["nodeName"])
    name = meta(node)["name"]
    template = work.sets[0]["spec"]["template"]["spec"]
    for ago in ("41m", "20m"):
        gone = workloads.add_pod(
            c, work.sets[0], f"{meta(work.sets[0])['name']}-{c.suffix()}", template, namespace=ns, node=name,
            labels=work.sets[0]["spec"]["selector"]["matchLabels"], age=f"{int(ago[:-1]) + 22}m",
        )  # fmt: skip
        told = (
            "The node was low on resource: ephemeral-storage. Threshold quantity: 10143096Ki, available: 9871520Ki."
            f" Container trace-buffer was using {61_000_000 + c.rng.randrange(9_000_000)}Ki, request is 0, has larger"
            " consumption of ephemeral-storage. "
        )
        faults.evicted(c, gone, told, ago)
        work.pods.append(gone)
    for row in node["status"]["conditions"]:
        if row["type"] == "DiskPressure":
            row |= {"status": "True", "reason": "KubeletHasDiskPressure", "message": "kubelet has disk pressure",
                    "lastTransitionTime": c.at("20m")}  # fmt: skip
    node["spec"]["taints"] = [
        {
            "effect": "NoSchedule",
            "key": "node.kubernetes.io/disk-pressure",
            "timeAdded": c.at("20m"),
        }
    ]
    how: Json = {"first": "41m", "last": "20m", "count": 2}
    c.event(
        node, "EvictionThresholdMet", "Attempting to reclaim ephemeral-storage", warning=True, **how
    )
    c.event(node, "NodeHasDiskPressure", f"Node {name} status is now: NodeHasDiskPressure", **how)
    told = (
        "Failed to garbage collect required amount of images. Attempted to free 8124661760 bytes, but only found 0"
        " bytes eligible to free."
    )
    c.event(node, "FreeDiskSpaceFailed", told, warning=True, first="38m", last="3m", count=8)
    case.question = "Traces go missing, trace-buffer pods pile up as Evicted"
    case.started = "41m"
    why = (
        f"trace-buffer fills the disk of {name} with its emptyDir spool, and the kubelet evicts it."
    )
    case.fault("node_pressure_eviction", "disk", why, work.top, node, *work.pods, work.sets[0])
    return lambda out: out.listed("out.yaml", "Pod,Node,Event")


def _shearwater(c: Cluster, case: Case) -> Saver:
    ns = "batch-reports"
    neighbours.web(c, ns, "composer:2", "mailer", **_STYLE)
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
    neighbours.web(c, ns, "query:2", "rules", **_STYLE)
    work = workloads.stateful_set(
        c, ns, "ingester", "harbor.example.com/prod/ingester:2.11", replicas=2, age="200d", claim="100Gi",
        requests="500m/2Gi", labels=_named("ingester"), mounts={"data": "/data"},
    )  # fmt: skip
    pod = work.pods[1]
    meta(pod)["creationTimestamp"] = c.at("18m")
    pod["status"]["startTime"] = c.at("18m")
    for row in pod["status"]["conditions"]:
        row["lastTransitionTime"] = c.at("18m")
    faults.stuck_creating(c, pod, "18m")
    held = c.get("PersistentVolumeClaim", "data-ingester-1")["spec"]["volumeName"]
    told = (
        f'MountVolume.MountDevice failed for volume "{held}" : rpc error: code = Internal desc = failed to format and'
        " mount: 'fsck' found errors on device /dev/nvme2n1 but could not correct them: fsck from util-linux 2.37.4"
        "\n/dev/nvme2n1: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.\n"
    )
    c.event(pod, "FailedMount", told, warning=True, first="17m", last="52s", count=16)
    faults.scheduled(c, pod)
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
    neighbours.web(c, ns, "smtp:2", "spam-filter:2", **_STYLE)
    work = neighbours.database(
        c, ns, "mailbox", "docker.io/library/postgres:14.11", claim="500Gi", age="320d"
    )
    pod, claim = work.pods[0], c.get("PersistentVolumeClaim", "data-mailbox-0")
    meta(pod)["creationTimestamp"] = c.at("32m")
    pod["status"]["startTime"] = c.at("32m")
    for row in pod["status"]["conditions"]:
        row["lastTransitionTime"] = c.at("32m")
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
    "osprey": _osprey, "merlin": _merlin, "kestrel": _kestrel, "buzzard": _buzzard, "harrier": _harrier,
    "sparrowhawk": _sparrowhawk, "egret": _egret, "bittern": _bittern, "shearwater": _shearwater,
    "fulmar": _fulmar, "razorbill": _razorbill,
}  # fmt: skip
