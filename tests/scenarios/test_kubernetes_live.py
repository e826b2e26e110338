"""Whole diagnoses of a live cluster, over real HTTP: what is found, and what could not be seen."""

import json
from pathlib import Path

import pytest

from clusters import Cluster, pod
from diagnosing import diagnose, report_of
from kubernetes_server import KubernetesServer, Trouble
from superbizagent.domain.report import Section
from superbizagent.errors import NothingReadableError
from superbizagent.investigation.run import Finished

pytestmark = pytest.mark.real_server

TOKEN = "t0ken-of-nobody"  # noqa: S105 - of no server
POD = "orders-6d5f8b9c7d-aaaaa"
CRASHING = pod(
    POD,
    app="orders",
    ready=False,
    restarts=5,
    state={"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 2m40s restarting"}},
    last={"exitCode": 1, "reason": "Error", "finishedAt": "2026-03-04T11:58:00Z"},
)
LOG = {(POD, "app", True): "starting\nfatal: environment variable DB_URL is not set\n"}


def unseen(finished: Finished) -> str:
    return "\n".join(claim.text for claim in report_of(finished).section(Section.NOT_SEEN))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_log_before_the_crash_tells_the_cause(language: str, tmp_path: Path) -> None:
    server = KubernetesServer(Cluster().with_(CRASHING).objects, logs=LOG, token=TOKEN)
    with server.running() as address:
        config = tmp_path / "config"
        user = {"name": "me", "user": {"token": TOKEN}}
        parts = {
            "clusters": [{"name": "c", "cluster": {"server": address}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "me"}}],
            "users": [user],
            "current-context": "x",
        }
        lines = [f"{key}: {json.dumps(value)}" for key, value in parts.items()]
        config.write_text("\n".join(["kind: Config", *lines]), encoding="utf-8")
        finished = diagnose(None, tmp_path / "data", kubernetes=str(config), lang=language)
    report = report_of(finished)
    assert report.entity == "/shop/deployment/orders"
    assert report.fault_kind is not None
    assert report.fault_kind.value == "config"
    assert any("DB_URL is not set" in claim.text for claim in report.section(Section.WHY))
    assert report.rejected == ()
    assert {method for method, _, _ in server.requests} == {"GET"}


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (Trouble(403, "Forbidden", 'User "dev" cannot list resource "events"'), 'User "dev"'),
        (Trouble(html=True), "not with JSON"),
        (Trouble(cut=True), "damaged JSON"),
    ],
    ids=["403", "html", "cut"],
)
def test_a_kind_that_cannot_be_read_is_told_and_the_rest_is_judged(
    trouble: Trouble, told: str, tmp_path: Path
) -> None:
    server = KubernetesServer(
        Cluster().with_(CRASHING).objects, logs=LOG, troubles={"events": trouble}
    )
    with server.running() as address:
        finished = diagnose(None, tmp_path / "data", kubernetes=address)
    assert report_of(finished).entity == "/shop/deployment/orders"
    assert "events" in unseen(finished)
    assert told in unseen(finished)


def test_a_cluster_that_lets_nothing_be_seen_is_one_clear_line(tmp_path: Path) -> None:
    server = KubernetesServer(Cluster().objects, troubles={"*": Trouble(500)})
    told = "prevented the request from succeeding"
    with server.running() as address, pytest.raises(NothingReadableError, match=told) as caught:
        diagnose(None, tmp_path / "data", kubernetes=address)
    assert "\n" not in str(caught.value)
