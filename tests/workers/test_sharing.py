"""Several workers on one database: who takes what, and what is taken over from whom."""

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from journaling import Source
from superbizagent.domain.plan import PlannedCall
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.domain.source import Answer
from superbizagent.storage.database import sqlite_url
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage
from working import ShiftedClock, dead_owner, ended, queued, small, statuses, until, working

pytestmark = pytest.mark.anyio

DONE = SessionStatus.COMPLETED


async def begun_by(storage: Storage, session_id: str, owner: Owner) -> None:
    """A session that somebody runs."""
    claim = await storage.claims.take(session_id, owner)
    await storage.sessions.start(claim)


async def test_two_workers_on_one_database_never_both_run_a_session(
    storage: Storage, tmp_path: Path, clock: ShiftedClock
) -> None:
    for number in range(12):
        await queued(storage, f"s-{number:02d}")
    made: Counter[tuple[str, int]] = Counter()
    by: Counter[str] = Counter()

    class Counted(Source):
        def __init__(self, session_id: str) -> None:
            super().__init__()
            self._session_id = session_id

        async def ask(self, call: PlannedCall) -> Answer:
            made[self._session_id, call.number] += 1
            return await super().ask(call)

    url = sqlite_url(str(tmp_path / "superbiz.db"))
    async with Storage.open(url, clock=clock, redactor=Redactor(b"k" * 32)) as other:

        def runner(name: str, mine: Storage):  # noqa: ANN202 - a `Runner`
            async def run(session: DiagnosisSession) -> None:
                await small(mine, Counted(session.session_id))(session)
                by[name] += 1

            return run

        async with (
            working(storage, runner("one", storage)) as one,
            working(other, runner("other", other)) as two,
        ):

            async def empty() -> bool:
                two.wake()
                clock.passed += 0.1  # so that what the other had is asked for again soon
                return not await storage.queue.length()

            await until(empty, one, seconds=40)
    assert set((await statuses(storage)).values()) == {DONE}
    assert set(made.values()) == {1}
    assert by.total() == 12
    assert set(by) == {"one", "other"}


async def test_what_a_dead_worker_of_this_host_had_is_gone_on_with_at_once(
    storage: Storage,
) -> None:
    await queued(storage, "s-1")
    await begun_by(storage, "s-1", dead_owner())
    async with working(storage, small(storage)):
        await ended(storage, seconds=5)
    assert await statuses(storage) == {"s-1": DONE}
    assert (await verify_session(storage, "s-1")).problems == ()


async def test_what_a_worker_of_another_host_had_is_waited_for_for_a_minute(
    storage: Storage, clock: ShiftedClock
) -> None:
    await queued(storage, "s-1")
    await begun_by(storage, "s-1", Owner("elsewhere/1/1"))
    async with working(storage, small(storage)) as worker:
        for _ in range(3):
            clock.passed += 16
            worker.wake()
            await asyncio.sleep(0.1)
        assert await statuses(storage) == {"s-1": SessionStatus.RUNNING}
        clock.passed += 16
        await ended(storage, worker, seconds=5)
    assert await statuses(storage) == {"s-1": DONE}


async def test_sessions_without_a_row_are_queued_again_but_not_those_of_others(
    storage: Storage, clock: ShiftedClock
) -> None:
    names = ("waits", "orphan", "fresh", "set-aside", "ended")
    for name in names:
        if name == "fresh":
            clock.passed += 61
        await queued(storage, name)
        await storage.queue.remove(name)
    await small(storage)(await storage.sessions.require("ended"))
    await begun_by(storage, "orphan", Owner("elsewhere/1/1"))
    claim = await storage.claims.take("set-aside", Owner("somebody/1/1"))
    await storage.sessions.start(claim)
    await storage.claims.release(claim)
    clock.wall -= timedelta(seconds=61)  # what was just queued is fresh, and so is the orphan
    assert await storage.queue.sweep() == 0
    clock.wall += timedelta(seconds=61)
    assert await storage.queue.sweep() == 1
    assert await storage.queue.next(9) == ("waits",)
    clock.passed += 59
    assert await storage.queue.sweep() == 0
    clock.passed += 2
    assert await storage.queue.sweep() == 2
    assert set(await storage.queue.next(9)) == {"waits", "orphan", "fresh"}


async def test_the_worker_sweeps(storage: Storage, clock: ShiftedClock) -> None:
    await queued(storage, "s-1")
    await storage.queue.remove("s-1")
    clock.passed += 61

    async def done() -> bool:
        return (await storage.sessions.require("s-1")).status.is_final

    async with working(storage, small(storage)) as worker:
        await until(done, worker, seconds=5)


@pytest.mark.parametrize("jump", [timedelta(hours=-1), timedelta(days=1)])
async def test_a_wall_clock_that_jumps_neither_stops_nor_doubles_sessions(
    storage: Storage, clock: ShiftedClock, jump: timedelta
) -> None:
    source = Source()
    jumped = asyncio.Event()

    class Jumps(Source):
        async def ask(self, call: PlannedCall) -> Answer:
            if call.number == 3 and not jumped.is_set():
                jumped.set()
                clock.wall += jump
            return await source.ask(call)

    await queued(storage, "s-1")
    async with working(storage, small(storage, Jumps()), concurrency=1) as worker:
        await jumped.wait()
        clock.passed += 16  # it sweeps
        worker.wake()
        await queued(storage, "s-2")
        await ended(storage, worker)
    assert await statuses(storage) == {"s-1": DONE, "s-2": DONE}
    assert set(source.made.values()) == {2}  # by each of the two sessions
    for name in ("s-1", "s-2"):
        assert (await verify_session(storage, name)).problems == ()


async def test_after_a_clock_was_set_back_what_nobody_renews_is_taken_over_after_a_minute(
    storage: Storage, clock: ShiftedClock
) -> None:
    await queued(storage, "s-1")
    await begun_by(storage, "s-1", Owner("elsewhere/1/1"))
    clock.wall -= timedelta(hours=1)
    async with working(storage, small(storage)) as worker:
        for _ in range(4):
            await asyncio.sleep(0.2)
            assert await statuses(storage) == {"s-1": SessionStatus.RUNNING}
            clock.passed += 16
            worker.wake()
        await ended(storage, worker, seconds=5)
    assert await statuses(storage) == {"s-1": DONE}
