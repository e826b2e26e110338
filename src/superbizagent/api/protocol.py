"""HTTP on the wire: no head without end, no request that never arrives.

The parser bounds neither how large nor how slow a request may be: a caller could hold a
connection for ever with one byte a minute, or fill our memory with one header.
"""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from superbizagent.api.config import ServiceConfig
from superbizagent.api.doors import SECURITY_HEADERS
from superbizagent.api.problems import problem_of

__all__ = ["GuardedProtocol", "listening"]

_HEAD_BYTES = 32 * 1024
_HEADERS = 100
_HEAD_SECONDS = 10.0
"""From the opening of the connection, or the first byte of a request, to the end of its head."""

_BODY_SECONDS = 30.0
"""Between two pieces of a body that is awaited."""


def listening(config: ServiceConfig) -> dict[str, Any]:
    """Return how the server is set up beside its address: what the settings say, and our limits."""
    return {
        "http": GuardedProtocol,
        "ws": "none",
        "access_log": False,  # ours has the route and the caller, and no query string
        "server_header": False,
        "limit_concurrency": config.max_connections,
        "proxy_headers": bool(config.trusted_proxies),
        "forwarded_allow_ips": list(config.trusted_proxies),
        "timeout_keep_alive": 30,
        "timeout_graceful_shutdown": 5,
    }


class _TooLargeError(Exception):
    """Ends the reading of a head."""


class GuardedProtocol(HttpToolsProtocol):
    """One connection; what does not keep the limits is answered in our shape and closed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most_connections, self.limit_concurrency = self.limit_concurrency, None
        self._in_head = True
        self._head_bytes = 0
        self._refusal = (HTTPStatus.BAD_REQUEST, "this is no HTTP request")
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless there are too many connections already."""
        super().connection_made(transport)
        if self._most_connections and len(self.connections) > self._most_connections:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections are open")
            return
        self._expect_within(_HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was awaited."""
        self._expect_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a piece in; a head that grows without end is seen here, where it is incomplete."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > _HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the head is too large")

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._expect_within(_HEAD_SECONDS)

    def on_url(self, url: bytes) -> None:
        """Take in a piece of the path."""
        super().on_url(url)
        self._bound(len(self.url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header."""
        super().on_header(name, value)
        self._bound(len(self.url) + sum(len(n) + len(v) for n, v in self.headers))

    def on_headers_complete(self) -> None:
        """Begin to wait for the body."""
        self._in_head = False
        self._expect_within(_BODY_SECONDS)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Wait anew for the next piece."""
        self._expect_within(_BODY_SECONDS)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for nothing: the answer may take its time."""
        self._expect_nothing()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        """Answer what cannot be read, in our shape."""
        self._refuse(*self._refusal)

    def _bound(self, size: int) -> None:
        if size > _HEAD_BYTES or len(self.headers) > _HEADERS:
            self._refusal = (HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the head is too large")
            raise _TooLargeError

    def _expect_within(self, seconds: float) -> None:
        self._expect_nothing()
        self._deadline = self.loop.call_later(seconds, self._too_slow)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        if self.flow.read_paused:  # we do not read it: an answer before it is under way
            self._expect_within(_BODY_SECONDS)
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")

    def _may_answer(self) -> bool:
        """Tell whether what is sent now is read as the answer to what was refused."""
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or self._in_head:
            return not self.pipeline and (cycle is None or cycle.response_complete)
        return not cycle.response_started and not self.pipeline

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        """Close the connection, with an answer unless one has begun that this would stand in."""
        self._expect_nothing()
        if self._may_answer():
            response = problem_of(status, message)
            headers = {**SECURITY_HEADERS, "connection": "close"}
            lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
            lines += [f"{n.decode()}: {v.decode()}" for n, v in response.raw_headers]
            lines += [f"{name.lower()}: {value}" for name, value in headers.items()]
            self.transport.write("\r\n".join([*lines, "", ""]).encode() + bytes(response.body))
        self.transport.close()
