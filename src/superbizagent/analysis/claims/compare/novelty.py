"""Whether something is new: what a log had before decides, not that it is there now.

"New" fails for a kind of record that came as often before, "long known" for one that did not come.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare._before import judge_failed_before, said_before
from superbizagent.analysis.claims.compare._looked import not_covered
from superbizagent.analysis.claims.compare._records import Kind, kinds_of
from superbizagent.analysis.claims.compare._settled import settled
from superbizagent.analysis.claims.compare._speech import Speech, ids_of, speech
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.trends import Way, subjects_of, trends_of
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Statistic
from superbizagent.analysis.claims.evidence.subjects import tokens_of
from superbizagent.analysis.claims.evidence.texts import fold
from superbizagent.analysis.claims.mentions import Clause, Form, Quantity, Word, WordKind
from superbizagent.domain.plan import ToolName

__all__ = ["judge_novelty"]

_MUCH_MORE = 3.0
"""Times its former rate: a burst of a known record is not as it was, though not new either."""
_RECORD = re.compile(
    r"error|warning|exception|\blog|record|\bline|message|failure|complain|timeout|trace"
    r"|\bfail|\brespons|\banswer|错误|报错|告警日志|警告|告警|异常|日志|记录|超时",
    re.IGNORECASE,
)
"""What a log can show to be new; a new version, a new session are other things."""
_UNSEEN = re.compile(
    r"(?:error|exception|warning|record)s?(?: of a kind)? (?:(?:that|which) )?(?:it |they )?"
    r"(?:[a-z ]{0,24}\b(?:never|not)\b[a-z ]{0,24}\b(?:before|baseline|earlier)|unseen)"
    r"|(?:appeared|came|came up|seen|logged|occurred|showed up)[\w :]{0,20} for the first time"
)
_AMOUNTS = (Statistic.TOTAL, Statistic.COUNT, Statistic.MEAN, Statistic.MAX)
_OLD = re.compile(
    r"everyday life|nothing new|\bnot new\b|old news|all along"
    r"|(?:have|has|had) been there|(?:long|already)[- ](?:known|standing|there)"
)
_WARNING = re.compile(r"\bwarn|警告|告警", re.IGNORECASE)
_ERROR = re.compile(r"\berror|exception|错误|报错|异常|ERROR", re.IGNORECASE)
_LEAST_SHARED = 2
"""Words that a record must share with the sentence to be the one that is meant."""
_LEAST_LETTERS = 4
"""Shorter words stand in any record."""
_DULL = frozenset(
    {"error", "errors", "warn", "warning", "info", "log", "failed", "new", "request", "requests"}
)
_LABEL = re.compile(r'([A-Za-z_]\w*)="([^"]*)"')
_THEN = re.compile(r"[,，]\s?(?:before|earlier|之前|此前) ?")
_NEVER = re.compile(r"\bnever\b|从未|从来没|未曾|不曾|没有", re.IGNORECASE)
_NOT = re.compile(r"(?:\bnot|n't|\bnothing|并非|不是|并不是) (?:a |an )?$|(?:并非|不是)(?:一个)?$")


def judge_novelty(view: View) -> Iterator[Part]:
    """Yield a part for each record that a sentence calls new or long known."""
    failed = tuple(judge_failed_before(view))
    if failed:
        yield from settled(view, iter(failed))
        return
    before = said_before(view)
    if before is not None:
        said = _Novelty(view, view.clause_of(before), before.text, before.value)
        yield from settled(view, said.of_quoted(never=True))
        return
    yield from settled(view, _counted(view))
    yield from settled(view, _parts(view))


def _counted(view: View) -> Iterator[Part]:
    """Judge "803×, before 0×: “…”" as one: of the same kind of record, each of its own time."""
    times = [q for q in view.statement.quantities if q.form is Form.MULTIPLE]
    if len(times) != 2 or not _THEN.fullmatch(view.text, times[0].end, times[1].start):
        return
    now, before = times
    text = view.text[now.start : before.end]
    said = _Novelty(view, view.clause_of(now), text, "new")
    part = said.of_counts(now, before) if view.statement.quotes else None
    if part is not None:
        yield part


def _parts(view: View) -> Iterator[Part]:
    words = view.statement.words_of(WordKind.NOVELTY) or tuple(_phrases(view))
    done: set[tuple[int, int]] = set()
    for word in words:
        if _tells_which(view, word):
            continue
        clause = view.clause_of(word)
        value = word.value
        if _NOT.search(view.text, clause.start, word.start):
            value = "known" if value == "new" else "new"
        elif _is_denied(view, clause, word):
            continue
        if (clause.start, clause.end) not in done:
            done.add((clause.start, clause.end))
            yield from _Novelty(view, clause, word.text, value).parts()


def _phrases(view: View) -> Iterator[Word]:
    """Longer ways to say that something is new, or not."""
    for pattern, value in ((_UNSEEN, "new"), (_OLD, "known")):
        match = pattern.search(view.text)
        if match:
            yield Word(*match.span(), match[0], WordKind.NOVELTY, value)


def _tells_which(view: View, word: Word) -> bool:
    """Tell whether a word says only which record is put in order: 首次记录 … 早于 …."""
    orders = view.statement.words_of(WordKind.ORDER)
    return word.text.startswith("首") and any(w.value in {"before", "after"} for w in orders)


def _is_denied(view: View, clause: Clause, word: Word) -> bool:
    """Tell whether the clause says that nothing new was there: an absence."""
    statement = view.statement
    denials = statement.words_of(WordKind.ABSENCE, clause)
    denials += statement.words_of(WordKind.NEGATION, clause)
    return any(w.end <= word.start or w.start >= word.end for w in denials)


def _labels_of(name: str) -> frozenset[tuple[str, str]]:
    """Labels of a printed series, which need not be all that it has."""
    return frozenset(_LABEL.findall(name))


@dataclass(frozen=True)
class _Novelty:
    view: View
    clause: Clause
    text: str
    value: str
    """``new`` or ``known``."""

    @cached_property
    def entities(self) -> tuple[str, ...]:
        return self.view.entities(self.clause)

    @cached_property
    def sentence(self) -> str:
        return self.view.text

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        own = tuple(kinds_of(self.view.ground, self.entities))
        return own or tuple(kinds_of(self.view.ground))

    def parts(self) -> Iterator[Part]:
        """One part for each record meant, else one for any of the severity spoken of."""
        of_series = self._of_series()
        if of_series is not None:
            yield of_series
            return
        if not _RECORD.search(self.sentence) and not self.view.statement.quotes:
            return
        part = self._of_status()
        if part is not None:
            yield part
            return
        if self._quoted:
            yield from self.of_quoted(never=bool(_NEVER.search(self.text)))
            return
        meant = self._meant()
        for kind in meant:
            yield self._of_kind(kind)
        if not meant:
            part = self._of_any()
            if part is not None:
                yield part

    def _of_series(self) -> Part | None:
        """A printed series right behind the word: whether there was one before."""
        at = self.sentence.find(self.text) + len(self.text)
        names = [n for n in self.view.statement.names if n.metric and 0 <= n.start - at <= 2]
        if not names:
            return None
        ground, known = self.view.ground, trends_of(self.view.ground)
        printed = _labels_of(self.sentence[names[0].start :].partition("}")[0])
        own = ground.of_entities(self.entities) if self.entities else self.view.everything
        codes = [k for k in subjects_of(ground, own) if k in known]
        codes = [k for k in codes if ground.subjects[k].name.startswith(names[0].metric)]
        codes = [k for k in codes if printed <= _labels_of(ground.subjects[k].name)]
        ids = ids_of(ground, own & np.isin(ground.subject, codes), most=len(ground))
        ways = {known[k].way is Way.APPEARED for k in codes}
        if len(ways) != 1:
            return None
        if ways == {self.value == "new"}:
            return self._part(Outcome.HOLDS, "", ids)
        return self._part(Outcome.FAILS, "not_before" if True in ways else "seen_before", ids)

    def _of_status(self) -> Part | None:
        """Responses with a status: whether there were any before."""
        ground = self.view.ground
        said = speech(self.view, self.clause.start, self.clause.end)
        if not said.statuses or "request" not in said.concepts:
            return None
        rows = ground.overlap(0, said.statuses) > 0
        if self.entities:
            rows = rows & ground.of_entities(self.entities)
        some = rows & (ground.value > 0) & np.isin(ground.statistic, _AMOUNTS)
        before = some & ground.of_period("baseline")
        during = some & ground.of_period("incident")
        if not during.any() or "log" in said.concepts:
            return None
        ids = ids_of(ground, during | before)
        if before.any():
            outcome = Outcome.FAILS if self.value == "new" else Outcome.HOLDS
            return self._part(outcome, "seen_before" * (self.value == "new"), ids)
        outcome = Outcome.HOLDS if self.value == "new" else Outcome.FAILS
        return self._part(outcome, "not_before" * (self.value == "known"), ids)

    @cached_property
    def _quoted(self) -> tuple[Kind, ...]:
        """Kinds that have a record which reads as the sentence quotes it."""
        for quote in self.view.statement.quotes:
            wanted = fold(quote.content).lower()
            places = self._places_of(quote.content)
            found = tuple(k for k in self.kinds if k.id in places or wanted in self._lines(k))
            if found:
                return found
        return ()

    def _places_of(self, content: str) -> frozenset[str]:
        """Kinds of which a fact has a quoted line: ``E8.t3``."""
        ground = self.view.ground
        facts = map(ground.fact, ground.find_quote(content, self.entities or None))
        placed = ((f.call, f.place.partition("/")) for f in facts if f is not None)
        return frozenset(
            f"E{call}.t{number}" for call, (kind, _, number) in placed if kind == "template"
        )

    def of_quoted(self, *, never: bool) -> Iterator[Part]:
        """Yield one part for all kinds that are quoted.

        Args:
            never: that none of them came before is what "new" means; else of the first.
        """
        kinds = self._quoted
        old = tuple(k for k in kinds if k.template.baseline_count)
        if not kinds:
            return
        if not never and self.value == "new":
            yield self._of_kind(kinds[0])
            return
        ids = tuple(i for k in (old or kinds) for i in self._ids(k))
        if bool(old) is (self.value == "known"):
            yield self._part(Outcome.HOLDS, "", ids)
        else:
            count = sum(k.template.baseline_count for k in old)
            reason = f"seen_before:{count}" if old else "not_before"
            yield self._part(Outcome.FAILS, reason, ids)

    def of_counts(self, now: Quantity, before: Quantity) -> Part | None:
        """Judge how often a quoted record came in the incident, and how often before."""
        kinds = self._quoted
        for kind in kinds:
            if now.accepts(kind.count("incident")) and before.accepts(kind.count("baseline")):
                return self._part(Outcome.HOLDS, "", self._ids(kind))
        if not kinds:
            return None
        ids = self._ids(kinds[0])
        return self._part(Outcome.FAILS, f"other_value:{ids[0]}", ids)

    def _meant(self) -> tuple[Kind, ...]:
        """Kinds that the sentence describes in their own words."""
        found = (self._described(speech(self.view, *span)) for span in self._spans())
        return tuple(dict.fromkeys(k for kind in found for k in kind))

    def _lines(self, kind: Kind) -> str:
        return fold(kind.template.text).lower() + "\n" + kind.sample.lower()

    def _spans(self) -> Sequence[tuple[int, int]]:
        """What follows the clause explains it: "a new error: the refresh failed"."""
        later = [c for c in self.view.statement.clauses if c.start >= self.clause.start]
        return [(c.start, c.end) for c in later] or [(self.clause.start, self.clause.end)]

    def _described(self, said: Speech) -> tuple[Kind, ...]:
        words = (said.tokens | tokens_of(said.text)) - _DULL
        words |= said.statuses
        # A service's own name stands in most of its records.
        for name in self.view.statement.names:
            words -= tokens_of(name.text) if name.entities else frozenset()
        # Of numbers a status may point at a record; two digits are part of any time.
        words = {w for w in words if len(w) >= _LEAST_LETTERS or (len(w) == 3 and w.isdigit())}
        for moment in self.view.statement.moments:
            words -= tokens_of(moment.text)
        shared = [(len(words & (k.words - _DULL)), k) for k in self.kinds]
        best = max((n for n, _ in shared), default=0)
        nearest = [k for n, k in shared if n == best]
        if len(nearest) != 1:
            return ()
        rare = self._rare(frozenset(words & nearest[0].words), nearest[0])
        return tuple(nearest) if best >= _LEAST_SHARED or rare else ()

    def _rare(self, words: frozenset[str], kind: Kind) -> bool:
        """Tell whether a number or long word points at this kind alone."""
        telling = {w for w in words if len(w) >= 6 or w.isdigit()}
        others = [k for k in self.kinds if k is not kind]
        return any(not any(w in k.words for k in others) for w in telling)

    def _of_kind(self, kind: Kind) -> Part:
        template = kind.template
        ids = kind.fact_ids(self.view.ground) or (kind.id,)
        was_there = template.baseline_count > 0
        if self.value == "new":
            if not was_there:
                return self._part(Outcome.HOLDS, "", ids)
            if kind.times_more < _MUCH_MORE:
                return self._part(Outcome.FAILS, f"seen_before:{template.baseline_count}", ids)
            return self._part(Outcome.UNSHOWN, f"seen_before:{template.baseline_count}", ids)
        if was_there:
            return self._part(Outcome.HOLDS, "", ids)
        return self._part(Outcome.FAILS, "not_before", ids)

    def _of_any(self) -> Part | None:
        """A new error of an entity, or all its errors as known, whichever they are."""
        wanted = self._severities()
        if not wanted or not self._is_of_record():
            return None
        own = [k for k in self.kinds if not self.entities or k.entity in self.entities]
        own = [k for k in own if k.template.severity in wanted]
        new = [k for k in own if not k.template.baseline_count]
        why = not_covered(self.view.ground, ToolName.SEARCH_LOGS, self.entities, None)
        if self.value == "known":
            return self._all_known(own, new, why)
        if new:
            return self._part(Outcome.HOLDS, "", self._ids(new[0]))
        if why:
            return self._part(Outcome.UNSHOWN, why, ())
        return self._part(Outcome.FAILS, "no_new_record", ())

    def _all_known(self, own: Sequence[Kind], new: Sequence[Kind], why: str) -> Part | None:
        """Errors that all came before too; some new among the old are told by neither word."""
        if own and len(new) == len(own):
            return self._part(Outcome.FAILS, "not_before", self._ids(new[0]))
        if new or not own:
            return None
        return self._part(Outcome.UNSHOWN, why, ()) if why else self._of_kind(own[0])

    def _severities(self) -> set[str]:
        wanted = set[str]()
        if _ERROR.search(self.sentence):
            wanted |= {"error", "fatal"}
        if _WARNING.search(self.sentence):
            wanted.add("warn")
        return wanted

    def _ids(self, kind: Kind) -> tuple[str, ...]:
        return kind.fact_ids(self.view.ground) or (kind.id,)

    def _is_of_record(self) -> bool:
        """Tell whether the word stands at the record: "a new error", 新出现的错误."""
        if self.value == "known":
            return True
        at = self.sentence.find(self.text)
        return bool(_RECORD.search(self.sentence, max(0, at - 24), at + len(self.text) + 24))

    def _part(self, outcome: Outcome, reason: str, fact_ids: tuple[str, ...]) -> Part:
        return Part(PartKind.NOVELTY, outcome, self.text, reason, fact_ids)
