"""A small Jaeger over real HTTP, after its public query API.

It answers ``services``, ``traces`` (of a service, from ``start`` to ``end`` in microseconds, the
newest ``limit`` first, 20 by default) and ``dependencies``, and refuses a search without a service.
A test replaces the answer of any path by a fault.
"""

import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fault_server import Reply
from span_recordings import Span, jaeger_traces

Answer = Callable[[dict[str, str]], Reply]


def data(found: Any) -> Reply:
    """The envelope of every good answer."""
    body = {"data": found, "total": 0, "limit": 0, "offset": 0, "errors": None}
    return Reply(body=json.dumps(body).encode())


def refusal(code: int, text: str) -> Reply:
    """The envelope of every refusal."""
    body = {"data": None, "total": 0, "errors": [{"code": code, "msg": text}]}
    return Reply(code, json.dumps(body).encode())


class JaegerServer:
    """Runs until `stop`; `faults` maps a path, or ``*`` for all, to what it answers."""

    def __init__(self, spans: Sequence[Span], prefix: str = "") -> None:
        self.faults: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        """Path without the prefix, parameters and headers of each request."""
        self._prefix = prefix
        self._traces = jaeger_traces(spans)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}{prefix}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, path: str, asked: dict[str, str]) -> Reply:
        """Return what the server says."""
        fault = self.faults.get(path) or self.faults.get("*")
        if fault is not None:
            return fault(asked)
        match path:
            case "/api/services":
                return data(sorted({p["serviceName"] for t in self._traces for p in _of(t)}))
            case "/api/traces" if not asked.get("service"):
                return refusal(400, "parameter 'service' is required")
            case "/api/traces":
                return data(self._found(asked))
            case "/api/dependencies":
                return data(self._dependencies())
            case _:
                return Reply(404, b"404 page not found\n", "text/plain; charset=utf-8")

    def _found(self, asked: dict[str, str]) -> list[Any]:
        first, last = int(asked["start"]), int(asked["end"])
        found = [
            t
            for t in self._traces
            if any(p["serviceName"] == asked["service"] for p in _of(t))
            and first <= _begin(t) <= last
        ]
        found.sort(key=_begin, reverse=True)
        return found[: int(asked.get("limit", "20"))]

    def _dependencies(self) -> list[Any]:
        names = {
            span["spanID"]: trace["processes"][span["processID"]]["serviceName"]
            for trace in self._traces
            for span in trace["spans"]
        }
        pairs = [
            (names[ref["spanID"]], names[span["spanID"]])
            for trace in self._traces
            for span in trace["spans"]
            for ref in span["references"]
        ]
        return [
            {"parent": a, "child": b, "callCount": pairs.count((a, b))}
            for a, b in sorted(set(pairs))
            if a != b
        ]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                asked = dict(parse_qsl(url.query))
                path = url.path.removeprefix(outer._prefix)
                outer.asked.append((path, asked, {k.lower(): v for k, v in self.headers.items()}))
                reply = outer.reply(path, asked)
                with suppress(OSError):
                    self.send_response(reply.status)
                    self.send_header("Content-Type", reply.content_type)
                    self.send_header("Content-Length", str(len(reply.body)))
                    self.end_headers()
                    self.wfile.write(reply.body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
                del format, args

        return Handler


def _of(trace: Any) -> list[Any]:
    return list(trace["processes"].values())


def _begin(trace: Any) -> int:
    return min(int(span["startTime"]) for span in trace["spans"])
