"""The live API: pages, refusals, logs, names alone; trouble is one line or a look that failed."""

import asyncio
import json
import time
from datetime import datetime
from typing import Any

import pytest

from clusters import NOW, Cluster, event, pod
from kubernetes_server import KubernetesServer, Trouble
from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.kubernetes.live import KubernetesApi
from superbizagent.domain.cluster import ClusterSnapshot, KubernetesQuery
from superbizagent.domain.source import Answer, EvidenceStatus, Signal
from superbizagent.errors import DataSourceError

pytestmark = pytest.mark.real_server


class Clock:
    """Stands at the time of the clusters; its seconds are real, since pauses count them."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return time.monotonic()


CRASHING = pod(
    "orders-6d5f8b9c7d-aaaaa",
    app="orders",
    ready=False,
    restarts=5,
    state={"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 2m40s restarting"}},
    last={"exitCode": 1, "reason": "Error", "finishedAt": "2026-03-04T11:58:00Z"},
)


def source(address: str, **more: Any) -> KubernetesApi:
    token = more.pop("token", "")
    access = HttpAccess(address, bearer_token=token)
    return KubernetesApi(access, Clock(), **more)


def look(api: KubernetesApi) -> Answer:
    return asyncio.run(api.get_kubernetes(KubernetesQuery()))


def snapshot(api: KubernetesApi) -> ClusterSnapshot:
    output = look(api).output
    assert isinstance(output, ClusterSnapshot)
    return output


def statuses(found: ClusterSnapshot) -> dict[str, str]:
    return {look.kind: look.status for look in found.looks}


def test_it_reads_objects_events_and_the_log_before_the_crash() -> None:
    told = event("Pod", "orders-6d5f8b9c7d-aaaaa", "BackOff", "Back-off restarting", core=False)
    server = KubernetesServer(
        Cluster().with_(CRASHING, told).objects,
        logs={("orders-6d5f8b9c7d-aaaaa", "app", True): "starting\nfatal: DB_URL is not set\n"},
    )
    with server.running() as address:
        api = source(address)
        described = asyncio.run(api.describe())
        found = snapshot(api)
    assert described.signals == (Signal.KUBERNETES,)
    assert described.version == "v1.33.1"
    names = {(e.kind, e.name) for e in described.entities}
    assert {("deployment", "orders"), ("service", "front"), ("node", "node-1")} <= names
    assert described.aliases["orders-6d5f8b9c7d-aaaaa"] == "orders"
    own = next(o for o in found.objects if o.entity.name == "orders-6d5f8b9c7d-aaaaa")
    readings = {r.name: r.value for r in own.readings}
    assert readings["waiting"] == "CrashLoopBackOff"
    assert readings["event.BackOff"] == "Back-off restarting"
    assert readings["previous_log"] == "fatal: DB_URL is not set"
    assert own.attributes["k8s.deployment.name"] == "orders"
    assert own.part_of == "/shop/deployment/orders"


def test_it_only_ever_asks_with_get_and_never_for_the_content_of_a_secret() -> None:
    secret = {
        "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"},
        "data": {"password": "aHVudGVyMg=="},
    }  # fmt: skip
    server = KubernetesServer(Cluster().with_(secret).objects)
    with server.running() as address:
        answer = look(source(address))
    assert {method for method, _, _ in server.requests} == {"GET"}
    assert answer.output is not None
    assert "aHVudGVyMg" not in answer.output.model_dump_json()  # type: ignore[union-attr]
    for kind in ("secrets", "configmaps", "serviceaccounts"):
        accepted = [h["Accept"] for _, path, h in server.requests if f"/{kind}?" in path]
        assert accepted
        assert all("PartialObjectMetadataList" in a for a in accepted)


def test_a_long_list_comes_in_pages_and_an_expired_token_begins_it_anew() -> None:
    many = [pod(f"orders-6d5f8b9c7d-{n:05}", app="orders") for n in range(1203)]
    server = KubernetesServer(Cluster().with_(*many[:3]).objects + many[3:], expire_tokens=1)
    with server.running() as address:
        found = snapshot(source(address))
    pods = [o for o in found.objects if o.entity.kind == "pod"]
    assert len(pods) == 1205
    asked = [path for _, path, _ in server.requests if "/pods?" in path]
    assert len(asked) == 5  # one page, its successor expired, then three


def test_an_old_server_has_its_events_in_the_core_group() -> None:
    told = event("Pod", "orders-6d5f8b9c7d-aaaaa", "BackOff", "Back-off restarting")
    server = KubernetesServer(Cluster().with_(CRASHING, told).objects, core_events=True)
    with server.running() as address:
        found = snapshot(source(address))
    assert statuses(found)["events"] == "ok"


def test_what_may_not_be_listed_is_a_look_that_was_denied_and_the_rest_goes_on() -> None:
    message = 'secrets is forbidden: User "superbiz" cannot list resource "secrets"'
    server = KubernetesServer(
        Cluster().objects, troubles={"secrets": Trouble(403, "Forbidden", message)}
    )
    with server.running() as address:
        found = snapshot(source(address))
    denied = next(look for look in found.looks if look.kind == "secrets")
    assert denied.status == "denied"
    assert message in denied.note
    assert statuses(found)["pods"] == "ok"
    assert statuses(found)["jobs"] == "empty"
    assert found.saw("jobs")
    assert not found.saw("secrets")


def test_where_the_whole_cluster_may_not_be_listed_the_named_namespace_is() -> None:
    other = pod("toy-6d5f8b9c7d-aaaaa", app="toy", namespace="sandbox")
    server = KubernetesServer(
        Cluster().with_(CRASHING, other).objects, namespaces_only=frozenset({"shop"})
    )
    with server.running() as address:
        found = snapshot(source(address, fallback=("shop",)))
    assert {o.entity.namespace for o in found.objects} == {"shop"}
    assert statuses(found)["pods"] == "ok"
    assert statuses(found)["nodes"] == "denied"


def test_namespaces_narrow_the_look() -> None:
    other = pod("toy-6d5f8b9c7d-aaaaa", app="toy", namespace="sandbox")
    server = KubernetesServer(Cluster().with_(other).objects)
    with server.running() as address:
        found = snapshot(source(address, namespaces=("sandbox",)))
    assert {o.entity.name for o in found.objects if o.entity.kind == "pod"} == {
        "toy-6d5f8b9c7d-aaaaa"
    }
    assert all("/namespaces/sandbox/" in p for _, p, _ in server.requests if "/pods?" in p)


def test_a_token_gets_in_and_is_in_no_message() -> None:
    right, wrong = "s3cr3t-token", "wrong-token-1"
    server = KubernetesServer(Cluster().objects, token=right)
    with server.running() as address:
        assert look(source(address, token=right)).status is EvidenceStatus.OK
        with pytest.raises(DataSourceError) as caught:
            asyncio.run(source(address, token=wrong).describe())
    assert "denies access (401: Unauthorized); give a token" in str(caught.value)
    assert wrong not in str(caught.value)


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (Trouble(403, "Forbidden", 'User "x" cannot get path "/version"'), 'User "x" cannot get'),
        (Trouble(500), "prevented the request from succeeding"),
        (Trouble(429, "TooManyRequests", "slow down", retry_after="1"), "slow down"),
        (Trouble(html=True), "is this the base address"),
        (Trouble(cut=True), "damaged JSON"),
        (Trouble(hang_seconds=1.5), "did not answer /version within 0.5 s"),
    ],
    ids=["403", "500", "429", "html", "cut", "hanging"],
)
def test_a_server_that_does_not_answer_is_one_clear_line(trouble: Trouble, told: str) -> None:
    server = KubernetesServer(Cluster().objects, troubles={"*": trouble})
    with server.running() as address:
        api = source(address, timeout_seconds=0.5)
        with pytest.raises(DataSourceError) as caught:
            asyncio.run(api.describe())
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)
        assert look(api).status is EvidenceStatus.ERROR


@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        (Trouble(403, "Forbidden", "no"), "denied"),
        (Trouble(500), "error"),
        (Trouble(429, "TooManyRequests", "slow down", retry_after="1"), "error"),
        (Trouble(html=True), "error"),
        (Trouble(cut=True), "error"),
        (Trouble(hang_seconds=1.5), "timeout"),
    ],
    ids=["403", "500", "429", "html", "cut", "hanging"],
)
def test_one_kind_that_cannot_be_read_is_a_look_that_failed(trouble: Trouble, status: str) -> None:
    server = KubernetesServer(Cluster().objects, troubles={"events": trouble})
    with server.running() as address:
        found = snapshot(source(address, timeout_seconds=0.5))
    assert statuses(found)["events"] == status
    assert not found.saw("events")
    assert statuses(found)["pods"] == "ok"


def test_what_is_not_read_in_time_is_said() -> None:
    server = KubernetesServer(Cluster().objects, troubles={"secrets": Trouble(hang_seconds=1.5)})
    with server.running() as address:
        found = snapshot(source(address, seconds=0.7))
    assert statuses(found)["secrets"] == "timeout"
    assert statuses(found)["pods"] == "ok"


def test_a_log_that_may_not_be_read_is_a_look_that_was_denied() -> None:
    server = KubernetesServer(
        Cluster().with_(CRASHING).objects, troubles={"log": Trouble(403, "Forbidden", "no logs")}
    )
    with server.running() as address:
        assert statuses(snapshot(source(address)))["logs"] == "denied"


def test_without_a_previous_log_the_running_one_is_read() -> None:
    server = KubernetesServer(
        Cluster().with_(CRASHING).objects,
        logs={("orders-6d5f8b9c7d-aaaaa", "app", False): "panic: no route\n"},
    )
    with server.running() as address:
        found = snapshot(source(address))
    own = next(o for o in found.objects if o.entity.name == "orders-6d5f8b9c7d-aaaaa")
    assert [r.value for r in own.readings if r.name == "log"] == ["panic: no route"]


def test_both_looks_of_a_session_see_one_state() -> None:
    server = KubernetesServer(Cluster().objects)
    with server.running() as address:
        api = source(address)
        first = snapshot(api)
        asked = len(server.requests)
        assert snapshot(api) == first
        assert len(server.requests) == asked


def test_a_hostile_name_leads_to_no_other_address() -> None:
    evil = json.loads(json.dumps(CRASHING))
    evil["metadata"]["name"] = "../../../nodes/node-1/proxy"
    server = KubernetesServer(Cluster().with_(evil).objects)
    with server.running() as address:
        snapshot(source(address))
    assert not [path for _, path, _ in server.requests if "proxy" in path]


def test_nobody_there_is_one_clear_line() -> None:
    with pytest.raises(DataSourceError, match="cannot be reached"):
        asyncio.run(source("http://127.0.0.1:9").describe())
