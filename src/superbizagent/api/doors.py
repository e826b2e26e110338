"""What stands before the routes: requests that cannot be meant well get no further."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from superbizagent.api.config import ServiceConfig, is_loopback
from superbizagent.api.problems import problem_of
from superbizagent.api.request_ids import request_id_of
from superbizagent.domain.plain import plain

__all__ = ["SECURITY_HEADERS", "Doors"]

SECURITY_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""Of every answer that does not say otherwise itself."""


class Doors:
    """Refuses foreign `Host` names and packed bodies; adds the headers that browsers heed."""

    def __init__(self, app: ASGIApp, config: ServiceConfig) -> None:
        self._app = app
        self._hosts = _hosts(config)
        self._longest = config.max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, guarded)
            return
        response = problem_of(*refusal, request_id_of(HTTPConnection(scope)))
        await response(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> tuple[int, str, str] | None:
        """Return the status, the reason and what to do next; None for what may pass."""
        names = headers.getlist("host")
        if self._hosts is not None and (len(names) != 1 or _name(names[0]) not in self._hosts):
            shown = plain(names[0], 80) if names else ""
            hint = "add the name to [service] allowed_hosts, or set public_url"
            return 400, f"the host name {shown!r} is not ours", hint
        packed = headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            return 415, f"a body packed with {plain(packed, 40)!r} is not taken", "send it unpacked"
        said = headers.get("content-length", "0")
        if not said.isdecimal() or int(said) > self._longest:
            # One that does not say its length is counted as it comes, by the framework.
            return 413, f"the body is longer than {self._longest} bytes", ""
        return None


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _hosts(config: ServiceConfig) -> frozenset[str] | None:
    """Names in the `Host` header that are answered; None: any.

    On loopback there may be no token, and then a page elsewhere must not reach us by a name of
    its own that resolves to this machine. Beyond it everybody shows a token.
    """
    if not is_loopback(config.host):
        return None
    public = urlsplit(config.public_url).hostname
    more: list[Any] = [public, *config.allowed_hosts]
    return frozenset({"localhost", "127.0.0.1", "::1", config.host.lower()}) | {
        str(name).lower() for name in more if name
    }
