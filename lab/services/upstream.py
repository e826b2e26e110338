"""Calls of another service: each is measured, and its failures are logged."""

import logging
import time

import httpx2
from prometheus_client import Histogram

from lab.services.telemetry import APP_ERRORS, DURATION_BUCKETS

__all__ = ["Answer", "Upstream", "UpstreamError"]

_CLIENT_DURATION = Histogram(
    "http_client_request_duration_seconds",
    "Duration of HTTP client requests.",
    ["http_request_method", "server_address", "http_response_status_code", "error_type"],
    buckets=DURATION_BUCKETS,
)

Answer = httpx2.Response


class UpstreamError(RuntimeError):
    """The called service failed (`status` 502) or did not answer in time (504)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Upstream:
    """Client of one service."""

    def __init__(
        self, url: str, *, name: str, timeout_seconds: float, logger: logging.Logger
    ) -> None:
        """Prepare the client.

        Args:
            url: Base URL.
            name: What metrics and logs call the service.
            timeout_seconds: Of each phase of a call.
            logger: Takes the failures.
        """
        self._name = name
        self._logger = logger
        self._client = httpx2.AsyncClient(
            base_url=url,
            timeout=timeout_seconds,
            limits=httpx2.Limits(max_connections=400, max_keepalive_connections=50),
            trust_env=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def call(self, method: str, path: str, *, body: bytes | None = None) -> Answer:
        """Return the answer.

        Raises:
            UpstreamError: when there is none, or its status is 500 or above.
        """
        start = time.perf_counter()
        headers = {"content-type": "application/json"} if body is not None else {}
        try:
            answer = await self._client.request(method, path, content=body, headers=headers)
        except httpx2.HTTPError as error:
            kind = type(error).__name__
            self._failed(method, path, kind, time.perf_counter() - start, status="")
            raise UpstreamError(f"{self._name}: {kind}", 504) from error
        seconds = time.perf_counter() - start
        status = str(answer.status_code)
        if answer.status_code >= 500:
            self._failed(method, path, status, seconds, status=status)
            raise UpstreamError(f"{self._name}: status {status}", 502)
        _CLIENT_DURATION.labels(method, self._name, status, "").observe(seconds)
        return answer

    def _failed(self, method: str, path: str, kind: str, seconds: float, *, status: str) -> None:
        _CLIENT_DURATION.labels(method, self._name, status, kind).observe(seconds)
        APP_ERRORS.labels(kind if not status else "UpstreamError").inc()
        self._logger.error(
            "upstream call failed peer=%s method=%s path=%s error=%s duration_ms=%d",
            self._name,
            method,
            path,
            kind,
            round(seconds * 1000),
        )
