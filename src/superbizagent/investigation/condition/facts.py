"""Facts of the calls that evaluate an alert's rule: read out of the answer, and of the question.

What the rule says (expression, ``for``, limit) stands in the question, whose place is ``input``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.series import Labels, Series, SeriesSet, series_name
from superbizagent.domain.source import RulePart, RuleQuery
from superbizagent.domain.window import Window, from_ms
from superbizagent.investigation.condition.course import (
    COMPARES,
    Run,
    fired_run,
    grid_step_ms,
    rows_of_alert,
    run_above,
)

__all__ = ["ConditionReader", "holds_at_end", "run_of"]

EntityOf = Callable[[Labels], str | None]
_GUARD = timedelta(minutes=2)
"""Left out of what is called before, so that a slow start is not called normal."""


def run_of(row: ToolInvocation) -> Run | None:
    """Return the run that the call for the whole expression found."""
    if not isinstance(row.output, SeriesSet):
        return None
    return fired_run(row.output, RuleQuery.model_validate(row.call.input))


def holds_at_end(row: ToolInvocation) -> bool | None:
    """Tell whether the expression is true where its evaluation ends; None when that failed."""
    if not isinstance(row.output, SeriesSet):
        return None
    query = RuleQuery.model_validate(row.call.input)
    last = [int(row.output[k].times[-1]) for k in rows_of_alert(row.output, query)]
    return max(last, default=-1) >= query.window.end_ms - grid_step_ms(query)


@dataclass(frozen=True, slots=True)
class ConditionReader:
    """Reads the facts of one call."""

    entity_of: EntityOf
    run: Run | None = None
    """Of the call for the whole expression, where that is known."""

    def read(self, row: ToolInvocation) -> tuple[Fact, ...]:
        """Return the facts of a call that was answered."""
        if not isinstance(row.output, SeriesSet):
            return ()
        query = RuleQuery.model_validate(row.call.input)
        facts = _Facts(row.number)
        match query.part:
            case RulePart.CONDITION:
                self._condition(facts, row, query, row.output)
            case RulePart.VALUE:
                self._value(facts, query, row.output)
            case RulePart.LIMIT:
                self._limit(facts, query, row.output)
            case RulePart.NOW:
                _add_end(facts, row, query)
        return tuple(facts.found)

    def _condition(
        self, facts: "_Facts", row: ToolInvocation, query: RuleQuery, output: SeriesSet
    ) -> None:
        rule, name = query.rule, f"rule:{query.rule.name}"
        facts.add(name=name, statistic="expression", value=rule.expression, quote=rule.expression)
        if rule.hold is not None:
            facts.add(name=name, statistic="for", value=_length(rule.hold))
        if query.longest:
            facts.add(name=name, statistic="range", value=_length(query.longest))
        if query.burn:
            facts.add(name=name, statistic="shortest_range", value=_length(query.reach))
        if query.fired_at is not None:
            facts.add_time(query.fired_at, name=name, statistic="fired_at")
        run = fired_run(output, query)
        if run is not None:
            place = {"name": series_name(output.labels[run.row]), "place": f"series/{run.row}"}
            facts.add_time(from_ms(run.start_ms), statistic="onset_at", **place)
            facts.add_time(from_ms(run.end_ms), statistic="last_at", **place)
        _add_end(facts, row, query)

    def _value(self, facts: "_Facts", query: RuleQuery, output: SeriesSet) -> None:
        if query.limit is not None:
            facts.add(
                name=f"rule:{query.rule.name}",
                statistic="threshold",
                value=round_significant(query.limit),
                unit=query.unit,
            )
        run = self._run(query, output)
        if run is None:
            return
        if query.burn:
            place = {"name": series_name(output.labels[run.row]), "place": f"series/{run.row}"}
            facts.add_time(from_ms(run.start_ms), statistic="onset_at", **place)
        row = _farthest(output, query, run)
        if row is None:
            return
        series = output[row]
        about = {"name": str(series), "unit": query.unit, "entity": self.entity_of(series.labels)}
        sample = _extreme(series, query, run)
        facts.add(
            statistic="max" if query.operator.startswith(">") else "min",
            value=round_significant(float(series.values[sample])),
            at=from_ms(int(series.times[sample])),
            window=run.window,
            place=f"series/{row}/sample/{sample}",
            **about,
        )
        until = from_ms(run.start_ms) - query.reach - _GUARD
        before = series.values[series.times < round(until.timestamp() * 1000)]
        before = before[np.isfinite(before)]
        if len(before) and query.window.start < until:
            facts.add(
                statistic="mean_before",
                value=round_significant(float(before.mean())),
                window=Window(start=query.window.start, end=until),
                place=f"series/{row}",
                **about,
            )

    def _run(self, query: RuleQuery, output: SeriesSet) -> Run | None:
        if not query.burn or query.limit is None:
            return self.run
        before = self.run.start_ms if self.run is not None else None
        return run_above(output, query, query.limit, before)

    def _limit(self, facts: "_Facts", query: RuleQuery, output: SeriesSet) -> None:
        """The limit where it is measured itself: as it was when the rule began to hold."""
        if self.run is None:
            return
        for row in rows_of_alert(output, query)[:1]:
            series = output[row]
            sample = max(int(np.searchsorted(series.times, self.run.start_ms, side="right")) - 1, 0)
            facts.add(
                name=str(series),
                statistic="threshold",
                value=round_significant(float(series.values[sample])),
                unit=query.unit,
                at=from_ms(int(series.times[sample])),
                place=f"series/{row}/sample/{sample}",
            )


@dataclass(slots=True)
class _Facts:
    call: int
    found: list[Fact] = field(default_factory=list[Fact])

    def add(self, **fields: Any) -> None:
        fields = {"place": "input", **fields}
        fields["entity"] = fields.get("entity") or ""
        self.found.append(Fact(id=f"E{self.call}.{len(self.found) + 1}", **fields))

    def add_time(self, at: datetime, **fields: Any) -> None:
        self.add(value=at.isoformat(), at=at, **fields)


def _length(length: timedelta) -> str:
    """Write a length as PromQL does: ``1h30m``, ``0s``."""
    left, parts = round(length.total_seconds()), ""
    for unit, seconds in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, left = divmod(left, seconds)
        parts += f"{count}{unit}" if count else ""
    return parts or "0s"


def _add_end(facts: _Facts, row: ToolInvocation, query: RuleQuery) -> None:
    holds = holds_at_end(row)
    facts.add(
        name=f"rule:{query.rule.name}",
        statistic="holds",
        value="true" if holds else "false",
        at=query.window.end,
        place="output",
    )


def _farthest(output: SeriesSet, query: RuleQuery, run: Run) -> int | None:
    """The series that went farthest past the limit while the rule held."""
    sign = 1 if query.operator.startswith(">") else -1
    reached = {
        k: sign * float(series.values[_extreme(series, query, run)])
        for k in rows_of_alert(output, query)
        if _inside(series := output[k], run).any()
    }
    return max(reached, key=lambda k: (reached[k], -k), default=None)


def _extreme(series: Series, query: RuleQuery, run: Run) -> int:
    """Position of the value farthest past the limit, the first of equal ones."""
    inside = np.flatnonzero(_inside(series, run))
    values = series.values[inside]
    if query.operator in {"==", "!="}:
        past, limit = COMPARES[query.operator], query.limit
        telling = [k for k, v in enumerate(values) if limit is None or past(float(v), limit)]
        return int(inside[telling[0] if telling else 0])
    pick = np.argmax(values) if query.operator.startswith(">") else np.argmin(values)
    return int(inside[pick])


def _inside(series: Series, run: Run) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    finite = np.isfinite(series.values)
    return finite & (series.times >= run.start_ms) & (series.times <= run.end_ms)
