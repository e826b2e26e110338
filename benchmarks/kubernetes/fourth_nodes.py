"""Fourth set: nodes, volumes and services."""

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
from benchmarks.kubernetes.fourth_parts import (
    STYLE,
    cleared,
    forgotten_pod,
    named,
    node_upgrade,
    old_crashes,
    sandbox_trouble,
    waited,
)
from benchmarks.kubernetes.objects import Json, http_probe, meta, seconds, volume
from benchmarks.kubernetes.third_parts import failed_job, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _pyrite(c: Cluster, case: Case) -> Saver:
    """After a restart a node has no network configuration."""
    ns = "parcels"
    neighbours.web(c, ns, "labels:3", "tracking:3", "pickup:2", **STYLE)
    name = c.setting.nodes[2]
    proxy = f"registry.k8s.io/kube-proxy:{c.setting.version}"
    workloads.daemon_set(c, "kube-system", "kube-proxy", proxy, age="69d", host_network=True)
    node = c.get("Node", name)
    text = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"
    ready = next(r for r in node["status"]["conditions"] if r["type"] == "Ready")
    ready |= {"status": "False", "reason": "KubeletNotReady", "message": text, "lastTransitionTime": c.at("31m")}  # fmt: skip
    node["spec"]["taints"] = [
        {"effect": effect, "key": "node.kubernetes.io/not-ready", "timeAdded": c.at("31m")}
        for effect in ("NoSchedule", "NoExecute")
    ]
    c.event(node, "Starting", "Starting kubelet.", last="31m10s")
    warn(c, node, "Rebooted", f"Node {name} has been rebooted, boot id: {c.uid()}", "31m5s")
    c.event(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady", last="31m")
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") == name and pod["status"]["phase"] == "Running":
            row = next(r for r in pod["status"]["conditions"] if r["type"] == "Ready")
            row |= {"status": "False", "lastTransitionTime": c.at("31m")}
            if meta(pod)["namespace"] == ns:
                faults.deleted(c, pod, "26m")
    failed_job(c, ns, "geo-refresh", "20h")
    case.started = "31m"
    case.decoys = ["job geo-refresh: failed 20 hours ago"]
    told = f"{name} has been unready for more than 15 minutes on cluster prod."
    case.alert("KubeNodeNotReady", "15m", told, node=name, condition="Ready", job="kube-state-metrics")  # fmt: skip
    why = f"{name} is not ready since its restart: its container runtime has no network configuration."
    case.fault("node_not_ready", "config,unknown,network_loss,dependency,restart", why, node)

    def save(out: Folder) -> None:
        place = 'kubelet.go:2855] "Container runtime network not ready" networkReady="NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"'
        rows = [(ago, f"E{c.ago(ago):%m%d %H:%M:%S}.318251    1206 {place}") for ago in ("22s", "17s", "12s", "7s", "2s")]  # fmt: skip
        steps = [
            ("kubectl get nodes -o wide", tables.nodes(c)),
            (f"kubectl describe node {name}", describing.describe(c, node)),
            (f"kubectl get pods -n {ns} -o wide | grep {name}", pasted.kept(tables.pods(c, ns), name)),
            (f"ssh {name} sudo journalctl -u kubelet -n 5", printed.journal(c, name, "kubelet[1206]", *rows)),
        ]  # fmt: skip
        out.text("node.txt", pasted.session("admin@bastion ~ $ ", *steps))

    return save


def _quartz(c: Cluster, case: Case) -> Saver:
    """A node's disk is full and pods are evicted; another workload has no account."""
    ns = "photos"
    neighbours.web(c, ns, "albums:2", **STYLE)
    work = workloads.deployment(
        c, ns, "thumbnailer", "reg.example.com/prod/thumbnailer:8.1", replicas=2, age="200d", pods_age="11d", requests="200m/256Mi", limits="1/1Gi",
        labels=named("thumbnailer"),
    )  # fmt: skip
    name = c.setting.nodes[1]
    node, owned = c.get("Node", name), work.sets[0]
    faults.pressed(c, node, "disk", "47m", "9m")
    told = "Failed to garbage collect required amount of images. Attempted to free 6210805760 bytes, but only found 0 bytes eligible to free."
    warn(c, node, "FreeDiskSpaceFailed", told, "52m", "2m", count=11)
    for ago, born, kib in (("46m", "11d", 31904112), ("28m", "45m", 28716320), ("9m", "27m", 29950044)):  # fmt: skip
        gone = workloads.pod_of(c, owned, born, name)
        told = f"The node was low on resource: ephemeral-storage. Threshold quantity: 10143096225, available: 9{c.rng.randrange(100000, 800000)}Ki. Container thumbnailer was using {kib}Ki, request is 0, has larger consumption of ephemeral-storage. "
        faults.evicted(c, gone, told, ago)
        work.pods.append(gone)
    faults.reborn(c, work.pods[1], f"{seconds('9m') - 2}s", c.setting.nodes[0])
    maps = workloads.deployment(
        c, "cms", "sitemap", "reg.example.com/prod/sitemap:2.2", age="2h", revision=1, account="sitemap-writer", requests="50m/64Mi", labels=named("sitemap"),
    )  # fmt: skip
    faults.never_made(c, *maps.pods)
    text = f'pods "{meta(maps.sets[0])["name"]}-" is forbidden: error looking up service account cms/sitemap-writer: serviceaccount "sitemap-writer" not found'
    faults.refused(c, maps, text, "2h", 21)
    faults.stalled(c, maps.top, maps.sets[0], "1h50m")
    editors = neighbours.web(c, "cms", "editor:2", **STYLE)[0]
    old_crashes(c, editors.pods[0], 18, "5d")
    case.question = "缩略图服务 thumbnailer 不停被驱逐，是内存不够吗？附上 cluster-info dump"
    case.started = "52m"
    case.decoys = ["editor: 18 restarts, the last one five days ago"]
    why = f"thumbnailer fills the local disk of {name}, and the kubelet evicts its pods."
    case.fault("node_pressure_eviction", "disk,config", why, work.top, node, *work.pods, owned)
    why = "The service account sitemap-writer does not exist, so the pod of sitemap is refused."
    case.fault("missing_service_account", "config,deploy", why, maps.top, maps.sets[0])
    return lambda out: out.dump(ns, "cms")


def _schist(c: Cluster, case: Case) -> Saver:
    """The file server does not know the newest node."""
    ns = "records"
    neighbours.web(c, ns, "scanner-ui:2", "search:2", **STYLE)
    place = {"name": "docs", "nfs": {"path": "/exports/docs", "server": "nfs-2.example.com"}}
    work = workloads.deployment(
        c, ns, "doc-reader", "reg.example.com/prod/doc-reader:3.9", replicas=3, age="280d", pods_age="23d", port=8080, requests="100m/128Mi",
        labels=named("doc-reader"), mounts={"docs": "/docs"}, volumes=[place],
    )  # fmt: skip
    pod, name = work.pods[2], c.setting.nodes[-1]
    cleared(c, name)
    faults.reborn(c, pod, "36m", name)
    faults.stuck_creating(c, pod, "36m")
    told = (
        'MountVolume.SetUp failed for volume "docs" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs'
        f" nfs-2.example.com:/exports/docs /var/lib/kubelet/pods/{meta(pod)['uid']}/volumes/kubernetes.io~nfs/docs\n"
        "Output: mount.nfs: access denied by server while mounting nfs-2.example.com:/exports/docs\n"
    )
    warn(c, pod, "FailedMount", told, "36m", "1m21s", count=25)
    token = pod["spec"]["volumes"][-1]["name"]
    text = f"Unable to attach or mount volumes: unmounted volumes=[docs], unattached volumes=[docs {token}]: timed out waiting for the condition"
    warn(c, pod, "FailedMount", text, "34m", "3m40s", count=14)
    node = c.get("Node", name)
    meta(node)["creationTimestamp"] = c.at("2h")
    for row in node["status"]["conditions"]:
        row["lastTransitionTime"] = c.at("2h")
    sandbox_trouble(c, work.pods[0], "55m")
    case.question = (
        "Since we replaced a node some clerks cannot open documents, others can. Any idea?"
    )
    case.started = "36m"
    case.decoys = ["doc-reader: a predecessor had no network for a minute 55 minutes ago"]
    why = f"The file server refuses the mount of /exports/docs to the new node {name}."
    case.fault("volume_mount", "config,dependency,disk", why, work.top, pod, work.sets[0], node)

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get pods -n {ns} -o wide", tables.pods(c, ns)),
            ("kubectl get nodes -o wide", tables.nodes(c)),
            (f"kubectl describe pod {meta(pod)['name']} -n {ns}", describing.describe(c, pod)),
        ]
        out.text("paste.txt", pasted.taken(c, steps, "root@mgmt:~"))

    return save


def _shale(c: Cluster, case: Case) -> Saver:
    """A volume is still held by the node that was drained."""
    ns = "forums"
    neighbours.web(c, ns, "threads:2", "moderation", **STYLE)
    claim = volumes.bound_claim(c, ns, "uploads", size="200Gi", age="330d", kind="gp3")
    work = workloads.deployment(
        c, ns, "media-store", "docker.io/minio/minio:RELEASE.2024-05-10T01-41-38Z", age="330d", pods_age="90d", port=9000, requests="250m/512Mi",
        labels=named("media-store"), mounts={"data": "/data"}, volumes=[volume("data", "pvc", "uploads")],
    )  # fmt: skip
    pod, held = work.pods[0], claim["spec"]["volumeName"]
    old, new = c.setting.nodes[0], c.setting.nodes[1]
    cleared(c, old)
    node_upgrade(c, old, "44m", "29m")
    faults.reborn(c, pod, "43m", new)
    faults.stuck_creating(c, pod, "43m")
    told = f'Multi-Attach error for volume "{held}" Volume is already exclusively attached to one node and can\'t be attached to another'
    warn(c, pod, "FailedAttachVolume", told, "42m58s", by="attachdetach-controller")
    text = "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition"
    warn(c, pod, "FailedMount", text, "41m", "1m9s", count=18)
    spec: Json = {"attacher": "ebs.csi.aws.com", "nodeName": old, "source": {"persistentVolumeName": held}}  # fmt: skip
    c.add("VolumeAttachment", f"csi-{c.rng.getrandbits(256):064x}", "90d", spec=spec, status={"attached": True})  # fmt: skip
    case.question = "Uploads in the forum are broken since the node maintenance. The node is Ready again. Disk lost??"
    case.started = "43m"
    case.decoys = [f"{old}: was cordoned and restarted on purpose, and is back since 29 minutes"]
    why = f"The volume of the claim uploads is still attached to {old}, so it cannot be attached to {new}, where media-store now is."
    case.fault("volume_attach", "disk,config,unknown", why, work.top, pod, claim, work.sets[0])

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("describe-pod.txt", pod)
        out.text("volumeattachments.txt", printed.attachments(c))
        out.tables("pvc", namespace=ns)

    return save


def _slate(c: Cluster, case: Case) -> Saver:
    """A new chart gave the pods another label, and the service was not changed."""
    ns = "reviews"
    others = neighbours.web(c, ns, "ratings:2", "spam-score", **STYLE)
    router = neighbours.web(c, "ingress-nginx", "ingress-nginx-controller:2", **STYLE)[0]
    labels = {"app.kubernetes.io/instance": "reviews", "app.kubernetes.io/name": "reviews-api"}
    work = workloads.deployment(
        c, ns, "reviews-api", "reg.example.com/prod/reviews-api:4.0.1", replicas=3, age="58m", revision=1, port=8080, requests="100m/128Mi", labels=labels,
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    front = workloads.service(c, ns, "reviews-api", {"app": "reviews-api"}, target=8080, age="412d")
    for pod in router.pods:
        at = c.ago("11s").strftime("%m%d %H:%M:%S")
        c.log(pod, f'W{at}.551208       7 controller.go:1216] Service "reviews/reviews-api" does not have any active Endpoint.')  # fmt: skip
    old_crashes(c, router.pods[0], 27, "9d")
    waited(c, others[0].pods[0], "53m")
    forgotten_pod(c, ns, "dnsutils", "62d")
    case.question = "ingress-nginx returns 503 for /reviews, pods are all 1/1 Running. nginx bug? we upgraded the chart about an hour ago"
    case.started = "58m"
    case.decoys = [
        "ingress-nginx-controller: 27 restarts, the last one nine days ago; it only says that there is no endpoint",
        "dnsutils: somebody's pod, ended with an error 62 days ago",
        "ratings: a predecessor waited for a node 53 minutes ago",
    ]
    why = "The service reviews-api selects app=reviews-api, a label that its pods no longer carry."
    case.fault("wrong_selector", "config,deploy", why, front, work.top)

    def save(out: Folder) -> None:
        name = meta(router.pods[0])["name"]
        log = c.logs["ingress-nginx", name, "ingress-nginx-controller", False]
        steps = [
            (f"kubectl get po -n {ns} --show-labels", tables.pods(c, ns, wide=False, labels=True)),
            (f"kubectl describe svc reviews-api -n {ns}", describing.describe(c, front)),
            ("kubectl get po -n ingress-nginx", tables.pods(c, "ingress-nginx", wide=False)),
            (f"kubectl logs -n ingress-nginx {name} --tail=1", log),
        ]
        note = pasted.fenced(*((f"`{what}`", text) for what, text in steps))
        out.text("503.md", note)

    return save


BUILDERS: Json = {
    "pyrite": _pyrite, "quartz": _quartz, "schist": _schist, "shale": _shale, "slate": _slate,
}  # fmt: skip
