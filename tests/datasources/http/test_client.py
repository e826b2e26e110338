"""Each way in which a server can fail a request, against a real socket."""

import asyncio
import gzip
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import fault_server
from fault_server import FaultServer, Reply, success
from superbizagent.datasources._http import HttpAccess, HttpClient, Pace, status_of
from superbizagent.domain.source import EvidenceStatus
from superbizagent.errors import (
    DataSourceError,
    PermanentDataSourceError,
    TemporaryDataSourceError,
)

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty

PATH = "/api/v1/labels"
SENT = "what-we-sent"


def get(access: HttpAccess, **options: Any) -> Any:
    async def run() -> Any:
        given: dict[str, Any] = {"timeout_seconds": 2.0} | options
        async with HttpClient(access, **given) as client:
            return await client.get(PATH)

    return asyncio.run(run())


def fails(server: FaultServer, reply: Reply | None = None, **options: Any) -> DataSourceError:
    if reply is not None:
        server.faults[PATH] = lambda _: reply
    access = HttpAccess(server.url, bearer_token=SENT)
    with pytest.raises(DataSourceError) as caught:
        get(access, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert SENT not in message
    assert server.url in message
    return caught.value


@pytest.mark.parametrize("status", [401, 403])
def test_denied_access_is_its_own_outcome_and_asked_once(faulty: FaultServer, status: int) -> None:
    error = fails(faulty, Reply(status, b"{}"))
    assert isinstance(error, PermanentDataSourceError)
    assert status_of(error) is EvidenceStatus.DENIED
    assert "give credentials" in str(error)
    assert len(faulty.asked) == 1


def test_a_server_that_echoes_our_token_does_not_make_us_print_it(faulty: FaultServer) -> None:
    error = fails(faulty, Reply(400, f'{{"error":"bad token {SENT}"}}'.encode()))
    assert "bad token ***" in str(error)


def test_too_many_requests_are_repeated_after_the_time_asked_for(faulty: FaultServer) -> None:
    replies = iter([Reply(429, b"{}", headers={"retry-after": "1"})])
    faulty.faults[PATH] = lambda _: next(replies, success(["job"]))
    began = time.monotonic()
    assert get(HttpAccess(faulty.url))["data"] == ["job"]
    assert time.monotonic() - began >= 0.9


def test_a_server_that_wants_a_long_pause_is_left_alone(faulty: FaultServer) -> None:
    error = fails(faulty, Reply(429, b"{}", headers={"retry-after": "600"}))
    assert isinstance(error, TemporaryDataSourceError)
    assert len(faulty.asked) == 1
    assert "429" in str(error)


def test_a_refusal_as_too_many_slows_everything_down(faulty: FaultServer) -> None:
    pace = Pace(4, time.monotonic)
    fails(faulty, Reply(429, b"{}"), pace=pace, attempts=2)
    assert pace.at_once == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failing_server_is_asked_a_few_times_and_quoted(faulty: FaultServer, status: int) -> None:
    error = fails(faulty, fault_server.failure(status, "internal", "out of disk"))
    assert isinstance(error, TemporaryDataSourceError)
    assert f"{status}: out of disk" in str(error)
    assert len(faulty.asked) == 3


def test_a_server_that_hangs_is_given_up_in_time_and_not_asked_again(faulty: FaultServer) -> None:
    began = time.monotonic()
    error = fails(faulty, Reply(body=b"[]", wait_seconds=30), timeout_seconds=0.3)
    assert time.monotonic() - began < 2
    assert status_of(error) is EvidenceStatus.TIMEOUT
    assert len(faulty.asked) == 1


def test_half_an_answer_is_told_as_that(faulty: FaultServer) -> None:
    error = fails(faulty, Reply(body=b'{"status":"success","da', missing_bytes=500))
    assert "broke off its answer" in str(error)


def test_json_that_was_cut_on_the_way_is_told_as_that(faulty: FaultServer) -> None:
    error = fails(faulty, Reply(body=b'{"status":"success","da'))
    assert "damaged JSON" in str(error)


def test_a_damaged_compressed_answer_is_told_as_that(faulty: FaultServer) -> None:
    body = gzip.compress(b'{"status":"success"}')[:-9] + b"broken..."
    error = fails(faulty, Reply(body=body, headers={"content-encoding": "gzip"}))
    assert "damaged" in str(error)


@pytest.mark.parametrize("status", [200, 404])
def test_a_web_page_is_quoted_without_control_characters(faulty: FaultServer, status: int) -> None:
    page = b"<html>\x1b<style>p { color: red }</style><title>Sign in</title><p clas"
    error = fails(faulty, Reply(status, page, "text/html; charset=utf-8"))
    assert "text/html, not with JSON" in str(error)
    assert "(Sign in)" in str(error)
    assert "\x1b" not in str(error)


def test_a_redirect_to_another_host_is_refused_and_named_without_its_query(
    faulty: FaultServer,
) -> None:
    target = f"https://login.example.com/start?state={SENT}"
    error = fails(faulty, Reply(302, headers={"location": target}))
    assert "to https://login.example.com/start;" in str(error)
    assert len(faulty.asked) == 1


@pytest.mark.parametrize("compressed", [False, True])
def test_an_answer_without_end_is_cut_off(faulty: FaultServer, compressed: bool) -> None:  # noqa: FBT001 - a table's column
    body = b'"' + b"x" * 3_000_000 + b'"'
    headers = {"content-encoding": "gzip"} if compressed else {}
    reply = Reply(body=gzip.compress(body) if compressed else body, headers=headers)
    error = fails(faulty, reply, max_body_bytes=1 << 20)
    assert "sends more than 1 MiB" in str(error)


def test_a_server_that_is_not_there_is_temporary() -> None:
    with pytest.raises(TemporaryDataSourceError, match="cannot be reached"):
        get(HttpAccess("http://127.0.0.1:1"), attempts=1)


def test_a_host_that_takes_no_connection_is_not_asked_again() -> None:
    asked: list[str] = []

    def drop(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        raise httpx2.ConnectTimeout("", request=request)

    with pytest.raises(TemporaryDataSourceError, match=r"within 5 s\); check") as caught:
        get(HttpAccess("http://metrics.example.com"), transport=httpx2.MockTransport(drop))
    assert status_of(caught.value) is EvidenceStatus.TIMEOUT
    assert len(asked) == 1


def test_variables_of_the_environment_choose_no_proxy_and_no_password(
    faulty: FaultServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ops password s3cret\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    get(HttpAccess(faulty.url))
    assert "authorization" not in faulty.asked[0][2]


def test_headers_and_basic_authentication_are_sent(faulty: FaultServer) -> None:
    headers = {"X-Scope-OrgID": "shop"}
    get(HttpAccess(faulty.url, headers=headers, username="ops", password="pw"))  # noqa: S106 - of a test
    sent = faulty.asked[0][2]
    assert sent["x-scope-orgid"] == "shop"
    assert sent["authorization"] == "Basic b3BzOnB3"


@pytest.fixture
def serve_tls(tmp_path: Path) -> Iterator[tuple[FaultServer, Path]]:
    """A server with a certificate, and the file that vouches for it."""
    cert, key = fault_server.certificate(tmp_path)
    server = FaultServer(tls=(cert, key))
    yield server, cert
    server.stop()


def test_a_certificate_of_an_unknown_authority_is_refused_and_says_what_to_do(
    serve_tls: tuple[FaultServer, Path],
) -> None:
    server, _ = serve_tls
    with pytest.raises(PermanentDataSourceError, match=r"is not trusted \(.*\); give .* ca_file"):
        get(HttpAccess(server.url))
    assert server.asked == []


def test_a_certificate_of_a_given_authority_is_accepted(
    serve_tls: tuple[FaultServer, Path],
) -> None:
    server, authority = serve_tls
    assert get(HttpAccess(server.url, ca_file=authority))["status"] == "success"


def test_a_server_that_asks_for_a_certificate_of_ours_gets_it(tmp_path: Path) -> None:
    cert, key = fault_server.certificate(tmp_path)
    server = FaultServer(tls=(cert, key), clients=cert)
    try:
        ours = HttpAccess(server.url, ca_file=cert, client_cert_file=cert, client_key_file=key)
        assert get(ours)["status"] == "success"
        with pytest.raises(TemporaryDataSourceError):
            get(HttpAccess(server.url, ca_file=cert), attempts=1)
    finally:
        server.stop()


def test_a_proxy_is_gone_through_when_it_is_named(faulty: FaultServer) -> None:
    access = HttpAccess("http://metrics.example.com/prom", proxy=faulty.url)
    faulty.faults["/prom/api/v1/labels"] = lambda _: success(["job"])
    assert get(access)["data"] == ["job"]
    assert faulty.asked[0][2]["host"] == "metrics.example.com"
