"""Held-out cases about placing pods: scheduling, nodes, quotas, accounts and volumes."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

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
    neighbours.web(c, ns, "intake:2", "catalog", "viewer:2", **_STYLE)
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
    for name in ("frames", "compositor", "assets", "shots", "licences", "queue-view"):
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
    neighbours.web(c, ns, "audit-log:2", "vault-agent", "scanner:2", **_STYLE)
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


def _sparrowhawk(c: Cluster, case: Case) -> Saver:
    ns = "queues"
    neighbours.web(c, ns, "producer:5", "monitor", "shovel:3", "console:2", **_STYLE)
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
    neighbours.web(c, ns, "gateway:2", "alerts", "dash:2", **_STYLE)
    work = workloads.deployment(
        c, ns, "trace-buffer", "harbor.example.com/prod/trace-buffer:0.18", age="70d", pods_age="16d",
        requests="200m/256Mi", labels=_named("trace-buffer"), mounts={"spool": "/spool"},
        volumes=[volume("spool", "emptyDir", "")],
    )  # fmt: skip
    node = c.get("Node", work.pods[0]["spec"]["nodeName"])
    name = meta(node)["name"]
    template = work.sets[0]["spec"]["template"]["spec"]
    others = [n for n in c.setting.nodes if n != name]
    faults.reborn(c, work.pods[0], "20m", c.rng.choice(others))
    for ago, born in (("41m", "5d9h"), ("20m", "41m")):
        gone = workloads.add_pod(
            c, work.sets[0], f"{meta(work.sets[0])['name']}-{c.suffix()}", template, namespace=ns, node=name,
            labels=work.sets[0]["spec"]["selector"]["matchLabels"], age=born,
        )  # fmt: skip
        told = (
            "The node was low on resource: ephemeral-storage. Threshold quantity: 10143096Ki, available: 9871520Ki."
            f" Container trace-buffer was using {61_000_000 + c.rng.randrange(9_000_000)}Ki, request is 0, has larger"
            " consumption of ephemeral-storage. "
        )
        faults.evicted(c, gone, told, ago)
        work.pods.append(gone)
    faults.pressed(c, node, "disk", "41m", "20m")
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


BUILDERS: Json = {
    "osprey": _osprey, "merlin": _merlin, "kestrel": _kestrel, "buzzard": _buzzard,
    "sparrowhawk": _sparrowhawk, "egret": _egret, "bittern": _bittern,
}  # fmt: skip
