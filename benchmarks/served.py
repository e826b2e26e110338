"""A real `superbiz serve` on a data folder of its own, with sessions put into its queue.

The sessions are about the recordings of `examples`, with several questions each, so that they
differ; the same number gives the same sessions, whichever folder they are put into.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import run_config, session_template
from superbizagent.cli.sources import SourceSpec
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.incident import Channel, Incident, Language
from superbizagent.domain.payload import parse_payload
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.settings import Settings
from superbizagent.storage.database import sqlite_url
from superbizagent.storage.installation import KEY_NAME, installation_key, private_folder
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.store import Storage

__all__ = ["Ended", "Served", "ended_of", "new_sessions", "opened", "put", "same_key"]

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

_RECEIVED_AT = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)

_ASKED = (
    ("mysql-connection-pool", "", ()),
    ("slow-network", "", ()),
    ("healthy", "Is anything wrong?", ()),
    ("mysql-connection-pool", "Why are orders failing?", ("order-service",)),
    ("slow-network", "哪个服务最慢？为什么？", ()),
    ("mysql-connection-pool", "Is the database slow?", ()),
)
"""Recording, question (empty: its alert) and services of one session after the other."""

_LONGEST_STOP_SECONDS = 60


def new_sessions(count: int) -> list[DiagnosisSession]:
    """Return sessions that are not stored yet."""
    config = run_config(Settings())
    found: list[DiagnosisSession] = []
    for number in range(count):
        name, question, services = _ASKED[number % len(_ASKED)]
        payload = None if question else parse_payload((EXAMPLES / name / "alert.json").read_text())
        incident = Incident(
            channel=Channel.AIOPS if payload else Channel.CHAT,
            alerts=payload.alerts if payload else (),
            question=question and f"{question} ({number})",
            services=services,
            received_at=_RECEIVED_AT,
            language=Language.ZH if not question.isascii() else Language.EN,
        )
        sources = SourceSpec(bundle=str(EXAMPLES / name)).model_dump(mode="json")
        found.append(session_template(sources, config).new(f"run-{number:04d}", incident))
    return found


@asynccontextmanager
async def opened(data: Path) -> AsyncGenerator[Storage]:
    """The database of a data folder."""
    private_folder(data)
    redactor = Redactor(installation_key(data))
    url = sqlite_url(str(data / "superbiz.db"))
    async with Storage.open(url, clock=SystemClock(), redactor=redactor) as storage:
        yield storage


def same_key(data: Path, other: Path) -> None:
    """Give another folder the key of this one: what is redacted has the same names in both."""
    private_folder(other)
    key = other / KEY_NAME
    key.write_bytes(installation_key(data))
    key.chmod(0o600)


async def put(data: Path, sessions: Sequence[DiagnosisSession]) -> None:
    """Queue the sessions."""
    async with opened(data) as storage:
        for session in sessions:
            await storage.queue.put(session)


@dataclass(frozen=True, slots=True)
class Ended:
    """What a session came to: equal for two runs of it that are worth the same."""

    status: SessionStatus
    error: str
    report_digest: str
    report: bytes
    markdown: str | None
    judged: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    """Journal key and digest of the output of each evidence call."""
    problems: tuple[str, ...]
    """What `superbiz trace verify` finds."""


async def ended_of(data: Path) -> dict[str, Ended]:
    """Read what every session of a folder came to."""
    found: dict[str, Ended] = {}
    async with opened(data) as storage:
        async with storage.database.read() as connection:
            rows = await connection.exec_driver_sql("SELECT session_id FROM diagnosis_session")
            names = sorted(rows.scalars())
        for name in names:
            session = await storage.sessions.require(name)
            calls = await storage.invocations.rows(name)
            verified = await verify_session(storage, name)
            found[name] = Ended(
                session.status,
                session.error,
                session.report_digest,
                canonical_bytes(session.report),
                session.final_report,
                (session.aiops_gate or "", session.rule_grade or ""),
                tuple(sorted((c["journal_key"], c["output_digest"]) for c in calls)),
                tuple(str(problem) for problem in verified.problems),
            )
    return found


class Served:
    """The service as a process.

    Args:
        data: its data folder; its log is `service.log` there.
        environment: more settings.
    """

    def __init__(self, data: Path, environment: Mapping[str, str] | None = None) -> None:
        self.data = data
        self._environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """What it wrote to stderr, and its worker with it."""
        return self.data / "service.log"

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._running.pid

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the service was not started")
        return self._process

    def start(self) -> None:
        """Start it; returns at once."""
        private_folder(self.data)
        own = {
            "SUPERBIZ_DATA_DIR": str(self.data),
            "XDG_CONFIG_HOME": str(self.data / "config"),
            "TZ": "UTC",
        }
        command = [sys.executable, "-m", "superbizagent", "serve", "--port", "0"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--recording", str(EXAMPLES / "mysql-connection-pool")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **own, **self._environment},
            )

    def worker(self) -> int | None:
        """Process id of the worker, None while there is none."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        try:
            found = children.read_text().split()
        except OSError:
            return None
        return int(found[0]) if found else None

    def kill_server(self) -> None:
        """``kill -9`` the server alone."""
        self._running.kill()
        self._running.wait()

    def kill_worker(self) -> bool:
        """``kill -9`` the worker alone; tell whether there was one."""
        worker = self.worker()
        if worker is None:
            return False
        try:
            os.kill(worker, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end and wait for it; return its exit code."""
        self._running.send_signal(number)
        return self._running.wait(_LONGEST_STOP_SECONDS)

    async def idle(self, seconds: float) -> float:
        """Wait until nothing is queued any more; return how long that took.

        Raises:
            TimeoutError: when it takes longer than that.
        """
        began = time.monotonic()
        async with asyncio.timeout(seconds), opened(self.data) as storage:
            while await storage.queue.length():  # noqa: ASYNC110 - it is another process's
                await asyncio.sleep(0.2)
        return time.monotonic() - began
