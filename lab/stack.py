"""All processes of one lab run, started in order and stopped in order.

Prometheus starts first: it waits about five seconds before its first scrape, and the rest comes up
in that time.
"""

import asyncio
import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import httpx2

from lab import configs
from lab.database import EXPORTER_PASSWORD, EXPORTER_USER, Database, start_database
from lab.fleet import Fleet, Release
from lab.names import USUAL, Names
from lab.processes import Process, ProcessError, free_ports, spawn, stop_all, wait_http, wait_until
from lab.timing import Timing
from lab.webhook import WebhookReceiver

if TYPE_CHECKING:
    from lab.load import Load

__all__ = ["Stack"]

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


_DISK_BYTES = 64 * 1024 * 1024
_PORT_NAMES = tuple(field.name for field in fields(_Ports))


class Stack:
    """The running lab: `async with Stack(folder, timing)` starts it, leaving the block stops it."""

    def __init__(  # noqa: PLR0913 - what a run may differ in
        self,
        folder: Path,
        timing: Timing,
        *,
        names: Names = USUAL,
        disk: bool = False,
        nice: int = 0,
        receivers: Sequence[str] = (),
    ) -> None:
        """Prepare a stack.

        Args:
            folder: Empty or new folder for data, configs and logs; its path must be short, because
                a socket path may have at most 107 characters.
            timing: Intervals of the monitoring.
            names: What services, database and accounts are called.
            disk: Whether the orders' receipts have a small disk of their own; takes root.
            nice: Added to the niceness of every child.
            receivers: Addresses that Alertmanager sends its webhooks to, beside our own.
        """
        self.folder = folder
        self.timing = timing
        self.names = names
        self.ready_seconds = 0.0
        self.load: Load | None = None
        """The customers, while there are any."""
        self._disk = folder / "spool" if disk else None
        self._nice = nice
        self._receivers = tuple(receivers)
        self._processes: dict[str, Process] = {}
        self._ports = _Ports(**dict(zip(_PORT_NAMES, free_ports(len(_PORT_NAMES)), strict=True)))
        self._webhook: WebhookReceiver | None = None
        self._database: Database | None = None
        self.fleet = Fleet(
            names,
            logs=self.logs,
            nice=nice,
            database_port=self._ports.mysql,
            receipts=str(self._disk or ""),
        )
        """The services."""

    @property
    def prometheus_url(self) -> str:
        """Base URL of Prometheus."""
        return f"http://127.0.0.1:{self._ports.prometheus}"

    @property
    def alertmanager_url(self) -> str:
        """Base URL of Alertmanager."""
        return f"http://127.0.0.1:{self._ports.alertmanager}"

    @property
    def database(self) -> Database:
        """The database server."""
        if self._database is None:
            raise ProcessError("the stack is not running")
        return self._database

    @property
    def has_disk(self) -> bool:
        """Whether the receipts have a disk of their own."""
        return self._disk is not None

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
            await self._stop()
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
        await self._stop()

    def check_running(self) -> None:
        """Raise `ProcessError` when a process has ended."""
        for process in (*self._processes.values(), *self.fleet.processes):
            process.check_running()

    async def deploy(self, service: str, summary: str, *, release: Release) -> None:
        """Roll a release out, and write that into the list of changes."""
        began = datetime.now(UTC)
        await self.fleet.deploy(service, release)
        change = {
            "at": began.isoformat(timespec="seconds"),
            "entity": service,
            "kind": "deploy",
            "summary": summary,
            "revision": release.version,
        }
        with self.changes.open("a") as stream:
            stream.write(json.dumps(change) + "\n")

    async def deploy_next(self, service: str, *, segments: int = 10) -> None:
        """Roll out the next minor version of a service."""
        now = self.fleet.release(service)
        major, minor, _ = now.version.split(".")
        version = f"{major}.{int(minor) + 1}.0"
        release = replace(now, version=version, segments=segments)
        await self.deploy(service, f"{service} {now.version} -> {version}", release=release)

    async def _start(self) -> None:
        ports = self._ports
        await self.fleet.open_ports()
        if self._disk is not None:
            self._disk.mkdir(parents=True)
            size = f"size={_DISK_BYTES}"
            mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(self._disk)]
            if problem := await asyncio.to_thread(_run, mount):
                raise ProcessError(f"no disk could be mounted (run as root): {problem}")
        self._webhook = WebhookReceiver(ports.webhook, self.folder / "webhook")
        self._write_configs()
        self._start_monitoring()
        self._database = await start_database(
            self.folder, self.names, port=ports.mysql, nice=self._nice
        )
        self._processes["mariadbd"] = self._database.process
        self._start_exporters()
        await self.fleet.start()
        for name, url in {
            "prometheus": f"{self.prometheus_url}/-/ready",
            "alertmanager": f"{self.alertmanager_url}/-/ready",
        }.items():
            await wait_http(url, process=self._processes[name])
        await self._wait_scraped()

    def _targets(self) -> dict[str, configs.Target]:
        names = self.names
        ports = {name: self.fleet.scrape_port(name) for name in names.services}
        ports[names.database] = self._ports.mysqld_exporter
        ports[names.node] = self._ports.node_exporter
        return {name: (names.instance(name), port) for name, port in ports.items()}

    def _write_configs(self) -> None:
        ports = self._ports
        files = {
            "rules.yml": configs.rules(self.timing, self.names),
            "prometheus.yml": configs.prometheus_config(
                self.timing,
                self._targets(),
                alertmanager_port=ports.alertmanager,
                disk=self._disk,
            ),
            "alertmanager.yml": configs.alertmanager_config(
                webhook_port=ports.webhook, more=self._receivers
            ),
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
            "--collector.filesystem.mount-points-exclude=^/(dev|proc|sys|run)($|/)",
            *(f"--collector.{name}" for name in _NODE_COLLECTORS),
        )  # fmt: skip

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

    async def _stop(self) -> None:
        monitoring = ("prometheus", "alertmanager", "mysqld-exporter", "node-exporter")
        await asyncio.to_thread(stop_all, self._named(monitoring))
        await self.fleet.stop()
        await asyncio.to_thread(stop_all, self._named(("mariadbd",)))
        if self._webhook is not None:
            self._webhook.stop()
            self._webhook = None
        if self._disk is not None:
            await asyncio.to_thread(_run, ["umount", "-l", str(self._disk)])

    def _named(self, names: Sequence[str]) -> list[Process]:
        return [self._processes[name] for name in names if name in self._processes]


def _run(command: Sequence[str]) -> str:
    """Run a command to its end; return its complaint, empty when all went well."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stderr.strip() if result.returncode != 0 else ""
