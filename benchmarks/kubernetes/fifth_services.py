"""Fifth set: probes that fail and services that lead nowhere."""

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
    workloads,
)
from benchmarks.kubernetes.fifth_parts import IMAGES, STYLE, idle_pending, named
from benchmarks.kubernetes.fourth_parts import forgotten_pod, old_crashes, sandbox_trouble, waited
from benchmarks.kubernetes.objects import Json, exec_probe, http_probe, meta, tcp_probe
from benchmarks.kubernetes.third_parts import failed_job, leftovers

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _ocarina(c: Cluster, case: Case) -> Saver:
    """The health page looks for a cache whose name does not exist any more."""
    ns = "bike-share"
    others = neighbours.web(c, ns, "rides:3", "pricing-rules", "map-tiles:2", **STYLE)
    work = workloads.deployment(
        c, ns, "stations-api", f"{IMAGES}/stations-api:3.20.1", replicas=2, age="365d", pods_age="44m", port=8080, requests="100m/128Mi",
        labels=named("stations-api"), env={"REDIS_ADDR": "redis-master.cache.svc.cluster.local:6379"}, readiness=http_probe("/healthz/ready", 8080, timeout=3),
    )  # fmt: skip
    workloads.service(c, ns, "stations-api", named("stations-api"), target=8080, age="365d")
    for pod in work.pods:
        faults.unready(c, pod, "44m")
        told = "HTTP probe failed with statuscode: 503"
        faults.probe_failure(c, pod, "Readiness", told, first="44m", last="3s", count=265)
        faults.scheduled(c, pod)
        why = "dial tcp: lookup redis-master.cache.svc.cluster.local on 10.96.0.10:53: no such host"
        c.log(
            pod,
            f"{c.ago('43m'):%Y/%m/%d %H:%M:%S} stations-api 3.20.1 listening on :8080\n"
            + "\n".join(f"{c.ago(ago):%Y/%m/%d %H:%M:%S} readiness: redis ping failed: {why}" for ago in ("23s", "13s", "3s")),
        )  # fmt: skip
    waited(c, others[0].pods[0], "51m")
    idle_pending(c, ns, "heatmap-lab", "64d")
    case.question = (
        "App 里看不到站点了，stations-api 两个 pod 都是 0/1 Running，重启也不行，没有报 crash"
    )
    case.started = "44m"
    case.decoys = [
        "heatmap-lab: has waited for a node with a label for 64 days",
        "rides: a pod of an earlier revision waited for a node 51 minutes ago",
    ]
    why = "stations-api is not ready, because the name of its Redis, redis-master.cache, does not exist."
    case.fault("readiness_probe", "dependency,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = work.pods[0]
        name = meta(pod)["name"]
        steps = [
            (f"kubectl get pod -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl get ep -n {ns}", tables.table(c, "Endpoints", ns)),
            (f"kubectl logs {name} -n {ns} --tail=4", c.logs[ns, name, "stations-api", False]),
            (f"kubectl describe pod {name} -n {ns} | tail", printed.last_events(c, pod)),
        ]
        out.text("console.txt", pasted.taken(c, steps, "root@node-ops"))

    return save


def _restarting(c: Cluster, pod: Json, kind: str, told: str, count: int) -> None:
    """Let a probe have ended a container many times; it runs again since a minute."""
    faults.unready(c, pod, "55m")
    row = faults.status_of(pod)
    row |= {"restartCount": count, "state": {"running": {"startedAt": c.at("25s")}}}
    row["lastState"] = faults.ended(c, row, (143, "Error"), "1m42s", "27s")
    if kind == "Startup":
        row["started"] = False
    faults.probe_failure(c, pod, kind, told, first="55m", last="27s", count=count * 3, killed=count)


def _piccolo(c: Cluster, case: Case) -> Saver:
    """A broker that is killed before it listens; and a check that takes longer than it may."""
    ns = "eventhub"
    others = neighbours.web(
        c, ns, "schema-registry:2", "connect-ui", age="90d", pods_age="30d", **STYLE
    )
    work = workloads.deployment(
        c, ns, "broker-bridge", f"{IMAGES}/broker-bridge:4.0.2", age="80d", pods_age="56m", port=9092, requests="500m/1Gi", limits="1/2Gi",
        labels=named("broker-bridge"), liveness=tcp_probe(9092, delay=10, period=5), readiness=tcp_probe(9092),
    )  # fmt: skip
    pod = work.pods[0]
    ip = pod["status"]["podIP"]
    _restarting(c, pod, "Liveness", f"dial tcp {ip}:9092: connect: connection refused", 12)
    c.log(
        pod,
        f"[{c.ago('24s'):%Y-%m-%d %H:%M:%S},118] INFO starting broker-bridge 4.0.2\n[{c.ago('22s'):%Y-%m-%d %H:%M:%S},402] INFO replaying journal segments 0..311, the listener opens when done (takes about 70 s)\n"
        f"[{c.ago('4s'):%Y-%m-%d %H:%M:%S},930] INFO replayed 61 of 311",
    )
    c.log(pod, f"[{c.ago('32s'):%Y-%m-%d %H:%M:%S},007] INFO replayed 214 of 311\n[{c.ago('28s'):%Y-%m-%d %H:%M:%S},551] INFO SIGTERM received, shutting down", previous=True)  # fmt: skip
    check = ["/opt/ksql/bin/ready.sh", "--full"]
    slow = workloads.stateful_set(
        c, ns, "stream-sql", f"{IMAGES}/stream-sql:7.6", replicas=1, age="56m", claim="30Gi", requests="250m/1Gi", labels=named("stream-sql"), mounts={"data": "/data"},
        startup=exec_probe(*check, failures=3),
    )  # fmt: skip
    text = f'command "{" ".join(check)}" timed out'
    _restarting(c, slow.pods[0], "Startup", text, 11)
    leftovers(c, others[0], "4d")
    case.question = "broker-bridge bounces every minute or so, exit code 143. No errors in its log. Who sends the SIGTERM?"
    case.started = "55m"
    case.decoys = ["schema-registry: a pod that was evicted four days ago was never deleted"]
    why = (
        "broker-bridge is killed by its liveness probe, which begins after 10 s, before it listens."
    )
    case.fault("liveness_probe", "config,restart", why, work.top, pod, work.sets[0])
    why = (
        "The startup probe of stream-sql runs a command that takes longer than its timeout of 1 s."
    )
    case.fault("startup_probe", "config,restart", why, slow.top, slow.pods[0])
    return lambda out: out.must_gather(ns, root="must-gather/quay-io-openshift-release")


def _spinet(c: Cluster, case: Case) -> Saver:
    """The chart's new labels, and a service with the old ones."""
    ns = "hallways"
    neighbours.web(c, ns, "artworks:2", "audio-tour", **STYLE)
    work = workloads.deployment(
        c, ns, "ticket-shop", f"{IMAGES}/ticket-shop:12.0.0", replicas=3, age="39m", revision=1, port=3000, requests="100m/128Mi", labels=named("ticket-shop"),
        readiness=http_probe("/healthz", 3000),
    )  # fmt: skip
    front = workloads.service(c, ns, "ticket-shop", {"app": "ticket-shop"}, target=3000, age="610d")
    proxy = workloads.deployment(
        c, "ingress-nginx", "ingress-nginx-controller", "registry.k8s.io/ingress-nginx/controller:v1.11.2", age="210d", pods_age="42d", port=80, requests="100m/90Mi", labels=named("ingress-nginx"),
    )  # fmt: skip
    pod = proxy.pods[0]
    c.log(
        pod,
        "\n".join(
            f'W{c.ago(ago):%m%d %H:%M:%S}.402817       7 controller.go:1216] Service "{ns}/ticket-shop" does not have any active Endpoint.'
            for ago in ("39m", "21m", "4m")
        ),
    )
    old_crashes(c, pod, 44, "12d")
    forgotten_pod(c, ns, "lighthouse-run", "33d")
    case.question = "we get 503 Service Temporarily Unavailable on tickets.example.com since moving ticket-shop to the new helm chart. ingress controller has 44 restarts btw, is that it?"
    case.started = "39m"
    case.decoys = [
        "ingress-nginx-controller: 44 restarts, the last one twelve days ago; it only says that there is no endpoint",
        "lighthouse-run: somebody's pod, ended with an error 33 days ago",
    ]
    why = (
        "The service ticket-shop selects app=ticket-shop, and the new pods do not have this label."
    )
    case.fault("wrong_selector", "config,deploy", why, front, work.top)

    def save(out: Folder) -> None:
        lines = [
            (f"kubectl get pods -n {ns} --show-labels", tables.pods(c, ns, wide=False, labels=True)),
            (f"kubectl get svc -n {ns} -o wide", printed.selectors(c, ns)),
            (f"kubectl get endpoints -n {ns}", tables.table(c, "Endpoints", ns)),
            ("kubectl get pods -n ingress-nginx", tables.pods(c, "ingress-nginx", wide=False)),
            ("stern -n ingress-nginx . --tail 3 --no-follow", printed.stern(pod, "ingress-nginx-controller", c.logs["ingress-nginx", meta(pod)["name"], "ingress-nginx-controller", False])),
        ]  # fmt: skip
        out.text("session.txt", pasted.session("lea@mbp ~ % ", *lines))

    return save


def _theremin(c: Cluster, case: Case) -> Saver:
    """The new release listens on another port than the service sends to."""
    ns = "carsharing"
    others = neighbours.web(c, ns, "trip-planner:2", "damage-photos", **STYLE)
    work = workloads.deployment(
        c, ns, "unlock-svc", f"{IMAGES}/unlock-svc:2.0.0", replicas=2, age="290d", pods_age="48m", port=9090, requests="100m/64Mi", labels=named("unlock-svc"),
        readiness=tcp_probe(9090),
    )  # fmt: skip
    front = workloads.service(c, ns, "unlock-svc", named("unlock-svc"), target=8080, age="290d")
    caller = workloads.deployment(
        c, ns, "mobile-gateway", f"{IMAGES}/mobile-gateway:7.7.0", replicas=2, age="400d", pods_age="16m", port=8080, requests="200m/256Mi", labels=named("mobile-gateway"),
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    address = front["spec"]["clusterIP"]
    pod = caller.pods[0]
    c.log(
        pod,
        "\n".join(
            f'{{"time":"{c.ago(ago):%Y-%m-%dT%H:%M:%SZ}","level":"ERROR","msg":"unlock failed","err":"Post \\"http://unlock-svc/v1/unlock\\": dial tcp {address}:80: connect: connection refused"}}'
            for ago in ("15m", "3m", "12s")
        ),
    )
    failed_job(c, ns, "invoice-batch", "21h")
    sandbox_trouble(c, others[0].pods[0], "40m")
    case.question = "Customers can't open cars, mobile-gateway logs 'unlock failed'. We rolled mobile-gateway back to 7.7.0, same errors. Attached: yaml of the namespace + gateway log"
    case.started = "48m"
    case.decoys = [
        "job invoice-batch: failed 21 hours ago",
        "trip-planner: a predecessor had no network for a minute 40 minutes ago",
        "mobile-gateway: only cannot reach unlock-svc",
    ]
    why = "The service unlock-svc sends to port 8080, and its pods listen on 9090."
    case.fault("wrong_port", "config,deploy", why, front, work.top)

    def save(out: Folder) -> None:
        out.listed("carsharing.yaml", "Pod,Service,Endpoints,Deployment", ns)
        out.text("gateway.log", c.logs[ns, meta(pod)["name"], "mobile-gateway", False])
        out.tables("events", namespace=ns)

    return save


BUILDERS: Json = {
    "ocarina": _ocarina, "piccolo": _piccolo, "spinet": _spinet, "theremin": _theremin,
}  # fmt: skip
