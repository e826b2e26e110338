"""Fourth set: images, settings and secrets that a pod does not get."""

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
from benchmarks.kubernetes.fourth_parts import (
    STYLE,
    abandoned,
    named,
    node_upgrade,
    old_crashes,
    pull_error,
    sandbox_trouble,
)
from benchmarks.kubernetes.objects import Json, http_probe, key_ref, meta
from benchmarks.kubernetes.third_parts import rollout

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _garnet(c: Cluster, case: Case) -> Saver:
    """A tag that was never pushed; the old pods serve on."""
    ns = "pos"
    others = neighbours.web(c, ns, "tills:3", "price-sync:2", **STYLE)
    work = workloads.deployment(
        c, ns, "receipts", "reg.example.com/prod/receipts:3.13.2", replicas=2, age="240d", pods_age="19d", port=8080,
        requests="100m/128Mi", limits="500m/256Mi", labels=named("receipts"), rolling={"maxSurge": 1, "maxUnavailable": 0}, revision=44,
    )  # fmt: skip
    image = "reg.example.com/prod/receipts:3.14.0"
    fresh = rollout(c, work, image, 1, "1h32m")
    pod = fresh.pods[0]
    faults.image_failure(c, pod, pull_error(c, image, f"{image}: not found", "NotFound"), "1h32m", count=20)  # fmt: skip
    faults.stalled(c, work.top, fresh.sets[0], "1h22m")
    node_upgrade(c, c.setting.nodes[0], "56m", "47m")
    case.started = "1h32m"
    case.decoys = [
        f"{c.setting.nodes[0]}: was cordoned and restarted on purpose, and is back since 47 minutes",
        "tills: 12 restarts, the last one four days ago",
    ]
    name = meta(pod)["name"]
    told = f'pod/{name} in namespace {ns} on container receipts has been in waiting state for longer than 1 hour. (reason: "ImagePullBackOff") on cluster prod.'
    labels = {"namespace": ns, "pod": name, "container": "receipts", "reason": "ImagePullBackOff"}
    case.alert("KubeContainerWaiting", "31m", told, job="kube-state-metrics", **labels)
    quiet = next(p for p in others[0].pods if p["spec"]["nodeName"] != c.setting.nodes[0])
    old_crashes(c, quiet, 12, "4d")
    why = "The image reg.example.com/prod/receipts:3.14.0 does not exist in the registry."
    case.fault("image_pull", "deploy,config", why, work.top, pod, fresh.sets[0])

    def save(out: Folder) -> None:
        out.text("get-pods.txt", tables.pods(c, ns, wide=False))
        out.text("get-events.txt", tables.events(c, ns))
        out.text("get-events-default.txt", tables.events(c, "default"))
        out.text("get-deploy.txt", printed.wide_deployments(c, ns))

    return save


def _gneiss(c: Cluster, case: Case) -> Saver:
    """A private image in a new namespace, without the password for it."""
    ns = "kyc-eu"
    neighbours.web(c, ns, "watchlist:2", age="5d", pods_age="5d", **STYLE)
    image = "docker.io/idverify/doc-scan:1.8.2"
    work = workloads.deployment(
        c, ns, "doc-scan", image, replicas=2, age="18m", revision=1, port=5000, requests="500m/1Gi", labels=named("doc-scan"),
    )  # fmt: skip
    why = "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed"
    for pod in work.pods:
        faults.image_failure(c, pod, pull_error(c, image, why), "18m", count=8)
    case.question = "doc-scan runs fine in kyc-us but won't start in the new kyc-eu namespace, same image, same manifest. Docker Hub outage?"
    case.started = "18m"
    why = "Docker Hub refuses the pull of idverify/doc-scan: the pods have no pull secret for it (or there is no such image)."
    case.fault("image_pull", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = work.pods[0]
        parts = [
            ("What happened?", "doc-scan stays in ImagePullBackOff in kyc-eu."),
            ("kubectl get pods", tables.pods(c, ns, wide=False)),
            ("kubectl describe pod", describing.describe(c, pod)),
            ("kubectl get secrets", "No resources found in kyc-eu namespace.\n"),
            ("Kubernetes version", c.setting.version),
        ]
        out.text("issue.md", pasted.issue("doc-scan does not start", *parts))

    return save


def _granite(c: Cluster, case: Case) -> Saver:
    """The config map has the number of the former release in its name."""
    ns = "courses"
    others = neighbours.web(c, ns, "catalogue:2", "gradebook:2", "video-proxy", **STYLE)
    work = workloads.deployment(
        c, ns, "enrolment", "reg.example.com/prod/enrolment:7.0.0", replicas=2, age="510d", pods_age="33m", port=8080,
        requests="100m/256Mi", labels=named("enrolment"), env_from=[{"configMapRef": {"name": "enrolment-config-v7"}}],
    )  # fmt: skip
    settings = c.add("ConfigMap", "enrolment-config-v6", "200d", namespace=ns)
    settings["data"] = {"TERM": "2026-2", "SEATS": "strict"}
    for pod in work.pods:
        faults.config_error(c, pod, 'configmap "enrolment-config-v7" not found', "33m", count=153)
    sandbox_trouble(c, others[1].pods[0], "51m")
    case.question = (
        "选课系统打不开，运维说 enrolment 的 pod 是 CreateContainerConfigError，该怎么处理？"
    )
    case.started = "33m"
    case.decoys = ["gradebook: a predecessor had no network for a minute 51 minutes ago"]
    why = "enrolment reads the config map enrolment-config-v7, which does not exist."
    case.fault("missing_configmap", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        maps = [["NAME", "DATA", "AGE"], ["enrolment-config-v6", "2", "200d"], ["kube-root-ca.crt", "1", "510d"]]  # fmt: skip
        steps = [
            (f"kubectl get pod -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl describe pod -n {ns} {meta(work.pods[0])['name']} | grep -A20 Events", printed.last_events(c, work.pods[0])),
            (f"kubectl get cm -n {ns}", tables.render(maps)),
        ]  # fmt: skip
        text = pasted.session("[root@master01 ~]# ", *steps)
        out.text("terminal.log", pasted.wrapped(text, 110))

    return save


def _gypsum(c: Cluster, case: Case) -> Saver:
    """The secret is there, its key has another name."""
    ns = "rx"
    neighbours.web(c, ns, "interactions:2", "refills:2", **STYLE)
    work = workloads.deployment(
        c, ns, "prescriptions", "reg.example.com/prod/prescriptions:4.4.1", replicas=2, age="130d", pods_age="46m", port=8080,
        requests="200m/256Mi", labels=named("prescriptions"), readiness=http_probe("/ready", 8080),
        env={"DB_HOST": "pg-rx.example.com", "DB_PASSWORD": key_ref("secret", "prescriptions-db", "DB_PASSWORD")},
    )  # fmt: skip
    for pod in work.pods:
        told = f"couldn't find key DB_PASSWORD in Secret {ns}/prescriptions-db"
        faults.config_error(c, pod, told, "46m", count=214)
    abandoned(c, ns, "ocr-trial", "41d")
    case.question = "prescriptions has 0 ready pods after we rotated the database password this morning. Did the database reject the new one?"
    case.started = "46m"
    case.decoys = ["ocr-trial: its image has been gone for 41 days, nobody uses it"]
    why = "prescriptions reads the key DB_PASSWORD of the secret prescriptions-db, which has PASSWORD in its place."
    case.fault("missing_secret", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.single("prescriptions-pod.yaml", work.pods[0])
        out.text("describe-secret.txt", printed.secret(ns, "prescriptions-db", USERNAME=7, PASSWORD=24))  # fmt: skip
        out.text("pods.txt", tables.pods(c, ns))

    return save


BUILDERS: Json = {"garnet": _garnet, "gneiss": _gneiss, "granite": _granite, "gypsum": _gypsum}
