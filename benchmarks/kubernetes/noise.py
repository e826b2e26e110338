"""Harmless events and old restarts that are strewn over every case, other ones in each set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, neighbours
from benchmarks.kubernetes.objects import Json, meta
from benchmarks.kubernetes.reading import is_ready

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def sprinkle(c: Cluster, half: str, spared: set[str]) -> None:
    """Give up to three healthy pods something harmless; `spared` names what is at fault."""
    pods = [
        pod
        for pod in c.of("Pod")
        if is_ready(pod)
        and meta(pod)["creationTimestamp"] < c.at("1h")
        and meta(pod)["namespace"] != "kube-system"
        and not pod["status"]["containerStatuses"][0]["restartCount"]
        and not any(meta(pod)["name"].startswith(name) for name in spared)
    ]
    kinds = KINDS[half]
    chosen = c.rng.sample(pods, min(3, len(pods)))
    for pod, kind in zip(chosen, c.rng.sample(kinds, len(chosen)), strict=True):
        kind(c, pod)
    if len(pods) > 3 and c.rng.random() < 0.5:
        rest = [pod for pod in pods if pod not in chosen]
        neighbours.old_restart(c, c.rng.choice(rest), f"{2 + c.rng.randrange(9)}d")


def _ago(c: Cluster, least: int = 15) -> str:
    return f"{least + c.rng.randrange(57 - least)}m"


def _owner(c: Cluster, pod: Json) -> Json:
    """Return the controller of a pod, the deployment above a replica set."""
    ref = meta(pod)["ownerReferences"][0]
    found = c.get(ref["kind"], ref["name"])
    up = meta(found).get("ownerReferences")
    return c.get(up[0]["kind"], up[0]["name"]) if up else found


def _slow_start(c: Cluster, pod: Json) -> None:
    neighbours.stale_readiness(c, pod, _ago(c, 30))


def _leader(c: Cluster, pod: Json) -> None:
    about, name = meta(pod), meta(pod)["name"].rsplit("-", 2)[0]
    lease = c.add("Lease", f"{name}-leader", "30d", namespace=about["namespace"])
    text = f"{about['name']}_{c.uid()} became leader"
    c.event(lease, "LeaderElection", text, last=_ago(c), by=name)


def _rescaled(c: Cluster, pod: Json) -> None:
    text = "New size: 2; reason: All metrics below target"
    name = meta(_owner(c, pod))["name"]
    scaler = c.add("HorizontalPodAutoscaler", name, "30d", namespace=meta(pod)["namespace"])
    c.event(scaler, "SuccessfulRescale", text, last=_ago(c), by="horizontal-pod-autoscaler")


def _one_timeout(c: Cluster, pod: Json) -> None:
    url = f"http://{pod['status']['podIP']}:8080/live"
    text = (
        f'Get "{url}": net/http: request canceled (Client.Timeout exceeded while awaiting headers)'
    )
    faults.probe_failure(c, pod, "Liveness", text, last=_ago(c, 20))


def _stale_write(c: Cluster, pod: Json) -> None:
    about, name = meta(pod), meta(_owner(c, pod))["name"]
    fronts = [s for s in c.of("Service", about["namespace"]) if meta(s)["name"] == name]
    text = (
        f"Failed to update endpoint {about['namespace']}/{name}: Operation cannot be fulfilled on"
        f' endpoints "{name}": the object has been modified; please apply your changes to the'
        " latest version and try again"
    )
    for front in fronts:
        how: Json = {"warning": True, "by": "endpoint-controller"}
        c.event(front, "FailedToUpdateEndpoint", text, last=_ago(c), **how)


def _cache_miss(c: Cluster, pod: Json) -> None:
    name = pod["spec"]["volumes"][-1]["name"]
    text = (
        f'MountVolume.SetUp failed for volume "{name}" : failed to sync configmap cache: timed out'
        " waiting for the condition"
    )
    c.event(pod, "FailedMount", text, warning=True, last=_ago(c, 25))


def _replaced(c: Cluster, pod: Json) -> None:
    gone = faults.predecessor(c, pod)
    box = pod["spec"]["containers"][0]["name"]
    c.event(gone, "Killing", f"Stopping container {box}", last=_ago(c), path=box)


def _audited(c: Cluster, pod: Json) -> None:
    """A policy that only reports finds fault with a pod that runs well."""
    text = (
        "policy require-requests-limits/validate-resources fail: validation error: CPU and memory"
        " resource requests and limits are required. rule validate-resources failed at path"
        " /spec/containers/0/resources/limits/cpu/"
    )
    c.event(pod, "PolicyViolation", text, last=_ago(c), warning=True, by="kyverno-scan")


def _old_pull_secret(c: Cluster, pod: Json) -> None:
    text = (
        "Unable to retrieve some image pull secrets (regcred-old); attempting to pull the image may"
        " not succeed."
    )
    how: Json = {"first": "58m", "last": f"{3 + c.rng.randrange(6)}m", "count": 12}
    c.event(pod, "FailedToRetrieveImagePullSecret", text, warning=True, **how)


def _sandbox(c: Cluster, pod: Json) -> None:
    if meta(pod)["ownerReferences"][0]["kind"] != "ReplicaSet":
        return
    gone = faults.predecessor(c, pod)
    text = "Pod sandbox changed, it will be killed and re-created."
    c.event(gone, "SandboxChanged", text, last=_ago(c, 20))


def _late_start(c: Cluster, pod: Json) -> None:
    if meta(pod)["ownerReferences"][0]["kind"] != "ReplicaSet":
        return
    gone = faults.predecessor(c, pod)
    text = "HTTP probe failed with statuscode: 503"
    faults.probe_failure(c, gone, "Startup", text, first="54m", last="53m", count=3)


def _no_budget(c: Cluster, pod: Json) -> None:
    name = meta(_owner(c, pod))["name"]
    budget = c.add("PodDisruptionBudget", f"{name}-old", "200d", namespace=meta(pod)["namespace"])
    how: Json = {"first": "58m", "last": "40s", "count": 712, "by": "controllermanager"}
    c.event(budget, "NoPods", "No matching pods found", **how)


def _former(node: str) -> str:
    """Return the name of a node that the cluster once had, like those that it has."""
    head, dot, rest = node.partition(".ec2")
    found = re.sub(r"\d+(?=\D*$)", lambda m: str(int(m[0]) + 41).zfill(len(m[0])), head)
    return f"{found}{dot}{rest}"


def _gone_node(c: Cluster, pod: Json) -> None:
    """A slice of a service still named a node that the autoscaler had taken away."""
    about, name = meta(pod), meta(_owner(c, pod))["name"]
    fronts = [s for s in c.of("Service", about["namespace"]) if meta(s)["name"] == name]
    text = f"Error updating Endpoint Slices for Service {about['namespace']}/{name}: "
    text += f'node "{_former(c.setting.nodes[0])}" not found'
    for front in fronts:
        how: Json = {"warning": True, "by": "endpoint-slice-controller"}
        c.event(front, "FailedToUpdateEndpointSlices", text, last=_ago(c), **how)


def _unready_metrics(c: Cluster, pod: Json) -> None:
    name = meta(_owner(c, pod))["name"]
    scaler = c.add("HorizontalPodAutoscaler", name, "90d", namespace=meta(pod)["namespace"])
    text = (
        "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be"
        " unready)"
    )
    how: Json = {"warning": True, "by": "horizontal-pod-autoscaler", "count": 4}
    c.event(scaler, "FailedGetResourceMetric", text, first="58m", last=_ago(c, 20), **how)


def _late_exec(c: Cluster, pod: Json) -> None:
    box = pod["spec"]["containers"][0]["name"]
    text = (
        "Readiness probe errored: rpc error: code = DeadlineExceeded desc = failed to exec in"
        " container: timeout 1s exceeded: context deadline exceeded"
    )
    c.event(pod, "Unhealthy", text, last=_ago(c, 20), warning=True, path=box)


def _late_end(c: Cluster, pod: Json) -> None:
    gone = faults.predecessor(c, pod)
    text = "Container runtime did not kill the pod within specified grace period."
    c.event(gone, "ExceededGracePeriod", text, warning=True, last=_ago(c, 20))


def _redirected(c: Cluster, pod: Json) -> None:
    box = pod["spec"]["containers"][0]["name"]
    text = "Readiness probe warning: Probe terminated redirects, Response body: "
    how: Json = {"first": "58m", "last": f"{1 + c.rng.randrange(5)}s", "count": 348, "path": box}
    c.event(pod, "ProbeWarning", text, warning=True, **how)


def _scaled_down(c: Cluster, pod: Json) -> None:
    """The autoscaler took away the node of a pod of an earlier revision."""
    gone = faults.predecessor(c, pod)
    text = "deleting pod for node scale down"
    c.event(gone, "ScaleDown", text, last=_ago(c, 20), by="cluster-autoscaler")


def _unregistered(c: Cluster, pod: Json) -> None:
    """The kubelet looks at the volumes of a pod that it has already forgotten."""
    gone = faults.predecessor(c, pod)
    name, space = pod["spec"]["volumes"][-1]["name"], meta(pod)["namespace"]
    text = f'MountVolume.SetUp failed for volume "{name}" : object "{space}"/"kube-root-ca.crt" not registered'  # noqa: E501
    c.event(gone, "FailedMount", text, warning=True, first="48m", last="47m", count=4)


DEV = [_slow_start, _leader, _rescaled, neighbours.dns_noise]
HELD_OUT = [_one_timeout, _stale_write, _cache_miss, _replaced]
THIRD = [_audited, _old_pull_secret, _sandbox, _late_start]
FOURTH = [_no_budget, _gone_node, _unready_metrics, _late_exec]


def _odd_keys(c: Cluster, pod: Json) -> None:
    about = meta(pod)
    text = (
        f"Keys [1st-contact, sso.issuer] from the EnvFrom secret {about['namespace']}/shared-env"
        " were skipped since they are considered invalid environment variable names."
    )
    how: Json = {"warning": True, "last": _ago(c, 20)}
    c.event(pod, "InvalidEnvironmentVariableNames", text, **how)


def _no_zones(c: Cluster, pod: Json) -> None:
    about, name = meta(pod), meta(_owner(c, pod))["name"]
    fronts = [s for s in c.of("Service", about["namespace"]) if meta(s)["name"] == name]
    text = (
        "Insufficient Node information: allocatable CPU or zone not specified on one or more"
        " nodes, addressType: IPv4"
    )
    for front in fronts:
        how: Json = {"warning": True, "by": "endpoint-slice-controller"}
        c.event(front, "TopologyAwareHintsDisabled", text, last=_ago(c), **how)


def _kept_after_all(c: Cluster, pod: Json) -> None:
    about = meta(pod)
    text = f"Cancelling deletion of Pod {about['namespace']}/{about['name']}"
    c.event(pod, "TaintManagerEviction", text, last=_ago(c, 20), by="taint-eviction-controller")


def _hook_failed(c: Cluster, pod: Json) -> None:
    """The hook of a pod that was on its way out anyhow came to nothing."""
    gone = faults.predecessor(c, pod)
    box = pod["spec"]["containers"][0]["name"]
    c.event(gone, "FailedPreStopHook", "PreStopHook failed", warning=True, last=_ago(c), path=box)


FIFTH = [_late_end, _redirected, _scaled_down, _unregistered]
SIXTH = [_odd_keys, _no_zones, _kept_after_all, _hook_failed]
KINDS = {
    "dev": DEV,
    "held_out": HELD_OUT,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
}
