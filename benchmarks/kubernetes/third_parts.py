"""What the third set of saved clusters brought: decoys, init containers, stuck rollouts, jobs."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes import faults, workloads
from benchmarks.kubernetes.cluster import Workload
from benchmarks.kubernetes.objects import Json, condition, container, meta, seconds

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster

STYLE: Json = {"label": "component", "registry": "cr.example.com/platform"}


def named(name: str) -> Json:
    """Return the labels of a workload."""
    return {"component": name, "managed-by": "helm"}


def warn(c: Cluster, item: Json, reason: str, text: str, *span: str, **how: Any) -> None:
    """Add a warning; `span` is the age of its first and of its last time."""
    c.event(item, reason, text, warning=True, first=span[0], last=span[-1], **how)


def repaired_image(c: Cluster, namespace: str, name: str) -> Workload:
    """Add a workload whose wrong image tag was corrected half an hour ago, with loud events."""
    image = f"cr.example.com/platform/{name}"
    work = workloads.deployment(
        c, namespace, name, f"{image}:5.2.2", replicas=2, age="130d", pods_age="36m", port=3000,
        requests="100m/128Mi", labels=named(name),
    )  # fmt: skip
    gone = faults.predecessor(c, work.pods[0])
    pull = f'Failed to pull image "{image}:5.22": failed to pull and unpack image "{image}:5.22": failed to resolve reference "{image}:5.22": {image}:5.22: not found'
    for reason, text, count in (
        ("Failed", pull, 9),
        ("Failed", "Error: ErrImagePull", 9),
        ("Failed", "Error: ImagePullBackOff", 84),
    ):
        warn(c, gone, reason, text, "58m", "37m", count=count, path=name)
    return work


def old_kills(c: Cluster, pod: Json, ago: str = "9h") -> None:
    """Give a pod that runs well now many kills for memory, the last one long ago."""
    faults.restarted(c, pod, 137, "OOMKilled", ago, ran="40m", restarts=17)


def leftovers(c: Cluster, work: Workload, *ages: str) -> None:
    """Leave pods behind that were evicted days ago; nobody has deleted them."""
    owned = work.sets[0]
    for ago in ages:
        gone = workloads.pod_of(c, owned, f"{seconds(ago) + 7200}s", c.setting.nodes[0])
        told = (
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 88416Ki. "
        )
        faults.evicted(c, gone, told, ago)


def failed_job(c: Cluster, namespace: str, name: str, ago: str) -> Json:
    """Add a job that failed long ago; returns its pod."""
    pod = workloads.finished_job(c, namespace, name, ago)
    job = c.get("Job", meta(pod)["labels"]["job-name"])
    done = job["status"].pop("completionTime")
    told = "Job has reached the specified backoff limit"
    row = condition("Failed", "True", done, "BackoffLimitExceeded", told)
    job["status"] |= {"succeeded": 0, "failed": 1, "conditions": [row]}
    pod["status"]["phase"] = "Failed"
    for box in pod["status"]["containerStatuses"]:
        box["state"]["terminated"] |= {"exitCode": 1, "reason": "Error"}
    return pod


def blind_scaler(c: Cluster, namespace: str, pod: Json) -> None:
    """Add an autoscaler that never could read its metric, and says so all the time."""
    box = pod["spec"]["containers"][0]["name"]
    scaler = c.add(
        "HorizontalPodAutoscaler", box, "60d", namespace=namespace,
        spec={"maxReplicas": 5, "minReplicas": 1},
    )  # fmt: skip
    why = f"failed to get cpu utilization: missing request for cpu in container sidecar of Pod {meta(pod)['name']}"
    how: Json = {"by": "horizontal-pod-autoscaler", "count": 231}
    warn(c, scaler, "FailedGetResourceMetric", why, "58m", "9s", **how)
    told = f"invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {why}"
    warn(c, scaler, "FailedComputeMetricsReplicas", told, "58m", "9s", **how)


def flapped_node(c: Cluster, name: str) -> None:
    """Let a node have been away for three minutes, most of an hour ago."""
    node = c.get("Node", name)
    c.event(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady", last="55m")
    c.event(node, "NodeReady", f"Node {name} status is now: NodeReady", last="52m")
    for row in node["status"]["conditions"]:
        row["lastTransitionTime"] = c.at("52m")
    for pod in c.of("Pod"):
        if pod["spec"].get("nodeName") == name and meta(pod)["creationTimestamp"] < c.at("1h"):
            warn(c, pod, "NodeNotReady", "Node is not ready", "55m", by="node-controller")


def rollout(c: Cluster, work: Workload, image: str, count: int, age: str) -> Workload:
    """Start a rollout to another image; returns the new replica set with its pods."""
    about = meta(work.top)
    revision = int(about["annotations"]["deployment.kubernetes.io/revision"]) + 1
    about["annotations"]["deployment.kubernetes.io/revision"] = str(revision)
    about["generation"] = revision
    spec = work.top["spec"]["template"]["spec"]
    spec["containers"][0]["image"] = image
    fresh = Workload(work.top, [])
    workloads.replica_set(c, fresh, count, age, spec)
    return fresh


def waiting_job(c: Cluster, namespace: str, cron: str, age: str, **options: Any) -> list[Json]:
    """Add a cron job with one job and its pod; returns the three."""
    code = int(c.ago(age).timestamp()) // 60
    labels = {"batch.kubernetes.io/job-name": f"{cron}-{code}", "job-name": f"{cron}-{code}"}
    box = container(cron, f"cr.example.com/jobs/{cron}:3.1", **options)
    spec: Json = {
        "containers": [box], "dnsPolicy": "ClusterFirst", "restartPolicy": "Never",
        "schedulerName": "default-scheduler", "serviceAccountName": "default",
    }  # fmt: skip
    top = c.add(
        "CronJob", cron, "200d", namespace=namespace,
        spec={"concurrencyPolicy": "Forbid", "schedule": options["schedule"], "suspend": False,
              "jobTemplate": {"spec": {"template": {"spec": spec}}}},
        status={"active": [{"kind": "Job", "name": f"{cron}-{code}", "namespace": namespace}],
                "lastScheduleTime": c.at(age)},
    )  # fmt: skip
    job = c.add(
        "Job", f"{cron}-{code}", age, namespace=namespace, labels=labels, owner=top, generation=1,
        spec={"backoffLimit": 6, "completions": 1, "parallelism": 1,
              "template": {"metadata": {"labels": labels}, "spec": spec}},
        status={"active": 1, "ready": 0, "startTime": c.at(age)},
    )  # fmt: skip
    name = f"{cron}-{code}-{c.suffix()}"
    pod = workloads.add_pod(c, job, name, spec, namespace=namespace, labels=labels, age=age)
    c.event(job, "SuccessfulCreate", f"Created pod: {name}", last=age, by="job-controller")
    return [top, job, pod]


def crashing_init(c: Cluster, work: Workload, box: Json, code: int, **how: Any) -> None:
    """Give every pod an init container that ends with an error; `restarts`, `since`, `ended`."""
    for holder in (work.top, *work.sets):
        holder["spec"]["template"]["spec"]["initContainers"] = [box]
    for pod in work.pods:
        pod["spec"]["initContainers"] = [box]
        _never_initialised(c, pod, box, code, how)


def _never_initialised(c: Cluster, pod: Json, box: Json, code: int, how: Json) -> None:
    about, status, since = meta(pod), pod["status"], how["since"]
    for row in status["containerStatuses"]:
        faults.waiting(c, pod, "PodInitializing", "", since=since, box=row["name"])
        row["state"]["waiting"].pop("message")
    for row in status["conditions"]:
        if row["type"] == "Initialized":
            told = f"containers with incomplete status: [{box['name']}]"
            row |= {"status": "False", "reason": "ContainersNotInitialized", "message": told}
    where = f"{about['name']}_{about['namespace']}({about['uid']})"
    text = f"back-off 5m0s restarting failed container={box['name']} pod={where}"
    row: Json = {
        "containerID": f"containerd://{c.rng.getrandbits(256):064x}",
        "image": box["image"], "imageID": "", "name": box["name"], "ready": False,
        "restartCount": how["restarts"], "started": False,
        "state": {"waiting": {"message": text, "reason": "CrashLoopBackOff"}},
    }  # fmt: skip
    began = f"{seconds(how['ended']) + 4}s"
    row["lastState"] = faults.ended(c, row, (code, "Error"), began, how["ended"])
    status["initContainerStatuses"] = [row]
    faults.scheduled(c, pod)
    told = f"Back-off restarting failed container {box['name']} in pod {where}"
    many: Json = {"first": since, "count": how["restarts"] + 1, "path": box["name"]}
    for event in (
        c.event(pod, "Created", faults.created(c, box["name"]), last=began, **many),
        c.event(pod, "Started", f"Started container {box['name']}", last=began, **many),
        c.event(pod, "BackOff", told, warning=True, last="11s", **{**many, "count": 71}),
    ):
        event["involvedObject"]["fieldPath"] = f"spec.initContainers{{{box['name']}}}"


def moved(c: Cluster, pod: Json, age: str, node: str = "") -> None:
    """Make a pod as young as `age`, on another node; the event of its placing is left to others."""
    faults.reborn(c, pod, age, node)
    c.events = [
        e
        for e in c.events
        if e["reason"] != "Scheduled" or e["involvedObject"]["uid"] != meta(pod)["uid"]
    ]
