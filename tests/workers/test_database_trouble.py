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
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.store import Storage
from working import ShiftedClock, ended, queued, small, statuses, until, working

pytestmark = pytest.mark.anyio

Trouble = Callable[[Storage], Awaitable[None]]


async def pragma(storage: Storage, *statements: str) -> None:
    """Change the one connection that writes, outside of a transaction."""
    async with storage.database._writer.connect() as connection:
        raw = await connection.get_raw_connection()
        assert raw.driver_connection is not None
        for statement in statements:
            await raw.driver_connection.execute(statement)


async def fill(storage: Storage) -> None:
    await pragma(storage, "ROLLBACK", "PRAGMA max_page_count=1")


async def empty(storage: Storage) -> None:
    await pragma(storage, "ROLLBACK", "PRAGMA max_page_count=1073741823")


async def forbid(storage: Storage) -> None:
    await pragma(storage, "PRAGMA query_only=ON")


async def allow(storage: Storage) -> None:
    await pragma(storage, "PRAGMA query_only=OFF")


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


@pytest.mark.parametrize(("begin", "end"), [(fill, empty), (forbid, allow)], ids=["full", "read"])
async def test_what_was_refused_is_gone_on_with_afterwards(
    storage: Storage, clock: ShiftedClock, begin: Trouble, end: Trouble
) -> None:
    source = Troubled(lambda: begin(storage))
    await queued(storage, "s-1")
    await queued(storage, "s-2")
    with structlog.testing.capture_logs() as logs:
        async with working(storage, small(storage, source), concurrency=1) as worker:
            await source.happened.wait()
            for _ in range(5):  # it is asked again and again, and says once what is wrong
                clock.passed += 16
                worker.wake()
                await asyncio.sleep(0.1)
            assert await storage.queue.length() == 2
            await end(storage)
            clock.passed += 16
            await ended(storage, worker)
    assert set((await statuses(storage)).values()) == {SessionStatus.COMPLETED}
    for name in ("s-1", "s-2"):
        assert (await verify_session(storage, name)).problems == ()
    said = [line["event"] for line in logs]
    assert said.count("the database does not answer") == 1
    assert said.count("the database answers again") == 1


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
