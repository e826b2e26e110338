"""Fix the frame of a diagnosis: entities, windows, what the alert is about, what was assumed.

Pure: everything it knows comes from the incident and the recorded survey.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.entity import Catalogue, Entity, Resolution
from superbizagent.domain.incident import Incident
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.outputs import Topology
from superbizagent.domain.payload import ACTIVE_SINCE
from superbizagent.domain.rule import AlertRule, RuleReading
from superbizagent.domain.scope import Assumption, Scope
from superbizagent.domain.source import Signal, SourceDescription, Survey
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.condition.calls import condition_of
from superbizagent.investigation.condition.known import rule_of
from superbizagent.investigation.naming import Naming
from superbizagent.investigation.storm import storm_entities

__all__ = ["baseline_before", "leading_alert", "scope_incident"]

_LEAD = timedelta(minutes=5)
"""A rule's ``for`` plus range is at most this in four of five public rules; used when unknown."""
_LONGEST = timedelta(minutes=60)
_MOST_LEAD = timedelta(minutes=50)
"""Of the longest window some is left for what came after the alert."""
_GAP = timedelta(minutes=2)
"""Kept free between baseline and incident, so that a slow start is not called normal."""
_INSTANT = timedelta(milliseconds=1)
"""Kept free when the start is known; series leave out one sample more, spans and lines need not."""
_BASELINE = timedelta(minutes=30)
_DEFAULT_STEP = timedelta(seconds=15)
_MOST_BESIDE = 4
"""Entities two hops away, over a caller: each costs a query or more at every source."""

_SEVERITY_ORDER = ("critical", "page", "error", "warning", "info", "none")


def scope_incident(
    incident: Incident,
    survey: Survey,
    entity_labels: Sequence[str],
    condition: RuleReading | None = None,
) -> Scope:
    """Return the scope of one diagnosis.

    Args:
        incident: what was reported.
        survey: what the sources hold.
        entity_labels: labels that name a service, first match wins.
        condition: when the alert's rule was true, once that was looked at.
    """
    sources = survey.sources
    incident = _as_of(_with_source_report(incident, sources), sources)
    known = _catalogue(sources, survey.topology)
    catalogue, storm = _with_storm(incident, known, entity_labels)
    alert = leading_alert(incident.alerts)
    rule = rule_of(alert, survey.rules)
    alert = _as_fired(alert, rule, incident.received_at)
    named, unresolved = Naming(incident, alert, rule, catalogue, entity_labels, sources).named()
    step = max((s.scrape_interval for s in sources if s.scrape_interval), default=_DEFAULT_STEP)
    fired = _Fired(alert, rule, condition, step)
    windows, assumed = _windows(incident, fired, sources)
    catalogue = _of_these_places(catalogue, named)
    clustered = _is_cluster(sources, named, incident)
    reached = _reach(named, unresolved, catalogue, survey.topology, is_cluster=clustered)
    entities, near, more = reached
    return Scope(
        incident=incident,
        windows=windows,
        entities=entities,
        neighbours=_once((*near, *storm), entities),
        unresolved=unresolved,
        catalogue=catalogue,
        topology=survey.topology,
        sources=sources,
        failed=survey.failed,
        alert=alert,
        alert_identifiers=_identifiers(alert, named),
        symptom=next((s.symptom for s in sources if s.symptom), ""),
        symptom_at=fired.symptom_at if alert else _hints(sources).get("alert_time"),
        rule=rule,
        condition=condition,
        step=step,
        assumptions=(*_ambiguous(named), *assumed, *more),
        learnt=_learnt(survey, named, catalogue),
    )


def _is_cluster(
    sources: Sequence[SourceDescription], named: Sequence[Entity], incident: Incident
) -> bool:
    """Tell whether it is about a cluster's objects; who asks for one by a flag gets no other."""
    if not named and incident.services:
        return False
    seen = any(Signal.KUBERNETES in s.signals for s in sources)
    return seen and all(e.is_object for e in named)


def _learnt(survey: Survey, named: Sequence[Entity], catalogue: Catalogue) -> LearntNormal | None:
    """What was learnt of the whole, and of the entities in question or where users come in."""
    if survey.learnt is None:
        return None
    entries = [s.entry for s in survey.sources if s.entry]
    about = named or [e for name in entries for e in catalogue.resolve(name).entities]
    return survey.learnt.of(frozenset(e.path for e in about))


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


def _as_fired(alert: Alert | None, rule: AlertRule | None, now: datetime) -> Alert | None:
    """Give an alert that Prometheus itself listed the time it fired at, not that of its pending."""
    if alert is None or alert.starts_at is None or ACTIVE_SINCE not in alert.extra:
        return alert
    hold = rule.hold if rule is not None else None
    fired = min(alert.starts_at + (hold or timedelta(0)), max(now, alert.starts_at))
    return alert.model_copy(update={"starts_at": fired})


def _catalogue(sources: Sequence[SourceDescription], topology: Topology) -> Catalogue:
    known = {e.path: e for s in sources for e in s.entities}
    names = {e.name for e in known.values()}
    for node in topology.nodes:
        if node.name not in names:
            entity = Entity(name=node.name, kind=node.kind)
            known[entity.path] = entity
    aliases = {k: v for s in sources for k, v in s.aliases.items()}
    return Catalogue.of(known.values(), aliases)


def _with_storm(
    incident: Incident, catalogue: Catalogue, entity_labels: Sequence[str]
) -> tuple[Catalogue, tuple[Entity, ...]]:
    """Add what only the alerts of a storm know, and return all entities that they name."""
    storm = storm_entities(incident, catalogue, entity_labels)
    new = set(storm) - set(catalogue.entities)
    if not new:
        return catalogue, storm
    return Catalogue.of((*catalogue.entities, *sorted(new, key=_path)), catalogue.aliases), storm


def _path(entity: Entity) -> str:
    return entity.path


def _once(near: Sequence[Entity], named: Sequence[Entity]) -> tuple[Entity, ...]:
    return tuple(e for e in dict.fromkeys(near) if e not in named)


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


def _reach(
    named: tuple[Entity, ...],
    unresolved: tuple[Resolution, ...],
    catalogue: Catalogue,
    topology: Topology,
    *,
    is_cluster: bool,
) -> tuple[tuple[Entity, ...], tuple[Entity, ...], tuple[Assumption, ...]]:
    """Entities in scope and those near them, nearest first.

    What an object of a cluster stands on is known, and may be nothing.

    A cause may sit several calls below the alert, so everything downstream is near; callers are
    near for one hop, because they can only send more traffic. What these callers call beside it may
    hurt them as well, by a fault of its own. Hosts belong to everybody. An alert about a name
    nobody knows reaches nothing: other services' data would answer another question.
    """
    if not named:
        if unresolved and is_cluster:  # saved for the question, whatever it calls its objects
            objects = tuple(e for e in catalogue.entities if e.is_object)
            return objects, (), (Assumption(code="all_entities", flag="--service"),)
        if unresolved:
            return (), (), ()
        services = tuple(e for e in catalogue.entities if e.kind != "host")
        hosts = tuple(e for e in catalogue.entities if e.kind == "host")
        return services, hosts, (Assumption(code="all_entities", flag="--service"),)
    if not topology.edges and not is_cluster:
        rest = tuple(e for e in catalogue.entities if e not in named)
        return named, rest, (Assumption(code="topology_unknown"),)
    order = [n for e in named for n in topology.neighbours(e.name)]
    order += [n for e in named for n in topology.downstream(e.name)]
    order += _beside(named, topology)
    near = [e for name in dict.fromkeys(order) for e in catalogue.resolve(name).entities]
    near += [e for e in catalogue.entities if e.kind == "host"]
    # Edges hold names alone: of equal names in other namespaces none is meant.
    spaces = {"", *(e.namespace for e in named)}
    if spaces != {""}:
        beside = {e.name for e in catalogue.entities if e.namespace in spaces}
        near = [e for e in near if e.namespace in spaces or e.name not in beside]
    if is_cluster:
        # Saved objects say little of who calls whom: beside a victim stands what hurts it.
        near += [e for e in catalogue.entities if e.is_object]
    return named, _once(near, named), ()


def _beside(named: tuple[Entity, ...], topology: Topology) -> tuple[str, ...]:
    """What the callers of what was named call beside it; those that share most callers first."""
    own = {e.name for e in named}
    callers = {e.caller for e in topology.edges if e.callee in own} - own
    shared: dict[str, int] = {}
    for caller in callers:
        for name in topology.callees(caller):
            shared[name] = shared.get(name, 0) + 1
    near = sorted(shared.keys() - own - callers, key=lambda name: (-shared[name], name))
    return tuple(near[:_MOST_BESIDE])


def _identifiers(alert: Alert | None, named: tuple[Entity, ...]) -> tuple[str, ...]:
    if alert is None:
        return tuple(e.name for e in named[:1])
    parts = (alert.name, *(e.name for e in named[:1]), alert.labels.get("instance", ""))
    return tuple(dict.fromkeys(p for p in parts if p))


@dataclass(frozen=True, slots=True)
class _Fired:
    """An alert with what is known of its rule."""

    alert: Alert | None
    rule: AlertRule | None
    condition: RuleReading | None
    step: timedelta

    @property
    def symptom_at(self) -> datetime | None:
        """Since when its expression was true, else when it fired."""
        fired = self.alert.starts_at if self.alert else None
        onset = self.condition.onset_at if self.condition else None
        return min((at for at in (onset, fired) if at), default=None)

    @property
    def lead(self) -> timedelta:
        """How much earlier than the alert the symptom may be: ``for`` and what is looked back."""
        hold = self.rule.hold if self.rule and self.rule.hold else timedelta(0)
        known = self.rule is not None
        return min(max(hold + self._reach, _LEAD) if known else _LEAD, _MOST_LEAD) + self.step

    @property
    def _reach(self) -> timedelta:
        if self.condition is not None:
            return self.condition.reach
        condition = condition_of(self.rule)
        return condition.longest if condition is not None else timedelta(0)

    def start(self, at: datetime, extent: Window | None) -> datetime:
        """Where the window opens for something that is known to be wrong at a time."""
        lead = self.lead
        if extent is not None and at > extent.start and self.alert and self.alert.starts_at:
            # Of data that begin shortly before the alert, two thirds are left to compare with.
            lead = min(lead, max((at - extent.start) / 3, self.step))
        onset = self.condition.onset_at if self.condition else None
        if onset is None or onset > at:
            return at - lead
        return min(at - lead, max(onset - min(self._reach, _MOST_LEAD), _begin(extent)) - self.step)


def _begin(extent: Window | None) -> datetime:
    return extent.start if extent is not None else datetime.min.replace(tzinfo=UTC)


def _windows(
    incident: Incident, fired: _Fired, sources: Sequence[SourceDescription]
) -> tuple[Windows, tuple[Assumption, ...]]:
    extent = _extent(sources)
    end = min(extent.end, incident.received_at) if extent else incident.received_at
    since = fired.condition.since if fired.condition else None
    if extent is not None and since is not None:
        # A live system was only asked what it holds around the alert.
        extent = Window(start=min(extent.start, since), end=extent.end)
    told = _told_window(incident, fired, end, extent) or _hinted_window(_hints(sources), end)
    window, assumed = (told, ()) if told else _assumed_window(incident, fired.alert, extent, end)
    normal = tuple(w for s in sources for w in s.normal)
    known = _hints(sources).get("inject_time")
    gap = _INSTANT if known and window.start == known else _gap(window, extent)
    baseline = baseline_before(window, extent, gap)
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
    incident: Incident, fired: _Fired, end: datetime, extent: Window | None
) -> Window | None:
    """What the caller said, else around the time that the alert fired, or its rule became true."""
    if incident.start or incident.end:
        stop = incident.end or end
        start = incident.start or stop - _LONGEST
        return Window(start=min(start, stop), end=stop)
    alert = fired.alert
    at = incident.at or (alert.starts_at if alert else None) or (alert and fired.symptom_at)
    if at is None or at > incident.received_at:
        return None
    over = alert.ends_at if alert and not incident.at else None
    start = fired.start(at, extent)
    stop = max(min(over or end, end), at)
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


def baseline_before(window: Window, extent: Window | None, gap: timedelta = _GAP) -> Window | None:
    """Three incident lengths, at least 30 min, as far as data exist, ending ``gap`` earlier."""
    end = window.start - gap
    start = end - max(3 * window.length, _BASELINE)
    if extent is not None:
        start = max(start, extent.start)
    return Window(start=start, end=end) if start < end else None


def _extent(sources: Sequence[SourceDescription]) -> Window | None:
    """The time for which there is telemetry; that of a cluster's state where there is none."""
    measured = [s for s in sources if {Signal.METRICS, Signal.LOGS, Signal.TRACES} & set(s.signals)]
    extents = [s.extent for s in measured if s.extent] or [s.extent for s in sources if s.extent]
    if not extents:
        return None
    return Window(start=min(w.start for w in extents), end=max(w.end for w in extents))


def _hints(sources: Sequence[SourceDescription]) -> dict[str, datetime]:
    return {k: v for s in reversed(sources) for k, v in s.hints.items()}
