"""What the worker takes, how each session ends, and how the worker itself does."""

import asyncio

import pytest

from journaling import Source
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.plan import PlannedCall
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.domain.source import Answer
from superbizagent.errors import ConfigError, IntegrityError, NothingReadableError
from superbizagent.investigation.journal import Journal
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.owner import Owner, local_owner
from superbizagent.storage.service_state import CANCEL, WORKER
from superbizagent.storage.store import Storage
from working import ended, queued, small, statuses, until, working

pytestmark = pytest.mark.anyio


class Held(Source):
    """A source that lets the first calls through, then holds until it is let go."""

    def __init__(self, free: int) -> None:
        super().__init__()
        self.free = free
        self.holds = asyncio.Event()
        self.go = asyncio.Event()

    async def ask(self, call: PlannedCall) -> Answer:
        if call.number > self.free:
            self.holds.set()
            await self.go.wait()
        return await super().ask(call)


async def is_sound(storage: Storage, session_id: str) -> bool:
    return (await verify_session(storage, session_id)).problems == ()


async def test_the_first_by_priority_then_by_age_is_taken_first(storage: Storage) -> None:
    for name, priority in (("old", 5), ("last", 9), ("new", 5), ("first", 0)):
        await queued(storage, name, priority)
    order: list[str] = []
    inner = small(storage)

    async def run(session: DiagnosisSession) -> None:
        order.append(session.session_id)
        await inner(session)

    async with working(storage, run, concurrency=1):
        await ended(storage)
    assert order == ["first", "old", "new", "last"]
    assert set((await statuses(storage)).values()) == {SessionStatus.COMPLETED}


async def test_no_more_run_at_once_than_is_set(storage: Storage) -> None:
    for number in range(6):
        await queued(storage, f"s-{number}")
    now = most = 0

    async def run(session: DiagnosisSession) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await small(storage)(session)
        now -= 1

    async with working(storage, run, concurrency=2):
        await ended(storage)
    assert most == 2
    assert set((await statuses(storage)).values()) == {SessionStatus.COMPLETED}


async def test_a_session_that_is_queued_meanwhile_is_taken_when_it_wakes(storage: Storage) -> None:
    async with working(storage, small(storage)) as worker:
        await asyncio.sleep(0.1)
        await queued(storage, "s-1")
        worker.wake()
        await ended(storage, seconds=0.9)  # sooner than it looks by itself


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConfigError("the token is missing; set it"), "the token is missing; set it"),
        (ZeroDivisionError("by nothing"), "internal error: ZeroDivisionError: by nothing"),
    ],
)
async def test_a_session_that_cannot_be_run_fails_once_with_its_reason(
    storage: Storage, error: Exception, reason: str
) -> None:
    await queued(storage, "bad")
    await queued(storage, "good")
    tried: list[str] = []
    told: list[tuple[str, SessionStatus]] = []

    async def run(session: DiagnosisSession) -> None:
        tried.append(session.session_id)
        if session.session_id == "bad":
            raise error
        await small(storage)(session)

    async def after(session: DiagnosisSession) -> None:
        told.append((session.session_id, session.status))

    async with working(storage, run, after, concurrency=1) as worker:
        await ended(storage, worker)
    session = await storage.sessions.require("bad")
    assert (session.status, session.error) == (SessionStatus.FAILED, reason)
    assert tried == ["bad", "good"]
    assert told == [("bad", SessionStatus.FAILED), ("good", SessionStatus.COMPLETED)]
    assert await is_sound(storage, "bad")


async def test_a_session_that_ended_itself_as_failed_stays_so(storage: Storage) -> None:
    await queued(storage, "s-1")

    async def run(session: DiagnosisSession) -> None:
        async with Journal(storage, session.session_id, local_owner(), JournalMode.LIVE) as journal:
            await journal.start()
            await journal.complete(SessionStatus.FAILED, "nothing answered")
            raise NothingReadableError("nothing answered")

    async with working(storage, run) as worker:
        await ended(storage, worker)
    session = await storage.sessions.require("s-1")
    assert (session.status, session.error) == (SessionStatus.FAILED, "nothing answered")
    assert await is_sound(storage, "s-1")


async def test_what_is_told_of_a_session_does_not_undo_it(storage: Storage) -> None:
    await queued(storage, "s-1")

    async def after(_: DiagnosisSession) -> None:
        raise ZeroDivisionError

    async with working(storage, small(storage), after) as worker:
        await ended(storage, worker)
    assert await statuses(storage) == {"s-1": SessionStatus.COMPLETED}


async def test_a_session_that_ended_before_its_row_was_taken_out_is_told_of_again(
    storage: Storage,
) -> None:
    session = await queued(storage, "s-1")
    await small(storage)(session)
    told: list[str] = []

    async def after(session: DiagnosisSession) -> None:
        told.append(session.session_id)

    async def run(_: DiagnosisSession) -> None:
        raise AssertionError("it has ended")

    async with working(storage, run, after):
        await ended(storage)
    assert told == ["s-1"]


async def test_a_session_whose_row_cannot_be_read_does_not_stop_the_others(
    storage: Storage,
) -> None:
    await queued(storage, "damaged", priority=0)
    await queued(storage, "s-1")
    async with storage.database.write() as connection:
        await connection.exec_driver_sql(
            "UPDATE diagnosis_session SET created_at = 'x' WHERE session_id = 'damaged'"
        )
    tried: list[str] = []

    async def run(session: DiagnosisSession) -> None:
        tried.append(session.session_id)
        await small(storage)(session)

    async def done() -> bool:
        return (await storage.sessions.require("s-1")).status.is_final

    async with working(storage, run, concurrency=1) as worker:
        await until(done, worker)
        await storage.state.set(f"{CANCEL}damaged", {})
        await queued(storage, "s-2")
        await ended(storage, worker)  # cancelled, what cannot be read is taken out
    with pytest.raises(IntegrityError):
        await storage.sessions.require("damaged")
    assert tried == ["s-1", "s-2"]


async def test_a_queued_session_that_is_cancelled_ends_so(storage: Storage) -> None:
    await queued(storage, "s-1")
    await storage.state.set(f"{CANCEL}s-1", {})

    async def run(_: DiagnosisSession) -> None:
        raise AssertionError("it was cancelled")

    async with working(storage, run) as worker:
        await ended(storage, worker)
    assert await statuses(storage) == {"s-1": SessionStatus.CANCELLED}
    assert await storage.state.named(CANCEL) == {}
    assert await is_sound(storage, "s-1")


async def test_a_running_session_that_is_cancelled_ends_sealed(storage: Storage) -> None:
    await queued(storage, "s-1")
    source = Held(free=2)
    told: list[SessionStatus] = []

    async def after(session: DiagnosisSession) -> None:
        told.append(session.status)

    async def gone() -> bool:
        return not await storage.state.named(CANCEL)

    async with working(storage, small(storage, source), after) as worker:
        await source.holds.wait()
        await storage.state.set(f"{CANCEL}s-1", {})
        await until(gone, worker)
    assert await statuses(storage) == {"s-1": SessionStatus.CANCELLED}
    assert told == [SessionStatus.CANCELLED]
    assert not await storage.queue.length()
    assert {row["number"] for row in await storage.invocations.rows("s-1")} <= {1, 2}
    assert await is_sound(storage, "s-1")


async def test_a_session_that_does_not_exist_can_be_cancelled(storage: Storage) -> None:
    await storage.state.set(f"{CANCEL}nobody", {})
    await queued(storage, "s-1")
    async with working(storage, small(storage)) as worker:
        await ended(storage, worker)
        assert await storage.state.named(CANCEL) == {}


async def test_what_another_worker_has_in_hand_is_neither_cancelled_nor_failed_here(
    storage: Storage,
) -> None:
    for name in ("theirs", "odd"):
        await queued(storage, name)
        await storage.claims.take(name, Owner("elsewhere/1/1"))
    await storage.state.set(f"{CANCEL}theirs", {})
    tried: list[str] = []

    async def run(session: DiagnosisSession) -> None:
        tried.append(session.session_id)
        raise ConfigError("no sources on this machine")

    async def both() -> bool:
        return set(tried) == {"theirs", "odd"}

    async with working(storage, run, concurrency=2) as worker:
        await until(both, worker)
        await asyncio.sleep(0.2)
    assert set((await statuses(storage)).values()) == {SessionStatus.QUEUED}
    assert await storage.queue.length() == 2
    assert set(await storage.state.named(CANCEL)) == {"theirs"}


async def test_what_runs_may_end_while_the_time_to_drain_lasts(storage: Storage) -> None:
    await queued(storage, "s-1")
    await queued(storage, "s-2")
    source = Held(free=2)
    async with working(storage, small(storage, source), concurrency=1) as worker:
        await source.holds.wait()
        worker.stop()
        asyncio.get_running_loop().call_later(0.2, source.go.set)
        await asyncio.sleep(1)
    assert await statuses(storage) == {"s-1": SessionStatus.COMPLETED, "s-2": SessionStatus.QUEUED}


@pytest.mark.parametrize("drain", [0.2, 60], ids=["its time is over", "at once"])
async def test_what_does_not_end_is_handed_back_and_gone_on_with(
    storage: Storage, drain: float
) -> None:
    await queued(storage, "s-1")
    source = Held(free=2)
    at_once = drain > 1
    loop = asyncio.get_running_loop()

    async def two_are_stored() -> bool:
        return len(await storage.invocations.rows("s-1")) == 2

    async with working(storage, small(storage, source), drain_seconds=drain) as worker:
        await until(two_are_stored)
        began = loop.time()
        worker.stop(at_once=at_once)
        await asyncio.sleep(0 if at_once else 0.3)
    assert loop.time() - began < 2
    assert await statuses(storage) == {"s-1": SessionStatus.RUNNING}
    before = dict(source.made)
    source.go.set()
    async with working(storage, small(storage, source)):
        await ended(storage, seconds=5)  # no minute's wait: it was given back
    assert await statuses(storage) == {"s-1": SessionStatus.COMPLETED}
    assert {number: source.made[number] for number in before} == before
    assert await is_sound(storage, "s-1")


async def test_it_says_that_it_lives_and_what_it_does(storage: Storage) -> None:
    async with working(storage, small(storage)):

        async def seen() -> bool:
            return await storage.state.get(WORKER) is not None

        await until(seen)
    found = await storage.state.get(WORKER)
    assert found is not None
    assert found[0] == {"running": []}
