"""Whether what a sentence speaks of goes on at the end of the data, or is over."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare.events import events_of
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import (
    best_rows,
    is_negated,
    region_of,
    text_of,
    topics_of,
)
from superbizagent.analysis.claims.compare.sampled import holds_at, moment_of
from superbizagent.analysis.claims.compare.trends import Trend, goes_on, subjects_of, trends_of
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.mentions import Clause, Word, WordKind

__all__ = ["judge_course"]

_OF_DATA = re.compile(r"\b(?:recording|data|window|observation|log) |记录|数据|观察|窗口")
"""What stops there is what was looked at."""
_OUTCOME = re.compile(r" (?:without|with|in|up (?:in|with|as))\b")
"""Behind "ended": how each of several came out, not that anything is over."""
_OTHERWISE = frozenset({"cleared", "came back", "comes back", "come back", "coming back"})
"""The database side is cleared, a request came back as a failure: nothing that has ended."""


def judge_course(view: View) -> Iterator[Part]:
    """Yield one part for every word that says that something goes on or is over."""
    for word in view.statement.words_of(WordKind.COURSE):
        part = _Course(view, word).part()
        if part is not None:
            yield part


@dataclass(frozen=True)
class _Course:
    view: View
    word: Word

    @cached_property
    def clause(self) -> Clause:
        return self.view.clause_of(self.word)

    def part(self) -> Part | None:
        region = region_of(self.view, self.word)
        if _OF_DATA.search(text_of(self.view, region)) or self.word.text.lower() in _OTHERWISE:
            return None
        if self.word.value == "over" and _OUTCOME.match(self.view.text, self.word.end):
            return None
        ongoing = (self.word.value == "ongoing") is not self._turned
        found = self._abnormal(self.view.pool)
        cited = bool(found)
        found = found or self._abnormal(self.view.everything)
        if not found:
            return None if ongoing else self._of_calm()
        return self._judge(found, ongoing=ongoing, cited=cited)

    @property
    def _turned(self) -> bool:
        return is_negated(self.view, self.word)

    def _part(self, outcome: Outcome, reason: str, ids: tuple[str, ...] = ()) -> Part:
        return Part(PartKind.COURSE, outcome, self.word.text, reason, ids)

    def _judge(self, found: list[Trend], *, ongoing: bool, cited: bool) -> Part:
        goes = [t for t in found if goes_on(t)]
        ids = _ids(goes or found)
        back = () if ongoing else self._back_by_then()
        if back:
            return self._part(Outcome.HOLDS, "", back)
        # Back in its last sample alone: as its report has it, it goes on by then.
        if ongoing and not goes and _is_of_symptom(self.view, found):
            return self._unless_uncited(cited=cited, ids=ids)
        if ongoing is not bool(goes):
            return self._part(Outcome.FAILS, "is_over" if ongoing else "still_ongoing", ids)
        return self._unless_uncited(cited=cited, ids=ids)

    def _unless_uncited(self, *, cited: bool, ids: tuple[str, ...]) -> Part:
        if not cited:
            return self._part(Outcome.UNSHOWN, "course_not_cited", ids)
        return self._part(Outcome.HOLDS, "", ids)

    def _back_by_then(self) -> tuple[str, ...]:
        """The value that it had come back to, at the time that the sentence gives."""
        for number in self.view.statement.quantities:
            if moment := moment_of(self.view, number):
                ids = holds_at(self.view, number, moment)
                if ids:
                    return ids
        return ()

    def _abnormal(self, pool: Mask) -> list[Trend]:
        """Return what was abnormal of what the word is about, where its course is known."""
        ground = self.view.ground
        known = {
            code: trend for code, trend in trends_of(ground).items() if goes_on(trend) is not None
        }
        has_course = np.array([k in known for k in range(len(ground.subjects))], np.bool_)
        base = pool & has_course[ground.subject] & self.view.of_entities(self.clause)
        if not _speaks_of_alerts(self.view, self.clause):
            base &= ~events_of(ground).of_rules
        rows = best_rows(self.view, topics_of(self.view, self.word), base)
        return [known[code] for code in subjects_of(ground, rows)]

    def _of_calm(self) -> Part:
        """Judge "is over" where nothing of it was abnormal: nothing shows that it ever was."""
        back = self._back_by_then()
        if back:
            return self._part(Outcome.HOLDS, "", back)
        return self._part(Outcome.UNSHOWN, "never_abnormal")


def _is_of_symptom(view: View, found: list[Trend]) -> bool:
    """Tell whether all of it is the symptom, which left its band in the last samples."""
    symptom = view.ground.analysis.symptom
    own = [t.finding for t in found if t.finding is not None]
    return bool(own) and all(f.id in symptom and f.ongoing for f in own)


def _speaks_of_alerts(view: View, clause: Clause) -> bool:
    words = view.statement.words_of(WordKind.CONCEPT, clause)
    return any(w.value == "alert" for w in words)


def _ids(trends: list[Trend]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(i for t in trends[:3] for i in t.fact_ids))
