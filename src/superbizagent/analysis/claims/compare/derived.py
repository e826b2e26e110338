"""Whether a number is an operation over facts: computed here, never taken from the text.

``difference, ratio, percent, sum, share, duration, count, rate``, as a claim's `Derivation`s.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare.binding import meant_period
from superbizagent.analysis.claims.compare.durations import time_between
from superbizagent.analysis.claims.compare.pairs import (
    NO_ROWS,
    Rows,
    before_and_during,
    counter_ends,
    every_pair,
    of_one_check,
    parts_of_whole,
)
from superbizagent.analysis.claims.compare.scales import COUNTS, accepted, factors
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Ground, Period
from superbizagent.analysis.claims.mentions import Form, Quantity, WordKind

__all__ = ["derive"]

_MEASURED = concept_bits(("latency", "held", "waiting", "lock", "gc"))
"""What takes time: a number of seconds beside one of these is its value."""
_GAP = re.compile(
    r"\b(?:differ(?:s|ed|ence)?|gap|apart|remain(?:s|ing)?|without|left over|besides|rest|still)\b"
    r"|差|其余|剩"
)
_OF_ITSELF = re.compile(
    r"\bof (?:what it (?:was|had been)|(?:its|the|their) (?:usual|normal|former|previous|baseline))"
    r"|of the (?:level|value) before|原来的|平时的|之前的|基线的",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(?:totals?|together|altogether|in all|combined|sum|adds? up|counting|both|overall)\b"
    r"|合计|一共|总共|共计|总计|共有?|加起来|累计|合起来",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:took|takes|from|after|later|apart|earlier|ago|before|behind|until|since|older|sooner)\b|[前后]|相隔|隔|相差|早|晚|已"
)
_SUMMABLE = frozenset({"increase", "count", "baseline_count", "rate_mean", "failed", "requests"})
"""Statistics whose sum over series or kinds of records is the same of all of them."""

Floats = NDArray[np.float64]


def derive(view: View, quantity: Quantity, held: Sequence[int]) -> tuple[str, ...] | None:
    """Return the ids of the facts that a number is computed from, None when it is not.

    Args:
        view: the sentence and the evidence.
        quantity: the number.
        held: rows that bear out the other numbers of the sentence.
    """
    return _Derivation(view, quantity, tuple(held)).operands()


@dataclass(frozen=True)
class _Derivation:
    view: View
    quantity: Quantity
    held: tuple[int, ...]

    @property
    def ground(self) -> Ground:
        return self.view.ground

    def operands(self) -> tuple[str, ...] | None:
        if self.quantity.form is Form.PART:
            return None
        for rows in self._candidates():
            if rows:
                return tuple(dict.fromkeys(self.ground.facts[row].id for row in rows))
        if self.quantity.unit == "s" and self._is_of_time:
            return time_between(self.view, self.quantity, self.held)
        return None

    def _candidates(self) -> Iterator[tuple[int, ...]]:
        if self.view.cited is not None:
            cited = np.flatnonzero(self.view.cited & self._numeric).tolist()
            yield self._of_pairs(every_pair(cited))
            yield self._of_sum(cited)
            yield self._rate_of(cited)
            return
        related = self._related
        yield self._of_pairs(every_pair(self.held))
        yield self._of_pairs(self._parts_of_held(related))
        yield self._of_pairs(every_pair(self._quoted()))
        for tried in (parts_of_whole, of_one_check):
            yield self._of_pairs(_within(tried(self.ground), related))
        if self._is_open:
            return
        # A bare percentage is a share of something, not of what it was itself.
        if self.quantity.unit != "ratio" or not self._is_share:
            yield self._of_pairs(_within(before_and_during(self.ground), related))
        yield self._of_counters(_within(counter_ends(self.ground), related))
        yield self._of_sum(self.held)
        yield self._of_labels(related)
        yield self._rate_of(self.held)
        if self.quantity.unit == "/s":
            yield self._rate_of(np.flatnonzero(related & self._numeric).tolist())

    @property
    def _is_share(self) -> bool:
        said = _OF_ITSELF.search(self.view.text)
        return self.quantity.form is Form.VALUE and said is None

    @property
    def _is_open(self) -> bool:
        """Tell whether the number bounds one side alone: of many pairs one always lies there."""
        low, high = self.quantity.interval
        return np.isinf(high - low).item() and self.quantity.form is Form.VALUE

    @cached_property
    def _numeric(self) -> Mask:
        return ~np.isnan(self.ground.value)

    @cached_property
    def _related(self) -> Mask:
        """Rows of what the clause is about and speaks of."""
        about = self.view.of_entities(self.view.clause_of(self.quantity))
        for topic in self.view.topics(self.quantity):
            shared = about & (self.view.shared(topic) > 0)
            if topic.concepts or topic.metric or shared.any():
                return shared
        return about

    def _parts_of_held(self, related: Mask) -> Rows:
        """Pairs of what the number's own words speak of, and a whole that the sentence gave."""
        start, end = self.view.region(self.quantity)
        topic = self.view.topic(start, end)
        if self.quantity.unit != "ratio" or not topic:
            return NO_ROWS
        own = related & (self.view.shared(topic) > 0) & self._numeric
        pairs = [
            (row, whole)
            for whole in self.held
            for row in np.flatnonzero(own & (self.ground.unit == self.ground.unit[whole])).tolist()
            if self._metric(row) == self._metric(whole) and row != whole
        ]
        return np.array(pairs, np.int64) if pairs else NO_ROWS

    def _metric(self, row: int) -> str:
        return self.ground.facts[row].name.partition("{")[0]

    def _quoted(self) -> list[int]:
        """Counts of the records that the sentence quotes: "27 more of A than of B"."""
        rows: list[int] = []
        for quote in self.view.statement.quotes:
            found = [self.ground.row(i) for i in self.ground.find_quote(quote.content)]
            subjects = {int(self.ground.subject[row]) for row in found if row is not None}
            counts = self.ground.of_statistic("count") & self.ground.of_period("incident")
            rows += np.flatnonzero(counts & np.isin(self.ground.subject, list(subjects))).tolist()
        return rows

    def _of_counters(self, ends: Rows) -> tuple[int, ...]:
        """What a counter came up by between its first and its last sample."""
        if not len(ends) or self.quantity.form is not Form.VALUE or self.quantity.unit:
            return ()
        hit = accepted(self.quantity, self.ground.value[ends[:, 0]] - self.ground.value[ends[:, 1]])
        hit &= self._of_the_time(ends)
        return tuple(ends[int(np.argmax(hit))].tolist()) if hit.any() else ()

    # Two facts -----------------------------------------------------------------------------------

    def _of_pairs(self, pairs: Rows) -> tuple[int, ...]:
        if not len(pairs):
            return ()
        units, codes = self.ground.units, self.ground.unit[pairs]
        kinds: list[list[int]] = np.unique(codes, axis=0).tolist()
        for first, second in kinds:
            own = pairs[(codes[:, 0] == first) & (codes[:, 1] == second)]
            a, b = self.ground.value[own[:, 0]], self.ground.value[own[:, 1]]
            for values in self._computed(a, b, units[first], units[second]):
                hit = accepted(self.quantity, values) & self._of_the_time(own)
                if hit.any():
                    return tuple(own[int(np.argmax(hit))].tolist())
        return ()

    def _of_the_time(self, pairs: Rows) -> Mask:
        """Pairs that may say what was then: not two values of the other period."""
        if self.quantity.form is not Form.VALUE:
            return np.ones(len(pairs), np.bool_)
        before = self.ground.period[pairs] == Period.BASELINE
        wanted = meant_period(self.view, self.quantity)
        if wanted == "baseline":
            return before.any(axis=1)
        return ~before.all(axis=1) if wanted == "incident" else np.ones(len(pairs), np.bool_)

    def _computed(self, a: Floats, b: Floats, first: str, second: str) -> Iterator[Floats]:
        """Results that may be what the number says, in its unit."""
        form, unit = self.quantity.form, self.quantity.unit
        if first != second:
            if form is Form.VALUE:
                yield from (_divided(a, b) * factor for factor in self._per(first, second))
            return
        difference, ratio = a - b, _divided(a, b)
        if form is Form.MULTIPLE:
            yield ratio
        elif unit == "ratio":
            yield np.abs(ratio - 1) if form is Form.CHANGE else ratio
            if form is not Form.CHANGE:
                yield _divided(a, a + b)
                yield 1 - ratio
        if form is Form.CHANGE or self._is_gap:
            for factor in factors(unit, first):
                yield np.abs(difference) * factor

    @property
    def _is_of_time(self) -> bool:
        """Tell a length of time from a measured time: "40 s later" from "latency was 40 s"."""
        form = self.quantity.form
        if form in {Form.DURATION, Form.MULTIPLE}:
            return form is Form.DURATION
        start, end = self.view.region(self.quantity)
        if _AFTER.search(self.view.text, start, end):
            return True
        topic = self.view.topic(0, len(self.view.text))
        return not (topic.concepts & _MEASURED or topic.metric)

    @cached_property
    def _is_gap(self) -> bool:
        """Tell whether the clause speaks of how far apart two values are."""
        clause = self.view.clause_of(self.quantity)
        return bool(
            self.view.statement.words_of(WordKind.COMPARISON, clause)
            or _GAP.search(self.view.text, clause.start, clause.end)
        )

    def _per(self, first: str, second: str) -> tuple[float, ...]:
        """Factor of a quotient of two units to the number's unit; none: it is not that unit."""
        if self.quantity.noun and not self.quantity.unit:
            return ()  # a mean is no number of things
        counts = {"", "records"}
        if second in counts:
            return factors(self.quantity.unit, first) if first not in counts else ()
        if second == "s" and first in counts:
            return (1.0,) if self.quantity.unit == "/s" else ()
        return ()

    # Many facts ----------------------------------------------------------------------------------

    def _of_sum(self, rows: Sequence[int]) -> tuple[int, ...]:
        """All of some facts of one unit, or any few of them, add up to the number."""
        if self.quantity.form is not Form.VALUE or len(rows) < 2 or not self._is_total(rows):
            return ()
        by_unit: dict[int, list[int]] = {}
        for row in rows:
            by_unit.setdefault(int(self.ground.unit[row]), []).append(row)
        for code, own in by_unit.items():
            for factor in factors(self.quantity.unit, self.ground.units[code]):
                values = [float(self.ground.value[row]) * factor for row in own]
                if len(own) >= 2 and self.quantity.accepts(sum(values)):
                    return tuple(own)
        return ()

    def _is_total(self, rows: Sequence[int]) -> bool:
        """Tell whether the sentence says that it adds up, or speaks of all that was looked at."""
        said = _TOTAL.search(self.view.text) is not None
        return said or all(int(self.ground.entity[row]) < 0 for row in rows)

    def _of_labels(self, related: Mask) -> tuple[int, ...]:
        """One statistic of a metric, summed over those of its series that the sentence names."""
        if self.quantity.form is not Form.VALUE or self.quantity.unit not in {"", "/s"}:
            return ()
        shared = self.view.shared(self.view.topic(0, len(self.view.text)))
        groups: dict[tuple[str, str, object], list[int]] = {}
        for row in np.flatnonzero(related & self._numeric & (self.ground.entity >= 0)).tolist():
            fact = self.ground.facts[row]
            key = (fact.name.partition("{")[0], fact.statistic, fact.window)
            if fact.statistic in _SUMMABLE and self._adds_up(fact.unit):
                groups.setdefault(key, []).append(row)
        for rows in groups.values():
            most = max(int(shared[row]) for row in rows)
            own = [row for row in rows if int(shared[row]) == most]
            total = sum(float(self.ground.value[row]) for row in own)
            if len(own) > 1 and self.quantity.accepts(total):
                return tuple(own)
        return ()

    def _adds_up(self, unit: str) -> bool:
        """Tell whether values of a unit add up to a number of things, or of things a second."""
        return unit in COUNTS if not self.quantity.unit else unit.endswith("/s")

    def _rate_of(self, rows: Sequence[int]) -> tuple[int, ...]:
        """A count over the seconds in which it was counted."""
        if self.quantity.unit != "/s":
            return ()
        for row in rows:
            fact = self.ground.facts[row]
            if fact.window is None or fact.unit not in {"", "records"}:
                continue
            seconds = fact.window.length.total_seconds()
            if seconds and self.quantity.accepts(float(self.ground.value[row]) / seconds):
                return (row,)
        return ()


def _within(pairs: Rows, rows: Mask) -> Rows:
    return pairs[rows[pairs[:, 0]] & rows[pairs[:, 1]]] if len(pairs) else pairs


def _divided(a: Floats, b: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b != 0, a / b, np.nan)
