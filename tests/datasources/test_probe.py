"""What answers at an address, told apart by its answers."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fault_server
import prometheus_server
from fault_server import Answer, FaultServer, Reply, success
from loki_server import LokiServer
from prometheus_server import AlertmanagerServer, PrometheusServer, VictoriaMetricsServer
from superbizagent.datasources.probe import Found, identify
from superbizagent.datasources.prometheus import HttpAccess

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty
prometheus = prometheus_server.prometheus
alertmanager = prometheus_server.alertmanager

NOT_FOUND = Reply(404, b"404 page not found", "text/plain")


def found_at(url: str, **headers: str) -> Found:
    return asyncio.run(identify(HttpAccess(url, headers=headers)))


def only(server: FaultServer, **paths: Any) -> None:
    """Leave a server nothing but some pages, each with its JSON."""
    server.faults = {path: always(NOT_FOUND) for path in fault_server.GOOD}
    for path, body in paths.items():
        server.faults[path] = always(Reply(body=json.dumps(body).encode()))


def always(reply: Reply) -> Answer:
    """The same answer to everything."""

    def answer(_: dict[str, str]) -> Reply:
        return reply

    return answer


# Real servers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", ["", "/", "/graph?g0.expr=up", "/targets", "/api/v1/query?query=up"]
)
def test_a_prometheus_is_told_from_any_of_its_pages(
    prometheus: PrometheusServer, page: str
) -> None:
    found = found_at(prometheus.url + page)
    assert (found.kind, found.product) == ("prometheus", "Prometheus")
    assert found.address == prometheus.url
    assert found.version.startswith("2.")
    assert found.reason == ""


def test_an_alertmanager_is_told(alertmanager: AlertmanagerServer) -> None:
    found = found_at(f"{alertmanager.url}/#/alerts")
    assert (found.kind, found.product, found.address) == (
        "alertmanager",
        "Alertmanager",
        alertmanager.url,
    )
    assert found.version


@pytest.fixture(scope="module")
def victoria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    prometheus_server.need("victoria-metrics")
    server = VictoriaMetricsServer(tmp_path_factory.mktemp("victoria"))
    yield server.url
    server.stop()


def test_victoria_metrics_is_told(victoria: str) -> None:
    found = found_at(victoria)
    assert (found.kind, found.product) == ("prometheus", "VictoriaMetrics")


# Servers after their documentation ---------------------------------------------------------------


def test_a_loki_is_told_with_and_without_a_tenant() -> None:
    server = LokiServer(multi_tenant=True)
    try:
        found = found_at(server.url)
        assert (found.kind, found.product, found.version) == ("loki", "Loki", "3.4.2")
        assert "X-Scope-OrgID" in found.reason
        assert found_at(server.url, **{"X-Scope-OrgID": "shop"}).reason == ""
    finally:
        server.stop()


def test_mimir_is_told_below_its_prefix() -> None:
    server = FaultServer(prefix="/prometheus")
    try:
        about = {"application": "Grafana Mimir", "version": "2.14.0"}
        server.faults["/api/v1/status/buildinfo"] = lambda _: success(about)
        found = found_at(server.url.removesuffix("/prometheus"))
        assert (found.kind, found.product, found.version) == (
            "prometheus",
            "Grafana Mimir",
            "2.14.0",
        )
        assert found.address == server.url
    finally:
        server.stop()


def test_a_mimir_that_wants_a_tenant_says_so(faulty: FaultServer) -> None:
    faulty.faults["*"] = lambda _: Reply(401, b"no org id", "text/plain")
    found = found_at(faulty.url)
    assert found.kind == "prometheus"
    assert "X-Scope-OrgID" in found.reason


def test_thanos_is_told_by_its_stores(faulty: FaultServer) -> None:
    faulty.faults["/api/v1/stores"] = lambda _: success({})
    assert found_at(faulty.url).product == "Thanos Query"


def test_kubernetes_is_told_by_its_version(faulty: FaultServer) -> None:
    only(faulty, **{"/version": {"major": "1", "minor": "31", "gitVersion": "v1.31.2"}})
    found = found_at(faulty.url)
    assert (found.kind, found.product, found.version) == ("kubernetes", "Kubernetes API", "v1.31.2")


SOURCES = [
    {"uid": "abc", "type": "prometheus", "name": "Metrics", "isDefault": True},
    {"uid": "def", "type": "loki", "name": "Logs of shop"},
    {"uid": "x/../../admin", "type": "loki", "name": "bad"},
    {"uid": "ghi", "type": "tempo", "name": "Traces"},
]


def test_grafana_names_its_data_sources(faulty: FaultServer) -> None:
    health = {"database": "ok", "version": "11.3.0"}
    only(faulty, **{"/api/health": health, "/api/datasources": SOURCES})
    found = found_at(faulty.url, Authorization="Bearer glsa_x")
    assert (found.kind, found.version) == ("grafana", "11.3.0")
    proxy = f"{faulty.url}/api/datasources/proxy/uid"
    assert [(p.kind, p.address, p.name) for p in found.parts] == [
        ("prometheus", f"{proxy}/abc", "Metrics"),
        ("loki", f"{proxy}/def", "Logs of shop"),
    ]


def test_grafana_without_a_token_asks_for_one(faulty: FaultServer) -> None:
    only(faulty, **{"/api/health": {"database": "ok"}})
    faulty.faults["/api/datasources"] = lambda _: Reply(401, b'{"message":"Unauthorized"}')
    found = found_at(faulty.url)
    assert found.kind == "grafana"
    assert "Authorization: Bearer" in found.reason


# What is nothing of ours -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (NOT_FOUND, "not like Prometheus"),
        (Reply(200, b"<html>", "text/html"), "not like Prometheus"),
        (Reply(200, b"[]"), "not like Prometheus"),
        (Reply(200, b"{}"), "not like Prometheus"),
        (Reply(200, b'{"status":"success","data":'), "not like Prometheus"),
        (Reply(401, b"{}"), "give credentials"),
        (Reply(302, headers={"location": "https://sso.example.com/"}), "not like Prometheus"),
        (Reply(500, b"broken", "text/plain"), "broken"),
    ],
)
def test_what_cannot_be_told_is_said(faulty: FaultServer, reply: Reply, words: str) -> None:
    faulty.faults["*"] = lambda _: reply
    found = found_at(faulty.url)
    assert found.kind == ""
    assert words in found.reason
    assert "\n" not in found.reason


def test_what_is_not_there_is_asked_once(tmp_path: Path) -> None:
    found = found_at("http://127.0.0.1:1")
    assert found.kind == ""
    assert "cannot be reached" in found.reason


def test_only_the_given_host_is_asked(faulty: FaultServer) -> None:
    faulty.faults["*"] = lambda _: Reply(302, headers={"location": "http://127.0.0.1:1/"})
    found_at(faulty.url)
    assert len(faulty.asked) < 40
