"""The Prometheus reader against a real server, and against what is none."""

import asyncio
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx2
import numpy as np
import pytest

import prometheus_server
from prometheus_server import STALE_BITS, PrometheusServer
from superbizagent.datasources.prometheus import (
    PrometheusClient,
    PrometheusReader,
    firing_alerts,
)
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, to_ms
from superbizagent.errors import (
    DataSourceError,
    PermanentDataSourceError,
    TemporaryDataSourceError,
    UsageError,
)

pytestmark = pytest.mark.real_server

pytestmark = pytest.mark.real_server
prometheus = prometheus_server.prometheus

START = datetime(2026, 3, 1, 12, 0, 0, 125_000, tzinfo=UTC)
WINDOW = Window(start=START, end=START + timedelta(minutes=10))
STALE = struct.unpack("<d", struct.pack("<Q", STALE_BITS))[0]
NAN = float("nan")
ORDERS = Selector(matchers=(Matcher(label="job", value="orders"),))


def at(seconds: float) -> int:
    return to_ms(START) + round(seconds * 1000)


@pytest.fixture(scope="module", autouse=True)
def samples(prometheus: PrometheusServer) -> None:
    prometheus.write(
        {
            (("__name__", "pool_used"), ("job", "orders")): [
                (at(-5), 1.0), (at(0), 2.0), (at(5.001), 0.1 + 0.2), (at(10), NAN), (at(15), STALE),
                (at(600), 7.0), (at(600.001), 8.0),
            ],
            (("__name__", "pool_size"), ("job", "orders")): [(at(0), 10.0), (at(5), 10.0)],
            (("__name__", "pool_size"), ("job", "users")): [(at(0), 1e300), (at(5), float("-inf"))],
        }
    )  # fmt: skip


def read(
    url: str, selectors: list[Selector], *, window: Window = WINDOW, by_query: bool = False
) -> SeriesSet:
    async def run() -> SeriesSet:
        async with PrometheusClient(url) as client:
            reader = PrometheusReader(client)
            reader.keeps_staleness = not by_query
            return await reader.read(selectors, window)

    return asyncio.run(run())


def values(series: SeriesSet, name: str) -> list[tuple[int, int]]:
    [found] = [s for s in series if s.name == name]
    return list(zip(found.times.tolist(), found.values.view(np.int64).tolist(), strict=True))


def bits(value: float) -> int:
    return struct.unpack("<q", struct.pack("<d", value))[0]


def test_remote_read_gives_the_closed_window_bit_for_bit_with_staleness(
    prometheus: PrometheusServer,
) -> None:
    found = read(prometheus.url, [ORDERS])

    used = values(found, "pool_used")
    assert [t for t, _ in used] == [at(0), at(5.001), at(10), at(15), at(600)]
    assert used[1][1] == bits(0.1 + 0.2)
    assert np.isnan(np.array([used[2][1]]).view(np.float64)[0])
    assert used[2][1] != STALE_BITS
    assert used[3][1] == STALE_BITS
    assert used[4][1] == bits(7.0)


def test_range_query_gives_the_same_but_for_staleness(
    prometheus: PrometheusServer,
) -> None:
    everything = Selector(matchers=(Matcher(label="job", op=MatchOp.REGEX, value="orders|users"),))
    exact = read(prometheus.url, [everything])
    queried = read(prometheus.url, [everything], by_query=True)

    assert queried.labels == exact.labels
    for one, other in zip(exact, queried, strict=True):
        fresh = one.values.view(np.int64) != STALE_BITS
        np.testing.assert_array_equal(one.times[fresh], other.times)
        np.testing.assert_array_equal(one.values[fresh], other.values)


def test_a_series_that_two_selectors_select_comes_once(
    prometheus: PrometheusServer,
) -> None:
    found = read(prometheus.url, [ORDERS, Selector(name="pool_size")])
    assert [str(s) for s in found] == [
        'pool_size{job="orders"}',
        'pool_size{job="users"}',
        'pool_used{job="orders"}',
    ]


def test_regex_characters_in_a_matcher_reach_the_server_unharmed(
    prometheus: PrometheusServer,
) -> None:
    tricky = Selector(matchers=(Matcher(label="job", op=MatchOp.REGEX, value=r'or(d|"\\)ers'),))
    assert len(read(prometheus.url, [tricky])) == 2
    assert len(read(prometheus.url, [tricky], by_query=True)) == 2


def test_a_span_without_samples_is_empty(
    prometheus: PrometheusServer,
) -> None:
    before = Window(start=START - timedelta(days=2), end=START - timedelta(days=1))
    assert len(read(prometheus.url, [ORDERS], window=before)) == 0
    assert len(read(prometheus.url, [ORDERS], window=before, by_query=True)) == 0


def test_the_server_tells_its_version_interval_size_and_rules(
    prometheus: PrometheusServer,
) -> None:
    async def run() -> None:
        async with PrometheusClient(f"{prometheus.url}/") as client:
            reader = PrometheusReader(client)
            assert (await reader.version())[0].isdigit()
            assert await reader.scrape_interval_seconds() == 5.0
            count = await reader.series_count()
            assert count is not None
            assert count >= 3
            assert (await reader.rules())["groups"][0]["rules"][0]["name"] == "PoolExhausted"
            assert (await reader.alerts()) == {"alerts": []}

    asyncio.run(run())


Answer = Callable[[httpx2.Request], httpx2.Response]


def fails(answer: Answer, url: str = "http://metrics.example.com/prom") -> DataSourceError:
    async def run() -> None:
        transport = httpx2.MockTransport(answer)
        async with PrometheusClient(url, transport=transport, timeout_seconds=0.2) as client:
            reader = PrometheusReader(client)
            await reader.version()
            await reader.read([ORDERS], WINDOW)

    with pytest.raises(DataSourceError) as caught:
        asyncio.run(run())
    return caught.value


def test_no_server_is_temporary_and_names_the_address() -> None:
    async def run() -> None:
        async with PrometheusClient("http://127.0.0.1:1") as client:
            await PrometheusReader(client).version()

    with pytest.raises(TemporaryDataSourceError, match=r"http://127\.0\.0\.1:1 cannot be reached"):
        asyncio.run(run())


def test_an_html_answer_is_recognised() -> None:
    page = "<html><title>Grafana</title></html>"
    error = fails(lambda _: httpx2.Response(200, html=page))
    assert isinstance(error, PermanentDataSourceError)
    assert "text/html, not with JSON" in str(error)
    assert "Grafana" in str(error)


def test_json_of_another_kind_of_server_is_recognised() -> None:
    error = fails(lambda _: httpx2.Response(200, json=[1, 2]))
    assert "is this a Prometheus?" in str(error)


def test_a_wrong_path_prefix_is_recognised() -> None:
    error = fails(lambda _: httpx2.Response(404, text="404 page not found"))
    assert "http://metrics.example.com/prom/api/v1/" in str(error)
    assert "404" in str(error)


def test_denied_access_says_how_to_give_credentials_and_never_prints_them() -> None:
    error = fails(lambda _: httpx2.Response(401), "http://ops:s3cret@metrics.example.com")
    assert "denies access (401)" in str(error)
    assert "s3cret" not in str(error)


def test_credentials_in_the_address_become_basic_authentication() -> None:
    seen: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers.get("authorization", ""))
        return httpx2.Response(401)

    fails(answer, "http://ops:s3cret@metrics.example.com")
    assert seen[0] == "Basic b3BzOnMzY3JldA=="


def test_a_redirect_is_not_followed_blindly() -> None:
    error = fails(lambda _: httpx2.Response(302, headers={"location": "http://elsewhere"}))
    assert "redirects (302)" in str(error)


def test_an_overloaded_server_is_temporary() -> None:
    error = fails(lambda _: httpx2.Response(503, text="query queue full"))
    assert isinstance(error, TemporaryDataSourceError)
    assert "query queue full" in str(error)


def test_a_server_that_is_busy_for_a_moment_is_asked_again() -> None:
    answers = iter([httpx2.Response(503), httpx2.Response(429)])
    data = {"status": "success", "data": {"version": "3.1.0"}}

    async def run() -> str:
        transport = httpx2.MockTransport(lambda _: next(answers, httpx2.Response(200, json=data)))
        async with PrometheusClient("http://metrics.example.com", transport=transport) as client:
            return await PrometheusReader(client).version()

    assert asyncio.run(run()) == "3.1.0"


def test_a_refusal_is_not_asked_again() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        return httpx2.Response(403)

    fails(answer)
    assert len(asked) == len(set(asked))


def test_a_server_that_does_not_answer_in_time_is_temporary() -> None:
    async def answer(_: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(30)
        raise AssertionError("the reader waited too long")

    async def run() -> None:
        transport = httpx2.MockTransport(answer)
        url = "http://metrics.example.com"
        async with PrometheusClient(url, transport=transport, timeout_seconds=0.05) as client:
            await PrometheusReader(client).version()

    with pytest.raises(TemporaryDataSourceError, match=r"did not answer .* within 0\.05 s"):
        asyncio.run(run())


def _api(read_answer: httpx2.Response, query_answer: object = None) -> Answer:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/read"):
            return read_answer
        if request.url.path.endswith("/query"):
            return httpx2.Response(200, json={"status": "success", "data": query_answer})
        return httpx2.Response(200, json={"status": "success", "data": {"version": "3.1.0"}})

    return answer


def test_a_malformed_remote_read_answer_is_permanent() -> None:
    headers = {"content-type": "application/x-protobuf"}
    for body in (b"", b"\xff\xff\xff\xff\xff\x01 not snappy", b"\x04\x0cabcd"):
        error = fails(_api(httpx2.Response(200, content=body, headers=headers)))
        assert "malformed" in str(error)


def test_a_server_without_remote_read_is_asked_by_query() -> None:
    error = fails(_api(httpx2.Response(404), {"result": [{"metric": "none"}]}))
    assert "/api/v1/query answers in an unknown form" in str(error)


@pytest.mark.parametrize("url", ["", "metrics:9090", "ftp://metrics", "http://", "./data"])
def test_what_is_no_address_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        PrometheusClient(url)


def alerts_of(payload: object, names: list[str]) -> dict[str, object]:
    async def run() -> dict[str, object]:
        transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=payload))
        async with PrometheusClient("http://alerts.example.com", transport=transport) as client:
            return await firing_alerts(client, ["service", "job"], names)

    return asyncio.run(run())


def test_firing_alerts_come_as_alertmanager_would_have_sent_them() -> None:
    def row(name: str, service: str, starts_at: str) -> dict[str, object]:
        labels = {"alertname": name, "service": service, "severity": "page"}
        return {
            "labels": labels,
            "annotations": {"summary": name},
            "startsAt": starts_at,
            "fingerprint": name,
            "status": {"state": "active"},
            "receivers": [{"name": "x"}],
        }

    rows = [row("B", "orders", "2026-03-01T12:05:00Z"), row("A", "orders", "2026-03-01T12:04:00Z")]
    body = alerts_of([*rows, row("C", "users", "2026-03-01T12:00:00Z")], ["orders"])

    assert [a["labels"]["alertname"] for a in body["alerts"]] == ["A", "B"]  # pyright: ignore[reportUnknownVariableType, reportIndexIssue, reportGeneralTypeIssues] - plain JSON
    assert body["commonLabels"] == {"service": "orders", "severity": "page"}
    assert body["version"] == "4"
    assert "receivers" not in str(body)


def test_an_alertmanager_address_that_leads_elsewhere_is_recognised() -> None:
    with pytest.raises(PermanentDataSourceError, match="like an Alertmanager"):
        alerts_of({"status": "success"}, [])
