"""What of a recording is seen, and over which windows: as the product would have been asked.

The windows are those of `investigation.scope`; here only the question is put: with the time of the
fault, with an alert that comes minutes later, or with no time at all.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from superbizagent.analysis.alert_channel import AlertFocus
from superbizagent.analysis.families import meaning_of
from superbizagent.datasources.bundle.labels import DEFAULT_LABEL_KINDS
from superbizagent.domain.alert import Alert
from superbizagent.domain.incident import Incident
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import SourceDescription, Survey
from superbizagent.domain.window import Window
from superbizagent.evaluation.rca.recordings import Recording
from superbizagent.investigation.scope import scope_incident

__all__ = ["Sight", "TimeMode", "alert_delay", "sight_of"]

_FIRST, _LAST = 120, 300
"""Seconds after the fault in which the alert comes."""


class TimeMode(StrEnum):
    """What is known of the time."""

    EXACT = "exact"
    """When the fault began, and its end where the label has one."""
    ALERT = "alert"
    """An alert came two to five minutes after the fault; the data end there."""
    NONE = "none"
    """Nothing: the whole capture."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A question about a recording."""

    scope: Scope
    focus: AlertFocus | None
    end: datetime
    """Nothing later is seen, but for normal telemetry of another time."""


def alert_delay(name: str) -> timedelta:
    """Return how long after the fault the alert of a case comes: drawn by its name."""
    draw = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
    return timedelta(seconds=_FIRST + draw % (_LAST - _FIRST + 1))


def sight_of(recording: Recording, mode: TimeMode) -> Sight | None:
    """Return the question of a mode, None when the label has no time for it."""
    extent = recording.description.extent
    if extent is None:
        return None
    if mode is TimeMode.NONE:
        update: dict[str, object] = {"hints": {}, "alerts": (), "symptom": ""}
        return _sight(recording, recording.description.model_copy(update=update), extent.end, None)
    if mode is TimeMode.ALERT:
        return _alerted(recording, extent)
    if recording.label.inject_time is None:
        return None
    return _sight(recording, recording.description, extent.end, recording.label.alert_time)


def _alerted(recording: Recording, extent: Window) -> Sight | None:
    label = recording.label
    if label.alert_time is not None:
        # A case's own alert tells of the sample that was being taken: it is seen when complete.
        fired, end = label.alert_time, label.alert_time + recording.step
    elif label.inject_time is not None:
        fired = label.inject_time + alert_delay(recording.case.name)
        end = fired
    else:
        return None
    end = min(end, extent.end)
    if end <= extent.start:
        return None
    named = {"service": label.entry} if label.entry else {}
    alert = Alert(labels={"alertname": "UsersAreAffected", **named}, starts_at=min(fired, end))
    update: dict[str, object] = {
        "hints": {},
        "alerts": (alert,),
        "extent": Window(start=extent.start, end=end),
    }
    seen = recording.description.model_copy(update=update)
    return _sight(recording, seen, end, alert.starts_at)


def _sight(
    recording: Recording, seen: SourceDescription, end: datetime, alert_at: datetime | None
) -> Sight:
    survey = Survey(sources=(seen,), topology=recording.topology)
    scope = scope_incident(Incident(received_at=end), survey, tuple(DEFAULT_LABEL_KINDS))
    return Sight(scope, _focus(recording, alert_at), end)


def _focus(recording: Recording, at: datetime | None) -> AlertFocus | None:
    """Say what fired: the series that the case names, else something at the front door."""
    entry, _, metric = recording.label.alert_metric.rpartition("|")
    path = recording.entity_of({"service": entry or recording.label.entry})
    if at is None or path is None:
        return None
    return AlertFocus(entry=path, family=meaning_of({"__name__": metric}).family, at=at)
