"""Requests that nobody means well, over real sockets against a real service."""

import asyncio
import json
import socket
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from serving import Service, serving

pytestmark = [pytest.mark.real_server, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    """One service for all: what one request breaks, the next one shows."""
    with serving(
        tmp_path_factory.mktemp("bad") / "data",
        SUPERBIZ_LOG_LEVEL="info",
        SUPERBIZ_SERVICE__REQUESTS_PER_MINUTE="100000",
    ) as running:
        yield running
        assert running.process.poll() is None
        log = running.log.read_text()
        assert "Traceback" not in log
        assert "internal error" not in log
        assert "\x1b[31m" not in log
        assert not [line for line in log.splitlines() if line.startswith("FORGED")]


@pytest.fixture
def client(service: Service) -> Generator[httpx2.Client]:
    with service.client() as client:
        yield client
        assert client.get("/healthz").status_code == 200


def refused(answer: httpx2.Response, *statuses: int) -> None:
    assert answer.status_code in statuses, (answer.status_code, answer.text[:300])
    data = answer.json()
    assert data["code"] == answer.status_code
    assert set(data["data"]) == {"error_code", "hint", "request_id"}
    assert data["data"]["hint"]
    for name in ("x-content-type-options", "referrer-policy", "content-security-policy"):
        assert name in answer.headers


def exchange(service: Service, sent: bytes, *, half_close: bool = False) -> bytes:
    """Send bytes and return everything that comes until the other side closes, or 2 s pass."""
    host, _, port = service.url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=2) as connection:
        connection.sendall(sent)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        got = b""
        try:
            while piece := connection.recv(65536):
                got += piece
        except (TimeoutError, ConnectionResetError):
            pass
    return got


PATHS = [
    "/api/traces/..%2f..%2f..%2fetc%2fpasswd",
    "/api/traces/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd",
    "/api/chat/session/%00",
    "/api/chat/session/%c0%af%c0%ae",
    "/api/chat/session/%ed%a0%80",
    "/api/chat/session/%E2%80%AEtxt.exe",
    "/api/chat/session/%0d%0aSet-Cookie:%20a=b",
    "/api/chat/session/" + "a" * 5000,
    "/api/chat/session/' OR 1=1 --",
    "/api/chat/session/%F0%9F%92%A9",
    "//evil.example/%2f..",
]


@pytest.mark.parametrize("path", PATHS)
def test_paths_that_lead_elsewhere_lead_nowhere(client: httpx2.Client, path: str) -> None:
    answer = client.get(path)
    refused(answer, 400, 404, 422)
    assert "root:" not in answer.text
    assert "set-cookie" not in answer.headers


ODD = [
    "' OR '1'='1",
    "1; DROP TABLE api_token; --",
    '" UNION SELECT digest FROM api_token --',
    "%",
    "\x00",
    "\u202eevil",
    "a" * 8000,
    "{{7*7}}${jndi:ldap://x}",
    "NaN",
    "-1",
    "9" * 400,
    "1e999",
    "\r\nFORGED 1",
    "\x1b[31mFORGED",
]


@pytest.mark.parametrize("value", ODD)
def test_every_query_parameter_takes_anything_and_nothing_breaks(
    client: httpx2.Client, value: str
) -> None:
    asked = 0
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        there = path.replace("{", "").replace("}", "")
        for parameter in methods.get("get", {}).get("parameters", ()):
            if parameter["in"] != "query":
                continue
            answer = client.get(there, params={parameter["name"]: value})
            asked += 1
            assert answer.status_code < 500, answer.text
            assert answer.json()["code"] in (200, answer.status_code)
            assert "sha256:" not in answer.text
    assert asked >= 4


def test_the_tables_are_still_there_and_hold_nothing_of_it(client: httpx2.Client) -> None:
    assert client.get("/api/audit").status_code == 200


BODIES: list[tuple[bytes, tuple[int, ...]]] = [
    (b"", (422,)),
    (b"null", (422,)),
    (b"{", (422,)),
    (b"\xff\xfe\x00", (400, 422)),
    (b'{"token": NaN}', (422,)),
    (b'{"token": Infinity}', (422,)),
    (b'{"token": "\\ud800"}', (401, 422)),
    (b'{"\\ud800": 1}', (422,)),
    (b'{"token": "a", "token": ["b"]}', (422,)),
    (b'{"token": "' + b"a" * 100_000 + b'"}', (422,)),
    (b'{"token": "\\u0000\\u202e"}', (401, 422)),
    (b"[" * 100_000 + b"]" * 100_000, (400, 422)),
    (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, (400, 422)),
    (b"9" * 10_000, (400, 422)),
]


@pytest.mark.parametrize(("body", "statuses"), BODIES)
def test_bodies_of_every_kind_are_refused_in_one_shape(
    client: httpx2.Client, body: bytes, statuses: tuple[int, ...]
) -> None:
    headers = {"Content-Type": "application/json"}
    refused(client.post("/api/login", content=body, headers=headers), *statuses, 429)
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        if "requestBody" in methods.get("post", {}) and "stream" not in path and "ops" not in path:
            answer = client.post(
                path.replace("{", "").replace("}", ""), content=body, headers=headers
            )
            assert answer.status_code < 500, (path, answer.text)


def test_packed_and_endless_bodies_are_refused(client: httpx2.Client) -> None:
    bomb = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    refused(client.post("/api/login", content=b"\x1f\x8b" * 100, headers=bomb), 415)
    large = b'{"token": "' + b"a" * 11 * 1024 * 1024 + b'"}'
    plain = {"Content-Type": "application/json"}
    refused(client.post("/api/login", content=large, headers=plain), 413)
    pieces = (large[at : at + 65536] for at in range(0, len(large), 65536))  # chunked
    refused(client.post("/api/login", content=pieces, headers=plain), 413)


def test_a_header_of_ours_cannot_be_forged(client: httpx2.Client, service: Service) -> None:
    for given in ("a b", "x" * 65, "\x1b[31mFORGED", "é"):
        answer = client.get("/healthz", headers=[(b"X-Request-ID", given.encode("latin-1"))])
        if answer.status_code == 200:
            assert answer.headers["x-request-id"] != given
            assert len(answer.headers["x-request-id"]) == 16
    kept = client.get("/healthz", headers={"X-Request-ID": "alert-7.b_c"})
    assert kept.headers["x-request-id"] == "alert-7.b_c"


def test_heads_without_end_are_refused(service: Service) -> None:
    start = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    many = b"".join(b"X-%d: 1\r\n" % n for n in range(200))
    for sent in (
        start + many + b"\r\n",
        start + b"X-Long: " + b"a" * 40_000 + b"\r\n\r\n",
        start + b"X-Long: " + b"a" * 300_000,
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ):
        got = exchange(service, sent)
        assert got.startswith(b"HTTP/1.1 431 "), got[:200]
        assert (
            json.loads(got.partition(b"\r\n\r\n")[2])["data"]["error_code"] == "headers_too_large"
        )


SMUGGLED = b"GET /api/audit HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: smuggled\r\n\r\n"


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        b"Content-Length: 4\r\nContent-Length: 5\r\n",
        b"Content-Length: +4\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 99999999999999999999999\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n",
    ],
)
def test_two_ways_to_read_a_length_are_none(service: Service, framing: bytes) -> None:
    head = b"POST /api/login HTTP/1.1\r\nHost: localhost\r\n" + framing + b"\r\n"
    got = exchange(service, head + b"0\r\n\r\n" + SMUGGLED)
    assert got.count(b"HTTP/1.1 ") <= 1, got
    assert b"smuggled" not in got


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS to a plain port
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA\x00B: 1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rSet-Cookie: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_http_gets_one_refusal(service: Service, sent: bytes) -> None:
    got = exchange(service, sent)
    assert got == b"" or got.startswith(b"HTTP/1.1 400 "), got[:200]
    if got:
        assert set(json.loads(got.partition(b"\r\n\r\n")[2])) == {"code", "message", "data"}


def test_pipelined_requests_are_answered_in_order(service: Service) -> None:
    one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: %s\r\n\r\n"
    got = exchange(service, b"".join(one % b"n-%d" % n for n in range(20)))
    order = [line for line in got.lower().split(b"\r\n") if line.startswith(b"x-request-id")]
    assert order == [b"x-request-id: n-%d" % n for n in range(20)]


def test_half_closed_connections_and_vanishing_clients_leave_nothing_open(
    service: Service,
) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    body = b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
    for _ in range(50):
        exchange(service, head, half_close=True)
        exchange(service, body, half_close=True)
    assert _open_sockets(service) < 30


def test_readers_of_streams_may_vanish(service: Service) -> None:
    body = b'{"Id": "gone-%d", "Question": "why is checkout slow?"}'
    for number in range(5):
        host, _, port = service.url.removeprefix("http://").rpartition(":")
        sent = body % number
        head = b"POST /api/chat_stream HTTP/1.1\r\nHost: localhost\r\n"
        head += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(sent)
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(head + sent)
            assert connection.recv(15) == b"HTTP/1.1 200 OK"


@pytest.mark.timeout(120)
def test_a_thousand_idle_connections_stop_nobody_and_are_closed(service: Service) -> None:
    before = _open_sockets(service)

    async def idle() -> None:
        host, _, port = service.url.removeprefix("http://").rpartition(":")
        opened: list[Any] = []
        for number in range(1000):
            reader, writer = await asyncio.open_connection(host, int(port))
            if number % 2:
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: loc")  # and no more
            opened.append((reader, writer))
        began = time.monotonic()
        async with httpx2.AsyncClient(base_url=service.url, trust_env=False) as client:
            assert (await client.get("/healthz")).status_code == 200
        assert time.monotonic() - began < 1
        assert _open_sockets(service) >= before + 990
        answers = await asyncio.wait_for(asyncio.gather(*(r.read() for r, _ in opened)), 20)
        assert {answer.partition(b"\r\n")[0] for answer in answers} == {
            b"HTTP/1.1 408 Request Timeout"
        }
        for _, writer in opened:
            writer.close()

    asyncio.run(idle())
    time.sleep(1)
    assert _open_sockets(service) < before + 20


def test_a_body_that_comes_too_slowly_is_not_waited_for_by_others(service: Service) -> None:
    host, _, port = service.url.removeprefix("http://").rpartition(":")
    head = b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
    slow = [socket.create_connection((host, int(port))) for _ in range(100)]
    for connection in slow:
        connection.sendall(head)
    with service.client() as client:
        began = time.monotonic()
        assert client.get("/healthz").status_code == 200
        assert time.monotonic() - began < 1
    for connection in slow:
        connection.close()


def _open_sockets(service: Service) -> int:
    folder = Path(f"/proc/{service.process.pid}/fd")
    return sum(1 for entry in folder.iterdir() if _is_socket(entry))


def _is_socket(entry: Path) -> bool:
    try:
        return str(entry.readlink()).startswith("socket:")
    except OSError:
        return False
