"""Incidents: what alerts came to, why each belongs where it is, what waits and why."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.analysis.incidents.words import say
from superbizagent.api.access import needs
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.parameters import Time
from superbizagent.api.problems import Refused, documented
from superbizagent.api.services import services_of
from superbizagent.domain.access import Permission
from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.grouping import Reason, Wait
from superbizagent.domain.incident import Language
from superbizagent.domain.incident_record import (
    AlertRecord,
    IncidentEvent,
    IncidentFilter,
    IncidentRecord,
)
from superbizagent.domain.session import SessionFilter

__all__ = ["router"]

router = APIRouter(
    prefix="/api/incidents", tags=["incidents"], dependencies=[Depends(needs(Permission.READ))]
)


class Said(BaseModel):
    """A reason: its code, and the sentence in both languages."""

    code: str = Field(examples=["same_service"])
    en: str
    zh: str


class Waiting(Said):
    """Why an incident is not diagnosed yet."""

    until: datetime | None = Field(description="When it is decided anew; null: when others end")


class IncidentLine(BaseModel):
    """An incident as it is listed."""

    incident_id: str
    title: str = Field(examples=["HighLatency: checkout"])
    status: str = Field(examples=["firing"])
    severity: str = Field(examples=["critical"], description="Empty where no alert tells one")
    is_flapping: bool
    core: str = Field(description="Service, host or namespace that it is about")
    services: list[str]
    alert_count: int
    skipped: str | None = Field(description="Why nothing of it is diagnosed")
    waiting: Waiting | None
    session_id: str | None = Field(description="Newest diagnosis")
    session_count: int
    merged_into: str | None = Field(
        description="Incident that took its alerts: callers complained before the cause did"
    )
    started_at: datetime | None
    ended_at: datetime | None
    opened_at: datetime
    updated_at: datetime


class IncidentPage(BaseModel):
    """Incidents, newest first."""

    incidents: list[IncidentLine]
    next: str | None = Field(description="Pass as `before` for the next page; null at the end")


class IncidentAlert(BaseModel):
    """An alert of an incident."""

    alert_id: str
    delivery_id: str
    sender: str
    name: str
    status: str
    severity: str
    labels: dict[str, str]
    annotations: dict[str, str]
    fingerprint: str
    times: int = Field(description="How often it was delivered")
    starts_at: datetime | None
    ends_at: datetime | None
    received_at: datetime
    reason: Said = Field(description="Why it belongs to this incident")
    skipped: Said | None = Field(description="Why it is recorded and not diagnosed")


class LifeEvent(BaseModel):
    """Something that happened to an incident."""

    kind: str = Field(examples=["reopened"])
    at: datetime
    details: dict[str, Any]


class IncidentSession(BaseModel):
    """A diagnosis of an incident."""

    session_id: str
    status: str
    verdict: str
    created_at: datetime
    finished_at: datetime | None


class IncidentWhole(IncidentLine):
    """An incident with everything that belongs to it."""

    alerts: list[IncidentAlert]
    alerts_left_out: int = Field(description="Alerts beyond the first 500")
    events: list[LifeEvent]
    sessions: list[IncidentSession]


@router.get(
    "",
    response_model=Envelope[IncidentPage],
    responses=documented(400, 401, 403, 422, 503),
    summary="List incidents",
)
async def list_incidents(  # noqa: PLR0913 - one argument a filter
    request: Request,
    *,
    status: AlertStatus | None = None,
    severity: Annotated[str | None, Query(max_length=32)] = None,
    service: Annotated[str | None, Query(max_length=255)] = None,
    skipped: Annotated[bool, Query(description="Those that were recorded, not diagnosed")] = False,
    since: Annotated[Time | None, Query(description="Opened at or after")] = None,
    until: Annotated[Time | None, Query(description="Opened before")] = None,
    before: Annotated[str | None, Query(max_length=64, description="`next` of a page")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """Return incidents, newest first; those that were merged into another are read by their id."""
    wanted = IncidentFilter(
        status=status,
        severity=severity,
        service=service,
        skipped=skipped,
        since=since,
        until=until,
        before=before,
        limit=limit,
    )
    found = await services_of(request).storage.incidents.list(wanted)
    following = found[-1].incident_id if len(found) == limit else None
    return ok({"incidents": [_line(one) for one in found], "next": following})


@router.get(
    "/{incident_id}",
    response_model=Envelope[IncidentWhole],
    responses=documented(401, 403, 404, 422, 503),
    summary="Read an incident",
)
async def read_incident(
    request: Request, incident_id: Annotated[str, Path(max_length=64)]
) -> Response:
    """Return an incident, its alerts with the reason of each, its life and its diagnoses."""
    storage = services_of(request).storage
    found = await storage.incidents.get(incident_id)
    if found is None:
        raise Refused(404, f"no incident {incident_id!r}", "GET /api/incidents lists them")
    alerts, count = await storage.alerts.of_incident(incident_id)
    events = await storage.incidents.events(incident_id)
    sessions = await storage.sessions.list(SessionFilter(incident_id=incident_id))
    return ok(
        _line(found)
        | {
            "alerts": [_alert(one) for one in alerts],
            "alerts_left_out": count - len(alerts),
            "events": [_event(one) for one in events],
            "sessions": [
                {
                    "session_id": one.session_id,
                    "status": one.status,
                    "verdict": one.verdict,
                    "created_at": one.created_at,
                    "finished_at": one.finished_at,
                }
                for one in sessions
            ],
        }
    )


def _line(one: IncidentRecord) -> dict[str, Any]:
    state = one.state
    plain = one.model_dump(
        include={
            "incident_id",
            "title",
            "status",
            "severity",
            "skipped",
            "alert_count",
            "session_id",
            "session_count",
            "merged_into",
            "started_at",
            "ended_at",
            "updated_at",
        }
    )
    return plain | {
        "is_flapping": state.is_flapping,
        "core": state.core,
        "services": state.services,
        "waiting": None if one.waiting is None else _waiting(one.waiting),
        "opened_at": one.created_at,
    }


def _waiting(wait: Wait) -> dict[str, Any]:
    return _said(wait.reason) | {"until": wait.until}


def _said(reason: Reason) -> dict[str, str]:
    return {
        "code": reason.code,
        "en": say(reason, Language.EN),
        "zh": say(reason, Language.ZH),
    }


def _alert(one: AlertRecord) -> dict[str, Any]:
    alert, state = one.alert, one.state
    return {
        "alert_id": one.alert_id,
        "delivery_id": one.delivery_id,
        "sender": one.sender,
        "name": alert.name,
        "status": alert.status,
        "severity": state.severity,
        "labels": alert.labels,
        "annotations": alert.annotations,
        "fingerprint": state.fingerprint,
        "times": state.times,
        "starts_at": alert.starts_at,
        "ends_at": alert.ends_at,
        "received_at": state.first_at,
        "reason": _said(one.reason),
        "skipped": None if one.skipped is None else _said(one.skipped),
    }


def _event(one: IncidentEvent) -> dict[str, Any]:
    details = dict(one.details)
    if "reason" in details:
        details["reason"] = _said(Reason.model_validate(details["reason"]))
    return {"kind": one.kind, "at": one.at, "details": details}
