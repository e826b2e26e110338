"""Which incident an alert belongs to, and what each delivery changes."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from superbizagent.analysis.incidents._bindings import Bindings, recorded_key
from superbizagent.analysis.incidents._episodes import after, event_of
from superbizagent.analysis.incidents._open_incident import OpenIncident, core_of, opened_by
from superbizagent.analysis.incidents._regroup import Explained
from superbizagent.analysis.incidents._rules import Found, Rules
from superbizagent.analysis.incidents.reach import Reach
from superbizagent.analysis.incidents.reading import GroupedAlert, read_alert
from superbizagent.analysis.incidents.skipping import skip_reason
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.grouping import (
    AlertEvent,
    AlertState,
    GrouperSnapshot,
    IncidentState,
    Move,
    Placement,
    Reason,
    ReasonCode,
    Regrouping,
    SkipReason,
)
from superbizagent.domain.intake import IntakeConfig

__all__ = ["Grouper"]


class Grouper:
    """Holds the open incidents and gives each alert the one that it belongs to.

    The rules, in this order: the same alert; the sender's group, unless labels contradict; the same
    service, host or namespace while the incident is active; a call, of at most two hops, between
    the alert's service and what the incident is about. Nothing is joined through a caller that two
    incidents have in common.

    `regroup` merges those of which it turns out that another explains them, before anybody
    diagnosed them; what was diagnosed under two names stays so.

    No thread safety: one owner places alerts, one at a time.
    """

    def __init__(
        self,
        config: IntakeConfig,
        entity_labels: Sequence[str],
        new_id: Callable[[], str],
        *,
        edges: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Start without incidents.

        Args:
            config: windows, severities, maintenance.
            entity_labels: labels whose value names a service, first match wins.
            new_id: gives the id of a new incident, each time another.
            edges: caller and callee by name; empty where nobody knows.
        """
        self.config = config
        self._entity_labels = tuple(entity_labels)
        self._new_id = new_id
        self._reach = Reach(edges)
        self._clear()

    def _clear(self) -> None:
        self._incidents: dict[str, OpenIncident] = {}
        self._newest: dict[str, str] = {}
        self._bindings = Bindings()
        self._sequence = 0
        self._look()

    def _look(self) -> None:
        self._rules = Rules(self._incidents, self._bindings, self._reach, self.config)
        self._is_news = True

    def set_edges(self, edges: Iterable[tuple[str, str]]) -> None:
        """Use another call graph from now on; what was placed stays."""
        self._reach = Reach(edges)
        self._look()

    def place(self, alert: Alert, received_at: datetime) -> Placement:
        """Give an alert its incident and take its news into account.

        Args:
            alert: one alert of a payload, firing or resolved.
            received_at: when it was received, by our clock, UTC-aware.

        Returns:
            The incident and why. `incident` and `alert` return what is to be stored of both.
        """
        given = _Delivery(
            alert,
            read_alert(alert, received_at, self._entity_labels),
            skip_reason(alert, received_at, self.config),
            received_at,
        )
        known = self._known(given.read.fingerprint)
        if known is not None:
            event = event_of(known, alert, received_at, self.config.group_window)
            over = received_at - known.changed_at >= self.config.flap_window
            if event is not AlertEvent.REOPENED or not over:
                return self._again(known, given, event)
        return self._first(given)

    def regroup(self, now: datetime, keep: Collection[str] = ()) -> Regrouping:
        """Merge incidents that only feel what by now another is known to have by itself.

        Without a new alert since the last call there is nothing to do. To be written, in one
        transaction: of each move the alert's incident and reason; of each merged incident that it
        is over and into which it went, so that its id stays valid; the state of each that took
        alerts.

        Args:
            now: by our clock, UTC-aware; incidents older than the group window stay.
            keep: incidents that were diagnosed or that somebody was told of: they stay; may only
                grow from call to call.
        """
        if not self._is_news:
            return Regrouping()
        look = Explained(self._incidents, self._bindings, self._reach, self.config)
        found: list[Move] = []
        alerts: list[AlertState] = []
        while moves := list(look.moves(now, keep)):
            alerts += [self._move(move) for move in moves]
            for name in dict.fromkeys(move.from_id for move in moves):
                self._incidents.pop(name)
                self._bindings.drop(name)
            for name in sorted({move.to_id for move in moves}):
                self._bindings.bind_core(self._incidents[name].state, self._incidents[name].alerts)
            found += moves
        self._is_news = False
        most: dict[str, Counter[str]] = {}
        for move in found:
            most.setdefault(move.from_id, Counter())[move.to_id] += 1
        merged = {name: min(n, key=lambda k: (-n[k], k)) for name, n in most.items()}
        return Regrouping(moves=tuple(found), alerts=tuple(alerts), merged=merged)

    def _move(self, move: Move) -> AlertState:
        alert = self._incidents[move.from_id].alerts[move.fingerprint]
        changes = {"incident_id": move.to_id, "sequence": self._next()}
        alert, target = alert.model_copy(update=changes), self._incidents[move.to_id]
        target.put(alert, self.config, alert.first_at)
        if self._newest.get(move.fingerprint) == move.from_id:
            self._newest[move.fingerprint] = move.to_id
        self._bindings.bind(target.state, alert)
        return alert

    @property
    def has_news(self) -> bool:
        """Whether `regroup` has something to look at."""
        return self._is_news

    def incident(self, incident_id: str) -> IncidentState:
        """Return the state of an open incident.

        Raises:
            KeyError: when it is not open.
        """
        return self._incidents[incident_id].state

    def alert(self, fingerprint: str) -> AlertState:
        """Return what is kept of an alert of an open incident, of the newest that has it.

        Raises:
            KeyError: when none has it.
        """
        return self._incidents[self._newest[fingerprint]].alerts[fingerprint]

    def incidents(self) -> tuple[IncidentState, ...]:
        """Return the open incidents in the order in which they began."""
        return tuple(incident.state for incident in self._incidents.values())

    def snapshot(self) -> GrouperSnapshot:
        """Return all that is known, as rows."""
        alerts = [a for incident in self._incidents.values() for a in incident.alerts.values()]
        return GrouperSnapshot(
            incidents=self.incidents(), alerts=tuple(sorted(alerts, key=lambda a: a.sequence))
        )

    def restore(self, snapshot: GrouperSnapshot) -> None:
        """Forget all and take up rows that were stored; alerts of other incidents are left out."""
        self._clear()
        for state in snapshot.incidents:
            self._incidents[state.incident_id] = OpenIncident(state)
        for alert in sorted(snapshot.alerts, key=lambda a: a.sequence):
            incident = self._incidents.get(alert.incident_id)
            if incident is not None:
                incident.restore(alert)
                self._newest[alert.fingerprint] = alert.incident_id
                self._bindings.bind(incident.state, alert)
                self._sequence = alert.sequence
        for incident in self._incidents.values():
            self._bindings.bind_core(incident.state, incident.alerts)

    def expire(self, now: datetime) -> tuple[IncidentState, ...]:
        """Let go of incidents that are over, and return their last state.

        Over is what resolved before the flap window, and what nobody repeated for `expire_seconds`:
        that is closed as resolved now. An alert of it that comes later begins another incident.
        """
        gone = tuple(s for i in self._incidents.values() if (s := self._last_state(i, now)))
        for state in gone:
            incident = self._incidents.pop(state.incident_id)
            self._bindings.drop(state.incident_id)
            for fingerprint in incident.alerts:
                if self._newest.get(fingerprint) == state.incident_id:
                    del self._newest[fingerprint]
        return gone

    def _last_state(self, incident: OpenIncident, now: datetime) -> IncidentState | None:
        state = incident.state
        if state.resolved_at is not None:
            return state if now - state.resolved_at >= self.config.flap_window else None
        heard = max((a.last_at for a in incident.alerts.values()), default=state.opened_at)
        if now - heard < self.config.expiry:
            return None
        closed = {"status": AlertStatus.RESOLVED, "resolved_at": now, "firing_count": 0}
        return state.model_copy(update=closed)

    def _known(self, fingerprint: str) -> AlertState | None:
        name = self._newest.get(fingerprint)
        return None if name is None else self._incidents[name].alerts[fingerprint]

    def _again(self, known: AlertState, given: "_Delivery", event: AlertEvent) -> Placement:
        incident = self._incidents[known.incident_id]
        kept = after(known, event, given.alert, given.at)
        changed = given.skipped != known.skipped and event is not AlertEvent.OUTDATED
        if changed:
            kept = kept.model_copy(update={"skipped": given.skipped, "sequence": self._next()})
        reopened = incident.put(kept, self.config, given.at)
        if changed:
            self._bindings.bind(incident.state, kept)
            self._bindings.bind_core(incident.state, incident.alerts)
        again = event is AlertEvent.REOPENED
        values = {"name": given.alert.name, "fingerprint": known.fingerprint}
        return Placement(
            incident_id=known.incident_id,
            is_new=False,
            reason=Reason(
                code=ReasonCode.SAME_ALERT_AGAIN if again else ReasonCode.SAME_ALERT, values=values
            ),
            fingerprint=known.fingerprint,
            event=event,
            is_duplicate=event in {AlertEvent.REPEATED, AlertEvent.OUTDATED} and not changed,
            reopened=reopened,
            skipped=given.skip,
            notes=given.read.notes,
        )

    def _first(self, given: "_Delivery") -> Placement:
        kept, read = given.kept(self._next()), given.read
        acts = given.skip is None
        found = self._rules.find(read, given.at) if acts else self._recorded(kept, given.at)
        if found is None:
            name = self._new_id()
            incident = opened_by(name, read, kept, given.at)
            self._incidents[name] = incident
            reason = Reason(code=ReasonCode.NEW, values={"name": given.alert.name})
        else:
            incident, reason = found.incident, found.reason
        kept = kept.model_copy(update={"incident_id": incident.state.incident_id})
        reopened = incident.put(kept, self.config, given.at)
        self._newest[kept.fingerprint] = kept.incident_id
        self._bindings.bind(incident.state, kept)
        if acts:
            self._is_news = True
            self._follow_core(incident, read, found)
        firing = kept.status is AlertStatus.FIRING
        return Placement(
            incident_id=kept.incident_id,
            is_new=found is None,
            reason=reason,
            fingerprint=kept.fingerprint,
            event=AlertEvent.FIRED if firing else AlertEvent.RESOLVED_UNSEEN,
            reopened=reopened,
            skipped=given.skip,
            notes=read.notes,
        )

    def _recorded(self, kept: AlertState, at: datetime) -> Found | None:
        """Where an alert is kept that is only recorded: with an incident of its service, if any."""
        place, reason = kept.place, Reason(code=ReasonCode.RECORDED)
        if place.service and kept.skipped is not SkipReason.HEARTBEAT:
            near = self._bindings.services.newest(place.service, place.cluster, place.namespace)
            for name in near:
                incident = self._incidents[name]
                if incident.is_active(at, self.config.group_window):
                    return Found(incident, reason)
        for name in self._bindings.recorded.newest(recorded_key(kept)):
            return Found(self._incidents[name], reason)
        return None

    def _follow_core(self, incident: OpenIncident, read: GroupedAlert, found: Found | None) -> None:
        state, changes = incident.state, dict[str, Any]()
        if found is not None and (found.deepens or not state.core):
            changes = dict(core_of(read))
        elif read.own and read.place.service == state.core and not state.core_is_sure:
            changes = {"core_is_sure": True}
        if changes:
            incident.state = state.model_copy(update=changes)
        if changes or found is None:
            self._bindings.bind_core(incident.state, incident.alerts)

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def __len__(self) -> int:
        return len(self._incidents)


@dataclass(frozen=True, slots=True)
class _Delivery:
    """One delivery of an alert, as it came and as it was read."""

    alert: Alert
    read: GroupedAlert
    skip: Reason | None
    at: datetime

    @property
    def skipped(self) -> SkipReason | None:
        return None if self.skip is None else SkipReason(self.skip.code)

    def kept(self, sequence: int) -> AlertState:
        """Return what is kept of an alert that is new; the incident is still to be named."""
        alert, read, at = self.alert, self.read, self.at
        firing = alert.status is AlertStatus.FIRING
        return AlertState(
            fingerprint=read.fingerprint,
            incident_id="",
            sequence=sequence,
            name=alert.name,
            severity=read.severity,
            status=alert.status,
            place=read.place,
            caller=read.caller,
            group_key=read.group_key,
            skipped=self.skipped,
            starts_at=alert.starts_at,
            ends_at=None if firing else (alert.ends_at or at),
            first_at=at,
            last_at=at,
            changed_at=at,
        )
