"""A task that is cancelled at any moment leaves the database in order."""

import asyncio
import gc
from pathlib import Path

import pytest
from sqlalchemy import text

from journaling import new_session, opened
from superbizagent.storage.store import Storage
from superbizagent.storage.transactions import to_the_end


async def write(storage: Storage) -> None:
    async with storage.database.write() as connection:
        await connection.execute(text("UPDATE diagnosis_session SET rounds = rounds + 1"))
        await connection.execute(text("UPDATE diagnosis_session SET verdict = rounds"))


async def read(storage: Storage) -> None:
    async with storage.database.read() as connection:
        await connection.execute(text("SELECT * FROM diagnosis_session"))


TURNS = range(16)
"""After the last of them every reader and writer is done."""

AGAIN = (0, 1, 3, 5)


@pytest.mark.parametrize(
    ("again", "after"),
    [
        pytest.param(0, TURNS[1::5], id="some"),
        pytest.param(3, TURNS[2::5], id="some twice"),
        *(pytest.param(n, TURNS, id=f"all {n}", marks=pytest.mark.slow) for n in AGAIN),
    ],
)
def test_cancelled_after_any_number_of_turns_nothing_is_lost_or_half_done(
    tmp_path: Path, again: int, after: range
) -> None:
    """What is lost shows as a warning, which is an error here, or as an end that never comes."""
    asyncio.run(prepared(tmp_path))
    for turns in after:
        asyncio.run(cancelled(tmp_path, turns, again))  # the loop ends at once, as a command does
        gc.collect()
    asyncio.run(checked(tmp_path))


async def cancelled(folder: Path, turns: int, again: int) -> None:
    """Cancel readers and writers after so many turns, and again after some more."""
    async with asyncio.timeout(5), opened(folder) as storage:
        tasks = [asyncio.create_task(work(storage)) for work in (read, write, read, write)]
        await let_run(turns)
        for task in tasks:
            task.cancel()
        await let_run(again)
        for task in tasks:  # a deadline, and then the end of its group
            task.cancel()
        await asyncio.wait(tasks)


async def prepared(folder: Path) -> None:
    async with opened(folder) as storage:
        await new_session(storage)


async def checked(folder: Path) -> None:
    async with opened(folder) as storage:
        session = await storage.sessions.require("s-1")
        assert session.verdict == (str(session.rounds) if session.rounds else "")


async def let_run(turns: int) -> None:
    """Give the others so many turns."""
    for _ in range(turns):
        await asyncio.sleep(0)


@pytest.mark.anyio
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


@pytest.mark.anyio
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
