"""Webhooks: alerts come in here, and are acknowledged before any work."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.api.access import Bearer
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.intake.reading import read_delivery
from superbizagent.api.intake.writer import IntakeFullError
from superbizagent.api.problems import Refused, documented
from superbizagent.api.senders import check_sender
from superbizagent.api.services import services_of
from superbizagent.domain.incident_record import Sender

__all__ = ["router"]

router = APIRouter(prefix="/api/alerts", tags=["intake"])

_LARGE = 256 * 1024
"""Bytes from which on a body is read beside the loop that serves the others."""


class Accepted(BaseModel):
    """What was stored of a delivery."""

    alert_ids: list[str] = Field(description="One for each alert; known alerts keep theirs")
    incident_ids: list[str] = Field(description="Incidents that the alerts belong to")
    incident_id: str | None = Field(description="The first of them")
    session_id: str | None = Field(description="Newest diagnosis of it, when there is one yet")
    duplicates: int = Field(description="Alerts that only repeat what was known")
    notes: list[str] = Field(description="What was odd, and how it was read")


_ALERTMANAGER: dict[str, Any] = {
    "version": "4",
    "groupKey": '{}:{alertname="HighLatency"}',
    "status": "firing",
    "receiver": "superbiz",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "HighLatency", "service": "checkout", "severity": "critical"},
            "annotations": {"summary": "checkout answers slowly"},
            "startsAt": "2026-05-06T12:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus:9090/graph",
            "fingerprint": "c8a0f5b1d2e3f405",
        }
    ],
}
_GRAFANA = _ALERTMANAGER | {"version": "1", "orgId": 1, "title": "[FIRING:1] HighLatency"}
_PAGERDUTY: dict[str, Any] = {
    "event": {
        "id": "01DEN4HPBQAAAG05V5QQYBRZMF",
        "event_type": "incident.triggered",
        "occurred_at": "2026-05-06T12:00:00Z",
        "data": {
            "id": "PGR0VU2",
            "title": "checkout answers slowly",
            "urgency": "high",
            "service": {"summary": "Shop"},
            "created_at": "2026-05-06T12:00:00Z",
        },
    }
}
_ERRORS = documented(401, 403, 413, 422, 503)


def _described(example: dict[str, Any]) -> dict[str, Any]:
    """Say what a body looks like; it is read as it comes, whatever its content type."""
    schema = {"type": "object", "additionalProperties": True}
    content = {"application/json": {"schema": schema, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


@router.post(
    "/alertmanager",
    status_code=202,
    response_model=Envelope[Accepted],
    responses=_ERRORS,
    summary="Alerts of an Alertmanager",
    openapi_extra=_described(_ALERTMANAGER),
)
async def alertmanager(request: Request, bearer: Bearer) -> Response:
    """Store the alerts of a webhook body (version 4), of `/api/v2/alerts`, or a single one.

    Answered after the commit and before any diagnosis. The same body again counts, and changes
    nothing. A body of which nothing can be read is kept, too, and refused with 422.
    """
    return await _take(request, Sender.ALERTMANAGER, bearer)


@router.post(
    "/grafana",
    status_code=202,
    response_model=Envelope[Accepted],
    responses=_ERRORS,
    summary="Alerts of a Grafana contact point",
    openapi_extra=_described(_GRAFANA),
)
async def grafana(request: Request, bearer: Bearer) -> Response:
    """Store the alerts of Grafana's webhook body; signed with HMAC-SHA256, or with a token."""
    return await _take(request, Sender.GRAFANA, bearer)


@router.post(
    "/pagerduty",
    status_code=202,
    response_model=Envelope[Accepted],
    responses=_ERRORS,
    summary="Incidents of PagerDuty",
    openapi_extra=_described(_PAGERDUTY),
)
async def pagerduty(request: Request, bearer: Bearer) -> Response:
    """Store the incident of PagerDuty's webhook body (version 3); signed, or with a token.

    Events that are about no incident are acknowledged and kept.
    """
    return await _take(request, Sender.PAGERDUTY, bearer)


async def _take(request: Request, sender: Sender, bearer: Bearer) -> Response:
    body = await check_sender(request, sender, bearer)
    services = services_of(request)
    given = (sender, body, services.clock.now(), services.storage.redactor)
    if len(body) < _LARGE:
        delivery = read_delivery(*given)
    else:
        delivery = await asyncio.to_thread(read_delivery, *given)
    if services.intake is None:
        raise Refused(503, "this process takes no alerts", "send them to `superbiz serve`")
    try:
        receipt = await services.intake.take(delivery)
    except IntakeFullError:
        raise Refused(
            503,
            "more alerts wait than can be stored at once; nothing of this one was stored",
            "send it again after a second",
            headers={"Retry-After": "1"},
        ) from None
    if not delivery.is_read:
        raise Refused(
            422,
            f"no alert can be read out of this body of {len(body)} bytes; it was kept as it is",
            f"send the webhook body of {sender.value}; /openapi.json shows one",
        )
    return ok(
        {
            "alert_ids": receipt.alert_ids,
            "incident_ids": receipt.incident_ids,
            "incident_id": receipt.incident_ids[0] if receipt.incident_ids else None,
            "session_id": receipt.session_id,
            "duplicates": receipt.duplicates,
            "notes": receipt.notes,
        },
        202,
    )
