"""Fifth set: images, settings and secrets that a pod does not get."""

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
from benchmarks.kubernetes.fifth_parts import (
    IMAGES,
    STYLE,
    idle_pending,
    mount_trouble,
    named,
    rule,
)
from benchmarks.kubernetes.fourth_parts import cleared, old_crashes, pull_error, unused_claim
from benchmarks.kubernetes.objects import Json, http_probe, meta, volume
from benchmarks.kubernetes.third_parts import failed_job, leftovers, moved, rollout

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _cornet(c: Cluster, case: Case) -> Saver:
    """Docker Hub has had enough of this cluster's anonymous pulls."""
    ns = "quizapp"
    others = neighbours.web(c, ns, "leaderboard:2", "questions:3", **STYLE)
    image = "docker.io/library/redis:7.4.1-alpine"
    work = workloads.deployment(
        c, ns, "session-cache", image, replicas=1, age="64d", pods_age="16m", port=6379, requests="50m/128Mi", labels=named("session-cache"), revision=3,
    )  # fmt: skip
    digest = f"{c.rng.getrandbits(256):064x}"
    error = (
        f'failed to pull and unpack image "{image}": failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/redis/manifests/sha256:{digest}:'
        " 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit"
    )
    pod = work.pods[0]
    faults.image_failure(c, pod, error, "16m", count=7)
    front = others[0].pods[0]
    c.log(front, "\n".join(f"{c.ago(ago):%H:%M:%S} WARN  session store unreachable, falling back to memory" for ago in ("4m", "2m", "20s")))  # fmt: skip
    old_crashes(c, others[1].pods[0], 6, "3d")
    case.question = "leaderboard logs 'session store unreachable' since this node rotation, is leaderboard buggy? Players get logged out"
    case.started = "16m"
    case.decoys = ["questions: 6 restarts, the last one three days ago"]
    why = "Docker Hub answers the pull of redis with 429, so session-cache has no pod that runs."
    case.fault("image_pull", "dependency,config,traffic", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(front)["name"]
        steps = [
            (f"kubectl -n {ns} get pods", tables.pods(c, ns, wide=False)),
            (f"kubectl -n {ns} logs --prefix {name}", printed.prefixed(front, "leaderboard", c.logs[ns, name, "leaderboard", False])),
            (f"kubectl -n {ns} describe pod {meta(pod)['name']} | sed -n '/Events/,$p'", printed.last_events(c, pod)),
        ]  # fmt: skip
        out.text("notes.txt", pasted.session("tomas@laptop:~$ ", *steps))

    return save


def _cymbal(c: Cluster, case: Case) -> Saver:
    """New nodes do not know the authority that signed the registry's certificate."""
    ns = "mes-line3"
    others = neighbours.web(c, ns, "andon:2", "plc-bridge", "quality-gate:2", **STYLE)
    image = "harbor.example.com/live/torque-log:5.0.1"
    work = workloads.deployment(
        c, ns, "torque-log", image, replicas=2, age="140d", pods_age="30d", port=9100, requests="100m/128Mi", labels=named("torque-log"),
    )  # fmt: skip
    node, pod = c.get("Node", c.setting.nodes[-1]), work.pods[0]
    cleared(c, meta(node)["name"])
    moved(c, pod, "41m", meta(node)["name"])
    meta(node)["creationTimestamp"] = c.at("2h")
    for row in node["status"]["conditions"]:
        row["lastTransitionTime"] = c.at("2h")
    why = 'failed to do request: Head "https://harbor.example.com/v2/live/torque-log/manifests/5.0.1": tls: failed to verify certificate: x509: certificate signed by unknown authority'
    faults.image_failure(c, pod, pull_error(c, image, why), "41m", count=12)
    failed_job(c, ns, "shift-report", "15h")
    idle_pending(c, ns, "vision-demo", "40d")
    case.question = "harbor 证书上周换过，今天换了台新机器，torque-log 有一个副本 ImagePullBackOff，另一个副本正常，镜像在 harbor 上能看到"
    case.started = "41m"
    case.decoys = [
        "job shift-report: failed 15 hours ago",
        "vision-demo: has waited for a node with a label for 40 days",
        "andon: 17 restarts, the last one six days ago",
    ]
    old_crashes(c, others[0].pods[0], 17, "6d")
    why = "The new node of the pod does not trust the authority that signed the certificate of harbor.example.com."
    case.fault("image_pull", "certificate,config", why, work.top, pod, work.sets[0], node)

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get pod -n {ns} -o wide", tables.pods(c, ns)),
            ("kubectl get node", tables.nodes(c)),
            (f"kubectl describe pod {meta(pod)['name']} -n {ns}", describing.describe(c, pod)),
        ]
        out.text("粘贴.txt", pasted.taken(c, steps, "root@mes-master"))

    return save


def _dulcimer(c: Cluster, case: Case) -> Saver:
    """An image for another processor; and a key that is not in a config map."""
    ns = "weather-edge"
    neighbours.web(c, ns, "tiles:2", "stations:2", **STYLE)
    image = f"{IMAGES}/nowcast:0.9.0"
    work = workloads.deployment(
        c, ns, "nowcast", f"{IMAGES}/nowcast:0.8.7", replicas=2, age="99d", pods_age="30d", port=8080, requests="500m/512Mi", labels=named("nowcast"), revision=12,
    )  # fmt: skip
    fresh = rollout(c, work, image, 1, "47m")
    code = "rpc error: code = NotFound desc = " if c.minor < 30 else ""
    error = f'{code}failed to pull and unpack image "{image}": no match for platform in manifest: not found'
    faults.image_failure(c, fresh.pods[0], error, "47m", count=13)
    radar = workloads.deployment(
        c, ns, "radar-sync", f"{IMAGES}/radar-sync:1.3", replicas=1, age="300d", pods_age="33m", requests="50m/64Mi", labels=named("radar-sync"),
        volumes=[{"name": "settings", "configMap": {"defaultMode": 420, "name": "radar-sync", "items": [{"key": "sources.yaml", "path": "sources.yaml"}]}}],
        mounts={"settings": "/etc/radar"},
    )  # fmt: skip
    settings = c.add("ConfigMap", "radar-sync", "300d", namespace=ns)
    settings["data"] = {"sources.yml": "- url: https://radar.example.com/composite\n"}
    missing = "configmap references non-existent config key: sources.yaml"
    mount_trouble(c, radar.pods[0], "settings", missing, "33m")
    case.question = "nowcast 0.9.0 was built on my MacBook because CI is down. Works locally. On the cluster: ImagePullBackOff"
    case.started = "47m"
    why = "The image nowcast:0.9.0 holds no manifest for the platform of the nodes."
    case.fault("image_pull", "deploy,config", why, work.top, fresh.pods[0], fresh.sets[0])
    why = "The config map radar-sync has no key sources.yaml, which the pod mounts."
    case.fault(
        "missing_configmap", "config,deploy", why, radar.top, *radar.pods, settings, radar.sets[0]
    )

    def save(out: Folder) -> None:
        out.listed("dump.json", "Pod,Deployment,ConfigMap,Event", ns)
        out.text("get-pods.txt", tables.pods(c, ns, wide=False))

    return save


def _fife(c: Cluster, case: Case) -> Saver:
    """The secret with the certificate was never made in this namespace."""
    ns = "gridops-staging"
    others = neighbours.web(
        c, ns, "meters:2", "dispatch-ui", "forecasting:2", age="90d", pods_age="28d", **STYLE
    )
    work = workloads.deployment(
        c, ns, "scada-gateway", f"{IMAGES}/scada-gateway:3.3.0", replicas=2, age="28m", revision=1, port=8443, requests="100m/128Mi",
        labels=named("scada-gateway"), volumes=[volume("certs", "secret", "scada-gateway-tls")], mounts={"certs": "/tls"}, readiness=http_probe("/ready", 8443),
    )  # fmt: skip
    for pod in work.pods:
        mount_trouble(c, pod, "certs", 'secret "scada-gateway-tls" not found', "28m")
        name = meta(pod)["name"]
        text = f"Pod {ns}/{name} has been in a non-ready state for longer than 15 minutes on cluster staging."
        rule(case, "KubePodNotReady", "12m", text, namespace=ns, pod=name, cluster="staging")
    unused_claim(c, ns, "historian-tmp", "12d")
    leftovers(c, others[2], "6d", "6d3h")
    case.started = "28m"
    case.decoys = [
        "historian-tmp: a claim that waits for a first pod, as nobody uses it",
        "forecasting: two pods that were evicted six days ago were never deleted",
    ]
    why = "scada-gateway mounts the secret scada-gateway-tls, which does not exist."
    case.fault(
        "missing_secret", "config,deploy,certificate", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        out.text("pods.txt", "$ kubectl get pods\n" + tables.pods(c, ns, wide=False))
        out.text("describe.txt", describing.describe(c, *work.pods))

    return save


BUILDERS: Json = {"cornet": _cornet, "cymbal": _cymbal, "dulcimer": _dulcimer, "fife": _fife}
