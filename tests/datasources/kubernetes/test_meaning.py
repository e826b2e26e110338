"""What saved output means: whose fault it is, of which sort, and what is only old noise."""

from pathlib import Path

import pytest

from saved_clusters import cause, named, of, readings
from superbizagent.datasources.kubernetes.names import maker_of
from superbizagent.datasources.kubernetes.places import namespaces_of
from superbizagent.datasources.kubernetes.placing import blocked_by
from superbizagent.domain.cluster import Reading


def pods(*rows: str) -> str:
    return "NAME   READY   STATUS   RESTARTS   AGE\n" + "\n".join(rows) + "\n"


def events(name: str, reason: str, message: str) -> str:
    return (
        f"LAST SEEN   TYPE      REASON      OBJECT      MESSAGE\n"
        f"19s         Warning   {reason}   pod/{name}   {message}\n"
    )


WAITS = "tiller-6b7f9d5c4d-8kd2x   0/1   ContainerCreating   0   14m"
CRASHES = "tiller-6b7f9d5c4d-8kd2x   0/1   CrashLoopBackOff   6 (40s ago)   14m"
PULLS = "tiller-6b7f9d5c4d-8kd2x   0/1   ImagePullBackOff   0   14m"
POD = "tiller-6b7f9d5c4d-8kd2x"


@pytest.mark.parametrize(
    ("row", "reason", "message", "kind"),
    [
        (PULLS, "Failed", "Failed to pull image: toomanyrequests: rate limit", "dependency"),
        (PULLS, "Failed", "Failed to pull image: x509: unknown authority", "certificate"),
        (PULLS, "Failed", "Failed to pull image: insufficient_scope", "config"),
        (PULLS, "Failed", "Failed to pull image: not found", "deploy"),
        (WAITS, "FailedMount", "references non-existent secret key: cert.pem", "config"),
        (WAITS, "FailedMount", 'failed to fetch token: serviceaccounts "farm" not found', "config"),
        (WAITS, "FailedMount", "mount.nfs: Connection timed out", "dependency"),
        (WAITS, "FailedAttachVolume", "rpc error: code = NotFound desc = disk d-9", "disk"),
        (WAITS, "FailedAttachVolume", "Multi-Attach error for volume", "config"),
        (WAITS, "FailedAttachVolume", "expected device to be attached but was detaching", "disk"),
        (WAITS, "FailedAttachVolume", "timed out waiting for external-attacher", "disk"),
        (WAITS, "FailedAttachVolume", "PermissionDenied: not allowed to attach", "config"),
        (WAITS, "FailedMount", "mount: can't read superblock on /dev/sdq", "disk"),
        (PULLS, "Failed", "Failed to pull image: tls: failed to verify certificate", "certificate"),
        (PULLS, "Failed", "Failed to pull image: TLS handshake timeout", "dependency"),
    ],
)  # fmt: skip
def test_the_kind_of_fault_follows_from_the_message(
    tmp_path: Path, row: str, reason: str, message: str, kind: str
) -> None:
    found = cause(tmp_path, "tiller?", p_txt=pods(row), e_txt=events(POD, reason, message))
    assert found == ("tiller", kind)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("FATAL tls: certificate has expired", "certificate"),
        ("panic: write /data: no space left on device", "disk"),
        ("Error: getaddrinfo EAI_AGAIN soil", "dependency"),
        ("KeyError: 'SOIL_URL'", "config"),
        ('nginx: [emerg] host not found in upstream "soil" in /etc/nginx/soil.conf:3', "config"),
        ("WRONGPASS invalid username-password pair", "config"),
        ("dial: tls: failed to verify certificate: x509: unknown authority", "certificate"),
        ("Segmentation fault", "code_error"),
        ("yaml: line 8: did not find expected key", "config"),
        ("1 validation error for Settings: soil_url field required", "config"),
        ('FATAL: database "soil" does not exist', "config"),
        ("remote error: tls: unknown certificate authority", "certificate"),
        ("open /data/soil: read-only file system", "disk"),
        ("java.net.SocketTimeoutException: connect timed out", "dependency"),
        ("java.lang.OutOfMemoryError: Java heap space", "memory"),
    ],
)
def test_a_log_says_why_a_container_ends(tmp_path: Path, line: str, kind: str) -> None:
    session = f"$ kubectl -n farm logs {POD} -p\n{line}\n$ kubectl -n farm get po\n{pods(CRASHES)}"
    assert cause(tmp_path, "is tiller broken?", s_txt=session) == ("tiller", kind)


def test_an_unready_pod_whose_log_misses_a_host_lacks_a_dependency(tmp_path: Path) -> None:
    log = f"$ kubectl -n farm logs {POD}\nerror: lookup soil-db: no such host\n"
    table = pods(f"{POD}   0/1   Running   0   14m")
    assert cause(tmp_path, "tiller?", s_txt=f"{log}$ kubectl -n farm get po\n{table}") == (
        "tiller",
        "dependency",
    )


def test_pods_evicted_for_their_own_writing_are_short_of_disk(tmp_path: Path) -> None:
    rows = [f"{POD}   0/1   Evicted   0   9m", "tiller-6b7f9d5c4d-9kd2x   1/1   Running   0   2m"]
    said = "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi."
    found = cause(tmp_path, "tiller?", p_txt=pods(*rows), e_txt=events(POD, "Evicted", said))
    assert found == ("tiller", "disk")


def test_a_victim_is_not_blamed_for_what_is_broken_beside_it(tmp_path: Path) -> None:
    rows = ["stall-6b7f9d5c4d-8kd2x   1/1   Running   0   9d", CRASHES]
    log = f"$ kubectl -n farm logs {POD}\npanic: index out of range\n$ kubectl -n farm get po\n"
    for question in ("is stall broken?", "stall 报错了"):
        folder = tmp_path / str(len(question))
        folder.mkdir()
        assert cause(folder, question, s_txt=log + pods(*rows))[0] == "tiller"


def test_old_noise_is_no_incident(tmp_path: Path) -> None:
    rows = [
        "hay-6b7f9d5c4d-8kd2x   1/1   Running   17 (9h ago)   9d",
        "hay-6b7f9d5c4d-9kd2x   0/1   Evicted   0   6d",
        "bale-29683924-9kd2x    0/1   Error     0   2d",
    ]
    old = events("hay-7777777777-9kd2x", "BackOff", "Back-off restarting").replace("19s", "44m")
    assert cause(tmp_path, "anything wrong?", p_txt=pods(*rows), e_txt=old) == ("", "")


def test_refused_by_a_rule_of_the_cluster(tmp_path: Path) -> None:
    log = (
        "2026-01-05T10:00:01.5Z + kubectl apply -n farm -f tiller.yaml\n"
        '2026-01-05T10:00:02.5Z Error from server: error when creating "tiller.yaml": admission'
        ' webhook "rules.example.com" denied the request: deployments.apps "tiller" is forbidden\n'
    )
    assert cause(tmp_path, "tiller?", job_log=log) == ("tiller", "config")


# Single rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (("0/4 nodes are available: 1 Insufficient cpu, 3 Insufficient memory. preemption: 0/4"
         " nodes are available: 4 Insufficient cpu."), "memory"),
        ("0/4 nodes are available: 3 node(s) had untolerated taint {a: b}, 1 Insufficient cpu.",
         "cpu"),
        (("0/2 nodes are available: 1 node(s) had untolerated taint"
         " {node-role.kubernetes.io/control-plane: }, 1 node(s) didn't match pod topology spread"
         " constraints."), "placement"),
        ("0/2 nodes are available: 2 node(s) had taint {a: b}, that the pod didn't tolerate.",
         "taint"),
        ("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "volume"),
        (("0/2 nodes are available: 2 node(s) had untolerated taint"
         " {node.kubernetes.io/unreachable: }."), "node"),
    ],
)  # fmt: skip
def test_what_keeps_most_nodes_away_is_what_blocks(message: str, kind: str) -> None:
    reading = Reading(name="event.FailedScheduling", value=message, quote=message)
    assert [r.value for r in blocked_by(reading)] == [kind]


@pytest.mark.parametrize(
    ("pod", "others", "maker"),
    [
        ("silo-6b7f9d5c4d-8kd2x", (), "Deployment/silo"),
        ("silo-29590680-8kd2x", (), "CronJob/silo"),
        ("silo-8kd2x", ("silo-9kd2x",), "DaemonSet/silo"),
        ("silo-8kd2x", (), ""),
        ("silo-2", (), "StatefulSet/silo"),
        ("silo", (), ""),
    ],
)
def test_a_name_tells_what_made_a_pod(pod: str, others: tuple[str, ...], maker: str) -> None:
    assert maker_of(pod, (pod, *others)) == maker


@pytest.mark.parametrize(
    ("question", "spaces"),
    [
        ("look at namespace orchard", ("orchard",)),
        ("orchard 命名空间正常吗", ("orchard",)),
        ("why is it slow in the namespace?", ()),
    ],
)
def test_a_question_tells_a_namespace(question: str, spaces: tuple[str, ...]) -> None:
    assert namespaces_of((), question) == spaces


def test_a_service_is_held_against_templates_where_no_pod_was_seen(tmp_path: Path) -> None:
    service = (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: loft\n  namespace: farm\nspec:\n"
        "  selector:\n    app: loft\n  ports:\n  - port: 80\n    targetPort: 9001\n"
    )
    maker = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: loft\n  namespace: farm\n"
        "spec:\n  template:\n    metadata:\n      labels:\n        app: loft\n    spec:\n"
        "      containers:\n      - name: loft\n        ports:\n        - containerPort: 9000\n"
    )
    found = of(tmp_path, s_yaml=service, d_yaml=maker)
    assert readings(found, "service", "loft")["port_unmatched"] == "9001"


def test_a_service_selects_nothing_where_all_pods_serve_and_none_is_behind_it(
    tmp_path: Path,
) -> None:
    body = (
        "NAME           TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   SELECTOR\n"
        "service/loft   ClusterIP   10.96.1.2    <none>        80/TCP    9d    app=attic\n\n"
        "NAME             ENDPOINTS   AGE\nendpoints/loft   <none>      9d\n\n"
        "NAME         READY   STATUS    RESTARTS   AGE\npod/loft-0   1/1     Running   0     9d\n"
    )
    found = of(tmp_path, all_txt=body)
    assert readings(found, "service", "loft")["selects_nothing"] == "app=attic"


def test_ages_say_when_output_was_printed(tmp_path: Path) -> None:
    body = (
        "Name:             loft-0\nNamespace:        farm\nLabels:           app=loft\n"
        "Status:           Running\nContainers:\n  loft:\n    State:          Running\n"
        "      Started:      Mon, 05 Jan 2026 10:20:00 +0000\n    Ready:          True\n"
        "    Restart Count:  4\nEvents:\n  Type    Reason   Age  From     Message\n"
        "  ----    ------   ---- ----     -------\n  Normal  Started  40s  kubelet  Started loft\n"
    )
    found = of(tmp_path, pod_txt=body)
    assert found.taken_at is not None
    assert found.taken_at.isoformat() == "2026-01-05T10:20:40+00:00"
    assert named(found, "pod", "loft-0")


@pytest.mark.parametrize(
    ("opens", "closes"),
    [("{noformat}", "{noformat}"), ("{code:bash}", "{code}"), ("[code]", "[/code]"),
     ("<pre>", "</pre>"), ("```", "```")],
)  # fmt: skip
@pytest.mark.parametrize(
    "said", ["It is down, kubectl get po -n farm:", "挂了，kubectl get po -n farm："]
)
def test_a_sentence_ends_with_the_command_whose_output_is_fenced(
    tmp_path: Path, opens: str, closes: str, said: str
) -> None:
    found = of(tmp_path, t_txt=f"{said}\n{opens}\n{pods(CRASHES)}{closes}\nsince ten\n")
    assert named(found, "pod", POD).entity.namespace == "farm"
