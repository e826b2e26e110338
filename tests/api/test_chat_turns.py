"""A conversation with a real service: later turns know what the first came to."""

from collections.abc import Generator
from typing import Any

import pytest

from serving import Service, events_of, serving

pytestmark = [pytest.mark.real_server, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    with serving(tmp_path_factory.mktemp("turns") / "data") as one:
        yield one


def say(service: Service, conversation: str, text: str) -> Any:
    with service.client() as client:
        answer = client.post("/api/chat", json={"Id": conversation, "Question": text})
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def test_a_follow_up_is_answered_from_the_first_turn(service: Service) -> None:
    first = say(service, "case-1", "why is order-service slow?")
    second = say(service, "case-1", "why not mysql?")
    assert (first["sessionId"], second["conversationId"]) == ("case-1", "case-1")
    assert second["success"]
    assert second["verdict"] == first["verdict"]
    assert "nothing was looked at anew" in second["answer"]
    assert "slow queries: rows scanned rise: does not hold" in second["answer"]
    third = say(service, "case-1", "那 storefront 呢？")
    assert "查看了 storefront" in third["answer"]
    assert "没有重新查看" not in third["answer"]
    fourth = say(service, "case-1", "它什么时候开始的？")
    assert "“它”" in fourth["answer"] or "依据对 storefront 的诊断" in fourth["answer"]


def test_a_follow_up_is_streamed_with_the_calls_that_it_reuses(service: Service) -> None:
    say(service, "case-2", "why is order-service slow?")
    body = {"Id": "case-2", "Question": "what changed?"}
    with service.client() as client, client.stream("POST", "/api/chat_stream", json=body) as told:
        found = [data for _, _, data in events_of(told.iter_lines())]
    types = [event["type"] for event in found]
    assert types.count("content") == types.count("done") == 1
    assert "tool_result" in types
    content = next(event["data"] for event in found if event["type"] == "content")
    assert "No change was recorded" in content


def test_small_talk_begins_no_diagnosis(service: Service) -> None:
    said = say(service, "case-3", "hello")
    assert said["success"]
    assert "nothing was looked at" in said["answer"]
    with service.client() as client:
        trace = client.get("/api/chat/session/case-3").json()["data"]
    assert trace["messagePairCount"] == 1


def test_what_was_cleared_is_forgotten(service: Service) -> None:
    say(service, "case-4", "why is order-service slow?")
    with service.client() as client:
        assert client.post("/api/chat/clear", json={"Id": "case-4"}).status_code == 200
    assert "no diagnosis yet" in say(service, "case-4", "why not mysql?")["answer"]
