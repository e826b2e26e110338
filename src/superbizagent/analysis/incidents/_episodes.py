"""What a further delivery of a known alert says: news, a repetition, or something out of date."""

from datetime import datetime, timedelta

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.grouping import AlertEvent, AlertState

__all__ = ["after", "event_of"]


def event_of(known: AlertState, alert: Alert, at: datetime, late: timedelta) -> AlertEvent:
    """Tell what a delivery changes.

    Times of the sender are compared with each other alone, so that its clock may be wrong. A firing
    that began before the known end is out of date while it may have been overtaken on its way;
    after that it is believed: a server that was restarted reports its alerts with their old start.

    Args:
        known: what is kept of the alert.
        alert: as delivered now.
        at: when it was received.
        late: how long a delivery may be on its way.
    """
    firing = alert.status is AlertStatus.FIRING
    if firing and known.status is AlertStatus.FIRING:
        return AlertEvent.REPEATED
    if firing:
        begins, ended = alert.starts_at, known.ends_at or known.starts_at
        overtaken = begins is not None and (
            begins == known.starts_at or (ended is not None and begins < ended)
        )
        # Deliveries may be handed over in any order of their receipt as well.
        earlier = at < known.changed_at
        near = at - known.changed_at <= late
        return AlertEvent.OUTDATED if earlier or (overtaken and near) else AlertEvent.REOPENED
    if known.status is AlertStatus.RESOLVED:
        return AlertEvent.REPEATED
    ended, began = alert.ends_at, known.starts_at
    if ended is not None and began is not None and ended < began:
        return AlertEvent.OUTDATED
    older = alert.starts_at is not None and began is not None and alert.starts_at < began
    return AlertEvent.OUTDATED if older and ended is None else AlertEvent.RESOLVED


def after(known: AlertState, event: AlertEvent, alert: Alert, at: datetime) -> AlertState:
    """Return what is kept of an alert after a delivery."""
    counted = {"times": known.times + 1, "last_at": max(at, known.last_at)}
    match event:
        case AlertEvent.REOPENED:
            news = {"starts_at": alert.starts_at, "ends_at": None, "status": AlertStatus.FIRING}
        case AlertEvent.RESOLVED:
            news = {
                "starts_at": known.starts_at or alert.starts_at,
                "ends_at": alert.ends_at or at,
                "status": AlertStatus.RESOLVED,
            }
        case AlertEvent.REPEATED:
            latest = [t for t in (known.starts_at, alert.starts_at) if t is not None]
            return known.model_copy(update=counted | {"starts_at": max(latest, default=None)})
        case _:
            return known.model_copy(update=counted)
    return known.model_copy(update=counted | news | {"changed_at": at})
