"""Fourth set: probes that fail, and a container that is slowed down."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    describing,
    faults,
    neighbours,
    pasted,
    tables,
    workloads,
)
from benchmarks.kubernetes.fourth_parts import (
    STYLE,
    forgotten_pod,
    named,
    old_crashes,
    sandbox_trouble,
    unplaced,
    waited,
)
from benchmarks.kubernetes.objects import Json, http_probe, meta, seconds
from benchmarks.kubernetes.third_parts import leftovers

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _jasper(c: Cluster, case: Case) -> Saver:
    """Under load the health page needs more than its second."""
    ns = "boxoffice"
    others = neighbours.web(c, ns, "checkout:3", "waiting-room:2", **STYLE)
    work = workloads.deployment(
        c, ns, "seat-map", "reg.example.com/prod/seat-map:12.4", replicas=2, age="270d", pods_age="16d", port=8080,
        requests="500m/1Gi", limits="4/2Gi", labels=named("seat-map"), liveness=http_probe("/actuator/health", 8080, delay=30),
        readiness=http_probe("/actuator/health", 8080, timeout=5),
    )  # fmt: skip
    for pod, last, count in zip(work.pods, ("1m50s", "5m12s"), (9, 7), strict=True):
        faults.restarted(c, pod, 143, "Error", last, ran="5m", restarts=count)
        url = f"http://{pod['status']['podIP']}:8080/actuator/health"
        told = f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        gone = f"{seconds(last) + 30}s"
        faults.probe_failure(
            c, pod, "Liveness", told, first="52m", last=gone, count=count * 3 + 2, killed=count
        )
        name = "seat-map"
        for reason, text in (("Created", faults.created(c, name)), ("Started", f"Started container {name}")):  # fmt: skip
            c.event(pod, reason, text, first="51m", last=last, count=count, path=name)
    old_crashes(c, others[1].pods[0], 21, "8d")
    case.question = "开票以后 seat-map 反复重启，没有 OOM，CPU 也没打满，为什么？"
    case.started = "52m"
    case.decoys = ["waiting-room: 21 restarts, the last one eight days ago"]
    why = "seat-map is restarted by its liveness probe, which waits for only 1 s for /actuator/health."
    case.fault(
        "liveness_probe", "config,restart,code_error", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get pods -n boxoffice", tables.pods(c, ns, wide=False)),
            (f"kubectl describe pod {meta(work.pods[0])['name']} -n boxoffice", describing.describe(c, work.pods[0])),
            ("kubectl top pod -n boxoffice", _used(c, ns)),
        ]  # fmt: skip
        out.text("shell.txt", pasted.session("root@ops:/# ", *steps))

    return save


def _used(c: Cluster, namespace: str) -> str:
    """Return `kubectl top pod` of pods of which none uses much."""
    rows = [["NAME", "CPU(cores)", "MEMORY(bytes)"]]
    for pod in tables.ordered(c.of("Pod", namespace)):
        cpu, memory = 20 + c.rng.randrange(300), 60 + c.rng.randrange(140)
        rows.append([meta(pod)["name"], f"{cpu}m", f"{memory}Mi"])
    return tables.render(rows)


def _jet(c: Cluster, case: Case) -> Saver:
    """The new release has its health page elsewhere."""
    ns = "subs"
    neighbours.web(c, ns, "billing-portal:2", "plans:2", **STYLE)
    work = workloads.deployment(
        c, ns, "entitlements", "reg.example.com/prod/entitlements:6.0.0", replicas=2, age="333d", pods_age="29m", port=8080,
        requests="100m/128Mi", labels=named("entitlements"), readiness=http_probe("/healthz", 8080),
    )  # fmt: skip
    workloads.service(c, ns, "entitlements", named("entitlements"), target=8080, age="333d")
    for pod in work.pods:
        faults.unready(c, pod, "29m")
        told = "HTTP probe failed with statuscode: 404"
        faults.probe_failure(c, pod, "Readiness", told, first="29m", last="2s", count=174)
        day = c.ago("2s").strftime("%Y/%m/%d %H:%M:%S")
        c.log(
            pod,
            f"{c.ago('28m'):%Y/%m/%d %H:%M:%S} entitlements 6.0.0 listening on :8080, health on /internal/healthz\n"
            f'{day} "GET /healthz HTTP/1.1" 404 19 "-" "kube-probe/{c.minor / 100 + 1:.2f}"',
        )
        name = meta(pod)["name"]
        summary = f"Pod {ns}/{name} has been in a non-ready state for longer than 15 minutes on cluster prod."
        case.alert("KubePodNotReady", "13m", summary, namespace=ns, pod=name, prometheus="monitoring/k8s")  # fmt: skip
    forgotten_pod(c, ns, "psql-tmp", "66d")
    case.started = "29m"
    case.decoys = ["psql-tmp: somebody's pod, ended with an error 66 days ago"]
    why = "The readiness probe of entitlements asks for /healthz, which 6.0.0 answers with 404."
    case.fault("readiness_probe", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.text("01-get-all.txt", out.everything(ns))
        out.text("02-endpoints.txt", tables.table(c, "Endpoints", ns))
        out.describe("03-describe-pod.txt", work.pods[1])
        name = meta(work.pods[1])["name"]
        out.text("04-logs.txt", c.logs[ns, name, "entitlements", False])

    return save


def _lapis(c: Cluster, case: Case) -> Saver:
    """A model that is loaded for longer than the probe waits; and one that wants another card."""
    ns = "ml-serving"
    others = neighbours.web(c, ns, "tokenizer:2", age="90d", pods_age="30d", **STYLE)
    work = workloads.deployment(
        c, ns, "embedder", "reg.example.com/prod/embedder:2.0-large", age="75d", pods_age="38m", port=8080,
        requests="1/6Gi", limits="3/8Gi", labels=named("embedder"), startup=http_probe("/v1/health", 8080, period=10, failures=18),
    )  # fmt: skip
    pod = work.pods[0]
    faults.unready(c, pod, "38m")
    row = faults.status_of(pod)
    row |= {"restartCount": 10, "started": False, "state": {"running": {"startedAt": c.at("2m5s")}}}
    row["lastState"] = faults.ended(c, row, (137, "Error"), "5m38s", "2m7s")
    told = f'Get "http://{pod["status"]["podIP"]}:8080/v1/health": dial tcp {pod["status"]["podIP"]}:8080: connect: connection refused'
    faults.probe_failure(c, pod, "Startup", told, first="37m", last="5s", count=193, killed=10)
    at = c.ago("9s").strftime("%Y-%m-%d %H:%M:%S,377")
    c.log(pod, f"{at} INFO loader: loading checkpoint shards 7/12\n{at} INFO loader: 118 s gone")
    wanted = {"example.com/accelerator": "l4"}
    rerank = workloads.deployment(
        c, ns, "reranker", "reg.example.com/prod/reranker:0.3", age="3h", revision=1, requests="1/2Gi", labels=named("reranker"), nodeSelector=wanted,
    )  # fmt: skip
    total = len(c.setting.nodes)
    why = f"{total} node(s) didn't match Pod's node affinity/selector"
    told = unplaced(c, why, f"{total} Preemption is not helpful for scheduling")
    faults.unscheduled(c, rerank.pods[0], told, count=37, last="3m20s")
    faults.stalled(c, rerank.top, rerank.sets[0], "2h50m")
    leftovers(c, others[0], "12d", "12d2h")
    case.question = "embedder never becomes ready since we switched to the large model; its log looks fine until it stops"
    case.started = "38m"
    case.decoys = ["tokenizer: two pods that were evicted 12 days ago were never deleted"]
    why = "embedder is killed by its startup probe after 180 s, before its model is loaded."
    case.fault("startup_probe", "config,restart,deploy", why, work.top, pod, work.sets[0])
    why = "reranker asks for nodes with example.com/accelerator=l4, and no node has this label."
    case.fault("pending_affinity", "config", why, rerank.top, *rerank.pods, rerank.sets[0])
    return lambda out: out.must_gather(ns, root="must-gather.local.5102/quay-io-example")


def _marble(c: Cluster, case: Case) -> Saver:
    """A small limit on processors; the counters of the first kind of control group."""
    ns = "checkout"
    others = neighbours.web(c, ns, "tax:2", "shipping-rates:2", "basket-api:3", **STYLE)
    work = workloads.deployment(
        c, ns, "promo-engine", "reg.example.com/prod/promo-engine:1.12", replicas=2, age="44d", pods_age="4d", port=8080,
        requests="100m/256Mi", limits="200m/512Mi", labels=named("promo-engine"), readiness=http_probe("/ready", 8080, timeout=5),
    )  # fmt: skip
    rows = [["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"]]
    for pod in tables.ordered(c.of("Pod", ns)):
        box = pod["spec"]["containers"][0]["name"]
        use = 198 + c.rng.randrange(4) if box == "promo-engine" else 5 + c.rng.randrange(60)
        rows.append([meta(pod)["name"], box, f"{use}m", f"{80 + c.rng.randrange(120)}Mi"])
    for pod, share in zip(work.pods, ("91.3%", "88.72%"), strict=True):
        told = f"{share} throttling of CPU in namespace {ns} for container promo-engine in pod {meta(pod)['name']}."
        labels = {"namespace": ns, "pod": meta(pod)["name"], "container": "promo-engine"}
        case.alert("CPUThrottlingHigh", "37m", told, severity="info", **labels)
    waited(c, others[2].pods[0], "46m")
    sandbox_trouble(c, others[0].pods[0], "42m")
    case.decoys = [
        "basket-api: a pod of an earlier revision waited for a node 46 minutes ago",
        "tax: a predecessor had no network for a minute 42 minutes ago",
    ]
    why = "The container promo-engine runs at its limit of 200m, and most of its periods are throttled."
    case.fault("cpu_throttling", "cpu,config,traffic", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        stat = "nr_periods 3318072\nnr_throttled 3029400\nthrottled_time 1893022115049981\n"
        steps = [
            (f"kubectl top pod -n {ns} --containers", tables.render(rows)),
            (f"kubectl -n {ns} exec {name} -- cat /sys/fs/cgroup/cpu/cpu.stat", stat),
            (f"kubectl -n {ns} get deploy promo-engine -o jsonpath='{{..resources}}'", '{"limits":{"cpu":"200m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"256Mi"}}'),
            (f"kubectl -n {ns} get events", tables.events(c, ns)),
        ]  # fmt: skip
        out.text("oncall.txt", pasted.taken(c, steps, "deploy@bastion:~"))

    return save


BUILDERS: Json = {"jasper": _jasper, "jet": _jet, "lapis": _lapis, "marble": _marble}
