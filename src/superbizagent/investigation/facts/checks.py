"""The numbers that a playbook's checks need, read out of stored outputs as facts.

Called by the fact reader of each call, after the general facts; `analyse` evaluates the checks on
exactly these facts and cites them. Pure: the same output, scope and playbooks give the same facts
under the same ids.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from superbizagent.analysis.families import meaning_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.check import Across, Check, Reduce
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import ToolOutput
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, Series, SeriesSet, series_name
from superbizagent.domain.skill import Skill
from superbizagent.domain.window import Window, from_ms
from superbizagent.investigation.facts.log_checks import log_drafts
from superbizagent.investigation.facts.windows import CheckWindows, check_windows
from superbizagent.skills import bind

__all__ = ["counted_from", "facts_of_checks", "reduce_series"]

_Asked = tuple[Skill, str, Check]
"""A check with its playbook and its key ``<hypothesis>/<check>``."""

_SAMPLES = frozenset({Reduce.MAX, Reduce.MIN, Reduce.LAST})
_COUNTING = frozenset({Reduce.INCREASE, Reduce.RATE, Reduce.COUNT})

_MOST = 1000
"""Check facts of one call; all playbooks of ours need some hundred, a hostile one gets no more."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One number out of a series, and the sample it stands in where it is a sample."""

    value: float
    index: int | None = None
    at_ms: int | None = None


def facts_of_checks(  # noqa: PLR0913 - what is read, for whom, and what is there already
    call: int,
    output: ToolOutput,
    scope: Scope,
    *,
    skills: Sequence[Skill],
    entity_of: Callable[[Labels], str | None],
    known: Sequence[Fact],
    windows: CheckWindows | None = None,
) -> tuple[Fact, ...]:
    """Return the further facts of call ``E<call>`` that checks need, numbered after ``known``.

    A fact that ``known`` already has (same name, statistic, window and place) is not repeated.
    ``windows`` are those of the symptom's onset; without them the alert's time counts.
    """
    windows = windows or check_windows(scope)
    match output:
        case SeriesSet():
            drafts = _series_drafts(output, scope, list(_checks(skills)), entity_of, windows)
        case LogDigest():
            drafts = log_drafts(output, [c for _, _, c in _checks(skills)], entity_of)
        case _:
            return ()
    seen = {(f.name, f.statistic, f.window, f.place) for f in known}
    facts: list[Fact] = []
    for draft in drafts:
        key = (draft["name"], draft["statistic"], draft["window"], draft["place"])
        if key not in seen and len(facts) < _MOST:
            seen.add(key)
            facts.append(Fact(id=f"E{call}.{len(known) + len(facts) + 1}", **draft))
    return tuple(facts)


# Series ------------------------------------------------------------------------------------------


def _series_drafts(
    output: SeriesSet,
    scope: Scope,
    checks: Sequence[_Asked],
    entity_of: Callable[[Labels], str | None],
    windows: CheckWindows,
) -> Iterator[dict[str, Any]]:
    wanted = _wanted(checks, scope)
    sums: dict[tuple[str, _Wanted], list[int]] = {}
    for row, series in enumerate(output):
        # By name first: a sweep has thousands of series of which playbooks name a few.
        by_name = (*wanted.get(series.name, ()), *wanted.get("", ()))
        asked = [w for w in by_name if w.selector.matches(series.labels)]
        entity = entity_of(series.labels) if asked else None
        if not entity:
            continue
        for item in asked:
            if item.across is Across.SUM:
                sums.setdefault((entity, item), []).append(row)
        single = [w for w in asked if w.across is Across.EACH]
        for span, reduce in dict.fromkeys(pair for w in single for pair in w.spans(windows)):
            draft = _series_draft(series, row, reduce, span, scope)
            if draft is not None:
                yield draft | {"entity": entity}
    for (entity, item), rows in sums.items():
        for span, reduce in item.spans(windows):
            draft = _sum_draft(output, rows, item.selector, reduce, span, scope)
            if draft is not None:
                yield draft | {"entity": entity}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A selector whose series are reduced, and whether over the baseline too."""

    selector: Selector
    reduce: Reduce
    across: Across
    both: bool

    def spans(self, windows: CheckWindows) -> Iterator[tuple[Window, Reduce]]:
        yield windows.of(self.reduce), self.reduce
        baseline = windows.baseline_of(self.reduce)
        if self.both and baseline is not None:
            yield baseline, self.reduce


def _wanted(checks: Sequence[_Asked], scope: Scope) -> dict[str, tuple[_Wanted, ...]]:
    """What the checks of all playbooks reduce, by metric name, each once."""
    found: dict[str, dict[_Wanted, None]] = {}
    for skill, key, check in checks:
        both = check.holds.baseline_ratio is not None
        sides = [(skill.selectors.get(key, ()), check.reduce)]
        if check.holds.other is not None:
            sides.append((skill.selectors.get(f"{key}/other", ()), check.holds.other.reduce))
        for selectors, reduce in sides:
            for selector in selectors:
                for bound in dict.fromkeys(bind(selector, e) for e in scope.everything):
                    item = _Wanted(bound, reduce, check.across, both)
                    found.setdefault(selector.name, {})[item] = None
    return {name: tuple(items) for name, items in found.items()}


def _checks(skills: Sequence[Skill]) -> Iterator[_Asked]:
    for skill in skills:
        for hypothesis in skill.hypotheses:
            for check in hypothesis.evidence:
                yield skill, f"{hypothesis.id}/{check.id}", check


def _series_draft(
    series: Series, row: int, reduce: Reduce, span: Window, scope: Scope
) -> dict[str, Any] | None:
    reading = _read(series, reduce, span, scope)
    if reading is None:
        return None
    draft: dict[str, Any] = {
        "name": series_name(series.labels),
        "statistic": reduce.value,
        "value": round_significant(reading.value),
        "unit": _unit(series, reduce),
        "window": span,
        "place": f"series/{row}",
    }
    if reading.index is not None and reading.at_ms is not None:
        at = from_ms(reading.at_ms)
        draft["at"] = at
        draft["quote"] = f"{_iso(reading.at_ms)} {float(series.values[reading.index])!r}"
        draft["place"] = f"series/{row}/sample/{reading.index}"
    return draft


def _sum_draft(  # noqa: PLR0913, PLR0917 - what is added up, and over which time
    output: SeriesSet,
    rows: Sequence[int],
    selector: Selector,
    reduce: Reduce,
    span: Window,
    scope: Scope,
) -> dict[str, Any] | None:
    """What several series of one entity add up to; one that is not there adds nothing."""
    readings = [_read(output[k], reduce, span, scope) for k in rows]
    values = [r.value for r in readings if r is not None]
    if not values:
        return None
    return {
        "name": str(selector),
        "statistic": reduce.value,
        "value": round_significant(float(sum(values))),
        "unit": _unit(output[rows[0]], reduce),
        "window": span,
        "place": f"sum/{','.join(map(str, rows))}",
    }


def _unit(series: Series, reduce: Reduce) -> str:
    """The number of observations of a histogram of seconds is no time, nor is any count of ours."""
    counts = reduce in {Reduce.COUNT, Reduce.CHANGES, Reduce.NEW}
    unit = "" if counts or series.name.endswith("_count") else meaning_of(series.labels).unit
    return f"{unit}/s" if reduce is Reduce.RATE else unit


def _read(series: Series, reduce: Reduce, span: Window, scope: Scope) -> Reading | None:
    """Reduce a series; a counter that is born after a span had counted nothing in it."""
    reading = reduce_series(series, reduce, span, scope.windows.whole.start_ms)
    if reading is None and reduce in _COUNTING:
        finite = series.times[np.isfinite(series.values)]
        if len(finite) and int(finite[0]) > span.end_ms:
            return Reading(0.0)
    return reading


def reduce_series(
    series: Series, reduce: Reduce, span: Window, history_start_ms: int
) -> Reading | None:
    """Return the number that a window of a series is reduced to, or None without samples.

    ``history_start_ms`` is where the look begins: a counter that is born well after it counted
    from zero.
    """
    inside = (series.times >= span.start_ms) & (series.times <= span.end_ms)
    rows = np.flatnonzero(inside & np.isfinite(series.values))
    if len(rows) == 0:
        return None
    if reduce in _SAMPLES:
        values = series.values[rows]
        picks = {Reduce.MAX: values.argmax(), Reduce.MIN: values.argmin()}
        index = int(rows[int(picks.get(reduce, len(rows) - 1))])
        return Reading(float(series.values[index]), index, int(series.times[index]))
    value = _computed(series, rows, reduce, span, history_start_ms)
    return None if value is None else Reading(value)


def _computed(
    series: Series, rows: "np.ndarray[Any, Any]", reduce: Reduce, span: Window, history: int
) -> float | None:
    """A reduction that is the value of no single sample."""
    values = series.values[rows]
    before = np.flatnonzero((series.times < span.start_ms) & np.isfinite(series.values))
    match reduce:
        case Reduce.MEAN:
            value = float(values.mean())
        case Reduce.NEW:
            value = float(len(before) == 0)
        case Reduce.CHANGES:
            known = series.values[[*before[-1:], *rows]]
            value = float(np.count_nonzero(np.diff(known)))
        case Reduce.INCREASE:
            value = _increase(series, rows, history)
        case Reduce.RATE:
            over = counted_from(series, span)
            seconds = (over[1] - over[0]) / 1000 if over is not None else 0.0
            value = _increase(series, rows, history) / seconds if seconds > 0 else None
        case _:
            value = float(len(rows))
    return value


def counted_from(series: Series, span: Window) -> tuple[int, int] | None:
    """Return over which time (ms) an increase is counted, None without a sample in the span.

    It begins at the last sample before the span, because the first step inside it starts there; a
    counter that was born inside had counted nothing when the span began.
    """
    finite = series.times[np.isfinite(series.values)]
    inside = finite[(finite >= span.start_ms) & (finite <= span.end_ms)]
    if len(inside) == 0:
        return None
    before = finite[finite < span.start_ms]
    return int(before[-1]) if len(before) else span.start_ms, int(inside[-1])


def _increase(series: Series, rows: "np.ndarray[Any, Any]", history_start_ms: int) -> float:
    """Sum the steps up; after a reset the value itself is the step."""
    finite = np.flatnonzero(np.isfinite(series.values))
    values = series.values[rows]
    before = finite[finite < rows[0]]
    if len(before):
        first = float(series.values[before[-1]])
    else:
        # Three mean intervals: a series that is merely late to its first scrape was there before.
        spacing = float(np.diff(series.times[finite]).mean()) if len(finite) > 1 else 0.0
        born = int(series.times[rows[0]]) > history_start_ms + 3 * spacing
        first = 0.0 if born else float(values[0])
    steps = np.diff(np.concatenate([[first], values]))
    return float(np.where(steps >= 0, steps, values).sum())


def _iso(ms: int) -> str:
    at = from_ms(ms)
    return at.isoformat(timespec="milliseconds" if ms % 1000 else "seconds").replace("+00:00", "Z")
