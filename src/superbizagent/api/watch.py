"""What is known of each request afterwards: a log line, an entry of the audit log, no secret."""

import re

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from superbizagent.api.audit import AuditTrail, action_of
from superbizagent.api.problems import internal_error
from superbizagent.api.request_ids import request_id_of
from superbizagent.domain.access import Principal
from superbizagent.domain.audit import AuditEntry
from superbizagent.domain.plain import plain
from superbizagent.domain.protocols import Clock
from superbizagent.storage.ids import new_id
from superbizagent.telemetry import get_logger

__all__ = ["Watch", "caller_is", "client_of", "concerns"]

_CALLER, _TARGET = "superbiz.caller", "superbiz.target"
_NOBODY = Principal(name="unknown")
_PARAMETER = re.compile(r"\{[^}]*\}")


def caller_is(request: HTTPConnection, caller: Principal) -> None:
    """Say who a request is of: the log line and the audit entry name them."""
    request.scope[_CALLER] = caller


def concerns(request: HTTPConnection, target: str) -> None:
    """Say what a request is about when its path does not: the audit entry names it."""
    request.scope[_TARGET] = target


def client_of(request: HTTPConnection) -> str:
    """Return the address a request comes from; proxies that are trusted speak for theirs."""
    client = request.scope.get("client")
    return plain(str(client[0]), 64) if client else ""


class Watch:
    """Writes down each request when its answer begins, and answers what nobody expected."""

    def __init__(self, app: ASGIApp, trail: AuditTrail, clock: Clock) -> None:
        self._app = app
        self._trail = trail
        self._clock = clock
        self._log = get_logger("api")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = self._clock.monotonic(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                await self._audit(scope, status)
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001 - the process boundary: it is logged and answered
            response = internal_error(error, request_id_of(HTTPConnection(scope)))
            if not status:
                await response(scope, receive, watched)
        finally:
            self._say(scope, status, self._clock.monotonic() - began)

    def _say(self, scope: Scope, status: int, seconds: float) -> None:
        caller: Principal = scope.get(_CALLER, _NOBODY)
        self._log.info(
            "request",
            method=scope["method"],
            route=_template(scope),
            status=status,
            ms=round(seconds * 1000, 1),
            actor=caller.name,
            request_id=scope.get("request_id", ""),
        )

    async def _audit(self, scope: Scope, status: int) -> None:
        template = _template(scope)
        action = action_of(scope["method"], _PARAMETER.sub("{}", template), status)
        if action is None:
            return
        caller: Principal = scope.get(_CALLER, _NOBODY)
        named = "/".join(str(value) for value in scope.get("path_params", {}).values())
        target = str(scope.get(_TARGET) or named or f"{scope['method']} {template}")
        now = self._clock.now()
        await self._trail.add(
            AuditEntry(
                audit_id=new_id(now),
                at=now,
                actor=caller.name,
                token_id=caller.token_id,
                action=action,
                target=plain(target),
                status=status,
                client=client_of(HTTPConnection(scope)),
                request_id=scope.get("request_id", ""),
            )
        )


def _template(scope: Scope) -> str:
    """Return the path of the route: what a caller wrote into it is not ours to log."""
    return str(getattr(scope.get("route"), "path", ""))
