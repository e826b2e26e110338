"""HTTP to a Prometheus-compatible server: addresses, limits, and answers turned into our errors."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, cast

import httpx2
import stamina

from superbizagent.domain.canonical import loads
from superbizagent.errors import (
    PermanentDataSourceError,
    TemporaryDataSourceError,
    UsageError,
)

__all__ = ["HttpAnswer", "PrometheusClient", "mapping"]

_MAX_BODY_BYTES = 512 * 1024 * 1024
_EXCERPT_CHARACTERS = 160
_DENIED = frozenset({401, 403})
_TOO_MANY_REQUESTS = 429
_ATTEMPTS = 3

# Our progress line says what is read; a second voice on every retry would not help its reader.
stamina.instrumentation.set_on_retry_hooks([])


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """Status, content type and whole body of one answer."""

    status: int
    content_type: str
    body: bytes

    @property
    def excerpt(self) -> str:
        """The beginning of the body on one line, for messages."""
        text = self.body[: 4 * _EXCERPT_CHARACTERS].decode(errors="replace")
        return " ".join(text.split())[:_EXCERPT_CHARACTERS] or "an empty answer"


def mapping(value: Any) -> dict[str, Any]:
    """Return decoded JSON as an object, empty when it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _is_passing(error: Exception) -> bool:
    """Tell whether another try may help; a time-out has already cost all the time there is."""
    timed_out = isinstance(error.__cause__, httpx2.TimeoutException | TimeoutError)
    return isinstance(error, TemporaryDataSourceError) and not timed_out


class PrometheusClient:
    """Reads one server. Use as ``async with``; makes no request that changes anything.

    Args:
        url: base address, with a path prefix when the server has one, without ``/api/v1``; user
            name and password in it become basic authentication and never appear in messages.
        timeout_seconds: for one whole request.
        headers: sent with each request, e.g. ``X-Scope-OrgID``.
        transport: replaces the network in tests.

    Raises:
        UsageError: when ``url`` is no HTTP address.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout_seconds: float = 60.0,
        headers: Mapping[str, str] | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        try:
            parsed = httpx2.URL(url.rstrip("/"))
        except httpx2.InvalidURL as error:
            raise UsageError(f"{url!r} is no address: {error}") from error
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise UsageError(
                f"{url!r} is no HTTP address; give it as http://host:9090 or https://host/prefix"
            )
        auth = httpx2.BasicAuth(parsed.username, parsed.password) if parsed.userinfo else None
        self.address = str(parsed.copy_with(userinfo=b"")).rstrip("/")
        """The server's address as messages print it, without credentials."""
        self._client = httpx2.AsyncClient(
            auth=auth, timeout=timeout_seconds, headers=dict(headers or {}), transport=transport
        )
        self._timeout_seconds = timeout_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def get(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        """Return the decoded JSON of an answer.

        Raises:
            TemporaryDataSourceError: when the server does not answer or is overloaded.
            PermanentDataSourceError: when it refuses, or is no Prometheus.
        """
        answer = await self._send("GET", path, params=params)
        try:
            document = loads(answer.body)
        except ValueError:
            raise PermanentDataSourceError(
                f"{self.address}{path} answers {answer.status} with"
                f" {answer.content_type.split(';')[0] or 'no type'}, not with JSON"
                f" ({answer.excerpt}); is this the base address of the server?"
            ) from None
        if answer.status >= 400:
            reason = mapping(document).get("error")
            raise PermanentDataSourceError(
                f"{self.address}{path} answers {answer.status}: {reason or answer.excerpt}"
            )
        return document

    async def get_data(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        """Return the ``data`` of a Prometheus API answer.

        Raises:
            DataSourceError: as `get`.
        """
        document = mapping(await self.get(path, params))
        if "data" not in document:
            raise PermanentDataSourceError(
                f"{self.address}{path} answers without 'data'; is this a Prometheus?"
            )
        return document["data"]

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Send bytes and return the answer, also when it is a refusal.

        Raises:
            DataSourceError: when there is no answer, or one that denies access or is a failure.
        """
        return await self._send("POST", path, body=body, headers=headers)

    async def _send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """Send a request, and again when the server was busy or not there for a moment."""
        async for attempt in stamina.retry_context(
            on=_is_passing, attempts=_ATTEMPTS, wait_initial=0.1, wait_max=1.0, wait_jitter=0.1
        ):
            with attempt:
                return await self._send_once(
                    method, path, params=params, body=body, headers=headers
                )
        raise AssertionError("the last attempt returns or raises")

    async def _send_once(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None,
        body: bytes | None,
        headers: Mapping[str, str] | None,
    ) -> HttpAnswer:
        try:
            async with (
                asyncio.timeout(self._timeout_seconds),
                self._client.stream(
                    method, f"{self.address}{path}", params=params, content=body, headers=headers
                ) as response,
            ):
                content = await self._read(response)
        except (httpx2.TimeoutException, TimeoutError) as error:
            raise TemporaryDataSourceError(
                f"{self.address} did not answer {path} within {self._timeout_seconds:g} s;"
                " ask for a shorter time span or fewer services"
            ) from error
        except httpx2.HTTPError as error:
            raise TemporaryDataSourceError(
                f"{self.address} cannot be reached ({str(error) or type(error).__name__});"
                " check the address and the network"
            ) from error
        answer = HttpAnswer(response.status_code, response.headers.get("content-type", ""), content)
        self._check(answer, path)
        return answer

    async def _read(self, response: httpx2.Response) -> bytes:
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > _MAX_BODY_BYTES:
                raise PermanentDataSourceError(
                    f"{self.address} sends more than {_MAX_BODY_BYTES >> 20} MiB;"
                    " ask for a shorter time span or fewer services"
                )
        return bytes(content)

    def _check(self, answer: HttpAnswer, path: str) -> None:
        if answer.status in _DENIED:
            raise PermanentDataSourceError(
                f"{self.address} denies access ({answer.status});"
                " give credentials as https://USER:PASSWORD@host or as a header"
            )
        if 300 <= answer.status < 400:
            raise PermanentDataSourceError(
                f"{self.address}{path} redirects ({answer.status}); give the address it leads to"
            )
        if answer.status >= 500 or answer.status == _TOO_MANY_REQUESTS:
            raise TemporaryDataSourceError(
                f"{self.address}{path} fails with {answer.status}: {answer.excerpt}; try again"
            )
