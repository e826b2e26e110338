"""Third set: cases whose fault shows in a pod's containers."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, pasted, printed, tables, workloads
from benchmarks.kubernetes.objects import Json, container, meta, tcp_probe
from benchmarks.kubernetes.third_parts import (
    STYLE,
    blind_scaler,
    crashing_init,
    failed_job,
    moved,
    named,
    old_kills,
    repaired_image,
    warn,
)

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _cedar(c: Cluster, case: Case) -> Saver:
    """One of two containers is killed; it runs at the moment, and no event speaks of it."""
    ns = "imagery"
    others = neighbours.web(c, ns, "footprints:2", "mosaic", "quicklook:2", **STYLE)
    work = workloads.deployment(
        c, ns, "tile-cutter", "cr.example.com/imagery/tile-cutter:4.8", replicas=3, age="90d", pods_age="3d4h",
        box="cutter", requests="500m/192Mi", limits="2/256Mi", labels=named("tile-cutter"),
        sidecars=[container("uploader", "cr.example.com/imagery/uploader:1.1", requests="50m/64Mi", limits="200m/128Mi")],
    )  # fmt: skip
    for pod, last, count in zip(work.pods, ("6m40s", "2m9s", "11m"), (14, 16, 11), strict=True):
        faults.restarted(c, pod, 137, "OOMKilled", last, ran="4m", restarts=count, box="cutter")
    blind_scaler(c, ns, others[1].pods[0])
    pods = tables.ordered(c.of("Pod", ns))
    case.started = "58m"
    case.decoys = ["HorizontalPodAutoscaler mosaic: has never read its metric; harmless for months"]
    pod = work.pods[1]
    told = (
        f'Pod {ns}/{meta(pod)["name"]} (cutter) is in waiting state (reason: "CrashLoopBackOff").'
    )
    labels = {"namespace": ns, "pod": meta(pod)["name"], "container": "cutter", "uid": meta(pod)["uid"]}  # fmt: skip
    case.alert("KubePodCrashLooping", "24m", told, job="kube-state-metrics", **labels)
    why = "The container cutter of tile-cutter is killed at its memory limit of 256Mi again and again."
    case.fault("oom_killed", "memory,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.text("po.txt", tables.pods(c, ns))
        rows = [["POD", "CONTAINERS", "RESTARTS", "LAST", "EXIT", "MEMLIMIT"]]
        for one in pods:
            boxes, states = one["spec"]["containers"], one["status"]["containerStatuses"]
            ends = [row["lastState"].get("terminated", {}) for row in states]
            rows.append(
                [
                    meta(one)["name"], ",".join(b["name"] for b in boxes),
                    ",".join(str(row["restartCount"]) for row in states),
                    ",".join(e["reason"] for e in ends if e) or "<none>",
                    ",".join(str(e["exitCode"]) for e in ends if e) or "<none>",
                    ",".join(b["resources"].get("limits", {}).get("memory", "") for b in boxes),
                ]
            )  # fmt: skip
        out.text("restarts-columns.txt", tables.render(rows))
        out.text("ev.txt", tables.events(c, ns))

    return save


def _damson(c: Cluster, case: Case) -> Saver:
    """The init container that migrates the database ends with an error."""
    ns = "greengrocer"
    neighbours.web(c, ns, "storefront:3", "basket:2", "delivery-slots", **STYLE)
    repaired_image(c, ns, "vouchers")
    work = workloads.deployment(
        c, ns, "orders", "cr.example.com/greengrocer/orders:88", replicas=2, age="310d", pods_age="26m", port=8080,
        requests="250m/512Mi", labels=named("orders"),
    )  # fmt: skip
    workloads.service(c, ns, "orders", named("orders"), target=8080, age="310d")
    init = container(
        "migrate", "docker.io/flyway/flyway:10.11", args=["-connectRetries=5", "migrate"]
    )
    crashing_init(c, work, init, 1, restarts=9, since="26m", ended="1m48s")
    text = (
        "Flyway Community Edition 10.11.0 by Redgate\n\nDatabase: jdbc:postgresql://pg-7.example.com:5432/orders (PostgreSQL 15.6)\n"
        "ERROR: Validate failed: Migrations have failed validation\nMigration checksum mismatch for migration version 42\n"
        "-> Applied to database : -1093571210\n-> Resolved locally    : 722841034\n"
        "Either revert the changes to the migration, or run repair to update the schema history."
    )
    for pod in work.pods:
        c.log(pod, text, "migrate", previous=True)
    case.question = "storefront shows 'cannot place order' to everybody since release 88 - is the storefront broken?"
    case.started = "26m"
    case.decoys = ["vouchers: its wrong image tag was corrected 36 minutes ago"]
    why = "The init container migrate of orders 88 fails: the checksum of migration 42 was changed."
    case.fault(
        "crash_loop_error", "code_error,deploy,config", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        pod = work.pods[0]
        out.text("01-pods.txt", tables.pods(c, ns, wide=False))
        out.describe("02-describe-orders-pod.txt", pod)
        name = meta(pod)["name"]
        out.text(f"03-logs-{name}-c-migrate-previous.log", c.logs[ns, name, "migrate", True])
        out.text("04-svc.txt", tables.table(c, "Service", ns))

    return save


def _elder(c: Cluster, case: Case) -> Saver:
    """An image of the wrong processor; the terminal has colours."""
    ns = "turbines"
    others = neighbours.web(c, ns, "scada-proxy:2", "historian", "alarms:2", **STYLE)
    work = workloads.deployment(
        c, ns, "edge-relay", "cr.example.com/turbines/edge-relay:2.4.0", replicas=2, age="77d", pods_age="31m",
        requests="50m/64Mi", labels=named("edge-relay"), command=["/usr/bin/relay"],
    )  # fmt: skip
    arm = c.get("Node", c.setting.nodes[-1])
    for key in ("beta.kubernetes.io/arch", "kubernetes.io/arch"):
        meta(arm)["labels"][key] = "arm64"
    for pod in work.pods:
        moved(c, pod, "31m", meta(arm)["name"])
        faults.crashing(c, pod, 255, restarts=11, ran="1s", since="31m", ended="3m31s")
        c.log(pod, "exec /usr/bin/relay: exec format error")
        name = meta(pod)["name"]
        told = f'Pod {ns}/{name} (edge-relay) is in waiting state (reason: "CrashLoopBackOff").'
        case.alert("KubePodCrashLooping", "16m", told, namespace=ns, pod=name, container="edge-relay", reason="CrashLoopBackOff")  # fmt: skip
    old_kills(c, others[1].pods[0])
    case.started = "31m"
    case.decoys = ["historian: 17 kills for memory, the last nine hours ago"]
    why = "The image of edge-relay is built for another processor than that of the arm64 node it runs on."
    case.fault("crash_loop_config", "deploy,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = meta(work.pods[0])["name"]
        rows = [["NAME", "STATUS", "ROLES", "AGE", "VERSION", "ARCH"]]
        for node in c.of("Node"):
            old = tables.age(c, meta(node)["creationTimestamp"])
            arch = meta(node)["labels"]["kubernetes.io/arch"]
            rows.append([meta(node)["name"], "Ready", "<none>", old, c.setting.version, arch])
        text = pasted.session(
            "\x1b[1;32mops@bastion\x1b[0m:\x1b[1;34m~\x1b[0m$ ",
            (f"kubectl get po -n {ns} -o wide", tables.pods(c, ns)),
            (f"kubectl logs -n {ns} {pod}", c.logs[ns, pod, "edge-relay", False]),
            (f"kubectl logs -n {ns} {pod} --previous", c.logs[ns, pod, "edge-relay", False]),
            ("kubectl get nodes -L kubernetes.io/arch", tables.render(rows)),
        )
        text = pasted.coloured(text, "CrashLoopBackOff", "error")
        out.text("typescript.txt", pasted.coloured(text, "Running", "Ready", code=32))

    return save


def _fir(c: Cluster, case: Case) -> Saver:
    """The log of the previous run says that a certificate has expired."""
    ns = "metering"
    neighbours.web(c, ns, "tariffs:2", "portal:2", **STYLE)
    work = workloads.deployment(
        c, ns, "mqtt-bridge", "cr.example.com/metering/mqtt-bridge:1.19.3", age="365d", pods_age="41d", requests="50m/64Mi",
        labels=named("mqtt-bridge"),
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 78, restarts=12, ran="2s", since="39m", ended="4m2s")
    failed_job(c, ns, "tariff-import", "2d3h")
    day = c.ago("4m3s")
    text = (
        f"{day:%Y-%m-%dT%H:%M:%SZ} INFO  mqtt-bridge 1.19.3 starting\n"
        f"{day:%Y-%m-%dT%H:%M:%SZ} INFO  loading key pair /etc/bridge/tls/tls.crt /etc/bridge/tls/tls.key\n"
        f"{day:%Y-%m-%dT%H:%M:%SZ} FATAL own client certificate CN=mqtt-bridge is not usable: x509: certificate has expired"
        f" or is not yet valid: current time {day:%Y-%m-%dT%H:%M:%SZ} is after {c.ago('40m'):%Y-%m-%dT%H:%M:00Z}"
    )
    c.log(pod, text, previous=True)
    case.question = "电表数据从四十分钟前开始不再更新，没有人发布过任何东西"
    case.started = "40m"
    case.decoys = ["job tariff-import: failed two days ago, for another reason"]
    why = "The client certificate of mqtt-bridge has expired, so it ends at every start."
    case.fault("crash_loop_error", "certificate,config", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.single("mqtt-bridge-pod.json", pod)
        out.text("get-po.txt", tables.pods(c, ns, wide=False))
        out.logs("{pod}{previous}.log")

    return save


def _gorse(c: Cluster, case: Case) -> Saver:
    """Only tables: a probe over gRPC has a second, and the server is slow to answer."""
    ns = "recommend"
    neighbours.web(c, ns, "features:3", "experiments", "feed:2", **STYLE)
    work = workloads.deployment(
        c, ns, "ranker", "cr.example.com/recommend/ranker:5.0.2", replicas=2, age="120d", pods_age="5d", port=9090,
        requests="2/2Gi", limits="4/4Gi", labels=named("ranker"), liveness=tcp_probe(9090),
    )  # fmt: skip
    for pod, last in zip(work.pods, ("1m52s", "4m19s"), strict=True):
        probe = pod["spec"]["containers"][0]["livenessProbe"]
        probe["grpc"] = {"port": probe.pop("tcpSocket")["port"], "service": ""}
        faults.restarted(c, pod, 137, "Error", last, ran="6m", restarts=8)
        told = f'timeout: failed to connect service "{pod["status"]["podIP"]}:9090" within 1s: context deadline exceeded'
        faults.probe_failure(c, pod, "Liveness", told, first="55m", last=last, count=26, killed=8)
    case.question = "recommend 命名空间里的 ranker 每隔几分钟就重启一次，内存看起来没问题"
    case.started = "55m"
    why = "ranker is restarted by its liveness probe over gRPC, which gets no answer within 1 s."
    case.fault(
        "liveness_probe", "config,restart,code_error", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        steps = [
            (f"k -n {ns} get po", tables.pods(c, ns, wide=False)),
            (f"k -n {ns} get ev --sort-by=.lastTimestamp", tables.events(c, ns)),
        ]
        out.text("paste.txt", pasted.session("> ", *steps))

    return save


def _ivy(c: Cluster, case: Case) -> Saver:
    """Saved on Windows: the lines end with CR LF."""
    ns = "patents"
    others = neighbours.web(c, ns, "viewer:2", "classify:2", **STYLE)
    work = workloads.deployment(
        c, ns, "fulltext", "docker.io/library/elasticsearch:8.13.4", age="200d", pods_age="47m", port=9200,
        requests="2/8Gi", limits="4/8Gi", labels=named("fulltext"),
        startup=tcp_probe(9200, period=10, failures=30, delay=20),
    )  # fmt: skip
    pod = work.pods[0]
    faults.unready(c, pod, "47m")
    row = faults.status_of(pod)
    row |= {"restartCount": 8, "started": False, "state": {"running": {"startedAt": c.at("3m12s")}}}
    row["lastState"] = faults.ended(c, row, (143, "Error"), "8m40s", "3m14s")
    told = f"dial tcp {pod['status']['podIP']}:9200: connect: connection refused"
    faults.probe_failure(c, pod, "Startup", told, first="46m", last="4s", count=251, killed=8)
    faults.scheduled(c, pod)
    c.log(
        pod,
        f"[{c.ago('6s'):%Y-%m-%dT%H:%M:%S},481][INFO ][o.e.g.GatewayService] [fulltext] recovering shards: 118 of 402 done",
    )
    old_kills(c, others[0].pods[0], "21h")
    case.question = (
        "Full text search in patents has been gone for most of an hour. The pod says Running."
    )
    case.started = "47m"
    case.decoys = ["viewer: 17 kills for memory, the last one yesterday"]
    why = "fulltext is killed by its startup probe after 320 s, before it has recovered its shards."
    case.fault("startup_probe", "config,restart", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.text("pods.txt", pasted.windows(tables.pods(c, ns)))
        out.text("describe-fulltext.txt", pasted.windows(describing.describe(c, pod)))
        name = meta(pod)["name"]
        out.text(f"{name}.log", pasted.windows(c.logs[ns, name, "fulltext", False]))

    return save


def _thistle(c: Cluster, case: Case) -> Saver:
    """The hook after the start fails, so the kubelet kills what runs well."""
    ns = "greenhouse"
    neighbours.web(c, ns, "climate:2", "irrigation", **STYLE)
    work = workloads.deployment(
        c, ns, "rules-engine", "cr.example.com/greenhouse/rules-engine:3.3", age="52d", pods_age="18m", port=8080,
        requests="100m/256Mi", labels=named("rules-engine"),
    )  # fmt: skip
    pod = work.pods[0]
    hook = {
        "postStart": {"exec": {"command": ["/bin/sh", "-c", "/opt/register.sh --to $REGISTRY_URL"]}}
    }
    for spec in (pod["spec"], work.top["spec"]["template"]["spec"]):
        spec["containers"][0]["lifecycle"] = hook
    faults.crashing(c, pod, 137, "Error", restarts=8, ran="31s", since="18m", ended="2m40s")
    span: Json = {"count": 9, "path": "rules-engine"}
    warn(c, pod, "FailedPostStartHook", "PostStartHook failed", "17m", "2m40s", **span)
    c.event(pod, "Killing", "FailedPostStartHook", first="17m", last="2m40s", **span)
    at = c.ago("3m10s").strftime("%H:%M:%S")
    c.log(
        pod, f"{at} rules-engine 3.3 up, 214 rules loaded\n{at} listening on :8080", previous=True
    )
    neighbours.job_noise(c, ns, "yield-report", "33m")
    case.question = "rules-engine keeps getting killed although its log looks perfectly fine"
    case.started = "18m"
    why = "The postStart hook of rules-engine (/opt/register.sh) fails, so its container is killed each time."
    case.fault("crash_loop_config", "config,deploy,code_error", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.single("pod.yaml", pod)
        out.text("kubectl-events.txt", printed.recent(c, ns))
        out.logs("logs{previous}.txt")

    return save


BUILDERS: Json = {
    "cedar": _cedar, "damson": _damson, "elder": _elder, "fir": _fir, "gorse": _gorse, "ivy": _ivy,
    "thistle": _thistle,
}  # fmt: skip
