"""Sixth set: images that cannot be pulled, settings and secrets that are missing."""

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
from benchmarks.kubernetes.fourth_parts import old_crashes, pull_error, unused_claim
from benchmarks.kubernetes.objects import Json, http_probe, key_ref, meta
from benchmarks.kubernetes.sixth_parts import IMAGES, STYLE, forgotten_trial, named
from benchmarks.kubernetes.third_parts import failed_job, leftovers, rollout, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _eel(c: Cluster, case: Case) -> Saver:
    """The tag that was deployed was never pushed."""
    ns = "smart-canteen"
    others = neighbours.web(c, ns, "menu-admin:2", "face-pay:2", "weighing", **STYLE)
    work = workloads.deployment(
        c, ns, "order-center", f"{IMAGES}/order-center:v2.6.3", replicas=2, age="240d", pods_age="17d", port=8080, requests="200m/512Mi", labels=named("order-center"),
        revision=44, readiness=http_probe("/ping", 8080),
    )  # fmt: skip
    image = f"{IMAGES}/order-center:v2.6.4-realese"
    fresh = rollout(c, work, image, 1, "11m")
    pod = fresh.pods[0]
    faults.image_failure(c, pod, pull_error(c, image, f"{image}: not found", "NotFound"), "11m", count=7)  # fmt: skip
    old_crashes(c, others[1].pods[0], 9, "12d")
    forgotten_trial(c, ns, "nutrition-ai", "77d")
    case.question = "刚升级 order-center，一直 ImagePullBackOff，昨天 gitlab 仓库还好好的，是仓库挂了还是网络问题？"
    case.started = "11m"
    case.decoys = [
        "face-pay: 9 restarts, the last one twelve days ago",
        "nutrition-ai: has waited for a secret for 77 days",
    ]
    why = "The tag v2.6.4-realese of order-center does not exist in the registry."
    case.fault("image_pull", "config,deploy", why, work.top, pod, fresh.sets[0])

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl describe pod {meta(pod)['name']} -n {ns} | tail -12", printed.last_events(c, pod)),
        ]  # fmt: skip
        out.text("1.txt", pasted.taken(c, steps, "root@k8s-master"))

    return save


def _flounder(c: Cluster, case: Case) -> Saver:
    """A new namespace in which nobody made the secret for the registry."""
    ns = "review-1187"
    neighbours.web(c, "storefront", "catalog:2", "basket:2", **STYLE)
    image = f"{IMAGES}/storefront/checkout:mr-1187"
    work = workloads.deployment(
        c, ns, "checkout", image, replicas=1, age="27m", revision=1, port=3000, requests="50m/128Mi", labels=named("checkout"), imagePullSecrets=[{"name": "gitlab-registry"}],
    )  # fmt: skip
    pod = work.pods[0]
    why = "failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://gitlab.example.com/jwt/auth?scope=repository%3Atideline%2Fstorefront%2Fcheckout%3Apull&service=container_registry: 403 Forbidden"
    faults.image_failure(c, pod, pull_error(c, image, why), "27m", count=10)
    told = "Unable to retrieve some image pull secrets (gitlab-registry); attempting to pull the image may not succeed."
    warn(c, pod, "FailedToRetrieveImagePullSecret", told, "27m", "11s", count=118)
    name = meta(pod)["name"]
    text = (
        f"Pod {ns}/{name} has been in a non-ready state for longer than 15 minutes on cluster prod."
    )
    rule(case, "KubePodNotReady", "11m", text, namespace=ns, pod=name)
    unused_claim(c, ns, "e2e-videos", "27m")
    case.started = "27m"
    case.decoys = ["e2e-videos: a claim that waits for a first pod, as nobody uses it yet"]
    why = (
        "The pull secret gitlab-registry is not in the namespace, so the registry refuses the pull."
    )
    case.fault("image_pull", "config,deploy,certificate", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.single("pod.yaml", pod)
        out.text("events.txt", tables.events(c, ns))

    return save


def _mackerel(c: Cluster, case: Case) -> Saver:
    """The settings of the new release are in another namespace only."""
    ns = "lottery-prod"
    others = neighbours.web(c, ns, "draw-ui:2", "prize-ledger:2", **STYLE)
    work = workloads.deployment(
        c, ns, "draw-engine", f"{IMAGES}/draw-engine:5.0.0", replicas=2, age="130d", pods_age="18m", port=9000, requests="100m/256Mi", labels=named("draw-engine"),
        env_from=[{"configMapRef": {"name": "draw-engine-v5"}}],
    )  # fmt: skip
    for pod in work.pods:
        faults.config_error(c, pod, 'configmap "draw-engine-v5" not found', "18m", count=84)
    leftovers(c, others[1], "3d")
    case.question = (
        "测试环境正常，生产上 draw-engine 起不来，kubectl logs 报 waiting to start，镜像有问题？"
    )
    case.started = "18m"
    case.decoys = ["prize-ledger: a pod that was evicted three days ago was never deleted"]
    why = "draw-engine reads its environment from the config map draw-engine-v5, which does not exist."
    case.fault("missing_configmap", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        refused = f'Error from server (BadRequest): container "draw-engine" in pod "{name}" is waiting to start: CreateContainerConfigError\n'
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl logs {name} -n {ns}", refused),
            (f"kubectl describe pod {name} -n {ns}", describing.describe(c, work.pods[0])),
        ]
        out.text("终端.txt", pasted.session("[root@prod-master ~]# ", *steps))

    return save


def _mullet(c: Cluster, case: Case) -> Saver:
    """The secret exists, but not with the key that the pod asks for."""
    ns = "notify"
    neighbours.web(c, ns, "push-gateway:2", "templates", "unsubscribe:2", **STYLE)
    work = workloads.deployment(
        c, ns, "mailer", f"{IMAGES}/mailer:2.2.0", replicas=2, age="175d", pods_age="33m", port=8025, requests="50m/96Mi", labels=named("mailer"),
        env={"SMTP_HOST": "smtp.example.com", "SMTP_PASSWORD": key_ref("secret", "mailer-credentials", "SMTP_PASSWORD")},
    )  # fmt: skip
    what = f"couldn't find key SMTP_PASSWORD in Secret {ns}/mailer-credentials"
    for pod in work.pods:
        faults.config_error(c, pod, what, "33m", count=152)
    failed_job(c, ns, "bounce-report", "2d6h")
    case.question = "After the move to external-secrets nobody gets mails. mailer pods not running, secret mailer-credentials is there, I checked"
    case.started = "33m"
    case.decoys = ["job bounce-report: failed two days ago"]
    why = "The secret mailer-credentials has no key SMTP_PASSWORD, which mailer asks for."
    case.fault("missing_secret", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.listed("notify.json", "Pod,Event", ns)
        out.text("secret.txt", "$ kubectl describe secret mailer-credentials -n notify\n" + printed.secret(ns, "mailer-credentials", smtp_password=24, smtp_user=11))  # fmt: skip

    return save


BUILDERS: Json = {
    "eel": _eel, "flounder": _flounder, "mackerel": _mackerel, "mullet": _mullet,
}  # fmt: skip
