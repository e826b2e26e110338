"""What deliveries come to: rows to write, worked out in memory."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from superbizagent.analysis.incidents.grouper import Grouper
from superbizagent.analysis.incidents.words import say_note
from superbizagent.api.intake.reading import Delivery
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.grouping import (
    AlertEvent,
    AlertState,
    GrouperSnapshot,
    IncidentState,
    Placement,
)
from superbizagent.domain.ids import derived_id, uuid7
from superbizagent.domain.incident import Language
from superbizagent.domain.incident_record import IncidentEvent, IncidentEventKind
from superbizagent.domain.window import to_ms
from superbizagent.storage.alerts import AlertNews

__all__ = ["Batch", "Placed", "Placer", "new_id"]

_URGENT = "critical"


def new_id(at: datetime) -> str:
    """Return a new id that sorts by time."""
    return uuid7(to_ms(at), secrets.token_bytes(10))


@dataclass(slots=True)
class Placed:
    """What one delivery came to."""

    alert_ids: dict[str, None] = field(default_factory=dict[str, None])
    incident_ids: dict[str, None] = field(default_factory=dict[str, None])
    duplicates: int = 0
    notes: dict[str, None] = field(default_factory=dict[str, None])


@dataclass(slots=True)
class Batch:
    """Rows of several deliveries, each once."""

    alerts: dict[str, AlertNews] = field(default_factory=dict[str, AlertNews])
    new: dict[str, IncidentState] = field(default_factory=dict[str, IncidentState])
    changed: dict[str, IncidentState] = field(default_factory=dict[str, IncidentState])
    events: list[IncidentEvent] = field(default_factory=list[IncidentEvent])
    is_urgent: bool = False
    """Something is to be diagnosed without delay."""


class Placer:
    """Gives alerts their incidents, and knows what of both is stored.

    After a transaction that failed it knows what is not stored: `restore` it.
    """

    def __init__(self, make_grouper: Callable[[Callable[[], str]], Grouper]) -> None:
        self._at: datetime | None = None
        self._grouper = make_grouper(self._incident_id)
        self._seen: dict[str, IncidentState] = {}
        self._alert_ids: set[str] = set()

    def _incident_id(self) -> str:
        assert self._at is not None  # noqa: S101 - asked for while an alert is placed
        return new_id(self._at)

    def restore(self, incidents: tuple[IncidentState, ...], alerts: tuple[AlertState, ...]) -> None:
        """Forget all and take up what is stored."""
        self._grouper.restore(GrouperSnapshot(incidents=incidents, alerts=alerts))
        self._seen = {state.incident_id: state for state in self._grouper.incidents()}
        self._alert_ids = {derived_id(a.incident_id, a.fingerprint) for a in alerts}

    def set_edges(self, edges: Iterable[tuple[str, str]]) -> None:
        """Use another call graph from now on."""
        self._grouper.set_edges(edges)

    def expire(self, now: datetime) -> tuple[tuple[IncidentState, ...], list[IncidentEvent]]:
        """Let go of incidents that are over; return their last states and what to note."""
        gone = self._grouper.expire(now)
        for state in gone:
            self._seen.pop(state.incident_id, None)
        return gone, [_event(s, IncidentEventKind.CLOSED, now) for s in gone]

    def place(self, alert: Alert, delivery: Delivery, delivery_id: str, batch: Batch) -> Placement:
        """Give one alert its incident, and put the rows that follow into the batch."""
        at = self._at = delivery.received_at
        placed = self._grouper.place(alert, at)
        self._note_alert(alert, (delivery, delivery_id), placed, batch)
        self._note_incident(placed.incident_id, at, batch, reopened=placed.reopened)
        return placed

    def _note_alert(
        self, alert: Alert, source: tuple[Delivery, str], placed: Placement, batch: Batch
    ) -> None:
        delivery, delivery_id = source
        state = self._grouper.alert(placed.fingerprint)
        alert_id = derived_id(placed.incident_id, placed.fingerprint)
        news = not placed.is_duplicate
        row = batch.alerts.get(alert_id)
        if row is None:
            # An alert that resolved long ago and fires in the same incident again has a row, too.
            begins = placed.event in {AlertEvent.FIRED, AlertEvent.RESOLVED_UNSEEN}
            batch.alerts[alert_id] = AlertNews(
                alert_id=alert_id,
                delivery_id=delivery_id,
                sender=delivery.sender,
                body=alert.model_dump(mode="json"),
                state=state,
                reason=placed.reason,
                skipped=placed.skipped,
                is_new=begins and alert_id not in self._alert_ids,
                has_news=news,
            )
            self._alert_ids.add(alert_id)
            return
        row.state = state
        if news:
            row.has_news = True
            row.body = alert.model_dump(mode="json")
            row.skipped = placed.skipped

    def _note_incident(
        self, incident_id: str, at: datetime, batch: Batch, *, reopened: bool
    ) -> None:
        before, state = self._seen.get(incident_id), self._grouper.incident(incident_id)
        if state is before:
            return
        self._seen[incident_id] = state
        is_new = before is None or incident_id in batch.new
        (batch.new if is_new else batch.changed)[incident_id] = state
        batch.events += _events(before, state, at, reopened=reopened)
        risen = before is None or before.severity != _URGENT
        batch.is_urgent |= risen and state.severity == _URGENT and state.skipped is None


def note_placed(placed: Placed, one: Placement) -> None:
    """Take the place of one alert into what its delivery came to."""
    placed.alert_ids[derived_id(one.incident_id, one.fingerprint)] = None
    placed.incident_ids[one.incident_id] = None
    placed.duplicates += one.is_duplicate
    for key in one.notes:
        placed.notes[say_note(key, Language.EN)] = None


def _events(
    before: IncidentState | None, state: IncidentState, at: datetime, *, reopened: bool
) -> list[IncidentEvent]:
    if before is None:
        found = [_event(state, IncidentEventKind.OPENED, at, severity=state.severity)]
        if state.status is AlertStatus.RESOLVED:
            found.append(_event(state, IncidentEventKind.RESOLVED, at))
        return found
    found: list[IncidentEvent] = []
    if reopened:
        found.append(_event(state, IncidentEventKind.REOPENED, at))
    elif before.status is AlertStatus.FIRING and state.status is AlertStatus.RESOLVED:
        found.append(_event(state, IncidentEventKind.RESOLVED, at))
    if state.is_flapping and not before.is_flapping:
        found.append(_event(state, IncidentEventKind.FLAPPING, at))
    if state.severity != before.severity:
        told = {"before": before.severity, "severity": state.severity}
        found.append(_event(state, IncidentEventKind.SEVERITY, at, **told))
    return found


def _event(
    state: IncidentState, kind: IncidentEventKind, at: datetime, **details: str
) -> IncidentEvent:
    return IncidentEvent(
        event_id=new_id(at), incident_id=state.incident_id, kind=kind, details=details, at=at
    )
