"""Fix the frame of a diagnosis: entities, windows, what the alert is about, what was assumed.

Pure: everything it knows comes from the incident and the recorded survey.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.entity import Catalogue, Entity, Resolution
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import Topology
from superbizagent.domain.scope import Assumption, Scope
from superbizagent.domain.source import Signal, SourceDescription, Survey
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.naming import Naming

__all__ = ["leading_alert", "scope_incident"]

_LEAD = timedelta(minutes=5)
"""A rule's ``for`` plus range is at most this in four of five public rules; used when unknown."""
_LONGEST = timedelta(minutes=60)
_GAP = timedelta(minutes=2)
"""Kept free between baseline and incident, so that a slow start is not called normal."""
_BASELINE = timedelta(minutes=30)
_DEFAULT_STEP = timedelta(seconds=15)

_SEVERITY_ORDER = ("critical", "page", "error", "warning", "info", "none")


def scope_incident(incident: Incident, survey: Survey, entity_labels: Sequence[str]) -> Scope:
    """Return the scope of one diagnosis.

    Args:
        incident: what was reported.
        survey: what the sources hold.
        entity_labels: labels that name a service, first match wins.
    """
    sources = survey.sources
    incident = _as_of(_with_source_report(incident, sources), sources)
    catalogue = _catalogue(sources, survey.topology)
    alert = leading_alert(incident.alerts)
    named, unresolved = Naming(incident, alert, catalogue, entity_labels, sources).named()
    step = max((s.scrape_interval for s in sources if s.scrape_interval), default=_DEFAULT_STEP)
    windows, assumed = _windows(incident, alert, sources, step)
    entities, neighbours, more = _reach(named, unresolved, catalogue, survey.topology)
    return Scope(
        incident=incident,
        windows=windows,
        entities=entities,
        neighbours=neighbours,
        unresolved=unresolved,
        catalogue=catalogue,
        topology=survey.topology,
        sources=sources,
        failed=survey.failed,
        alert=alert,
        alert_identifiers=_identifiers(alert, named),
        symptom=next((s.symptom for s in sources if s.symptom), ""),
        symptom_at=alert.starts_at if alert else _hints(sources).get("alert_time"),
        step=step,
        assumptions=(*assumed, *more),
    )


def _with_source_report(incident: Incident, sources: Sequence[SourceDescription]) -> Incident:
    """A recording brings its own alert and question; the caller's own ones come first."""
    update: dict[str, object] = {}
    if not incident.alerts and not incident.question:
        update["alerts"] = tuple(a for s in sources for a in s.alerts)
        update["question"] = next((s.question for s in sources if s.question), "")
    return incident.model_copy(update=update) if update else incident


def _as_of(incident: Incident, sources: Sequence[SourceDescription]) -> Incident:
    """In a recording "now" is its end: what came after was not seen, and ages nothing."""
    extent = _extent(sources)
    if extent is None or not all(s.is_recording for s in sources):
        return incident
    return incident.model_copy(update={"received_at": min(incident.received_at, extent.end)})


def leading_alert(alerts: Sequence[Alert]) -> Alert | None:
    """Return the alert to explain: firing before resolved, then severity, then the earliest."""

    def rank(alert: Alert) -> tuple[bool, int, float, str]:
        severity = alert.labels.get("severity", "").lower()
        place = _SEVERITY_ORDER.index(severity) if severity in _SEVERITY_ORDER else 3
        at = alert.starts_at.timestamp() if alert.starts_at else float("inf")
        return alert.status is not AlertStatus.FIRING, place, at, alert.name

    return min(alerts, key=rank, default=None)


def _catalogue(sources: Sequence[SourceDescription], topology: Topology) -> Catalogue:
    known = {e.path: e for s in sources for e in s.entities}
    names = {e.name for e in known.values()}
    for node in topology.nodes:
        if node.name not in names:
            entity = Entity(name=node.name, kind=node.kind)
            known[entity.path] = entity
    aliases = {k: v for s in sources for k, v in s.aliases.items()}
    return Catalogue(entities=tuple(known[p] for p in sorted(known)), aliases=aliases)


def _reach(
    named: tuple[Entity, ...],
    unresolved: tuple[Resolution, ...],
    catalogue: Catalogue,
    topology: Topology,
) -> tuple[tuple[Entity, ...], tuple[Entity, ...], tuple[Assumption, ...]]:
    """Entities in scope and those near them, nearest first.

    A cause may sit several calls below the alert, so everything downstream is near; callers are
    near for one hop, because they can only send more traffic. Hosts belong to everybody. An alert
    about a name nobody knows reaches nothing: other services' data would answer another question.
    """
    if not named:
        if unresolved:
            return (), (), ()
        services = tuple(e for e in catalogue.entities if e.kind != "host")
        hosts = tuple(e for e in catalogue.entities if e.kind == "host")
        return services, hosts, (Assumption(code="all_entities", flag="--service"),)
    # What a cluster's object stands on is known, and may be nothing.
    objects = all(e.is_object for e in named)
    if not topology.edges and not objects:
        rest = tuple(e for e in catalogue.entities if e not in named)
        return named, rest, (Assumption(code="topology_unknown"),)
    order = [n for e in named for n in topology.neighbours(e.name)]
    order += [n for e in named for n in topology.downstream(e.name)]
    near = [e for name in dict.fromkeys(order) for e in catalogue.resolve(name).entities]
    near += [e for e in catalogue.entities if e.kind == "host"]
    # Edges hold names alone: of equal names in other namespaces none is meant.
    spaces = {"", *(e.namespace for e in named)}
    if spaces != {""}:
        near = [e for e in near if e.namespace in spaces]
    return named, tuple(e for e in dict.fromkeys(near) if e not in named), ()


def _identifiers(alert: Alert | None, named: tuple[Entity, ...]) -> tuple[str, ...]:
    if alert is None:
        return tuple(e.name for e in named[:1])
    parts = (alert.name, *(e.name for e in named[:1]), alert.labels.get("instance", ""))
    return tuple(dict.fromkeys(p for p in parts if p))


def _windows(
    incident: Incident, alert: Alert | None, sources: Sequence[SourceDescription], step: timedelta
) -> tuple[Windows, tuple[Assumption, ...]]:
    extent = _extent(sources)
    end = min(extent.end, incident.received_at) if extent else incident.received_at
    lead = _LEAD + step
    if alert and alert.starts_at and extent and alert.starts_at > extent.start:
        # Of data that begin shortly before the alert, two thirds are left to compare with.
        lead = min(lead, max((alert.starts_at - extent.start) / 3, step))
    told = _told_window(incident, alert, end, lead) or _hinted_window(_hints(sources), end)
    window, assumed = (told, ()) if told else _assumed_window(incident, alert, extent, end)
    normal = tuple(w for s in sources for w in s.normal)
    known = _hints(sources).get("inject_time")
    gap = step if known and window.start == known else _gap(window, extent)
    baseline = _baseline(window, extent, gap)
    baselines = tuple(w for w in (baseline, *normal) if w is not None)
    if not baselines:
        assumed = (*assumed, Assumption(code="no_baseline"))
    return Windows(incident=window, baselines=baselines), assumed


def _gap(window: Window, extent: Window | None) -> timedelta:
    """Keep at most a third of what lies before the incident free."""
    if extent is None or window.start <= extent.start:
        return _GAP
    return min(_GAP, (window.start - extent.start) / 3)


def _told_window(
    incident: Incident, alert: Alert | None, end: datetime, lead: timedelta
) -> Window | None:
    """What the caller said, else around the time that the alert fired."""
    if incident.start or incident.end:
        stop = incident.end or end
        start = incident.start or stop - _LONGEST
        return Window(start=min(start, stop), end=stop)
    at = incident.at or (alert.starts_at if alert else None)
    if at is None or at > incident.received_at:
        return None
    over = alert.ends_at if alert and not incident.at else None
    stop = max(min(over or end, end), at)
    start = at - lead
    return Window(start=start, end=min(stop, start + _LONGEST))


def _hinted_window(hints: dict[str, datetime], end: datetime) -> Window | None:
    """What a recording says of itself."""
    if "inject_time" not in hints:
        return None
    start = hints["inject_time"]
    return Window(start=start, end=max(start, hints.get("end_time", end)))


def _assumed_window(
    incident: Incident, alert: Alert | None, extent: Window | None, end: datetime
) -> tuple[Window, tuple[Assumption, ...]]:
    """The last hour; of a short recording the last third, so that two are left to compare with."""
    length = min(_LONGEST, extent.length / 3) if extent else _LONGEST
    future = incident.at or (alert.starts_at if alert else None)
    code = "alert_time_in_future" if future else "last_hour"
    assumed = Assumption(code=code, flag="--from, --to or --at")
    return Window(start=end - length, end=end), (assumed,)


def _baseline(window: Window, extent: Window | None, gap: timedelta) -> Window | None:
    """Three incident lengths, at least 30 min, as far as data exist, ending ``gap`` earlier."""
    end = window.start - gap
    start = end - max(3 * window.length, _BASELINE)
    if extent is not None:
        start = max(start, extent.start)
    return Window(start=start, end=end) if start < end else None


def _extent(sources: Sequence[SourceDescription]) -> Window | None:
    """The time for which there is telemetry; that of a cluster's state where there is none."""
    measured = [s for s in sources if {Signal.METRICS, Signal.LOGS} & set(s.signals)]
    extents = [s.extent for s in measured if s.extent] or [s.extent for s in sources if s.extent]
    if not extents:
        return None
    return Window(start=min(w.start for w in extents), end=max(w.end for w in extents))


def _hints(sources: Sequence[SourceDescription]) -> dict[str, datetime]:
    return {k: v for s in reversed(sources) for k, v in s.hints.items()}
