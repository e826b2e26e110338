"""Held-out cases whose fault shows in a pod's containers."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, tables, workloads
from benchmarks.kubernetes.objects import (
    Json,
    container,
    exec_probe,
    http_probe,
    meta,
    tcp_probe,
    volume,
)

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_STYLE: Json = {"label": "app.kubernetes.io/name", "registry": "harbor.example.com/prod"}


def _named(name: str, release: str = "main") -> Json:
    return {"app.kubernetes.io/instance": release, "app.kubernetes.io/name": name}


def _ropewalk(c: Cluster, case: Case) -> Saver:
    ns = "edge-routing"
    neighbours.web(c, ns, "admin-ui:2", "geoip:2", "limiter:3", "waf:4", "metrics-relay", **_STYLE)
    work = workloads.deployment(
        c, ns, "router", "harbor.example.com/prod/router:24.3", replicas=3, age="210d", pods_age="16m",
        port=8443, requests="500m/512Mi", labels=_named("router"), mounts={"rules": "/etc/router/rules"},
        volumes=[volume("rules", "configMap", "routing-rules-7f9c2")],
    )  # fmt: skip
    for index, pod in enumerate(work.pods):
        faults.stuck_creating(c, pod, "16m")
        told = 'MountVolume.SetUp failed for volume "rules" : configmap "routing-rules-7f9c2" not found'
        c.event(
            pod, "FailedMount", told, warning=True, first="16m", last=f"{30 + index * 9}s", count=15
        )
        faults.scheduled(c, pod)
    neighbours.autoscaler_noise(c, ns, "limiter", "21m")
    neighbours.job_noise(c, ns, "geoip-refresh", "40m")
    case.question = "Traffic to our public hosts is dead after the router upgrade"
    case.started = "16m"
    why = "The router pods mount the config map routing-rules-7f9c2, which does not exist."
    case.fault("missing_configmap", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = work.pods[1]
        out.transcript(
            "session.txt",
            (f"kubectl -n {ns} get all", out.everything(ns)),
            (f"kubectl -n {ns} describe pod {meta(pod)['name']}", describing.describe(c, pod)),
        )

    return save


def _kelp(c: Cluster, case: Case) -> Saver:
    ns = "biolab"
    neighbours.web(c, ns, "samples:2", "freezers", "reports:2", **_STYLE)
    image = "quay.io/kelp-lab/sequencer:v7"
    work = workloads.deployment(
        c, ns, "sequencer", image, age="17d", pods_age="53m", requests="2/3Gi", labels=_named("sequencer"),
    )  # fmt: skip
    error = "rpc error: code = Unknown desc = reading manifest v7 in quay.io/kelp-lab/sequencer: manifest unknown"
    faults.image_failure(c, work.pods[0], error, "53m", count=14)
    neighbours.old_restart(c, c.of("Pod", ns)[1], "1d3h")
    neighbours.stale_readiness(c, c.of("Pod", ns)[0], "51m")
    case.started = "53m"
    name = meta(work.pods[0])["name"]
    told = f"pod/{name} in namespace {ns} on container sequencer has been in waiting state for longer than 1 hour."
    case.alert(
        "KubeContainerWaiting",
        "3m",
        told,
        namespace=ns,
        pod=name,
        container="sequencer",
        reason="ImagePullBackOff",
    )
    why = "quay.io/kelp-lab/sequencer has no tag v7."
    case.fault("image_pull", "deploy,config", why, work.top, *work.pods, work.sets[0])
    return lambda out: out.must_gather(ns, root="must-gather.local.5583920441/inspect")


def _puffin(c: Cluster, case: Case) -> Saver:
    """The sidecar, not the application, runs out of memory."""
    ns = "newsroom"
    neighbours.web(
        c, ns, "cms:2", "wire-feed", "images:3", "comments:4", "archive:2", "newsletter", **_STYLE
    )
    work = workloads.deployment(
        c, ns, "frontpage", "harbor.example.com/prod/frontpage:2026.14", replicas=2, age="300d",
        pods_age="7h20m", port=8080, requests="300m/512Mi", limits="2/1Gi", labels=_named("frontpage"),
        readiness=http_probe("/_ready", 8080),
        sidecars=[container("log-shipper", "docker.io/fluent/fluent-bit:3.0.4", requests="20m/32Mi", limits="100m/48Mi")],
    )  # fmt: skip
    for pod, last in zip(work.pods, ("4m41s", "1m7s"), strict=True):
        faults.crashing(
            c,
            pod,
            137,
            "OOMKilled",
            box="log-shipper",
            restarts=23,
            ran="18s",
            since="1h50m",
            ended=last,
        )
    neighbours.job_noise(c, ns, "purge-drafts", "6m")
    case.question = "frontpage pods show 1/2 and flap in and out of the load balancer"
    case.started = "1h50m"
    why = "The log-shipper sidecar of frontpage is killed at its memory limit of 48Mi."
    case.fault("oom_killed", "memory,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.text("get-pods.txt", tables.pods(c, ns, wide=False))
        out.describe("describe-pods.txt", *work.pods)

    return save


def _gannet(c: Cluster, case: Case) -> Saver:
    ns = "ticketing"
    neighbours.web(c, ns, "venues:2", "seats:2", "promo", **_STYLE)
    work = workloads.deployment(
        c, ns, "barcode", "harbor.example.com/prod/barcode:1.15.0", replicas=2, age="48d", pods_age="22m",
        command=["/app/barcode-serve"], args=["--listen=:8080"], requests="50m/64Mi", labels=_named("barcode"),
    )  # fmt: skip
    told = (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create"
        ' failed: unable to start container process: error during container init: exec: "/app/barcode-serve":'
        " stat /app/barcode-serve: no such file or directory: unknown"
    )
    for pod in work.pods:
        faults.crashing(
            c, pod, 128, "StartError", restarts=9, ran="0s", since="22m", ended="48s", message=told
        )
        # A container that could not be started has the epoch as its start.
        faults.status_of(pod)["lastState"]["terminated"]["startedAt"] = "1970-01-01T00:00:00Z"
        c.event(
            pod,
            "Failed",
            f"Error: {told}",
            warning=True,
            path="barcode",
            first="22m",
            last="48s",
            count=10,
        )
    neighbours.old_restart(c, c.of("Pod", ns)[0])
    case.question = "barcode 部署之后一直 CrashLoopBackOff，日志是空的"
    case.started = "22m"
    why = "The command /app/barcode-serve of barcode does not exist in its image."
    case.fault("crash_loop_config", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.raw("pods.json", "Pod", ns)
        out.listed("events.yaml", "Event", ns)

    return save


def _heron(c: Cluster, case: Case) -> Saver:
    ns = "grid"
    others = neighbours.web(c, ns, "forecast:2", "substations", "meters:2", **_STYLE)
    work = workloads.deployment(
        c, ns, "dispatcher", "harbor.example.com/prod/dispatcher:0.44.2", age="95d", pods_age="2d7h",
        requests="100m/128Mi", labels=_named("dispatcher"),
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 2, restarts=9, ran="35s", since="37m", ended="2m40s")
    day = c.ago("2m40s").strftime("%Y/%m/%d %H:%M:%S")
    text = (
        f"{day} plan 9171 accepted, 46 feeders\npanic: runtime error: invalid memory address or nil pointer"
        " dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x28 pc=0x7a1c3e]\n\n"
        "goroutine 51 [running]:\ngrid.example.com/dispatcher/plan.(*Feeder).Load(...)\n"
        "\t/src/plan/feeder.go:118\ngrid.example.com/dispatcher/plan.Balance(0xc0001ba000)\n"
        "\t/src/plan/balance.go:64 +0x21e\nmain.main()\n\t/src/main.go:40 +0x3c5\nexit status 2"
    )
    c.log(pod, text)
    neighbours.old_restart(c, others[0].pods[0])
    c.log(
        others[0].pods[0],
        f"{day} WARN forecast: 1 of 12 weather stations did not answer, using last value",
    )
    case.question = (
        "dispatcher in namespace grid crashes since about half an hour, nothing was deployed"
    )
    case.started = "37m"
    why = "dispatcher panics with a nil pointer in plan/feeder.go:118."
    case.fault("crash_loop_error", "code_error,restart", why, work.top, pod, work.sets[0])
    return lambda out: out.dump(ns)


def _curlew(c: Cluster, case: Case) -> Saver:
    ns = "chat"
    neighbours.web(c, ns, "presence:2", "rooms:3", "push:4", "emoji", "search:3", **_STYLE)
    work = neighbours.database(
        c, ns, "session-store", "docker.io/library/redis:7.2.4", replicas=1, claim="8Gi", age="150d",
        liveness=exec_probe("sh", "-c", "redis-cli ping", timeout=1, period=5),
    )  # fmt: skip
    pod = work.pods[0]
    faults.restarted(c, pod, 137, "Error", "2m48s", ran="5m", restarts=6)
    text = 'command timed out: "sh -c redis-cli ping" timed out after 1s'
    faults.probe_failure(c, pod, "Liveness", text, first="50m", last="2m50s", count=21, killed=6)
    at = c.ago("3m5s").strftime("%d %b %Y %H:%M:%S")
    c.log(
        pod,
        f"1:M {at}.118 # WARNING: slow command KEYS session:* took 4183 ms\n"
        f"1:signal-handler (1764) Received SIGTERM scheduling shutdown...",
        previous=True,
    )
    case.question = "Users are logged out every few minutes"
    case.started = "50m"
    why = "session-store is restarted by its liveness probe: redis-cli ping does not answer within 1 s."
    case.fault("liveness_probe", "config,restart,slow_query,code_error", why, work.top, pod)

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c))
        out.describe("session-store-0.txt", pod)
        out.logs("{pod}{previous}.log")
        out.text("events.txt", tables.events(c))

    return save


def _plover(c: Cluster, case: Case) -> Saver:
    """The probe asks a port on which nobody listens; the application is well."""
    ns = "maps"
    neighbours.web(c, ns, "routes:2", "places", "traffic:2", **_STYLE)
    work = workloads.deployment(
        c, ns, "elevation", "harbor.example.com/prod/elevation:4.0.0", replicas=2, age="9d", pods_age="46m",
        port=8080, requests="100m/256Mi", labels=_named("elevation"), readiness=tcp_probe(8081),
    )  # fmt: skip
    for pod in work.pods:
        faults.unready(c, pod, "46m")
        ip = pod["status"]["podIP"]
        told = f"dial tcp {ip}:8081: connect: connection refused"
        faults.probe_failure(c, pod, "Readiness", told, first="46m", last="3s", count=279)
        c.log(pod, f'{{"ts":"{c.at("46m")}","msg":"http server started","addr":":8080"}}')
        name = meta(pod)["name"]
        told = f"Pod {ns}/{name} has been in a non-ready state for longer than 15 minutes."
        case.alert("KubePodNotReady", "31m", told, namespace=ns, pod=name)
    case.started = "46m"
    why = "elevation's readiness probe asks port 8081, and the application listens on 8080."
    case.fault("readiness_probe", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.listed("maps.yaml", "Pod,Event", ns)
        out.logs("{pod}.log")

    return save


def _dunlin(c: Cluster, case: Case) -> Saver:
    neighbours.system(c, network="kube-flannel-ds")
    ns = "ledger-core"
    neighbours.web(c, ns, "journal:2", "rates", "audit:3", **_STYLE)
    work = workloads.stateful_set(
        c, ns, "posting-engine", "harbor.example.com/prod/posting-engine:11.2", age="180d", pods_age="29m",
        claim="40Gi", port=7100, requests="1/2Gi", limits="2/3Gi", mounts={"data": "/data"},
        startup=exec_probe("/bin/ready", "--replay", period=10, failures=18, timeout=5),
    )  # fmt: skip
    pod = work.pods[0]
    faults.unready(c, pod, "29m")
    row = faults.status_of(pod)
    row |= {"restartCount": 5, "started": False, "state": {"running": {"startedAt": c.at("2m34s")}}}
    row["lastState"] = faults.ended(c, row, (137, "Error"), "7m24s", "3m54s")
    told = "replay at 61%, not ready\n"
    faults.probe_failure(c, pod, "Startup", told, first="28m", last="5s", count=105, killed=5)
    c.log(pod, f"{c.at('5s')} replaying journal segment 8114 of 13202 (61%)")
    c.log(
        pod,
        f"{c.at('3m55s')} replaying journal segment 10950 of 13202 (83%)\n{c.at('3m54s')} killed",
        previous=True,
    )
    case.question = "posting-engine-0 启动不了，一直重启"
    case.started = "29m"
    why = (
        "posting-engine needs longer to replay its journal than the 180 s its startup probe allows."
    )
    case.fault("startup_probe", "config,restart", why, work.top, pod)

    def save(out: Folder) -> None:
        out.text("k-get-po.txt", tables.pods(c))
        out.text("k-get-ev.txt", tables.events(c, ns))
        out.describe("k-describe.txt", pod)
        out.logs("k-logs{previous}.txt")

    return save


def _avocet(c: Cluster, case: Case) -> Saver:
    ns = "ingress"
    neighbours.web(c, ns, "acme-solver", "error-pages:2", **_STYLE)
    neighbours.web(c, "web", "home:2", "blog", **_STYLE)
    work = workloads.daemon_set(
        c, ns, "edge-proxy", "docker.io/library/nginx:1.25.5", age="12m", labels=_named("edge-proxy"),
        mounts={"tls": "/etc/nginx/tls"}, volumes=[volume("tls", "secret", "edge-wildcard-tls")],
    )  # fmt: skip
    for pod in work.pods:
        faults.stuck_creating(c, pod, "12m")
        told = 'MountVolume.SetUp failed for volume "tls" : secret "edge-wildcard-tls" not found'
        c.event(pod, "FailedMount", told, warning=True, first="12m", last="1m9s", count=13)
    case.started = "12m"
    told = f"DaemonSet {ns}/edge-proxy has not finished or progressed for at least 10 minutes."
    case.alert("KubeDaemonSetRolloutStuck", "2m", told, namespace=ns, daemonset="edge-proxy")
    why = "The pods of edge-proxy mount the secret edge-wildcard-tls, which does not exist."
    case.fault("missing_secret", "config,certificate", why, work.top, *work.pods)

    def save(out: Folder) -> None:
        out.raw("podlist.json", "Pod")
        out.raw("eventlist.json", "Event")
        out.raw("daemonsets.json", "DaemonSet")

    return save


def _petrel(c: Cluster, case: Case) -> Saver:
    """A fault that was put right half an hour ago is loud; the present crash is quiet."""
    ns = "loyalty"
    neighbours.web(c, ns, "points:2", "partners", **_STYLE)
    old = workloads.deployment(
        c, ns, "rewards-web", "harbor.example.com/prod/rewards-web:5.2.2", replicas=2, age="130d",
        pods_age="34m", port=3000, requests="100m/128Mi", labels=_named("rewards-web"),
    )  # fmt: skip
    told = 'Failed to pull image "harbor.example.com/prod/rewards-web:5.2.1x": not found'
    gone = faults.predecessor(c, old.pods[0])
    for reason, text, count in (("Failed", told, 9), ("Failed", "Error: ImagePullBackOff", 55),
                                ("BackOff", 'Back-off pulling image "harbor.example.com/prod/rewards-web:5.2.1x"', 80)):  # fmt: skip
        where: Json = {"path": "rewards-web", "first": "57m", "last": "35m", "count": count}
        c.event(gone, reason, text, warning=True, **where)
    work = workloads.deployment(
        c, ns, "expiry-worker", "harbor.example.com/prod/expiry-worker:1.3.0", age="66d", pods_age="4d2h",
        requests="50m/128Mi", labels=_named("expiry-worker"),
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 1, restarts=4, ran="1m4s", since="9m", ended="19s")
    day = c.ago("20s").strftime("%Y-%m-%d %H:%M:%S")
    c.log(
        pod,
        f"{day}.004 ERROR [main] c.e.loyalty.Expiry - run failed\njava.lang.ArithmeticException: / by zero\n"
        "\tat com.example.loyalty.Expiry.share(Expiry.java:72)\n\tat com.example.loyalty.Main.main(Main.java:19)",
        previous=True,
    )
    case.question = "Points are not expiring any more, please look at the loyalty namespace"
    case.started = "9m"
    case.decoys = ["rewards-web: its wrong image tag was corrected 34 minutes ago"]
    why = "expiry-worker dies of an ArithmeticException (/ by zero) in Expiry.java:72."
    case.fault("crash_loop_error", "code_error,restart", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.listed("pods.json", "Pod", ns)
        out.text("events.txt", tables.events(c, ns))
        out.logs("{pod}{previous}.log")

    return save


BUILDERS: Json = {
    "ropewalk": _ropewalk, "kelp": _kelp, "puffin": _puffin, "gannet": _gannet, "heron": _heron,
    "curlew": _curlew, "plover": _plover, "dunlin": _dunlin, "avocet": _avocet, "petrel": _petrel,
}  # fmt: skip
