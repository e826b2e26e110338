"""Each request has an id: the caller's own if it can stand in a log line, else a new one."""

import re
import secrets

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RequestIds", "request_id_of"]

_HEADER = "X-Request-ID"
_FIT = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id_of(request: HTTPConnection) -> str:
    """Return the id of a request."""
    return str(request.scope.get("request_id", ""))


class RequestIds:
    """Gives each request its id, and the answer the same."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = HTTPConnection(scope).headers.get(_HEADER, "")
        scope["request_id"] = given if _FIT.fullmatch(given) else secrets.token_hex(8)

        async def with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[_HEADER] = scope["request_id"]
            await send(message)

        await self._app(scope, receive, with_id)
