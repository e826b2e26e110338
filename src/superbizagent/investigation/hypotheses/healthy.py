"""What a system must show to be called healthy; what is lacking is said as reasons.

Nothing abnormal is not enough: it may be that nobody looked. Healthy is said when somebody asked
whether all is well, everything that could tell was looked at, and this very system is as it is on
its good days.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from superbizagent.analysis.learnt import learnt_families
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.plan import FAMILY_OF_TOOL, ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels
from superbizagent.domain.source import EvidenceStatus, Signal
from superbizagent.investigation.hypotheses.combine import named_entities
from superbizagent.investigation.hypotheses.reported import reports_symptom

__all__ = ["HEALTHY", "Wellness", "lacking_for_health", "not_learnt"]

HEALTHY = ("nothing_abnormal", "as_learnt", "no_alert_fires")
"""Reasons of the verdict."""

_ANSWERED = frozenset({EvidenceStatus.OK, EvidenceStatus.EMPTY})
_TELLING = frozenset(
    {ToolName.QUERY_METRICS, ToolName.SEARCH_LOGS, ToolName.SEARCH_TRACES, ToolName.LIST_ALERTS}
    | {ToolName.GET_KUBERNETES}
)
"""Tools that show trouble; of a long list of changes a part is enough."""


@dataclass(frozen=True, slots=True)
class Wellness:
    """How a session looks from the side of health."""

    as_learnt: bool | None = None
    """All signals are as on the good days that were learnt; None: none were."""
    is_cut: bool = False
    """Planned looks were left out for want of room."""
    entity_of: Callable[[Labels], str | None] = lambda _: None
    """Which entity the labels of an alert mean."""
    compared: frozenset[Signal] = frozenset()
    """Which of logs and traces were there both before and in the incident."""


def lacking_for_health(scope: Scope, evidence: Evidence, wellness: Wellness) -> tuple[str, ...]:
    """Return why a calm system is not called healthy, empty when it is.

    The keys are those of the narrator's table.
    """
    if scope.learnt is None:
        return ("no_learnt_baseline",)
    return tuple(_lacking(scope, evidence, wellness))


def not_learnt(scope: Scope, evidence: Evidence) -> tuple[str, ...]:
    """Return of what was looked at that nothing was learnt of, though the system was learnt.

    It was held against a bar that is the same for all systems, which is no reason against health,
    but a reader is to know.
    """
    known = _learnt_families(scope)
    if known is None:
        return ()
    return tuple(f"{f.value}_not_learnt" for f in _planned(evidence) if f not in known)


def _planned(evidence: Evidence) -> tuple[Signal, ...]:
    tools = {row.tool for row in evidence.invocations}
    return tuple(family for tool, family in FAMILY_OF_TOOL.items() if tool in tools)


def _learnt_families(scope: Scope) -> frozenset[Signal] | None:
    """Return of which of logs and traces this system's good days are known; None: of nothing."""
    if scope.learnt is None:
        return None
    return learnt_families(scope.learnt.nearest(scope.windows.incident.length))


def _lacking(scope: Scope, evidence: Evidence, wellness: Wellness) -> Iterator[str]:
    if scope.symptom or reports_symptom(scope.incident.question):
        yield "symptom_reported"
    if scope.alert is not None and (scope.condition is None or scope.condition.holds is not False):
        yield "rule_unknown"
    yield from _alerts(scope, evidence, wellness)
    unanswered = [r.number for r in evidence.invocations if _tells_nothing(r)]
    if unanswered or wellness.is_cut or scope.failed:
        yield "not_all_answered"
    # A look that found nothing to compare does not tell that all is as it was.
    known = _learnt_families(scope) or frozenset()
    unseen = known - wellness.compared
    yield from (f"{f.value}_not_compared" for f in _planned(evidence) if f in unseen)
    learnt = scope.learnt
    if learnt is not None and learnt.is_stale(scope.incident.received_at):
        yield "learnt_stale"
    if learnt is not None:
        entities = learnt.nearest(scope.windows.incident.length).entities
        unknown = [e.name for e in named_entities(scope) if e.path not in entities]
        if unknown:
            yield f"entity_not_learnt:{','.join(unknown)}"
    if not wellness.as_learnt:
        yield "not_as_learnt"


def _alerts(scope: Scope, evidence: Evidence, wellness: Wellness) -> Iterator[str]:
    lists = [r for r in evidence.invocations if r.tool is ToolName.LIST_ALERTS]
    if not any(r.status in _ANSWERED for r in lists):
        yield "alerts_unknown"
    outputs = [r.output for r in lists]
    listed = [a for o in outputs if isinstance(o, AlertList) for a in o.alerts]
    named = {e.path for e in named_entities(scope)}
    names: dict[str, None] = {}
    for alert in (*listed, *scope.incident.alerts):
        entity = wellness.entity_of(alert.labels)
        about = not named or entity is None or entity in named
        if alert.status is AlertStatus.FIRING and about and not _is_over(scope, alert):
            names[alert.name or "-"] = None
    if names:
        yield f"alert_fires:{','.join(names)}"


def _is_over(scope: Scope, alert: Alert) -> bool:
    """Tell whether it is the alert in question, whose expression is false by now."""
    leading, condition = scope.alert, scope.condition
    if leading is None or condition is None or condition.holds is not False:
        return False
    return alert.labels == leading.labels


def _tells_nothing(row: ToolInvocation) -> bool:
    """Tell whether a look that could show trouble failed, or showed a part only."""
    if row.tool not in _TELLING:
        return False
    return row.status not in _ANSWERED or row.truncated
