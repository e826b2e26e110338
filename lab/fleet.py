"""The services of a run, each behind proxies: start, replace by another version, crash.

Callers and Prometheus reach a service through proxies, so that a new version can take over without
an outage, and answers between two services can be delayed while the scrapes are not.
"""

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2

from lab.names import Names
from lab.processes import Process, free_ports, spawn, stop_all, wait_http
from lab.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Fleet", "Release"]

_ROOT = Path(__file__).resolve().parent.parent
_DOWN_SECONDS = 2.0
"""Between the end of a crashing process and its next start."""
_DRAIN_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is deployed of a service."""

    version: str
    segments: int = 10
    """Customer segments that it knows; there are ten."""
    missing_key: str = ""
    """Configuration that it needs and does not find: it ends after three seconds."""


@dataclass(kw_only=True)
class _Service:
    """One service: its program, and the process that runs it now."""

    name: str
    module: str
    arguments: tuple[str, ...]
    """Beside those that every service takes."""
    release: Release
    proxies: list[Proxy] = field(default_factory=list[Proxy])
    process: Process | None = None
    control_port: int = 0


class Fleet:
    """Starts and changes the services."""

    def __init__(
        self, names: Names, *, logs: Path, nice: int, database_port: int, receipts: str
    ) -> None:
        """Prepare the services and the proxies between them.

        Args:
            names: What the services are called.
            logs: Folder for one log file a service.
            nice: Added to the niceness of each.
            database_port: Where the database server listens.
            receipts: Folder of the orders' receipts; empty for none.
        """
        self._names = names
        self._logs = logs
        self._nice = nice
        self._crashing: asyncio.Task[None] | None = None
        ports = iter(free_ports(7))
        self._edges = {
            (caller, callee): Proxy(next(ports), 0)
            for caller, callee in (
                ("", names.web), (names.web, names.orders), (names.orders, names.payments)
            )
        }  # fmt: skip
        database = Proxy(next(ports), database_port)
        self._edges[names.orders, names.database] = database
        self._scrapes = {name: Proxy(next(ports), 0) for name in names.services}
        schema = names.schema
        url = f"mysql+asyncmy://{schema}:{schema}@127.0.0.1:{database.port}/{schema}"
        self._services = {
            name: self._service(name, module, version, arguments)
            for name, module, version, arguments in (
                (names.payments, "payment_service", "1.9.2", ()),
                (names.orders, "order_service", "2.14.3", (
                    *self._peer(names.orders, names.payments),
                    "--database-url", url, "--pool", schema, "--receipts", receipts,
                )),
                (names.web, "storefront", "5.2.0", self._peer(names.web, names.orders)),
            )
        }  # fmt: skip

    @property
    def processes(self) -> list[Process]:
        """The running processes, callers first."""
        running = [self._services[name].process for name in self._names.services]
        return [process for process in running if process is not None]

    @property
    def url(self) -> str:
        """Base URL of the service that customers call."""
        return f"http://127.0.0.1:{self._edges['', self._names.web].port}"

    def scrape_port(self, name: str) -> int:
        """Return where Prometheus reaches a service."""
        return self._scrapes[name].port

    def edge(self, caller: str, callee: str) -> Proxy:
        """Return the proxy between two that call each other."""
        return self._edges[caller, callee]

    def release(self, name: str) -> Release:
        """Return what is deployed of a service."""
        return self._services[name].release

    async def open_ports(self) -> None:
        """Start the proxies, so that nobody else takes their ports."""
        for proxy in (*self._edges.values(), *self._scrapes.values()):
            await proxy.start()

    async def start(self) -> None:
        """Start every service, callees first."""
        for service in self._services.values():
            await self._start_one(service)

    async def stop(self) -> None:
        """Stop every service, callers first, and the proxies."""
        await self._end_crashing()
        await asyncio.to_thread(stop_all, self.processes)
        for proxy in (*self._edges.values(), *self._scrapes.values()):
            await proxy.stop()

    async def switch(self, name: str, **values: float) -> None:
        """Set switches of a service."""
        url = f"http://127.0.0.1:{self._services[name].control_port}/"
        async with httpx2.AsyncClient(timeout=15.0, trust_env=False) as client:
            (await client.post(url, json=values)).raise_for_status()

    async def deploy(self, name: str, release: Release) -> None:
        """Start another version beside the running one, move the callers, stop the old one."""
        service = self._services[name]
        old = service.process
        service.release = release
        await self._start_one(service)
        if old is not None:
            await asyncio.sleep(_DRAIN_SECONDS)
            await asyncio.to_thread(stop_all, [old])

    async def crash_again_and_again(self, name: str, missing_key: str) -> None:
        """Take a configuration key from a service: it ends after each start, and is restarted."""
        service = self._services[name]
        version = service.release.version
        service.release = Release(version=version, missing_key=missing_key)
        if service.process is not None:
            await asyncio.to_thread(stop_all, [service.process])
        self._crashing = asyncio.create_task(self._restart_for_ever(service))

    async def repair(self, name: str) -> None:
        """Give a crashing service its configuration back."""
        await self._end_crashing()
        service = self._services[name]
        if service.process is not None:
            await asyncio.to_thread(stop_all, [service.process])
        service.release = Release(version=service.release.version)
        await self._start_one(service)

    async def _restart_for_ever(self, service: _Service) -> None:
        while True:
            port, service.control_port = free_ports(2)
            process = self._spawn(service, port)
            _move(service, port)
            await asyncio.to_thread(process.popen.wait)
            await asyncio.sleep(_DOWN_SECONDS)

    async def _end_crashing(self) -> None:
        if self._crashing is not None:
            self._crashing.cancel()
            await asyncio.gather(self._crashing, return_exceptions=True)
            self._crashing = None

    async def _start_one(self, service: _Service) -> None:
        port, service.control_port = free_ports(2)
        process = self._spawn(service, port)
        await wait_http(f"http://127.0.0.1:{port}/healthz", process=process, deadline_seconds=60.0)
        _move(service, port)

    def _spawn(self, service: _Service, port: int) -> Process:
        release = service.release
        command: Sequence[str] = [
            sys.executable, "-m", service.module, "--port", str(port),
            "--control-port", str(service.control_port), "--version", release.version,
            "--segments", str(release.segments), "--missing-key", release.missing_key,
            *service.arguments,
        ]  # fmt: skip
        service.process = spawn(
            service.name, command, output=self._logs / f"{service.name}.log",
            cwd=_ROOT, nice=self._nice,
        )  # fmt: skip
        return service.process

    def _service(
        self, name: str, module: str, version: str, arguments: tuple[str, ...]
    ) -> _Service:
        calls = [proxy for (_, callee), proxy in self._edges.items() if callee == name]
        return _Service(
            name=name,
            module=f"lab.services.{module}",
            arguments=arguments,
            release=Release(version=version),
            proxies=[self._scrapes[name], *calls],
        )

    def _peer(self, caller: str, callee: str) -> tuple[str, ...]:
        port = self._edges[caller, callee].port
        return "--peer", callee, "--peer-url", f"http://127.0.0.1:{port}"


def _move(service: _Service, port: int) -> None:
    for proxy in service.proxies:
        proxy.target_port = port
