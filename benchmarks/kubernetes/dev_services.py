"""Development cases about services, rollouts and load, and clusters in which nothing is wrong."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, neighbours, tables, workloads
from benchmarks.kubernetes.objects import Json, http_probe, meta

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _ferryboat(c: Cluster, case: Case) -> Saver:
    ns = "crossings"
    neighbours.web(c, ns, "timetable:2", "weather", "passes:2")
    work = workloads.deployment(
        c, ns, "booking", "registry.example.com/crossings/booking:4.4.1", replicas=3, age="66d",
        pods_age="1d6h", port=8080, requests="100m/128Mi", labels={"app": "booking-api"},
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    front = workloads.service(c, ns, "booking", {"app": "booking"}, target=8080, age="66d")
    neighbours.stale_readiness(c, c.of("Pod", ns)[0])
    case.question = (
        "Calls to http://booking.crossings fail with connection refused, but all pods run"
    )
    why = "The service booking selects app=booking while its pods carry app=booking-api."
    case.fault("wrong_selector", "config", why, front, work.top)

    def save(out: Folder) -> None:
        out.listed("pods.yaml", "Pod,Deployment", ns)
        out.listed("services.yaml", "Service,Endpoints", ns)
        out.listed("events.yaml", "Event", ns)

    return save


def _telegraph(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "messages"
    neighbours.web(c, ns, "contacts:2", "history:2")
    work = workloads.deployment(
        c, ns, "delivery", "registry.example.com/messages/delivery:1.0.9", replicas=2, age="23d",
        pods_age="4d1h", port=9090, requests="100m/128Mi",
    )  # fmt: skip
    front = workloads.service(c, ns, "delivery", {"app": "delivery"}, target=8080, age="35m")
    client = neighbours.web(c, ns, "gateway:2")[0]
    for pod in client.pods:
        lines = [
            f"{c.ago(f'{n}s').strftime('%Y/%m/%d %H:%M:%S')} [error] dial tcp {front['spec']['clusterIP']}:80:"
            " connect: connection refused (delivery.messages.svc)"
            for n in range(300, 0, -60)
        ]
        c.log(pod, "\n".join(lines))
    for pod in work.pods:
        c.log(pod, f"{c.ago('4d1h').strftime('%Y/%m/%d %H:%M:%S')} listening on :9090")
    case.question = "messages are not delivered, the gateway logs connection refused"
    case.started = "35m"
    why = "The service delivery sends to port 8080 while its pods listen on 9090."
    case.fault("wrong_port", "config", why, front, work.top)

    def save(out: Folder) -> None:
        out.tables("services", "endpoints", namespace=ns)
        out.text("pods.txt", tables.pods(c, ns, wide=False, labels=True))
        out.describe("describe-svc-delivery.txt", front)
        out.describe("describe-pods.txt", *work.pods)
        out.logs("logs/{pod}.log")

    return save


def _weavers(c: Cluster, case: Case) -> Saver:
    ns = "looms"
    others = neighbours.web(c, ns, "yarn:2", "orders:2", "dyes")
    work = workloads.deployment(
        c, ns, "pattern-api", "registry.example.com/looms/pattern-api:2.17.0", replicas=2, age="58d",
        pods_age="6d", port=8080, requests="100m/256Mi", limits="200m/512Mi",
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    rows, lines = _load(c, ns, work.pods, [p for w in others for p in w.pods])
    for pod in work.pods:
        ip = pod["status"]["podIP"]
        told = f'Get "http://{ip}:8080/ready": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        faults.probe_failure(c, pod, "Readiness", told, first="42m", last="5m10s", count=9)
    case.started = "45m"
    for pod in work.pods:
        told = f"94% throttling of CPU in namespace {ns} for container pattern-api in pod {meta(pod)['name']}."
        case.alert(
            "CPUThrottlingHigh",
            "28m",
            told,
            namespace=ns,
            pod=meta(pod)["name"],
            container="pattern-api",
        )
    why = "pattern-api runs at its limit of 200m and is throttled in nine of ten periods."
    case.fault("cpu_throttling", "cpu,config", why, work.top, *work.pods)

    def save(out: Folder) -> None:
        out.listed("pods.yaml", "Pod,Event", ns)
        out.text("top-pods.txt", tables.top(rows))
        out.text("cadvisor-metrics.txt", lines)

    return save


def _load(c: Cluster, ns: str, hot: list[Json], calm: list[Json]) -> tuple[list[list[str]], str]:
    """Return rows of `kubectl top` and cAdvisor's counters for hot and calm pods."""
    rows: list[list[str]] = []
    periods: list[str] = []
    held: list[str] = []
    for pod in tables.ordered([*hot, *calm]):
        box, name = pod["spec"]["containers"][0]["name"], meta(pod)["name"]
        busy = pod in hot
        use = f"{c.rng.randrange(197, 201) if busy else c.rng.randrange(4, 40)}m"
        rows.append([ns, name, box, use, f"{c.rng.randrange(90, 190)}Mi"])
        total = c.rng.randrange(50_000, 60_000)
        slow = total * 94 // 100 if busy else c.rng.randrange(40)
        tags = f'{{container="{box}",namespace="{ns}",pod="{name}"}}'
        periods.append(f"container_cpu_cfs_periods_total{tags} {total}")
        held.append(f"container_cpu_cfs_throttled_periods_total{tags} {slow}")
    head = "# HELP {0} {1}\n# TYPE {0} counter\n"
    text = head.format(
        "container_cpu_cfs_periods_total", "Number of elapsed enforcement period intervals."
    )
    text += "\n".join(periods) + "\n"
    text += head.format(
        "container_cpu_cfs_throttled_periods_total", "Number of throttled period intervals."
    )
    return rows, text + "\n".join(held) + "\n"


def _clockmaker(c: Cluster, case: Case) -> Saver:
    ns = "workshop"
    neighbours.web(c, ns, "springs:2", "dials", "escapements:2")
    work = workloads.deployment(
        c, ns, "movements", "registry.example.com/workshop/movements:6.0.1", replicas=3, age="88d",
        pods_age="11d", port=8080, requests="100m/128Mi", readiness=http_probe("/ready", 8080), revision=12,
    )  # fmt: skip
    top = work.top
    meta(top)["annotations"]["deployment.kubernetes.io/revision"] = "13"
    meta(top)["generation"] = 13
    top["spec"]["template"]["spec"]["containers"][0]["image"] = (
        "registry.example.com/workshop/movements:6.1.0"
    )
    fresh = workloads.replica_set(c, work, 1, "43m", top["spec"]["template"]["spec"])
    new = work.pods[-1]
    faults.unready(c, new, "43m")
    faults.probe_failure(
        c,
        new,
        "Readiness",
        "HTTP probe failed with statuscode: 404",
        first="42m",
        last="7s",
        count=258,
    )
    faults.stalled(c, top, fresh, "33m")
    case.started = "43m"
    told = f"Rollout of deployment {ns}/movements is not progressing for longer than 15 minutes."
    case.alert("KubeDeploymentRolloutStuck", "18m", told, namespace=ns, deployment="movements")
    why = (
        "The rollout of movements 6.1.0 is stuck: its new pod answers the readiness probe with 404."
    )
    case.fault("deploy_stuck_rollout", "deploy,config,code_error", why, top, fresh, new)
    return lambda out: out.listed("rollout.json", "Deployment,ReplicaSet,Pod,Event", ns)


def _meadow(c: Cluster, case: Case) -> Saver:
    neighbours.system(c, network="calico-node")
    works = neighbours.web(c, "dairy", "milk:2", "cheese:3", "deliveries", "accounts:2")
    works += neighbours.web(c, "farm", "herd", "fences:2")
    neighbours.database(c, "dairy", "dairy-db", "docker.io/library/postgres:16.2", replicas=2)
    neighbours.old_restart(c, works[0].pods[0], "6d4h")
    neighbours.old_restart(c, works[4].pods[0], "19d")
    faults.restarted(c, works[1].pods[2], 137, "OOMKilled", "1d7h", ran="9h")
    neighbours.stale_readiness(c, works[1].pods[0])
    neighbours.autoscaler_noise(c, "dairy", "cheese", "44m")
    neighbours.dns_noise(c, works[3].pods[0])
    neighbours.job_noise(c, "dairy", "weigh-bridge", "14m")
    neighbours.job_noise(c, "farm", "backup", "53m")
    case.question = "Is anything wrong in the cluster?"
    case.verdict = ("healthy", "inconclusive")

    def save(out: Folder) -> None:
        out.tables("pods", "nodes", "deployments", "events")
        out.listed("dairy-pods.json", "Pod", "dairy")

    return save


def _brickyard(c: Cluster, case: Case) -> Saver:
    works = neighbours.web(
        c, "kilns", "firing:2", "clay", "drying:2", label="app.kubernetes.io/name"
    )
    neighbours.database(c, "kilns", "batches", "docker.io/library/redis:7.2", claim="2Gi")
    neighbours.old_restart(c, works[0].pods[1], "2d9h")
    neighbours.stale_readiness(c, works[2].pods[0], "38m")
    neighbours.job_noise(c, "kilns", "kiln-report", "26m")
    node = c.get("Node", c.setting.nodes[0])
    told = f"Node {meta(node)['name']} status is now: NodeReady"
    c.event(node, "NodeReady", told, last="56m")
    for pod in works[0].pods:
        at = c.ago("2m").strftime("%Y-%m-%d %H:%M:%S")
        c.log(
            pod,
            f"{at} INFO kiln 3 at 981 C\n{at} WARN slow sensor read took 210 ms\n{at} INFO batch 88 done",
        )
    case.question = "帮我看一下 kilns 命名空间是否正常"
    case.verdict = ("healthy", "inconclusive")
    return lambda out: out.must_gather("kilns")


def _saltworks(c: Cluster, case: Case) -> Saver:
    """An old, repaired fault is loud; the present one is quiet."""
    neighbours.system(c)
    ns = "pans"
    neighbours.web(c, ns, "brine:2", "packing")
    old = workloads.deployment(
        c, ns, "evaporation", "registry.example.com/pans/evaporation:3.2.1", replicas=2, age="49d",
        pods_age="50m", port=8080, requests="100m/128Mi", limits="500m/1Gi",
    )  # fmt: skip
    for pod in old.pods:
        faults.restarted(c, pod, 137, "OOMKilled", "47m", ran="2m", restarts=1)
        where = f"evaporation in pod {meta(pod)['name']}_{ns}({meta(pod)['uid']})"
        c.event(
            pod,
            "BackOff",
            f"Back-off restarting failed container {where}",
            warning=True,
            first="49m",
            last="47m",
            count=6,
        )
    work = workloads.deployment(
        c, ns, "shipping", "registry.example.com/pans/shipping:9.3.0", replicas=2, age="70d", pods_age="2d",
        port=7000, port_name="web", requests="100m/128Mi",
    )  # fmt: skip
    front = workloads.service(c, ns, "shipping", {"app": "shipping"}, target="http", age="12m")
    case.question = "Since ten minutes nobody can reach shipping (namespace pans)"
    case.started = "12m"
    case.decoys = ["pans/evaporation: ran out of memory 47 minutes ago, has run well since"]
    why = "The service shipping targets a port named http, and its pods call theirs web."
    case.fault("wrong_port", "config", why, front, work.top)

    def save(out: Folder) -> None:
        out.listed("pods.json", "Pod", ns)
        out.listed("svc.json", "Service,Endpoints", ns)
        out.tables("events", namespace=ns)

    return save


BUILDERS: Json = {
    "ferryboat": _ferryboat, "telegraph": _telegraph, "weavers": _weavers, "clockmaker": _clockmaker,
    "meadow": _meadow, "brickyard": _brickyard, "saltworks": _saltworks,
}  # fmt: skip
