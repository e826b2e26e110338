"""Whether something went the way a sentence says: up, down, nowhere, into being, away."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare._denials import is_absence
from superbizagent.analysis.claims.compare.binding import period_of
from superbizagent.analysis.claims.compare.derived import derive
from superbizagent.analysis.claims.compare.events import events_of
from superbizagent.analysis.claims.compare.going import (
    COMPARATIVES,
    is_after_peak,
    is_even,
    multiple_denied,
    pair_of_word,
)
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import (
    best_rows,
    is_negated,
    region_of,
    text_of,
    topics_of,
)
from superbizagent.analysis.claims.compare.sampled import (
    change_between,
    holds_at,
    moment_of,
    rows_saying,
)
from superbizagent.analysis.claims.compare.scales import factors
from superbizagent.analysis.claims.compare.trends import Trend, Way, goes_on, subjects_of, trends_of
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Period, Statistic
from superbizagent.analysis.claims.mentions import Clause, Form, Quantity, Word, WordKind
from superbizagent.domain.plan import ToolName

__all__ = ["judge_direction"]

_BACK = re.compile(
    r"\b(?:back|return\w*|recover\w*|eas(?:ed|es|ing)|drain\w*|subsid\w*|normal\w*|again)\b"
    r"|回落|恢复|降回|回到|回升|缓解"
)
_RETURNS = re.compile(r"\bc[ao]m(?:e|ing) (?:back )?down\b|\bback\b|下来|回落|恢复")
_LIMIT = re.compile(r"\s*(?:below|above|beyond|under|over|past|outside|低于|高于|超过|超出)")
_RANGE = re.compile(
    r"\b(?:left|leave|outside|beyond|exceed\w*|stray\w*|depart\w*)\b|超出|超过|偏离"
)
_ODD = re.compile(r"\babnormal\w*\b|\banomal\w*\b|异常")
_WELL = frozenset({"healthy", "fine", "健康"})
_FELT = frozenset({"err", "lat", "saturation"})
"""Families of findings in which a thing is not well, whatever else of it is as ever."""
_LOG = concept_bits(("log",))
_NEXT = 12
"""Characters behind a word that say of what limit it speaks."""
_SIGNS = {"up": 1, "down": -1}


def judge_direction(view: View) -> Iterator[Part]:
    """Yield one part for every word of direction whose subject is clear."""
    held: dict[str, Part] = {}
    for word in view.statement.words_of(WordKind.DIRECTION):
        part = _Direction(view, word).part()
        if part is None or (part.outcome is not Outcome.HOLDS and word.value in held):
            continue  # "rose from 28 to 38, ten more": said twice of the same
        if part.outcome is Outcome.HOLDS and len(view.statement.names) < _TWO:
            held[word.value] = part
        yield part
    for quantity in view.statement.quantities:
        if quantity.form is Form.MULTIPLE and multiple_denied(view, quantity):
            yield Part(PartKind.DIRECTION, Outcome.FAILS, quantity.text, "other_direction")


_TWO = 2


@dataclass(frozen=True)
class _Direction:
    view: View
    word: Word

    @cached_property
    def clause(self) -> Clause:
        return self.view.clause_of(self.word)

    @cached_property
    def negated(self) -> bool:
        return is_negated(self.view, self.word)

    @cached_property
    def numbers(self) -> list[Quantity]:
        found = self.view.statement.quantities
        return [q for q in found if q.form is Form.VALUE and self.clause.holds(q)]

    def part(self) -> Part | None:
        """Judge the word by the numbers it stands with, else by what became of its subject."""
        if self._bounds() or self._qualifies() or is_absence(self.view, self.word):
            return None
        unread = self._log_unread()
        if unread:
            return self._part(Outcome.UNSHOWN, f"not_looked:{unread.rsplit('/', 1)[-1]}")
        said = self._by_pair() or self._by_moments() or self._by_operation()
        if said is not None or self.word.text.lower() in COMPARATIVES:
            return said
        return self._since_peak() or self._by_value() or self._by_trends()

    def _log_unread(self) -> str:
        """The entity whose log is said to have been quiet while nobody read all of it."""
        concepts = self.view.topic(self.clause.start, self.clause.end).concepts
        if self.word.value != "flat" or not concepts & _LOG:
            return ""
        incident = self.view.ground.frame.windows.incident
        unread = (
            entity
            for entity in self.view.entities(self.clause)
            if not self.view.ground.covers(ToolName.SEARCH_LOGS, entity, incident)
        )
        return next(unread, "")

    def _qualifies(self) -> bool:
        """Tell whether it only tells two things apart: "the longer stretch before"."""
        before = self.view.text[: self.word.start].rstrip().lower()
        return self.word.text.lower() in COMPARATIVES and before.endswith((" the", " a"))

    def _bounds(self) -> bool:
        """Tell whether it says of a limit that it was (not) passed: "never fell below 97.5 %"."""
        behind = self.view.text[self.word.end : self.word.end + _NEXT].lower()
        return _LIMIT.match(behind) is not None

    def _part(self, outcome: Outcome, reason: str, ids: tuple[str, ...] = ()) -> Part:
        return Part(PartKind.DIRECTION, outcome, self.word.text, reason, ids)

    def _decide(self, *, goes: bool, ids: tuple[str, ...] = ()) -> Part:
        if goes is not self.negated:
            return self._part(Outcome.HOLDS, "", ids)
        return self._part(Outcome.FAILS, "other_direction", ids)

    # Numbers of the sentence itself --------------------------------------------------------------

    def _by_pair(self) -> Part | None:
        """Compare "from a to b": what the two numbers say, the word must not deny."""
        pair = pair_of_word(self.view, self.word)
        if pair is None or self.word.value not in {"up", "down", "flat"}:
            return None
        old, new = pair
        if self.word.value == "flat":
            return self._decide(goes=True) if is_even(old.value, new.value) else None
        sign = int(np.sign(new.value - old.value))
        return self._decide(goes=sign == _SIGNS[self.word.value]) if sign else None

    # The evidence --------------------------------------------------------------------------------

    def _by_trends(self) -> Part | None:
        trends = self._trends(self.view.pool)
        if not trends and self.view.cited is not None:
            # A citation of a value bears out which way its series went.
            trends = self._trends(self.view.everything)
            if trends and not self._fails(trends):
                return self._part(Outcome.UNSHOWN, "direction_not_cited")
        if not trends and self._is_of_else:
            return None
        if not trends:
            return self._part(Outcome.UNSHOWN, "no_direction_known")
        match self.word.value:
            case "up" | "down":
                return self._went(trends, _SIGNS[self.word.value])
            case "flat":
                return self._stayed(trends)
            case _:
                return self._came_or_went(trends)

    @property
    def _is_of_else(self) -> bool:
        """Whether it may be no word of direction: "no change was recorded", "a line appeared"."""
        if self.word.value in _SIGNS:
            return False
        return self.word.value != "flat" or not self.view.statement.names

    def _by_moments(self) -> Part | None:
        """Judge "fell from 13:45 to 13:46" by the samples at the two times."""
        moments = [m for m in self.view.statement.moments if self.clause.holds(m)]
        if [m.preposition for m in moments] != ["since", "until"]:
            return None
        changes = change_between(self.view, self.word, *moments)
        sign = _SIGNS.get(self.word.value, 0)
        said = [q for q in self.view.statement.quantities if q.form is Form.CHANGE]
        if not sign or not changes:
            return None
        for place, change in changes.items():
            if sign * change > 0 and all(q.accepts(abs(change)) for q in said):
                return self._decide(goes=True, ids=(place,))
        if all(sign * change < 0 for change in changes.values()):
            return self._decide(goes=False, ids=tuple(changes)[:3])
        return None

    def _by_operation(self) -> Part | None:
        """Judge "fell by 6.5 %" by the two facts between which that lies."""
        changes = [
            q
            for q in self.view.statement.quantities
            if q.form in {Form.CHANGE, Form.MULTIPLE} and self.clause.holds(q)
        ]
        sign = _SIGNS.get(self.word.value, 0)
        for number in changes:
            ids = derive(self.view, number, ()) or ()
            values = [self.view.ground.facts[self.view.ground.row(i) or 0].value for i in ids]
            if sign and len(values) == _TWO and all(isinstance(v, float) for v in values):
                during, before = (float(v or 0) for v in values)
                return self._decide(goes=sign * (during - before) > 0, ids=ids)
        return None

    def _by_value(self) -> Part | None:
        """Judge "rose to b" by the level of the baseline of what has the value b."""
        numbers = self.numbers
        if self.word.value == "flat" and not numbers:
            numbers = [q for q in self.view.statement.quantities if q.form is Form.VALUE]
        for number in numbers:
            if self.word.value != "flat" and period_of(self.view, number) == "baseline":
                continue
            for row in np.flatnonzero(self._values(number)).tolist():
                said = self._against_level(row)
                if said is not None:
                    return said
        return None

    def _values(self, number: Quantity) -> Mask:
        """Rows of the incident that have a number's value, of what the word is about."""
        ground = self.view.ground
        about = self.view.pool & self.view.of_entities(self.clause) & rows_saying(self.view, number)
        about &= np.isin(ground.period, (Period.INCIDENT, Period.POINT))
        return best_rows(self.view, topics_of(self.view, self.word), about)

    def _against_level(self, row: int) -> Part | None:
        ground = self.view.ground
        trend = trends_of(ground).get(int(ground.subject[row]))
        if trend is None or trend.level is None:
            return None
        value, ids = float(ground.value[row]), (ground.facts[row].id, *trend.fact_ids[:1])
        if self.word.value == "flat":
            return self._decide(goes=True, ids=ids) if is_even(trend.level, value) else None
        sign = _SIGNS.get(self.word.value, 0)
        if sign * (value - trend.level) > 0:
            # Back at its old level, it has not risen to it.
            back = _sign(trend) and is_even(trend.level, value)
            return self._decide(goes=not back, ids=ids)
        # What rose has fallen when its last value is below its highest.
        is_last = int(ground.statistic[row]) == Statistic.LAST
        extreme = trend.finding.extreme if trend.finding else None
        if is_last and extreme is not None and sign * (value - extreme) > 0:
            return self._decide(goes=True, ids=ids)
        return None

    def _trends(self, pool: Mask) -> tuple[Trend, ...]:
        """Return what is known of what the word is about, that of its number first."""
        ground = self.view.ground
        about = pool & self.view.of_entities(self.clause) & ~events_of(ground).of_rules
        known = trends_of(ground)
        has_trend = np.array([k in known for k in range(len(ground.subjects))], np.bool_)
        about &= has_trend[ground.subject]
        topics = topics_of(self.view, self.word)
        for number in self.numbers:
            rows = best_rows(self.view, topics, about & rows_saying(self.view, number))
            if rows.any():
                return tuple(known[code] for code in subjects_of(ground, rows))
        rows = best_rows(self.view, topics, about)
        return tuple(known[code] for code in subjects_of(ground, rows))

    def _fails(self, trends: tuple[Trend, ...]) -> bool:
        sign = _SIGNS.get(self.word.value, 0)
        return bool(sign) and all(_sign(t) == -sign for t in trends) and not self.negated

    def _went(self, trends: tuple[Trend, ...], sign: int) -> Part:
        odd = [t for t in trends if _sign(t)]
        with_it = [t for t in odd if _sign(t) == sign]
        ids = _ids(with_it or odd or trends)
        if self.negated and odd and not with_it:
            return self._not_back(odd, sign)
        if with_it and len(with_it) * 2 >= len(odd):
            return self._decide(goes=True, ids=ids)
        if odd and not (with_it and self.negated):
            back = self._came_back(odd, sign)
            return back if back is not None else self._decide(goes=False, ids=ids)
        return self._hardly_went(trends, sign, ids)

    def _hardly_went(self, trends: tuple[Trend, ...], sign: int, ids: tuple[str, ...]) -> Part:
        """Judge what nothing, or the smaller part of what is meant, went abnormally."""
        if self.negated and _RETURNS.search(text_of(self.view, self.clause)):
            # "It never came down": of what never went up nothing shows that.
            return self._part(Outcome.UNSHOWN, "never_abnormal", ids)
        if all(t.way is Way.FLAT for t in trends):
            return self._decide(goes=False, ids=ids)
        slight = [t for t in trends if t.way is Way.UNSURE and t.sign == sign]
        if slight and not self.negated:
            return self._part(Outcome.HOLDS, "", _ids(slight))
        return self._part(Outcome.UNSHOWN, "direction_unsure", ids)

    def _came_back(self, odd: list[Trend], sign: int) -> Part | None:
        """Judge "fell back": after what rose, down is the way of one that is over."""
        for number in self.numbers:
            moment = moment_of(self.view, number)
            ids = holds_at(self.view, number, moment) if moment else ()
            if ids and any(_has_left(t, number, sign) for t in odd):
                return self._decide(goes=True, ids=ids)
        if _BACK.search(text_of(self.view, region_of(self.view, self.word))) is None:
            return None
        courses = {goes_on(t) for t in odd if _sign(t) == -sign}
        if courses == {False}:
            return self._decide(goes=True, ids=_ids(odd))
        if True in courses:
            return self._decide(goes=False, ids=_ids(odd))
        return self._part(Outcome.UNSHOWN, "direction_unsure", _ids(odd))

    def _since_peak(self) -> Part | None:
        """Judge "fell ever since its peak" by how far the last value is from it."""
        sign = _SIGNS.get(self.word.value, 0)
        if not sign or not is_after_peak(self.view, self.word):
            return None
        odd = [t for t in self._trends(self.view.pool) if t.finding and _sign(t)]
        if odd and all(_is_half_way(t) for t in odd):
            return self._decide(goes=all(_sign(t) == -sign for t in odd), ids=_ids(odd))
        return None

    def _not_back(self, odd: list[Trend], sign: int) -> Part:
        """Judge "did not come down": what rose goes on."""
        courses = {goes_on(t) for t in odd if _sign(t) == -sign}
        if False in courses and True not in courses:
            return self._part(Outcome.FAILS, "other_direction", _ids(odd))
        return self._part(Outcome.HOLDS, "", _ids(odd))

    def _stayed(self, trends: tuple[Trend, ...]) -> Part | None:
        if self.negated and _RANGE.search(text_of(self.view, self.clause)):
            # "None of them left its usual range": two turns.
            odd = [t for t in trends if _sign(t)]
            said = self._part(Outcome.FAILS, "other_direction", _ids(odd))
            return said if odd else self._part(Outcome.HOLDS, "", _ids(trends))
        if self.word.text.lower() in _WELL and (ill := self._ills()):
            return self._decide(goes=False, ids=_ids(ill))
        odd = [t for t in trends if t.way not in {Way.FLAT, Way.UNSURE}]
        even = [t for t in trends if t.way is Way.FLAT]
        if len(odd) * 2 > len(trends):
            return self._decide(goes=False, ids=_ids(odd))
        if even and not odd:
            return self._decide(goes=True, ids=_ids(even))
        return self._part(Outcome.UNSHOWN, "direction_unsure", _ids(odd or trends))

    def _ills(self) -> list[Trend]:
        """What of the clause's entities those who use them feel."""
        about = self.view.of_entities(self.clause)
        known, ground = trends_of(self.view.ground), self.view.ground
        found = [known[k] for k in subjects_of(ground, about) if k in known]
        return [t for t in found if t.finding and t.finding.family in _FELT]

    def _came_or_went(self, trends: tuple[Trend, ...]) -> Part | None:
        """Judge what came into being or went away; of what else, the word says something else."""
        if _ODD.search(text_of(self.view, region_of(self.view, self.word))):
            odd = [t for t in trends if t.finding]
            return self._decide(goes=True, ids=_ids(odd)) if odd else None
        way = Way(self.word.value)
        hit = [t for t in trends if t.way is way]
        return self._decide(goes=True, ids=_ids(hit)) if hit else None


def _is_half_way(trend: Trend) -> bool:
    """Tell whether the last value is nearer to the old level than to the extreme."""
    extreme = trend.finding.extreme if trend.finding else None
    if extreme is None or trend.last is None or trend.level is None:
        return False
    return abs(trend.last - trend.level) < abs(trend.last - extreme)


def _has_left(trend: Trend, number: Quantity, sign: int) -> bool:
    """Tell whether a value lies clearly short of the extreme, on the side of a direction."""
    extreme = trend.finding.extreme if trend.finding else None
    if extreme is None:
        return False
    scales = factors(number.unit, _unit_of(trend))
    return any(
        sign * (number.value - extreme * scale) > 0 and not number.accepts(extreme * scale)
        for scale in scales
    )


def _unit_of(trend: Trend) -> str:
    return trend.finding.unit if trend.finding else ""


def _sign(trend: Trend) -> int:
    """Which way an abnormal subject went; 0 for one that did not."""
    return {Way.UP: 1, Way.APPEARED: 1, Way.DOWN: -1, Way.VANISHED: -1}.get(trend.way, 0)


def _ids(trends: "list[Trend] | tuple[Trend, ...]") -> tuple[str, ...]:
    return tuple(dict.fromkeys(i for t in trends[:3] for i in t.fact_ids))
