"""Streams as server-sent events, with heartbeats, a limit, and an end at shutdown."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from fastapi import Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from superbizagent.api.access import still_allowed
from superbizagent.api.problems import Refused
from superbizagent.api.services import Services, services_of
from superbizagent.api.streams.events import Event
from superbizagent.domain.access import Principal

__all__ = ["HEARTBEAT_SECONDS", "message_of", "named_of", "stream"]

HEARTBEAT_SECONDS = 15
"""Below the 30 to 60 s after which proxies close a silent connection."""
_SEND_SECONDS = 30.0
_CHECK_SECONDS = 15.0
"""How often a stream asks whether its token still holds."""

Form = Callable[[Event], ServerSentEvent]


def message_of(event: Event) -> ServerSentEvent:
    """Say an event as chat clients read it: event ``message``, JSON ``{type, data}``."""
    return ServerSentEvent(event.message, event="message", id=event.event_id or None)


def named_of(event: Event) -> ServerSentEvent:
    """Say an event under its own name."""
    return ServerSentEvent(event.text, event=event.kind, id=event.event_id or None)


def stream(
    request: Request, caller: Principal, events: AsyncGenerator[Event], form: Form
) -> EventSourceResponse:
    """Answer with a stream.

    Raises:
        Refused: 503 when as many are open as may be.
    """
    services = services_of(request)
    if services.poller.watching >= services.config.max_streams:
        raise Refused(
            503,
            f"{services.config.max_streams} streams are open",
            "close some, or raise [service] max_streams",
            headers={"Retry-After": "10"},
        )

    async def checked() -> AsyncIterator[ServerSentEvent]:
        over = asyncio.Event()
        checking = asyncio.create_task(_until_revoked(services, caller, over))
        try:
            async for event in _until(events, over):
                yield form(event)
        finally:
            checking.cancel()
            await events.aclose()

    return EventSourceResponse(
        checked(),
        ping=HEARTBEAT_SECONDS,
        ping_message_factory=lambda: form(Event("heartbeat", {})),
        send_timeout=_SEND_SECONDS,
    )


async def _until_revoked(services: Services, caller: Principal, over: asyncio.Event) -> None:
    while await still_allowed(services, caller):  # noqa: ASYNC110 - revoked by another process
        await asyncio.sleep(_CHECK_SECONDS)
    over.set()


async def _until(events: AsyncGenerator[Event], over: asyncio.Event) -> AsyncIterator[Event]:
    """Yield events until there are no more, or the caller's token is over."""
    ending = asyncio.ensure_future(over.wait())
    try:
        while True:
            following: asyncio.Future[Any] = asyncio.ensure_future(anext(events))
            await asyncio.wait([following, ending], return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                following.cancel()
                with suppress(asyncio.CancelledError, StopAsyncIteration):
                    await following
                yield Event("error", {"message": "the token is over", "hint": "use another one"})
                return
            try:
                yield following.result()
            except StopAsyncIteration:
                return
    finally:
        ending.cancel()
