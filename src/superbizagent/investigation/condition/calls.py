"""The calls that evaluate an alert's rule: fixed before any of them is made. Pure."""

from datetime import datetime, timedelta

from superbizagent.analysis.families import meaning_of
from superbizagent.domain.alert import Alert
from superbizagent.domain.gathering import Caps
from superbizagent.domain.plan import Plan, PlannedCall, ToolName
from superbizagent.domain.rule import AlertRule
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import RulePart, RuleQuery, Signal, SourceDescription
from superbizagent.domain.window import Window, from_ms, to_ms
from superbizagent.errors import QueryError
from superbizagent.promql import Condition, read_condition, unit_of

__all__ = ["condition_of", "plan_condition"]

_LEAST_LEAD = timedelta(minutes=5)
_MOST_LEAD = timedelta(days=1)
"""A budget that burns for longer than a day is seen in its last day as well."""
_BEFORE = timedelta(minutes=32)
"""What the value was like before: half an hour, and the two minutes that are kept free."""
_BEFORE_A_BURN = timedelta(hours=2)
"""What burns a budget may have begun long before the alert; there is to be something to compare."""
_AFTER = timedelta(minutes=60)
_JUST_NOW = timedelta(minutes=5)


def condition_of(rule: AlertRule | None) -> Condition | None:
    """Return what a rule compares; None when there is no rule or it is no PromQL."""
    try:
        return read_condition(rule.expression) if rule is not None else None
    except QueryError:
        return None


def plan_condition(scope: Scope, caps: Caps) -> Plan:
    """Return the calls that evaluate the rule of the alert in question; none without a rule.

    Args:
        scope: its windows need not be the last: what is found here may move them.
        caps: how much may be asked.
    """
    source = _source(scope)
    if scope.rule is None or scope.alert is None or source is None:
        return Plan(round=0)
    span, step = _span(scope, scope.rule, source, caps)
    queries = _queries(scope, scope.alert, scope.rule, (span, step), source, caps)
    calls = tuple(
        PlannedCall(
            number=number,
            round=0,
            tool=ToolName.QUERY_METRICS,
            source=source.name,
            input=query.model_dump(mode="json"),
            purpose=f"rule:{query.part.value}",
        )
        for number, query in enumerate(queries, 1)
    )
    return Plan(round=0, calls=calls)


def _source(scope: Scope) -> SourceDescription | None:
    """The source that lists the rule, if it has metrics, else the first that has."""
    having = [s for s in scope.sources if Signal.METRICS in s.signals]
    own = [s for s in having if scope.rule is not None and s.name == scope.rule.source]
    return next(iter((*own, *having)), None)


def _queries(  # noqa: PLR0913, PLR0917 - one private caller that has all of it
    scope: Scope,
    alert: Alert,
    rule: AlertRule,
    grid: tuple[Window, timedelta],
    source: SourceDescription,
    caps: Caps,
) -> list[RuleQuery]:
    condition = condition_of(rule)
    telling = condition.telling if condition is not None else None
    span, step = grid
    whole = RuleQuery(
        expression=rule.expression,
        window=span,
        step=step,
        name=f"rule:{rule.name}:{RulePart.CONDITION.value}",
        server_version=source.version,
        max_series=caps.max_series,
        part=RulePart.CONDITION,
        rule=rule,
        alert_labels=alert.labels,
        fired_at=alert.starts_at,
        longest=condition.longest if condition is not None else timedelta(0),
        reach=_reach(condition),
        operator=telling.operator if telling is not None else "",
        limit=telling.limit if telling is not None else None,
        unit=unit_of(telling.left, _unit_of_metric) if telling is not None else "",
        burn=condition is not None and condition.is_burn,
    )
    queries = [whole]
    if telling is not None:
        queries.append(_part(whole, RulePart.VALUE, telling.left))
        if telling.limit is None:
            queries.append(_part(whole, RulePart.LIMIT, telling.right))
    end = _end_of_data(scope, source)
    if end - span.end > max(_JUST_NOW, step):
        last = _part(whole, RulePart.NOW, rule.expression)
        just = _aligned(Window(start=end - _JUST_NOW, end=end), scope.step)
        queries.append(last.model_copy(update={"window": just, "step": scope.step}))
    return queries


def _part(whole: RuleQuery, part: RulePart, expression: str) -> RuleQuery:
    name = f"rule:{whole.rule.name}:{part.value}"
    return whole.model_copy(update={"part": part, "expression": expression, "name": name})


def _reach(condition: Condition | None) -> timedelta:
    if condition is None:
        return timedelta(0)
    telling = condition.telling
    return telling.longest if condition.is_burn and telling else condition.longest


def _span(
    scope: Scope, rule: AlertRule, source: SourceDescription, caps: Caps
) -> tuple[Window, timedelta]:
    """From half an hour before the rule can have been true to an hour after it fired."""
    condition = condition_of(rule)
    longest = condition.longest if condition is not None else timedelta(0)
    lead = min(max((rule.hold or timedelta(0)) + longest, _LEAST_LEAD), _MOST_LEAD)
    known = scope.alert.starts_at if scope.alert is not None else None
    end = _end_of_data(scope, source)
    at = known if known is not None and known <= end else scope.windows.incident.start
    burns = condition is not None and condition.is_burn
    start = at - lead - scope.step - (_BEFORE_A_BURN if burns else _BEFORE)
    if source.kind == "bundle" and source.extent is not None:
        start = max(start, source.extent.start)
    over = scope.alert.ends_at if scope.alert is not None else None
    stop = max(min(over or end, end, at + _AFTER), start)
    points = max(min(caps.max_points, 11_000) - 2, 1)
    steps = max(-(-(stop - start) // (points * scope.step)), 1)
    return _aligned(Window(start=start, end=stop), steps * scope.step), steps * scope.step


def _end_of_data(scope: Scope, source: SourceDescription) -> datetime:
    now = scope.incident.received_at
    return min(now, source.extent.end) if source.extent is not None else now


def _aligned(window: Window, step: timedelta) -> Window:
    """Put both ends on whole steps: two systems that are asked then answer for the same times."""
    ms = max(round(step / timedelta(milliseconds=1)), 1)
    last = to_ms(window.end) // ms * ms
    first = min(-(-to_ms(window.start) // ms) * ms, last)
    return Window(start=from_ms(first), end=from_ms(last))


def _unit_of_metric(name: str) -> str:
    return "ratio" if "ratio" in name.lower().split("_") else meaning_of({"__name__": name}).unit
