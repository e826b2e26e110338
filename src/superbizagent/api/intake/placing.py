"""What deliveries come to: rows to write, worked out in memory."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
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
    Reason,
    ReasonCode,
    Regrouping,
)
from superbizagent.domain.ids import derived_id
from superbizagent.domain.incident import Language
from superbizagent.domain.incident_record import IncidentEvent, IncidentEventKind
from superbizagent.storage.alerts import AlertMove, AlertNews
from superbizagent.storage.ids import new_id

__all__ = ["Batch", "Merging", "Placed", "Placer", "note_placed"]

_URGENT = "critical"


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


@dataclass(slots=True)
class Merging:
    """Rows of incidents that turned out to be one."""

    moves: dict[str, AlertMove] = field(default_factory=dict[str, AlertMove])
    """By alert id."""
    merged: list[tuple[IncidentState, str]] = field(default_factory=list[tuple[IncidentState, str]])
    """Those without alerts, each with the incident that took most of them."""
    batch: Batch = field(default_factory=Batch)
    """What became of those that took alerts, and what to note of both."""


class Placer:
    """Gives alerts their incidents, and knows what of both is stored.

    After a transaction that failed it knows what is not stored: `restore` it.
    """

    def __init__(self, make_grouper: Callable[[Callable[[], str]], Grouper]) -> None:
        self._at: datetime | None = None
        self._grouper = make_grouper(self._incident_id)
        self._seen: dict[str, IncidentState] = {}
        self._alert_ids: dict[tuple[str, str], str] = {}
        """By incident and fingerprint; an alert that was moved keeps the id it had before."""

    def _incident_id(self) -> str:
        assert self._at is not None  # noqa: S101 - asked for while an alert is placed
        return new_id(self._at)

    def restore(
        self, incidents: tuple[IncidentState, ...], alerts: Mapping[str, AlertState]
    ) -> None:
        """Forget all and take up what is stored, alerts by their ids."""
        known = GrouperSnapshot(incidents=incidents, alerts=tuple(alerts.values()))
        self._grouper.restore(known)
        self._seen = {state.incident_id: state for state in self._grouper.incidents()}
        self._alert_ids = {(a.incident_id, a.fingerprint): name for name, a in alerts.items()}

    def set_edges(self, edges: Iterable[tuple[str, str]]) -> None:
        """Use another call graph from now on."""
        self._grouper.set_edges(edges)

    def expire(self, now: datetime) -> tuple[tuple[IncidentState, ...], list[IncidentEvent]]:
        """Let go of incidents that are over; return their last states and what to note."""
        gone = self._grouper.expire(now)
        for state in gone:
            self._seen.pop(state.incident_id, None)
        return gone, [_event(s, IncidentEventKind.CLOSED, now) for s in gone]

    @property
    def has_news(self) -> bool:
        """Whether incidents may turn out to be one."""
        return self._grouper.has_news

    def regroup(self, now: datetime, keep: Collection[str]) -> Merging:
        """Merge incidents that only feel what another has by itself, but for those to keep."""
        found, rows = self._grouper.regroup(now, keep), Merging()
        for move, state in zip(found.moves, found.alerts, strict=True):
            alert_id = self._alert_ids.pop((move.from_id, move.fingerprint))
            self._alert_ids[move.to_id, move.fingerprint] = alert_id
            rows.moves[alert_id] = AlertMove(alert_id, state, move.reason)
        for name in dict.fromkeys(move.to_id for move in found.moves):
            if name not in found.merged:
                self._note_incident(name, now, rows.batch, reopened=False)
        rows.batch.events += _merge_events(found, self._seen, now)
        for name, successor in found.merged.items():
            rows.merged.append((_emptied(self._seen.pop(name), now), successor))
        return rows

    def alert_id(self, placed: Placement) -> str:
        """Return the id of the row of an alert that was placed."""
        return self._alert_ids[placed.incident_id, placed.fingerprint]

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
        place = (placed.incident_id, placed.fingerprint)
        alert_id = self._alert_ids.get(place) or derived_id(*place)
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
                is_new=begins and place not in self._alert_ids,
                has_news=news,
            )
            self._alert_ids[place] = alert_id
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


def note_placed(placed: Placed, one: Placement, alert_id: str) -> None:
    """Take the place of one alert into what its delivery came to."""
    placed.alert_ids[alert_id] = None
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


def _emptied(state: IncidentState, at: datetime) -> IncidentState:
    """What is left of an incident without alerts: its name, and what it was about."""
    return state.model_copy(
        update={
            "status": AlertStatus.RESOLVED,
            "resolved_at": at,
            "severity": "",
            "services": (),
            "hosts": (),
            "alert_count": 0,
            "firing_count": 0,
            "recorded_count": 0,
        }
    )


def _merge_events(
    found: Regrouping, states: Mapping[str, IncidentState], at: datetime
) -> list[IncidentEvent]:
    """One for each incident that went, and one for each share of it where that went to."""
    events: list[IncidentEvent] = []
    for name, into in found.merged.items():
        core = states[into].core
        why = Reason(code=ReasonCode.MERGED_INTO, values={"core": core, "incident": into})
        events.append(_merge_event(name, why, at, merged_into=into))
    for (name, into), count in Counter((m.from_id, m.to_id) for m in found.moves).items():
        values = {"core": states[into].core, "incident": name, "alerts": str(count)}
        why = Reason(code=ReasonCode.MERGED_FROM, values=values)
        events.append(_merge_event(into, why, at, merged_from=name))
    return events


def _merge_event(name: str, why: Reason, at: datetime, **other: str) -> IncidentEvent:
    return IncidentEvent(
        event_id=new_id(at),
        incident_id=name,
        kind=IncidentEventKind.MERGED,
        details={"reason": why.model_dump(mode="json"), **other},
        at=at,
    )


def _event(
    state: IncidentState, kind: IncidentEventKind, at: datetime, **details: str
) -> IncidentEvent:
    return IncidentEvent(
        event_id=new_id(at), incident_id=state.incident_id, kind=kind, details=details, at=at
    )
