"""Fourth set: pods for which there is no place, or which may not be made."""

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
    cleared,
    control_plane,
    forgotten_pod,
    named,
    old_crashes,
    unplaced,
)
from benchmarks.kubernetes.objects import Json, http_probe, meta
from benchmarks.kubernetes.third_parts import failed_job, rollout, warn

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _mica(c: Cluster, case: Case) -> Saver:
    """Two workloads wait, one for processors and one for memory."""
    ns = "build-farm"
    neighbours.system(c, network="calico-node")
    neighbours.web(c, ns, "scheduler:2", "cache-proxy:4", requests="700m/2Gi", limits="1/3Gi", **STYLE)  # fmt: skip
    runner = workloads.deployment(
        c, ns, "runner-large", "reg.example.com/prod/runner:2.317", replicas=2, age="61d", pods_age="25m", requests="3500m/4Gi", labels=named("runner-large"),
    )  # fmt: skip
    index = workloads.deployment(
        c, ns, "artifact-index", "reg.example.com/prod/artifact-index:1.4", age="42m", revision=1, requests="500m/14Gi", labels=named("artifact-index"),
    )  # fmt: skip
    control_plane(c)
    total = len(c.setting.nodes)
    help_ = f"1 Preemption is not helpful for scheduling, {total - 1} No preemption victims found for incoming pod"
    taint = "1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }"
    for pod in runner.pods:
        told = unplaced(c, f"{taint}, {total - 1} Insufficient cpu", help_)
        faults.unscheduled(c, pod, told, count=6, last="4m12s")
    told = unplaced(c, f"{taint}, {total - 1} Insufficient memory", help_)
    faults.unscheduled(c, index.pods[0], told, count=9, last="1m55s")
    forgotten_pod(c, "default", "nginx-test", "67d")
    case.question = "CI jobs are all queued. runner-large has been Pending for 25 min, nodes look idle in Grafana (cpu 20%)"
    case.started = "25m"
    case.decoys = ["nginx-test: somebody's pod, ended with an error 67 days ago"]
    why = (
        "The pods of runner-large ask for 3500m of processor, and no node has so much unrequested."
    )
    case.fault("pending_cpu", "cpu,config", why, runner.top, *runner.pods, runner.sets[0])
    why = "The pod of artifact-index asks for 14Gi of memory, and no node has so much unrequested."
    case.fault("pending_memory", "memory,config", why, index.top, *index.pods, index.sets[0])

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get pods -A | grep -v Running", pasted.kept(tables.pods(c, wide=False), without=("Running",))),
            (f"kubectl describe pod -n {ns} {meta(runner.pods[0])['name']} | tail -4", printed.last_events(c, runner.pods[0])),
            (f"kubectl get events -n {ns} --field-selector type=Warning", pasted.kept(tables.events(c, ns), "Warning", head=True)),
        ]  # fmt: skip
        steps += [
            (f"kubectl describe node {meta(n)['name']}", describing.describe(c, n))
            for n in c.of("Node")[1:3]
        ]
        out.text("thread.txt", pasted.session("$ ", *steps))

    return save


def _onyx(c: Cluster, case: Case) -> Saver:
    """The only node with a card has a taint, and the pod does not tolerate it."""
    ns = "defect-detect"
    neighbours.web(c, ns, "camera-gw:2", "labeling", **STYLE)
    work = workloads.deployment(
        c, ns, "trainer", "reg.example.com/prod/trainer:2026.7", age="52m", revision=1, requests="2/8Gi", limits="2/8Gi", labels=named("trainer"),
    )  # fmt: skip
    for holder in (work.top["spec"]["template"], work.sets[0]["spec"]["template"], work.pods[0]):
        for row in holder["spec"]["containers"][0]["resources"].values():
            row["nvidia.com/gpu"] = "1"
    node = c.get("Node", c.setting.nodes[-1])
    node["spec"]["taints"] = [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}]
    for key in ("capacity", "allocatable"):
        node["status"][key]["nvidia.com/gpu"] = "2"
    rest = len(c.setting.nodes) - 1
    why = f"1 node(s) had untolerated taint {{nvidia.com/gpu: present}}, {rest} Insufficient nvidia.com/gpu"
    help_ = f"1 Preemption is not helpful for scheduling, {rest} No preemption victims found for incoming pod"
    faults.unscheduled(c, work.pods[0], unplaced(c, why, help_), count=11, last="38s")
    failed_job(c, ns, "dataset-sync", "3d2h")
    cleared(c, c.setting.nodes[-1])
    case.question = "训练任务 trainer 一直 Pending，GPU 节点明明是空闲的，两张卡都没人用"
    case.started = "52m"
    case.decoys = ["job dataset-sync: failed three days ago"]
    why = f"The only node with graphics cards, {c.setting.nodes[-1]}, has the taint nvidia.com/gpu=present, which trainer does not tolerate."
    case.fault("pending_taint", "config", why, work.top, *work.pods, work.sets[0], node)

    def save(out: Folder) -> None:
        out.describe("trainer-describe.txt", *work.pods)
        out.text("nodes-taints.txt", printed.node_taints(c))
        out.describe("gpu-node.txt", node)
        out.text("pods.txt", tables.pods(c, ns))

    return save


def _opal(c: Cluster, case: Case) -> Saver:
    """A chart asks for a volume of the default class, and there is none."""
    ns = "bi"
    neighbours.web(c, ns, "exports", age="140d", **STYLE)
    work = workloads.stateful_set(
        c, ns, "metabase-postgresql", "docker.io/bitnami/postgresql:16.3.0", age="16m", claim="8Gi", requests="250m/256Mi",
        labels={"app.kubernetes.io/instance": "metabase", "app.kubernetes.io/name": "postgresql"}, mounts={"data": "/bitnami/postgresql"},
    )  # fmt: skip
    claim, pod = c.get("PersistentVolumeClaim", "data-metabase-postgresql-0"), work.pods[0]
    c.items.remove(c.get("PersistentVolume", claim["spec"].pop("volumeName")))
    meta(claim).pop("annotations")
    claim["spec"]["storageClassName"] = ""
    claim["status"] = {"phase": "Pending"}
    told = "no persistent volumes available for this claim and no storage class is set"
    c.event(claim, "FailedBinding", told, first="16m", last="14s", count=63, by="persistentvolume-controller")  # fmt: skip
    help_ = f"{len(c.setting.nodes)} Preemption is not helpful for scheduling"
    why = "pod has unbound immediate PersistentVolumeClaims"
    faults.unscheduled(c, pod, unplaced(c, why, help_), count=4, last="47s")
    case.question = "helm install metabase hangs, postgresql-0 is Pending. Nodes have plenty of disk. what am I missing"
    case.started = "16m"
    why = "The claim data-metabase-postgresql-0 names no storage class, and the cluster has no default one."
    case.fault("pending_pvc", "config,disk", why, claim, work.top, pod)

    def save(out: Folder) -> None:
        steps = [
            (f"helm install metabase ./metabase -n {ns} --wait --timeout 10m", "Error: INSTALLATION FAILED: context deadline exceeded"),
            (f"kubectl get pods,pvc -n {ns}", tables.pods(c, ns, wide=False, prefix="pod/") + "\n" + tables.table(c, "PersistentVolumeClaim", ns, prefix="persistentvolumeclaim/")),
            (f"kubectl describe pvc -n {ns}", describing.describe(c, claim)),
            ("kubectl get sc", "No resources found"),
            (f"kubectl get events -n {ns} --sort-by=.metadata.creationTimestamp", tables.events(c, ns)),
        ]  # fmt: skip
        out.text("metabase.txt", pasted.session("➜ ", *steps))

    return save


def _pumice(c: Cluster, case: Case) -> Saver:
    """The quota of a test namespace is used up before the last two pods are made."""
    ns = "qa-7"
    others = neighbours.web(c, ns, "gateway:2", "orders-mock", "users-mock", requests="500m/512Mi", limits="1/1Gi", **STYLE)  # fmt: skip
    work = workloads.deployment(
        c, ns, "load-driver", "reg.example.com/prod/load-driver:0.19", replicas=4, age="34m", revision=1, requests="500m/512Mi", limits="1/1Gi",
        labels=named("load-driver"),
    )  # fmt: skip
    lost = work.pods[2:]
    names = [meta(p)["name"] for p in lost]
    faults.never_made(c, *lost)
    del work.pods[2:]
    more = "requested: limits.cpu=1,requests.cpu=500m, used: limits.cpu=6,requests.cpu=3, limited: limits.cpu=6,requests.cpu=3"
    told = f'pods "{names[0]}" is forbidden: exceeded quota: qa-compute, {more}'
    faults.refused(c, work, told, "34m", 4)
    text = f'(combined from similar events): Error creating: pods "{names[1]}" is forbidden: exceeded quota: qa-compute, {more}'
    warn(c, work.sets[0], "FailedCreate", text, "33m", "2m44s", count=13, by="replicaset-controller")  # fmt: skip
    hard = {"limits.cpu": "6", "limits.memory": "12Gi", "pods": "20", "requests.cpu": "3", "requests.memory": "8Gi"}  # fmt: skip
    used = {"limits.cpu": "6", "limits.memory": "6Gi", "pods": "6", "requests.cpu": "3", "requests.memory": "3Gi"}  # fmt: skip
    quota = c.add("ResourceQuota", "qa-compute", "320d", namespace=ns, spec={"hard": hard}, status={"hard": hard, "used": used})  # fmt: skip
    old_crashes(c, others[1].pods[0], 31, "2d3h")
    case.started = "34m"
    case.decoys = ["orders-mock: 31 restarts, the last one two days ago"]
    told = f"Deployment {ns}/load-driver has not matched the expected number of replicas for longer than 15 minutes on cluster qa."
    case.alert("KubeDeploymentReplicasMismatch", "18m", told, namespace=ns, deployment="load-driver", job="kube-state-metrics", cluster="qa")  # fmt: skip
    why = "The quota qa-compute allows 3 processors of requests and 6 of limits, which are used up, so two pods of load-driver are not made."
    case.fault("quota_exceeded", "config,cpu", why, work.top, quota, work.sets[0])

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl get all -n {ns}", out.everything(ns)),
            (f"kubectl describe deploy load-driver -n {ns}", describing.describe(c, work.top)),
            (f"kubectl get events -n {ns}", tables.events(c, ns)),
            (f"kubectl describe quota -n {ns}", describing.describe(c, quota)),
        ]
        out.text("qa-7.txt", pasted.session("qa@runner-3:~$ ", *steps))

    return save


def _ruby(c: Cluster, case: Case) -> Saver:
    """The namespace now allows restricted pods only; the old pods run on."""
    ns = "telehealth"
    neighbours.web(c, ns, "appointments:2", "video-signal:2", **STYLE)
    work = workloads.deployment(
        c, ns, "triage-api", "reg.example.com/prod/triage-api:1.58.0", replicas=3, age="365d", pods_age="14d", port=8080, requests="200m/256Mi",
        labels=named("triage-api"), rolling={"maxSurge": 1, "maxUnavailable": 0}, revision=87, readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    fresh = rollout(c, work, "reg.example.com/prod/triage-api:1.59.0", 1, "24m")
    name = meta(fresh.pods[0])["name"]
    faults.never_made(c, *fresh.pods)
    broken = (
        'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "triage-api" must set securityContext.allowPrivilegeEscalation=false),'
        ' unrestricted capabilities (container "triage-api" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "triage-api"'
        ' must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "triage-api" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
    )
    faults.refused(c, fresh, f'pods "{name}" is forbidden: {broken}', "24m", 16)
    faults.stalled(c, work.top, fresh.sets[0], "14m")
    abandoned(c, ns, "fhir-bridge-poc", "64d")
    case.question = "Pipeline for triage-api 1.59.0 failed with a helm timeout, users still see 1.58. Is the registry or the cluster slow?"
    case.started = "24m"
    case.decoys = ["fhir-bridge-poc: its image has been gone for 64 days, nobody uses it"]
    why = "The rollout of triage-api stands still: the namespace enforces the restricted pod security standard, which its pods violate."
    case.fault("deploy_stuck_rollout", "config,deploy", why, work.top, fresh.sets[0])

    def save(out: Folder) -> None:
        job = (
            f"$ helm upgrade --install triage-api ./chart -n {ns} --set image.tag=1.59.0 --wait --timeout 10m\n"
            "Error: UPGRADE FAILED: context deadline exceeded\nERROR: Job failed: exit code 1\n"
        )
        out.text("pipeline-88121.log", job)
        out.describe("describe-deploy.txt", work.top)
        out.text("events.txt", tables.events(c, ns))
        out.text("pods.txt", tables.pods(c, ns))

    return save


BUILDERS: Json = {
    "mica": _mica, "onyx": _onyx, "opal": _opal, "pumice": _pumice, "ruby": _ruby,
}  # fmt: skip
