"""Third set: services, rollouts and load, and clusters in which nothing is wrong."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, pasted, printed, tables, workloads
from benchmarks.kubernetes.objects import Json, container, http_probe, meta
from benchmarks.kubernetes.third_parts import (
    STYLE,
    blind_scaler,
    failed_job,
    flapped_node,
    leftovers,
    named,
    old_kills,
    repaired_image,
    rollout,
    warn,
)

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _maple(c: Cluster, case: Case) -> Saver:
    """The selector asks for one label more than the pods carry."""
    ns = "museum"
    works = neighbours.web(c, ns, "exhibits:2", "tickets:2", "shop", **STYLE)
    work = workloads.deployment(
        c, ns, "audio-guide", "cr.example.com/museum/audio-guide:6.3", replicas=2, age="80d", pods_age="9d", port=8080,
        requests="100m/128Mi", labels=named("audio-guide"), readiness=http_probe("/ok", 8080),
    )  # fmt: skip
    chosen = {**named("audio-guide"), "track": "stable"}
    front = workloads.service(c, ns, "audio-guide", chosen, target=8080, age="80d")
    failed_job(c, ns, "shop-export", "1d20h")
    old_kills(c, works[1].pods[1], "11h")
    case.question = (
        "Visitors get an error in the audio guide, all pods are green. Is tickets overloading it?"
    )
    case.decoys = ["tickets: 17 kills for memory, the last 11 hours ago", "job shop-export: failed two days ago"]  # fmt: skip
    why = "The service audio-guide also selects track=stable, a label that its pods do not carry."
    case.fault("wrong_selector", "config", why, front, work.top)

    def save(out: Folder) -> None:
        steps = [
            ("k get svc -o wide", printed.selectors(c, ns)),
            ("k get po --show-labels", tables.pods(c, ns, wide=False, labels=True)),
            ("k get ep", tables.table(c, "Endpoints", ns)),
        ]
        out.text("museum.txt", pasted.session(f"(prod:{ns}) ~ » ", *steps))

    return save


def _nutmeg(c: Cluster, case: Case) -> Saver:
    """Prometheus is refused: the service sends to a port on which nobody listens."""
    ns = "spices"
    neighbours.web(c, ns, "orders:2", "mixer", **STYLE)
    work = workloads.deployment(
        c, ns, "queue-exporter", "cr.example.com/spices/queue-exporter:0.7", replicas=2, age="45d", pods_age="45d", port=9102,
        port_name="metrics", requests="20m/32Mi", labels=named("queue-exporter"),
    )  # fmt: skip
    front = workloads.service(
        c,
        ns,
        "queue-exporter",
        named("queue-exporter"),
        port=9103,
        target=9103,
        port_name="metrics",
        age="32m",
    )
    for pod in work.pods:
        c.log(
            pod,
            f'ts={c.at("45d")} caller=main.go:88 level=info msg="Listening on" address=[::]:9102',
        )
    case.started = "32m"
    told = f"100% of the queue-exporter/queue-exporter targets in {ns} namespace are down."
    case.alert(
        "TargetDown", "22m", told, namespace=ns, service="queue-exporter", job="queue-exporter"
    )
    repaired_image(c, ns, "storefront")
    case.decoys = ["storefront: its wrong image tag was corrected 36 minutes ago"]
    why = "The service queue-exporter sends to port 9103, and its pods listen on 9102."
    case.fault("wrong_port", "config", why, front, work.top)

    def save(out: Folder) -> None:
        out.single("svc.yaml", front)
        found = [e for e in c.of("Endpoints", ns) if meta(e)["name"] == "queue-exporter"]
        out.single("endpoints.yaml", found[0])
        out.single("deployment.yaml", work.top)
        out.logs("{pod}.txt")
        out.text("kubectl-events.txt", printed.recent(c, ns))

    return save


def _rowan(c: Cluster, case: Case) -> Saver:
    """An admission webhook refuses the pods of the new revision; the old ones still serve."""
    ns = "lending"
    others = neighbours.web(c, ns, "scoring:2", "kyc:2", **STYLE)
    work = workloads.deployment(
        c, ns, "offers", "cr.example.com/lending/offers:3.9", replicas=3, age="400d", pods_age="21d", port=8080,
        requests="200m/256Mi", labels=named("offers"), rolling={"maxSurge": 1, "maxUnavailable": 0}, revision=61,
    )  # fmt: skip
    fresh = rollout(c, work, "cr.example.com/lending/offers:latest", 1, "37m")
    faults.never_made(c, *fresh.pods)
    told = (
        'admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Pod/lending/ was blocked due to the following'
        " policies \n\ndisallow-latest-tag:\n  validate-image-tag: 'validation error: Using a mutable image tag e.g. ''latest'' is not"
        " allowed. rule validate-image-tag failed at path /spec/containers/0/image/'\n"
    )
    faults.refused(c, fresh, told, "37m", 17)
    faults.stalled(c, work.top, fresh.sets[0], "27m")
    blind_scaler(c, ns, others[0].pods[0])
    case.question = "CI says the deploy of offers timed out. Customers see nothing wrong, but the new version isn't there."
    case.started = "37m"
    case.decoys = ["HorizontalPodAutoscaler scoring: has never read its metric"]
    why = "The rollout of offers stands still: the policy disallow-latest-tag refuses pods with the image tag latest."
    case.fault("deploy_stuck_rollout", "deploy,config", why, work.top, fresh.sets[0])

    def save(out: Folder) -> None:
        wait = 'Waiting for deployment "offers" rollout to finish: 0 out of 3 new replicas have been updated...\n'
        done = 'error: deployment "offers" exceeded its progress deadline\n'
        out.text("ci-job.log", f"+ kubectl -n {ns} rollout status deployment/offers\n{wait}{done}")
        rows = "deployment.apps/offers \nREVISION  CHANGE-CAUSE\n60        <none>\n61        <none>\n62        <none>\n"
        steps = [
            (f"kubectl rollout history deploy/offers -n {ns}", rows),
            (f"kubectl get rs -n {ns}", tables.table(c, "ReplicaSet", ns)),
            (f"kubectl describe rs/{meta(fresh.sets[0])['name']} -n {ns}", describing.describe(c, fresh.sets[0])),
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
        ]  # fmt: skip
        out.text("rollout.txt", pasted.session("➜  ~ ", *steps))

    return save


def _acacia(c: Cluster, case: Case) -> Saver:
    """The kernel's own counters, read inside a container."""
    ns = "routing"
    others = neighbours.web(c, ns, "geocoder:3", "traffic:2", "maps", **STYLE)
    work = workloads.deployment(
        c, ns, "eta", "cr.example.com/routing/eta:22.1", replicas=2, age="190d", pods_age="6d", port=8080,
        requests="200m/512Mi", limits="300m/1Gi", labels=named("eta"), readiness=http_probe("/ready", 8080),
        sidecars=[container("envoy", "docker.io/envoyproxy/envoy:v1.30.1", requests="50m/64Mi", limits="500m/256Mi")],
    )  # fmt: skip
    rows: list[list[str]] = []
    for pod in tables.ordered([p for w in (*others, work) for p in w.pods]):
        for box in pod["spec"]["containers"]:
            use = 297 + c.rng.randrange(6) if box["name"] == "eta" else 2 + c.rng.randrange(40)
            rows.append([meta(pod)["name"], box["name"], f"{use}m", f"{60 + c.rng.randrange(150)}Mi"])  # fmt: skip
    leftovers(c, others[1], "3d", "3d1h", "5d")
    case.question = "p99 of eta is 900 ms since last week's release, it was 80 before, but the nodes are at 30 % cpu"
    case.decoys = ["traffic: three pods that were evicted days ago were never deleted"]
    why = "The container eta runs at its limit of 300m: 95 % of its periods are throttled."
    case.fault("cpu_throttling", "cpu,config,traffic", why, work.top, *work.pods)

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        stat = (
            "usage_usec 148215114206\nuser_usec 131004277150\nsystem_usec 17210837056\nnr_periods 5183402\n"
            "nr_throttled 4938711\nthrottled_usec 402981716222\nnr_bursts 0\nburst_usec 0\n"
        )
        head = ["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"]
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl top pods --containers -n {ns}", tables.render([head, *rows])),
            (f"kubectl exec -n {ns} {name} -c eta -- cat /sys/fs/cgroup/cpu.stat", stat),
        ]
        out.text("notes.txt", pasted.session("$ ", *steps))
        out.single("eta-pod.yaml", work.pods[0])

    return save


def _bracken(c: Cluster, case: Case) -> Saver:
    neighbours.system(c, network="cilium")
    works = neighbours.web(c, "bakehouse", "ovens:2", "orders:3", "flour", **STYLE)
    neighbours.database(c, "bakehouse", "recipes", "docker.io/library/postgres:16.3", age="90d")
    leftovers(c, works[0], "6d", "6d1h", "8d")
    old_kills(c, works[1].pods[0], "20h")
    failed_job(c, "bakehouse", "stock-take", "2d")
    blind_scaler(c, "bakehouse", works[2].pods[0])
    flapped_node(c, c.setting.nodes[2])
    case.question = (
        "There are Evicted pods and a failed job in bakehouse - do we have an incident right now?"
    )
    case.verdict = ("healthy", "inconclusive")
    case.decoys = [
        "ovens: three pods that were evicted days ago were never deleted",
        "orders: 17 kills for memory, the last 20 hours ago",
        "job stock-take: failed two days ago",
        "HorizontalPodAutoscaler flour: has never read its metric",
        f"{c.setting.nodes[2]}: was not ready for three minutes 55 minutes ago",
    ]

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get nodes -o wide", tables.nodes(c)),
            ("kubectl get pods -A -o wide", tables.pods(c)),
            ("kubectl get deploy -n bakehouse -o wide", printed.wide_deployments(c, "bakehouse")),
            ("kubectl get endpoints -n bakehouse", tables.table(c, "Endpoints", "bakehouse")),
            ("kubectl get events -n bakehouse", tables.events(c, "bakehouse")),
        ]  # fmt: skip
        out.text("checks.txt", pasted.session("ops$ ", *steps))

    return save


def _clover(c: Cluster, case: Case) -> Saver:
    ns = "loyalty-cn"
    works = neighbours.web(c, ns, "points:2", "coupons:2", "sms", "gift-cards:2", **STYLE)
    repaired_image(c, ns, "member-h5")
    old_kills(c, works[0].pods[1], "13h")
    neighbours.stale_readiness(c, works[1].pods[0], "48m")
    neighbours.job_noise(c, ns, "expire-points", "11m")
    gone = faults.predecessor(c, works[3].pods[0])
    text = "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
    warn(c, gone, "FailedScheduling", text, "57m", "54m", count=3, by="default-scheduler")
    case.question = "刚才发布的 member-h5 现在正常了吗？还有没有别的问题？"
    case.verdict = ("healthy", "inconclusive")
    case.decoys = [
        "member-h5: its wrong image tag was corrected 36 minutes ago",
        "points: 17 kills for memory, the last 13 hours ago",
        "gift-cards: a pod of an earlier revision waited for a node 54 minutes ago",
    ]

    def save(out: Folder) -> None:
        out.listed("objects.yaml", "Pod,Deployment,Service,Endpoints", ns)
        out.text("最近事件.txt", printed.recent(c, ns))

    return save


BUILDERS: Json = {
    "maple": _maple, "nutmeg": _nutmeg, "rowan": _rowan, "acacia": _acacia, "bracken": _bracken,
    "clover": _clover,
}  # fmt: skip
