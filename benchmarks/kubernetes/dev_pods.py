"""Development cases whose fault shows in a pod's containers."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, neighbours, workloads
from benchmarks.kubernetes.objects import Json, container, exec_probe, http_probe, key_ref, meta

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _bakery(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "shop"
    others = neighbours.web(c, ns, "cart:2", "catalogue:2", "search", "storefront:2")
    work = workloads.deployment(
        c, ns, "checkout", "ghcr.io/maple-shop/checkout:2.8.0", replicas=2, age="96d", pods_age="23m",
        port=8080, requests="150m/192Mi", limits="600m/384Mi", readiness=http_probe("/ready", 8080),
        env={"LOG_LEVEL": "info"}, env_from=[{"configMapRef": {"name": "checkout-settings-v2"}}],
    )  # fmt: skip
    workloads.service(c, ns, "checkout", {"app": "checkout"}, target=8080)
    c.add("ConfigMap", "checkout-settings", "96d", namespace=ns, data={"CURRENCY": "EUR"})
    c.add("ConfigMap", "storefront-nginx", "55d", namespace=ns, data={"default.conf": "server {}"})
    for pod in work.pods:
        what = 'configmap "checkout-settings-v2" not found'
        faults.config_error(c, pod, what, "23m", count=105)
    neighbours.old_restart(c, others[1].pods[0])
    neighbours.autoscaler_noise(c, ns, "storefront")
    neighbours.job_noise(c, ns, "sitemap")
    case.question = "checkout is failing"
    case.started = "23m"
    why = (
        "checkout's containers wait for the config map checkout-settings-v2, which does not exist."
    )
    case.fault("missing_configmap", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.listed("all.json", "Pod,Event,Deployment,ConfigMap", ns)
        out.tables("nodes")

    return save


def _printworks(c: Cluster, case: Case) -> Saver:
    ns = "press"
    neighbours.web(c, ns, "layout", "proofs:2", "orders:2", "ink")
    work = workloads.deployment(
        c, ns, "renderer", "registry.example.com/press/renderer:4.12.1", replicas=2, age="120d",
        pods_age="48m", port=9000, requests="200m/256Mi", readiness=http_probe("/up", 9000), revision=9,
    )  # fmt: skip
    image = "registry.example.com/press/renderer:4.12.1"
    error = (
        f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": failed to'
        f' resolve reference "{image}": {image}: not found'
    )
    for pod in work.pods:
        faults.image_failure(c, pod, error, "48m", count=13)
    neighbours.job_noise(c, ns, "archive-proofs", "31m")
    case.question = "renderer pods do not come up since the last release"
    case.started = "48m"
    why = "The registry has no tag 4.12.1 of press/renderer, so its image cannot be pulled."
    case.fault("image_pull", "deploy,config", why, work.top, *work.pods, work.sets[0])
    return lambda out: out.dump(ns)


def _foundry(c: Cluster, case: Case) -> Saver:
    ns = "ingest"
    others = neighbours.web(c, ns, "collector:3", "router:2", "dashboard", port=4000)
    work = workloads.deployment(
        c, ns, "aggregator", "registry.example.com/ingest/aggregator:1.9.3", replicas=2, age="33d",
        pods_age="9h", port=4000, requests="250m/256Mi", limits="1/512Mi",
        liveness=http_probe("/live", 4000), readiness=http_probe("/ready", 4000),
    )  # fmt: skip
    first, second = work.pods
    faults.crashing(c, first, 137, "OOMKilled", restarts=7, ran="4m40s", since="55m", ended="1m20s")
    faults.restarted(c, second, 137, "OOMKilled", "3m10s", ran="6m", restarts=5)
    neighbours.old_restart(c, others[0].pods[1], "3d4h")
    neighbours.dns_noise(c, others[1].pods[0])
    neighbours.job_noise(c, ns, "compact")
    name = meta(first)["name"]
    case.started = "55m"
    case.alert(
        "KubePodCrashLooping", "40m", f"Pod {ns}/{name} (aggregator) is in waiting state"
        ' (reason: "CrashLoopBackOff").', namespace=ns, pod=name, container="aggregator",
        reason="CrashLoopBackOff", job="kube-state-metrics",
    )  # fmt: skip
    why = "aggregator is killed at its memory limit of 512Mi again and again."
    case.fault("oom_killed", "memory", why, work.top, *work.pods, work.sets[0])
    return lambda out: out.listed("pods-events.json", "Pod,Event", ns)


def _observatory(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "survey"
    neighbours.web(c, ns, "frames:2", "queue", "viewer:2", "stars:3", "sky-tiles:2", "logbook")
    work = workloads.deployment(
        c, ns, "scheduler-api", "ghcr.io/skywatch/scheduler-api:0.31.0", age="61d", pods_age="17m",
        port=8000, requests="100m/128Mi", limits="300m/256Mi", env={"PORT": "8000", "TZ": "UTC"},
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 1, restarts=8, ran="1s", since="17m", ended="1m50s")
    day = c.ago("1m51s").strftime("%Y-%m-%dT%H:%M:%S")
    c.log(
        pod,
        f'{{"level":"info","ts":"{day}.201Z","msg":"scheduler-api starting","version":"0.31.0"}}\n'
        f'{{"level":"fatal","ts":"{day}.214Z","msg":"invalid configuration","error":"required environment'
        ' variable TELESCOPE_DB_URL is not set"}',
        previous=True,
    )
    neighbours.old_restart(c, c.of("Pod", "kube-system")[3], "22d")
    neighbours.job_noise(c, ns, "nightly-calibration", "44m")
    case.question = "namespace survey: scheduler-api keeps restarting after this morning's deploy"
    case.started = "17m"
    why = "scheduler-api exits at start because TELESCOPE_DB_URL is not set."
    case.fault("crash_loop_config", "config,deploy", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "events", namespace=ns)
        out.describe("describe-pod.txt", pod)
        out.logs("logs-previous.txt")

    return save


def _aviary(c: Cluster, case: Case) -> Saver:
    ns = "ringing"
    others = neighbours.web(
        c, ns, "sightings:2", "maps", "accounts:2", label="app.kubernetes.io/name"
    )
    work = workloads.deployment(
        c, ns, "importer", "quay.io/aviary/importer:2024.5", age="44d", pods_age="6h",
        requests="100m/256Mi", labels={"app.kubernetes.io/name": "importer"},
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 1, restarts=12, ran="22s", since="51m", ended="3m2s")
    day = c.ago("3m2s").strftime("%Y-%m-%d %H:%M:%S")
    trace = (
        f"{day},113 INFO importer.main loading batch 2214 (4818 rows)\nTraceback (most recent call last):\n"
        '  File "/app/importer/main.py", line 88, in <module>\n    run()\n'
        '  File "/app/importer/rings.py", line 41, in parse\n    code = row["ring"].upper()\n'
        "AttributeError: 'NoneType' object has no attribute 'upper'"
    )
    c.log(pod, trace, previous=True)
    c.log(pod, trace.replace(",113", ",871"))
    neighbours.stale_readiness(c, others[0].pods[0])
    neighbours.old_restart(c, others[2].pods[1], "9d")
    case.question = "No new ring data has arrived for an hour. Why?"
    case.started = "51m"
    why = "importer dies of an AttributeError in rings.py when a row has no ring."
    case.fault(
        "crash_loop_error", "code_error,wrong_result,restart", why, work.top, pod, work.sets[0]
    )
    return lambda out: out.must_gather(ns, root="quay-io-must-gather-sha256-7c1d")


def _tannery(c: Cluster, case: Case) -> Saver:
    ns = "billing"
    others = neighbours.web(c, ns, "ledger:2", "tax", "mailer", "portal:2")
    work = workloads.deployment(
        c, ns, "invoices", "registry.example.com/billing/invoices:7.2.4", replicas=2, age="80d",
        pods_age="4h", port=8080, requests="200m/512Mi", limits="1/1Gi",
        liveness=http_probe("/healthz", 8080, delay=10, timeout=1, period=5),
        readiness=http_probe("/healthz", 8080, timeout=3),
    )  # fmt: skip
    for pod, last in zip(work.pods, ("2m5s", "4m44s"), strict=True):
        faults.restarted(c, pod, 143, "Error", last, ran="8m", restarts=4)
        url = f"http://{pod['status']['podIP']}:8080/healthz"
        text = f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        faults.probe_failure(c, pod, "Liveness", text, first="47m", last=last, count=14, killed=4)
    neighbours.old_restart(c, others[0].pods[0])
    neighbours.autoscaler_noise(c, ns, "portal")
    case.question = "发票服务一直在重启，请看看 billing 命名空间里的 invoices"
    case.started = "47m"
    why = "invoices answers its liveness probe later than the 1 s it is given, so the kubelet restarts it."
    kinds = "config,restart,code_error,cpu"
    case.fault("liveness_probe", kinds, why, work.top, *work.pods, work.sets[0])
    return lambda out: out.listed("billing.json", "Pod,Event,Deployment", ns)


def _glasshouse(c: Cluster, case: Case) -> Saver:
    neighbours.system(c, network="calico-node")
    ns = "plants"
    neighbours.web(c, ns, "sensors:3", "watering", "frontend:2")
    neighbours.database(c, ns, "climate-db", "docker.io/library/postgres:15.6")
    work = workloads.deployment(
        c, ns, "advice", "registry.example.com/plants/advice:3.3.0", replicas=3, age="52d",
        pods_age="2d5h", port=8081, requests="100m/128Mi", readiness=http_probe("/ready", 8081),
    )  # fmt: skip
    workloads.service(c, ns, "advice", {"app": "advice"}, target=8081)
    for pod in work.pods:
        faults.unready(c, pod, "34m")
        text = "HTTP probe failed with statuscode: 503"
        faults.probe_failure(c, pod, "Readiness", text, first="34m", last="6s", count=204)
        at = c.ago("20s").strftime("%H:%M:%S")
        c.log(pod, f"{at} WARN readiness: model file /models/advice.bin has not been loaded\n" * 3)
    case.started = "34m"
    for pod in work.pods[:2]:
        name = meta(pod)["name"]
        told = f"Pod {ns}/{name} has been in a non-ready state for longer than 15 minutes."
        case.alert("KubePodNotReady", "18m", told, namespace=ns, pod=name)
    why = "advice answers its readiness probe with 503 on all three pods, so its service has no endpoint."
    kinds = "code_error,dependency,config"
    case.fault("readiness_probe", kinds, why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "deployments", "endpoints", "events")
        out.describe("describe-advice.txt", *work.pods)
        out.logs("logs/{ns}_{pod}_{box}.log")

    return save


def _millpond(c: Cluster, case: Case) -> Saver:
    ns = "library"
    others = neighbours.web(c, ns, "loans:2", "readers:2", "covers", "shelves")
    work = workloads.deployment(
        c, ns, "catalog", "registry.example.com/library/catalog:12.0.0", age="140d", pods_age="38m",
        port=8080, requests="500m/1Gi", limits="1/1536Mi", revision=31,
        startup=http_probe("/actuator/health", 8080, period=5, failures=12),
        liveness=http_probe("/actuator/health/liveness", 8080),
    )  # fmt: skip
    pod = work.pods[0]
    faults.unready(c, pod, "38m")
    row = faults.status_of(pod)
    row |= {"restartCount": 8, "started": False, "state": {"running": {"startedAt": c.at("41s")}}}
    row["lastState"] = faults.ended(c, row, (143, "Error"), "7m13s", "5m43s")
    ip = pod["status"]["podIP"]
    text = (
        f'Get "http://{ip}:8080/actuator/health": dial tcp {ip}:8080: connect: connection refused'
    )
    faults.probe_failure(c, pod, "Startup", text, first="37m", last="4s", count=104, killed=8)
    neighbours.old_restart(c, others[1].pods[0], "6d1h")
    neighbours.job_noise(c, ns, "overdue-letters", "9m")
    case.question = "The library catalog is down"
    case.started = "38m"
    why = "catalog is killed by its startup probe after 60 s, before it has finished starting."
    case.fault("startup_probe", "config,deploy,restart", why, work.top, pod, work.sets[0])
    return lambda out: out.listed("dump.yaml", "Pod,Event,Deployment", ns)


def _apothecary(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "pharmacy"
    others = neighbours.web(c, ns, "stock:2", "labels", "recipes:2")
    work = workloads.deployment(
        c, ns, "prescriptions", "registry.example.com/pharmacy/prescriptions:1.4.0", replicas=2,
        age="29d", pods_age="27m", port=8080, requests="100m/128Mi",
        env={"DB_PASSWORD": key_ref("secret", "prescriptions-db", "password")},
    )  # fmt: skip
    for pod in work.pods:
        told = f"couldn't find key password in Secret {ns}/prescriptions-db"
        faults.config_error(c, pod, told, "27m", count=118)
    neighbours.stale_readiness(c, others[2].pods[1], "49m")
    neighbours.job_noise(c, ns, "expiry-check", "12m")
    case.question = "处方服务起不来"
    case.started = "27m"
    why = "The secret prescriptions-db has no key `password`, which prescriptions needs to start."
    case.fault("missing_secret", "config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.raw("api-v1-pods.json", "Pod")
        out.raw("api-v1-events.json", "Event")

    return save


def _vineyard(c: Cluster, case: Case) -> Saver:
    ns, other = "cellar", "tasting"
    healthy = neighbours.web(c, ns, "barrels:2", "harvest") + neighbours.web(c, other, "bookings:2")
    image = "registry.example.com/tasting/pairing:2.0.0-rc3"
    first = workloads.deployment(c, other, "pairing", image, age="18d", pods_age="58m", port=3000)
    error = (
        f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": pulling from'
        " host registry.example.com failed with status code [manifests 2.0.0-rc3]: 401 Unauthorized"
    )
    faults.image_failure(c, first.pods[0], error, "58m", count=15)
    second = workloads.deployment(
        c, ns, "blending", "registry.example.com/cellar/blending:5.5.1", replicas=2, age="77d",
        pods_age="3d4h", requests="100m/200Mi", limits="400m/200Mi",
        sidecars=[container("metrics", "quay.io/tools/exporter:0.9", requests="10m/16Mi")],
    )  # fmt: skip
    for pod, ago in zip(second.pods, ("50s", "4m5s"), strict=True):
        faults.crashing(c, pod, 137, "OOMKilled", restarts=7, ran="1m30s", since="29m", ended=ago)
    neighbours.old_restart(c, healthy[0].pods[0], "12d")
    case.question = "Several things are broken in the vineyard cluster, please check"
    case.started = "58m"
    why = "blending's main container is killed at its limit of 200Mi."
    case.fault("oom_killed", "memory", why, second.top, *second.pods, second.sets[0])
    why = "The registry refuses to hand out the image of pairing: 401 Unauthorized."
    case.fault("image_pull", "config,deploy", why, first.top, *first.pods, first.sets[0])
    return lambda out: out.listed("cluster.json", "Pod,Event,Deployment,ReplicaSet")


def _cartography(c: Cluster, case: Case) -> Saver:
    neighbours.system(c)
    ns = "atlas"
    neighbours.web(c, ns, "tiles-cache:2", "geocoder:2", "styles")
    loud = workloads.deployment(
        c, "sandbox", "playground", "docker.io/library/busybox:1.36", age="31d", pods_age="1d11h"
    )
    faults.crashing(
        c, loud.pods[0], 0, "Completed", restarts=412, ran="1s", since="34h40m", ended="3m"
    )
    work = workloads.deployment(
        c, ns, "tiles", "registry.example.com/atlas/tiles:6.1.0", replicas=2, age="102d", pods_age="14m",
        port=8080, requests="200m/256Mi", readiness=exec_probe("/bin/ready"),
        env_from=[{"secretRef": {"name": "tiles-s3-credentials"}}],
    )  # fmt: skip
    for pod in work.pods:
        faults.config_error(c, pod, 'secret "tiles-s3-credentials" not found', "14m", count=62)
    case.question = "Map tiles in namespace atlas are not served since 15 minutes"
    case.started = "14m"
    case.decoys = [
        "sandbox/playground: restarts for more than a day because its command ends; another team's toy"
    ]
    why = "tiles' containers wait for the secret tiles-s3-credentials, which does not exist."
    case.fault("missing_secret", "config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.tables("pods", "events")
        out.listed("atlas-pods.yaml", "Pod", ns)

    return save


BUILDERS: Json = {
    "bakery": _bakery, "printworks": _printworks, "foundry": _foundry, "observatory": _observatory,
    "aviary": _aviary, "tannery": _tannery, "glasshouse": _glasshouse, "millpond": _millpond,
    "apothecary": _apothecary, "vineyard": _vineyard, "cartography": _cartography,
}  # fmt: skip
