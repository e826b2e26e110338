"""A small Loki over real HTTP, after its public API documentation.

There is no Loki package to start here. This one stores pushed entries and answers `query_range`
(log queries with stream selectors and ``|~`` filters), `labels`, `label/…/values`, `series`,
`index/stats` and the build information as documented: start is part of a span and its end is not,
`limit` and `direction` hold, an entry of equal stream, time and line is stored once, structured
metadata comes apart only where the encoding flag asks for it, tenants are kept apart, limits are
refused in plain text, and answers are gzipped for who accepts that. A test replaces the answer of
any path by a fault.
"""

import gzip
import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from fault_server import Reply

API = "/loki/api/v1"
Labels = Mapping[str, str]
Params = list[tuple[str, str]]
Answer = Callable[[dict[str, str]], Reply]
NOT_FOUND = Reply(404, b"404 page not found\n", "text/plain; charset=utf-8")

_STRING = r'"(?:[^"\\]|\\.)*"'
_MATCHER = re.compile(rf"\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*({_STRING})\s*,?")
_FILTER = re.compile(rf"\s*\|~\s*({_STRING})")


class BadQuery(Exception):  # noqa: N818 - what a server refuses, not what a test raises
    """What Loki answers with 400 and a line of text."""


@dataclass
class Stream:
    """One stream of one tenant."""

    labels: dict[str, str]
    entries: list[tuple[int, str, dict[str, str]]] = field(
        default_factory=list[tuple[int, str, dict[str, str]]]
    )
    """Nanoseconds, line, structured metadata; in order of time."""


@dataclass
class LokiLimits:
    """Limits a Loki is configured with."""

    max_entries: int = 5000
    max_query_length: timedelta = timedelta(hours=721)


class LokiServer:
    """Runs until `stop`; `faults` maps a path, or ``*`` for all, to what it answers."""

    def __init__(
        self, *, multi_tenant: bool = False, prefix: str = "", tls: tuple[Path, Path] | None = None
    ) -> None:
        self.limits = LokiLimits()
        self.faults: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        """Path without the API's prefix, parameters and headers of each request."""
        self.categorizes = True
        """Knows the encoding flag, as versions from 3.0 on do."""
        self.clock_ahead = timedelta()
        self.warnings: list[str] = []
        self._multi_tenant = multi_tenant
        self._prefix = prefix
        self._tenants: dict[str, dict[str, Stream]] = {}
        self._ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_port}{prefix}"
        self._thread = threading.Thread(
            target=lambda: self._server.serve_forever(poll_interval=0.02), daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def push(
        self,
        labels: Labels,
        entries: Sequence[tuple[datetime | int, str] | tuple[datetime | int, str, Labels]],
        tenant: str = "fake",
    ) -> None:
        """Store entries of one stream: time (or nanoseconds), line, structured metadata."""
        streams = self._tenants.setdefault(tenant, {})
        stream = streams.setdefault(repr(sorted(labels.items())), Stream(dict(labels)))
        known = {(ns, line) for ns, line, _ in stream.entries}
        for entry in entries:
            at, line = entry[0], entry[1]
            ns = at if isinstance(at, int) else round(at.timestamp() * 1000) * 1_000_000
            if (ns, line) not in known:
                known.add((ns, line))
                stream.entries.append((ns, line, dict(entry[2]) if len(entry) > 2 else {}))
        stream.entries.sort(key=lambda e: e[0])

    def paths(self) -> list[str]:
        """Paths asked for, in order."""
        return [path for path, _, _ in self.asked]

    # Answers -------------------------------------------------------------------------------------

    def reply(self, path: str, params: Params, headers: Mapping[str, str]) -> Reply:
        """Return the answer to one request."""
        first = dict(reversed(params))
        fault = self.faults.get(path) or self.faults.get("*")
        if fault is not None:
            return fault(first)
        tenant = headers.get("x-scope-orgid", "")
        if self._multi_tenant and not tenant and path != "/status/buildinfo":
            return Reply(401, b"no org id\n", "text/plain; charset=utf-8")
        streams = list(self._tenants.get(tenant or "fake", {}).values())
        flags = headers.get("x-loki-response-encoding-flags", "")
        try:
            return self._answer(path, params, streams, categorize=flags == "categorize-labels")
        except BadQuery as error:
            return Reply(400, f"{error}\n".encode(), "text/plain; charset=utf-8")

    def _answer(
        self, path: str, params: Params, streams: list[Stream], *, categorize: bool
    ) -> Reply:
        first = dict(reversed(params))
        span = int(first.get("start", 0)), int(first.get("end", 1 << 62))
        inside = [s for s in streams if any(span[0] <= e[0] < span[1] for e in s.entries)]
        if "query" in first:
            inside = [s for s in inside if selects(first["query"], s.labels)]
        if path == "/query_range":
            return self._lines(first, inside, span, categorize=categorize)
        return _index(path, params, inside, span)

    def _lines(
        self,
        params: dict[str, str],
        streams: list[Stream],
        span: tuple[int, int],
        *,
        categorize: bool,
    ) -> Reply:
        limit = int(params.get("limit", 100))
        self._check_limits(limit, span)
        pattern = filters(params["query"])
        rows = [
            (entry, stream)
            for stream in streams
            for entry in stream.entries
            if span[0] <= entry[0] < span[1] and all(p.search(entry[1]) for p in pattern)
        ]
        backward = params.get("direction", "backward") == "backward"
        rows.sort(key=lambda row: row[0][0], reverse=backward)
        apart = categorize and self.categorizes
        found: dict[str, dict[str, Any]] = {}
        for (ns, line, metadata), stream in rows[:limit]:
            labels = stream.labels if apart else stream.labels | metadata
            value: list[Any] = [str(ns), line]
            if apart:
                value.append({"structuredMetadata": metadata} if metadata else {})
            key = repr(sorted(labels.items()))
            found.setdefault(key, {"stream": labels, "values": []})["values"].append(value)
        data: dict[str, Any] = {"resultType": "streams", "result": list(found.values())}
        if apart:
            data["encodingFlags"] = ["categorize-labels"]
        return good(data | {"stats": {}}, warnings=self.warnings)

    def _check_limits(self, limit: int, span: tuple[int, int]) -> None:
        if limit > self.limits.max_entries:
            raise BadQuery(
                "max entries limit per query exceeded, limit > max_entries_limit_per_query"
                f" ({limit} > {self.limits.max_entries})"
            )
        length = timedelta(microseconds=(span[1] - span[0]) / 1000)
        if length > self.limits.max_query_length:
            raise BadQuery(
                f"the query time range exceeds the limit (query length: {length},"
                f" limit: {self.limits.max_query_length})"
            )

    # HTTP ----------------------------------------------------------------------------------------

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"owner": self})

    def serve(self, path: str, params: Params, headers: Mapping[str, str]) -> Reply:
        """Remember a request and answer it."""
        own = path.startswith(f"{self._prefix}{API}")
        path = path.removeprefix(f"{self._prefix}{API}")
        self.asked.append((path, dict(reversed(params)), dict(headers)))
        reply = self.reply(path, params, headers) if own else NOT_FOUND
        if reply.wait_seconds:
            self._ended.wait(reply.wait_seconds)
        return reply


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    owner: LokiServer

    def do_GET(self) -> None:
        self._answer(urlsplit(self.path).query)

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length", 0))).decode())

    def _answer(self, query: str) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        params = parse_qsl(query, keep_blank_values=True)
        reply = self.owner.serve(urlsplit(self.path).path, params, headers)
        with suppress(OSError):
            self._send(reply, zipped="gzip" in headers.get("accept-encoding", ""))

    def _send(self, reply: Reply, *, zipped: bool) -> None:
        body = gzip.compress(reply.body) if zipped and not reply.missing_bytes else reply.body
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(body) + reply.missing_bytes))
        if body is not reply.body:
            self.send_header("content-encoding", "gzip")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if reply.missing_bytes:
            self.close_connection = True

    def date_time_string(self, timestamp: float | None = None) -> str:
        return format_datetime(datetime.now(UTC) + self.owner.clock_ahead, usegmt=True)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base
        """Say nothing."""


def _index(path: str, params: Params, inside: list[Stream], span: tuple[int, int]) -> Reply:
    """Answer what the index alone tells of the streams of a span."""
    if path == "/labels":
        return good(sorted({name for s in inside for name in s.labels}))
    if named := re.fullmatch("/label/([^/]+)/values", path):
        return good(sorted({s.labels[named[1]] for s in inside if named[1] in s.labels}))
    if path == "/series":
        wanted = [v for k, v in params if k == "match[]"]
        return good([s.labels for s in inside if any(selects(w, s.labels) for w in wanted)])
    if path == "/index/stats":
        found = [e for s in inside for e in s.entries if span[0] <= e[0] < span[1]]
        counts = {"streams": len(inside), "chunks": len(inside), "entries": len(found)}
        size = sum(len(e[1]) for e in found)
        return Reply(body=json.dumps(counts | {"bytes": size}).encode())
    if path == "/status/buildinfo":
        return Reply(body=b'{"version":"3.4.2","revision":"abc","branch":"HEAD"}')
    return NOT_FOUND


def good(data: Any, warnings: Sequence[str] = ()) -> Reply:
    """The envelope of every good answer."""
    document: dict[str, Any] = {"status": "success", "data": data}
    if warnings:
        document["warnings"] = list(warnings)
    return Reply(body=json.dumps(document).encode())


def selects(query: str, labels: Labels) -> bool:
    """Tell whether the stream selector at the start of a query selects a stream."""
    matchers = _matchers(query)
    if all(_holds(matcher, "") for matcher in matchers):
        raise BadQuery(
            "parse error : queries require at least one regexp or equality matcher that does not"
            " have an empty-compatible value"
        )
    return all(_holds(matcher, labels.get(matcher[0], "")) for matcher in matchers)


def _matchers(query: str) -> list[tuple[str, str, str]]:
    if not query.startswith("{"):
        raise BadQuery("parse error at line 1, col 1: syntax error: unexpected IDENTIFIER")
    found: list[tuple[str, str, str]] = []
    place = 1
    while match := _MATCHER.match(query, place):
        found.append((match[1], match[2], json.loads(match[3])))
        place = match.end()
    if query[place : place + 1] != "}":
        raise BadQuery(f"parse error at line 1, col {place}: syntax error")
    rest = query[place + 1 :]
    if _FILTER.sub("", rest).strip():
        raise BadQuery(f"parse error at line 1, col {place}: syntax error: {rest}")
    return found


def _holds(matcher: tuple[str, str, str], value: str) -> bool:
    _, op, text = matcher
    if op in {"=", "!="}:
        return (value == text) is (op == "=")
    return (re.fullmatch(f"(?s:{text})", value) is not None) is (op == "=~")


def filters(query: str) -> list[re.Pattern[str]]:
    """The line filters of a query."""
    end = re.match(rf"\{{(?:{_MATCHER.pattern})*\s*\}}", query)
    assert end is not None
    return [re.compile(json.loads(text)) for text in _FILTER.findall(query[end.end() :])]


@pytest.fixture
def loki() -> Iterator[LokiServer]:
    """An empty Loki."""
    server = LokiServer()
    yield server
    server.stop()
