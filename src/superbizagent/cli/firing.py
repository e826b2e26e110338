"""Nobody said what is wrong: take the alerts that fire now."""

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

    The first live system that answers is asked: Alertmanager before Prometheus, because it knows
    which alerts are silenced. What is silenced or inhibited is not what to look into.

    Args:
        incident: as the caller described it.
        sources: of the session.
        progress: told how many there are.
    """
    told = incident.alerts or incident.question or incident.at or incident.start or incident.end
    live = tuple(source for source in sources if is_live(source))
    if told or not live:
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
        if quiet := len(found) - len(firing):
            notes.append(f"{quiet} silenced or inhibited alerts were left out")
        names = ", ".join(dict.fromkeys(a.name for a in mine[:3])) or "no alert fires"
        progress("alerts", f"{len(mine)} firing: {names}" if mine else names)
        update = {"alerts": tuple(mine), "notes": (*incident.notes, *notes)}
        return incident.model_copy(update=update)
    return incident.model_copy(update={"notes": (*incident.notes, *notes)})


def _concerns(alert: Alert, services: Sequence[str]) -> bool:
    return not services or bool(set(services) & set(alert.labels.values()))


def _suppressed(alert: Alert) -> bool:
    from superbizagent.datasources.prometheus import is_suppressed

    return is_suppressed(alert)
