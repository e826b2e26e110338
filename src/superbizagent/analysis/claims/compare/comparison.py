"""Whether one is higher than the other, or the highest of all: the same measure of both sides.

Two values are compared only when they are the same statistic of the same metric in the same period;
of the most or least, over all entities that have the measure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare._settled import settled
from superbizagent.analysis.claims.compare._speech import Speech, period_at, speech
from superbizagent.analysis.claims.compare._stricken import labelled
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.scales import accepted, in_unit
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.evidence.ground import Ground, Statistic
from superbizagent.analysis.claims.mentions import Clause, Form, Name, Quantity, Word, WordKind
from superbizagent.domain.plan import ToolName
from superbizagent.domain.window import Window

__all__ = ["judge_comparison"]

_GENERIC = frozenset({"log", "host", "pod", "process", "replica", "user", "alert", "page", "order"})
_COMPARED = (
    Statistic.MAX,
    Statistic.MEAN,
    Statistic.MEDIAN,
    Statistic.TOTAL,
    Statistic.COUNT,
    Statistic.CONSTANT,
    Statistic.LAST,
    Statistic.P50,
    Statistic.P90,
    Statistic.P95,
    Statistic.P99,
)
_LABELS = re.compile(r"\{.*\}$")
_AMONG = re.compile(
    r"\b(?:of all|among|services?|databases?|pods?|instances?|nodes?|anywhere|any other)\b"
    r"|服务|实例|数据库|节点|所有|其中|之中",
    re.IGNORECASE,
)
"""What makes "the highest" one of several entities, not the highest over time."""
_NO_OTHER = re.compile(r"\b[Nn]o (?:other )?(?:service|database|pod|entity|component|node)\b")
_COMPARATIVE = re.compile(
    r"\b(?P<more>more|higher|slower|worse|longer|busier|larger|greater)\b"
    r"|\b(?P<less>less|fewer|lower|faster|smaller|better|shorter|quicker)\b"
)
"""Words of comparison that stand apart from their "than", or have none: "the higher of the two"."""
_WRITTEN = re.compile(r"\blogged|\bwrote|\blogs?\b|日志", re.IGNORECASE)
_FAR_THAN = re.compile(r"[^,;:]{1,48}\bthan\b")
_THAN = re.compile(r"\bthan\b|\bto\b|\bas\b|于|比|过", re.IGNORECASE)
_PLAIN_THAN = re.compile(r"\s?(?:\([^()]{0,40}\))?,? than (?:[a-z]+ ){0,3}", re.IGNORECASE)
"""Between the two of "higher at A (5 ms) than at B"."""
_OPENED = re.compile(r"\s?[(（]\s?")
_OF_TWO = re.compile(r"\bof the two\b|两者(?:中|之中)", re.IGNORECASE)

_INSTANTS = frozenset({"at", "until"})

Key = tuple[str, str, str, Window | None]
"""Metric without its labels, statistic, unit, time."""
Pair = tuple[int, int]
"""A row of the left side, and one of the right."""


def judge_comparison(view: View) -> Iterator[Part]:
    """Yield a part for each comparison of two entities, or of one with all others."""
    parts = (_Comparison(view, word).part() for word in _words(view))
    yield from settled(view, (part for part in parts if part is not None))


def _words(view: View) -> Iterator[Word]:
    seen: set[int] = set()
    for word in (*view.statement.words_of(WordKind.COMPARISON), *_comparatives(view)):
        start = view.clause_of(word).start
        if start not in seen:
            seen.add(start)
            yield word


def _comparatives(view: View) -> Iterator[Word]:
    for match in _COMPARATIVE.finditer(view.text):
        if any(q.start <= match.start() < q.end for q in view.statement.quantities):
            continue  # "more than 0.25 cores" is a number
        if _FAR_THAN.match(view.text, match.end()) or _OF_TWO.search(view.text):
            yield Word(*match.span(), match[0], WordKind.COMPARISON, match.lastgroup or "more")


@dataclass(frozen=True)
class _Comparison:
    view: View
    word: Word

    @property
    def ground(self) -> Ground:
        return self.view.ground

    @cached_property
    def clause(self) -> Clause:
        return self.view.clause_of(self.word)

    @cached_property
    def said(self) -> Speech:
        return speech(self.view, self.clause.start, self.clause.end)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return tuple(n for n in self.view.statement.names if len(n.entities) == 1)

    def part(self) -> Part | None:
        if self.view.statement.words_of(WordKind.NEGATION, self.clause):
            return None
        if any(m.preposition in _INSTANTS for m in self.view.statement.moments):
            return None  # at one instant it may be the other way round
        if self.word.value in {"most", "least"}:
            return self._extreme(self._subject(), self.word.value)
        other = _NO_OTHER.search(self.view.text, self.clause.start, self.word.start)
        if other and self.word.value in {"more", "less"}:
            behind = [n for n in self.names if n.start >= self.word.end]
            extreme = "most" if self.word.value == "more" else "least"
            return self._extreme(behind[0] if behind else None, extreme)
        return self._between()

    # Two sides ------------------------------------------------------------------------------------

    def _between(self) -> Part | None:
        """A is higher than B; in Chinese B may stand before the word: A 比 B 高."""
        left, right = self._sides()
        if left is None or right is None or left.text == right.text:
            return None
        pods = labelled(self.view, left) and labelled(self.view, right)
        if left.entities == right.entities and not pods:
            return None
        told = self._told(left, right)
        return told if told is not None else self._by_pairs(left, right)

    def _by_pairs(self, left: Name, right: Name) -> Part | None:
        pairs = self._pairs(left, right)
        if not pairs:
            return self._no_data(left, right)
        outcomes = {self._compare(a, b) for a, b in pairs}
        ids = tuple(self.ground.facts[row].id for pair in pairs for row in pair)
        if outcomes == {True}:
            return self._part(Outcome.HOLDS, "", ids)
        if outcomes == {False}:
            return self._part(Outcome.FAILS, "other_way_round", ids)
        return None

    def _told(self, left: Name, right: Name) -> Part | None:
        """Compare "A (5 ms) than B (3 ms)": its own numbers must go so, and be of both."""
        one, other = self._behind(left), self._behind(right)
        if one is None or other is None or one.unit != other.unit:
            return None
        if not self._goes(one.value, other.value):
            return self._part(Outcome.FAILS, "other_way_round", ())
        sides = ((one, left), (other, right))
        rows = [self._says(q) & self._rows_of(name) & self.view.pool for q, name in sides]
        if not all(own.any() for own in rows):
            return None
        ids = tuple(self.ground.facts[int(np.argmax(own))].id for own in rows)
        return self._part(Outcome.HOLDS, "", ids)

    def _behind(self, name: Name) -> Quantity | None:
        """The number that stands in brackets behind a name."""
        opened = _OPENED.match(self.view.text, name.end)
        at = opened.end() if opened else -1
        found = (q for q in self.view.statement.quantities if q.start == at)
        return next((q for q in found if q.form is Form.VALUE), None)

    def _no_data(self, left: Name, right: Name) -> Part | None:
        """One side has such a measure and the other has none: nothing shows how they compare."""
        rows = self._rows(self.said.asked(_GENERIC))
        known = [bool((rows & self.ground.of_entities(n.entities)).any()) for n in (left, right)]
        if known[0] == known[1]:
            return None
        lacking = right if known[0] else left
        return self._part(Outcome.UNSHOWN, f"no_data:{lacking.text}", ())

    def _sides(self) -> tuple[Name | None, Name | None]:
        before = [n for n in self.names if n.end <= self.word.start]
        behind = [n for n in self.names if n.start >= self.word.end]
        inside = [n for n in behind if n.start < self.clause.end + 1]
        if before and behind and _THAN.search(self.view.text, self.word.start, behind[0].start):
            return before[-1] if len(before) == 1 else before[0], (inside or behind)[0]
        if len(before) > 1 and "比" in self.view.text[before[-2].end : before[-1].start]:
            return before[-2], before[-1]
        if not before and len(inside) > 1:
            # "was higher at A than at B"
            between = self.view.text[inside[0].end : inside[1].start]
            return (inside[0], inside[1]) if _PLAIN_THAN.fullmatch(between) else (None, None)
        if _OF_TWO.search(self.view.text) and behind:
            return (before or behind)[0], behind[-1]
        return None, None

    def _compare(self, first: int, second: int) -> bool:
        return self._goes(float(self.ground.value[first]), float(self.ground.value[second]))

    def _goes(self, a: float, b: float) -> bool:
        if self.word.value == "equal":
            return abs(a - b) <= 0.05 * max(abs(a), abs(b))
        return a > b if self.word.value == "more" else a < b

    def _rows_of(self, name: Name) -> Mask:
        """Rows of an entity, of a pod those of its own series."""
        one = labelled(self.view, name)
        if one is None:
            return self.ground.of_entities(name.entities)
        names = {self.ground.stored.names[k] for k in one.series}
        subjects = self.ground.subjects
        return np.isin(self.ground.subject, [k for k, s in enumerate(subjects) if s.name in names])

    def _pairs(self, left: Name, right: Name) -> list[Pair]:
        """Rows of both sides that are the same statistic of the same metric.

        Those whose values the sentence says are meant; without such, those that stand alone: of
        several series of one metric nobody knows which to compare.
        """
        asked = self._asked()
        rows = self._rows(asked) if asked else self._compared()
        first = self._keyed(rows & self._rows_of(left))
        second = self._keyed(rows & self._rows_of(right))
        keys = [key for key in first if key in second]
        found = [(a, b) for key in keys for a in first[key] for b in second[key]]
        numbered = self._numbered(found)
        if numbered:
            return numbered
        if not asked:
            return []  # without a topic only the numbers say what is compared
        both = ((self._one(first[key]), self._one(second[key])) for key in keys)
        pairs = [(a, b) for a, b in both if a is not None and b is not None]
        return [(a, b) for a, b in pairs if self._differs(a, b)]

    def _one(self, rows: Sequence[int]) -> int | None:
        """The row that stands for all: the sum over all labels, or the only one."""
        whole = [row for row in rows if "{" not in self.ground.facts[row].name] or list(rows)
        alike = len({float(self.ground.value[row]) for row in whole}) == 1
        return whole[0] if alike else None

    def _differs(self, a: int, b: int) -> bool:
        return self.word.value == "equal" or self.ground.value[a] != self.ground.value[b]

    def _asked(self) -> tuple[int, ...]:
        own = self.said.asked(_GENERIC)
        return own or speech(self.view, 0, len(self.view.text)).asked(_GENERIC)

    def _compared(self) -> Mask:
        """Rows that can be compared, whatever they are of."""
        ground = self.ground
        rows = np.isin(ground.statistic, _COMPARED) & ~np.isnan(ground.value)
        return rows & ground.of_period(period_at(self.view, self.clause, self.word))

    def _rows(self, asked: Sequence[int]) -> Mask:
        ground = self.ground
        rows = self._compared()
        if _WRITTEN.search(self.said.text):
            logs = [k.number for k in ground.looks if k.tool is ToolName.SEARCH_LOGS]
            rows &= np.isin(ground.call, logs)
        for phrase in asked:
            rows &= (ground.concepts & np.uint64(phrase)) != 0
        for status in self.said.statuses:
            rows &= ground.overlap(0, frozenset({status})) > 0
        for statistic in self._statistics():
            rows &= ground.of_statistic(statistic)
        return rows if asked else np.zeros(len(ground), np.bool_)

    def _statistics(self) -> tuple[str, ...]:
        """Statistics that the sentence names: all of them count for both sides."""
        words = self.view.statement.words_of(WordKind.STATISTIC)
        return tuple(dict.fromkeys(w.value for w in words))

    def _keyed(self, rows: Mask) -> dict[Key, list[int]]:
        """Rows by what must be equal to compare two; labels may part several of one key."""
        found: dict[Key, list[int]] = {}
        hits: list[int] = np.flatnonzero(rows).tolist()
        for row in hits:
            found.setdefault(self._key(row), []).append(row)
        return found

    def _key(self, row: int) -> Key:
        fact = self.ground.facts[row]
        return _LABELS.sub("", fact.name), fact.statistic, fact.unit, fact.window

    # Numbers beside the names ---------------------------------------------------------------------

    def _numbered(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs whose two values are the sentence's numbers: those are meant."""
        numbers = [q for q in self.view.statement.quantities if q.form is Form.VALUE]
        if len(numbers) < 2:
            return []
        hits = [self._says(q) for q in numbers]
        return [
            (a, b)
            for a, b in pairs
            if any(one[a] and two[b] for one in hits for two in hits if one is not two)
        ]

    def _says(self, quantity: Quantity) -> NDArray[np.bool_]:
        ground = self.ground
        found = np.zeros(len(ground), np.bool_)
        for values in in_unit(quantity.unit, ground.units, ground.unit, ground.value):
            found |= accepted(quantity, values)
        return found

    # One against all ------------------------------------------------------------------------------

    def _subject(self) -> Name | None:
        """The one that is said to be the highest of its kind."""
        if not _AMONG.search(self.view.text, self.clause.start, self.clause.end):
            return None
        if any(self.clause.holds(m) for m in self.view.statement.moments):
            return None
        own = [n for n in self.names if self.clause.holds(n)]
        return own[0] if len(own) == 1 else None

    def _extreme(self, name: Name | None, which: str) -> Part | None:
        if name is None:
            return None
        rows = self._rows(self.said.asked(_GENERIC))
        own = self._keyed(rows & self.ground.of_entities(name.entities))
        outcomes: set[bool] = set()
        against: tuple[str, ...] = ()
        for key, mine_of in own.items():
            others = self._others(rows, key, name.entities)
            if not others:
                continue
            values = self.ground.value[others]
            pick = max if which == "most" else min
            row = pick(mine_of, key=lambda r: float(self.ground.value[r]))
            mine = self.ground.value[row]
            best = mine >= values.max() if which == "most" else mine <= values.min()
            outcomes.add(bool(best))
            rival = others[int(values.argmax() if which == "most" else values.argmin())]
            against = (self.ground.facts[row].id, self.ground.facts[rival].id)
        if outcomes == {True}:
            return self._part(Outcome.HOLDS, "", against)
        if outcomes == {False}:
            return self._part(Outcome.FAILS, f"not_the_{which}", against)
        return None

    def _others(self, rows: Mask, key: Key, own: Sequence[str]) -> list[int]:
        hits: list[int] = np.flatnonzero(rows & ~self.ground.of_entities(own)).tolist()
        return [r for r in hits if self._key(r) == key and self.ground.facts[r].entity]

    def _part(self, outcome: Outcome, reason: str, fact_ids: tuple[str, ...]) -> Part:
        text = self.view.text[self.clause.start : self.clause.end].strip()
        return Part(PartKind.COMPARISON, outcome, text, reason, fact_ids)
