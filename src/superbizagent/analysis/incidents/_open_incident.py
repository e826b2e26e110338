"""One open incident with its alerts, and how its state follows from theirs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from superbizagent.analysis.incidents.reading import SEVERITIES, GroupedAlert
from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.grouping import AlertState, CoreKind, IncidentState
from superbizagent.domain.intake import IntakeConfig

__all__ = ["OpenIncident", "core_of", "opened_by"]


@dataclass(slots=True)
class OpenIncident:
    """An incident that alerts can still join."""

    state: IncidentState
    alerts: dict[str, AlertState] = field(default_factory=dict[str, AlertState])
    """By fingerprint, in the order in which they came."""
    firing: set[str] = field(default_factory=set[str])
    """Fingerprints of those that ask somebody to act."""
    recorded_firing: set[str] = field(default_factory=set[str])

    def restore(self, alert: AlertState) -> None:
        """Take up an alert that is counted in the state already."""
        self.alerts[alert.fingerprint] = alert
        self._sort_in(alert)

    def put(self, alert: AlertState, config: IntakeConfig, at: datetime) -> bool:
        """Take up an alert, or what became of one, at its receipt.

        Returns:
            Whether the incident was resolved before and fires now.
        """
        before = self.alerts.get(alert.fingerprint)
        self.alerts[alert.fingerprint] = alert
        self._sort_in(alert)
        changes: dict[str, Any] = {}
        if before is None or before.skipped != alert.skipped:
            changes = self._counted(before, alert)
            if alert.skipped is None:
                changes |= self._joined(alert, at)
        reopened = self._follow_status(changes, config, at)
        if changes:
            self.state = self.state.model_copy(update=changes)
        return reopened

    def is_active(self, at: datetime, window: timedelta) -> bool:
        """Tell whether its last new alert is not older than the window."""
        return at - self.state.last_new_at <= window

    def _sort_in(self, alert: AlertState) -> None:
        acting, recorded = self.firing, self.recorded_firing
        acting.discard(alert.fingerprint)
        recorded.discard(alert.fingerprint)
        if alert.status is AlertStatus.FIRING:
            (acting if alert.skipped is None else recorded).add(alert.fingerprint)

    def _counted(self, before: AlertState | None, alert: AlertState) -> dict[str, Any]:
        acting, recorded = self.state.alert_count, self.state.recorded_count
        if before is not None:
            acting, recorded = (
                acting - (before.skipped is None),
                recorded - (before.skipped is not None),
            )
        acting += alert.skipped is None
        recorded += alert.skipped is not None
        skipped = None if acting else (self.state.skipped or alert.skipped)
        return {"alert_count": acting, "recorded_count": recorded, "skipped": skipped}

    def _joined(self, alert: AlertState, at: datetime) -> dict[str, Any]:
        state, place = self.state, alert.place
        changes: dict[str, Any] = {"last_new_at": max(at, state.last_new_at)}
        start = min(alert.starts_at or at, at)
        if start < state.started_at:
            changes["started_at"] = start
        if SEVERITIES.index(alert.severity) < SEVERITIES.index(state.severity):
            changes["severity"] = alert.severity
        for key, known, names in (
            ("services", state.services, (place.service, alert.caller)),
            ("hosts", state.hosts, (place.host,)),
        ):
            if more := {name for name in names if name and name not in known}:
                changes[key] = tuple(sorted({*known, *more}))
        return changes

    def _follow_status(self, changes: dict[str, Any], config: IntakeConfig, at: datetime) -> bool:
        state = self.state
        acting = changes.get("alert_count", state.alert_count)
        fires = bool(self.firing if acting else self.recorded_firing)
        status = AlertStatus.FIRING if fires else AlertStatus.RESOLVED
        if len(self.firing) != state.firing_count:
            changes["firing_count"] = len(self.firing)
        if status is state.status:
            return False
        since = at - config.flap_window
        toggled = (*(t for t in state.toggled_at if t > since), at)
        changes |= {
            "status": status,
            "resolved_at": None if fires else at,
            "toggled_at": toggled,
            "is_flapping": len(toggled) >= config.flap_toggles,
            "reopened": state.reopened + fires,
        }
        return fires


def opened_by(
    incident_id: str, read: GroupedAlert, alert: AlertState, at: datetime
) -> OpenIncident:
    """Return an incident that begins with an alert, which is still to be put into it."""
    return OpenIncident(
        IncidentState(
            incident_id=incident_id,
            name=alert.name,
            status=alert.status,
            severity=alert.severity if alert.skipped is None else "",
            **core_of(read),
            skipped=alert.skipped,
            opened_at=at,
            started_at=min(alert.starts_at or at, at),
            last_new_at=at,
            resolved_at=None if alert.status is AlertStatus.FIRING else at,
        )
    )


def core_of(read: GroupedAlert) -> Mapping[str, Any]:
    """Return the fields of an incident that is about what an alert is about."""
    return {
        "core": read.core,
        "core_kind": read.core_kind,
        "core_is_sure": {
            CoreKind.SERVICE: read.own,
            CoreKind.HOST: True,
            CoreKind.NAMESPACE: read.spreads,
        }.get(read.core_kind, False),
        "cluster": read.place.cluster,
        "namespace": read.place.namespace if read.core_kind is not CoreKind.HOST else "",
    }
