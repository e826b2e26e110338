"""A real Prometheus on a temporary folder, filled by remote write."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import cramjam
import httpx2
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

Samples = Sequence[tuple[int, float]]
"""Milliseconds since the epoch and value."""


class PrometheusServer:
    """One server process; `write` stores samples with any time and any bits."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        (folder / "prometheus.yml").write_text(CONFIG)
        (folder / "rules.yml").write_text(RULES)
        self.url = f"http://127.0.0.1:{port}"
        self._log = folder / "log.txt"
        with self._log.open("wb") as stream:
            self._process = subprocess.Popen(
                [
                    "prometheus",
                    f"--config.file={folder / 'prometheus.yml'}",
                    f"--storage.tsdb.path={folder / 'data'}",
                    "--storage.tsdb.retention.time=100y",
                    f"--web.listen-address=127.0.0.1:{port}",
                    "--web.enable-remote-write-receiver",
                ],
                stdout=stream,
                stderr=stream,
            )
        self._wait_ready()

    def _wait_ready(self) -> None:
        for _ in range(200):
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}/-/ready", trust_env=False).status_code == 200:
                    return
            assert self._process.poll() is None, self._log.read_text()
            time.sleep(0.05)
        raise AssertionError(self._log.read_text())

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

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    """A running server. Without the program the test is skipped, in CI it fails."""
    if shutil.which("prometheus") is None:
        if os.environ.get("CI"):
            pytest.fail("the prometheus program is missing: apt-get install prometheus")
        pytest.skip("needs the prometheus program")
    server = PrometheusServer(tmp_path_factory.mktemp("prometheus"))
    yield server
    server.stop()
