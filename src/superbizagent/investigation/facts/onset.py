"""Since when it hurts: the one time from which averages and increases are counted.

Read out of the sweeps of the entities in question alone, so that it is known before any other call
is read, and again the same from the stored calls.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.findings import findings_from_series
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import Finding
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import SeriesSet
from superbizagent.investigation.facts.symptom import EntityOf, symptom_findings

__all__ = ["earliest_strong", "is_lead", "lead_calls", "onset_of", "symptom_of"]


def is_lead(scope: Scope, call: PlannedCall) -> bool:
    """Tell whether a call sweeps the metrics of an entity in question."""
    purposes = {f"sweep:{entity.path}" for entity in scope.entities}
    return call.tool is ToolName.QUERY_METRICS and call.purpose in purposes


def lead_calls(scope: Scope, rows: Iterable[ToolInvocation]) -> tuple[MetricCall, ...]:
    """Return the answered sweeps of the entities in question, in call order."""
    return tuple(
        MetricCall(
            row.number, row.output, measure(row.output, scope.windows, scope.step), row.facts
        )
        for row in sorted(rows, key=lambda r: r.number)
        if is_lead(scope, row.call) and isinstance(row.output, SeriesSet)
    )


def symptom_of(scope: Scope, call: MetricCall, entity_of: EntityOf) -> tuple[Finding, ...]:
    """Return what hurts according to one call."""
    found = findings_from_series(call.series, call.deviations, call.facts, entity_of)
    return symptom_findings(scope, found)


def onset_of(scope: Scope, calls: Sequence[MetricCall], entity_of: EntityOf) -> datetime | None:
    """Return since when it hurts according to the calls of `lead_calls`; None when none says so."""
    found = [f for call in calls for f in symptom_of(scope, call, entity_of)]
    first = earliest_strong([f for f in found if f.onset_at is not None])
    return first.onset_at if first is not None else None


def earliest_strong(dated: Sequence[Finding]) -> Finding | None:
    """Return the earliest of the strong among findings that have an onset."""
    # Half as strong as the strongest: a faint series is early by chance.
    bar = 0.5 * max((f.score for f in dated), default=0.0)
    strong = [f for f in dated if f.score >= bar]
    return min(strong, key=lambda f: (f.onset_at, f.id, f.subject), default=None)
