"""A worker in this process, on a real database, with small diagnoses to run."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from socket import gethostname
from typing import Any

from journaling import Source, diagnose
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.errors import SuperbizError
from superbizagent.storage.owner import Owner, local_owner
from superbizagent.storage.store import Storage
from superbizagent.workers.config import WorkerConfig
from superbizagent.workers.worker import Runner, Worker


class ShiftedClock:
    """The real time; the wall clock can be set, and both can be moved on."""

    def __init__(self) -> None:
        self.wall = timedelta()
        self.passed = 0.0

    def now(self) -> datetime:
        return datetime.now(UTC) + self.wall + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return time.monotonic() + self.passed


async def queued(storage: Storage, session_id: str, priority: int = 5) -> DiagnosisSession:
    """A session in the queue."""
    at = storage.clock.now()
    session = DiagnosisSession(session_id=session_id, created_at=at, updated_at=at)
    return await storage.queue.put(session, priority)


def small(storage: Storage, source: Source | None = None) -> Runner:
    """Runs a session as a small diagnosis, or goes on with it."""

    async def run(session: DiagnosisSession) -> None:
        mode = JournalMode.RESUME if session.started_at else JournalMode.LIVE
        asked = source or Source()
        try:
            await diagnose(
                storage, asked, session_id=session.session_id, mode=mode, owner=local_owner()
            )
        except* SuperbizError as failed:  # as the pipeline does
            raise failed.exceptions[0] from failed

    return run


@asynccontextmanager
async def working(
    storage: Storage, run: Runner, after: Runner | None = None, **config: Any
) -> AsyncGenerator[Worker]:
    """A worker that works inside the block, and hands back what runs at its end."""
    worker = Worker(storage, run, storage.clock, WorkerConfig(**config), after)
    task = asyncio.create_task(worker.work())
    try:
        yield worker
    finally:
        worker.stop(at_once=True)
        await task


async def until(
    holds: Callable[[], Awaitable[bool]], worker: Worker | None = None, seconds: float = 20
) -> None:
    """Wait until something holds, waking the worker meanwhile."""
    async with asyncio.timeout(seconds):
        while not await holds():
            if worker is not None:
                worker.wake()
            await asyncio.sleep(0.02)


async def ended(storage: Storage, worker: Worker | None = None, seconds: float = 20) -> None:
    """Wait until the queue is empty."""

    async def empty() -> bool:
        return not await storage.queue.length()

    await until(empty, worker, seconds)


async def statuses(storage: Storage) -> dict[str, SessionStatus]:
    return {session.session_id: session.status for session in await storage.sessions.list()}


def dead_owner() -> Owner:
    """The name of a process of this host that has ended."""
    program = "from superbizagent.storage.owner import local_owner; print(local_owner().name)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    name = done.stdout.strip()
    assert name.startswith(gethostname())
    return Owner(name)
