"""Incidents as intake and dispatch see them: what is stored of them, and what was decided and why.

All of it is plain JSON; sentences are said by `analysis.incidents.words`.
"""

from enum import StrEnum

from pydantic import Field

from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "AlertEvent",
    "AlertState",
    "CoreKind",
    "Decision",
    "Diagnosis",
    "GrouperSnapshot",
    "IncidentState",
    "Move",
    "Place",
    "Placement",
    "Reason",
    "ReasonCode",
    "Regrouping",
    "Skip",
    "SkipReason",
    "Start",
    "Wait",
]


class ReasonCode(StrEnum):
    """Why something was decided: keys of the word tables."""

    # to which incident an alert belongs
    SAME_ALERT = "same_alert"
    SAME_ALERT_AGAIN = "same_alert_again"
    SAME_GROUP = "same_group"
    SAME_SERVICE = "same_service"
    SAME_HOST = "same_host"
    SAME_NAMESPACE = "same_namespace"
    CALLS_CORE = "calls_core"
    CALLED_BY_CORE = "called_by_core"
    EXPLAINED = "explained"
    MERGED_INTO = "merged_into"
    MERGED_FROM = "merged_from"
    NEW = "new"
    RECORDED = "recorded"
    # why it is diagnosed now
    FIRST = "first"
    GROWN = "grown"
    SERVICE_JOINED = "service_joined"
    SEVERITY_ROSE = "severity_rose"
    # why it is not diagnosed yet
    SETTLING = "settling"
    INCIDENT_COOLDOWN = "incident_cooldown"
    SERVICE_COOLDOWN = "service_cooldown"
    SERVICE_HOUR = "service_hour"
    CONCURRENT = "concurrent"
    STORM = "storm"
    INCIDENT_BUDGET = "incident_budget"
    DAY_BUDGET = "day_budget"


class SkipReason(StrEnum):
    """Why an alert or incident is recorded and not diagnosed: a closed list."""

    HEARTBEAT = "heartbeat"
    SEVERITY = "severity"
    SILENCED = "silenced"
    INHIBITED = "inhibited"
    MAINTENANCE = "maintenance"
    SETTLED = "settled"


class AlertEvent(StrEnum):
    """What one delivery of an alert changed."""

    FIRED = "fired"
    RESOLVED = "resolved"
    REOPENED = "reopened"
    """It had resolved and fires again."""
    REPEATED = "repeated"
    """The same state as before: a duplicate, a replay, a reminder."""
    OUTDATED = "outdated"
    """It tells of a time before what is known already; its state stays."""
    RESOLVED_UNSEEN = "resolved_unseen"
    """It is over, and its firing never came."""


class CoreKind(StrEnum):
    """What an incident is about in the first place."""

    SERVICE = "service"
    HOST = "host"
    NAMESPACE = "namespace"
    NONE = ""


class Reason(Model):
    """A code with what its sentence names; `analysis.incidents.words.say` says it."""

    code: ReasonCode | SkipReason
    values: dict[str, str] = Field(default_factory=dict)


class Place(Model):
    """Where an alert says that it is; what it does not say is empty."""

    cluster: str = ""
    namespace: str = ""
    service: str = ""
    host: str = ""


class AlertState(Model):
    """What is kept of one alert, by its fingerprint: one row."""

    fingerprint: str
    incident_id: str
    sequence: int
    """Order in which the alerts were placed; restoring keeps it."""
    name: str = ""
    severity: str = ""
    status: AlertStatus = AlertStatus.FIRING
    place: Place = Place()
    group_key: str = ""
    caller: str = ""
    """Who complains of the place's service, where the alert tells of a call."""
    skipped: SkipReason | None = None
    starts_at: Instant | None = None
    ends_at: Instant | None = None
    first_at: Instant
    """When it was first received."""
    last_at: Instant
    """When it was last received."""
    changed_at: Instant
    """When its status last changed, as received."""
    times: int = 1
    """How often it was delivered."""


class IncidentState(Model):
    """What is kept of one incident: one row, without its alerts."""

    incident_id: str
    name: str = ""
    """Name of the alert that opened it."""
    status: AlertStatus = AlertStatus.FIRING
    severity: str = ""
    """The highest of its alerts that ask somebody to act; `critical`, `error`, …, or empty."""
    core: str = ""
    """Name of the service, host or namespace that it is about, so far as is known."""
    core_kind: CoreKind = CoreKind.NONE
    core_is_sure: bool = False
    """An alert shows trouble of the core's own, which nothing that it calls explains."""
    cluster: str = ""
    namespace: str = ""
    """Of the core."""
    services: tuple[str, ...] = ()
    """Names of its services, sorted."""
    hosts: tuple[str, ...] = ()
    """Names of its hosts, sorted."""
    alert_count: int = 0
    """Alerts that ask somebody to act; deliveries of one alert count once."""
    firing_count: int = 0
    """Those of them that still fire."""
    recorded_count: int = 0
    """Alerts that are only recorded."""
    skipped: SkipReason | None = None
    """Why nothing of it is diagnosed; None as soon as one alert asks somebody to act."""
    opened_at: Instant
    """When its first alert was received."""
    started_at: Instant
    """Earliest start of an alert, at most `opened_at`."""
    last_new_at: Instant
    """When its last new alert was received."""
    resolved_at: Instant | None = None
    """When the last of its alerts was received as resolved."""
    reopened: int = 0
    """How often it fired again after all of it was resolved."""
    toggled_at: tuple[Instant, ...] = ()
    """Changes between firing and resolved within the flap window, oldest first."""
    is_flapping: bool = False


class GrouperSnapshot(Model):
    """All that a `Grouper` knows, in the order in which it came."""

    incidents: tuple[IncidentState, ...] = ()
    alerts: tuple[AlertState, ...] = ()


class Placement(Model):
    """Where one delivery of an alert belongs, and what it changed."""

    incident_id: str
    is_new: bool
    """The incident begins with it."""
    reason: Reason
    fingerprint: str
    event: AlertEvent
    is_duplicate: bool = False
    """Nothing changed but the count of deliveries."""
    reopened: bool = False
    """The incident had been resolved and fires again."""
    skipped: Reason | None = None
    """Why the alert is recorded and not diagnosed."""
    notes: tuple[str, ...] = ()
    """What was odd: ``starts_in_future``, ``no_labels``; keys of the word tables."""


class Move(Model):
    """An alert that belongs to another incident, with what is known by now."""

    fingerprint: str
    from_id: str
    to_id: str
    reason: Reason


class Regrouping(Model):
    """What was found to belong elsewhere."""

    moves: tuple[Move, ...] = ()
    alerts: tuple[AlertState, ...] = ()
    """What is kept of the alert of each move from then on."""
    merged: dict[str, str] = Field(default_factory=dict)
    """Incident that has no alert left -> the one that took most of its alerts."""


class Diagnosis(Model):
    """A session that was started for an incident."""

    incident_id: str
    service: str = ""
    """Core of the incident at that time."""
    started_at: Instant
    ended_at: Instant | None = None
    """None while it waits in the queue or runs."""
    alert_count: int = 0
    services: tuple[str, ...] = ()
    severity: str = ""
    """The last three as of its start."""


class Start(Model):
    """A diagnosis that is to start now."""

    incident_id: str
    reason: Reason
    diagnosis: Diagnosis
    """To be stored with it: later decisions compare with it."""


class Wait(Model):
    """An incident that would be diagnosed and has to wait."""

    incident_id: str
    reason: Reason
    until: Instant | None
    """When it is decided anew at the earliest; None: when something else changes."""


class Skip(Model):
    """An incident that is over without a diagnosis."""

    incident_id: str
    reason: Reason


class Decision(Model):
    """What is to be done now; starts in order of priority, the rest by incident."""

    starts: tuple[Start, ...] = ()
    waits: tuple[Wait, ...] = ()
    skips: tuple[Skip, ...] = ()
