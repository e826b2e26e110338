"""Chat, alerts and journals as streams of a real service."""

import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from serving import EXAMPLES, Service, events_of, serving
from superbizagent.api.streams.events import ending
from superbizagent.api.streams.session import is_behind
from superbizagent.domain.journal import EntryKind
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.storage.feed import FeedEntry

pytestmark = [pytest.mark.real_server, pytest.mark.timeout(120)]

KINDS = {
    "status", "plan", "tool_call", "tool_result", "content", "report", "usage", "heartbeat",
    "done", "error",
}  # fmt: skip
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    with serving(tmp_path_factory.mktemp("streams") / "data") as one:
        yield one


def streamed(service: Service, path: str, **options: Any) -> list[tuple[str, str, Any]]:
    method = "GET" if path.endswith("/events") else "POST"
    with service.client() as client, client.stream(method, path, **options) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(events_of(answer.iter_lines()))


def asked(service: Service, **body: Any) -> Any:
    with service.client() as client:
        return client.post("/api/chat", json=body)


def test_a_stream_begins_with_the_session_and_ends_with_done(service: Service) -> None:
    found = streamed(
        service, "/api/chat_stream", json={"Id": "order-1", "Question": "why are orders slow?"}
    )
    assert {name for name, _, _ in found} == {"message"}
    types = [data["type"] for _, _, data in found]
    assert set(types) <= KINDS
    assert found[0][2]["data"]["sessionId"] == "order-1"
    assert types[-1] == "done"
    assert types.count("done") == types.count("content") == types.count("report") == 1
    assert types.index("content") > max(k for k, t in enumerate(types) if t == "tool_result")
    calls = [data["data"]["call"] for _, _, data in found if data["type"] == "tool_call"]
    assert len(calls) == len(set(calls)) > 5
    assert found[-1][2]["data"]["verdict"] == "root_cause_found"


def test_content_is_the_checked_report_that_is_stored(service: Service) -> None:
    found = streamed(service, "/api/chat_stream", json={"Question": "why is order-service slow?"})
    told = {data["type"]: data["data"] for _, _, data in found}
    answer = asked(service, Id=told["done"]["sessionId"], Question="why is order-service slow?")
    assert answer.json()["data"]["success"]
    assert told["content"].startswith("# order-service: connection pool exhausted")
    assert told["report"]["verdict"] == told["done"]["verdict"]
    assert "[E" in told["content"]


@pytest.mark.parametrize("names", [("Id", "Question"), ("id", "question"), ("ID", "QUESTION")])
def test_clients_may_write_the_names_as_they_do(service: Service, names: tuple[str, str]) -> None:
    name, text = names
    answer = asked(service, **{name: f"alias-{name}", text: "is order-service slow?"}).json()
    assert answer["code"] == 200
    assert answer["data"]["sessionId"] == answer["data"]["conversationId"] == f"alias-{name}"
    assert answer["data"]["errorMessage"] == ""
    assert answer["data"]["answer"]


def test_the_next_turn_has_a_session_of_its_own(service: Service) -> None:
    first = asked(service, Id="talk", Question="why is order-service slow?").json()["data"]
    second = asked(service, Id="talk", Question="为什么 order-service 慢？").json()["data"]
    assert first["sessionId"] == "talk" != second["sessionId"]
    assert second["conversationId"] == "talk"
    assert "连接池" in second["answer"]
    with service.client() as client:
        told = client.get("/api/chat/session/talk").json()["data"]
        assert told["messagePairCount"] == 2
        assert client.post("/api/chat/clear", json={"Id": "talk"}).status_code == 200
        assert client.get("/api/chat/session/talk").status_code == 404
        assert client.post("/api/chat/clear", json={"Id": "talk"}).status_code == 404


def test_a_second_question_waits_for_the_first(service: Service) -> None:
    answers: list[Any] = []
    ask = threading.Thread(
        target=lambda: answers.append(asked(service, Id="both", Question="why is it slow?"))
    )
    ask.start()
    time.sleep(0.15)
    second = asked(service, Id="both", Question="and now?")
    ask.join()
    assert answers[0].json()["data"]["success"]
    if second.status_code != 200:  # the first was quicker on a fast machine
        assert second.status_code == 409
        assert second.json()["data"]["error_code"] == "conflict"


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"Question": "  "}, 400, "empty"),
        ({"Id": "a/../b", "Question": "x"}, 422, "body.Id"),
        ({"Id": "x" * 129, "Question": "x"}, 422, "body.Id"),
        ({"Id": "x"}, 422, "Question"),
        ({"Question": 7}, 422, "Question"),
        ({"Question": "x" * 20_001}, 422, "Question"),
        ([], 422, "body"),
    ],
)
def test_a_bad_question_is_told_what_is_wrong(
    service: Service, body: Any, status: int, said: str
) -> None:
    with service.client() as client:
        for path in ("/api/chat", "/api/chat_stream"):
            answer = client.post(path, json=body)
            assert answer.status_code == answer.json()["code"] == status
            assert said in answer.json()["message"]
            assert answer.json()["data"]["hint"]
            assert answer.json()["data"]["request_id"] == answer.headers["x-request-id"]


def test_a_form_is_no_json(service: Service) -> None:
    with service.client() as client:
        answer = client.post("/api/chat", data={"Question": "x"})
    assert answer.status_code == 415
    assert "Content-Type" in answer.json()["data"]["hint"]


def test_an_alert_is_diagnosed_within_its_payload(service: Service) -> None:
    body = (EXAMPLES / "mysql-connection-pool" / "alert.json").read_bytes()
    found = streamed(service, "/api/ai_ops", content=body)
    told = {data["type"]: data["data"] for _, _, data in found}
    assert told["done"]["verdict"] == "root_cause_found"
    assert "order-service" in told["content"]


@pytest.mark.parametrize("body", [b"", b"checkout is slow", b"{", b'{"alerts":[]}', b"\xff\x00"])
def test_whatever_comes_in_ends_with_done(service: Service, body: bytes) -> None:
    types = [data["type"] for _, _, data in streamed(service, "/api/ai_ops", content=body)]
    assert types[-1] == "done"


def test_a_trace_is_replayed_and_resumed(service: Service) -> None:
    session = asked(service, Id="again", Question="why is order-service slow?").json()["data"]
    path = f"/api/traces/{session['sessionId']}/events"
    whole = streamed(service, path)
    ids = [number for _, number, _ in whole if number]
    assert len(ids) == len(set(ids)) > 10
    resumed = streamed(service, path, headers={"Last-Event-ID": ids[5]})
    assert {n for _, n, _ in resumed if n} >= set(ids[6:])
    assert resumed[-1][0] == whole[-1][0] == "done"
    nonsense = streamed(service, path, headers={"Last-Event-ID": "no id"})
    assert [number for _, number, _ in nonsense if number] == ids


def test_an_unknown_session_has_no_events(service: Service) -> None:
    with service.client() as client:
        answer = client.get("/api/traces/nobody/events")
    assert answer.status_code == 404
    assert answer.json()["data"]["error_code"] == "not_found"


def test_a_killed_worker_changes_nothing_but_the_time(tmp_path: Path) -> None:
    body = {"Id": "killed", "Question": "why is order-service slow?"}
    with serving(tmp_path / "a") as undisturbed:
        plain = asked(undisturbed, **body).json()["data"]["answer"]
    with serving(tmp_path / "b") as one, one.client() as client:
        killed, content, data = False, "", dict[str, Any]()
        with client.stream("POST", "/api/chat_stream", json=body) as answer:
            for _, _, data in events_of(answer.iter_lines()):
                if data["type"] == "tool_result" and not killed:
                    os.kill(one.worker_pid(), signal.SIGKILL)
                    killed = True
                if data["type"] == "content":
                    content = data["data"]
        assert killed
        assert data["type"] == "done"
        # The age of the onset is counted from the question, which came at another time.
        assert _undated(content) == _undated(plain)


def _undated(text: str) -> list[str]:
    return [line for line in text.splitlines() if "ago" not in line]


def test_a_stream_ends_when_the_service_does(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "data", SUPERBIZ_WORKER__DRAIN_SECONDS="1") as one,
        one.client() as client,
    ):
        os.kill(one.worker_pid(), signal.SIGSTOP)  # the session stays open
        with client.stream("POST", "/api/chat_stream", json={"Question": "why?"}) as answer:
            lines = events_of(answer.iter_lines())
            assert next(lines)[2]["data"]["stage"] == "queued"
            pid = one.worker_pid()
            began = time.monotonic()
            one.process.send_signal(signal.SIGTERM)
            with suppress(httpx2.TransportError):  # the answer is cut: the client resumes
                assert all(data["type"] != "done" for _, _, data in lines)
            assert time.monotonic() - began < 6
        os.kill(pid, signal.SIGCONT)
        assert one.process.wait(20) in {0, -signal.SIGTERM}


def test_a_session_that_failed_says_why_and_is_done() -> None:
    session = DiagnosisSession(
        session_id="s",
        status=SessionStatus.FAILED,
        error="no source",
        created_at=NOW,
        updated_at=NOW,
    )
    events = ending(session)
    assert [event.kind for event in events] == ["usage", "error", "done"]
    assert events[1].data == {"message": "no source", "hint": "see /api/traces/s"}


def entry(seconds: float, key: str = "k") -> FeedEntry:
    return FeedEntry(key, 1, EntryKind.STAGE, "", NOW + timedelta(seconds=seconds))


def test_what_may_have_been_committed_late_is_told_again() -> None:
    last = entry(100).event_id
    assert not is_behind(entry(100), last)
    assert not is_behind(entry(89), last)
    assert is_behind(entry(91), last)
    assert is_behind(entry(100, "other"), last)
    assert is_behind(entry(101), last)
    assert is_behind(entry(0), "")


def test_who_vanishes_leaves_the_place_to_the_next(tmp_path: Path) -> None:
    """Streams that are cut free their places, and nothing is queued for want of one."""
    with (
        serving(tmp_path / "data", SUPERBIZ_SERVICE__MAX_STREAMS="3") as one,
        one.client() as client,
    ):
        os.kill(one.worker_pid(), signal.SIGSTOP)  # no stream ends by itself
        for turn in range(2):
            with ExitStack() as open_streams:
                for number in range(3):
                    body = {"Id": f"turn-{turn}-{number}", "Question": "why?"}
                    begun = client.stream("POST", "/api/chat_stream", json=body)
                    answer = open_streams.enter_context(begun)
                    assert answer.status_code == 200
                body = {"Id": f"too-many-{turn}", "Question": "why?"}
                refused = client.post("/api/chat_stream", json=body)
                assert refused.status_code == 503
                assert refused.headers["retry-after"] == "10"
            time.sleep(1)
            asked_for = client.get(f"/api/chat/session/too-many-{turn}")
            assert asked_for.status_code == 404
        os.kill(one.worker_pid(), signal.SIGCONT)


def test_a_follow_up_is_answered_from_what_was_found(service: Service) -> None:
    first = asked(service, Id="follow", Question="why is order-service slow?").json()["data"]
    second = asked(service, Id="follow", Question="why not mysql?").json()["data"]
    assert "nothing was looked at anew" in second["answer"]
    assert "mysql" in second["answer"]
    assert second["verdict"] == first["verdict"]
    with service.client() as client:
        assert client.post("/api/chat/clear", json={"Id": "follow"}).status_code == 200
    third = asked(service, Id="follow", Question="why not mysql?").json()["data"]
    assert "no diagnosis yet" in third["answer"]
