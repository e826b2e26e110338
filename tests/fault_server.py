"""A small Prometheus and Alertmanager that misbehave on demand.

It answers as the public API documentation says, from two services with twenty samples each; a test
replaces the answer of any path by a fault: another status, HTML, half an answer, none at all.
"""

import contextlib
import json
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from contract.recorded import END, START, STEP
from superbizagent.domain.window import Window

SPAN = Window(start=START - timedelta(hours=1), end=END + timedelta(minutes=1))
SERVICES = ("orders", "stock")
SAMPLES = 20


@dataclass(frozen=True)
class Reply:
    """One answer, whole or broken."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    missing_bytes: int = 0
    """How many bytes are announced and never sent."""
    wait_seconds: float = 0.0


def success(data: Any, **more: Any) -> Reply:
    """The envelope of every good answer."""
    return Reply(body=json.dumps({"status": "success", "data": data, **more}).encode())


def failure(status: int, kind: str, text: str) -> Reply:
    """The envelope of a refusal."""
    body = json.dumps({"status": "error", "errorType": kind, "error": text}).encode()
    return Reply(status, body)


Answer = Callable[[dict[str, str]], Reply]


def matrix(metric: str = "requests_total") -> dict[str, Any]:
    """Samples of both services."""
    return {
        "resultType": "matrix",
        "result": [
            {
                "metric": {"__name__": metric, "job": service},
                "values": [[(START + k * STEP).timestamp(), str(k)] for k in range(SAMPLES)],
            }
            for service in SERVICES
        ],
    }


def _query(params: dict[str, str]) -> Reply:
    query = params["query"]
    if query.startswith("count by"):
        rows = [{"metric": {"__name__": "requests_total"}, "value": [END.timestamp(), "2"]}]
        return success({"resultType": "vector", "result": rows})
    if query == "time()":
        now = time.time()
        return success({"resultType": "scalar", "result": [now, str(now)]})
    return success(matrix("up" if query.startswith("up{") else "requests_total"))


def _series(_: dict[str, str]) -> Reply:
    return success(
        [
            {"__name__": "up", "job": s, "instance": f"{s}:9090", "namespace": "shop"}
            for s in SERVICES
        ]
    )


GOOD: dict[str, Answer] = {
    "/api/v1/status/buildinfo": lambda _: success({"version": "3.4.0"}),
    "/api/v1/status/tsdb": lambda _: success({"headStats": {"numSeries": 4}}),
    "/api/v1/labels": lambda _: success(["__name__", "instance", "job"]),
    "/api/v1/label/job/values": lambda _: success(list(SERVICES)),
    "/api/v1/series": _series,
    "/api/v1/query": _query,
    "/api/v1/query_range": lambda _: success(matrix()),
    "/api/v1/alerts": lambda _: success({"alerts": []}),
    "/api/v2/status": lambda _: Reply(body=b'{"versionInfo":{"version":"0.28.0"}}'),
    "/api/v2/alerts": lambda _: Reply(body=b"[]"),
}


def fired(*names: str) -> Answer:
    """Answer for the series of alerts; all others as a good server does."""

    def answer(params: dict[str, str]) -> Reply:
        if not params["query"].startswith("ALERTS"):
            return GOOD["/api/v1/query"](params)
        values = matrix()["result"][0]["values"]
        about = {"__name__": "ALERTS", "alertstate": "firing", "job": "orders"}
        rows = [{"metric": {**about, "alertname": n}, "values": values} for n in names]
        return success({"resultType": "matrix", "result": rows})

    return answer


class FaultServer:
    """Runs until `stop`; `faults` maps a path, or ``*`` for all, to what it answers."""

    def __init__(
        self,
        tls: tuple[Path, Path] | None = None,
        prefix: str = "",
        *,
        clients: Path | None = None,
    ) -> None:
        """Start.

        Args:
            tls: certificate and key; None: plain HTTP.
            prefix: stands before every path.
            clients: authority that a client's own certificate must come from.
        """
        self.faults: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        """Path, parameters and headers of each request."""
        self.under_way = 0
        self.most_under_way = 0
        self._prefix = prefix
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        scheme = "http"
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            if clients is not None:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(clients)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_port}{prefix}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def paths(self) -> list[str]:
        """Paths asked for, in order."""
        return [path for path, _, _ in self.asked]

    def reply(self, path: str, params: dict[str, str]) -> Reply:
        """Return the answer to one request."""
        if not path.startswith(self._prefix):
            return Reply(404, b"404 page not found", "text/plain")
        path = path.removeprefix(self._prefix)
        answer = self.faults.get(path) or self.faults.get("*") or GOOD.get(path)
        return answer(params) if answer else Reply(404, b"404 page not found", "text/plain")

    def _serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                self._answer(dict(parse_qsl(body.decode(), keep_blank_values=True)))

            def _answer(self, params: dict[str, str]) -> None:
                path = urlsplit(self.path).path
                with owner.counted(path, params, dict(self.headers)):
                    reply = owner.reply(path, params)
                    owner.wait(reply.wait_seconds)
                    with contextlib.suppress(OSError):
                        self._send(reply)

            def _send(self, reply: Reply) -> None:
                self.send_response(reply.status)
                self.send_header("content-type", reply.content_type)
                self.send_header("content-length", str(len(reply.body) + reply.missing_bytes))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)
                if reply.missing_bytes:
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base
                """Say nothing."""

        return Handler

    def wait(self, seconds: float) -> None:
        """Hang, but not beyond the end of the test."""
        if seconds:
            self._ended.wait(seconds)

    @contextlib.contextmanager
    def counted(
        self, path: str, params: dict[str, str], headers: dict[str, str]
    ) -> Generator[None]:
        """Remember a request and how many there are at once."""
        with self._lock:
            lower = {name.lower(): value for name, value in headers.items()}
            self.asked.append((path, params, lower))
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            yield
        finally:
            with self._lock:
                self.under_way -= 1


@pytest.fixture
def faulty() -> Iterator[FaultServer]:
    """A server that does what it should until it is told otherwise."""
    server = FaultServer()
    yield server
    server.stop()


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that only itself vouches for: its file and its key's."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl program")
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run([*words.split(), "-out", cert, "-keyout", key], check=True, capture_output=True)
    return cert, key
