"""Fix the frame of a diagnosis: entities, windows, what the alert is about, what was assumed.

Pure: everything it knows comes from the incident and the recorded survey.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.entity import Catalogue, Entity, Resolution
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import Topology
from superbizagent.domain.scope import Assumption, Scope
from superbizagent.domain.source import SourceDescription, Survey
from superbizagent.domain.window import Window, Windows

__all__ = ["leading_alert", "scope_incident"]

_LEAD = timedelta(minutes=5)
"""A rule's ``for`` plus range is at most this in four of five public rules; used when unknown."""
_LONGEST = timedelta(minutes=60)
_GAP = timedelta(minutes=2)
"""Kept free between baseline and incident, so that a slow start is not called normal."""
_BASELINE = timedelta(minutes=30)
_DEFAULT_STEP = timedelta(seconds=15)

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)+")
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
    named, unresolved = _named(incident, alert, catalogue, entity_labels, sources)
    step = max((s.scrape_interval for s in sources if s.scrape_interval), default=_DEFAULT_STEP)
    windows, assumed = _windows(incident, alert, sources, step)
    catalogue = _of_these_places(catalogue, named)
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
        assumptions=(*_ambiguous(named), *assumed, *more),
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
    if extent is None or any(s.kind != "bundle" for s in sources):
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
    return Catalogue.of(known.values(), aliases)


def _named(
    incident: Incident,
    alert: Alert | None,
    catalogue: Catalogue,
    labels: Sequence[str],
    sources: Sequence[SourceDescription],
) -> tuple[tuple[Entity, ...], tuple[Resolution, ...]]:
    """Entities that somebody named: the caller, else the alert, else the question or the source."""
    found: list[Entity] = []
    missed: list[Resolution] = []
    place = {} if incident.services or alert is None else alert.labels
    for name in incident.services or _alert_names(alert, labels):
        answer = catalogue.resolve(name, place)
        found += answer.entities
        if not answer.entities:
            missed.append(answer)
    if not incident.services and alert and found:
        missed = []  # `service` was known; that `job` is not is no news
    if not found and not missed:
        found, missed = _asked_about(incident.question, catalogue)
    if not found and not missed:
        found = [e for s in sources if s.entry for e in catalogue.resolve(s.entry).entities]
    return tuple(dict.fromkeys(found)), tuple(missed)


def _ambiguous(named: Sequence[Entity]) -> Iterator[Assumption]:
    """Names that stand for entities of several places: all were taken, nobody said which."""
    for name in dict.fromkeys(e.name for e in named):
        meant = [e for e in named if e.name == name]
        if len({e.place for e in meant}) > 1:
            places = tuple(sorted({e.located_name for e in meant}))
            yield Assumption(code="ambiguous_name", names=places, flag="--service")


def _of_these_places(catalogue: Catalogue, named: Sequence[Entity]) -> Catalogue:
    """Leave out what is elsewhere: other clusters, and namesakes in other namespaces.

    A neighbour's name then means the one beside what was named, and so does a log file's.
    """
    clusters = {e.cluster for e in named if e.cluster}
    places = {e.place for e in named if any(e.place)}
    inside = [e for e in catalogue.entities if not clusters or e.cluster in {"", *clusters}]
    beside = {e.name for e in inside if e.place in places}
    kept = (e for e in inside if e in named or e.place in places or e.name not in beside)
    return Catalogue(entities=tuple(kept), aliases=catalogue.aliases)


def _asked_about(question: str, catalogue: Catalogue) -> tuple[list[Entity], list[Resolution]]:
    """Entities that a question names, else its words that look like one and are none.

    Only words built like an identifier count as a slip of the pen: "orders" beside a service
    ``order`` is a word, ``ordr-service`` is not.
    """
    asked = question.lower()
    found = [e for e in catalogue.entities if e.name.lower() in asked]
    placed = [e for e in found if any(e.place) and e.located_name.lower() in asked]
    if found:
        told = {e.name for e in placed}
        return [e for e in found if e in placed or e.name not in told], []
    answers = [catalogue.resolve(word) for word in _IDENTIFIER.findall(question)]
    return [], [answer for answer in answers if answer.near]


def _alert_names(alert: Alert | None, labels: Sequence[str]) -> tuple[str, ...]:
    if alert is None:
        return ()
    return tuple(dict.fromkeys(alert.labels[k] for k in labels if alert.labels.get(k)))


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
    if not topology.edges:
        rest = tuple(e for e in catalogue.entities if e not in named)
        return named, rest, (Assumption(code="topology_unknown"),)
    order = [n for e in named for n in topology.neighbours(e.name)]
    order += [n for e in named for n in topology.downstream(e.name)]
    near = [e for name in dict.fromkeys(order) for e in catalogue.resolve(name).entities]
    near += [e for e in catalogue.entities if e.kind == "host"]
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
    extents = [s.extent for s in sources if s.extent]
    if not extents:
        return None
    return Window(start=min(w.start for w in extents), end=max(w.end for w in extents))


def _hints(sources: Sequence[SourceDescription]) -> dict[str, datetime]:
    return {k: v for s in reversed(sources) for k, v in s.hints.items()}
