"""Sixth set: probes, services that lead nowhere, a service that may use too little processor."""

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
    workloads,
)
from benchmarks.kubernetes.fifth_parts import rule
from benchmarks.kubernetes.fourth_parts import forgotten_pod, old_crashes
from benchmarks.kubernetes.objects import Json, http_probe, meta
from benchmarks.kubernetes.sixth_parts import IMAGES, STYLE, forgotten_trial, named, repeated
from benchmarks.kubernetes.third_parts import failed_job, leftovers, rollout

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _perch(c: Cluster, case: Case) -> Saver:
    """The release has its health page elsewhere; the rollout stands still."""
    ns = "loyalty"
    others = neighbours.web(c, ns, "points-ui:2", "tiers", "vouchers:2", **STYLE)
    work = workloads.deployment(
        c, ns, "points-api", f"{IMAGES}/points-api:6.4.0", replicas=3, age="330d", pods_age="26d", port=8080, requests="200m/256Mi", limits="1/512Mi",
        labels=named("points-api"), revision=72, rolling={"maxSurge": 1, "maxUnavailable": 0}, readiness=http_probe("/health/ready", 8080),
    )  # fmt: skip
    fresh = rollout(c, work, f"{IMAGES}/points-api:7.0.0", 1, "31m")
    pod = fresh.pods[0]
    faults.unready(c, pod, "31m")
    faults.probe_failure(c, pod, "Readiness", "HTTP probe failed with statuscode: 404", first="31m", last="4s", count=187)  # fmt: skip
    faults.scheduled(c, pod)
    faults.stalled(c, work.top, fresh.sets[0], "21m")
    text = f"Rollout of deployment {ns}/points-api is not progressing for longer than 15 minutes on cluster prod."
    rule(case, "KubeDeploymentRolloutStuck", "6m", text, namespace=ns, deployment="points-api", condition="Progressing", status="false")  # fmt: skip
    old_crashes(c, others[2].pods[0], 26, "5d")
    forgotten_pod(c, ns, "redis-cli", "40d")
    case.started = "31m"
    case.decoys = [
        "vouchers: 26 restarts, the last one five days ago",
        "redis-cli: somebody's pod, ended with an error 40 days ago",
    ]
    why = "points-api 7.0.0 answers its readiness probe with 404, so the rollout does not go on."
    case.fault("deploy_stuck_rollout", "deploy,config,code_error", why, work.top, pod, fresh.sets[0])  # fmt: skip

    def save(out: Folder) -> None:
        out.single("points-api.yaml", work.top)
        out.text("pods.txt", tables.pods(c, ns))
        out.text("events.txt", tables.events(c, ns))

    return save


def _pike(c: Cluster, case: Case) -> Saver:
    """A health page that asks the database takes longer than its probe waits."""
    ns = "clinic-queue"
    others = neighbours.web(c, ns, "call-screen:2", "kiosk:3", **STYLE)
    work = workloads.deployment(
        c, ns, "queue-service", f"{IMAGES}/queue-service:2.1.7", replicas=2, age="400d", pods_age="33d", port=8080, requests="250m/512Mi", limits="1/1Gi",
        labels=named("queue-service"), liveness=http_probe("/actuator/health", 8080, timeout=1), readiness=http_probe("/actuator/health", 8080, timeout=1),
    )  # fmt: skip
    for pod, ago, count in zip(work.pods, ("1m12s", "3m40s"), (5, 4), strict=True):
        faults.restarted(c, pod, 143, "Error", ago, ran="10m48s", restarts=count)
        url = f"http://{pod['status']['podIP']}:8080/actuator/health"
        told = f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        faults.probe_failure(c, pod, "Liveness", told, first="54m", last=ago, count=count * 3, killed=count)  # fmt: skip
        faults.probe_failure(c, pod, "Readiness", told, first="54m", last="22s", count=count * 5)
        repeated(c, pod, "54m", ago, count)
    leftovers(c, others[0], "11d")
    case.question = "门诊叫号时好时坏，queue-service 十来分钟就重启一次，内存看着没超，帮忙看下"
    case.started = "54m"
    case.decoys = ["call-screen: a pod that was evicted eleven days ago was never deleted"]
    why = "queue-service does not answer its liveness probe within 1 s, and the kubelet kills it again and again."
    case.fault("liveness_probe", "config,restart,dependency,cpu", why, work.top, *work.pods, work.sets[0])  # fmt: skip

    def save(out: Folder) -> None:
        pod = work.pods[0]
        steps = [
            (f"kubectl -n {ns} get pods", tables.pods(c, ns, wide=False)),
            (f"kubectl -n {ns} top pods", printed.used(c, ns, {"queue-service": (210, 588)})),
            (f"kubectl -n {ns} describe pod {meta(pod)['name']}", describing.describe(c, pod)),
        ]
        out.text("clinic.txt", pasted.taken(c, steps, "root@his-node1"))

    return save


def _pollock(c: Cluster, case: Case) -> Saver:
    """A service selects a label that somebody spelled in another way."""
    ns = "course-shop"
    others = neighbours.web(c, ns, "catalogue:2", "video-tokens:2", **STYLE)
    work = workloads.deployment(
        c, ns, "checkout-svc", f"{IMAGES}/checkout-svc:1.0.4", replicas=2, age="52m", revision=1, port=8080, requests="100m/128Mi", labels=named("checkout-svc"),
        readiness=http_probe("/healthz", 8080),
    )  # fmt: skip
    front = workloads.service(c, ns, "checkout-svc", {"app": "checkout-service"}, target=8080, age="52m")  # fmt: skip
    old_crashes(c, others[0].pods[1], 10, "9d")
    failed_job(c, ns, "mail-digest", "19h")
    forgotten_trial(c, ns, "quiz-gen", "23d")
    case.question = "nginx ingress returns 503 for /checkout only. pods are up 2/2. ingress bug? we are on 1.11.3"
    case.started = "52m"
    case.decoys = [
        "catalogue: 10 restarts, the last one nine days ago",
        "job mail-digest: failed 19 hours ago",
        "quiz-gen: has waited for a secret for 23 days",
    ]
    why = (
        "The service checkout-svc selects app=checkout-service, and its pods have app=checkout-svc."
    )
    case.fault("wrong_selector", "config,deploy", why, front, work.top)

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get pods --show-labels -n {ns}", tables.pods(c, ns, wide=False, labels=True)),
            (f"kubectl get endpoints -n {ns}", tables.table(c, "Endpoints", ns)),
            (f"kubectl describe svc checkout-svc -n {ns}", describing.describe(c, front)),
        ]  # fmt: skip
        out.text("svc.txt", pasted.session("$ ", *steps))

    return save


def _roach(c: Cluster, case: Case) -> Saver:
    """A limit on processors that was set for fewer customers."""
    ns = "ticket-search"
    others = neighbours.web(c, ns, "landing:2", "price-cache:2", **STYLE)
    work = workloads.deployment(
        c, ns, "search-api", f"{IMAGES}/search-api:9.2.0", replicas=2, age="280d", pods_age="15d", port=8080, requests="200m/512Mi", limits="500m/1Gi",
        labels=named("search-api"), readiness=http_probe("/ready", 8080, timeout=5),
    )  # fmt: skip
    for pod, share in zip(work.pods, ("71.3%", "68.94%"), strict=True):
        told = f"{share} throttling of CPU in namespace {ns} for container search-api in pod {meta(pod)['name']} on cluster prod."
        labels = {"namespace": ns, "pod": meta(pod)["name"], "container": "search-api"}
        case.alert("CPUThrottlingHigh", "27m", told, prometheus="monitoring/kps-prometheus", **{"severity": "info", **labels})  # fmt: skip
    old_crashes(c, others[1].pods[1], 33, "13d")
    case.decoys = ["price-cache: 33 restarts, the last one thirteen days ago"]
    why = "search-api runs at its limit of 500m, and most of its periods are throttled."
    case.fault("cpu_throttling", "cpu,config,traffic", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        stat = "usage_usec 88120733514\nuser_usec 79018442102\nsystem_usec 9102291412\nnr_periods 3001934\nnr_throttled 2140378\nthrottled_usec 190661820551\nnr_bursts 0\nburst_usec 0\n"
        steps = [
            (f"kubectl get po -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl top po -n {ns}", printed.used(c, ns, {"search-api": (497, 640)})),
            (f"kubectl exec -n {ns} {name} -- cat /sys/fs/cgroup/cpu.stat", stat),
            (f"kubectl describe deploy search-api -n {ns}", describing.describe(c, work.top)),
        ]
        out.text("session.log", pasted.session("lena@jump:~$ ", *steps))

    return save


BUILDERS: Json = {"perch": _perch, "pike": _pike, "pollock": _pollock, "roach": _roach}
