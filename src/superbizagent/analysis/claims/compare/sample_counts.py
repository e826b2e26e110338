"""In how many samples something was so: "in 91 of the 93 scrapes the pool was full".

Counted over the samples of one series in the period that the sentence means. The condition is the
other number of the clause, or that the series was at its limit; with any other it is not counted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare.binding import period_of
from superbizagent.analysis.claims.compare.sampled import is_open, series_about
from superbizagent.analysis.claims.compare.scales import factors
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.evidence.spans import acute_of
from superbizagent.analysis.claims.mentions import Bound, Clause, Form, Moment, Quantity, WordKind
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.window import Window, to_ms

__all__ = ["samples_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NOUN = (
    r"(?:samples?|scrapes?|data ?points?|measurements?|readings?)\b"
    r"|(?:采样点|采样值|采样|样本点|样本|数据点|采集点|读数|(?:次|个)?(?:抓取|采集))"
)
_BETWEEN = r"(?: (?!per\b|an?\b|each\b|in\b|of\b|the\b|and\b|at\b|from\b)[A-Za-z0-9-]{1,20}){0,2}"
_COUNTED = re.compile(
    rf"(?: of (?:the|its|their|all))?{_BETWEEN} ?(?:个|次|条)?(?:{_NOUN})", re.IGNORECASE
)
_WITHIN = re.compile(_NOUN, re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|every|each|whole)\b|所有|全部|全都|均|都|每", re.IGNORECASE)
_NONE = re.compile(r"\b(?:none|not (?:a single )?one) (?:of|in)\b|没有一[个次]|无一", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:last|final|latest|most recent)\b[^,;]{0,12}$|(?:最后|最近)的?$", re.IGNORECASE
)
_FIRST = re.compile(r"\b(?:first|earliest)\b[^,;]{0,12}$|(?:最初|最早|头|前)$", re.IGNORECASE)
_ONSET = re.compile(
    r"\b(?:onset|it (?:began|started)|the (?:fault|symptom) (?:began|started))\b|以来|开始后"
)
_FULL = re.compile(
    r"\bfull\b|\bused up\b|\bexhausted\b|\bsaturated\b|\bat (?:its|the) (?:limit|max(?:imum)?)\b"
    r"|\bhit (?:its|the) (?:limit|max(?:imum)?)\b|满|耗尽|用完|用光|占光|达到上限",
    re.IGNORECASE,
)
_USED = re.compile(r"used|usage|active|busy|in_use|open|taken|borrowed|checked_out", re.IGNORECASE)
_LIMIT = re.compile(r"(?:^|_)(?:max|limit|size|capacity|maximum)(?:_|$)", re.IGNORECASE)
_ABOVE_ONE = re.compile(r"\b(above|over|exceed(?:ed|s)?|below|under) one\b(?! of)", re.IGNORECASE)
_MOST_SERIES = 6
"""More than these are no answer to which series is meant."""


def samples_of(view: View, quantity: Quantity) -> tuple[str, ...] | None:
    """Hold a number of samples against the samples of the series that its clause is about.

    Returns:
        None when the number counts no samples. Readings (``E4.s17``) whose samples are as many;
        an empty tuple when none is, or when it is not understood what they have to be.
    """
    if quantity.unit or quantity.form not in {Form.VALUE, Form.PART} or not _counts(view, quantity):
        return None
    asked = _Asked(view, quantity)
    condition = asked.condition
    return asked.held(condition) if condition is not None else ()


def _counts(view: View, quantity: Quantity) -> bool:
    if _COUNTED.match(view.text, quantity.end):
        return True
    return quantity.form is Form.PART and _WITHIN.search(quantity.text) is not None


@dataclass(frozen=True)
class _Condition:
    """What a sample has to be: the number, or at its limit without one."""

    number: Quantity | None


@dataclass(frozen=True)
class _Asked:
    view: View
    quantity: Quantity

    @property
    def ground(self) -> Ground:
        return self.view.ground

    @cached_property
    def clause(self) -> Clause:
        """The clause of the number; all of the sentence where that says nothing to count by."""
        clause = self.view.clause_of(self.quantity)
        text = self.view.text
        others = any(q is not self.quantity and clause.holds(q) for q in self._numbers)
        told = others or _FULL.search(text, clause.start, clause.end)
        return clause if told else Clause(0, len(text))

    @property
    def _numbers(self) -> tuple[Quantity, ...]:
        return self.view.statement.quantities

    @cached_property
    def condition(self) -> _Condition | None:
        view, clause = self.view, self.clause
        if view.statement.words_of(WordKind.NEGATION, clause):
            return None
        numbers = [q for q in self._numbers if q is not self.quantity and clause.holds(q)]
        if len(numbers) > 1 or any(q.form is not Form.VALUE for q in numbers):
            return None
        full = _FULL.search(view.text, clause.start, clause.end)
        if numbers:
            return _Condition(numbers[0])
        if full:
            return _Condition(None)
        one = _ABOVE_ONE.search(view.text, clause.start, clause.end)
        if one is None:
            return None
        bound = Bound.UNDER if one[1].lower() in {"below", "under"} else Bound.OVER
        return _Condition(Quantity(one.start(), one.end(), one[0], 1.0, 0.5, bound=bound))

    def held(self, condition: _Condition) -> tuple[str, ...]:
        stored = self.ground.stored
        # The words around the other number say what is measured.
        told = condition.number or self.quantity
        codes: list[int] = series_about(self.view, told).tolist()
        if condition.number is None:
            codes = [k for k in codes if _USED.search(stored.names[k])]
        if len(codes) > _MOST_SERIES:
            return ()
        found = [k for k in codes if is_open(self.view, int(stored.calls[k]))]
        return tuple(stored.place(k) for k in found if self._is(k, condition))

    def _is(self, code: int, condition: _Condition) -> bool:
        samples = self.ground.stored.judged
        part = slice(int(samples.offsets[code]), int(samples.offsets[code + 1]))
        times, values = samples.times[part], samples.values[part]
        for low, high in self._spans(code):
            inside = values[(times >= low) & (times <= high)]
            if any(self._says(hit) for hit in self._hits(code, inside, condition)):
                return True
        return False

    def _hits(
        self, code: int, values: Floats, condition: _Condition
    ) -> Iterator[NDArray[np.bool_]]:
        """Yield which samples are as the condition has it, by each reading of its unit."""
        stored, number = self.ground.stored, condition.number
        if number is None:
            limit = _limit_of(self.ground, code)
            if limit is not None:
                yield values >= limit
            return
        unit = stored.meanings[code].unit
        rate = MODES[int(stored.modes[code])] == "rate"
        for factor in factors(number.unit, f"{unit}/s" if rate else unit):
            low, high = number.interval
            yield (values * factor >= low) & (values * factor <= high)

    def _says(self, hit: NDArray[np.bool_]) -> bool:
        """Tell whether the number is how many of these samples are hits."""
        quantity, text = self.quantity, self.view.text
        before = text[self.clause.start : quantity.start]
        every = before.rstrip().lower().endswith(("every", "each"))
        if quantity.form is Form.PART and quantity.whole is not None:
            part = quantity.whole if every else quantity.value
            return len(hit) == quantity.whole and int(hit.sum()) == part
        count = int(quantity.value)
        if _NONE.search(text[max(0, quantity.start - 24) : quantity.end]):
            return len(hit) == count and not hit.any()
        if _LAST.search(before):
            return 0 < count <= len(hit) and bool(hit[-count:].all())
        if _FIRST.search(before):
            return 0 < count <= len(hit) and bool(hit[:count].all())
        if _ALL.search(text, self.clause.start, self.clause.end):
            return 0 < count == len(hit) and bool(hit.all())
        return quantity.accepts(float(hit.sum()))

    def _spans(self, code: int) -> Iterator[tuple[int, int]]:
        """Yield the spans that may be meant (ms)."""
        windows = self.ground.frame.windows
        end = windows.incident.end_ms
        moments = self.view.statement.moments
        if moments:
            yield from _between(moments, windows.incident)
        elif period_of(self.view, self.quantity) == "baseline":
            yield from ((w.start_ms, w.end_ms) for w in windows.baselines)
        elif _ONSET.search(self.view.text):
            acute = acute_of(self.ground.evidence, windows)
            starts = {w.start_ms for w in (acute,) if w is not None}
            starts |= {s for s in (self.ground.stored.onsets.get(code),) if s is not None}
            yield from ((start, end) for start in sorted(starts))
        else:
            yield windows.incident.start_ms, end


def _between(moments: tuple[Moment, ...], incident: Window) -> Iterator[tuple[int, int]]:
    """Yield the span between "since" and "until"; none when a time says something else."""
    told = {m.preposition: m for m in moments}
    if len(told) != len(moments) or not told.keys() <= {"since", "after", "until", "before"}:
        return
    since = told.get("since") or told.get("after")
    until = told.get("until") or told.get("before")
    yield (
        _written(since) if since else incident.start_ms,
        _written(until) if until else incident.end_ms,
    )


def _written(moment: Moment) -> int:
    """Return the time as it is written: what it covers begins half a unit before it."""
    return to_ms(moment.low + (moment.high - moment.low) / 3)


def _limit_of(ground: Ground, code: int) -> float | None:
    """Return the level that a series cannot exceed, as another series of its owner says it."""
    stored = ground.stored
    name, about = _named(stored.labels[code])
    for k, labels in enumerate(stored.labels):
        other, its = _named(labels)
        if stored.owners[k] != stored.owners[code] or not _LIMIT.search(other):
            continue
        if other.split("_")[:2] == name.split("_")[:2] and its.items() <= about.items():
            part = slice(int(stored.raw.offsets[k]), int(stored.raw.offsets[k + 1]))
            values = stored.raw.values[part]
            if len(values) and (values == values[0]).all():
                return float(values[0])
    return None


def _named(labels: dict[str, str]) -> tuple[str, dict[str, str]]:
    rest = {key: value for key, value in labels.items() if key != "__name__"}
    return labels.get("__name__", ""), rest
