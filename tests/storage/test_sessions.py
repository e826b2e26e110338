"""Sessions: created, moved, listed, ended, judged."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from journaling import START, SetClock, Source, diagnose, new_session, opened
from superbizagent.domain.entity import Entity
from superbizagent.domain.incident import Channel
from superbizagent.domain.journal import Claim, EntryKind
from superbizagent.domain.session import (
    DiagnosisSession,
    SessionFilter,
    SessionOutcome,
    SessionStatus,
    may_become,
)
from superbizagent.errors import SessionLostError, StorageError, UsageError
from superbizagent.investigation.journal import Journal
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage

pytestmark = pytest.mark.anyio

ME = Owner("me")


async def test_a_session_comes_back_as_it_was_created_without_secrets(storage: Storage) -> None:
    created = await new_session(
        storage,
        question="why does password=hunter2x9 fail? 为什么",
        payload={"labels": {"api_token": "abc123xyz"}, "n": 1.5},
        self_evaluation={"forged": True},
    )
    stored = await storage.sessions.require("s-1")
    assert stored == created
    assert "hunter2x9" not in stored.question
    assert "为什么" in stored.question
    assert stored.payload["labels"]["api_token"].startswith("<redacted:")
    assert stored.self_evaluation == {}
    assert stored.created_at == START


async def test_a_taken_id_is_refused(storage: Storage) -> None:
    await new_session(storage)
    with pytest.raises(UsageError, match="'s-1' exists already"):
        await new_session(storage)
    await new_session(storage, "S-1")  # ids compare byte by byte


async def test_an_unknown_session_is_one_line(storage: Storage) -> None:
    assert await storage.sessions.get("s-9") is None
    for wanted in (
        storage.sessions.require("s-9"),
        storage.sessions.merge_self_evaluation("s-9", "x", {}),
        storage.sessions.move("s-9", SessionStatus.CANCELLED),
        storage.claims.take("s-9", ME),
    ):
        with pytest.raises(StorageError, match="there is no session 's-9'"):
            await wanted


async def filled(storage: Storage, clock: SetClock) -> None:
    """Three sessions, a minute apart, that differ in everything one can ask for."""
    for number, (channel, skill) in enumerate(
        [(Channel.AIOPS, "pool"), (Channel.CHAT, ""), (Channel.AIOPS, "")]
    ):
        clock.pass_(60)
        name = f"s-{number}"
        more: dict[str, Any] = {"conversation_id": "c"} if number == 1 else {"incident_id": "i"}
        await new_session(storage, name, channel=channel, selected_skill=skill, **more)
    claim = await storage.claims.take("s-0", ME)
    await storage.sessions.start(claim)
    entity = Entity(name="order-service")
    await storage.sessions.describe(claim, {"scope": (entity, entity)}, rounds=1)
    await storage.sessions.describe(claim, {"scope": (entity,), "cause": (Entity(name="db"),)})
    await storage.sessions.store_outcome(claim, SessionOutcome(verdict="likely"))
    await storage.sessions.merge_self_evaluation(
        "s-0", "aiops_rule_evaluation", {"verdict": "WARN"}
    )


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["s-2", "s-1", "s-0"]),
        ({"channel": "CHAT"}, ["s-1"]),
        ({"status": "running"}, ["s-0"]),
        ({"verdict": "likely"}, ["s-0"]),
        ({"gate": "WARN"}, ["s-0"]),
        ({"gate": "FAIL"}, []),
        ({"service": "order-service"}, ["s-0"]),
        ({"service": "db"}, ["s-0"]),
        ({"service": "other"}, []),
        ({"conversation_id": "c"}, ["s-1"]),
        ({"incident_id": "i"}, ["s-2", "s-0"]),
        ({"limit": 2}, ["s-2", "s-1"]),
        (
            {
                "limit": 2,
                "behind": {"created_at": "2026-07-06T10:02:00.123456Z", "session_id": "s-1"},
            },
            ["s-0"],
        ),
        ({"since": "2026-07-06T10:02:00.123456Z"}, ["s-2", "s-1"]),
        ({"until": "2026-07-06T10:02:00.123456Z"}, ["s-0"]),
    ],
)
async def test_sessions_are_listed_newest_first_and_narrowed(
    storage: Storage, clock: SetClock, wanted: dict[str, Any], expected: list[str]
) -> None:
    await filled(storage, clock)
    found = await storage.sessions.list(SessionFilter.model_validate(wanted))
    assert [session.session_id for session in found] == expected


async def test_sessions_are_found_by_the_tool_they_called(storage: Storage) -> None:
    await new_session(storage)
    await new_session(storage, "s-2")
    await diagnose(storage, Source(), calls=1)
    found = await storage.sessions.list(SessionFilter(tool="query_metrics"))
    assert [session.session_id for session in found] == ["s-1"]
    assert await storage.sessions.list(SessionFilter(tool="search_logs")) == ()


async def test_the_start_of_an_id_is_enough(storage: Storage, clock: SetClock) -> None:
    for name in ("abc-1", "abc-12", "abd", "10_2"):
        clock.pass_(1)
        await new_session(storage, name)
    assert await storage.sessions.resolve("abd") == "abd"
    assert await storage.sessions.resolve("abc-1") == "abc-1"
    assert await storage.sessions.resolve("last") == "10_2"
    assert await storage.sessions.resolve("10") == "10_2"
    with pytest.raises(StorageError, match="several sessions start with 'ab'"):
        await storage.sessions.resolve("ab")
    with pytest.raises(StorageError, match="there is no session '%'"):
        await storage.sessions.resolve("%")


def test_the_states_a_session_may_go_through() -> None:
    allowed = {
        (now.value, then.value)
        for now in SessionStatus
        for then in SessionStatus
        if now != then and may_become(now, then)
    }
    assert allowed == {
        *(("queued", then) for then in ("running", "cancelled")),
        ("queued", "failed"),
        *(("running", t) for t in ("queued", "paused", "completed", "failed", "cancelled")),
        *(("paused", then) for then in ("queued", "running", "cancelled")),
    }
    assert all(may_become(status, status) for status in SessionStatus)


async def test_a_session_that_has_ended_stays_as_it_is(storage: Storage) -> None:
    await new_session(storage)
    await diagnose(storage, Source(), calls=1)
    ended = await storage.sessions.require("s-1")
    assert ended.status is SessionStatus.COMPLETED
    claim = await storage.claims.take("s-1", ME)
    for write in (
        storage.sessions.start(claim),
        storage.sessions.store_outcome(claim, SessionOutcome(verdict="healthy")),
        storage.sessions.complete(claim, SessionStatus.FAILED),
        storage.sessions.move("s-1", SessionStatus.QUEUED),
    ):
        with pytest.raises(UsageError, match="is completed and cannot become"):
            await write
    assert await storage.sessions.require("s-1") == ended


async def test_a_waiting_session_is_cancelled_and_sealed(storage: Storage) -> None:
    await new_session(storage)
    await storage.sessions.move("s-1", SessionStatus.CANCELLED)
    assert (await storage.sessions.require("s-1")).finished_at is not None
    report = await verify_session(storage, "s-1")
    assert report.ok
    assert report.sealed


async def test_a_failure_is_stored_without_secrets(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", ME) as journal:
        await journal.start()
        await journal.complete(SessionStatus.FAILED, "no route to mysql://u:hunter2@h/")
    failed = await storage.sessions.require("s-1")
    assert failed.status is SessionStatus.FAILED
    assert "hunter2" not in failed.error


async def test_only_the_owner_writes(storage: Storage) -> None:
    await new_session(storage)
    stranger = Claim(session_id="s-1", owner="me", attempt=1)
    for write in (
        storage.sessions.start(stranger),
        storage.sessions.describe(stranger, {}),
        storage.sessions.store_outcome(stranger, SessionOutcome()),
        storage.sessions.complete(stranger),
    ):
        with pytest.raises(SessionLostError):
            await write


async def test_twenty_evaluators_at_once_keep_twenty_keys(storage: Storage) -> None:
    await new_session(storage)
    await asyncio.gather(
        *(storage.sessions.merge_self_evaluation("s-1", f"k{n}", {"n": n}) for n in range(20))
    )
    session = await storage.sessions.require("s-1")
    assert session.self_evaluation == {f"k{n}": {"n": n} for n in range(20)}
    assert (await verify_session(storage, "s-1")).ok


EVALUATOR = """
import asyncio, sys
from pathlib import Path
from journaling import opened

async def main():
    async with opened(Path(sys.argv[1])) as storage:
        await asyncio.gather(*(
            storage.sessions.merge_self_evaluation("s-1", f"{sys.argv[2]}{n}", {"n": n})
            for n in range(10)
        ))

asyncio.run(main())
"""


async def test_two_processes_at_once_keep_twenty_keys(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        await new_session(storage)
        processes = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", EVALUATOR, str(tmp_path), name),
                cwd=Path(__file__).parents[1],
            )
            for name in "ab"
        ]
        assert [await process.wait() for process in processes] == [0, 0]
        session = await storage.sessions.require("s-1")
        assert set(session.self_evaluation) == {f"{p}{n}" for p in "ab" for n in range(10)}
        assert (await verify_session(storage, "s-1")).ok


async def test_a_key_written_again_replaces_only_itself(storage: Storage) -> None:
    await new_session(storage)
    merge = storage.sessions.merge_self_evaluation
    await merge("s-1", "theirs", {"null": None, "数": [1, 2.5]})
    await merge("s-1", "mine", {"verdict": "FAIL"})
    await merge("s-1", "mine", {"verdict": "PASS"})
    await merge("s-1", "mine", {"verdict": "PASS"})  # the same again is no write
    session = await storage.sessions.require("s-1")
    assert session.self_evaluation == {
        "theirs": {"null": None, "数": [1, 2.5]},
        "mine": {"verdict": "PASS"},
    }
    keys = [e.key for e in await storage.entries.load("s-1") if e.kind is EntryKind.EVALUATION]
    assert keys == ["evaluation/mine/0001", "evaluation/mine/0002", "evaluation/theirs/0001"]


async def test_verdicts_are_columns_that_follow_the_document(storage: Storage) -> None:
    await new_session(storage)
    for key, value in {
        "aiops_rule_evaluation": {"verdict": "PASS"},
        "rule_evaluation": {"grade": "HIGH"},
        "verifier_evaluation": {"verdict": "supported"},
    }.items():
        await storage.sessions.merge_self_evaluation("s-1", key, value)
    session = await storage.sessions.require("s-1")
    found = (session.aiops_gate, session.rule_grade, session.verifier_verdict)
    assert found == ("PASS", "HIGH", "supported")


async def test_a_row_of_an_older_version_is_still_read(storage: Storage) -> None:
    """B-25: what an older version left out or added inside a document does no harm."""
    await new_session(storage, payload={"of": "an older", "version": [1]}, report=None)
    session = await storage.sessions.require("s-1")
    assert isinstance(session, DiagnosisSession)
    assert session.payload == {"of": "an older", "version": [1]}
