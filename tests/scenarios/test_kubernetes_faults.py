"""Whole diagnoses of saved clusters: each fault is found, with the object; what is well is not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clusters import Cluster, ago, event, node, pod, service, workload
from diagnosing import diagnose, report_of
from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import Section
from superbizagent.investigation.run import Finished

Raw = dict[str, Any]
POD = "orders-6d5f8b9c7d-aaaaa"


def orders(**more: Any) -> Raw:
    return pod(POD, app="orders", **more)


def waiting(reason: str, message: str, **more: Any) -> Raw:
    phase = more.pop("phase", "Pending")
    state = {"waiting": {"reason": reason, "message": message}}
    return orders(ready=False, phase=phase, state=state, **more)


def unschedulable(message: str, **spec: Any) -> Raw:
    raw = orders(ready=False, phase="Pending", state={}, **spec)
    raw["spec"].pop("nodeName")
    raw["status"]["containerStatuses"] = []
    raw["status"]["conditions"] = [
        {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": message,
            "lastTransitionTime": ago(20),
        }
    ]
    return raw


def claim(phase: str = "Pending", storage: str = "fast") -> Raw:
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-orders", "namespace": "shop", "creationTimestamp": ago(30)},
        "spec": {"storageClassName": storage},
        "status": {"phase": phase},
    }


def refused(message: str) -> list[Raw]:
    deployment, replicas = workload("orders", wanted=2, ready=1)
    condition = {
        "type": "ReplicaFailure",
        "status": "True",
        "reason": "FailedCreate",
        "message": message,
        "lastTransitionTime": ago(15),
    }
    deployment["status"]["conditions"] = [condition]
    replicas["status"]["conditions"] = [condition]
    return [deployment, replicas, event("ReplicaSet", "orders-6d5f8b9c7d", "FailedCreate", message)]


def stuck() -> list[Raw]:
    deployment, replicas = workload("orders", wanted=2, ready=1)
    deployment["status"]["conditions"] = [
        {
            "type": "Progressing",
            "status": "False",
            "reason": "ProgressDeadlineExceeded",
            "message": 'ReplicaSet "orders-6d5f8b9c7d" has timed out progressing.',
            "lastTransitionTime": ago(10),
        }
    ]
    return [deployment, replicas]


CRASHED = {"exitCode": 1, "reason": "Error", "finishedAt": ago(3)}
KILLED = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": ago(3)}
STOPPED = {"exitCode": 143, "reason": "Error", "finishedAt": ago(3)}
LOOP = {"phase": "Running", "restarts": 6}
BACK_OFF = "back-off 5m0s restarting failed container=app"

FAULTS: dict[str, tuple[Callable[[], list[Raw]], tuple[str, str], str]] = {
    "cpu": (
        lambda: [unschedulable("0/2 nodes are available: 2 Insufficient cpu.")],
        ("deployment", "orders"),
        "cpu",
    ),
    "memory": (
        lambda: [unschedulable("0/2 nodes are available: 2 Insufficient memory.")],
        ("deployment", "orders"),
        "memory",
    ),
    "taint": (
        lambda: [
            unschedulable("0/2 nodes are available: 2 node(s) had untolerated taint {gpu: }.")
        ],
        ("deployment", "orders"),
        "config",
    ),
    "affinity": (
        lambda: [
            unschedulable(
                "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
            )
        ],
        ("deployment", "orders"),
        "config",
    ),
    "claim": (
        lambda: [
            unschedulable(
                "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
                volumes=[{"persistentVolumeClaim": {"claimName": "data-orders"}}],
            ),
            claim(),
            event(
                "PersistentVolumeClaim",
                "data-orders",
                "ProvisioningFailed",
                'storageclass.storage.k8s.io "fast" not found',
            ),
        ],
        ("persistentvolumeclaim", "data-orders"),
        "config",
    ),
    "full storage": (
        lambda: [
            unschedulable(
                "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
                volumes=[{"persistentVolumeClaim": {"claimName": "data-orders"}}],
            ),
            claim(),
            event(
                "PersistentVolumeClaim",
                "data-orders",
                "ProvisioningFailed",
                "rpc error: code = ResourceExhausted desc = the pool has 2 GiB left",
            ),
        ],
        ("persistentvolumeclaim", "data-orders"),
        "disk",
    ),
    "image": (
        lambda: [
            waiting("ImagePullBackOff", 'Back-off pulling image "registry.example.com/orders:9"'),
            event(
                "Pod",
                POD,
                "Failed",
                'Failed to pull image "registry.example.com/orders:9": not found',
            ),
        ],
        ("deployment", "orders"),
        "deploy",
    ),
    "registry": (
        lambda: [
            waiting("ErrImagePull", "failed to pull: pull access denied, authorization failed"),
        ],
        ("deployment", "orders"),
        "config",
    ),
    "out of memory": (
        lambda: [waiting("CrashLoopBackOff", BACK_OFF, last=KILLED, **LOOP)],
        ("deployment", "orders"),
        "memory",
    ),
    "crash": (
        lambda: [waiting("CrashLoopBackOff", BACK_OFF, last=CRASHED, **LOOP)],
        ("deployment", "orders"),
        "code_error",
    ),
    "crash that tells why": (
        lambda: [
            waiting(
                "CrashLoopBackOff",
                BACK_OFF,
                last=CRASHED | {"message": "fatal: environment variable DB_URL is not set"},
                **LOOP,
            ),
        ],
        ("deployment", "orders"),
        "config",
    ),
    "dependency": (
        lambda: [
            waiting(
                "CrashLoopBackOff",
                BACK_OFF,
                last=CRASHED | {"message": "dial tcp 10.0.0.9:5432: connection refused"},
                **LOOP,
            ),
        ],
        ("deployment", "orders"),
        "dependency",
    ),
    "liveness": (
        lambda: [
            orders(restarts=4, last=STOPPED),
            event(
                "Pod",
                POD,
                "Unhealthy",
                "Liveness probe failed: HTTP probe failed with statuscode: 404",
            ),
        ],
        ("deployment", "orders"),
        "config",
    ),
    "readiness path": (
        lambda: [
            orders(ready=False),
            event(
                "Pod",
                POD,
                "Unhealthy",
                "Readiness probe failed: HTTP probe failed with statuscode: 404",
            ),
        ],
        ("deployment", "orders"),
        "config",
    ),
    "readiness": (
        lambda: [
            orders(ready=False),
            event(
                "Pod",
                POD,
                "Unhealthy",
                "Readiness probe failed: HTTP probe failed with statuscode: 503",
            ),
        ],
        ("deployment", "orders"),
        "code_error",
    ),
    "startup": (
        lambda: [
            orders(ready=False, restarts=3, last=STOPPED),
            event(
                "Pod",
                POD,
                "Unhealthy",
                "Startup probe failed: dial tcp 10.0.0.7:8080: connection refused",
            ),
        ],
        ("deployment", "orders"),
        "config",
    ),
    "config map": (
        lambda: [waiting("CreateContainerConfigError", 'configmap "orders-settings" not found')],
        ("deployment", "orders"),
        "config",
    ),
    "key of a secret": (
        lambda: [
            waiting("CreateContainerConfigError", "couldn't find key password in Secret shop/db")
        ],
        ("deployment", "orders"),
        "config",
    ),
    "service account": (
        lambda: refused(
            'pods "orders-" is forbidden: error looking up service account shop/orders:'
            ' serviceaccount "orders" not found'
        ),
        ("deployment", "orders"),
        "config",
    ),
    "quota": (
        lambda: refused(
            'pods "orders-x" is forbidden: exceeded quota: team, requested: pods=1,'
            " used: pods=9, limited: pods=9"
        ),
        ("deployment", "orders"),
        "config",
    ),
    "policy": (
        lambda: refused(
            'admission webhook "policy.example.com" denied the request: no latest tags'
        ),
        ("deployment", "orders"),
        "config",
    ),
    "selector": (
        lambda: [service("orders", selector={"app": "order"})],
        ("service", "orders"),
        "config",
    ),
    "port": (lambda: [service("orders", port=9090)], ("service", "orders"), "config"),
    "named port": (lambda: [service("orders", port="web")], ("service", "orders"), "config"),
    "node": (
        lambda: [node("node-1", ready="Unknown"), orders(ready=False)],
        ("node", "node-1"),
        "unknown",
    ),
    "disk of a node": (
        lambda: [
            node("node-1", DiskPressure="True"),
            event(
                "Node", "node-1", "EvictionThresholdMet", "Attempting to reclaim ephemeral-storage"
            ),
        ],
        ("node", "node-1"),
        "disk",
    ),
    "attach": (
        lambda: [
            orders(
                ready=False, phase="Pending", state={"waiting": {"reason": "ContainerCreating"}}
            ),
            event("Pod", POD, "FailedAttachVolume", 'Multi-Attach error for volume "pvc-1"'),
        ],
        ("deployment", "orders"),
        "config",
    ),
    "mount": (
        lambda: [
            orders(
                ready=False, phase="Pending", state={"waiting": {"reason": "ContainerCreating"}}
            ),
            event(
                "Pod",
                POD,
                "FailedMount",
                "MountVolume.SetUp failed: mount.nfs: Connection timed out",
            ),
        ],
        ("deployment", "orders"),
        "dependency",
    ),
    "damaged file system": (
        lambda: [
            orders(
                ready=False, phase="Pending", state={"waiting": {"reason": "ContainerCreating"}}
            ),
            event(
                "Pod",
                POD,
                "FailedMount",
                "MountVolume.MountDevice failed: mount: /dev/sdb: bad superblock on /dev/sdb",
            ),
        ],
        ("deployment", "orders"),
        "disk",
    ),
    "rollout": (stuck, ("deployment", "orders"), "deploy"),
}


def saved(folder: Path, cluster: Cluster, question: str = "") -> Path:
    (folder / "kubernetes").mkdir(parents=True)
    (folder / "kubernetes" / "all.json").write_text(json.dumps(cluster.listed))
    if question:
        (folder / "question.txt").write_text(question)
    return folder


def named(finished: Finished) -> tuple[tuple[str, str], str]:
    """The object and the fault that the report names; empty when it names none."""
    report = report_of(finished)
    if report.verdict not in {Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY} or not report.fault_kind:
        return ("", ""), ""
    entity = Entity.parse(report.entity)
    return (entity.kind, entity.name), report.fault_kind.value


def screen(finished: Finished) -> str:
    return "\n".join(claim.text for claim in report_of(finished).claims)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_fault_is_found_with_its_object(fault: str, language: str, tmp_path: Path) -> None:
    make, entity, kind = FAULTS[fault]
    folder = saved(tmp_path / "case", Cluster().with_(*make()))
    finished = diagnose(folder, tmp_path / "data", lang=language)
    assert named(finished) == (entity, kind)
    report = report_of(finished)
    assert report.rejected == ()
    assert all(claim.fact_ids for claim in report.section(Section.WHY))
    advice = report.section(Section.DO_NOW)
    assert all(claim.extras["risk"] and claim.extras["undo"] for claim in advice)
    commands = [claim.command for claim in report.section(Section.CHECK_NEXT)]
    assert any(command.startswith("kubectl ") for command in commands)


def test_a_cluster_that_is_well_has_no_cause(tmp_path: Path) -> None:
    finished = diagnose(saved(tmp_path / "case", Cluster()), tmp_path / "data")
    assert named(finished) == (("", ""), "")
    assert "Nothing abnormal was found" in screen(finished)
    assert report_of(finished).rejected == ()


def test_warnings_of_the_past_and_of_objects_that_recovered_are_not_blamed(tmp_path: Path) -> None:
    cluster = Cluster().with_(
        orders(restarts=2, last=CRASHED | {"finishedAt": ago(60 * 24 * 9)}),
        event("Pod", POD, "BackOff", "Back-off restarting failed container", minutes=55),
        event("Pod", POD, "Unhealthy", "Readiness probe failed: timeout", minutes=50),
        event("Pod", "gone-6d5f8b9c7d-zzzzz", "FailedScheduling", "0/2 nodes are available"),
    )
    finished = diagnose(saved(tmp_path / "case", cluster), tmp_path / "data")
    assert named(finished) == (("", ""), "")


def test_two_faults_are_both_listed(tmp_path: Path) -> None:
    broken = pod(
        "front-6d5f8b9c7d-aaaaa",
        app="front",
        ready=False,
        restarts=5,
        last=KILLED,
        state={"waiting": {"reason": "CrashLoopBackOff", "message": BACK_OFF}},
    )
    image = waiting("ImagePullBackOff", "Back-off pulling image: not found")
    finished = diagnose(saved(tmp_path / "case", Cluster().with_(broken, image)), tmp_path / "data")
    what = [claim.text for claim in report_of(finished).section(Section.WHAT)]
    assert any("front runs out of memory" in text for text in what)
    assert any("orders cannot start" in text for text in what)
    assert any(text.startswith("Also at fault: ") for text in what)
    assert report_of(finished).verdict is Verdict.ROOT_CAUSE_FOUND
    assert report_of(finished).rejected == ()


def test_a_service_whose_pods_crash_is_a_consequence(tmp_path: Path) -> None:
    crash = waiting("CrashLoopBackOff", BACK_OFF, last=KILLED, **LOOP)
    finished = diagnose(saved(tmp_path / "case", Cluster().with_(crash)), tmp_path / "data")
    assert named(finished) == (("deployment", "orders"), "memory")
    ruled_out = [c.text for c in report_of(finished).section(Section.RULED_OUT)]
    assert any("orders: what it stands on is at fault itself" in text for text in ruled_out)


def test_a_named_object_is_not_blamed_for_another_one(tmp_path: Path) -> None:
    crash = waiting("CrashLoopBackOff", BACK_OFF, last=CRASHED, **LOOP)
    folder = saved(tmp_path / "case", Cluster().with_(crash), "is front all right?")
    finished = diagnose(folder, tmp_path / "data")
    assert named(finished) == (("", ""), "")
    assert "Nothing abnormal was found at front" in screen(finished)


def test_what_a_named_object_calls_is_looked_at(tmp_path: Path) -> None:
    front = pod(
        "front-6d5f8b9c7d-aaaaa",
        app="front",
        container={"env": [{"name": "ORDERS", "value": "http://orders.shop:80"}]},
    )
    wrong = service("orders", selector={"app": "order"})
    folder = saved(tmp_path / "case", Cluster().with_(front, wrong), "why is front failing?")
    finished = diagnose(folder, tmp_path / "data")
    assert named(finished) == (("service", "orders"), "config")
    assert report_of(finished).verdict is Verdict.LIKELY


def test_an_unknown_name_gets_near_names_and_nobody_else_s_data(tmp_path: Path) -> None:
    crash = waiting("CrashLoopBackOff", BACK_OFF, last=CRASHED, **LOOP)
    folder = saved(tmp_path / "case", Cluster().with_(crash))
    finished = diagnose(folder, tmp_path / "data", services=("deployment/ordrs",))
    assert named(finished) == (("", ""), "")
    assert "No data about deployment/ordrs" in screen(finished)
    finished = diagnose(folder, tmp_path / "data", services=("ordres",))
    assert "near names: orders" in screen(finished)


def test_an_alert_names_pod_and_namespace(tmp_path: Path) -> None:
    crash = waiting("CrashLoopBackOff", BACK_OFF, last=CRASHED, **LOOP)
    twin = [
        *workload("orders", namespace="other", ready=0),
        pod("orders-6d5f8b9c7d-bbbbb", app="orders", namespace="other", ready=False),
    ]
    folder = saved(tmp_path / "case", Cluster().with_(crash, *twin))
    labels = {
        "alertname": "KubePodCrashLooping",
        "namespace": "shop",
        "pod": POD,
        "container": "app",
        "job": "kube-state-metrics",
        "severity": "warning",
    }
    alert = {"labels": labels, "annotations": {}, "status": "firing", "startsAt": ago(15)}
    (folder / "alert.json").write_text(json.dumps({"version": "4", "alerts": [alert]}))
    finished = diagnose(folder, tmp_path / "data")
    assert report_of(finished).entity == "/shop/deployment/orders"
    assert named(finished)[1] == "code_error"
    paths = {e.namespace for e in finished.diagnosis.scope.everything}
    assert paths <= {"shop", ""}


def test_saved_output_needs_no_folder_of_a_recording(tmp_path: Path) -> None:
    cluster = Cluster().with_(waiting("CreateContainerConfigError", 'secret "db" not found'))
    file = tmp_path / "all.json"
    file.write_text(json.dumps(cluster.listed))
    finished = diagnose(None, tmp_path / "data", kubernetes=str(file), bundle="why is orders down?")
    assert named(finished) == (("deployment", "orders"), "config")
    assert finished.diagnosis.scope.incident.question == "why is orders down?"


def test_names_with_shell_words_are_quoted_in_commands(tmp_path: Path) -> None:
    evil = "x; rm -rf ~"
    crash = pod(
        "p",
        app="orders",
        ready=False,
        restarts=5,
        last=CRASHED,
        namespace=evil,
        state={"waiting": {"reason": "CrashLoopBackOff", "message": BACK_OFF}},
    )
    crash["metadata"].pop("ownerReferences")
    finished = diagnose(saved(tmp_path / "case", Cluster().with_(crash)), tmp_path / "data")
    commands = [c.command for c in report_of(finished).claims if c.command]
    assert commands
    assert all(evil not in c or f"'{evil}'" in c for c in commands)
