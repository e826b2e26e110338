"""A task that is cancelled at any moment leaves the database in order."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from journaling import new_session, opened
from superbizagent.storage.store import Storage
from superbizagent.storage.transactions import to_the_end

pytestmark = pytest.mark.anyio


async def write(storage: Storage) -> None:
    async with storage.database.write() as connection:
        await connection.execute(text("UPDATE diagnosis_session SET rounds = rounds + 1"))
        await connection.execute(text("UPDATE diagnosis_session SET verdict = rounds"))


async def read(storage: Storage) -> None:
    async with storage.database.read() as connection:
        await connection.execute(text("SELECT * FROM diagnosis_session"))


@pytest.mark.parametrize("work", [write, read])
async def test_cancelled_after_any_number_of_turns_nothing_is_lost_or_half_done(
    tmp_path: Path, work: Callable[[Storage], Coroutine[Any, Any, None]]
) -> None:
    """What is lost shows as a warning of the pool or the driver, and warnings are errors."""
    async with opened(tmp_path) as storage:
        await new_session(storage)
    for turns in range(0, 60, 3):
        async with opened(tmp_path) as storage:
            task = asyncio.create_task(work(storage))
            for _ in range(turns):
                await asyncio.sleep(0.0002)
            task.cancel()
            await asyncio.wait([task])
            session = await storage.sessions.require("s-1")
            assert session.verdict == (str(session.rounds) if session.rounds else "")
        gc.collect()


async def test_work_is_finished_before_its_task_is_cancelled() -> None:
    steps: list[str] = []

    async def work() -> str:
        await asyncio.sleep(0.05)
        steps.append("finished")
        return "result"

    async def waiter() -> None:
        try:
            await to_the_end(work())
        except asyncio.CancelledError:
            steps.append("cancelled")
            raise

    task = asyncio.create_task(waiter())
    for _ in range(3):
        await asyncio.sleep(0.01)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert steps == ["finished", "cancelled"]
    assert await to_the_end(work()) == "result"


async def test_an_error_of_the_work_is_passed_on_unless_the_task_was_cancelled() -> None:
    async def fail() -> None:
        await asyncio.sleep(0.02)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await to_the_end(fail())
    task = asyncio.create_task(to_the_end(fail()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
