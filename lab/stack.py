"""All processes of one lab run, started in order and stopped in order.

Prometheus starts first: it waits about five seconds before its first scrape, and the rest comes up
in that time.
"""

import asyncio
import sys
import time
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2

from lab import configs
from lab.database import EXPORTER_PASSWORD, EXPORTER_USER, start_database
from lab.processes import Process, ProcessError, free_ports, spawn, stop_all, wait_http, wait_until
from lab.timing import Timing
from lab.webhook import WebhookReceiver

__all__ = ["Stack"]

_ROOT = Path(__file__).resolve().parent.parent
_NODE_COLLECTORS = (
    "cpu", "meminfo", "loadavg", "filesystem", "diskstats", "netdev", "netstat",
    "vmstat", "stat", "pressure",
)  # fmt: skip
_MYSQL_COLLECTORS = (
    "info_schema.processlist", "info_schema.innodb_metrics", "perf_schema.eventsstatements",
    "perf_schema.tableiowaits", "perf_schema.indexiowaits",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Ports:
    prometheus: int
    alertmanager: int
    webhook: int
    mysql: int
    mysqld_exporter: int
    node_exporter: int
    order_service: int
    order_control: int
    storefront: int


_PORT_NAMES = tuple(field.name for field in fields(_Ports))


class Stack:
    """The running lab: `async with Stack(folder, timing)` starts it, leaving the block stops it."""

    def __init__(self, folder: Path, timing: Timing, *, nice: int = 0) -> None:
        """Prepare a stack.

        Args:
            folder: Empty or new folder for data, configs and logs; its path must be short, because
                a socket path may have at most 107 characters.
            timing: Intervals of the monitoring.
            nice: Added to the niceness of every child.
        """
        self.folder = folder
        self.timing = timing
        self.ready_seconds = 0.0
        self._nice = nice
        self._processes: dict[str, Process] = {}
        self._ports = _Ports(**dict(zip(_PORT_NAMES, free_ports(len(_PORT_NAMES)), strict=True)))
        self._webhook: WebhookReceiver | None = None

    @property
    def prometheus_url(self) -> str:
        """Base URL of Prometheus."""
        return f"http://127.0.0.1:{self._ports.prometheus}"

    @property
    def alertmanager_url(self) -> str:
        """Base URL of Alertmanager."""
        return f"http://127.0.0.1:{self._ports.alertmanager}"

    @property
    def storefront_url(self) -> str:
        """Base URL of the service that customers call."""
        return f"http://127.0.0.1:{self._ports.storefront}"

    @property
    def webhook(self) -> WebhookReceiver:
        """Receiver of the alerts."""
        if self._webhook is None:
            raise ProcessError("the stack is not running")
        return self._webhook

    @property
    def logs(self) -> Path:
        """Folder with one log file a service."""
        return self.folder / "logs"

    @property
    def changes(self) -> Path:
        """List of deployments and other changes, one JSON object a line; faults add to it."""
        return self.folder / "changes.jsonl"

    async def __aenter__(self) -> Self:
        """Start every process and wait until all targets are scraped."""
        start = time.monotonic()
        for name in ("logs", "output", "webhook"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.changes.touch()
        try:
            await self._start()
        except BaseException:
            self._stop()
            raise
        self.ready_seconds = time.monotonic() - start
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop every process."""
        await asyncio.to_thread(self._stop)

    def check_running(self) -> None:
        """Raise `ProcessError` when a process has ended."""
        for process in self._processes.values():
            process.check_running()

    async def switch(self, **values: float) -> None:
        """Set switches of the order service."""
        url = f"http://127.0.0.1:{self._ports.order_control}/"
        async with httpx2.AsyncClient(timeout=5.0, trust_env=False) as client:
            (await client.post(url, json=values)).raise_for_status()

    async def _start(self) -> None:
        ports = self._ports
        self._webhook = WebhookReceiver(ports.webhook, self.folder / "webhook")
        self._write_configs()
        self._start_monitoring()
        database = await start_database(self.folder, port=ports.mysql, nice=self._nice)
        self._processes["mariadbd"] = database.process
        self._start_exporters()
        self._service(
            "order-service", "lab.services.order_service", "--port", ports.order_service,
            "--control-port", ports.order_control, "--database-url", database.url,
        )  # fmt: skip
        self._service(
            "storefront", "lab.services.storefront", "--port", ports.storefront,
            "--order-service-url", f"http://127.0.0.1:{ports.order_service}",
        )  # fmt: skip
        for name, url in {
            "prometheus": f"{self.prometheus_url}/-/ready",
            "alertmanager": f"{self.alertmanager_url}/-/ready",
            "order-service": f"http://127.0.0.1:{ports.order_service}/healthz",
            "storefront": f"{self.storefront_url}/healthz",
        }.items():
            await wait_http(url, process=self._processes[name])
        await self._wait_scraped()

    def _targets(self) -> dict[str, configs.Target]:
        ports = self._ports
        return {
            "order-service": ("order-1", ports.order_service),
            "storefront": ("storefront-1", ports.storefront),
            "mysql": ("mysql-1", ports.mysqld_exporter),
            "node": ("node-1", ports.node_exporter),
        }

    def _write_configs(self) -> None:
        ports = self._ports
        files = {
            "rules.yml": configs.rules(self.timing),
            "prometheus.yml": configs.prometheus_config(
                self.timing, self._targets(), alertmanager_port=ports.alertmanager
            ),
            "alertmanager.yml": configs.alertmanager_config(webhook_port=ports.webhook),
            "my.cnf": configs.exporter_config(
                port=ports.mysql, user=EXPORTER_USER, password=EXPORTER_PASSWORD
            ),
        }
        for name, content in files.items():
            (self.folder / name).write_text(content)

    def _start_monitoring(self) -> None:
        ports = self._ports
        # --web.external-url is what alerts link to; the route prefix keeps the API at the root.
        self._spawn(
            "prometheus", "prometheus", f"--config.file={self.folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self.folder / 'prometheus'}",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{ports.prometheus}",
            f"--web.external-url={configs.PROMETHEUS_URL}", "--web.route-prefix=/",
            "--rules.alert.resend-delay=5s",
        )  # fmt: skip
        self._spawn(
            "alertmanager", "prometheus-alertmanager",
            f"--config.file={self.folder / 'alertmanager.yml'}",
            f"--storage.path={self.folder / 'alertmanager'}",
            f"--web.listen-address=127.0.0.1:{ports.alertmanager}",
            f"--web.external-url={configs.ALERTMANAGER_URL}", "--web.route-prefix=/",
            "--cluster.listen-address=",
        )  # fmt: skip

    def _start_exporters(self) -> None:
        ports = self._ports
        self._spawn(
            "mysqld-exporter", "prometheus-mysqld-exporter",
            f"--web.listen-address=127.0.0.1:{ports.mysqld_exporter}",
            f"--config.my-cnf={self.folder / 'my.cnf'}", "--exporter.log_slow_filter",
            *(f"--collect.{name}" for name in _MYSQL_COLLECTORS),
        )  # fmt: skip
        self._spawn(
            "node-exporter", "prometheus-node-exporter",
            f"--web.listen-address=127.0.0.1:{ports.node_exporter}", "--collector.disable-defaults",
            # One root file system; what else the machine mounts is no part of the story.
            "--collector.filesystem.mount-points-exclude=^/.+",
            *(f"--collector.{name}" for name in _NODE_COLLECTORS),
        )  # fmt: skip

    def _service(self, name: str, module: str, *arguments: str | int) -> None:
        command = [sys.executable, "-m", module, *(str(a) for a in arguments)]
        self._processes[name] = spawn(
            name, command, output=self.logs / f"{name}.log", cwd=_ROOT, nice=self._nice
        )

    def _spawn(self, name: str, *command: str) -> None:
        output = self.folder / "output" / f"{name}.txt"
        self._processes[name] = spawn(name, command, output=output, nice=self._nice)

    async def _wait_scraped(self) -> None:
        """Wait until every target is scraped and no alert of the start is left."""
        jobs = set(self._targets())
        async with httpx2.AsyncClient(timeout=5.0, trust_env=False) as client:

            async def ask(path: str, **params: str) -> Any:
                answer = await client.get(f"{self.prometheus_url}/api/v1/{path}", params=params)
                return answer.json()["data"]

            async def settled() -> bool:
                up = await ask("query", query="up == 1")
                if {row["metric"]["job"] for row in up["result"]} != jobs:
                    return False
                return not (await ask("alerts"))["alerts"]

            await wait_until("first scrape of every target", settled, deadline_seconds=60.0)
        # On a busy machine a target can come up after its alert: that is no news.
        self.webhook.notifications.clear()

    def _stop(self) -> None:
        order = (
            "prometheus", "alertmanager", "mysqld-exporter", "node-exporter", "storefront",
            "order-service", "mariadbd",
        )  # fmt: skip
        stop_all([self._processes[name] for name in order if name in self._processes])
        if self._webhook is not None:
            self._webhook.stop()
            self._webhook = None
