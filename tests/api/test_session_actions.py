"""What is done with sessions over HTTP: cancelled, queued again, started anew, judged."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from api_client import Api, opened_api
from journaling import new_session
from superbizagent.domain.incident import Incident
from superbizagent.domain.session import DiagnosisSession, SessionOutcome, SessionStatus
from superbizagent.storage.owner import Owner
from superbizagent.storage.service_state import CANCEL

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def api(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Api]:
    async with opened_api(tmp_path) as opened:
        yield opened


async def running(api: Api, name: str = "s-1", **outcome: Any) -> None:
    """A session that a worker has in hand."""
    await new_session(api.storage, name)
    claim = await api.storage.claims.take(name, Owner("worker"))
    await api.storage.sessions.start(claim)
    if outcome:
        await api.storage.sessions.store_outcome(claim, SessionOutcome(**outcome))
        await api.storage.sessions.complete(claim)


async def answered(api: Api, name: str, verdict: str = "likely", kind: str = "cpu") -> None:
    await running(api, name, verdict=verdict, selected_skill="pool", report={"fault_kind": kind})


# Cancel and requeue ------------------------------------------------------------------------------


async def test_a_session_that_waits_is_cancelled_at_once_and_sealed(api: Api) -> None:
    queued = DiagnosisSession(session_id="s-1", created_at=api.clock.at, updated_at=api.clock.at)
    await api.storage.queue.put(queued)
    assert (await api.post("/api/sessions/s-1/cancel"))["status"] == "cancelled"
    assert await api.storage.queue.length() == 0
    integrity = (await api.get("/api/traces/s-1", verify=1))["integrity"]
    assert integrity["ok"]
    assert integrity["sealed"]


async def test_a_session_that_runs_is_left_to_its_worker(api: Api) -> None:
    await running(api)
    assert (await api.post("/api/sessions/s-1/cancel", status=202))["status"] == "running"
    assert list(await api.storage.state.named(CANCEL)) == ["s-1"]
    assert api.woken == ["woken"]


@pytest.mark.parametrize("action", ["cancel", "requeue"])
async def test_what_has_ended_stays_as_it_is(api: Api, action: str) -> None:
    await answered(api, "s-1")
    problem = await api.post(f"/api/sessions/s-1/{action}", status=409)
    assert problem["error_code"] == "conflict"
    if action == "requeue":
        assert "/api/sessions/s-1/fork" in problem["hint"]
    assert (await api.get("/api/traces/s-1"))["session"]["status"] == "completed"


async def test_a_session_is_queued_again_only_when_nobody_works_on_it(api: Api) -> None:
    await running(api)
    problem = await api.post("/api/sessions/s-1/requeue", status=409)
    assert "cancel" in problem["hint"]
    api.clock.pass_(61)  # its worker has died
    assert (await api.post("/api/sessions/s-1/requeue"))["status"] == "queued"
    assert await api.storage.queue.next(5) == ("s-1",)
    assert (await api.post("/api/sessions/s-1/requeue"))["status"] == "queued"  # harmless
    assert await api.storage.queue.length() == 1


async def test_a_paused_session_goes_on(api: Api) -> None:
    await running(api)
    await api.storage.sessions.move("s-1", SessionStatus.PAUSED)
    assert (await api.post("/api/sessions/s-1/requeue"))["status"] == "queued"


# Fork --------------------------------------------------------------------------------------------


async def parent(api: Api) -> Incident:
    incident = Incident(question="why?", services=("orders",), received_at=api.clock.at)
    payload = {
        "incident": incident.model_dump(mode="json"),
        "sources": {"bundle": "theirs"},
        "config": {"max_rounds": 3},
    }
    fields = {"incident_id": "i", "conversation_id": "c", "question": "why?"}
    await new_session(api.storage, "s-1", payload=payload, **fields)
    return incident


async def test_a_fork_is_about_the_same_with_the_same_sources(api: Api) -> None:
    incident = await parent(api)
    api.clock.pass_(3600)
    new = await api.post("/api/sessions/s-1/fork")
    assert new["session_id"] != "s-1"
    assert new["parent_session_id"] == "s-1"
    assert (new["incident_id"], new["conversation_id"]) == ("i", "c")
    assert new["payload"]["sources"] == {"bundle": "theirs"}
    assert new["payload"]["config"] == {"max_rounds": 3}
    assert Incident.model_validate(new["payload"]["incident"]) == incident
    assert new["created_at"] == "2026-07-06T11:00:00.123456Z"
    assert await api.storage.queue.next(5) == (new["session_id"],)
    assert api.woken == ["woken"]


async def test_a_fork_changes_what_is_asked(api: Api) -> None:
    await parent(api)
    body = {
        "start": "2026-07-06T09:00:00Z",
        "end": "2026-07-06T17:30:00+08:00",
        "services": ["db"],
        "question": "为什么 <b>?",
        "language": "zh",
        "reasoner": "rules",
    }
    new = await api.post("/api/sessions/s-1/fork", body)
    incident = new["payload"]["incident"]
    assert (new["question"], new["language"]) == ("为什么 <b>?", "zh")
    assert incident["services"] == ["db"]
    assert (incident["start"], incident["end"]) == ("2026-07-06T09:00:00Z", "2026-07-06T09:30:00Z")


@pytest.mark.parametrize(
    "body",
    [
        {"start": "2026-07-06T10:00:00Z", "end": "2026-07-06T09:00:00Z"},
        {"start": "2026-07-06T10:00:00"},
        {"start": "0001-01-01T00:00:00Z"},  # any baseline of it would lie before the calendar
        {"end": "9999-12-31T23:59:59Z"},
        {"start": 7.4e-195},
        {"end": 1783332000},
        {"services": [""]},
        {"services": ["x" * 256]},
        {"services": ["x"] * 51},
        {"question": "x" * 10_001},
        {"language": "fr"},
        {"reasoner": "oracle"},
        {"sources": {"bundle": "/etc"}},
        {"parent": "s-2"},
        [],
        "text",
    ],
)
async def test_a_fork_of_nonsense_starts_nothing(api: Api, body: Any) -> None:
    await parent(api)
    await api.post("/api/sessions/s-1/fork", body, status=422)
    assert await api.storage.queue.length() == 0


@pytest.mark.parametrize(
    "text", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "1e400", "\ud800"]
)
async def test_a_time_beyond_the_calendar_is_refused(api: Api, text: str) -> None:
    await parent(api)
    body = '{"start": "' + text.encode("unicode_escape").decode() + '"}'
    answer = await api.client.post(
        "/api/sessions/s-1/fork", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422


async def test_a_session_whose_incident_cannot_be_read_is_not_forked(api: Api) -> None:
    await new_session(api.storage, payload={"old": True})
    problem = await api.post("/api/sessions/s-1/fork", status=409)
    assert "anew" in problem["hint"]


# Feedback ----------------------------------------------------------------------------------------


async def test_later_answers_of_the_kind_show_how_often_it_was_right(api: Api) -> None:
    for number in range(4):
        await answered(api, f"s-{number}")
    await answered(api, "other", kind="memory")
    for number, word in enumerate(("confirm", "reject")):
        await api.post(f"/api/sessions/s-{number}/feedback", {"judgement": word})
    few = (await api.get("/api/traces/s-3"))["track_record"]
    assert (few["judged"], few["right"], few["enough"]) == (2, 1, False)
    said = await api.post("/api/sessions/s-2/feedback", {"judgement": "confirm", "comment": "yes"})
    assert said["feedback"][0]["author"] == "anybody"
    assert said["session"]["session_id"] == "s-2"
    record = (await api.get("/api/traces/s-3"))["track_record"]
    assert (record["judged"], record["right"], record["enough"]) == (3, 2, True)
    own = (await api.get("/api/traces/s-2"))["track_record"]
    assert own["judged"] == 2  # its own judgement says nothing of it
    assert (await api.get("/api/traces/other"))["track_record"]["judged"] == 0


async def test_the_last_word_of_a_person_counts_and_the_others_are_kept(api: Api) -> None:
    for name in ("s-1", "s-2"):
        await answered(api, name)
    for word in ("confirm", "reject", "confirm", "reject"):  # at one instant, even
        await api.post("/api/sessions/s-1/feedback", {"judgement": word})
    record = (await api.get("/api/traces/s-2"))["track_record"]
    assert (record["judged"], record["right"]) == (1, 0)
    assert len((await api.get("/api/traces/s-1"))["feedback"]) == 4


async def test_feedback_is_redacted_and_part_of_the_trace(api: Api) -> None:
    await answered(api, "s-1")
    body = {
        "judgement": "reject",
        "right_entity": "default/default/service/db",
        "right_fault_kind": "lock_wait",
        "comment": "login with password=hunter2x9 showed it 订单",
    }
    await api.post("/api/sessions/s-1/feedback", body)
    [said] = (await api.get("/api/traces/s-1"))["feedback"]
    assert said["right_fault_kind"] == "lock_wait"
    assert "hunter2x9" not in said["comment"]
    assert "订单" in said["comment"]
    assert (await api.get("/api/traces/s-1", verify=1))["integrity"]["ok"]  # no part of the session


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"judgement": "maybe"},
        {"judgement": "reject", "right_fault_kind": "gremlins"},
        {"judgement": "confirm", "comment": "x" * 10_001},
        {"judgement": "confirm", "author": "somebody else"},
    ],
)
async def test_feedback_of_nonsense_is_refused(api: Api, body: Any) -> None:
    await answered(api, "s-1")
    await api.post("/api/sessions/s-1/feedback", body, status=422)
    assert (await api.get("/api/traces/s-1"))["feedback"] == []


async def test_a_session_without_an_answer_cannot_be_judged(api: Api) -> None:
    await running(api)
    problem = await api.post("/api/sessions/s-1/feedback", {"judgement": "confirm"}, status=409)
    assert "completed" in problem["hint"]
