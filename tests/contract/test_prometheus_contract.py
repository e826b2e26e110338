"""A live Prometheus keeps the contract of sources."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import prometheus_server
from contract import recorded
from contract.source_contract import MetricSourceContract, SourceCase
from prometheus_server import PrometheusServer, Samples
from superbizagent.cli.clock import SystemClock
from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.prometheus import PrometheusSource
from superbizagent.domain.window import Window

pytestmark = pytest.mark.real_server

SPAN = Window(start=recorded.START - timedelta(hours=1), end=recorded.END + timedelta(hours=1))
KINDS = {"service": "service", "job": "service"}


def source(url: str) -> PrometheusSource:
    return PrometheusSource(HttpAccess(url), SPAN, SystemClock(), label_entities=KINDS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    """A server of its own: others fill theirs with what they test."""
    prometheus_server.need("prometheus")
    running = PrometheusServer(tmp_path_factory.mktemp("prometheus"))
    series: dict[tuple[tuple[str, str], ...], list[tuple[int, float]]] = {}
    for labels, at, value in recorded.samples():
        series.setdefault(tuple(labels.items()), []).append((at, value))
    filled: dict[tuple[tuple[str, str], ...], Samples] = {**series}
    running.write(filled)
    yield running
    running.stop()


class TestPrometheus(MetricSourceContract):
    @pytest.fixture
    def case(self, server: PrometheusServer, tmp_path: Path) -> SourceCase:  # pyright: ignore[reportIncompatibleMethodOverride] - needs a server
        return SourceCase(
            open=lambda: source(server.url),
            unreadable=lambda: source("http://127.0.0.1:1"),
            data=tmp_path,
        )
