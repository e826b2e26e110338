"""Real monitoring servers on temporary folders."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cramjam
import httpx2
import polars as pl
import pytest

from superbizagent.datasources.prometheus import remote_read

STALE_BITS = 0x7FF0000000000002
CONFIG = """
global: {scrape_interval: 5s}
storage: {tsdb: {out_of_order_time_window: 3650d}}
rule_files: [rules.yml]
"""
RULES = """
groups:
  - name: orders
    rules:
      - alert: PoolExhausted
        expr: pool_used{job="orders"} / pool_size{job="orders"} >= 1
        for: 1m
        labels: {severity: critical}
"""
ALERTMANAGER_CONFIG = """
route: {receiver: nobody}
receivers: [{name: nobody}]
"""

Samples = Sequence[tuple[int, float]]
"""Milliseconds since the epoch and value."""


class Server:
    """One server process."""

    ready = "/-/ready"

    def __init__(self, folder: Path, port: int, command: Sequence[str]) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._log = folder / "log.txt"
        with self._log.open("wb") as stream:
            self._process = subprocess.Popen(command, stdout=stream, stderr=stream)
        self._wait_ready()

    def _wait_ready(self) -> None:
        for _ in range(200):
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}{self.ready}", trust_env=False).status_code == 200:
                    return
            assert self._process.poll() is None, self._log.read_text()
            time.sleep(0.05)
        raise AssertionError(self._log.read_text())

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)

    def write(self, series: Mapping[tuple[tuple[str, str], ...], Samples]) -> None:
        """Store samples; a key holds the label pairs of a series."""
        # A write request has the same form on the wire as one result of a read answer.
        request = remote_read._MESSAGES["QueryResult"]()
        for labels, samples in series.items():
            row = request.timeseries.add()
            for name, value in sorted(labels):
                row.labels.add(name=name, value=value)
            for at, value in samples:
                row.samples.add(timestamp=at, value=value)
        response = httpx2.post(
            f"{self.url}/api/v1/write",
            content=bytes(cramjam.snappy.compress_raw(request.SerializeToString())),
            headers={
                "Content-Type": "application/x-protobuf",
                "Content-Encoding": "snappy",
                "X-Prometheus-Remote-Write-Version": "0.1.0",
            },
            trust_env=False,
        )
        assert response.status_code == 204, response.text


class PrometheusServer(Server):
    """A Prometheus; `write` stores samples with any time and any bits."""

    def __init__(self, folder: Path, rules: str = RULES) -> None:
        port = _free_port()
        (folder / "prometheus.yml").write_text(CONFIG)
        (folder / "rules.yml").write_text(rules)
        super().__init__(
            folder,
            port,
            [
                "prometheus",
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                "--storage.tsdb.retention.time=100y",
                f"--web.listen-address=127.0.0.1:{port}",
                "--web.enable-remote-write-receiver",
            ],
        )


class VictoriaMetricsServer(Server):
    """A single-node VictoriaMetrics; it takes samples by remote write, too."""

    ready = "/health"

    def __init__(self, folder: Path) -> None:
        port = _free_port()
        super().__init__(
            folder,
            port,
            [
                "victoria-metrics",
                f"-storageDataPath={folder / 'data'}",
                f"-httpListenAddr=127.0.0.1:{port}",
                "-retentionPeriod=100y",
                "-search.disableCache",
                "-memory.allowedBytes=200MB",
            ],
        )

    def flush(self) -> None:
        """Make what was written visible."""
        httpx2.get(f"{self.url}/internal/force_flush", trust_env=False, timeout=20)


class AlertmanagerServer(Server):
    """An Alertmanager; `fire` gives it an alert."""

    def __init__(self, folder: Path) -> None:
        port = _free_port()
        (folder / "alertmanager.yml").write_text(ALERTMANAGER_CONFIG)
        super().__init__(
            folder,
            port,
            [
                "prometheus-alertmanager",
                f"--config.file={folder / 'alertmanager.yml'}",
                f"--storage.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
                "--cluster.listen-address=",
            ],
        )

    def fire(self, **labels: str) -> None:
        response = httpx2.post(
            f"{self.url}/api/v2/alerts",
            json=[{"labels": labels, "annotations": {"summary": "it hurts"}}],
            trust_env=False,
        )
        assert response.status_code == 200, response.text

    def silence(self, alertname: str) -> None:
        """Keep an alert quiet for an hour."""
        now = datetime.now(UTC)
        body = {
            "matchers": [
                {"name": "alertname", "value": alertname, "isRegex": False, "isEqual": True}
            ],
            "startsAt": now.isoformat(),
            "endsAt": (now + timedelta(hours=1)).isoformat(),
            "createdBy": "test",
            "comment": "known",
        }
        response = httpx2.post(f"{self.url}/api/v2/silences", json=body, trust_env=False)
        assert response.status_code == 200, response.text


def write_recording(
    server: Server, folder: Path, until: datetime | None = None, as_if: datetime | None = None
) -> None:
    """Store the samples of a recorded incident, up to a time, as they were scraped.

    With ``as_if`` all are moved by so much that the last one was scraped then.
    """
    table = pl.read_parquet(folder / "metrics.parquet").sort("time")
    if until is not None:
        table = table.filter(pl.col("time") < until)
    rows = table.with_columns(pl.col("time").dt.epoch("ms"))
    if as_if is not None:
        last = rows["time"].max()
        moved = pl.lit(int(as_if.timestamp() * 1000), pl.Int64) - pl.lit(last, pl.Int64)
        rows = rows.with_columns(pl.col("time") + moved)
    series: dict[tuple[tuple[str, str], ...], list[tuple[int, float]]] = {}
    keys: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for at, name, labels, value in rows.select("time", "name", "labels", "value").iter_rows():
        if (name, labels) not in keys:
            about = {"__name__": name, **json.loads(labels)}
            keys[name, labels] = series[tuple(about.items())] = []
        keys[name, labels].append((at, value))
    written = list(series.items())
    for first in range(0, len(written), 500):
        part: dict[tuple[tuple[str, str], ...], Samples] = {**dict(written[first : first + 500])}
        server.write(part)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def need(program: str) -> None:
    """Without the program the test is skipped, in CI it fails."""
    if shutil.which(program) is None:
        if os.environ.get("CI"):
            pytest.fail(f"the {program} program is missing: apt-get install {program}")
        pytest.skip(f"needs the {program} program")


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    """A running Prometheus."""
    need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("prometheus"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def alertmanager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AlertmanagerServer]:
    """A running Alertmanager."""
    need("prometheus-alertmanager")
    server = AlertmanagerServer(tmp_path_factory.mktemp("alertmanager"))
    yield server
    server.stop()
