"""Held-out cases about services, rollouts and load, of two faults, and of healthy clusters."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, tables, workloads
from benchmarks.kubernetes.objects import Json, http_probe, meta

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_STYLE: Json = {"label": "app.kubernetes.io/name", "registry": "harbor.example.com/prod"}


def _named(name: str, **more: str) -> Json:
    return {"app.kubernetes.io/name": name, **more}


def _wren(c: Cluster, case: Case) -> Saver:
    """The selector still asks for the release that was replaced."""
    ns = "insurance"
    neighbours.web(c, ns, "claims:3", "policies:2", "documents:2", "fraud-check:3", **_STYLE)
    work = workloads.deployment(
        c, ns, "quotes-green", "harbor.example.com/prod/quotes:6.0.0", replicas=2, age="49m", port=8080,
        requests="100m/128Mi", labels=_named("quotes", color="green"), readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    front = workloads.service(
        c, ns, "quotes", _named("quotes", color="blue"), target=8080, age="220d"
    )
    case.question = "Quotes are unavailable since we removed the blue deployment"
    case.started = "49m"
    why = "The service quotes still selects color=blue, and only green pods are left."
    case.fault("wrong_selector", "config,deploy", why, front, work.top)

    def save(out: Folder) -> None:
        out.transcript(
            "terminal.log",
            (
                f"kubectl get pods -n {ns} --show-labels",
                tables.pods(c, ns, wide=False, labels=True),
            ),
            (f"kubectl describe svc quotes -n {ns}", describing.describe(c, front)),
            (f"kubectl get endpoints -n {ns}", tables.table(c, "Endpoints", ns)),
        )

    return save


def _dipper(c: Cluster, case: Case) -> Saver:
    ns = "payments"
    neighbours.web(c, ns, "fees", "refunds:2", **_STYLE)
    work = workloads.deployment(
        c, ns, "acquirer", "harbor.example.com/prod/acquirer:9.4", replicas=2, age="77d", pods_age="8d3h",
        port=8080, port_name="http", requests="200m/256Mi", labels=_named("acquirer"),
        readiness=http_probe("/health", "http"),
    )  # fmt: skip
    front = workloads.service(
        c, ns, "acquirer", _named("acquirer"), port=443, target=8443, port_name="https", age="27m"
    )
    client = neighbours.web(c, ns, "terminal-api:2", **_STYLE)[0]
    for pod in client.pods:
        lines = [
            f'{{"time":"{c.at(f"{n}s")}","level":"error","msg":"authorise failed","error":"connect ECONNREFUSED'
            f' {front["spec"]["clusterIP"]}:443"}}'
            for n in (190, 127, 66, 12)
        ]
        c.log(pod, "\n".join(lines))
    case.question = "刷卡支付全部失败，terminal-api 报 ECONNREFUSED"
    case.started = "27m"
    why = "The service acquirer forwards to port 8443 and its pods listen on 8080."
    case.fault("wrong_port", "config", why, front, work.top)
    return lambda out: out.must_gather(ns)


def _siskin(c: Cluster, case: Case) -> Saver:
    """No counters were saved: use stands at the limit and the answers are slow."""
    ns = "pricing"
    others = neighbours.web(c, ns, "discounts:2", "currency:3", "coupons:2", **_STYLE)
    work = workloads.deployment(
        c, ns, "engine", "harbor.example.com/prod/pricing-engine:14.1", replicas=3, age="140d",
        pods_age="3d9h", port=8080, requests="250m/512Mi", limits="500m/1Gi", labels=_named("engine"),
        liveness=http_probe("/live", 8080, timeout=2), readiness=http_probe("/ready", 8080, timeout=2),
    )  # fmt: skip
    rows: list[list[str]] = []
    for pod in tables.ordered([p for w in (*others, work) for p in w.pods]):
        busy = pod in work.pods
        use = f"{498 + c.rng.randrange(4)}m" if busy else f"{3 + c.rng.randrange(30)}m"
        box = pod["spec"]["containers"][0]["name"]
        rows.append([ns, meta(pod)["name"], box, use, f"{70 + c.rng.randrange(160)}Mi"])
    for pod in work.pods:
        url = f"http://{pod['status']['podIP']}:8080/ready"
        told = f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        faults.probe_failure(c, pod, "Readiness", told, first="35m", last="2m14s", count=6)
        name = meta(pod)["name"]
        told = f"81% throttling of CPU in namespace {ns} for container engine in pod {name}."
        case.alert("CPUThrottlingHigh", "20m", told, namespace=ns, pod=name, container="engine")
    case.started = "35m"
    why = "The pods of engine use all of their limit of 500m and are throttled."
    case.fault("cpu_throttling", "cpu,traffic,config", why, work.top, *work.pods)

    def save(out: Folder) -> None:
        out.text("top.txt", tables.top(rows))
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("engine.txt", work.top, work.pods[0])
        out.text("events.txt", tables.events(c, ns))

    return save


def _linnet(c: Cluster, case: Case) -> Saver:
    ns = "catalogue"
    neighbours.web(c, ns, "media:4", "stock:2", "filters:3", **_STYLE)
    work = workloads.deployment(
        c, ns, "listing", "harbor.example.com/prod/listing:30.2", replicas=4, age="250d", pods_age="20d",
        port=8080, requests="100m/256Mi", labels=_named("listing"), readiness=http_probe("/ready", 8080),
        revision=40, rolling={"maxSurge": 1, "maxUnavailable": 0},
    )  # fmt: skip
    top = work.top
    meta(top)["annotations"]["deployment.kubernetes.io/revision"] = "41"
    meta(top)["generation"] = 41
    spec = top["spec"]["template"]["spec"]
    spec["containers"][0]["image"] = "harbor.example.com/prod/listing:31.0"
    fresh = workloads.replica_set(c, work, 1, "27m", spec)
    new = work.pods[-1]
    faults.unready(c, new, "27m")
    faults.probe_failure(
        c,
        new,
        "Readiness",
        "HTTP probe failed with statuscode: 500",
        first="27m",
        last="9s",
        count=160,
    )
    told = f"Scaled up replica set {meta(fresh)['name']} from 0 to 1"
    c.event(top, "ScalingReplicaSet", told, last="27m", by="deployment-controller")
    c.log(new, f"{c.at('15s')} WARN ready: schema version 57 expected, database has 56\n" * 2)
    case.question = "listing 的新版本 31.0 为什么一直没有发布完成？"
    case.started = "27m"
    why = "The rollout of listing 31.0 stands still: its first pod answers the readiness probe with 500."
    kinds = "deploy,config,code_error,dependency"
    case.fault("deploy_stuck_rollout", kinds, why, top, fresh, new)

    def save(out: Folder) -> None:
        status = (
            'Waiting for deployment "listing" rollout to finish: 1 out of 4 new replicas have been updated...\n'
            'error: deployment "listing" exceeded its progress deadline\n'
        )
        out.text("rollout-status.txt", status)
        out.describe("deployment.txt", top)
        out.tables("replicasets", "pods", namespace=ns)
        out.logs("{pod}.log")

    return save


def _robin(c: Cluster, case: Case) -> Saver:
    works = neighbours.web(c, "orders", "basket:2", "delivery", "tax:2", **_STYLE)
    works += neighbours.web(c, "identity", "login:2", "tokens", **_STYLE)
    faults.restarted(c, works[0].pods[0], 1, "Error", "1d19h", ran="3s", restarts=3)
    neighbours.old_restart(c, works[3].pods[1], "1d2h")
    neighbours.job_noise(c, "orders", "reindex", "4m")
    neighbours.job_noise(c, "identity", "rotate-keys", "57m")
    neighbours.autoscaler_noise(c, "orders", "basket", "55m")
    case.question = "Somebody said checkout was slow yesterday. Is the cluster fine now?"
    case.verdict = ("healthy", "inconclusive")

    def save(out: Folder) -> None:
        out.raw("pods.json", "Pod")
        out.raw("events.json", "Event")
        out.raw("nodes.json", "Node")

    return save


def _starling(c: Cluster, case: Case) -> Saver:
    """Nobody asks anything."""
    neighbours.system(c, network="aws-node")
    works = neighbours.web(c, "fleet", "vehicles:3", "trips:2", "fuel", "drivers:2", **_STYLE)
    neighbours.database(c, "fleet", "fleet-db", "docker.io/library/postgres:15.7", replicas=2)
    neighbours.old_restart(c, works[1].pods[0], "2d")
    neighbours.stale_readiness(c, works[0].pods[2], "47m")
    neighbours.dns_noise(c, c.of("Pod", "kube-system")[0])
    neighbours.job_noise(c, "fleet", "odometer-import", "11m")
    gone = faults.predecessor(c, works[1].pods[0])
    c.event(gone, "Killing", "Stopping container trips", last="51m", path="trips")
    case.verdict = ("healthy", "inconclusive")

    def save(out: Folder) -> None:
        out.tables(
            "pods", "nodes", "events", "deployments", "statefulsets", "daemonsets", ending="out"
        )
        out.describe("nodes-described.out", *c.of("Node"))

    return save


def _magpie(c: Cluster, case: Case) -> Saver:
    """Two faults in one namespace that have nothing to do with each other."""
    ns = "hotel"
    neighbours.web(c, ns, "rooms:2", "keys:2", "spa", "laundry:2", **_STYLE)
    lost = workloads.deployment(
        c, ns, "minibar", "harbor.example.com/prod/minibar:1.1", replicas=2, age="90d", pods_age="15d",
        port=8080, requests="50m/64Mi", labels=_named("minibar-svc"), readiness=http_probe("/", 8080),
    )  # fmt: skip
    front = workloads.service(c, ns, "minibar", _named("minibar"), target=8080, age="90d")
    work = workloads.deployment(
        c, ns, "invoicing", "harbor.example.com/prod/invoicing:8.8.0", age="120d", pods_age="13m",
        requests="100m/128Mi", labels=_named("invoicing"), args=["--config=/etc/invoicing/config.yaml"],
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 78, restarts=7, ran="1s", since="13m", ended="1m55s")
    c.log(
        pod,
        f'{c.at("1m55s")} config error: /etc/invoicing/config.yaml:14: unknown field "curency", did you mean "currency"?',
        previous=True,
    )
    case.question = "In hotel neither minibar nor invoicing works"
    case.started = "13m"
    why = "invoicing exits because its config.yaml has an unknown field `curency`."
    case.fault("crash_loop_config", "config,deploy", why, work.top, pod, work.sets[0])
    why = "The service minibar selects the name minibar and its pods are named minibar-svc."
    case.fault("wrong_selector", "config", why, front, lost.top)

    def save(out: Folder) -> None:
        out.text("all.txt", out.everything(ns))
        out.text("labels.txt", tables.pods(c, ns, wide=False, labels=True))
        out.describe("services.txt", *c.of("Service", ns))
        out.describe("invoicing.txt", pod)
        out.logs("invoicing{previous}.log")

    return save


def _jackdaw(c: Cluster, case: Case) -> Saver:
    """Two faults in two namespaces, and no events in what was saved."""
    neighbours.web(c, "depot", "vans:2", "routes", **_STYLE)
    neighbours.web(c, "office", "payroll", "holidays:2", **_STYLE)
    first = workloads.deployment(
        c, "depot", "optimiser", "harbor.example.com/prod/optimiser:2.5", replicas=3, age="44d", pods_age="39m",
        requests="6/2Gi", labels=_named("optimiser"), revision=5,
    )  # fmt: skip
    for pod in first.pods:
        faults.unscheduled(c, pod, faults.no_node(c, "3 Insufficient cpu"), count=9)
    second = workloads.deployment(
        c, "office", "timesheets", "harbor.example.com/prod/timesheets:3.3", replicas=2, age="80d", pods_age="6d2h",
        port=8080, requests="100m/128Mi", labels=_named("timesheets"), readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    for pod in second.pods:
        faults.unready(c, pod, "55m")
    case.started = "55m"
    for ns, work, since in (("depot", first, "24m"), ("office", second, "40m")):
        name = meta(work.top)["name"]
        told = f"Deployment {ns}/{name} has not matched the expected number of replicas."
        case.alert("KubeDeploymentReplicasMismatch", since, told, namespace=ns, deployment=name)
    why = "No node has the 6 processors that each pod of optimiser asks for."
    case.fault("pending_cpu", "cpu,config", why, first.top, *first.pods, first.sets[0])
    why = "The pods of timesheets run and are not ready: their readiness probe on /ready fails."
    case.fault(
        "readiness_probe",
        "unknown,dependency,code_error,config",
        why,
        second.top,
        *second.pods,
        second.sets[0],
    )
    return lambda out: out.listed("state.yaml", "Pod,Node,Deployment")


def _crossbill(c: Cluster, case: Case) -> Saver:
    """A volume claim nobody uses complains loudly; the question is about something else."""
    ns = "studio"
    neighbours.web(c, ns, "mixer:3", "library:2", "presets", "stems:2", **_STYLE)
    claim = c.add(
        "PersistentVolumeClaim", "scratch-old", "160d", namespace=ns,
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Ti"}}, "storageClassName": "gone"},
        status={"phase": "Pending"},
    )  # fmt: skip
    told = 'storageclass.storage.k8s.io "gone" not found'
    c.event(
        claim,
        "ProvisioningFailed",
        told,
        warning=True,
        first="59m",
        last="2s",
        count=9241,
        by="persistentvolume-controller",
    )
    image = "docker.io/example-audio/mastering:latest"
    work = workloads.deployment(
        c, ns, "mastering", image, replicas=2, age="70d", pods_age="20m", requests="1/1Gi", labels=_named("mastering"),
    )  # fmt: skip
    error = (
        f'failed to pull and unpack image "{image}": failed to copy: httpReadSeeker: failed open: unexpected status code'
        " https://registry-1.example.com/v2/example-audio/mastering/manifests/latest: 429 Too Many Requests - Server"
        " message: toomanyrequests: You have reached your pull rate limit."
    )
    for pod in work.pods:
        faults.image_failure(c, pod, error, "20m", count=7)
    case.question = "mastering does not start"
    case.started = "20m"
    case.decoys = ["studio/scratch-old: a claim that no pod uses, pending for months"]
    why = "The image of mastering cannot be pulled: the registry's rate limit is reached (429)."
    case.fault("image_pull", "dependency,config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("events", "pvc", namespace=ns)
        out.describe("mastering.txt", *work.pods)
        out.text("pods-all.txt", tables.pods(c))

    return save


BUILDERS: Json = {
    "wren": _wren, "dipper": _dipper, "siskin": _siskin, "linnet": _linnet, "robin": _robin,
    "starling": _starling, "magpie": _magpie, "jackdaw": _jackdaw, "crossbill": _crossbill,
}  # fmt: skip
