"""What every service of the lab measures and logs: request metrics, loop lag, plain-text log lines.

Metric names are OpenTelemetry's in Prometheus form. Successful requests are logged as a sample of
one in twenty and of one slow one in two seconds; failures are logged always.
"""

import asyncio
import json
import logging
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, Histogram

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "APP_ERRORS",
    "BUILD_INFO",
    "DURATION_BUCKETS",
    "RateLimit",
    "RequestTelemetry",
    "configure_logging",
    "watch_loop_lag",
]

DURATION_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SAMPLED_ONE_IN = 20
_SLOW_REQUEST_SECONDS = 0.5
_SLOW_LOG_SECONDS = 2.0
_QUIET_PATHS = frozenset({"/metrics", "/healthz"})
_APPLICATION = frozenset(
    Path(__file__).with_name(f"{name}.py")
    for name in ("storefront", "order_service", "payment_service", "segments", "pool", "upstream")
)
"""What a traceback shows: the application, not the lab around it."""

APP_ERRORS = Counter("app_errors", "Errors by type.", ["error_type"])
BUILD_INFO = Gauge("app_build_info", "Version of the running code.", ["version"])
_REQUEST_DURATION = Histogram(
    "http_server_request_duration_seconds",
    "Duration of HTTP server requests.",
    ["http_request_method", "http_route", "http_response_status_code"],
    buckets=DURATION_BUCKETS,
)
_ACTIVE_REQUESTS = Gauge("http_server_active_requests", "HTTP server requests in flight.")
_LOOP_LAG = Gauge("app_event_loop_lag_seconds", "Delay of the event loop's last timer.")


class RateLimit:
    """Lets one event through per interval and counts the ones it held back."""

    def __init__(self, interval_seconds: float) -> None:
        self._interval_seconds = interval_seconds
        self._next = 0.0
        self._suppressed = 0

    def take(self) -> int | None:
        """Return how many events were held back before this one, or None to hold it back."""
        now = time.monotonic()
        if now < self._next:
            self._suppressed += 1
            return None
        self._next = now + self._interval_seconds
        suppressed, self._suppressed = self._suppressed, 0
        return suppressed


class _UtcFormatter(logging.Formatter):
    converter = time.gmtime  # pyright: ignore[reportAssignmentType]  (the documented way to log in UTC)

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        """Return a traceback of the services' own frames, with paths as in a container."""
        kind, error, tb = ei
        if kind is None or error is None:
            return ""
        frames = traceback.extract_tb(tb)
        own = [f for f in frames if Path(f.filename) in _APPLICATION]
        for frame in own:
            frame.filename = f"/app/{Path(frame.filename).name}"
        last = "".join(traceback.format_exception_only(kind, error))
        return "Traceback (most recent call last):\n" + "".join(traceback.format_list(own)) + last


def configure_logging() -> None:
    """Send all log records to stdout, one line each, with UTC times to the millisecond."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        _UtcFormatter(
            "%(asctime)s.%(msecs)03dZ %(levelname)-5s [%(name)s] %(message)s", "%Y-%m-%dT%H:%M:%S"
        )
    )
    logging.addLevelName(logging.WARNING, "WARN")
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for chatty in ("httpx2", "httpcore2", "uvicorn.access", "uvicorn.error"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


async def watch_loop_lag() -> None:
    """Measure for ever how late a 250 ms timer fires."""
    while True:
        start = time.perf_counter()
        await asyncio.sleep(0.25)
        _LOOP_LAG.set(max(0.0, time.perf_counter() - start - 0.25))


class RequestTelemetry:
    """ASGI middleware that measures and logs each request of a service."""

    def __init__(self, app: "ASGIApp", *, logger: logging.Logger) -> None:
        self._app = app
        self._logger = logger
        self._served = 0
        self._slow = RateLimit(_SLOW_LOG_SECONDS)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Run the wrapped application and record status, route and duration."""
        if scope["type"] != "http" or scope["path"] in _QUIET_PATHS:
            await self._app(scope, receive, send)
            return
        status = 500

        async def watch(message: "Message") -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        start = time.perf_counter()
        _ACTIVE_REQUESTS.inc()
        try:
            await self._app(scope, receive, watch)
        except Exception as error:
            # Answered here, or uvicorn would log it once more with everybody's frames.
            APP_ERRORS.labels(type(error).__name__).inc()
            self._logger.exception(
                "request failed method=%s path=%s status=500", scope["method"], scope["path"]
            )
            await _send_error(watch)
        finally:
            _ACTIVE_REQUESTS.dec()
            self._record(scope, status, time.perf_counter() - start)

    def _record(self, scope: "Scope", status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        _REQUEST_DURATION.labels(scope["method"], route, str(status)).observe(seconds)
        self._served += 1
        line = "request method=%s path=%s status=%d duration_ms=%d"
        values = (scope["method"], scope["path"], status, round(seconds * 1000))
        if 400 <= status < 500:
            self._logger.warning(line, *values)
        elif status < 400 and self._is_logged(seconds):
            self._logger.info(line, *values)

    def _is_logged(self, seconds: float) -> bool:
        if seconds >= _SLOW_REQUEST_SECONDS:
            return self._slow.take() is not None
        return self._served % _SAMPLED_ONE_IN == 0


async def _send_error(send: "Send") -> None:
    body = json.dumps({"error": "internal server error"}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 500, "headers": headers})
    await send({"type": "http.response.body", "body": body})
