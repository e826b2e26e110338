"""Incidents, their alerts and their life as they are stored and listed."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.grouping import AlertState, IncidentState, Reason, Wait
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "AlertRecord",
    "IncidentEvent",
    "IncidentEventKind",
    "IncidentFilter",
    "IncidentRecord",
    "ReportedChange",
    "Sender",
    "title_of",
]


class Sender(StrEnum):
    """Who hands alerts in."""

    ALERTMANAGER = "alertmanager"
    GRAFANA = "grafana"
    PAGERDUTY = "pagerduty"


class IncidentEventKind(StrEnum):
    """What happens to an incident in its life."""

    OPENED = "opened"
    RESOLVED = "resolved"
    REOPENED = "reopened"
    FLAPPING = "flapping"
    SEVERITY = "severity"
    """It became graver, or less grave."""
    DIAGNOSIS = "diagnosis"
    """A session was started for it."""
    SKIPPED = "skipped"
    """It is over and was not diagnosed."""
    CLOSED = "closed"
    """No alert joins it any more."""
    MERGED = "merged"
    """Its alerts went to another incident, or it took those of another."""


class IncidentRecord(Model):
    """One incident."""

    incident_id: str
    title: str
    status: AlertStatus
    severity: str
    """``critical``, ``error``, ``warning`` or empty."""
    skipped: str | None
    """Why nothing of it is diagnosed, a `SkipReason`."""
    alert_count: int
    session_count: int
    session_id: str | None
    """The newest diagnosis."""
    waiting: Wait | None
    """Why it is not diagnosed yet."""
    state: IncidentState
    started_at: Instant | None
    ended_at: Instant | None
    created_at: Instant
    updated_at: Instant
    closed_at: Instant | None
    merged_into: str | None = None
    """The incident that took its alerts, or most of them; it was not merged itself."""


class AlertRecord(Model):
    """One alert of one incident."""

    alert_id: str
    incident_id: str
    delivery_id: str
    """The delivery that it first came with."""
    sender: Sender
    reason: Reason
    """Why it belongs to this incident."""
    skipped: Reason | None
    """Why it is recorded and not diagnosed."""
    alert: Alert
    """As last delivered with news, redacted."""
    state: AlertState


class IncidentEvent(Model):
    """Something that happened to an incident."""

    event_id: str
    incident_id: str
    kind: IncidentEventKind
    details: dict[str, Any] = Field(default_factory=dict)
    at: Instant


class IncidentFilter(Model):
    """Which incidents to list; what is None does not narrow."""

    status: AlertStatus | None = None
    severity: str | None = None
    service: str | None = None
    """Incidents that an alert of this service is part of."""
    skipped: bool = False
    """Those that were recorded and not diagnosed, in place of the others."""
    since: Instant | None = None
    """Opened at or after."""
    until: Instant | None = None
    """Opened before."""
    before: str | None = None
    """Page on: incidents older than this one."""
    limit: int = Field(default=50, ge=1, le=500)


class ReportedChange(Model):
    """A change that somebody reported: read, and as it came."""

    change_id: str
    at: Instant
    service: str
    kind: str
    body: dict[str, Any]
    """``change``: a `Change`; ``given``: the object it was read from, redacted."""
    received_at: Instant


def title_of(state: IncidentState) -> str:
    """Name an incident in one line: the alert that opened it, and what it is about."""
    name = state.name or "alert without a name"
    return f"{name}: {state.core}" if state.core else name
