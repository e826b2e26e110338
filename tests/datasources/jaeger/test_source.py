"""A live Jaeger over real HTTP: what is asked, what comes of it, and what goes wrong."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fault_server import Reply
from jaeger_server import JaegerServer, refusal
from span_recordings import START, shop
from superbizagent.cli.clock import SystemClock
from superbizagent.datasources.jaeger import JaegerLimits, JaegerSource
from superbizagent.datasources.jaeger.searches import searches_of
from superbizagent.datasources.prometheus import HttpAccess
from superbizagent.domain.outputs import Topology
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, TraceQuery
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import DataSourceError, NothingReadableError

pytestmark = pytest.mark.real_server

SPANS = shop(minutes=20, slow_from=15, per_minute=6)
INCIDENT = Window(start=START + timedelta(minutes=15), end=START + timedelta(minutes=20))
BEFORE = Window(start=START, end=START + timedelta(minutes=14, seconds=59))
WINDOWS = Windows(incident=INCIDENT, baselines=(BEFORE,))


@pytest.fixture
def jaeger() -> Iterator[JaegerServer]:
    server = JaegerServer(SPANS, prefix="/jaeger")
    yield server
    server.stop()


def source(server: JaegerServer, **limits: Any) -> JaegerSource:
    span = WINDOWS.whole
    access = HttpAccess(server.url, headers={"X-Scope-OrgID": "shop"})
    return JaegerSource(access, span, SystemClock(), limits=JaegerLimits(**limits))


def read(server: JaegerServer, *services: str, **limits: Any) -> Answer:
    query = TraceQuery(services=services, windows=WINDOWS)
    return asyncio.run(source(server, **limits).read_spans(query))


def test_it_says_its_services_and_who_calls_whom(jaeger: JaegerServer) -> None:
    described = asyncio.run(source(jaeger).describe())
    assert [e.name for e in described.entities] == ["order", "payment", "storefront"]
    assert described.signals == (Signal.TRACES, Signal.TOPOLOGY)
    topology = asyncio.run(source(jaeger).get_topology()).output
    assert isinstance(topology, Topology)
    assert topology.callees("order") == ("payment",)
    assert {headers["x-scope-orgid"] for _, _, headers in jaeger.asked} == {"shop"}
    assert asyncio.run(source(jaeger).examine()).counts == {"services": 3}


def test_all_spans_of_the_windows_come_once(jaeger: JaegerServer) -> None:
    answer = read(jaeger, "payment", "order", "nobody")
    assert answer.status is EvidenceStatus.OK
    assert not answer.truncated
    assert isinstance(answer.output, SpanSet)
    assert len(answer.output) == len(SPANS)
    assert set(answer.output.span_ids) == {s.own for s in SPANS}
    searched = [asked for path, asked, _ in jaeger.asked if path == "/api/traces"]
    assert {asked["service"] for asked in searched} == {"payment", "order"}


def test_a_full_search_is_said(jaeger: JaegerServer) -> None:
    answer = read(jaeger, "payment", traces_per_search=5)
    assert answer.truncated
    assert "searches reached 5 traces: the newest of each were read" in answer.warnings[-1]
    assert isinstance(answer.output, SpanSet)
    starts = answer.output.start
    # Of the long time before as well as of the incident, and not of their ends alone.
    assert int(starts.min()) < int((START + timedelta(minutes=6)).timestamp() * 1e6)


def test_nothing_known_is_no_failure(jaeger: JaegerServer) -> None:
    assert read(jaeger, "nobody").status is EvidenceStatus.EMPTY


def test_searches_that_fail_leave_the_others(jaeger: JaegerServer) -> None:
    found = jaeger.reply

    def some(asked: dict[str, str]) -> Reply:
        del jaeger.faults["/api/traces"]
        try:
            return (
                refusal(500, "storage timeout")
                if asked["service"] == "order"
                else found("/api/traces", asked)
            )
        finally:
            jaeger.faults["/api/traces"] = some

    jaeger.faults["/api/traces"] = some
    answer = read(jaeger, "order", "payment")
    assert answer.status is EvidenceStatus.OK
    assert answer.truncated
    assert any("a search failed" in w for w in answer.warnings)


def test_when_every_search_fails_it_could_not_look(jaeger: JaegerServer) -> None:
    jaeger.faults["/api/traces"] = lambda _: refusal(500, "storage timeout")
    answer = read(jaeger, "order", "payment")
    assert answer.status is EvidenceStatus.ERROR
    assert "500" in answer.error


@pytest.mark.parametrize(
    ("reply", "status", "words"),
    [
        (refusal(500, "storage timeout"), EvidenceStatus.ERROR, "500"),
        (Reply(401, b"{}"), EvidenceStatus.DENIED, "401"),
        (Reply(200, b"<html>Grafana</html>", "text/html"), EvidenceStatus.ERROR, "not with JSON"),
        (Reply(200, b'{"traces": []}'), EvidenceStatus.ERROR, "does not answer like Jaeger's"),
        (Reply(200, b'{"data": ['), EvidenceStatus.ERROR, "damaged JSON"),
    ],
)
def test_what_is_no_jaeger_is_one_line(
    jaeger: JaegerServer, reply: Reply, status: EvidenceStatus, words: str
) -> None:
    jaeger.faults["*"] = lambda _: reply
    answer = read(jaeger, "order")
    assert answer.status is status
    assert words in answer.error
    assert "\n" not in answer.error
    with pytest.raises(DataSourceError, match=words):
        asyncio.run(source(jaeger).describe())


def test_a_server_without_services_has_nothing_to_say(jaeger: JaegerServer) -> None:
    jaeger.faults["/api/services"] = lambda _: Reply(body=b'{"data": null, "errors": null}')
    with pytest.raises(NothingReadableError, match="knows no service"):
        asyncio.run(source(jaeger).describe())


def test_searches_cover_every_window_and_stay_within_their_number() -> None:
    few = searches_of(["a", "b"], WINDOWS, 60)
    assert len(few) == 12
    pieces = sorted({(s.start_us, s.end_us) for s in few})
    assert pieces[0][0] == BEFORE.start_ms * 1000
    assert pieces[-1][1] == INCIDENT.end_ms * 1000 + 999
    many = searches_of([f"s{k}" for k in range(100)], WINDOWS, 60)
    assert len(many) == 60
    assert searches_of([], WINDOWS, 60) == ()
