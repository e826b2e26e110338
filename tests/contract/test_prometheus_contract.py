"""Live servers of the Prometheus API keep the contract of sources."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import prometheus_server
from contract import recorded
from contract.source_contract import MetricSourceContract, SourceCase
from prometheus_server import PrometheusServer, Samples, Server, VictoriaMetricsServer
from superbizagent.cli.clock import SystemClock
from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.prometheus import PrometheusSource
from superbizagent.domain.window import Window

pytestmark = pytest.mark.real_server

SPAN = Window(start=recorded.START - timedelta(hours=1), end=recorded.END + timedelta(hours=1))
KINDS = {"service": "service", "job": "service"}


def source(url: str) -> PrometheusSource:
    return PrometheusSource(HttpAccess(url), SPAN, SystemClock(), label_entities=KINDS)


def fill(server: Server) -> None:
    series: dict[tuple[tuple[str, str], ...], list[tuple[int, float]]] = {}
    for labels, at, value in recorded.samples():
        series.setdefault(tuple(labels.items()), []).append((at, value))
    filled: dict[tuple[tuple[str, str], ...], Samples] = {**series}
    server.write(filled)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of its own: others fill theirs with what they test."""
    prometheus_server.need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("prometheus"))
    fill(server)
    yield server.url
    server.stop()


@pytest.fixture(scope="module")
def victoria_metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same samples in another server of the same API."""
    prometheus_server.need("victoria-metrics")
    server = VictoriaMetricsServer(tmp_path_factory.mktemp("victoria"))
    fill(server)
    server.flush()
    yield server.url
    server.stop()


def case_of(url: str, folder: Path) -> SourceCase:
    return SourceCase(
        open=lambda: source(url), unreadable=lambda: source("http://127.0.0.1:1"), data=folder
    )


class TestPrometheus(MetricSourceContract):
    @pytest.fixture
    def case(self, prometheus: str, tmp_path: Path) -> SourceCase:  # pyright: ignore[reportIncompatibleMethodOverride] - needs a server
        return case_of(prometheus, tmp_path)


class TestVictoriaMetrics(MetricSourceContract):
    @pytest.fixture
    def case(self, victoria_metrics: str, tmp_path: Path) -> SourceCase:  # pyright: ignore[reportIncompatibleMethodOverride] - needs a server
        return case_of(victoria_metrics, tmp_path)
