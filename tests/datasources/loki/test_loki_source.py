"""What a Loki gives, what it refuses, and what of it is taken; over real HTTP."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

import fault_server
import loki_server
from contract.recorded import LOG_COLUMNS
from fault_server import Reply
from loki_server import LokiServer, good
from superbizagent.cli.clock import SystemClock
from superbizagent.datasources.loki import HttpAccess, LokiLimits, LokiSource
from superbizagent.domain.logs import SEVERITIES, LogChunk, LogDigest, LogFile
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.source import (
    Answer,
    EvidenceStatus,
    LogQuery,
    SourceDescription,
)
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import DataSourceError, NothingReadableError
from superbizagent.investigation.tools import perform_call

pytestmark = pytest.mark.real_server
loki = loki_server.loki

NOW = datetime.now(UTC).replace(microsecond=0)
START = NOW - timedelta(minutes=40)
SPAN = Window(start=START - timedelta(minutes=10), end=NOW)
WINDOWS = Windows(
    incident=Window(start=NOW - timedelta(minutes=10), end=NOW),
    baselines=(Window(start=START, end=NOW - timedelta(minutes=12)),),
)
KINDS = {"service_name": "service", "app": "service", "job": "service", "host": "host"}


def ns(at: datetime) -> int:
    return round(at.timestamp()) * 1_000_000_000


def minutes(text: str, first: int = 0, last: int = 40) -> list[tuple[datetime, str]]:
    """A line a minute."""
    return [(START + timedelta(minutes=k), text.format(k)) for k in range(first, last)]


def source(url: str, **limits: float) -> LokiSource:
    given = LokiLimits(**limits)  # pyright: ignore[reportArgumentType] - whole numbers are given
    access = HttpAccess(url)
    return LokiSource(access, SPAN, SystemClock(), label_entities=KINDS, limits=given)


def describe(found: LokiSource) -> SourceDescription:
    return asyncio.run(found.describe())


def chunks(found: LokiSource, **query: object) -> list[LogChunk]:
    return list(found.read_logs(LogQuery.model_validate({"windows": WINDOWS} | query)))


def records(found: LokiSource, **query: object) -> pl.DataFrame:
    frames = [chunk.frame for chunk in chunks(found, **query)]
    return pl.concat([pl.DataFrame(schema=LOG_COLUMNS), *frames])


def files(found: LokiSource, **query: object) -> dict[str, LogFile]:
    return {chunk.file.path: chunk.file for chunk in chunks(found, **query)}


def levels(frame: pl.DataFrame) -> list[str]:
    return [SEVERITIES[code] for code in frame["severity"].to_list()]


def search(found: LokiSource, seconds: float = 20.0, services: Sequence[str] = ()) -> Answer:
    """Ask as a diagnosis does."""
    clock = SystemClock()
    query = LogQuery(services=tuple(services), windows=WINDOWS)
    call = PlannedCall(
        number=1,
        round=1,
        tool=ToolName.SEARCH_LOGS,
        source=found.name,
        input=query.model_dump(mode="json"),
        purpose="test",
    )
    ends_at = clock.monotonic() + seconds
    return asyncio.run(perform_call(call, {found.name: found}, clock, ends_at))


# What it says of itself --------------------------------------------------------------------------


def test_the_first_label_of_a_stream_names_its_service(loki: LokiServer) -> None:
    loki.push({"service_name": "orders", "app": "api", "namespace": "shop"}, minutes("a {}"))
    loki.push({"service_name": "unknown_service", "app": "stock"}, minutes("b {}"))
    loki.push({"job": "node", "cluster": "eu"}, minutes("c {}"))
    loki.push({"host": "web-1"}, minutes("d {}"))
    loki.push({"filename": "/var/log/syslog"}, minutes("nobody's {}"))
    described = describe(source(loki.url))
    assert [e.path for e in described.entities] == [
        "//host/web-1",
        "//service/stock",
        "/shop/service/orders",
        "eu//host/node",
    ]
    assert described.version == "3.4.2"
    frame = records(source(loki.url))
    assert sorted(frame["service"].unique().to_list()) == ["node", "orders", "stock", "web-1"]


def test_many_streams_are_known_by_name_only(
    loki: LokiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("superbizagent.datasources.loki.holdings._MOST_STREAMS", 3)
    for k in range(5):
        loki.push({"app": "orders", "namespace": "shop", "pod": f"orders-{k}"}, minutes("a {}"))
    described = describe(source(loki.url))
    assert [e.path for e in described.entities] == ["//service/orders"]
    assert "/series" not in loki.paths()


def test_a_server_that_tells_no_volume_is_read_in_slices(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("a {}"))
    loki.faults["/index/stats"] = lambda _: Reply(404, b"404 page not found", "text/plain")
    assert len(records(source(loki.url))) == 40
    assert loki.paths().count("/query_range") > 20


def test_labels_that_name_no_service_are_listed(loki: LokiServer) -> None:
    loki.push({"filename": "/var/log/syslog", "team": "a"}, minutes("a {}"))
    with pytest.raises(NothingReadableError, match=r"its labels: filename, team\).*entity_labels"):
        describe(source(loki.url))


def test_a_quiet_server_is_noted(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("a {}", last=20))
    assert "has no log line after" in describe(source(loki.url)).notes[0]


@pytest.mark.parametrize(("ahead", "words"), [(90, "ahead of"), (-90, "behind")])
def test_a_wrong_clock_is_noted(loki: LokiServer, ahead: int, words: str) -> None:
    loki.push({"app": "orders"}, minutes("a {}"))
    loki.clock_ahead = timedelta(seconds=ahead)
    [note] = describe(source(loki.url)).notes
    assert "the clock of loki is " in note
    assert f"{words} this machine's" in note


# Records -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("categorizes", [True, False])
def test_structured_metadata_gives_level_and_trace(loki: LokiServer, categorizes: bool) -> None:  # noqa: FBT001
    loki.categorizes = categorizes
    at = NOW - timedelta(minutes=5)
    rows: list[tuple[datetime, str, dict[str, str]]] = [
        (at, "payment came back", {"severity_text": "ERROR", "trace_id": "4bf92f3577b34da6"}),
        (at + timedelta(seconds=1), "WARN slow", {"detected_level": "error"}),
        (at + timedelta(seconds=2), "all is well", {"detected_level": "info"}),
    ]
    loki.push({"app": "orders"}, rows)
    frame = records(source(loki.url)).sort("time")
    assert frame["body"].to_list() == ["payment came back", "slow", "all is well"]
    assert levels(frame) == ["error", "warn", "info"]
    assert frame["trace_id"].to_list() == ["4bf92f3577b34da6", None, None]


def test_a_level_of_the_stream_wins_over_the_look_of_a_line(loki: LokiServer) -> None:
    loki.push({"app": "orders", "level": "debug"}, [(NOW, "retry failed")])
    assert levels(records(source(loki.url))) == ["debug"]


def test_lines_of_every_form_are_read_as_what_they_are(loki: LokiServer) -> None:
    at = NOW - timedelta(minutes=2)
    lines = [
        '{"level":"error","msg":"no connection","pool":10,"trace_id":"00f067aa0ba902b7"}',
        'ts=2026-03-01T12:00:00Z level=warn msg="pool is full" size=10',
        "2026-03-01 12:00:00,000 ERROR [main] c.e.Pool : timed out",
        "\x1b[31mERROR\x1b[0m red",
        "plain words",
        '2026-03-01T12:00:00Z stdout F {"level":"fatal","msg":"inside","pool":3}',
    ]
    loki.push({"app": "o"}, [(at + timedelta(seconds=k), text) for k, text in enumerate(lines)])
    frame = records(source(loki.url)).sort("time")
    assert levels(frame) == ["error", "warn", "error", "error", "unknown", "fatal"]
    assert frame["body"].to_list() == [
        "no connection pool=10",
        "pool is full size=10",
        "timed out",
        "red",
        "plain words",
        "inside pool=3",
    ]
    assert frame["trace_id"].to_list()[0] == "00f067aa0ba902b7"


def test_a_stack_trace_sent_line_by_line_is_one_record(loki: LokiServer) -> None:
    at = ns(NOW - timedelta(minutes=2))
    trace = ["ERROR boom", "\tat a.b(C.java:1)", "Caused by: x.Y", "\t... 3 more", "INFO next"]
    loki.push({"app": "orders"}, [(at + k, text) for k, text in enumerate(trace)])
    loki.push({"app": "orders", "pod": "2"}, [(at + 1, "INFO of another stream")])
    frame = records(source(loki.url))
    assert len(frame) == 3
    assert "\n".join(trace[:4]) in frame["line"].to_list()
    assert files(source(loki.url))["loki/orders"].lines == 6


@pytest.mark.parametrize(
    "name",
    ['"}', "a\\b", "a.b|c", "{app=", "订单", "a\nb", "%s{0}", "' or 1=1", "$(id)", "a`b"],
)
def test_hostile_names_are_names(loki: LokiServer, name: str) -> None:
    loki.push({"app": name}, minutes("hello {}"))
    loki.push({"app": "other"}, minutes("hello {}"))
    found = source(loki.url)
    assert name in {e.name for e in describe(found).entities}
    frame = records(found, services=(name,))
    assert frame["service"].unique().to_list() == [name]
    assert all(path.isprintable() for path in files(found))


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "\x00\x01\x02",
        "x" * 200_000,
        "\x1b[2J\x1b]0;t\x07",
        "{" * 500,
        '{"a":',
        "\x1e",
        "\r",
    ],
    ids=repr,
)
def test_hostile_lines_are_records(loki: LokiServer, line: str) -> None:
    at = NOW - timedelta(minutes=2)
    loki.push({"app": "orders"}, [(at, line), (at + timedelta(seconds=5), "INFO after it")])
    frame = records(source(loki.url))
    assert len(frame) == 2
    assert (frame["line"].str.len_bytes() <= 16_384).all()
    assert "\x1b" not in "".join(frame["line"].to_list())
    assert search(source(loki.url)).status is EvidenceStatus.OK


# Pages and limits --------------------------------------------------------------------------------


@pytest.mark.parametrize("page_lines", [1, 2, 7, 10, 50])
def test_pages_lose_and_repeat_nothing_where_times_are_equal(
    loki: LokiServer, page_lines: int
) -> None:
    for pod in ("a", "b", "c"):
        rows = [
            (ns(START + timedelta(minutes=k // 4 * 4)), f"INFO {pod} wrote {k}") for k in range(40)
        ]
        loki.push({"app": "orders", "pod": pod}, rows)
    limits = {"page_lines": page_lines, "max_requests": 2000}
    frame = records(source(loki.url, **limits))
    if page_lines >= 4:  # so many lines of one stream bear one time
        assert frame["line"].n_unique() == len(frame) == 120
    else:
        found = files(source(loki.url, **limits))["loki"]
        assert found.truncated
        assert "lines of one stream bear one time" in found.notes[0]


def test_a_server_that_allows_fewer_lines_is_asked_for_fewer(loki: LokiServer) -> None:
    loki.limits.max_entries = 9
    loki.push({"app": "orders"}, minutes("a {}"))
    assert len(records(source(loki.url))) == 40
    sizes = {p["limit"] for path, p, _ in loki.asked if path == "/query_range"} - {"1"}
    assert sizes == {"5000", "9", "10"} - {"10"}


def test_a_span_that_is_too_long_is_asked_for_in_parts(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("a {}"))
    found = source(loki.url)
    describe(found)
    loki.limits.max_query_length = timedelta(minutes=4)
    assert len(records(found)) == 40


def test_of_too_many_lines_those_that_speak_of_failure_are_read_from_the_whole_span(
    loki: LokiServer,
) -> None:
    rows = [
        (START + timedelta(seconds=k), f"ERROR lost {k}" if k % 50 == 0 else f"INFO fine {k}")
        for k in range(2400)
    ]
    loki.push({"app": "orders"}, rows)
    found = source(loki.url, max_lines=500)
    frame = records(found)
    assert len(frame) == 48
    assert set(levels(frame)) == {"error"}
    note = files(found)["loki"]
    assert note.truncated
    assert note.notes[0].startswith("about 2,400 lines are too many: only those with words of fail")


def test_where_failures_are_too_many_too_every_part_of_the_span_gets_its_share(
    loki: LokiServer,
) -> None:
    rows = [(START + timedelta(seconds=k), f"ERROR lost {k}") for k in range(2400)]
    loki.push({"app": "orders"}, rows)
    frame = records(source(loki.url, max_lines=240))
    assert 200 < len(frame) <= 260
    minutes_seen = (frame["time"] // 60_000).n_unique()
    assert minutes_seen >= 24
    [first, last] = [frame["time"].min(), frame["time"].max()]
    assert isinstance(first, int)
    assert isinstance(last, int)
    assert last - first > 36 * 60_000


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_bytes": 2000, "page_lines": 10}, "byte limit"),
        ({"max_requests": 3, "page_lines": 5}, "after 3 requests"),
        ({"read_seconds": 0.0, "page_lines": 5}, "after 0 s"),
    ],
)
def test_caps_hold_and_are_told(loki: LokiServer, limits: dict[str, float], words: str) -> None:
    loki.push({"app": "orders"}, minutes("INFO line number {}"))
    answer = search(source(loki.url, **limits))
    assert answer.truncated
    assert any(words in warning for warning in answer.warnings)
    assert isinstance(answer.output, LogDigest)
    assert 0 < answer.output.records_read < 40


def test_warnings_and_partial_answers_are_told(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    loki.warnings = ["2 of 3 ingesters did not answer"]
    answer = search(source(loki.url))
    assert answer.truncated
    assert answer.warnings == ("loki: 2 of 3 ingesters did not answer",)


def test_answers_are_asked_for_packed(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    records(source(loki.url))
    assert all("gzip" in headers["accept-encoding"] for _, _, headers in loki.asked)


def test_long_questions_are_posted(loki: LokiServer) -> None:
    names = [f"service-with-a-long-name-{k:04}" for k in range(200)]
    for name in names:
        loki.push({"app": name}, [(NOW, "INFO hello")])
    assert records(source(loki.url), services=names)["service"].n_unique() == 200


# Faults ------------------------------------------------------------------------------------------

FAULTS = [
    (Reply(401, b"{}"), EvidenceStatus.DENIED, "give credentials"),
    (Reply(401, b"no org id\n", "text/plain"), EvidenceStatus.DENIED, "X-Scope-OrgID"),
    (Reply(403, b"{}"), EvidenceStatus.DENIED, "give credentials"),
    (
        Reply(429, b"Too many outstanding requests", "text/plain", {"retry-after": "99"}),
        EvidenceStatus.ERROR,
        "Too many outstanding requests; it limits",
    ),
    (Reply(500, b"ingester: disk full", "text/plain"), EvidenceStatus.ERROR, "disk full"),
    (
        Reply(504, b"context deadline exceeded", "text/plain"),
        EvidenceStatus.TIMEOUT,
        "gave up: context deadline exceeded",
    ),
    (
        Reply(400, b"parse error at line 1", "text/plain"),
        EvidenceStatus.ERROR,
        "answers 400: parse error at line 1",
    ),
    (Reply(200, b"<html><title>Sign in", "text/html"), EvidenceStatus.ERROR, "base address"),
    (
        Reply(302, headers={"location": "https://sso.example.com/login?state=1"}),
        EvidenceStatus.ERROR,
        "to https://sso.example.com/login;",
    ),
    (Reply(200, b'{"status":"succ', missing_bytes=100), EvidenceStatus.ERROR, "broke off"),
    (Reply(200, b'{"status":"succ'), EvidenceStatus.ERROR, "damaged JSON"),
    (Reply(200, b'{"status":"success"}'), EvidenceStatus.ERROR, "is this a Loki?"),
    (good({"resultType": "matrix", "result": []}), EvidenceStatus.ERROR, "is this a Loki?"),
    (
        good({"resultType": "streams", "result": [{"stream": {}, "values": [["now", "x"]]}]}),
        EvidenceStatus.ERROR,
        "unknown form",
    ),
    (Reply(404, b"404 page not found", "text/plain"), EvidenceStatus.ERROR, "base address"),
]


@pytest.mark.parametrize(("reply", "status", "words"), FAULTS)
def test_a_search_that_fails_is_a_status_with_advice(
    loki: LokiServer, reply: Reply, status: EvidenceStatus, words: str
) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    found = source(loki.url)
    describe(found)
    loki.faults["/query_range"] = lambda _: reply
    answer = search(found)
    assert (answer.status, words in answer.error) == (status, True), answer.error
    assert "\n" not in answer.error


@pytest.mark.parametrize(
    ("reply", "words"),
    # A first look asks for no lines before it knows the labels.
    [(reply, words) for reply, _, words in FAULTS if b"resultType" not in reply.body],
)
def test_a_first_look_that_fails_is_one_line(loki: LokiServer, reply: Reply, words: str) -> None:
    loki.faults["*"] = lambda _: reply
    with pytest.raises(DataSourceError) as caught:
        describe(source(loki.url))
    assert words in str(caught.value)


def test_a_server_that_hangs_is_given_up(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    found = source(loki.url, timeout_seconds=0.3)
    describe(found)
    loki.faults["/query_range"] = lambda _: Reply(wait_seconds=20)
    began = time.monotonic()
    answer = search(found)
    assert answer.status is EvidenceStatus.TIMEOUT
    assert "did not answer" in answer.error
    assert time.monotonic() - began < 5


def test_a_first_look_at_a_server_that_hangs_is_given_up(loki: LokiServer) -> None:
    loki.faults["*"] = lambda _: Reply(wait_seconds=20)
    with pytest.raises(DataSourceError, match="did not"):
        describe(source(loki.url, survey_seconds=0.3))


def test_what_came_before_a_failure_is_kept(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    found = source(loki.url, page_lines=10)
    describe(found)
    before = len(loki.asked)

    def answer(params: dict[str, str]) -> Reply:
        if len(loki.asked) - before > 3:
            return Reply(500, b"ingester is gone", "text/plain")
        with_fault = loki.faults.pop("/query_range")
        reply = loki.reply("/query_range", list(params.items()), {})
        loki.faults["/query_range"] = with_fault
        return reply

    loki.faults["/query_range"] = answer
    result = search(found)
    assert result.status is EvidenceStatus.OK
    assert result.truncated
    assert any("the rest was not read" in w and "ingester is gone" in w for w in result.warnings)


def test_a_busy_server_is_asked_again_after_the_time_it_names(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    found = source(loki.url)
    describe(found)
    refusals = [Reply(429, b"wait", "text/plain", {"retry-after": "1"})]

    def answer(params: dict[str, str]) -> Reply:
        if refusals:
            return refusals.pop()
        del loki.faults["/query_range"]
        return loki.reply("/query_range", list(params.items()), {})

    loki.faults["/query_range"] = answer
    began = time.monotonic()
    assert search(found).status is EvidenceStatus.OK
    assert time.monotonic() - began >= 1


def test_nothing_in_the_span_is_empty_and_no_error(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, [(SPAN.start, "INFO early")])
    assert search(source(loki.url)).status is EvidenceStatus.EMPTY


def test_an_empty_server_is_one_line_that_names_the_tenant(loki: LokiServer) -> None:
    with pytest.raises(NothingReadableError, match=r"has no lines between .* X-Scope-OrgID"):
        describe(source(loki.url))


def test_tenants_are_kept_apart() -> None:
    server = LokiServer(multi_tenant=True)
    try:
        server.push({"app": "orders"}, minutes("INFO {}"), tenant="shop")

        def of(tenant: str) -> LokiSource:
            access = HttpAccess(server.url, headers={"X-Scope-OrgID": tenant} if tenant else {})
            return LokiSource(access, SPAN, SystemClock(), label_entities=KINDS)

        assert describe(of("shop")).entities
        with pytest.raises(DataSourceError, match=r"no org id.*X-Scope-OrgID"):
            describe(of(""))
        with pytest.raises(NothingReadableError, match="tenant"):
            describe(of("nobody"))
    finally:
        server.stop()


def test_a_path_prefix_leads_through_a_proxy() -> None:
    server = LokiServer(prefix="/api/datasources/proxy/uid/abc")
    try:
        server.push({"app": "orders"}, minutes("INFO {}"))
        access = HttpAccess(server.url, bearer_token="glsa_token-of-ours")  # noqa: S106 - a made-up one
        found = LokiSource(access, SPAN, SystemClock(), label_entities=KINDS)
        assert len(records(found)) == 40
        sent = {headers["authorization"] for _, _, headers in server.asked}
        assert sent == {"Bearer glsa_token-of-ours"}
    finally:
        server.stop()


def test_a_certificate_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    tls = fault_server.certificate(tmp_path)
    server = LokiServer(tls=tls)
    try:
        server.push({"app": "orders"}, minutes("INFO {}"))
        with pytest.raises(DataSourceError, match=r"not trusted.*ca_file"):
            describe(source(server.url))
        access = HttpAccess(server.url, ca_file=tls[0])
        found = LokiSource(access, SPAN, SystemClock(), label_entities=KINDS)
        assert describe(found).entities
    finally:
        server.stop()


def test_a_server_that_is_not_there_is_one_line() -> None:
    with pytest.raises(DataSourceError, match=r"http://127.0.0.1:1 cannot be reached"):
        describe(source("http://127.0.0.1:1"))


def test_two_searches_at_once_get_the_same_records(loki: LokiServer) -> None:
    loki.push({"app": "orders"}, minutes("INFO {}"))
    found = source(loki.url)

    async def together() -> list[int]:
        jobs = [asyncio.to_thread(lambda: len(records(found))) for _ in range(4)]
        return list(await asyncio.gather(*jobs))

    assert asyncio.run(together()) == [40] * 4
