"""What is recorded once is returned ever after, as it was stored."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from journaling import (
    SetClock,
    Source,
    diagnose,
    new_session,
    opened,
    planned,
    read_maximum,
    series,
)
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.journal import EntryKind, JournalMode
from superbizagent.domain.outputs import encode
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.session import SessionStatus
from superbizagent.domain.source import Answer, EvidenceStatus
from superbizagent.errors import (
    IntegrityError,
    PermanentDataSourceError,
    ReplayMismatchError,
    SessionLostError,
    StorageError,
)
from superbizagent.investigation.journal import PLAIN, Journal, typed
from superbizagent.investigation.journal import ledger as _journal_ledger
from superbizagent.storage import invocations
from superbizagent.storage.entries import NewEntry
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import session_claim

pytestmark = pytest.mark.anyio

ME = Owner("me")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def storage(tmp_path: Path, clock: SetClock, anyio_backend: str) -> AsyncGenerator[Storage]:
    async with opened(tmp_path, clock) as storage:
        yield storage


def answering(answer: Answer) -> Callable[[], Awaitable[Answer]]:
    async def perform() -> Answer:
        return answer

    return perform


async def never() -> Any:
    pytest.fail("a recorded effect was performed again")


async def keys(storage: Storage) -> list[tuple[str, int, str]]:
    return [(e.key, e.attempt, e.kind.value) for e in await storage.entries.load("s-1")]


async def test_a_replay_gives_the_same_bytes_and_performs_nothing(storage: Storage) -> None:
    await new_session(storage)
    source = Source()
    live = await diagnose(storage, source)
    assert source.made == dict.fromkeys(range(1, 9), 1)
    before = await storage.entries.load("s-1")
    replayed = await diagnose(storage, source, mode=JournalMode.REPLAY)
    assert replayed == live
    assert source.made == dict.fromkeys(range(1, 9), 1)
    assert await storage.entries.load("s-1") == before


async def test_a_session_that_has_ended_is_replayed_whatever_is_asked_for(
    storage: Storage,
) -> None:
    await new_session(storage)
    source = Source()
    live = await diagnose(storage, source)
    for mode in (JournalMode.LIVE, JournalMode.RESUME):
        assert await diagnose(storage, source, mode=mode, owner=Owner("second")) == live
    assert sum(source.made.values()) == 8


class Slow(Source):
    """Later calls take their turn later, or all at once."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self._turns = turns

    async def ask(self, call: PlannedCall) -> Answer:
        for _ in range(self._turns * call.number):
            await asyncio.sleep(0)
        return await super().ask(call)


async def test_the_chain_does_not_depend_on_who_was_faster(tmp_path: Path) -> None:
    heads: set[str] = set()
    for turns in (0, 30):
        async with opened(tmp_path / str(turns)) as storage:
            await new_session(storage)
            await diagnose(storage, Slow(turns))
            heads.add((await storage.sessions.require("s-1")).head_hash)
    assert len(heads) == 1


async def test_a_call_comes_back_as_it_was_stored(storage: Storage) -> None:
    await new_session(storage)
    answer = Answer(
        status=EvidenceStatus.OK,
        output=series(1),
        truncated=True,
        warnings=("2 series skipped", "password=hunter2x9"),
        attempts=3,
        stats={"series": 2, "ratio": 0.5, "nan": float("nan")},
    )
    async with Journal(storage, "s-1", ME) as journal:
        live = await journal.call(planned(1), answering(answer), read_facts=read_maximum)
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        replayed = await journal.call(planned(1), never)
    assert isinstance(live.output, SeriesSet)
    assert isinstance(replayed.output, SeriesSet)
    assert encode(live.output) == encode(replayed.output) == encode(series(1))
    assert live.model_copy(update={"output": None}) == replayed.model_copy(update={"output": None})
    assert live.warnings[1].startswith("password=<redacted:")
    assert live.stats == {"series": 2, "ratio": 0.5, "nan": None}
    assert live.facts
    assert (live.truncated, live.attempts) == (True, 3)
    assert live.output_preview.startswith('metric_1{pod="p0"}')


async def test_facts_are_read_from_the_redacted_output(storage: Storage) -> None:
    await new_session(storage)
    output = SeriesSet.of(
        [({"__name__": "up", "dsn": "mysql://u:hunter2x9@h/"}, series(1).times[:2], [1.0, 2.0])]  # pyright: ignore[reportArgumentType] - a list is made an array
    )
    seen: list[str] = []

    def read(call: ToolInvocation) -> tuple[Fact, ...]:
        assert isinstance(call.output, SeriesSet)
        seen.append(str(call.output[0]))
        return ()

    async with Journal(storage, "s-1", ME) as journal:
        answer = Answer(status=EvidenceStatus.OK, output=output)
        await journal.call(planned(1), answering(answer), read_facts=read)
    assert "hunter2x9" not in seen[0]
    (row,) = await storage.invocations.rows("s-1")
    assert b"hunter2x9" not in await storage.blobs.read("s-1", row["output_digest"])


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (PermanentDataSourceError("403 for token=abc123xyz"), EvidenceStatus.ERROR, "403"),
        (TimeoutError(), EvidenceStatus.TIMEOUT, "timed out"),
    ],
)
async def test_a_failed_call_is_recorded_and_stays_failed(
    storage: Storage, error: Exception, status: EvidenceStatus, text: str
) -> None:
    await new_session(storage)

    async def fail() -> Answer:
        raise error

    async with Journal(storage, "s-1", ME) as journal:
        first = await journal.call(planned(1), fail)
        again = await journal.call(planned(1), never)
    assert first == again
    assert first.status is status
    assert text in first.error
    assert "abc123xyz" not in first.error
    assert first.output is None


async def test_an_effect_that_raises_leaves_nothing_behind(storage: Storage) -> None:
    await new_session(storage)

    async def fail() -> Any:
        raise ZeroDivisionError

    async with Journal(storage, "s-1", ME) as journal:
        with pytest.raises(ZeroDivisionError):
            await journal.effect("scope/describe", {}, fail, PLAIN)
        with pytest.raises(ZeroDivisionError):
            await journal.call(planned(1), fail)
    assert await keys(storage) == []


async def test_effects_come_back_through_their_codec_and_redacted(storage: Storage) -> None:
    await new_session(storage)

    async def times() -> tuple[datetime, ...]:
        return (datetime(2026, 1, 1, tzinfo=UTC),)

    async def config() -> Any:
        return {"password": "hunter2x9", "n": 1.0}

    async with Journal(storage, "s-1", ME) as journal:
        codec = typed(tuple[datetime, ...])
        assert await journal.effect("a", 1, times, codec) == await times()
        assert await journal.effect("a", 1, never, codec) == await times()
        recorded = await journal.effect("b", {"x": 1}, config, PLAIN)
    assert recorded["password"].startswith("<redacted:")


async def test_a_long_result_is_kept_as_a_blob(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_journal_ledger, "_INLINE_BYTES", 100)
    await new_session(storage)

    async def long() -> Any:
        return ["x" * 200]

    async with Journal(storage, "s-1", ME) as journal:
        assert await journal.effect("a", 1, long, PLAIN) == ["x" * 200]
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        assert await journal.effect("a", 1, never, PLAIN) == ["x" * 200]
    (entry,) = await storage.entries.load("s-1")
    assert entry.result is None
    assert entry.blob_digest


async def test_many_facts_are_kept_as_a_blob(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invocations, "DETAILS_BYTES", 1000)
    await new_session(storage)

    def read(_: ToolInvocation) -> tuple[Fact, ...]:
        return tuple(Fact(id=f"E1.{n}", name="x", value=n) for n in range(300))

    answer = Answer(status=EvidenceStatus.OK, output=series(1))
    async with Journal(storage, "s-1", ME) as journal:
        live = await journal.call(planned(1), answering(answer), read_facts=read)
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        assert (await journal.call(planned(1), never)).facts == live.facts
    (row,) = await storage.invocations.rows("s-1")
    assert len(row["details"]["facts"]) == 200
    assert row["details"]["facts_total"] == 300


async def test_a_replay_refuses_what_was_not_recorded_and_names_the_key(storage: Storage) -> None:
    await new_session(storage)
    await diagnose(storage, Source())
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        with pytest.raises(ReplayMismatchError, match="nothing is recorded at 'gather/01/0099'"):
            await journal.call(planned(99), never)
        changed = planned(1, input={"selector": "other"})
        with pytest.raises(ReplayMismatchError, match="another request is recorded at 'gather/01"):
            await journal.call(changed, never)
        with pytest.raises(ReplayMismatchError, match=r"stage 'report'.*recorded is sha256"):
            await journal.stage("report", {"other": 1})
        with pytest.raises(ReplayMismatchError, match="nothing is recorded at 'stage/new'"):
            await journal.stage("new", {})


async def test_one_key_is_not_used_for_two_requests_in_one_run(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", ME, JournalMode.RESUME) as journal:
        await journal.stage("scope", {"a": 1})
        with pytest.raises(ReplayMismatchError, match="two requests in one run"):
            await journal.stage("scope", {"a": 2})


async def test_live_refuses_another_request_and_resume_records_it_beside(storage: Storage) -> None:
    await new_session(storage)
    answer = Answer(status=EvidenceStatus.OK, output=series(1))
    upgraded = planned(1, input={"selector": "renamed"})
    async with Journal(storage, "s-1", ME) as journal:
        old = await journal.call(planned(1), answering(answer))
        await journal.stage("scope", 1)
    async with Journal(storage, "s-1", ME) as journal:
        with pytest.raises(ReplayMismatchError, match="resume it instead"):
            await journal.call(upgraded, never)
    async with Journal(storage, "s-1", ME, JournalMode.RESUME) as journal:
        new = await journal.call(upgraded, answering(answer))
        # the old call is asked for again at another place: the evidence was kept
        assert (await journal.call(planned(2, input=planned(1).input), never)).id == old.id
        await journal.stage("scope", 2)
    assert new.id != old.id
    assert await keys(storage) == [
        ("gather/01/0001", 1, "call"),
        ("gather/01/0001", 2, "call"),
        ("gather/01/0002", 1, "duplicate"),
        ("stage/scope", 1, "stage"),
        ("stage/scope", 2, "stage"),
    ]
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        assert (await journal.call(upgraded, never)).id == new.id
        await journal.stage("scope", 2)
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        with pytest.raises(ReplayMismatchError):
            await journal.stage("scope", 1)  # overtaken by the second attempt


async def test_a_duplicate_call_adds_an_entry_and_no_row(storage: Storage) -> None:
    await new_session(storage)
    source = Source()
    same = {"input": {"selector": "up"}}
    async with Journal(storage, "s-1", ME) as journal:
        calls = [planned(n, **same) for n in (1, 2)]
        first, second = await asyncio.gather(
            *(journal.call(c, lambda c=c: source.ask(c), read_facts=read_maximum) for c in calls)
        )
        elsewhere = await journal.call(
            planned(3, source="other", **same), lambda: source.ask(calls[0])
        )
        other_tool = planned(4, tool=ToolName.LIST_ALERTS, **same)
        await journal.call(other_tool, lambda: source.ask(calls[0]))
    assert first.id == second.id
    assert second.number == 1
    assert elsewhere.id != first.id
    assert len(await storage.invocations.rows("s-1")) == 3
    assert [kind for _, _, kind in await keys(storage)].count("duplicate") == 1
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        assert (await journal.call(calls[1], never)).id == first.id


async def test_guidance_is_recorded_but_never_a_row(storage: Storage) -> None:
    """B-08: reading a skill is an effect, not evidence."""
    await new_session(storage)

    async def body() -> Any:
        return "# How to look at pools"

    async with Journal(storage, "s-1", ME) as journal:
        await journal.effect("plan/skill/01", {"skill": "pool"}, body, PLAIN)
    assert await storage.invocations.rows("s-1") == ()


async def test_entries_are_linked_in_key_order_and_numbered_on(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", ME) as journal:
        for name in ("b", "a", "c"):
            await journal.stage(name, name)
        assert {e.seq for e in await storage.entries.load("s-1")} == {None}
        await journal.seal()
        await journal.stage("A", 1)
        await journal.seal()
    linked = sorted(await storage.entries.load("s-1"), key=lambda e: e.seq or 0)
    assert [e.key for e in linked] == ["stage/a", "stage/b", "stage/c", "stage/A"]
    assert [e.seq for e in linked] == [1, 2, 3, 4]


async def test_versions_are_recorded_and_never_a_mismatch(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", ME) as journal:
        assert await journal.versions({"code": "1"}) == {"code": "1"}
    async with Journal(storage, "s-1", ME, JournalMode.RESUME) as journal:
        assert await journal.versions({"code": "2"}) == {"code": "2"}
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        assert await journal.versions({"code": "3"}) == {"code": "2"}


async def test_a_replay_without_recorded_versions_says_none(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        assert await journal.versions({"code": "3"}) == {}
        await journal.seal()
        await journal.complete()
        assert (await journal.session()).status is SessionStatus.QUEUED


async def test_who_lost_the_session_cannot_write_any_more(
    storage: Storage, clock: SetClock
) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", Owner("slow")) as slow:
        await slow.stage("scope", 1)
        clock.pass_(61)
        async with Journal(storage, "s-1", Owner("next"), JournalMode.RESUME) as successor:
            for write in (slow.stage("plan", 1), slow.seal(), slow.start(), slow.complete()):
                with pytest.raises(SessionLostError, match="taken over by 'next'"):
                    await write
            await successor.stage("plan", 1)
    assert [k for k, _, _ in await keys(storage)] == ["stage/plan", "stage/scope"]


async def test_the_claim_is_renewed_in_the_background(storage: Storage, clock: SetClock) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", Owner("busy"), renew_seconds=0.005):
        for _ in range(4):
            clock.pass_(30)
            await asyncio.sleep(0.05)
        with pytest.raises(StorageError, match="is being worked on by 'busy'"):
            async with Journal(storage, "s-1", Owner("next")):
                pass


async def test_renewal_ends_when_the_session_was_lost(storage: Storage) -> None:
    await new_session(storage)
    heir = Owner("heir", is_gone=lambda name: name == "slow")
    async with (
        Journal(storage, "s-1", Owner("slow"), renew_seconds=0.03) as slow,
        Journal(storage, "s-1", heir),
    ):
        renewal = slow._ledger._renewal
        assert renewal is not None
        await asyncio.wait_for(renewal, timeout=5)


async def lose_claims(storage: Storage, error: Exception | None) -> None:
    """Work on a session while the table of claims goes away."""
    async with Journal(storage, "s-1", ME):
        async with storage.database.write() as connection:
            await connection.run_sync(session_claim.drop)
        if error is not None:
            raise error


async def test_a_claim_that_cannot_be_given_back_is_told_unless_an_error_says_more(
    tmp_path: Path,
) -> None:
    for error, expected in ((None, StorageError), (ZeroDivisionError(), ZeroDivisionError)):
        async with opened(tmp_path / str(error)) as storage:
            await new_session(storage)
            with pytest.raises(expected):
                await lose_claims(storage, error)


async def test_renewal_goes_on_after_the_database_was_busy(
    storage: Storage, clock: SetClock
) -> None:
    async with storage.database.write() as connection:
        await connection.execute(text("PRAGMA busy_timeout=1"))
    await new_session(storage)
    path = storage.database.label
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    async with Journal(storage, "s-1", Owner("busy"), renew_seconds=0.01):
        # in a thread: a renewal that is under way needs the event loop to end
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        await asyncio.sleep(0.1)
        other.rollback()
        clock.pass_(61)
        await asyncio.sleep(0.1)
        with pytest.raises(StorageError, match="is being worked on by 'busy'"):
            await storage.claims.take("s-1", Owner("next"))
    other.close()


async def test_an_entry_is_written_by_one_process_only(storage: Storage) -> None:
    await new_session(storage)
    claim = await storage.claims.take("s-1", ME)
    entry = NewEntry(
        session_id="s-1",
        key="stage/scope",
        kind=EntryKind.STAGE,
        request_hash="x",
        result={},
        recorded_at=storage.clock.now(),
    )
    await storage.entries.append(claim, entry)
    with pytest.raises(SessionLostError, match=r"'stage/scope'.*was written by another process"):
        await storage.entries.append(claim, entry)
    unclaimed = _journal_ledger.Ledger(storage, "s-1", JournalMode.LIVE)
    with pytest.raises(SessionLostError, match="is not claimed by this process"):
        await unclaimed.write(entry)


async def test_a_row_that_was_deleted_stops_the_replay(storage: Storage) -> None:
    await new_session(storage)
    await diagnose(storage, Source())
    async with storage.database.write() as connection:
        await connection.execute(text("DELETE FROM tool_invocation WHERE number = 1"))
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        with pytest.raises(ReplayMismatchError, match="run `superbiz trace verify`"):
            await journal.call(planned(1), never)


async def test_an_output_that_was_changed_stops_the_replay(storage: Storage) -> None:
    await new_session(storage)
    await diagnose(storage, Source())
    async with storage.database.write() as connection:
        await connection.execute(text("UPDATE evidence_blob SET data = zeroblob(9)"))
    async with Journal(storage, "s-1", ME, JournalMode.REPLAY) as journal:
        with pytest.raises(IntegrityError, match="cannot be unpacked"):
            await journal.call(planned(1), never)


async def test_calls_are_read_back_by_their_number(storage: Storage) -> None:
    await new_session(storage)
    await diagnose(storage, Source())
    call = await storage.invocations.get("s-1", 3)
    assert call.number == 3
    assert call.output is not None
    listed = await storage.invocations.list("s-1")
    assert [c.number for c in listed] == list(range(1, 9))
    assert listed[2] == call.model_copy(update={"output": None})
    with pytest.raises(StorageError, match="has no call E99"):
        await storage.invocations.get("s-1", 99)


async def test_a_running_session_is_described(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", ME) as journal:
        await journal.start()
        await journal.describe({"scope": (Entity(name="pay"),), "cause": ()}, rounds=2)
        session = await journal.session()
        assert await journal.rows() == ()
    assert (session.status, session.rounds) == (SessionStatus.RUNNING, 2)


async def test_evidence_beyond_the_budget_is_cut_and_says_so(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_journal_ledger, "SESSION_BYTES", 40_000)
    await new_session(storage)
    big = Answer(status=EvidenceStatus.OK, output=series(1, points=500, count=20))
    async with Journal(storage, "s-1", ME) as journal:
        first = await journal.call(planned(1), answering(big))
        second = await journal.call(planned(2), answering(big))
    async with Journal(storage, "s-1", ME) as journal:  # what is used is counted again
        third = await journal.call(
            planned(3), answering(big.model_copy(update={"output": series(7, 500, 9)}))
        )
    assert isinstance(first.output, SeriesSet)
    assert 0 < len(first.output) < 20
    assert first.truncated
    assert "the first" in first.warnings[0]
    assert second.truncated
    assert third.status is EvidenceStatus.ERROR
    assert third.output is None
    assert "evidence is full" in third.error
    assert await storage.blobs.stored_bytes("s-1") <= 40_000


async def test_kinds_of_entries_are_a_closed_list(storage: Storage) -> None:
    await new_session(storage)
    await diagnose(storage, Source())
    kinds = {e.kind for e in await storage.entries.load("s-1")}
    assert kinds == set(EntryKind) - {EntryKind.DUPLICATE}
