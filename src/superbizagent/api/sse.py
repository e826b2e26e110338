"""Streams as server-sent events, with heartbeats, and an end when the client or the server goes."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from fastapi import Request
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Receive, Scope, Send

from superbizagent.api.streams.events import Event
from superbizagent.api.streams.places import Place, Places
from superbizagent.telemetry import get_logger

__all__ = ["EVENTS", "HEARTBEAT_SECONDS", "message_of", "named_of", "places_of", "stream"]

HEARTBEAT_SECONDS = 15
"""Below the 30 to 60 s after which proxies close a silent connection."""
_SEND_SECONDS = 30.0
"""A client that takes nothing for so long is dropped; it may resume."""

_EVENT = {
    "type": "object",
    "description": "One event",
    "properties": {
        "event": {"type": "string"},
        "id": {"type": "string", "description": "Place to resume from"},
        "data": {"type": "string", "description": "JSON"},
    },
    "required": ["event", "data"],
}

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "Events", "content": {"text/event-stream": {"schema": _EVENT}}}
}
"""The answer of a stream for its OpenAPI description."""

Form = Callable[[Event], ServerSentEvent]


def message_of(event: Event) -> ServerSentEvent:
    """Say an event as chat clients read it: event ``message``, JSON ``{type, data}``."""
    return ServerSentEvent(event.message, event="message", id=event.event_id or None)


def named_of(event: Event) -> ServerSentEvent:
    """Say an event under its own name."""
    return ServerSentEvent(event.text, event=event.kind, id=event.event_id or None)


def places_of(request: Request) -> Places:
    """Return who gives places for streams away."""
    return request.app.state.places


def stream(
    request: Request, place: Place, events: AsyncGenerator[Event], form: Form
) -> EventSourceResponse:
    """Answer with a stream; its place is given back at its end, whatever that is."""
    return _Stream(places_of(request), place, events, form)


class _Stream(EventSourceResponse):
    def __init__(
        self, places: Places, place: Place, events: AsyncGenerator[Event], form: Form
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - bare dict in its types
            _said(events, form),
            ping=HEARTBEAT_SECONDS,
            ping_message_factory=lambda: form(Event("heartbeat", {})),
            send_timeout=_SEND_SECONDS,
        )
        self._places = places
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            get_logger("streams").info("a client that takes nothing was dropped")
        finally:
            self._places.give_back(self._place)


async def _said(events: AsyncGenerator[Event], form: Form) -> AsyncGenerator[ServerSentEvent]:
    async with aclosing(events):
        async for event in events:
            yield form(event)
