"""Alerts that somebody wants explained now, as a stream."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.responses import Response

from superbizagent.api.access import needs
from superbizagent.api.asking import URGENT, asked_incident
from superbizagent.api.problems import documented
from superbizagent.api.services import services_of
from superbizagent.api.sse import EVENTS, message_of, named_of, places_of, stream
from superbizagent.api.stored import session_of
from superbizagent.api.streams.session import follow, queued
from superbizagent.domain.access import Permission, Principal
from superbizagent.domain.incident import Channel
from superbizagent.domain.payload import parse_payload
from superbizagent.domain.session import SESSION_ID_LENGTH
from superbizagent.storage.ids import new_id

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["diagnosis"])

_LONGEST_EVENT_ID = 400


@router.post(
    "/ai_ops",
    response_class=Response,
    summary="Diagnose an alert, and follow how",
    responses={**EVENTS, **documented(400, 401, 403, 413, 422, 429, 503)},
    openapi_extra={
        "requestBody": {
            "description": "An alert in any form that is sent to us: a webhook body of"
            " Alertmanager, Grafana or PagerDuty, an answer of Prometheus or Alertmanager, one bare"
            " alert, or text. Empty: the alerts that fire now.",
            "content": {"application/json": {"schema": {}}, "text/plain": {"schema": {}}},
        }
    },
)
async def ai_ops(
    request: Request, caller: Annotated[Principal, Depends(needs(Permission.DIAGNOSE))]
) -> Response:
    """Send events named `message`, JSON `{type, data}`; see `/api/chat_stream`.

    The diagnosis is about the payload and nothing else. The verdict of the rule gate stands in its
    trace and changes nothing here.
    """
    services = services_of(request)
    payload = parse_payload(await request.body(), received_at=services.clock.now())
    incident = asked_incident(
        services, Channel.AIOPS, payload.question, payload.alerts, payload.notes
    )
    session = services.template.new(new_id(incident.received_at), incident)
    with places_of(request).take(caller) as place:
        stored = await services.storage.queue.put(session, URGENT)
        services.wake_worker()
        return stream(request, place, queued(services.poller, stored, place), message_of)


@router.get(
    "/traces/{session_id}/events",
    response_class=Response,
    summary="Follow a session: what it recorded, then what it records",
    responses={**EVENTS, **documented(401, 403, 404, 422, 429, 503)},
)
async def session_events(
    request: Request,
    session_id: Annotated[str, Path(max_length=SESSION_ID_LENGTH)],
    caller: Annotated[Principal, Depends(needs(Permission.READ))],
    last_event_id: Annotated[str | None, Header(max_length=_LONGEST_EVENT_ID)] = None,
) -> Response:
    """Send the journal as events, under their own names, and then live until the session ends.

    A client that comes back with `Last-Event-ID` gets what is behind that event, and what was
    recorded up to ten seconds before it: what it has seen carries the same id.
    """
    services = services_of(request)
    await session_of(services, session_id)
    with places_of(request).take(caller) as place:
        events = follow(services.poller, session_id, place, last_event_id or "")
        return stream(request, place, events, named_of)
