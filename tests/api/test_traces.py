"""Traces over HTTP: listing, reading, evidence; of any age, with any input."""

import base64
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api_client import Api, opened_api, read
from journaling import START, Source, diagnose, new_session
from superbizagent.domain.entity import Entity
from superbizagent.domain.session import SessionOutcome, SessionStatus
from superbizagent.storage.owner import Owner

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def api(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Api]:
    async with opened_api(tmp_path) as opened:
        yield opened


async def filled(api: Api) -> None:
    """Three sessions, a minute apart; the first has run and was judged."""
    for number, more in enumerate(
        ({"incident_id": "i"}, {"channel": "CHAT", "conversation_id": "c"}, {"incident_id": "j"})
    ):
        api.clock.pass_(60)
        await new_session(api.storage, f"s-{number}", **more)
    claim = await api.storage.claims.take("s-0", Owner("test"))
    await api.storage.sessions.start(claim)
    await api.storage.sessions.describe(claim, {"scope": (Entity(name="orders"),)})
    await api.storage.sessions.store_outcome(claim, SessionOutcome(verdict="likely"))
    await api.storage.sessions.merge_self_evaluation(
        "s-0", "aiops_rule_evaluation", {"verdict": "WARN"}
    )


# Listing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["s-2", "s-1", "s-0"]),
        ({"channel": "CHAT"}, ["s-1"]),
        ({"status": "running"}, ["s-0"]),
        ({"verdict": "likely"}, ["s-0"]),
        ({"gate": "WARN"}, ["s-0"]),
        ({"gate": "FAIL"}, []),
        ({"service": "orders"}, ["s-0"]),
        ({"service": "orders", "gate": "WARN"}, ["s-0"]),
        ({"service": "orders", "gate": "PASS"}, []),
        ({"tool": "query_metrics"}, []),
        ({"conversation": "c"}, ["s-1"]),
        ({"incident": "i"}, ["s-0"]),
        ({"since": "2026-07-06T10:02:00.123456Z"}, ["s-2", "s-1"]),
        ({"since": "2026-07-06T18:02:00.123456+08:00"}, ["s-2", "s-1"]),
        ({"until": "2026-07-06T10:02:00.123456"}, ["s-0"]),
        ({"until": "0001-01-01T00:00:00+14:00"}, []),
        ({"since": "9999-12-31T23:59:59-14:00"}, []),
    ],
)
async def test_filters_narrow_the_list(
    api: Api, query: dict[str, str], expected: list[str]
) -> None:
    await filled(api)
    found = read(await api.client.get("/api/traces", params=query), 200)
    assert [row["session_id"] for row in found["items"]] == expected
    assert found["next_cursor"] is None


async def test_a_row_is_light_and_says_what_it_is_about(api: Api) -> None:
    alert = {"labels": {"alertname": "OrdersSlow"}}
    payload = {"incident": {"alerts": [alert]}, "blob": "x" * 10_000}
    await new_session(api.storage, "s-a", payload=payload)
    await new_session(api.storage, "s-b", question="why is 订单 slow?", payload=payload)
    rows = {row["session_id"]: row for row in (await api.get("/api/traces"))["items"]}
    assert rows["s-a"]["title"] == "OrdersSlow"
    assert rows["s-b"]["title"] == "why is 订单 slow?"
    assert rows["s-a"]["created_at"] == "2026-07-06T10:00:00.123456Z"
    assert set(rows["s-a"]) == {
        *("session_id", "created_at", "started_at", "finished_at", "channel", "title", "services"),
        *("verdict", "gate", "status", "reasoner", "language", "conversation_id", "incident_id"),
        *("parent_session_id", "selected_skill", "error"),
    }
    assert len(json.dumps(rows["s-a"])) < 1000


async def test_pages_hold_each_session_once_while_others_come_and_go(api: Api) -> None:
    for number in range(7):
        api.clock.pass_(number % 2)  # some at the same instant
        await new_session(api.storage, f"s-{number}")
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        page = await api.get("/api/traces", limit=2, cursor=cursor)
        seen += [row["session_id"] for row in page["items"]]
        cursor = page["next_cursor"]
        api.clock.pass_(60)
        await new_session(api.storage, f"later-{len(seen)}")
        # the place of a cursor holds even when its session is gone
        api.write("DELETE FROM diagnosis_session WHERE session_id = ?", seen[-1])
    assert sorted(seen) == [f"s-{number}" for number in range(7)]


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "!!!!",
        "订单",
        encoded("null"),
        encoded('{"created_at":"now","session_id":"s"}'),
        encoded('{"created_at":"0001-01-01T00:00:00+14:00","session_id":"s"}'),
        encoded('{"created_at":"2026-07-06T10:00:00","session_id":"s"}'),
        "A" * 512,
    ],
)
async def test_a_cursor_of_no_list_is_refused(api: Api, cursor: str) -> None:
    problem = await api.get("/api/traces", 400, cursor=cursor)
    assert problem["error_code"] == "bad_cursor"
    assert "next_cursor" in problem["hint"]


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"limit": "501"},
        {"limit": "many"},
        {"gate": "pass"},
        {"channel": "FAX"},
        {"status": "done"},
        {"since": "yesterday"},
        {"tool": "x" * 65},
        {"cursor": "A" * 513},
        {"servcie": "orders"},
    ],
)
async def test_a_filter_that_is_none_is_named(api: Api, query: dict[str, str]) -> None:
    answer = await api.client.get("/api/traces", params=query)
    assert answer.status_code == 422
    assert next(iter(query)) in answer.json()["message"]


@pytest.mark.parametrize("name", ["tool", "service", "conversation", "incident"])
@pytest.mark.parametrize(
    "value",
    ["' OR 1=1 --", "'; DROP TABLE feedback; --", "%", "_", "\x00", "ordérs", "\u202e\U0001f600"],
)
async def test_a_filter_is_a_value_and_nothing_else(api: Api, name: str, value: str) -> None:
    await filled(api)
    assert (await api.get("/api/traces", **{name: value}))["items"] == []
    assert len((await api.get("/api/traces"))["items"]) == 3


# Reading -----------------------------------------------------------------------------------------


async def test_a_trace_holds_the_session_its_calls_and_their_summaries(api: Api) -> None:
    await new_session(api.storage)
    await diagnose(api.storage, Source(), calls=2)
    trace = await api.get("/api/traces/s-1")
    assert trace["session"]["session_id"] == "s-1"
    assert "self_evaluation" in trace["session"]
    assert [call["number"] for call in trace["invocations"]] == [1, 2, 3, 4]
    for call in trace["invocations"]:
        assert {"output_preview", "output_summary", "details", "retrieval_details"} <= set(call)
    assert "metric_1" in trace["invocations"][0]["output_summary"]
    assert [entry["n"] for entry in trace["tool_trace_summary"]["entries"]] == [1, 2, 3, 4]
    assert trace["integrity"]["checked"] == "head"
    assert trace["integrity"]["ok"]
    assert trace["integrity"]["sealed"]
    assert trace["damaged"] == []


async def test_a08_the_trace_shows_pass_warn_or_fail_with_the_reason_of_each_check(
    api: Api,
) -> None:
    await new_session(api.storage)
    checks = [
        {"id": "report_presence", "status": "PASS", "rule_id": "r", "message": "there"},
        {"id": "evidence_coverage", "status": "FAIL", "rule_id": "e", "message": "no evidence"},
    ]
    gate = {"verdict": "FAIL", "checks": checks}
    await api.storage.sessions.merge_self_evaluation("s-1", "aiops_rule_evaluation", gate)
    score = {"grade": "LOW", "score": 40, "deductions": [{"rule_id": "blank", "points": 50}]}
    await api.storage.sessions.merge_self_evaluation("s-1", "rule_evaluation", score)
    evaluations = (await api.get("/api/traces/s-1"))["evaluations"]
    assert evaluations["aiops_rule_evaluation"] == {
        "verdict": "FAIL",
        "score": None,
        "reasons": checks,
    }
    assert evaluations["rule_evaluation"]["verdict"] == "LOW"
    assert evaluations["rule_evaluation"]["score"] == 40
    assert evaluations["rule_evaluation"]["reasons"][0]["rule_id"] == "blank"
    [row] = (await api.get("/api/traces"))["items"]
    assert row["gate"] == "FAIL"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("retrieval_details", None),
        ("retrieval_details", '"a text"'),
        ("retrieval_details", '{"hits": 3}'),
        ("retrieval_details", "{not json"),
        ("details", "[]"),
        ("details", '"text"'),
        ("details", "null"),
        ("details", "{cut off"),
        ("input", "7"),
        ("number", "seven"),
        ("attempt", "twice"),
        ("started_at", "long ago"),
        ("truncated", "perhaps"),
    ],
)
async def test_b25_a_call_of_an_older_version_does_not_hide_the_trace(
    api: Api, column: str, value: str | None
) -> None:
    await new_session(api.storage)
    await diagnose(api.storage, Source(), calls=1)
    api.write(f"UPDATE tool_invocation SET {column} = ? WHERE number = 1", value)  # noqa: S608 - names of ours
    trace = await api.get("/api/traces/s-1")
    assert len(trace["invocations"]) == 2
    assert trace["tool_trace_summary"]["entries"]
    assert "metric_2" in json.dumps(trace["invocations"])
    assert len((await api.get("/api/traces", tool="query_metrics"))["items"]) == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("self_evaluation", '"none"'),
        ("self_evaluation", '{"aiops_rule_evaluation": null, "rule_evaluation": 7}'),
        ("report", "[1, 2]"),
        ("report", "{cut off"),
        ("payload", "{cut off"),
        ("payload", "[]"),
        ("scope", "x"),
        ("created_at", "long ago"),
        ("finished_at", "soon"),
        ("journal_length", "many"),
        ("head_hash", "sha256:other"),
    ],
)
async def test_a_session_of_which_a_value_is_damaged_is_shown(
    api: Api, column: str, value: str
) -> None:
    await new_session(api.storage)
    await diagnose(api.storage, Source(), calls=1)
    await new_session(api.storage, "s-2")
    api.write(f"UPDATE diagnosis_session SET {column} = ? WHERE session_id = 's-1'", value)  # noqa: S608 - names of ours
    trace = await api.get("/api/traces/s-1")
    assert len(trace["invocations"]) == 2
    rows = (await api.get("/api/traces"))["items"]
    assert {row["session_id"] for row in rows} == {"s-1", "s-2"}


async def test_integrity_is_looked_at_and_on_request_verified(api: Api) -> None:
    await new_session(api.storage)
    await diagnose(api.storage, Source(), calls=1)
    assert (await api.get("/api/traces/s-1", verify=1))["integrity"]["ok"]
    api.write("UPDATE tool_invocation SET output_preview = 'other' WHERE number = 1")
    assert (await api.get("/api/traces/s-1"))["integrity"]["ok"]  # the head does not tell
    full = (await api.get("/api/traces/s-1", verify=1))["integrity"]
    assert not full["ok"]
    assert full["problems"][0]["column"] == "output_preview"
    api.write("DELETE FROM journal_entry WHERE seq = (SELECT max(seq) FROM journal_entry)")
    head = (await api.get("/api/traces/s-1"))["integrity"]
    assert not head["ok"]
    assert "journal holds" in head["problems"][0]["message"]


# Evidence ----------------------------------------------------------------------------------------


async def test_evidence_is_read_by_pages_or_downloaded_whole(api: Api) -> None:
    await new_session(api.storage)
    await diagnose(api.storage, Source(), calls=1)
    call, _ = (await api.get("/api/traces/s-1"))["invocations"]
    path = f"/api/traces/s-1/evidence/{call['id']}"
    whole = await api.get(path)
    assert whole["output"] == {"kind": "series"}
    assert whole["total"] == 2
    assert whole["next_offset"] is None
    assert [item["labels"]["pod"] for item in whole["items"]] == ["p0", "p1"]
    assert len(whole["items"][0]["samples"]) == 20
    first = await api.get(path, limit=1)
    second = await api.get(path, limit=1, offset=first["next_offset"])
    assert first["items"] + second["items"] == whole["items"]
    assert second["next_offset"] is None
    assert (await api.get(path, offset=99))["items"] == []
    lines = (await api.client.get(path, params={"download": 1})).text.splitlines()
    assert json.loads(lines[0])["kind"] == "series"
    assert [json.loads(line) for line in lines[1:]] == whole["items"]


async def test_evidence_of_another_session_is_not_given(api: Api) -> None:
    await new_session(api.storage)
    await new_session(api.storage, "s-2")
    await diagnose(api.storage, Source(), calls=1)
    call, _ = (await api.get("/api/traces/s-1"))["invocations"]
    await api.get(f"/api/traces/s-2/evidence/{call['id']}", 404)
    await api.get("/api/traces/s-1/evidence/nothing", 404)
    await api.get("/api/traces/s-9/evidence/nothing", 404)


# Ids ---------------------------------------------------------------------------------------------

_ODD = [
    "s-9",
    "x" * 129,
    "x" * 5000,
    "..",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%5c..%5cwindows",
    "s-1%00",
    "%27%20OR%201=1--",
    "%F0%9F%98%80",
    "%ff%fe",
    "s-1%0d%0aSet-Cookie:%20a=b",
]


@pytest.mark.parametrize("name", _ODD)
@pytest.mark.parametrize("path", ["/api/traces/{}", "/api/traces/{}/evidence/x", "/api/skills/{}"])
async def test_an_id_of_nothing_is_not_found(api: Api, path: str, name: str) -> None:
    await new_session(api.storage)
    answer = await api.client.get(path.format(name))
    assert answer.status_code == 404
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("name", _ODD)
@pytest.mark.parametrize("action", ["cancel", "requeue", "fork", "feedback"])
async def test_nothing_is_done_to_a_session_that_is_not_there(
    api: Api, action: str, name: str
) -> None:
    await new_session(api.storage)
    body = {"judgement": "confirm"} if action == "feedback" else None
    answer = await api.client.post(f"/api/sessions/{name}/{action}", json=body)
    assert answer.status_code in {404, 405}
    assert len((await api.get("/api/traces"))["items"]) == 1


async def test_old_sessions_are_found_by_time(api: Api) -> None:
    await new_session(api.storage)
    later = (START + timedelta(days=1)).isoformat()
    assert (await api.get("/api/traces", since=later))["items"] == []
    assert len((await api.get("/api/traces", until=later))["items"]) == 1


async def test_a_finished_session_says_so(api: Api) -> None:
    await new_session(api.storage)
    await api.storage.sessions.move("s-1", SessionStatus.CANCELLED)
    trace: dict[str, Any] = await api.get("/api/traces/s-1")
    assert trace["session"]["status"] == "cancelled"
    assert trace["track_record"] is None
