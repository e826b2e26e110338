"""What is diagnosed now, what waits and until when; called once a second, so it looks at rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from superbizagent.analysis.incidents.reading import SEVERITIES
from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.grouping import (
    Decision,
    Diagnosis,
    IncidentState,
    Reason,
    ReasonCode,
    Skip,
    SkipReason,
    Start,
    Wait,
)
from superbizagent.domain.intake import IntakeConfig, StormConfig

__all__ = ["decide"]

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


def decide(
    incidents: Iterable[IncidentState],
    diagnoses: Sequence[Diagnosis],
    now: datetime,
    intake: IntakeConfig,
    storm: StormConfig,
) -> Decision:
    """Decide which incidents are diagnosed now.

    The gravest goes first, then the one with most alerts, then the oldest. The result depends on
    nothing but the arguments, and not on their order.

    Args:
        incidents: open ones, each once.
        diagnoses: of the last 24 hours, and all of these incidents.
        now: by our clock, UTC-aware.
        intake: how long an incident is left alone first.
        storm: what diagnoses may cost.

    Returns:
        Starts in order; waits with their reason for each incident that would be diagnosed
        otherwise; and those that are over before they were, said again at each call. One with
        nothing new is in none.
    """
    past = _Past.of(diagnoses)
    starts: list[Start] = []
    waits: list[Wait] = []
    skips: list[Skip] = []
    for state in sorted(incidents, key=_order):
        mine = past.of_incident.get(state.incident_id, [])
        if state.skipped is not None or not state.alert_count:
            continue
        if state.status is AlertStatus.RESOLVED and (mine or _settled_early(state, intake)):
            skips += [] if mine else [_skip(state, intake)]
            continue
        reason = _worth(state, mine[-1] if mine else None, storm)
        if reason is None:
            continue
        if (wait := _wait(state, past, now, intake, storm)) is not None:
            waits.append(wait)
            continue
        start = _start(state, reason, now)
        past.add(start.diagnosis)
        starts.append(start)
    return Decision(
        starts=tuple(starts),
        waits=tuple(sorted(waits, key=lambda w: w.incident_id)),
        skips=tuple(sorted(skips, key=lambda s: s.incident_id)),
    )


@dataclass(slots=True)
class _Past:
    """Diagnoses by what limits them, oldest first."""

    all: list[Diagnosis] = field(default_factory=list[Diagnosis])
    of_incident: dict[str, list[Diagnosis]] = field(default_factory=dict[str, list[Diagnosis]])
    of_service: dict[str, list[Diagnosis]] = field(default_factory=dict[str, list[Diagnosis]])

    @classmethod
    def of(cls, diagnoses: Iterable[Diagnosis]) -> "_Past":
        past = cls()
        for one in sorted(diagnoses, key=lambda d: (d.started_at, d.incident_id)):
            past.add(one)
        return past

    def add(self, one: Diagnosis) -> None:
        self.all.append(one)
        self.of_incident.setdefault(one.incident_id, []).append(one)
        if one.service:
            self.of_service.setdefault(one.service, []).append(one)


def _order(state: IncidentState) -> tuple[int, int, datetime, str]:
    return (
        SEVERITIES.index(state.severity) if state.severity in SEVERITIES else len(SEVERITIES),
        -state.alert_count,
        state.opened_at,
        state.incident_id,
    )


def _settled_early(state: IncidentState, intake: IntakeConfig) -> bool:
    if state.resolved_at is None:
        return False
    return state.resolved_at < state.opened_at + intake.settle(state.severity) or (
        state.resolved_at == state.opened_at
    )


def _skip(state: IncidentState, intake: IntakeConfig) -> Skip:
    seconds = f"{intake.settle(state.severity).total_seconds():.0f}"
    return Skip(
        incident_id=state.incident_id,
        reason=Reason(code=SkipReason.SETTLED, values={"seconds": seconds}),
    )


def _worth(state: IncidentState, last: Diagnosis | None, storm: StormConfig) -> Reason | None:
    """Why an incident is worth a diagnosis; None when nothing is new since its last."""
    count, before = state.alert_count, last.alert_count if last is not None else 0
    if last is None:
        return Reason(code=ReasonCode.FIRST, values={"alerts": str(count)})
    if last.ended_at is None:
        return None
    if SEVERITIES.index(state.severity) < SEVERITIES.index(last.severity):
        values = {"severity": state.severity, "before": last.severity or "other"}
        return Reason(code=ReasonCode.SEVERITY_ROSE, values=values)
    if joined := [s for s in state.services if s not in last.services]:
        values = {"services": ", ".join(joined[:3]), "count": str(len(joined))}
        return Reason(code=ReasonCode.SERVICE_JOINED, values=values)
    if count - before >= storm.grown_alerts and count >= before * storm.grown_factor:
        values = {"alerts": str(count), "before": str(before)}
        return Reason(code=ReasonCode.GROWN, values=values)
    return None


def _wait(
    state: IncidentState, past: _Past, now: datetime, intake: IntakeConfig, storm: StormConfig
) -> Wait | None:
    """The limit that holds an incident back longest, None when none does."""
    held = [
        hold
        for hold in (
            _settling(state, now, intake),
            *_cooldowns(state, past, now, storm),
            *_limits(state, past, now, storm),
        )
        if hold is not None
    ]
    if not held:
        return None
    # Without a time it takes something else to end the wait: that is what to tell.
    reason, until = max(held, key=lambda h: (h[1] is None, h[1] or now))
    return Wait(incident_id=state.incident_id, reason=reason, until=until)


_Hold = tuple[Reason, datetime | None]


def _settling(state: IncidentState, now: datetime, intake: IntakeConfig) -> _Hold | None:
    until = state.opened_at + intake.settle(state.severity)
    if now >= until or state.status is AlertStatus.RESOLVED:
        return None
    seconds = f"{intake.settle(state.severity).total_seconds():.0f}"
    return Reason(code=ReasonCode.SETTLING, values={"seconds": seconds}), until


def _cooldowns(
    state: IncidentState, past: _Past, now: datetime, storm: StormConfig
) -> Iterable[_Hold | None]:
    span = timedelta(seconds=storm.cooldown_seconds)
    minutes = f"{storm.cooldown_seconds / 60:g}"
    for code, found, values in (
        (ReasonCode.INCIDENT_COOLDOWN, past.of_incident.get(state.incident_id, []), {}),
        (ReasonCode.SERVICE_COOLDOWN, _of_service(state, past), {"service": state.core}),
    ):
        until = max(((d.ended_at or d.started_at) + span for d in found), default=now)
        if until > now:
            yield Reason(code=code, values={**values, "minutes": minutes}), until


def _limits(
    state: IncidentState, past: _Past, now: datetime, storm: StormConfig
) -> Iterable[_Hold | None]:
    mine = past.of_incident.get(state.incident_id, [])
    if len(mine) >= storm.max_per_incident:
        values = {"limit": str(storm.max_per_incident)}
        yield Reason(code=ReasonCode.INCIDENT_BUDGET, values=values), None
    running = sum(1 for one in past.all if one.ended_at is None)
    if running >= storm.max_concurrent:
        values = {"limit": str(storm.max_concurrent)}
        yield Reason(code=ReasonCode.CONCURRENT, values=values), None
    window = timedelta(seconds=storm.window_seconds)
    minutes = f"{storm.window_seconds / 60:g}"
    service = {"service": state.core}
    yield _within(past.all, storm.max_in_window, window, now, ReasonCode.STORM, minutes=minutes)
    yield _within(past.all, storm.max_per_day, _DAY, now, ReasonCode.DAY_BUDGET)
    found = _of_service(state, past)
    code = ReasonCode.SERVICE_HOUR
    yield _within(found, storm.max_per_service_hour, _HOUR, now, code, **service)


def _of_service(state: IncidentState, past: _Past) -> list[Diagnosis]:
    return past.of_service.get(_service(state), [])


def _service(state: IncidentState) -> str:
    """What cool-down and hourly limit go by; empty where nobody knows what it is about."""
    if not state.core:
        return ""
    return f"{state.cluster}/{state.namespace}/{state.core_kind}/{state.core}"


def _within(
    found: Sequence[Diagnosis],
    limit: int,
    span: timedelta,
    now: datetime,
    code: ReasonCode,
    **values: str,
) -> _Hold | None:
    """Hold back when a span holds as many starts as it may, until the oldest of them leaves it."""
    recent = sorted(d.started_at for d in found if d.started_at > now - span)
    if len(recent) < limit:
        return None
    told: Mapping[str, str] = {"limit": str(limit), **values}
    return Reason(code=code, values=dict(told)), recent[-limit] + span


def _start(state: IncidentState, reason: Reason, now: datetime) -> Start:
    return Start(
        incident_id=state.incident_id,
        reason=reason,
        diagnosis=Diagnosis(
            incident_id=state.incident_id,
            service=_service(state),
            started_at=now,
            alert_count=state.alert_count,
            services=state.services,
            severity=state.severity,
        ),
    )
