"""Whether a number stands: a fact of its entity, of what it speaks of, that says the same.

A fact of the right value but of something else bears nothing out; a fact of the right thing with
another value speaks against the number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare.amounts import is_amount, meant_amount
from superbizagent.analysis.claims.compare.binding import (
    meant_period,
    percentiles_of,
    statistics_of,
)
from superbizagent.analysis.claims.compare.counts import count_of
from superbizagent.analysis.claims.compare.derived import derive
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.sample_counts import samples_of
from superbizagent.analysis.claims.compare.sampled import denied_at, holds_at, moment_of
from superbizagent.analysis.claims.compare.scales import COUNTS, accepted, factors, in_unit
from superbizagent.analysis.claims.compare.shares import share_by_percentile
from superbizagent.analysis.claims.compare.two_times import of_two_times
from superbizagent.analysis.claims.compare.view import Mask, Topic, View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Ground, Period, Statistic
from superbizagent.analysis.claims.mentions import Bound, Clause, Form, Moment, Quantity, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["judge_numbers"]

_SPANNING = frozenset({Statistic.MEAN, Statistic.MEDIAN, Statistic.CONSTANT})
_STOOD = (Statistic.STOOD_FIRST, Statistic.STOOD_LAST)
_BELOW_THE_LARGEST = (
    Statistic.MIN,
    Statistic.MEAN,
    Statistic.MEDIAN,
    Statistic.FIRST,
    Statistic.STOOD_FIRST,
)
_COUNTER = re.compile(r"\bcounters?\b|计数", re.IGNORECASE)
_ALARM = re.compile(r"告警")
"""An alert, or a record of that level: which of the two a count is of, the facts tell."""
_ALIKE = re.compile(
    r"\b(?:and )?so (?:did|was|were|had|has) |\blikewise\b|\bthe same (?:goes|holds|is true)\b"
    r"|\bas did\b|\bjust like\b|同样|也是如此|亦然"
)
"""What is said of one is said of the other too."""
_SERVED = re.compile(r"request|call|connection|wait|quer|请求|调用|连接|查询", re.IGNORECASE)
_FAILING = concept_bits(("error", "timeout", "refused", "exception", "retry"))
_LOG = concept_bits(("log", "warning"))
_STEP_MS = 60_000
"""A sample this near to the time of a sentence may be the one it means; a usual scrape is 60 s."""
_LEVELS = frozenset({Form.VALUE, Form.PART, Form.DURATION})
"""Forms that a fact may have as it stands; the others are always computed."""


def judge_numbers(view: View) -> Iterator[Part]:
    """Yield one part for every number of a sentence."""
    meant = [meant_amount(view, q) for q in view.statement.quantities if is_amount(view, q)]
    numbers = [_Number(view, quantity, peak=peak) for quantity, peak in meant]
    # First what facts say as it stands: the rest may be computed from those.
    rows = [number.fact() for number in numbers]
    for number, own in zip(numbers, rows, strict=True):
        held = [row for row in rows if row is not None and row is not own]
        counters = (samples_of, share_by_percentile, count_of)
        found = (count(view, number.quantity) for count in counters)
        counted = next((ids for ids in found if ids is not None), None)
        if counted is None or (
            not counted and own is not None and _ALARM.search(number.quantity.noun)
        ):
            yield number.part(own, held)
        else:
            yield _counted(number.quantity, counted)


@lru_cache(maxsize=4)
def _medians_of_means(ground: Ground) -> Mask:
    return np.array([fact.statistic == "mean_median" for fact in ground.facts], np.bool_)


def _counted(quantity: Quantity, fact_ids: tuple[str, ...]) -> Part:
    """What no fact has as it stands is counted: nothing else bears it out."""
    if fact_ids:
        return Part(PartKind.DERIVED, Outcome.HOLDS, quantity.text, "", fact_ids)
    return Part(PartKind.NUMBER, Outcome.UNSHOWN, quantity.text, "no_such_count")


@dataclass(frozen=True)
class _Number:
    view: View
    quantity: Quantity
    peak: bool = False

    @property
    def ground(self) -> Ground:
        return self.view.ground

    @cached_property
    def clause(self) -> Clause:
        return self.view.clause_of(self.quantity)

    @cached_property
    def about(self) -> Mask:
        """Rows of what the clause names, of the percentile it speaks of; calls are nobody's."""
        about = self.view.of_entities(self.clause)
        for percentile in percentiles_of(self.view, self.quantity):
            about = about & self.ground.of_statistic(percentile)
        return about

    @cached_property
    def readings(self) -> tuple[NDArray[np.float64], ...]:
        ground = self.ground
        if self.quantity.noun in ground.units and self.quantity.noun and not self.quantity.unit:
            own = ground.of_unit(self.quantity.noun)  # written as the evidence writes it
            return (np.where(own, ground.value, np.nan),)
        found = in_unit(self.quantity.unit, ground.units, ground.unit, ground.value)
        if self.quantity.unit or not self.quantity.noun:
            return found
        # Where things are counted, neither a time nor a rate says how many.
        counts = np.array([unit in COUNTS for unit in ground.units], np.bool_)[ground.unit]
        return tuple(np.where(counts, values, np.nan) for values in found)

    @cached_property
    def says_so(self) -> Mask:
        """Rows whose value is what the number says."""
        found = np.zeros(len(self.ground), np.bool_)
        for values in self.readings:
            found |= accepted(self.quantity, values)
        return found

    @cached_property
    def meant(self) -> Mask:
        """Rows of the period and the statistic that the sentence means."""
        ground = self.ground
        meant = self._of_statistic()
        if not self._is_of_counter:
            meant = meant & ~np.isin(ground.statistic, _STOOD)
        period = meant_period(self.view, self.quantity)
        if period == "baseline":
            # What a counter showed as the incident began is what it had come to before.
            began = meant & (ground.statistic == Statistic.STOOD_FIRST)
            return meant & ground.of_period(period) | began
        # Counts about a call and the whole look have no side.
        return meant & (ground.period != Period.BASELINE) if period == "incident" else meant

    @property
    def _is_of_counter(self) -> bool:
        """Tell whether the sentence speaks of a counter itself, not of what it counted."""
        view = self.view
        return bool(view.topic(0, len(view.text)).metric or _COUNTER.search(view.text))

    def _of_statistic(self) -> Mask:
        statistics = statistics_of(self.view, self.quantity)
        if statistics:
            said = np.any([self.ground.of_statistic(s) for s in sorted(statistics)], axis=0)
            # "The mean latency": of what a histogram gives the level before is a median of means.
            return said | _medians_of_means(self.ground) if "mean" in statistics else said
        if self.peak:
            return self.ground.of_statistic("max") | self.ground.of_statistic("total")
        if self.quantity.bound in {Bound.UNDER, Bound.AT_MOST}:
            inherited = self._of_the_last()
            if inherited:
                return np.any([self.ground.of_statistic(s) for s in sorted(inherited)], axis=0)
            # Of something that stayed below a number the largest did.
            return ~np.isin(self.ground.statistic, _BELOW_THE_LARGEST)
        return self.view.everything

    def _of_the_last(self) -> frozenset[str]:
        """The statistic of the number before it: "its mean rose to 10.7 s from under 0.2 s"."""
        before = [q for q in self.view.statement.quantities if q.end <= self.quantity.start]
        alike = bool(before) and before[-1].unit == self.quantity.unit
        return statistics_of(self.view, before[-1]) if alike else frozenset()

    @cached_property
    def moment(self) -> Moment | None:
        """The time that the number is said of."""
        return moment_of(self.view, self.quantity)

    @cached_property
    def then(self) -> Mask:
        """Rows that may be of the time the number is said of: not those of another instant."""
        moment = self.moment
        if moment is None or self._moves:
            return self.view.everything
        at = self.ground.at
        near = (at >= to_ms(moment.low) - _STEP_MS) & (at <= to_ms(moment.high) + _STEP_MS)
        return near | (at < 0)

    def part(self, row: int | None, held: Sequence[int]) -> Part:
        """Judge the number, given the row that bears it out and those of the other numbers."""
        part = self._part(row, held)
        other = self._not_of() if part.outcome is Outcome.HOLDS else ""
        if not other:
            return part
        reason = f"not_of_each:{other.rsplit('/', 1)[-1]}"
        return Part(PartKind.NUMBER, Outcome.UNSHOWN, self.quantity.text, reason)

    @property
    def _moves(self) -> bool:
        """Tell whether something began to move then: "at 17:21 it rose to 3"."""
        if sum(map(self.clause.holds, self.view.statement.moments)) > 1:
            return False  # "from 0 at 12:40 to 13 at 12:42": each value has its own time
        words = self.view.statement.words_of(WordKind.DIRECTION, self.clause)
        return any(word.value in {"up", "down", "appeared"} for word in words)

    def _part(self, row: int | None, held: Sequence[int]) -> Part:
        told = self._at_its_time(row)
        if told is not None:
            return told
        whole = self._whole(row) if row is not None else None
        if row is not None and whole is not None:
            return self._holds(PartKind.NUMBER, [self.ground.facts[k].id for k in (row, *whole)])
        apart = self._rest_of_whole() or of_two_times(self.view, self.quantity)
        if apart:
            return self._holds(PartKind.DERIVED, apart)
        operands = derive(self.view, self.quantity, held)
        return self._missing() if operands is None else self._holds(PartKind.DERIVED, operands)

    def _at_its_time(self, row: int | None) -> Part | None:
        """What the samples at the time of the sentence say; None where it gives none."""
        moment = self.moment
        if moment is None:
            return None
        sampled = holds_at(self.view, self.quantity, moment)
        if sampled:
            return self._holds(PartKind.NUMBER, sampled)
        level = self.quantity.form in _LEVELS and (row is None or self._is_level(row))
        denied = denied_at(self.view, self.quantity, moment) if level and not self._moves else ()
        if not denied:
            return None
        reason = f"other_value:{denied[0]}"
        return Part(PartKind.NUMBER, Outcome.FAILS, self.quantity.text, reason, denied)

    def _is_level(self, row: int) -> bool:
        """Tell whether a row is a level over a span, which says nothing of one instant."""
        return int(self.ground.at[row]) < 0 and int(self.ground.statistic[row]) in _SPANNING

    def _holds(self, kind: PartKind, fact_ids: Sequence[str]) -> Part:
        return Part(kind, Outcome.HOLDS, self.quantity.text, "", tuple(fact_ids))

    def fact(self) -> int | None:
        """The row that bears the number out, the one that shares most with the sentence."""
        if self.quantity.form not in _LEVELS:
            return None
        possible = self.view.pool & self.about & self.says_so & self.meant & self.then
        if self.view.cited is None and self._counts_requests:
            possible = possible & ~self.ground.of_unit("records")
        if self.quantity.whole is not None:
            possible = self._with_whole(possible, self.quantity.whole)
        possible = possible & self._of_failures
        if not possible.any():
            return None
        for topic in self.view.topics(self.quantity):
            shared = self._shared(topic)
            if (hit := possible & (shared > 0)).any():
                best = int(np.argmax(np.where(hit, shared, -1)))
                return None if self._exceeded(best, shared) else best
            if topic.concepts or topic.metric:
                return None  # it says of what, and nothing of that has this value
        # Among all that is known some value always fits: without citations it takes shared words.
        return None if self.view.cited is None else int(np.flatnonzero(possible)[0])

    @property
    def _of_failures(self) -> Mask:
        """Rows of failures, where things that failed are counted; else all rows."""
        start, end = self.view.region(self.quantity)
        counted = bool(self.quantity.noun) and not self.quantity.unit
        if not counted or not self.view.topic(start, end).concepts & _FAILING:
            return self.view.everything
        return (self.ground.concepts & np.uint64(_FAILING)) != 0

    def _exceeded(self, best: int, shared: NDArray[np.int8]) -> bool:
        """Tell whether what is said to stay below a number did not: another value of the same."""
        if self.quantity.bound not in {Bound.UNDER, Bound.AT_MOST}:
            return False
        ground = self.ground
        like = self.view.pool & self.about & self.meant & self.then & (shared >= shared[best])
        like &= ~self.says_so & (ground.statistic == ground.statistic[best])
        like &= np.any([~np.isnan(values) for values in self.readings], axis=0)
        metric = self._metric_of(best)[0]
        return any(self._metric_of(row)[0] == metric for row in np.flatnonzero(like).tolist())

    @property
    def _counts_requests(self) -> bool:
        """Tell whether it counts what was served, not what was logged of it."""
        concepts = self.view.topic(0, len(self.view.text)).concepts
        return _SERVED.search(self.quantity.noun) is not None and not concepts & _LOG

    def _not_of(self) -> str:
        """The first of those named of which it does not hold, where it is said of each."""
        names = self.view.every_entity
        if not _ALIKE.search(self.view.text):
            return ""
        rows = self.view.pool & self.says_so & self.meant
        return next((n for n in names if not (rows & self.ground.of_entities((n,))).any()), "")

    def _rest_of_whole(self) -> tuple[str, ...]:
        """The facts of "2,974 of 3,690": the whole, and the part that the number leaves."""
        whole = self.quantity.whole
        if whole is None:
            return ()
        wanted = replace(self.quantity, value=whole, half=0.5, form=Form.VALUE, whole=None)
        left = replace(wanted, value=whole - self.quantity.value)
        pool = self.view.pool & self.about
        wholes: list[int] = np.flatnonzero(pool & _Number(self.view, wanted).says_so).tolist()
        keys = {self._metric_of(row): row for row in wholes}
        for row in np.flatnonzero(pool & _Number(self.view, left).says_so).tolist():
            if self._metric_of(row) in keys:
                other = keys[self._metric_of(row)]
                return self.ground.facts[other].id, self.ground.facts[row].id
        return ()

    def _with_whole(self, possible: Mask, whole: float) -> Mask:
        """Of the rows those beside whose metric the whole stands too, all where that is of none."""
        wanted = replace(self.quantity, value=whole, half=0.5, form=Form.VALUE, whole=None)
        says = _Number(self.view, wanted).says_so & self.view.pool & self.about
        keys = {self._metric_of(row) for row in np.flatnonzero(says).tolist()}
        like = possible.copy()
        for row in np.flatnonzero(possible).tolist():
            like[row] = self._metric_of(row) in keys
        return like if like.any() else possible

    def _whole(self, part: int) -> tuple[int, ...] | None:
        """Rows that bear out the second number of "3 of 5"; None when nothing does."""
        whole = self.quantity.whole
        if whole is None:
            return ()
        wanted = replace(self.quantity, value=whole, half=0.5, form=Form.VALUE, whole=None)
        number = _Number(self.view, wanted)
        row = number.fact()
        if row is not None:
            return (row,)
        # "Of 3,690 requests 716 failed": the whole need not share the part's words, but its metric.
        name = self._metric_of(part)
        rows: list[int] = np.flatnonzero(self.view.pool & number.about & number.says_so).tolist()
        like = next((row for row in rows if self._metric_of(row) == name), None)
        return None if like is None else (like,)

    def _metric_of(self, row: int) -> tuple[str, object]:
        """What a fact measures, and over which time."""
        fact = self.ground.facts[row]
        return fact.name.partition("{")[0], fact.window

    def _shared(self, topic: Topic) -> NDArray[np.int8]:
        return self.view.shared(topic)

    @property
    def _in_its_unit(self) -> Mask:
        """Rows whose fact is told in the number's own unit, not only in one to be guessed."""
        units = [
            factors(self.quantity.unit, unit) != () and unit != "" for unit in self.ground.units
        ]
        return np.array(units, np.bool_)[self.ground.unit]

    def _missing(self) -> Part:
        """Why it does not stand: the evidence has another value, or none."""
        quantity = self.quantity
        comparable = np.zeros(len(self.ground), np.bool_)
        for values in self.readings:
            comparable |= ~np.isnan(values)
        against = self.view.pool & self.about & comparable & self.meant
        for topic in self.view.topics(quantity):
            shared = self._shared(topic)
            hit = against & (shared > 0)
            own = hit & self._in_its_unit
            hit = own if own.any() else hit
            if hit.any() and quantity.form in _LEVELS and topic.concepts:
                row = int(np.argmax(np.where(hit, shared, -1)))
                other = self.ground.facts[row].id
                reason = f"other_value:{other}"
                return Part(PartKind.NUMBER, Outcome.FAILS, quantity.text, reason, (other,))
        return Part(PartKind.NUMBER, Outcome.UNSHOWN, quantity.text, "no_such_value")
