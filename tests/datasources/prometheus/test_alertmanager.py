"""A live Alertmanager, real and broken."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import fault_server
import prometheus_server
from fault_server import FaultServer, Reply
from prometheus_server import AlertmanagerServer
from superbizagent.cli.clock import SystemClock
from superbizagent.datasources.prometheus import (
    AlertmanagerSource,
    HttpAccess,
    Limits,
    is_suppressed,
)
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.protocols import AlertLister, DataSource
from superbizagent.domain.source import Answer, EvidenceStatus, Signal
from superbizagent.errors import DataSourceError, TemporaryDataSourceError

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty


@pytest.fixture(scope="module")
def alertmanager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AlertmanagerServer]:
    """An Alertmanager with an alert that pages, one that is silenced, and a heartbeat."""
    prometheus_server.need("prometheus-alertmanager")
    server = AlertmanagerServer(tmp_path_factory.mktemp("alertmanager"))
    server.silence("HighLatency")
    server.fire(alertname="HighErrorRate", service="orders", severity="critical")
    server.fire(alertname="HighLatency", service="orders", severity="warning")
    server.fire(alertname="Watchdog", severity="none")
    yield server
    server.stop()


def source(url: str) -> AlertmanagerSource:
    limits = Limits(timeout_seconds=2.0, survey_seconds=0.5)
    return AlertmanagerSource(HttpAccess(url), SystemClock(), limits=limits)


def listed(url: str) -> Answer:
    return asyncio.run(source(url).list_alerts())


def test_it_is_a_source_of_alerts_and_of_nothing_else(alertmanager: AlertmanagerServer) -> None:
    live = source(alertmanager.url)
    assert isinstance(live, DataSource)
    assert isinstance(live, AlertLister)
    described = asyncio.run(live.describe())
    assert described.signals == (Signal.ALERTS,)
    assert described.version


def test_alerts_come_with_what_suppresses_them(alertmanager: AlertmanagerServer) -> None:
    answer = listed(alertmanager.url)
    assert isinstance(answer.output, AlertList)
    states = {a.name: is_suppressed(a) for a in answer.output.alerts}
    assert states == {"HighErrorRate": False, "HighLatency": True}
    assert answer.stats["suppressed"] == 1
    assert all(a.starts_at for a in answer.output.alerts)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply(401, b"{}"), EvidenceStatus.DENIED),
        (Reply(500, b"{}"), EvidenceStatus.ERROR),
        (Reply(200, b'{"status":"success"}'), EvidenceStatus.ERROR),
        (Reply(200, b"<html>", "text/html"), EvidenceStatus.ERROR),
        (Reply(200, b'[{"labels":'), EvidenceStatus.ERROR),
    ],
)
def test_a_list_that_cannot_be_read_is_a_status(
    faulty: FaultServer, reply: Reply, status: EvidenceStatus
) -> None:
    faulty.faults["*"] = lambda _: reply
    answer = listed(faulty.url)
    assert answer.status is status
    assert "\n" not in answer.error
    with pytest.raises(DataSourceError):
        asyncio.run(source(faulty.url).describe())


def test_one_that_hangs_is_given_up(faulty: FaultServer) -> None:
    faulty.faults["*"] = lambda _: Reply(body=b"{}", wait_seconds=20)
    with pytest.raises(TemporaryDataSourceError, match=r"within 0\.5 s"):
        asyncio.run(source(faulty.url).describe())


def test_odd_entries_of_the_list_are_noted_and_the_rest_is_read(faulty: FaultServer) -> None:
    rows: list[Any] = [1, None, {"labels": {"alertname": "A"}, "startsAt": "yesterday"}]
    faulty.faults["/api/v2/alerts"] = lambda _: Reply(body=fault_server.success(rows).body)
    assert listed(faulty.url).status is EvidenceStatus.ERROR
    import orjson

    faulty.faults["/api/v2/alerts"] = lambda _: Reply(body=orjson.dumps(rows))
    answer = listed(faulty.url)
    assert isinstance(answer.output, AlertList)
    assert [a.name for a in answer.output.alerts] == ["A"]
    assert "2 entries of the alert list are no objects" in answer.warnings
