"""Whether something was absent: only an empty call or a zero that covers it can say so.

"Nothing found" holds where somebody looked at all of it: the entity, the thing, the time. A look
that failed, was cut short or asked for some words alone shows nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare._bands import counts_strayed, judge_bands
from superbizagent.analysis.claims.compare._before import said_before
from superbizagent.analysis.claims.compare._denials import denials, denies_changes
from superbizagent.analysis.claims.compare._findings import abnormal, of_entities, speaks_of
from superbizagent.analysis.claims.compare._looked import first_facts, not_covered
from superbizagent.analysis.claims.compare._records import kinds_of
from superbizagent.analysis.claims.compare._settled import looked_at, settled
from superbizagent.analysis.claims.compare._speech import (
    Speech,
    ids_of,
    period_at,
    speech,
    window_of,
)
from superbizagent.analysis.claims.compare._verdict import judge_verdict
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Ground, Statistic
from superbizagent.analysis.claims.mentions import Bound, Clause, Word, WordKind
from superbizagent.domain.finding import Finding
from superbizagent.domain.plan import ToolName
from superbizagent.domain.source import EvidenceStatus

__all__ = ["judge_absence"]

_ALL_OF_IT = (
    Statistic.MAX,
    Statistic.MEAN,
    Statistic.TOTAL,
    Statistic.COUNT,
    Statistic.CONSTANT,
)
"""Zero in one of these means zero throughout; a median or a last value may hide something."""

_STOP = re.compile(
    r"[,;:，；：。()（）]| but | while | whereas | so | and (?:the|it|its)\b|，|但|而"
)
_OTHERS = re.compile(r"(?<![\w-])others?(?![\w-])|其他|其余|其它", re.IGNORECASE)
"""The others are not the one that is named; a name may have the word in it."""
_ALL_BUT = re.compile(r"\bexcept|\bother than|\bapart from|\bbesides|以外|之外|除了", re.IGNORECASE)
"""What it names is just what the absence leaves out."""
_CHANGES = frozenset({"deploy", "config", "change"})
_TROUBLE = frozenset({"error", "exception", "warning"})
_COUNTED = frozenset({"waiting", "queue", "lock", "timeout", "retry", "restart", "packet_loss"})
"""Things that are counted: where some were, a denial of them fails."""
_ABNORMAL = re.compile(
    r"abnormal|anomal|stand(?:s|ing)? out|stood out|flagged|out of the ordinary|unusual|deviat"
    r"|stray|left its (?:band|range)|out of (?:its |their |the )?(?:\w+ )?range|happened to"
    r"|offline from its baseline|异常|偏离|反常|超出(?:正常)?(?:范围|区间)|离开.{0,6}区间"
)
_WRITTEN = re.compile(
    r"\blog|\bwrote|\bwritten|\brecords?\b|\breport|日志|记录|打印", re.IGNORECASE
)
_ALERTS = re.compile(r"\balert|\balarm|告警|报警|警报", re.IGNORECASE)
_DATA = re.compile(r"\bno (?:data|result|series)|没有(?:查到)?数据|无数据|未查到", re.IGNORECASE)
_NEW_THING = re.compile(
    r"(?:error|exception|warning|record|line)s?(?: of a kind)?(?: that| which| it) "
)
_NO_ABSENCE = frozenset(
    {"nowhere", "lack of", "lacked", "lacks", "lacking", "absence", "in no way"}
)
"""Words that deny a degree or name a lack: nothing that a zero can show."""
_AT_LAST = re.compile(
    r"\b(?:last|final) (?:scrape|sample|value)|at the end\b|最后一", re.IGNORECASE
)
_FAILURES = re.compile(r"\bfail|失败", re.IGNORECASE)
_SEVERE = frozenset({"error", "fatal"})


def judge_absence(view: View) -> Iterator[Part]:
    """Yield a part for each thing that a sentence says was not there."""
    yield from judge_verdict(view)
    yield from settled(view, judge_bands(view))
    said = (word for word in denials(view) if not _qualifies(view, word))
    said = (word for word in said if not _is_judged_elsewhere(view, word))
    parts = (_Absence(view, word).part() for word in said)
    yield from settled(view, (part for part in parts if part is not None))


def _is_judged_elsewhere(view: View, word: Word) -> bool:
    """Tell whether it is a matter of counts of series, or of what a log had before."""
    before = said_before(view)
    if before is not None and word.start < before.end and before.start < word.end:
        return True
    return counts_strayed(view, view.clause_of(word))


_OF_WHAT = re.compile(
    r"(?:没有|无|缺少)[^，,。；;的]{1,12}的(?:错误|报错|请求|告警|记录|日志|异常)"
)


def _qualifies(view: View, word: Word) -> bool:
    """Tell whether it only says which ones: 93 条没有面单的错误 are 93 errors."""
    counted = any(0 <= word.start - q.end <= 3 for q in view.statement.quantities)
    return counted and _OF_WHAT.match(view.text, word.start) is not None


@dataclass(frozen=True)
class _Absence:
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
        """The thing that was absent: what follows the word, else what stands before it."""
        stop = _STOP.search(self.view.text, self.word.end, self.clause.end)
        end = stop.start() if stop else self.clause.end
        behind = speech(self.view, self.word.end, end)
        if behind.phrases or behind.statuses or _ABNORMAL.search(behind.text):
            return behind
        return speech(self.view, self.clause.start, self.clause.end)

    @cached_property
    def entities(self) -> tuple[str, ...]:
        return self.view.entities(self.clause)

    @cached_property
    def period(self) -> str:
        return period_at(self.view, self.clause, self.word)

    @cached_property
    def all_concepts(self) -> frozenset[str]:
        return speech(self.view, self.clause.start, self.clause.end).concepts

    @property
    def _clause_text(self) -> str:
        return self.view.text[self.clause.start : self.clause.end]

    def part(self) -> Part | None:
        if self._is_bound() or _ALL_BUT.search(self._clause_text):
            return None
        if denies_changes(self.view, self.word):
            return self._no_changes()
        if _OTHERS.search(self._clause_text):
            return None
        for judged in (self._data, self._changes, self._alerts, self._calm, self._quoted):
            part = judged()
            if part is not None:
                return part
        if self.said.statuses or self.said.concepts & _TROUBLE:
            return self._trouble()
        return self._zero() if self.said.phrases else None

    def _is_bound(self) -> bool:
        """Tell whether it denies a size only: "never more than 3" is a limit, no absence."""
        if self.word.text.lower() in _NO_ABSENCE or self._is_novelty():
            return True
        mine = [q for q in self.view.statement.quantities if self.clause.holds(q)]
        if self.word.text.lower() == "without" and any(q.end <= self.word.start for q in mine):
            return True  # "2,974 requests without an error" counts the others
        limits = {Bound.OVER, Bound.UNDER, Bound.AT_LEAST, Bound.AT_MOST}
        if any(q.bound in limits and q.start > self.word.start for q in mine):
            return True
        compared = self.view.statement.words_of(WordKind.COMPARISON, self.clause)
        return any(w.start >= self.word.end for w in compared)

    def _is_novelty(self) -> bool:
        """Tell whether it says that something is new: "an error that the baseline lacks"."""
        head = self.view.text[self.clause.start : self.word.start]
        return self.period == "baseline" and bool(_NEW_THING.search(head))

    # What was denied, and how each is looked up ---------------------------------------------------

    def _data(self) -> Part | None:
        """No data: a call that came back empty."""
        if not _DATA.search(self.view.text, self.clause.start, self.clause.end):
            return None
        for look in self.ground.looks:
            if look.status is EvidenceStatus.EMPTY and look.tool is ToolName.QUERY_METRICS:
                asked = look.purpose.replace("_", " ").replace("-", " ").replace("/", " ")
                if any(token in asked for token in self.said.tokens) or not look.entities:
                    return self._holds((f"E{look.number}.1",))
        return None

    def _changes(self) -> Part | None:
        """No deployment, no configuration change."""
        concepts = self.said.concepts
        if not concepts & _CHANGES or concepts - _CHANGES - {"replica", "log", "alert"}:
            return None
        if concepts & _CHANGES == frozenset({"change"}) and self._is_of_a_value():
            return None
        return self._no_changes()

    def _no_changes(self) -> Part:
        own = [f for f in self.ground.facts if f.name.startswith("change:") and f.at is not None]
        if self.entities:
            own = [f for f in own if f.entity in self.entities]
        if own:
            return self._fails("change_recorded", tuple(f.id for f in own))
        return self._unless_unseen(ToolName.LIST_CHANGES, ())

    def _is_of_a_value(self) -> bool:
        """Tell whether "no change" is that of a metric: "no change in CPU use"."""
        return bool(self.all_concepts - _CHANGES - {"log", "alert", "replica"})

    def _alerts(self) -> Part | None:
        if not _ALERTS.search(self.said.text):
            return None
        alerts = [f for f in self.ground.facts if f.name.startswith("alert:")]
        own = [f for f in alerts if not self.entities or f.entity in self.entities]
        if own:
            return self._fails("alert_fired", (own[0].id,))
        return self._unless_unseen(ToolName.LIST_ALERTS, ())

    def _calm(self) -> Part | None:
        """Nothing stood out: no finding, of the entity and of what is spoken of."""
        if not _ABNORMAL.search(self._clause_text):
            return None
        found = of_entities(abnormal(self.ground), self.entities)
        without = (
            {"error", "exception", "availability"} if "异常" in self._clause_text else set[str]()
        )

        hit = [f for f in found if speaks_of(self.said, f, without)]
        if hit:
            return self._fails(f"finding:{hit[0].id}", hit[0].fact_ids)
        why = not_covered(self.ground, ToolName.QUERY_METRICS, self.entities, None)
        if why:
            return self._unshown(why)
        return self._holds(looked_at(self.ground, self.entities))

    def _quoted(self) -> Part | None:
        """No record that reads so."""
        quotes = [q for q in self.view.statement.quotes if self.clause.holds(q)]
        quotes = [q for q in quotes if q.start >= self.word.end]
        if not quotes or self.period == "baseline":
            return None
        found = self.ground.find_quote(quotes[0].content, self.entities or None)
        if found:
            return self._fails("record_found", found[:1])
        return self._unless_unseen(ToolName.SEARCH_LOGS, self.entities)

    # Errors and warnings --------------------------------------------------------------------------

    def _trouble(self) -> Part | None:
        """No errors: neither in the logs nor among the requests, as far as it speaks of them."""
        in_logs = bool(_WRITTEN.search(self._clause_text)) or "warning" in self.said.concepts
        found = self._failures() if not in_logs or self.said.statuses else ()
        if not self.said.statuses:
            found = (*found, *self._records())
            if in_logs and _FAILURES.search(self.said.text):
                # A failure may be logged as a warning: "upstream answered 500".
                found = (*found, *self._failures())
        if found:
            return self._fails("found", found)
        if in_logs:
            return self._unless_unseen(ToolName.SEARCH_LOGS, self.entities)
        return self._no_failures()

    def _records(self) -> tuple[str, ...]:
        """Facts of log records of the severity that is denied."""
        wanted = set[str]()
        if self.said.concepts & {"error", "exception"}:
            wanted |= _SEVERE
        if "warning" in self.said.concepts:
            wanted.add("warn")
        new = any(w.value == "new" for w in self.view.statement.words_of(WordKind.NOVELTY))
        for kind in kinds_of(self.ground, self.entities):
            template = kind.template
            if new and template.baseline_count:
                continue
            if template.severity in wanted and kind.count(self.period):
                return kind.fact_ids(self.ground, self.period) or (kind.id,)
        return ()

    def _failures(self) -> tuple[str, ...]:
        """Facts of failed requests, or of the status that is denied."""
        rows = self._of_them() & self.ground.of_period(self.period)
        if self.said.statuses:
            hit = rows & self._nonzero() & self.said.rows(self.view, without=self._generic)
            return ids_of(self.ground, hit)
        hit = [
            self.ground.facts[r].id
            for r in np.flatnonzero(rows & self._nonzero()).tolist()
            if self.ground.facts[r].statistic == "failed"
        ]
        if hit or self.period == "baseline":
            return tuple(hit)
        found = of_entities(abnormal(self.ground), self.entities)
        errors = [f for f in found if f.family == "err" and f.direction > 0]
        return errors[0].fact_ids if errors else ()

    @property
    def _generic(self) -> frozenset[str]:
        return frozenset({"error", "request", "success", "log", "host", "order"})

    def _no_failures(self) -> Part | None:
        """Requests were counted and none of them failed."""
        why = not_covered(
            self.ground, ToolName.QUERY_METRICS, self.entities, window_of(self.view, self.period)
        )
        if why:
            return self._unshown(why)
        rows = self._of_them() & self.ground.of_period(self.period)
        zeros = rows & self._zeros() & self.ground.of_statistic("")
        failing = [
            self.ground.facts[r].id
            for r in np.flatnonzero(zeros).tolist()
            if self.ground.facts[r].statistic == "failed"
        ]
        counted = rows & (self.ground.overlap(concept_bits(("request",)), frozenset()) > 0)
        if failing:
            return self._holds(tuple(failing))
        return self._holds(self._ids(counted)) if counted.any() else None

    # Anything else that has values ----------------------------------------------------------------

    def _zero(self) -> Part | None:
        """The thing was counted, and there was none."""
        strict = self._of_them() & self.said.rows(self.view, without={"log", "host", "alert"})
        rows = strict & self.ground.of_period(self.period)
        hit = [f for f in self._strict_findings() if self.period == "incident"]
        if hit and self.said.concepts & _COUNTED:
            return self._fails(f"finding:{hit[0].id}", hit[0].fact_ids)
        if hit:
            return None
        zeros = self._nearest(rows) & (self._zeros() | self._zeros_at_last())
        if zeros.any():
            return self._holds(self._ids(zeros & self.view.pool) or self._ids(zeros))
        if not strict.any() and not self.said.rows(self.view).any() and self.said.asked():
            return self._unshown("not_looked")
        return None

    def _zeros_at_last(self) -> Mask:
        """What is zero in the last sample, where that is what is spoken of."""
        ground = self.ground
        if not _AT_LAST.search(self._clause_text):
            return np.zeros(len(ground), np.bool_)
        return (ground.statistic == Statistic.LAST) & (ground.value == 0)

    def _nearest(self, rows: Mask) -> Mask:
        """Of the rows that fit, those that share most with the whole clause; log records apart."""
        if "log" not in self.all_concepts:
            calls = [k.number for k in self.ground.looks if k.tool is ToolName.SEARCH_LOGS]
            rows = rows & ~np.isin(self.ground.call, calls)
        whole = speech(self.view, self.clause.start, self.clause.end)
        shared = np.where(rows, whole.shared(self.view), -1)
        return rows & (shared == shared.max(initial=0))

    def _strict_findings(self) -> list[Finding]:
        found = of_entities(abnormal(self.ground), self.entities)
        return [f for f in found if f.direction > 0 and speaks_of(self.said, f)]

    def _of_them(self) -> Mask:
        return self.view.of_entities(self.clause)

    def _zeros(self) -> Mask:
        ground = self.ground
        return np.isin(ground.statistic, _ALL_OF_IT) & (ground.value == 0)

    def _nonzero(self) -> Mask:
        ground = self.ground
        with np.errstate(invalid="ignore"):
            return np.isin(ground.statistic, _ALL_OF_IT) & (ground.value > 0)

    # Parts ----------------------------------------------------------------------------------------

    def _ids(self, rows: Mask) -> tuple[str, ...]:
        return ids_of(self.ground, rows)

    def _unless_unseen(self, tool: ToolName, entities: Sequence[str]) -> Part:
        window = window_of(self.view, self.period) if tool is ToolName.SEARCH_LOGS else None
        why = not_covered(self.ground, tool, entities, window)
        return self._unshown(why) if why else self._holds(first_facts(self.ground, tool))

    @property
    def _text(self) -> str:
        return self.view.text[min(self.word.start, self.said.start) : self.said.end].strip()

    def _holds(self, fact_ids: tuple[str, ...]) -> Part:
        return Part(PartKind.ABSENCE, Outcome.HOLDS, self._text, "", fact_ids or ("analysis",))

    def _fails(self, reason: str, fact_ids: tuple[str, ...]) -> Part:
        return Part(PartKind.ABSENCE, Outcome.FAILS, self._text, reason, fact_ids)

    def _unshown(self, reason: str) -> Part:
        return Part(PartKind.ABSENCE, Outcome.UNSHOWN, self._text, reason)
