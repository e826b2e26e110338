"""Requests to one server: limits, retries, and answers turned into our errors."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Self

import httpx2
import stamina

from superbizagent.datasources._http.access import HttpAccess
from superbizagent.datasources._http.failures import EXCERPT_CHARACTERS, HttpStatus, excerpt_of
from superbizagent.datasources._http.pace import Pace
from superbizagent.domain.canonical import loads
from superbizagent.domain.json_values import mapping
from superbizagent.errors import (
    DeniedDataSourceError,
    PermanentDataSourceError,
    TemporaryDataSourceError,
)

__all__ = ["HttpAnswer", "HttpClient", "Params", "mapping", "pairs_of"]

Params = Sequence[tuple[str, str]] | Mapping[str, str]

_MAX_BODY_BYTES = 512 * 1024 * 1024
_DENIED = frozenset({401, 403})
_TOO_MANY_REQUESTS = 429
_UNAVAILABLE = 503
_ATTEMPTS = 3
_CONNECT_SECONDS = 5.0
"""Who does not take a connection within this is not there, however long an answer may take."""

_LONGEST_WAIT_SECONDS = 5.0
"""A server that asks for more is not asked again: the diagnosis would be over."""

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
        return excerpt_of(self.body, self.content_type)


def _worth_waiting(error: Exception) -> bool | float:
    """Tell whether, or after how many seconds, another try may help.

    A time-out has already cost all the time there is.
    """
    if not isinstance(error, TemporaryDataSourceError) or isinstance(error.__cause__, TimeoutError):
        return False
    if isinstance(error.__cause__, HttpStatus) and error.__cause__.retry_after_seconds:
        wait = error.__cause__.retry_after_seconds
        return wait if wait <= _LONGEST_WAIT_SECONDS else False
    return True


_LIMITED = "it limits how much is asked; try again later, or lower SUPERBIZ_CAPS__CONCURRENCY"


class HttpClient:
    """Reads one server. Use as ``async with``; makes no request that changes anything.

    Args:
        access: where it is and how it lets us in.
        timeout_seconds: for one whole request.
        max_body_bytes: larger answers are refused while they come in.
        attempts: how often a request is made when the server was busy or not there for a moment.
        pace: how many requests may be under way; absent: as many as the caller makes.
        transport: replaces the network in tests.

    Raises:
        ConfigError: when a certificate or token file cannot be used.
    """

    way_in = "give credentials as https://USER:PASSWORD@host or as a header"
    """What to do where access is denied."""

    def __init__(  # noqa: PLR0913 - each is a limit of its own
        self,
        access: HttpAccess,
        *,
        timeout_seconds: float = 60.0,
        max_body_bytes: int = _MAX_BODY_BYTES,
        attempts: int = _ATTEMPTS,
        pace: Pace | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.address = access.address
        """The server's address as messages print it, without credentials."""
        self._access = access
        self._headers = access.request_headers()
        # Nothing comes from the environment: a proxy or a .netrc that nobody named here would be
        # a host, or a secret, that the configuration does not show.
        self._client = httpx2.AsyncClient(
            auth=access.auth,
            timeout=httpx2.Timeout(timeout_seconds, connect=min(timeout_seconds, _CONNECT_SECONDS)),
            headers=self._headers,
            verify=access.tls,
            proxy=access.proxy or None,
            trust_env=False,
            transport=transport,
        )
        self._timeout_seconds = timeout_seconds
        self._max_body_bytes = max_body_bytes
        self._attempts = attempts
        self._pace = pace
        self.requests = 0
        """Requests made so far, repeated ones included."""
        self.bytes_read = 0
        """Of all answers, uncompressed."""
        self.said_at: datetime | None = None
        """The server's clock when it began its last answer, in whole seconds."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def get(self, path: str, params: Params | None = None) -> Any:
        """Return the decoded JSON of an answer.

        Raises:
            TemporaryDataSourceError: when the server does not answer or is overloaded.
            PermanentDataSourceError: when it refuses, or answers in another form.
        """
        return self.decode(await self._send("GET", path, params=params), path)

    async def fetch(
        self, path: str, params: Params | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        """Return an answer as it came, also when it is a refusal: text, or JSON to `decode`.

        Raises:
            DataSourceError: when there is no answer, or one that denies access or is a failure.
        """
        return await self._send("GET", path, params=params, headers=headers)

    async def post_form(self, path: str, params: Params) -> Any:
        """Ask what is too long for an address, and return the decoded JSON of the answer.

        Raises:
            DataSourceError: as `get`.
        """
        body = str(httpx2.QueryParams(pairs_of(params))).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.decode(await self._send("POST", path, body=body, headers=headers), path)

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Send bytes and return the answer, also when it is a refusal.

        Raises:
            DataSourceError: when there is no answer, or one that denies access or is a failure.
        """
        return await self._send("POST", path, body=body, headers=headers)

    def decode(self, answer: HttpAnswer, path: str) -> Any:
        """Return the JSON of an answer.

        Raises:
            PermanentDataSourceError: when it is none, or the answer is a refusal.
        """
        kind = answer.content_type.split(";")[0].strip()
        try:
            document = loads(answer.body)
        except ValueError:
            if answer.status < 300 and kind.endswith("json"):
                raise self.permanent(
                    f"{self.address}{path} sends damaged JSON ({answer.excerpt});"
                    " something on the way cuts or changes its answers"
                ) from None
            raise self.permanent(
                f"{self.address}{path} answers {answer.status} with"
                f" {kind or 'no type'}, not with JSON"
                f" ({answer.excerpt}); is this the base address of the server?"
            ) from HttpStatus(answer.status)
        if answer.status >= 400:
            said = mapping(document)
            reason = said.get("error") or said.get("message") or answer.excerpt
            raise self.permanent(
                f"{self.address}{path} answers {answer.status}: {_one_line(reason)}"
            ) from HttpStatus(answer.status)
        return document

    def permanent(self, message: str) -> PermanentDataSourceError:
        """Return an error whose message holds none of our secrets."""
        return PermanentDataSourceError(self._access.masked(message, self._headers))

    def temporary(self, message: str) -> TemporaryDataSourceError:
        """Return an error whose message holds none of our secrets."""
        return TemporaryDataSourceError(self._access.masked(message, self._headers))

    async def _send(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """Send a request, and again when the server was busy or not there for a moment."""
        request = self._client.build_request(
            method,
            f"{self.address}{path}",
            params=pairs_of(params) if params else None,
            content=body,
            headers=headers,
        )
        async for attempt in stamina.retry_context(
            on=_worth_waiting,
            attempts=self._attempts,
            wait_initial=0.1,
            wait_max=1.0,
            wait_jitter=0.1,
        ):
            with attempt:
                async with self._turn():
                    return await self._send_once(request, path)
        raise AssertionError("the last attempt returns or raises")

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        if self._pace is None:
            yield
            return
        async with self._pace.turn():
            try:
                yield
            except TemporaryDataSourceError as error:
                if isinstance(error.__cause__, HttpStatus | TimeoutError):
                    self._pace.slow_down(getattr(error.__cause__, "retry_after_seconds", 0.0))
                raise

    async def _send_once(self, request: httpx2.Request, path: str) -> HttpAnswer:
        self.requests += 1
        try:
            async with asyncio.timeout(self._timeout_seconds):
                response = await self._client.send(request, stream=True)
                self.said_at = _date(response)
                try:
                    content = await self._read(response)
                finally:
                    await response.aclose()
        except httpx2.ConnectTimeout:
            raise self.temporary(
                f"{self.address} cannot be reached (no connection within {_CONNECT_SECONDS:g} s);"
                " check the address and the network"
            ) from TimeoutError()
        except (httpx2.TimeoutException, TimeoutError):
            raise self.temporary(
                f"{self.address} did not answer {path} within {self._timeout_seconds:g} s;"
                " ask for a shorter time span or fewer services"
            ) from TimeoutError()
        except (httpx2.HTTPError, ssl.SSLError) as error:
            raise self._unreachable(error, path) from error
        answer = HttpAnswer(response.status_code, response.headers.get("content-type", ""), content)
        self._check(answer, response, path)
        return answer

    def _unreachable(self, error: Exception, path: str) -> Exception:
        reason = _one_line(str(error) or type(error).__name__)
        if "CERTIFICATE_VERIFY_FAILED" in reason or "certificate verify failed" in reason:
            why = reason.rpartition("certificate verify failed: ")[2].partition(" (_ssl")[0]
            return self.permanent(
                f"the certificate of {self.address} is not trusted ({why});"
                " give its authority as ca_file under [sources.NAME] of superbiz.toml"
            )
        if isinstance(error, httpx2.DecodingError):
            return self.permanent(
                f"{self.address}{path} sends a damaged compressed answer ({reason});"
                " something on the way cuts or changes its answers"
            )
        if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError):
            return self.temporary(
                f"{self.address} broke off its answer to {path} ({reason});"
                " check the server and any proxy before it"
            )
        return self.temporary(
            f"{self.address} cannot be reached ({reason}); check the address and the network"
        )

    async def _read(self, response: httpx2.Response) -> bytes:
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            self.bytes_read += len(chunk)
            if len(content) > self._max_body_bytes:
                raise self.permanent(
                    f"{self.address} sends more than {self._max_body_bytes >> 20} MiB;"
                    " ask for a shorter time span or fewer services"
                )
        return bytes(content)

    def _check(self, answer: HttpAnswer, response: httpx2.Response, path: str) -> None:
        status = HttpStatus(answer.status, _retry_after(response))
        if answer.status in _DENIED:
            raise self._denied(answer) from status
        if 300 <= answer.status < 400:
            raise self.permanent(
                f"{self.address}{path} redirects ({answer.status}){_destination(response)};"
                " give the address it leads to, or credentials if that is a login page"
            ) from status
        if answer.status >= 400 and self._gave_up(answer):
            raise self.temporary(
                f"{self.address}{path} gave up: {self._reason(answer)};"
                " ask for a shorter time span or fewer services"
            ) from TimeoutError()
        if answer.status >= 500 or answer.status == _TOO_MANY_REQUESTS:
            advice = _LIMITED if answer.status == _TOO_MANY_REQUESTS else "try again"
            said = f"{self.address}{path} fails with {answer.status}: {self._reason(answer)}"
            raise self.temporary(f"{said}; {advice}") from status

    def _denied(self, answer: HttpAnswer) -> DeniedDataSourceError:
        said = self._said(answer)  # Kubernetes says what of; other servers say the number alone
        why = f": {_one_line(said['message'])}" if {"kind", "message"} <= said.keys() else ""
        how = self.way_in
        if "no org id" in answer.excerpt:  # Loki, Mimir and Cortex, which have tenants
            why, how = ": no org id", "name the tenant in the header X-Scope-OrgID"
        text = f"{self.address} denies access ({answer.status}{why}); {how}"
        return DeniedDataSourceError(self._access.masked(text, self._headers))

    def _reason(self, answer: HttpAnswer) -> str:
        said = self._said(answer)
        return _one_line(said.get("error") or said.get("message") or answer.excerpt)

    def _gave_up(self, answer: HttpAnswer) -> bool:
        """Tell whether the server ran out of time; they say so in several ways."""
        timed_out = self._said(answer).get("errorType") == "timeout"
        return timed_out or "deadline exceeded" in self._reason(answer)

    def _said(self, answer: HttpAnswer) -> dict[str, Any]:
        try:
            return mapping(loads(answer.body))
        except ValueError:
            return {}


def pairs_of(params: Params) -> tuple[tuple[str, str], ...]:
    """Return parameters as pairs of name and value."""
    return tuple(params.items()) if isinstance(params, Mapping) else tuple(params)


def _one_line(text: Any) -> str:
    return " ".join(str(text).split())[: 2 * EXCERPT_CHARACTERS]


def _destination(response: httpx2.Response) -> str:
    """Say where a redirect leads, without its query, which may carry a login's state."""
    target = response.headers.get("location", "")
    try:
        bare = httpx2.URL(target).copy_with(userinfo=b"", query=None, fragment=None)
    except (httpx2.InvalidURL, TypeError, ValueError):
        return ""
    return f" to {str(bare)[:EXCERPT_CHARACTERS]}" if target else ""


def _date(response: httpx2.Response) -> datetime | None:
    try:
        at = parsedate_to_datetime(response.headers.get("date", ""))
    except ValueError:
        return None
    return at if at.tzinfo else None


def _retry_after(response: httpx2.Response) -> float:
    """Return the seconds a server asks for; dates in that header are rare and not read."""
    if response.status_code not in {_TOO_MANY_REQUESTS, _UNAVAILABLE}:
        return 0.0
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0
