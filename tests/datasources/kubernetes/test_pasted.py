"""What people paste: pieces, journals, boxes, sentences, and a question that says half a name."""

import json
from pathlib import Path

import pytest

from diagnosing import cause_of, diagnose
from saved_clusters import cause, named, of, readings

POD = "siphon-6b7f9d5c4d-8kd2x"
HEAD = "NAME                      READY   STATUS             RESTARTS       AGE\n"
WELL = "gauge-5d8c7b9f6d-kx7zq    1/1     Running            2 (21d ago)    60d\n"
LOOPS = f"{POD}   0/1     CrashLoopBackOff   9 (2m ago)     21m\n"
WAITS = f"{POD}   0/1     ContainerCreating  0              21m\n"
RUNS = f"{POD}   1/1     Running            0              21d\n"
KUBELET = "Nov 03 11:20:14 w1 kubelet[913]: E1103 11:20:14.471488     913 "
ENDED = (
    "    State:          Waiting\n      Reason:       CrashLoopBackOff\n"
    "    Last State:     Terminated\n      Reason:       {reason}\n      Exit Code:    {code}\n"
    "    Ready:          False\n    Restart Count:  9\n"
)
THROTTLED = "nr_periods 90210\nnr_throttled 71234\n"
TOP = "$ kubectl top pod -n pumps\nNAME   CPU(cores)   MEMORY(bytes)\n"
RESOURCES = "        resources:\n          limits:\n            cpu: 500m\n"
YAML = (
    "  containerStatuses:\n  - lastState:\n      terminated:\n        exitCode: 137\n"
    "        reason: OOMKilled\n    name: main\n    ready: false\n    restartCount: 9\n"
    "    state:\n      waiting:\n        message: back-off 5m0s restarting failed container=main"
    f" pod={POD}_pumps(7f80)\n        reason: CrashLoopBackOff\n"
)


def events(kind: str, reason: str, message: str) -> str:
    return (
        "LAST SEEN   TYPE      REASON   OBJECT   MESSAGE\n"
        f"2m          Warning   {reason}   {kind}   {message}\n"
    )


@pytest.mark.parametrize(
    ("text", "entity", "kind"),
    [
        (
            (
                f'{KUBELET}pod_workers.go:1298] "Error syncing pod, skipping" err="failed to'
                ' \\"StartContainer\\" for \\"main\\" with CrashLoopBackOff: \\"back-off 5m0s\\""'
                f' pod="pumps/{POD}"\n'
            ),
            "siphon",
            "code_error",
        ),
        (
            (
                f'{KUBELET}pod_workers.go:182] Error syncing pod c8 ("{POD}_pumps(cc89ef7c-bc47)"),'
                ' skipping: failed to "StartContainer" for "main" with ImagePullBackOff: "Back-off'
                ' pulling image"\n'
            ),
            "siphon",
            "deploy",
        ),
        (
            (
                f"{KUBELET}nestedpendingoperations.go:348] Failed. Error: MountVolume.SetUp"
                f' failed for volume "conf" pod "{POD}" (UID: "7f") : configmap "flow" not found\n'
            ),
            "siphon",
            "config",
        ),
        (
            f"{HEAD}{LOOPS}\nMemory cgroup out of memory: Killed process 41 (main) total-vm:9kB\n",
            "siphon",
            "memory",
        ),
        (YAML, "siphon", "memory"),
        (f"{HEAD}{LOOPS}{WELL}\n{ENDED.format(reason='OOMKilled', code=137)}", "siphon", "memory"),
        (
            (
                f"$ kubectl -n pumps describe po {POD} | grep -A4 State\n"
                f"{ENDED.format(reason='OOMKilled', code=137)}"
            ),
            "siphon",
            "memory",
        ),
        (
            f"$ kubectl describe po {POD}\n{ENDED.format(reason='Error', code=127)}",
            "siphon",
            "config",
        ),
        (
            (
                f"| NAME | READY | STATUS | RESTARTS | AGE |\n|---|---|---|---|---|\n"
                f"| {POD} | 0/1 | ImagePullBackOff | 0 | 21m |\n"
            ),
            "siphon",
            "deploy",
        ),
        (
            (
                f"┌─────┬───┐\n│ NAME │ READY │ STATUS │ RESTARTS │ AGE │\n├─────┼───┤\n"
                f"│ {POD} │ 0/1 │ ImagePullBackOff │ 0 │ 21m │\n└─────┴───┘\n"
            ),
            "siphon",
            "deploy",
        ),
        (f"NAME,READY,STATUS,RESTARTS,AGE\n{POD},0/1,ImagePullBackOff,0,21m\n", "siphon", "deploy"),
        (
            f"Hi,\n\n> {HEAD}> {LOOPS.replace('CrashLoop', 'ImagePull')}\nthanks\n",
            "siphon",
            "deploy",
        ),
        (f"群里说 {POD} 一直 ImagePullBackOff，麻烦看看\n", "siphon", "deploy"),
        (
            (
                f"{HEAD}{POD}   0/1   OOMKilled   0   19s\n{POD}   1/1   Running   1   20s\n"
                f"{POD}   0/1     CrashLoopBackOff   1 (3s ago)   34s\n"
            ),
            "siphon",
            "memory",
        ),
        (
            "w1     Ready      <none>   90d   v1.29.4\nw2     NotReady   <none>   90d   v1.29.4\n",
            "w2",
            "unknown",
        ),
        (events("node/w2", "NodeNotReady", "Node w2 status is now: NodeNotReady"), "w2", "unknown"),
        (
            (
                "$ kubectl describe node w2 | grep -A5 Conditions\nConditions:\n"
                "  Type           Status  Reason\n  ----           ------  ------\n"
                "  DiskPressure   True    KubeletHasDiskPressure\n"
            ),
            "w2",
            "disk",
        ),
        (
            events(
                "replicaset/siphon-6b7f9d5c4d",
                "FailedCreate",
                'Error creating: pods "siphon-x" is forbidden: exceeded quota: team',
            ),
            "siphon",
            "config",
        ),
        (
            f"$ kubectl -n pumps exec {POD} -- cat /sys/fs/cgroup/cpu/cpu.stat\n{THROTTLED}",
            "siphon",
            "cpu",
        ),
        (
            (
                f"{TOP}{POD}   499m   121Mi\n"
                f"$ kubectl -n pumps get deploy siphon -o yaml | grep -A6 resources\n{RESOURCES}"
            ),
            "siphon",
            "cpu",
        ),
        (
            (
                f"{TOP}{POD}   499m   121Mi\n"
                "$ kubectl -n pumps get deploy siphon -o jsonpath='{..resources}'\n"
                '{"limits":{"cpu":"500m"}}\n'
            ),
            "siphon",
            "cpu",
        ),
        (
            (
                f"{HEAD}{POD}   0/1     Init:0/1   0   37m\n$ kubectl logs {POD} -c wait\n"
                "nc: bad address 'basin'\n"
            ),
            "siphon",
            "dependency",
        ),
        (
            (
                f"{HEAD}{POD}   0/1     ContainerStatusUnknown   1   19m\n$ kubectl get nodes\n"
                "NAME   STATUS     ROLES    AGE   VERSION\nw1     NotReady   <none>   90d   v1.29\n"
            ),
            "w1",
            "unknown",
        ),
        (
            (
                f"Name:           {POD}\nNamespace:      pumps\n"
                "Start Time:     Mon, 03 Nov 2025 10:00:00 +0000\nStatus:         Failed\n"
                "Reason:         Evicted\nMessage:        The node was low on resource: memory.\n"
            ),
            "siphon",
            "memory",
        ),
    ],
)
def test_what_is_pasted_tells_object_and_kind(
    tmp_path: Path, text: str, entity: str, kind: str
) -> None:
    assert cause(tmp_path, "what is wrong?", a_txt=text) == (entity, kind)


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}{RUNS}{WELL}",
        f"{HEAD}{POD}   1/1     Running            1 (2m ago)     9d\n",
        # The row stands below no heading.
        f"{HEAD}{POD}      1/1     Running   0     2d\n{WELL}",
        f"We had {POD} in CrashLoopBackOff yesterday.\n\n{HEAD}{RUNS}",
        (
            f"{HEAD}{RUNS}\n$ kubectl get deploy siphon -o yaml | grep -A6 resources\n{RESOURCES}"
            f"$ kubectl top pod\nNAME   CPU(cores)   MEMORY(bytes)\n{POD}   49m   121Mi\n"
        ),
        (
            f"{HEAD}{RUNS}\n$ kubectl describe deploy siphon | tail -3\nEvents:\n"
            "  Type    Reason             Age   From         Message\n"
            "  ----    ------             ----  ----         -------\n"
            "  Normal  ScalingReplicaSet  9m    deployment   Scaled up replica set to 1\n"
        ),
        "w1     Ready      <none>   90d   v1.29.4\n" + HEAD + RUNS,
    ],
    ids=["rows", "one restart", "misaligned", "spoken of", "below its limit", "torn", "bare node"],
)
def test_what_is_well_is_not_named(tmp_path: Path, text: str) -> None:
    assert cause(tmp_path, "all good?", a_txt=text) == ("", "")


# Whom a question or an alert is about ------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["siphon-0 hangs", "helm install plant-siphon hangs", "the ordr-servise is down, why?"],
    ids=["end of a name", "begin of a name", "no name at all"],
)
def test_half_a_name_is_enough(tmp_path: Path, question: str) -> None:
    table = f"{HEAD}plant-siphon-0   0/1   ImagePullBackOff   0   16m\n{WELL}"
    assert cause(tmp_path, question, a_txt=table) == ("plant-siphon", "deploy")


def alert(**labels: str) -> str:
    own = {"alertname": "KubeContainerWaiting", "severity": "warning", **labels}
    fired = {"status": "firing", "labels": own, "startsAt": "2026-01-31T09:32:56Z"}
    return json.dumps({"version": "4", "status": "firing", "alerts": [fired]})


@pytest.mark.parametrize(
    "pod", [POD, "siphon-7c9f8d6b5c-zz2p4"], ids=["that was seen", "that is gone"]
)
def test_an_alert_tells_where_tables_are_from_though_nodes_have_events(
    tmp_path: Path, pod: str
) -> None:
    saved = tmp_path / "saved"
    saved.mkdir()
    nodes = events("node/w1", "Rebooted", "Node w1 has been rebooted")
    found = of(saved, a_txt=HEAD + LOOPS.replace("CrashLoop", "ImagePull"), b_txt=nodes)
    assert named(found, "deployment", "siphon")
    (tmp_path / "alert.json").write_text(alert(namespace="pumps", pod=pod), encoding="utf-8")
    done = diagnose(
        None, tmp_path / "data", kubernetes=str(saved), alert=str(tmp_path / "alert.json")
    )
    assert cause_of(done) == ("siphon", "deploy")
    assert done.diagnosis.checked.report.entity == "/pumps/deployment/siphon"


def test_a_log_that_names_a_service_elsewhere_leads_there(tmp_path: Path) -> None:
    text = (
        "$ kubectl get po -n edge\nNAME   READY   STATUS    RESTARTS   AGE\n"
        "edge-proxy-5d8c7b9f6d-kx7zq   1/1     Running   0          9d\n"
        "$ kubectl logs -n edge edge-proxy-5d8c7b9f6d-kx7zq\n"
        'W0810 controller.go:1216] Service "pumps/valve" does not have any active Endpoint.\n'
        "$ kubectl get po -n pumps --show-labels\n"
        "NAME                     READY   STATUS    RESTARTS   AGE   LABELS\n"
        "valve-6b7f9d5c4d-8kd2x   1/1     Running   0          58m   part=valve\n"
        "$ kubectl describe svc valve\nName:              valve\nNamespace:         pumps\n"
        "Selector:          app=valve\nType:              ClusterIP\nTargetPort:        8080/TCP\n"
        "Endpoints:\nSession Affinity:  None\n"
    )
    assert cause(tmp_path, "edge-proxy answers 503", a_txt=text) == ("valve", "config")


def test_an_independent_fault_elsewhere_is_told_behind_what_was_named(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    saved.mkdir()
    rows = f"pumps       {LOOPS}mills       grist-6b7f9d5c4d-zz2k4   0/1   ErrImagePull   0   4m\n"
    of(saved, a_txt=f"NAMESPACE   {HEAD}{rows}")
    done = diagnose(None, tmp_path / "data", kubernetes=str(saved), question="siphon is down")
    assert cause_of(done) == ("siphon", "code_error")
    ranked = [c.entity for c in done.diagnosis.analysis.candidates if c.score > 0]
    assert ranked == ["/pumps/deployment/siphon", "/mills/deployment/grist"]


def test_a_file_is_named_after_what_it_describes(tmp_path: Path) -> None:
    torn = (
        "Events:\n  Type     Reason            Age   From       Message\n"
        "  Warning  FailedScheduling  31s   scheduler  "
        "0/6 nodes are available: 6 Insufficient cpu.\n"
    )
    told = readings(of(tmp_path, **{"describe-pod-siphon-0_txt": torn}), "pod", "siphon-0")
    assert told["blocked_by"] == "cpu"


def test_single_rows_of_a_description_are_of_what_the_command_asked_for(tmp_path: Path) -> None:
    body = (
        f"$ kubectl describe pod {POD} -n pumps | grep Warn\n"
        "  Warning  FailedScheduling  50s (x7 over 5m)  default-scheduler  "
        "0/3 nodes are available: 3 Insufficient cpu.\n"
    )
    assert readings(of(tmp_path, a_txt=body), "pod", POD)["blocked_by"] == "cpu"


def test_one_word_of_a_jsonpath_says_how_a_container_ended(tmp_path: Path) -> None:
    path = "{..lastState.terminated.reason}"
    body = f"{HEAD}{LOOPS}\n$ kubectl get pod {POD} -o jsonpath='{path}'\nOOMKilled\n"
    assert readings(of(tmp_path, a_txt=body), "pod", POD)["last_terminated"] == "OOMKilled"
