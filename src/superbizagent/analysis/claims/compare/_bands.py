"""How many of the series that were looked at left their band: none, some, most or all of them.

Each metrics call counts what it read and what of it was abnormal; a sentence that says how many of
its series strayed is held against those two counts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Bound, Clause, Form, Quantity, WordKind
from superbizagent.domain.plan import ToolName

__all__ = ["counts_strayed", "judge_bands", "share_of"]

_SERIES = re.compile(r"\bseries\b|\bmetrics\b|\bindicators\b|序列|指标", re.IGNORECASE)
_STRAYED = re.compile(
    r"\b(?:left|leave|leaves|stray\w*|depart\w*|deviat\w*|out of|outside|beyond)\b"
    r"|\babnormal|\banomalous|偏离|超出|异常|离开",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\bnone\b|\bnot (?:a single |even )?one\b|\bnot any\b|\bno (?:[a-z]+ ){0,3}series\b"
    r"|\bzero of\b"
    r"|没有(?:任何)?|无一|并?未(?!见|发现)|均无|不曾",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"\bnot (?:all|every|each)\b|没有全部|并非(?:所有|全部|都)|不是(?:所有|全部|都)", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:more than one|several|many|a few|a number|a couple|two or more) of\b|多条|若干",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"\b(?:some|at least one|one or more|any) of\b|有的|有些|有一些|一些|部分|至少(?:有)?一"
    r"|(?<![只仅])有一?[条个项]",
    re.IGNORECASE,
)
_MOST = re.compile(r"\b(?:most|the majority) of\b|大多数|大部分|多数", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|each|every one|every single one)(?: of)?\b|\bevery\b|都|均|全部|全都|所有",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\bof (?:them|these|those)\b|其中", re.IGNORECASE)
"""What stands for the series that the sentence counted before."""
_IMPACT = re.compile(
    r"\bno (?:\w+ )?impact\b|(?:未见|没有|无)(?:任何|明显)?影响(?!的)", re.IGNORECASE
)
_FELT = frozenset({"err", "lat"})
"""Families that a call counts apart: what those who use a service feel."""
_SYMPTOMS = frozenset({"error", "latency"})
_CALM = frozenset({"flat", ""})


class _Counts(NamedTuple):
    """Of the series of some calls."""

    examined: int
    abnormal: int
    fact_ids: tuple[str, ...]
    cut: int = 0
    """A call that was cut short, 0 for none."""


def counts_strayed(view: View, clause: Clause) -> bool:
    """Tell whether a clause says how many of the series strayed: `judge_bands` judges it."""
    band = _Band(view, clause)
    return band.share is not None or band.denies_impact


def share_of(view: View, clause: Clause) -> str:
    """Return ``none``, ``some``, ``several``, ``most``, ``all`` or ``counted`` of its series.

    Empty where the clause says nothing of how many of them strayed.
    """
    return _Band(view, clause).share or ""


def judge_bands(view: View) -> Iterator[Part]:
    """Yield a part for each clause that says how many of the series looked at left their band."""
    for clause in view.statement.clauses:
        part = _Band(view, clause).part()
        if part is not None:
            yield part


@dataclass(frozen=True)
class _Band:
    view: View
    clause: Clause

    @property
    def ground(self) -> Ground:
        return self.view.ground

    @cached_property
    def text(self) -> str:
        return self.view.text[self.clause.start : self.clause.end].strip()

    @cached_property
    def share(self) -> str | None:
        """See `share_of`; None: it says nothing of that."""
        if not self._is_of_series or not _STRAYED.search(self.text):
            return None
        if _NOT_ALL.search(self.text) or self._concepts - _SYMPTOMS:
            return None
        said = ((_NONE, "none"), (_SEVERAL, "several"), (_MOST, "most"), (_SOME, "some"))
        found = next((name for pattern, name in said if pattern.search(self.text)), None)
        if found == "none":
            return found
        if any(q.form is Form.PART and q.bound is Bound.EXACT for q in self._numbers):
            return "counted"
        return found or ("all" if _ALL.search(self.text) else None)

    @property
    def _is_of_series(self) -> bool:
        of_them = _OF_THEM.search(self.text) and self._before
        return bool(_SERIES.search(self.text) or (of_them and _SERIES.search(self.view.text)))

    @property
    def denies_impact(self) -> bool:
        """Whether it says that those who use a service felt nothing."""
        return bool(_IMPACT.search(self.text)) and not self._concepts - _SYMPTOMS

    @cached_property
    def _concepts(self) -> frozenset[str]:
        words = self.view.statement.words_of(WordKind.CONCEPT, self.clause)
        return frozenset(w.value for w in words)

    @cached_property
    def _numbers(self) -> tuple[Quantity, ...]:
        return tuple(q for q in self.view.statement.quantities if self.clause.holds(q))

    def part(self) -> Part | None:
        """Hold what is said against the counts of the calls that are meant."""
        if self.share is None:
            return self._no_impact() if self.denies_impact else None
        counts = self._counts()
        if counts is None:
            return None
        if self.share == "counted":
            return self._counted(counts)
        return self._held(counts, so=self._is_so(counts))

    def _held(self, counts: _Counts, *, so: bool) -> Part:
        if so and counts.cut and self.share not in {"some", "several"}:
            return self._part(Outcome.UNSHOWN, f"look_cut:E{counts.cut}", ())
        if so:
            return self._part(Outcome.HOLDS, "", counts.fact_ids)
        reason = f"so_many:{counts.abnormal} of {counts.examined}"
        return self._part(Outcome.FAILS, reason, counts.fact_ids)

    def _no_impact(self) -> Part | None:
        """Of the series about errors and latency none strayed."""
        scope = tuple(e.path for e in self.ground.scope.entities)
        counts = self._symptoms(self._calls_of(self.view.entities(self.clause) or scope))
        if counts is None or not counts.examined:
            return None
        return self._held(counts, so=not counts.abnormal)

    def _is_so(self, counts: _Counts) -> bool:
        examined, abnormal = counts.examined, counts.abnormal
        return {
            "none": abnormal == 0,
            "some": abnormal > 0,
            "several": abnormal > 1,
            "most": abnormal * 2 > examined,
            "all": abnormal == examined,
        }[self.share or "some"]

    def _counted(self, counts: _Counts) -> Part | None:
        """Judge "3 of the 232 series" only where none strayed: else its number is compared."""
        own = [q for q in self._numbers if q.form is Form.PART]
        if counts.abnormal or not own[0].value:
            return None
        reason = f"so_many:0 of {counts.examined}"
        return self._part(Outcome.FAILS, reason, counts.fact_ids)

    def _counts(self) -> _Counts | None:
        """Counts of the calls that are meant: those whose total the sentence gives."""
        total = self._total
        groups = self._groups(symptoms=bool(self._concepts))
        return next((g for g in groups if total is None or g.examined == total), None)

    @property
    def _total(self) -> float | None:
        """How many series the sentence says there are."""
        for quantity in self._numbers:
            if quantity.form is Form.PART:
                return quantity.whole
        bare = [q for q in (*self._before, *self._numbers) if not q.unit]
        bare = [q for q in bare if q.form is Form.VALUE and q.bound is Bound.EXACT]
        return bare[-1].value if bare else None

    @property
    def _before(self) -> tuple[Quantity, ...]:
        """Numbers that stand before "of them"."""
        if not _OF_THEM.search(self.text):
            return ()
        return tuple(q for q in self.view.statement.quantities if q.end <= self.clause.start)

    def _groups(self, *, symptoms: bool) -> Iterator[_Counts]:
        for calls in self._calls():
            found = self._symptoms(calls) if symptoms else self._of(calls)
            if found is not None:
                yield found

    def _calls(self) -> Iterator[tuple[int, ...]]:
        """Calls that may be meant: of what is named, of all, of the scope, of what is cited."""
        paths = self.view.entities(self.clause)
        start = 0 if _OF_THEM.search(self.text) else self.clause.start
        names = [n for n in self.view.statement.names if start <= n.start < self.clause.end]
        named = any(n.entities for n in names)
        scope = tuple(e.path for e in self.ground.scope.entities)
        others: tuple[tuple[str, ...], ...] = () if named else ((), scope)
        for some in dict.fromkeys((*others, paths, *((p,) for p in paths))):
            yield self._calls_of(some)
        if not named and self.view.cited is not None:
            cited = set(self.ground.call[self.view.cited].tolist())
            yield tuple(call for call in self._calls_of(()) if call in cited)

    def _calls_of(self, paths: Sequence[str]) -> tuple[int, ...]:
        """Calls that read metrics of any of these entities, of whatever for none."""
        looks = (k for k in self.ground.looks if k.tool is ToolName.QUERY_METRICS)
        return tuple(
            k.number
            for k in looks
            if not k.partial and (not paths or not set(paths).isdisjoint(k.entities))
        )

    def _of(self, calls: Sequence[int]) -> _Counts | None:
        examined, of_examined = self._sum("series_examined", calls)
        abnormal, of_abnormal = self._sum("series_abnormal", calls)
        if not of_examined or not of_abnormal:
            return None
        return _Counts(examined, abnormal, (*of_abnormal, *of_examined), self._cut(calls))

    def _symptoms(self, calls: Sequence[int]) -> _Counts | None:
        """The same of the series about errors and latency alone."""
        # A call without any says so by a zero, which nobody cites.
        examined, ids = self._sum("symptom_series_examined", calls)
        stored = self.ground.stored
        rows = {int(k) for call in calls if call in stored.held for k in stored.held[call]}
        felt = (k for k in rows if stored.meanings[k].family in _FELT)
        abnormal = sum(stored.direction[k] not in _CALM for k in felt)
        return _Counts(examined, abnormal, ids, self._cut(calls)) if ids else None

    def _sum(self, name: str, calls: Sequence[int]) -> tuple[int, tuple[str, ...]]:
        own = [f for f in self.ground.facts if f.name == name and f.call in calls]
        values = [int(f.value) for f in own if isinstance(f.value, int | float)]
        return sum(values), tuple(f.id for f in own)

    def _cut(self, calls: Sequence[int]) -> int:
        cut = [k.number for k in self.ground.looks if k.number in calls and k.truncated]
        return cut[0] if cut else 0

    def _part(self, outcome: Outcome, reason: str, fact_ids: tuple[str, ...]) -> Part:
        return Part(PartKind.ABSENCE, outcome, self.text, reason, fact_ids)
