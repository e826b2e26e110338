"""What the calls for an alert's rule come to: since when, for how long, whether still."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.rule import RuleReading
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.source import RulePart, RuleQuery
from superbizagent.domain.window import from_ms
from superbizagent.investigation.condition.course import (
    Run,
    grid_step_ms,
    rows_of_alert,
    run_above,
)
from superbizagent.investigation.condition.facts import holds_at_end, run_of

__all__ = ["read_condition_calls"]


def read_condition_calls(
    scope: Scope, rows: Sequence[ToolInvocation], entity_of: Callable[[Labels], str | None]
) -> RuleReading | None:
    """Return when the rule was true; None when no call says it.

    Args:
        scope: its rule was evaluated.
        rows: the calls of `plan_condition`.
        entity_of: which entity a label set belongs to.
    """
    parts = {RuleQuery.model_validate(row.call.input).part: row for row in rows}
    whole = parts.get(RulePart.CONDITION)
    if scope.rule is None or whole is None or not isinstance(whole.output, SeriesSet):
        return None
    query = RuleQuery.model_validate(whole.call.input)
    run = run_of(whole)
    onset = _onset(query, run, parts.get(RulePart.VALUE)) or run
    entities = {entity_of(whole.output.labels[k]) for k in rows_of_alert(whole.output, query)}
    named = entity_of(query.alert_labels) or (entities.pop() if len(entities) == 1 else None)
    latest = parts.get(RulePart.NOW, whole)
    return RuleReading(
        rule=scope.rule,
        entity=named or "",
        onset_at=from_ms(onset.start_ms) if onset is not None else None,
        uncertainty=timedelta(milliseconds=grid_step_ms(query)) + query.reach,
        at_least=onset is not None and onset.start_ms <= query.window.start_ms,
        last_at=from_ms(run.end_ms) if run is not None else None,
        holds=holds_at_end(latest) if _goes_on(parts.get(RulePart.VALUE)) else None,
        reach=query.reach,
        since=_since(parts.get(RulePart.VALUE)),
        burn=query.burn,
    )


def _since(value: ToolInvocation | None) -> datetime | None:
    if value is None or not isinstance(value.output, SeriesSet) or not len(value.output):
        return None
    return from_ms(int(value.output.times.min()))


def _goes_on(value: ToolInvocation | None) -> bool:
    """Tell whether what is measured has values to the end; if not, nobody knows how it went on."""
    if value is None or not isinstance(value.output, SeriesSet) or not len(value.output):
        return True
    query = RuleQuery.model_validate(value.call.input)
    last = max(int(value.output[k].times[-1]) for k in rows_of_alert(value.output, query))
    return last >= query.window.end_ms - grid_step_ms(query)


def _onset(query: RuleQuery, run: Run | None, value: ToolInvocation | None) -> Run | None:
    """Of a burn-rate alert the shortest span tells since when: the long ones rise late."""
    if not query.burn or query.limit is None or value is None:
        return None
    if not isinstance(value.output, SeriesSet):
        return None
    return run_above(value.output, query, query.limit, run.start_ms if run is not None else None)
