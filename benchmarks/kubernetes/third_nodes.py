"""Third set: cases about nodes and about placing pods on them."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, pasted, printed, tables, workloads
from benchmarks.kubernetes.objects import Json, meta, volume
from benchmarks.kubernetes.third_parts import (
    STYLE,
    blind_scaler,
    flapped_node,
    leftovers,
    named,
    old_kills,
    repaired_image,
    waiting_job,
)

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _olive(c: Cluster, case: Case) -> Saver:
    """The container runtime of a node does not answer; the alerts name its pods."""
    neighbours.system(c, network="calico-node")
    ns = "ferries"
    works = neighbours.web(c, ns, "sailings:4", "manifest:2", "gangway", **STYLE)
    leftovers(c, works[0], "9d", "9d3h")
    name = c.setting.nodes[1]
    node = c.get("Node", name)
    told = "container runtime is down, PLEG is not healthy: pleg was last seen active 23m41.508833924s ago; threshold is 3m0s"
    row = next(r for r in node["status"]["conditions"] if r["type"] == "Ready")
    row |= {"status": "False", "reason": "KubeletNotReady", "message": told, "lastTransitionTime": c.at("20m")}  # fmt: skip
    node["spec"]["taints"] = [
        {"effect": effect, "key": "node.kubernetes.io/not-ready", "timeAdded": c.at("20m")}
        for effect in ("NoSchedule", "NoExecute")
    ]
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") != name or pod["status"]["phase"] != "Running":
            continue
        ready = next(r for r in pod["status"]["conditions"] if r["type"] == "Ready")
        ready |= {"status": "False", "lastTransitionTime": c.at("20m")}
        if meta(pod)["namespace"] == ns:
            faults.deleted(c, pod, "15m")
            told = f"Pod {ns}/{meta(pod)['name']} has been in a non-ready state for longer than 15 minutes."
            case.alert("KubePodNotReady", "5m", told, namespace=ns, pod=meta(pod)["name"], job="kube-state-metrics")  # fmt: skip
    case.started = "20m"
    case.decoys = ["sailings: two pods that were evicted nine days ago were never deleted"]
    why = (
        f"{name} is not ready because its container runtime does not answer (PLEG is not healthy)."
    )
    case.fault("node_not_ready", "unknown,restart", why, node)

    def save(out: Folder) -> None:
        out.single("node.yaml", node)
        out.text("get-pods-A.txt", tables.pods(c))

    return save


def _pine(c: Cluster, case: Case) -> Saver:
    """The pod's own limit of local storage, not the node's disk."""
    ns = "studio"
    neighbours.web(c, ns, "timeline:2", "comments", "review:2", **STYLE)
    work = workloads.deployment(
        c, ns, "proxy-maker", "cr.example.com/studio/proxy-maker:2.8", age="33d", pods_age="33d", requests="1/1Gi",
        limits="2/2Gi", labels=named("proxy-maker"), mounts={"scratch": "/scratch"},
        volumes=[volume("scratch", "emptyDir", "")],
    )  # fmt: skip
    owned, node = work.sets[0], c.setting.nodes[2]
    for holder in (work.top, owned):
        limits = holder["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        limits["ephemeral-storage"] = "4Gi"
    faults.reborn(c, work.pods[0], "3m20s", node)
    told = "Pod ephemeral local storage usage exceeds the total limit of containers 4Gi. "
    for ago, born in (("41m", "55m"), ("23m", "41m"), ("3m21s", "23m")):
        gone = workloads.pod_of(c, owned, born, node)
        faults.evicted(c, gone, told, ago)
        c.event(gone, "Killing", "Stopping container proxy-maker", last=ago, path="proxy-maker")
        work.pods.append(gone)
    flapped_node(c, c.setting.nodes[0])
    case.question = "剪辑团队说代理文件生成到一半就断了，proxy-maker 总是换新的 pod"
    case.started = "41m"
    case.decoys = [f"{c.setting.nodes[0]}: was not ready for three minutes 55 minutes ago"]
    why = "proxy-maker writes more than its limit of 4Gi of local storage, and the kubelet evicts it each time."
    case.fault("node_pressure_eviction", "disk,config", why, work.top, *work.pods, owned)

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl events -n {ns}", printed.recent(c, ns)),
        ]
        out.text("output.md", pasted.fenced(*((f"`{what}`", text) for what, text in steps)))

    return save


def _sorrel(c: Cluster, case: Case) -> Saver:
    """The newest scheduler's words, and an autoscaler that may not add a node."""
    ns = "simulation"
    neighbours.web(c, ns, "api:2", "results:3", "scheduler", requests="600m/256Mi", limits="1/512Mi", **STYLE)  # fmt: skip
    repaired_image(c, ns, "notebook")
    work = workloads.deployment(
        c, ns, "solver", "cr.example.com/simulation/solver:1.0.4", replicas=3, age="35m", revision=1,
        requests="3500m/4Gi", labels=named("solver"),
    )  # fmt: skip
    total = len(c.setting.nodes)
    told = f"0/{total} nodes are available: {total} Insufficient cpu. no new claims to deallocate, preemption: 0/{total} nodes are available: {total} No preemption victims found for incoming pod."
    for pod in work.pods:
        faults.unscheduled(c, pod, told, count=8, last="52s")
        text = "pod didn't trigger scale-up: 1 max node group size reached"
        c.event(pod, "NotTriggerScaleUp", text, first="35m", last="48s", count=21, by="cluster-autoscaler")  # fmt: skip
    case.question = "solver 35 分钟了还是 Pending，不是有自动扩容吗？"
    case.started = "35m"
    case.decoys = ["notebook: its wrong image tag was corrected 36 minutes ago"]
    why = "No node has 3.5 processors free for the pods of solver, and the node group is at its maximum size."
    case.fault("pending_cpu", "cpu,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        rows = tables.pods(c, ns).splitlines()
        out.text("pending.txt", "\n".join([rows[0], *(r for r in rows if "Pending" in r)]) + "\n")
        out.text("events-wide.out", printed.wide_events(c, ns)[:9000])
        out.describe("nodes.txt", *c.of("Node"))

    return save


def _teasel(c: Cluster, case: Case) -> Saver:
    """One pod of a daemon set finds no place on the node that is meant for it."""
    ns = "security"
    works = neighbours.web(c, ns, "policy-api:2", "reports", **STYLE)
    work = workloads.daemon_set(
        c, ns, "runtime-sensor", "cr.example.com/security/runtime-sensor:5.1", age="34m", requests="200m/2Gi", limits="1/2Gi",
        labels=named("runtime-sensor"),
    )  # fmt: skip
    name = c.setting.nodes[3]
    pod = next(p for p in work.pods if p["spec"]["nodeName"] == name)
    told = (
        "0/4 nodes are available: 1 Insufficient memory, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/4 nodes"
        " are available: 1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling."
    )
    faults.unscheduled(c, pod, told, count=8, last="1m12s")
    field = {"key": "metadata.name", "operator": "In", "values": [name]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    pod["spec"]["affinity"] = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    }
    node = c.get("Node", name)
    node["status"]["capacity"]["memory"] = "4024848Ki"
    node["status"]["allocatable"]["memory"] = "3041808Ki"
    workloads.deployment(
        c, ns, "scan-cache", "docker.io/library/redis:7.2.4", age="140d", pods_age="8d", requests="100m/1500Mi",
        labels=named("scan-cache"),
    )  # fmt: skip
    faults.reborn(c, c.of("Pod", ns)[-1], "7d", name)
    old_kills(c, works[0].pods[0], "7h")
    case.started = "34m"
    case.decoys = ["policy-api: 17 kills for memory, the last seven hours ago"]
    told = f"DaemonSet {ns}/runtime-sensor has not finished or progressed for at least 15 minutes."
    case.alert("KubeDaemonSetRolloutStuck", "18m", told, namespace=ns, daemonset="runtime-sensor")
    why = f"{name} has not the 2Gi of memory free that runtime-sensor asks for."
    case.fault("pending_memory", "memory,config", why, work.top, pod)

    def save(out: Folder) -> None:
        out.single("pending-pod.json", pod)
        out.text("ds.txt", printed.controller(c, work.top))
        out.text("node.txt", describing.describe(c, node))
        out.text("pods.txt", tables.pods(c, ns))

    return save


def _ulex(c: Cluster, case: Case) -> Saver:
    """A nightly job waits; the one of the night before is long done."""
    ns = "royalties"
    works = neighbours.web(c, ns, "contracts:2", "payouts", **STYLE)
    for node in c.of("Node"):
        node["spec"]["taints"] = [{"effect": "NoSchedule", "key": "sku", "value": "spot"}]
    parts = waiting_job(c, ns, "nightly-split", "51m", requests="500m/1Gi", schedule="0 2 * * *")
    pod = parts[2]
    told = faults.no_node(c, "3 node(s) had untolerated taint {sku: spot}", faults.not_helpful(c))
    faults.unscheduled(c, pod, told, count=11, last="1m3s")
    for work in works:
        for one in work.pods:
            one["spec"]["tolerations"].append({"key": "sku", "operator": "Exists"})
    blind_scaler(c, ns, works[1].pods[0])
    case.question = (
        "nightly-split has not run to its end, the payout report is still empty. Is payouts broken?"
    )
    case.started = "51m"
    case.decoys = ["HorizontalPodAutoscaler payouts: has never read its metric"]
    why = "All nodes carry the taint sku=spot, which the pod of nightly-split does not tolerate."
    case.fault("pending_taint", "config", why, *parts)

    def save(out: Folder) -> None:
        out.text("taints.txt", printed.node_taints(c))
        out.single("pod.yaml", pod)
        out.single("cronjob.yaml", parts[0])
        out.text("pods.txt", tables.pods(c, ns))

    return save


def _viburnum(c: Cluster, case: Case) -> Saver:
    """No node carries the label over which the pods are to be spread."""
    ns = "auctions"
    neighbours.web(c, ns, "lots:3", "bidders:2", "images:2", **STYLE)
    work = workloads.deployment(
        c, ns, "bidding", "cr.example.com/auctions/bidding:12.2", replicas=3, age="250d", pods_age="40d", port=8080,
        requests="200m/256Mi", labels=named("bidding"), rolling={"maxSurge": 1, "maxUnavailable": 0}, revision=8,
    )  # fmt: skip
    spread = {
        "labelSelector": {"matchLabels": named("bidding")}, "maxSkew": 1,
        "topologyKey": "topology.example.com/rack", "whenUnsatisfiable": "DoNotSchedule",
    }  # fmt: skip
    about = meta(work.top)
    about["annotations"]["deployment.kubernetes.io/revision"], about["generation"] = "9", 9
    spec = work.top["spec"]["template"]["spec"]
    spec["topologySpreadConstraints"] = [spread]
    fresh = workloads.replica_set(c, work, 1, "43m", spec)
    pod = work.pods[-1]
    why = "4 node(s) didn't match pod topology spread constraints (missing required label)"
    faults.unscheduled(c, pod, faults.no_node(c, why, faults.not_helpful(c)), count=10, last="2m")
    faults.stalled(c, work.top, fresh, "33m")
    case.question = "bidding 的发布卡住了，新 pod 一直 Pending，节点明明很空"
    case.started = "43m"
    why = "bidding is to be spread over topology.example.com/rack, a label that no node has."
    case.fault("pending_affinity", "config,deploy", why, work.top, pod, fresh)

    def save(out: Folder) -> None:
        out.text("deploy-wide.txt", printed.wide_deployments(c, ns))
        out.single("bidding.yaml", work.top)
        rows = tables.pods(c, ns, wide=False, labels=True)
        out.text("pods-labels.txt", rows)
        out.text("events.txt", tables.events(c, ns))

    return save


BUILDERS: Json = {
    "olive": _olive, "pine": _pine, "sorrel": _sorrel, "teasel": _teasel, "ulex": _ulex,
    "viburnum": _viburnum,
}  # fmt: skip
