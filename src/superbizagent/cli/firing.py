"""Nobody said what is wrong, or since when: take the alerts that fire now."""

from collections.abc import Callable, Sequence

from superbizagent.cli.live import alert_listers, is_live
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.protocols import DataSource
from superbizagent.domain.source import EvidenceStatus

__all__ = ["with_firing_alerts"]

Progress = Callable[[str, str], None]


async def with_firing_alerts(
    incident: Incident, sources: Sequence[DataSource], progress: Progress
) -> Incident:
    """Return the incident with the alerts that fire, when it says neither what nor when.

    An alert that was pasted without its time is looked up among those that fire.

    The first live system that answers is asked: Alertmanager before Prometheus, because it knows
    which alerts are silenced. What is silenced or inhibited is not what to look into.

    Args:
        incident: as the caller described it.
        sources: of the session.
        progress: told how many there are.
    """
    live = tuple(source for source in sources if is_live(source))
    timed = incident.at or incident.start or incident.end
    if not live or timed:
        return incident
    if incident.alerts:
        return await _dated(incident, live, progress)
    if incident.question:
        return incident
    notes: list[str] = []
    for lister in alert_listers(live):
        answer = await lister.list_alerts()
        if answer.status not in {EvidenceStatus.OK, EvidenceStatus.EMPTY}:
            notes.append(f"the firing alerts could not be read: {answer.error}")
            continue
        found = answer.output.alerts if isinstance(answer.output, AlertList) else ()
        firing = [a for a in found if a.status is AlertStatus.FIRING and not _suppressed(a)]
        mine = [a for a in firing if _concerns(a, incident.services)]
        if always := answer.stats.get("always"):
            notes.append(f"left out, because they always fire: {', '.join(always)}")
        if quiet := len(found) - len(firing):
            notes.append(f"{quiet} silenced or inhibited alerts were left out")
        names = ", ".join(dict.fromkeys(a.name for a in mine[:3])) or "no alert fires"
        progress("alerts", f"{len(mine)} firing: {names}" if mine else names)
        update = {"alerts": tuple(mine), "notes": (*incident.notes, *notes)}
        return incident.model_copy(update=update)
    return incident.model_copy(update={"notes": (*incident.notes, *notes)})


async def _dated(incident: Incident, live: Sequence[DataSource], progress: Progress) -> Incident:
    """Put what a server says of an alert in the place of what was pasted without a time."""
    pasted = [a for a in incident.alerts if a.starts_at is None]
    firing: list[Alert] = []
    for lister in alert_listers(tuple(live)) if pasted else ():
        answer = await lister.list_alerts()
        found = answer.output.alerts if isinstance(answer.output, AlertList) else ()
        firing += [a for a in found if a.status is AlertStatus.FIRING]
    alerts = tuple(_as_fired(a, firing) if a in pasted else a for a in incident.alerts)
    missing = [a.name for a in alerts if a.starts_at is None]
    if missing:
        progress("alerts", f"does not fire now: {', '.join(dict.fromkeys(missing))}")
    notes = [f"{name} does not fire now and came without a time" for name in missing]
    update = {"alerts": alerts, "notes": tuple(dict.fromkeys((*incident.notes, *notes)))}
    return incident.model_copy(update=update)


def _as_fired(pasted: Alert, firing: Sequence[Alert]) -> Alert:
    """The alert that fires under this name with these labels, the earliest of several."""
    own = [a for a in firing if pasted.labels.items() <= a.labels.items() and a.starts_at]
    if not own:
        return pasted
    first = min(own, key=lambda a: (a.starts_at, sorted(a.labels.items())))
    notes = pasted.annotations | first.annotations
    return first.model_copy(update={"annotations": notes, "extra": pasted.extra | first.extra})


def _concerns(alert: Alert, services: Sequence[str]) -> bool:
    return not services or bool(set(services) & set(alert.labels.values()))


def _suppressed(alert: Alert) -> bool:
    from superbizagent.datasources.prometheus import is_suppressed

    return is_suppressed(alert)
