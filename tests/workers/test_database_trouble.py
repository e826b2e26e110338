"""The database locked, full or read-only: the worker survives and goes on, and nothing is lost."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import structlog

from journaling import Source
from superbizagent.domain.plan import PlannedCall
from superbizagent.domain.session import SessionStatus
from superbizagent.domain.source import Answer
from superbizagent.storage.database import Database
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.store import Storage
from working import ShiftedClock, ended, queued, small, statuses, until, working

pytestmark = pytest.mark.anyio


async def limit_pages(storage: Storage, pages: int) -> None:
    """Let the database have no more pages than that, as a disk does that is full."""
    async with storage.database.write() as connection:
        await connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")


class Troubled(Source):
    """Something happens to the database before the third call is answered."""

    def __init__(self, happens: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self.happened = asyncio.Event()
        self._happens = happens

    async def ask(self, call: PlannedCall) -> Answer:
        if call.number == 3 and not self.happened.is_set():
            await self._happens()
            self.happened.set()
        return await super().ask(call)


async def test_what_a_full_disk_refused_is_gone_on_with_afterwards(
    storage: Storage, clock: ShiftedClock
) -> None:
    source = Troubled(lambda: limit_pages(storage, 1))
    await queued(storage, "s-1")
    await queued(storage, "s-2")
    with structlog.testing.capture_logs() as logs:
        async with working(storage, small(storage, source), concurrency=1) as worker:
            await source.happened.wait()
            for _ in range(5):
                clock.passed += 16
                worker.wake()
                await asyncio.sleep(0.1)
            assert await storage.queue.length() == 2
            await limit_pages(storage, 1_000_000)
            clock.passed += 16
            await ended(storage, worker)
    assert set((await statuses(storage)).values()) == {SessionStatus.COMPLETED}
    for name in ("s-1", "s-2"):
        assert (await verify_session(storage, name)).problems == ()
    said = [line["event"] for line in logs]
    assert "tried again later" in said
    assert "internal error" not in said


async def test_on_a_file_that_cannot_be_written_it_lives_and_says_why(
    storage: Storage, clock: ShiftedClock
) -> None:
    await queued(storage, "s-1")
    url = f"sqlite+aiosqlite:///file:{storage.database.label}?mode=ro&uri=true"
    async with Database(url) as database:
        refused = Storage(database, clock=clock, redactor=storage.redactor)
        with structlog.testing.capture_logs() as logs:
            async with working(refused, small(refused)) as worker:
                for _ in range(5):
                    clock.passed += 16
                    worker.wake()
                    await asyncio.sleep(0.1)
    [line] = [line for line in logs if line["event"] == "the database does not answer"]
    assert "is read-only: give write permission" in line["error"]
    async with working(storage, small(storage)) as worker:
        await ended(storage, worker)
    assert await statuses(storage) == {"s-1": SessionStatus.COMPLETED}


@pytest.mark.slow
async def test_a_database_that_is_held_for_eight_seconds_costs_time_only(
    storage: Storage, clock: ShiftedClock, tmp_path: Path
) -> None:
    holder = sqlite3.connect(tmp_path / "superbiz.db", check_same_thread=False)

    async def hold() -> None:
        await asyncio.to_thread(holder.execute, "BEGIN IMMEDIATE")

    source = Troubled(hold)
    await queued(storage, "s-1")
    await queued(storage, "s-2")

    async def done() -> bool:
        clock.passed += 0.5
        return not await storage.queue.length()

    async with working(storage, small(storage, source), concurrency=2) as worker:
        await source.happened.wait()
        await asyncio.sleep(8)
        holder.rollback()
        await until(done, worker)
    holder.close()
    assert set((await statuses(storage)).values()) == {SessionStatus.COMPLETED}
    for name in ("s-1", "s-2"):
        assert (await verify_session(storage, name)).problems == ()
