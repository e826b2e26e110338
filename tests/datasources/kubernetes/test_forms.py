"""Forms in which people save what they saw: screens, notes, tables of their own, pieces."""

from pathlib import Path

import pytest

from saved_clusters import named, of, readings

HEAD = "NAME                        READY   STATUS             RESTARTS        AGE\n"
RED, PLAIN = "\x1b[31m", "\x1b[0m"
ROW = "mural-6b7f9d5c4d-8kd2x      0/1     ImagePullBackOff   0               14m\n"


# Screens and notes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    ["$ ", "[root@m1 ~]# ", "➜  infra git:(main) ✗ ", "❯ ", "PS C:\\ops> ", "ann@box:~/k8s% ", "+ ",
     "(blue:atelier) ~ » ", "λ "],
)  # fmt: skip
@pytest.mark.parametrize("tool", ["kubectl", "oc", "k", "sudo k3s kubectl"])
def test_commands_are_found_behind_any_prompt(tmp_path: Path, prompt: str, tool: str) -> None:
    found = of(tmp_path, screen_txt=f"{prompt}{tool} -n atelier get po\n{HEAD}{ROW}")
    assert named(found, "pod", "mural-6b7f9d5c4d-8kd2x").part_of == "/atelier/deployment/mural"


def test_a_prompt_or_a_switch_tells_the_namespace(tmp_path: Path) -> None:
    body = f"(blue:atelier) ~ » k get po\n{HEAD}{ROW}$ kubens annex\n$ k get po\n{HEAD}"
    body += ROW.replace("mural", "fresco")
    paths = {o.entity.path for o in of(tmp_path, screen_txt=body).objects}
    assert {"/atelier/deployment/mural", "/annex/deployment/fresco"} <= paths


@pytest.mark.parametrize(
    "written",
    [
        f"\x1b[1m{HEAD}\x1b[0m{ROW.replace('Image', RED + 'Image').replace('Off', 'Off' + PLAIN)}",
        (HEAD + ROW).replace("\n", "\r\n"),
        "> " + (HEAD + ROW).strip().replace("\n", "\n> ") + "\n",
        f"Seen at noon:\n\n```console\n{HEAD}{ROW}```\n",
        f"- first\n\n  ~~~\n  {HEAD}  {ROW}  ~~~\n",
        f"look:\n```{HEAD}{ROW.strip()}```\nany idea?\n",
        ROW,
    ],
    ids=["colours", "windows", "quoted", "fenced", "in a list", "in a chat", "no heading"],
)
def test_what_surrounds_a_table_is_not_in_its_way(tmp_path: Path, written: str) -> None:
    found = of(tmp_path, note_md=written)
    told = readings(found, "pod", "mural-6b7f9d5c4d-8kd2x")
    assert told["waiting"] == "ImagePullBackOff"


def test_what_powershell_writes_is_text(tmp_path: Path) -> None:
    found = of(tmp_path, out_txt=(HEAD + ROW).replace("\n", "\r\n").encode("utf-16"))
    assert named(found, "pod", "mural-6b7f9d5c4d-8kd2x")


def test_a_command_in_the_words_of_a_note_tells_of_the_block_below(tmp_path: Path) -> None:
    note = f"`kubectl get po -n atelier` 的输出：\n\n```\n{HEAD}{ROW}```\n"
    assert named(of(tmp_path, note_md=note), "pod", "mural-6b7f9d5c4d-8kd2x").entity.namespace == (
        "atelier"
    )


def test_one_text_may_hold_every_sort(tmp_path: Path) -> None:
    body = (
        f"{HEAD}{ROW}\n"
        "Name:              mural\nNamespace:         atelier\nSelector:          app=mural\n"
        "Type:              ClusterIP\nTargetPort:        8080/TCP\nEndpoints:         <none>\n"
        "Session Affinity:  None\nEvents:            <none>\n\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: paints\n  namespace: atelier\n"
        'deployment "mural" is waiting\nerror: deployment "mural" exceeded its progress deadline\n'
    )
    found = of(tmp_path, all_txt=body)
    assert readings(found, "service", "mural")["no_endpoints"] == 0.0
    assert readings(found, "deployment", "mural")["rollout_stuck"]
    assert {look.kind for look in found.looks} >= {"configmaps", "pods", "services"}


# Tables ------------------------------------------------------------------------------------------


def test_columns_of_somebody_s_own_are_understood_by_what_they_hold(tmp_path: Path) -> None:
    table = (
        "POD                      CONTAINERS   RESTARTS   LAST_STATE   EXIT_CODE   MEM_LIMIT\n"
        "kiln-6b7f9d5c4d-8kd2x    fire,flue    7,0        OOMKilled    137         96Mi,32Mi\n"
    )
    found = of(tmp_path, own_txt=table)
    item = named(found, "pod", "kiln-6b7f9d5c4d-8kd2x")
    ended = next(r for r in item.readings if r.name == "last_terminated")
    assert (ended.value, ended.part) == ("OOMKilled", "fire")
    assert next(r.value for r in item.readings if r.name == "limit_memory") == 96 * 2**20


def test_two_tables_of_one_pod_say_a_piece_each(tmp_path: Path) -> None:
    first = "NAME     READY   STATUS    RESTARTS   AGE\nkiln-0   1/1     Running   4          3d\n"
    second = "NAME     LAST         EXIT\nkiln-0   OOMKilled    137\n"
    told = readings(of(tmp_path, a_txt=first, b_txt=second), "pod", "kiln-0")
    assert (told["last_terminated"], told["restarts"]) == ("OOMKilled", 4.0)


def test_taints_in_a_column_are_those_of_nodes(tmp_path: Path) -> None:
    table = "NAME   TAINTS\nn-1    [map[effect:NoSchedule key:pool value:glass]]\n"
    assert readings(of(tmp_path, t_txt=table), "node", "n-1")["taint"] == "pool=glass:NoSchedule"


@pytest.mark.parametrize(
    "table",
    [
        (
            "LAST SEEN   TYPE      REASON        OBJECT      MESSAGE\n"
            "9s          Warning   FailedMount   Pod/urn-0   no such share\n"
        ),
        (
            "LAST SEEN   TYPE      REASON        OBJECT      SUBOBJECT   SOURCE       "
            "MESSAGE   FIRST SEEN   COUNT   NAME\n"
            "9s          Warning   FailedMount   pod/urn-0               kubelet, a   "
            "no such   9s           1       urn-0.1\n"
        ),
        (
            "WHEN                   WHY           WHO     COUNT   MSG\n"
            "2026-03-04T11:00:00Z   FailedMount   urn-0   4       no such share\n"
        ),
        "9s   Warning   FailedMount   pod/urn-0   no such share\n",
    ],
    ids=["kubectl events", "wide", "own columns", "no heading"],
)
def test_events_are_read_in_any_columns(tmp_path: Path, table: str) -> None:
    told = readings(of(tmp_path, ev_txt=table), "pod", "urn-0")
    assert str(told["event.FailedMount"]).startswith("no such")


# Pieces ------------------------------------------------------------------------------------------


def test_the_end_of_a_description_is_of_the_pod_that_its_messages_name(tmp_path: Path) -> None:
    piece = (
        "QoS Class:                   Burstable\nNode-Selectors:              <none>\nEvents:\n"
        "  Type     Reason       Age   From               Message\n"
        "  ----     ------       ----  ----               -------\n"
        "  Normal   Scheduled    9m    scheduler          "
        "Successfully assigned clay/urn-x7kd2 to a\n"
        '  Warning  FailedMount  9s    kubelet            configmap "glaze" not found\n'
    )
    rows = "".join(
        f"urn-{drawn}   0/1     ContainerCreating   0          9m\n" for drawn in ("x7kd2", "b4zq9")
    )
    table = f"NAME        READY   STATUS              RESTARTS   AGE\n{rows}"
    found = of(tmp_path, piece_txt=piece, pods_txt=table)
    item = named(found, "pod", "urn-x7kd2")
    assert item.part_of == "/clay/daemonset/urn"
    assert any(r.name == "event.FailedMount" for r in item.readings)


def test_events_without_a_pod_are_of_the_only_one_that_is_not_well(tmp_path: Path) -> None:
    piece = (
        "Events:\n  Type     Reason            Age   From       Message\n"
        "  Warning  FailedScheduling  31s   scheduler  "
        "0/6 nodes are available: 6 Insufficient cpu.\n"
    )
    table = "NAME    READY   STATUS    RESTARTS   AGE\nurn-0   0/1     Pending   0          9m\n"
    table += "vat-0   1/1     Running   0          9m\n"
    found = of(tmp_path, piece_txt=piece, pods_txt=table)
    assert readings(found, "pod", "urn-0")["blocked_by"] == "cpu"


def test_a_command_tells_of_what_a_torn_off_description_is(tmp_path: Path) -> None:
    body = (
        "$ kubectl -n clay describe pod urn-0 | tail -4\nEvents:\n"
        "  Type     Reason   Age   From     Message\n  ----     ------   ----  ----     -------\n"
        "  Warning  BackOff  9s    kubelet  Back-off restarting failed container\n"
    )
    assert "event.BackOff" in readings(of(tmp_path, piece_txt=body), "pod", "urn-0")


def test_the_kernel_s_counters_are_those_of_the_pod_that_was_entered(tmp_path: Path) -> None:
    body = (
        "$ kubectl exec -n clay urn-0 -- cat /sys/fs/cgroup/cpu.stat\nusage_usec 9\n"
        "nr_periods 9000\nnr_throttled 4500\nthrottled_usec 7\n$ kubectl get po -n clay\n"
        "NAME    READY   STATUS    RESTARTS   AGE\nurn-0   1/1     Running   0          3d\n"
    )
    assert readings(of(tmp_path, stat_txt=body), "pod", "urn-0")["throttled"] == 0.5


def test_a_log_is_given_to_the_pod_whose_maker_its_file_is_named_after(tmp_path: Path) -> None:
    table = "NAME    READY   STATUS    RESTARTS   AGE\nurn-0   0/1     Running   0          3d\n"
    table += "vat-0   0/1     Running   0          3d\n"
    found = of(tmp_path, pods_txt=table, **{"03-urn-c-main-previous_log": "fatal: no glaze\n"})
    assert readings(found, "pod", "urn-0")["previous_log"] == "fatal: no glaze"
