"""Whether it is all, only one, both or most: against what the evidence knows of the class.

"All pods" needs every pod that has data; "only X" needs all others to be calm. A look that was
cut short bears neither out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare._classes import (
    CLASSES,
    Member,
    class_in,
    kind_of,
    members,
    moved,
    on_topic,
)
from superbizagent.analysis.claims.compare._findings import abnormal, of_entities
from superbizagent.analysis.claims.compare._looked import not_covered
from superbizagent.analysis.claims.compare._settled import looked_at, settled
from superbizagent.analysis.claims.compare._speech import Speech, ids_of, period_at, speech
from superbizagent.analysis.claims.compare._stricken import labelled
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.scales import accepted, in_unit
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Clause, Form, Name, Quantity, Word, WordKind
from superbizagent.domain.plan import ToolName

__all__ = ["judge_scope"]

_OWNERS = frozenset({"pod", "replica", "host", "process", "log", "user", "alert", "dependency"})
"""Concepts that name the class or where it was seen, not what happened to it."""
_TROUBLE = frozenset(
    {
        *("error", "exception", "saturation", "latency", "restart", "timeout", "availability"),
        *("waiting", "queue", "lock"),
    }
)
_MORE = re.compile(
    r"\b(?:affected|impacted|abnormal|hit|more|burn|burned|spiked|busier|hot)\b|更多|飙升|激增|影响|异常",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"(?:\s*(?:(?:of|the|its|their|these|those|our|other|all|every|one|single|two|three|four|five|"
    r"six|seven|eight|nine|ten|\d{1,4}|failed|backend)\b|的|个|台|[\w.-]+ 的)){0,5}\s*",
    re.IGNORECASE,
)
_THE_PODS = re.compile(r"\b(?:the|its) (?:pods|instances|replicas) (?:of|all)\b", re.IGNORECASE)
"""A definite plural speaks of all of them, without the word."""
_ONLY = re.compile(
    r"(?:only|solely|just|只有|仅有?|只是?)\s*(?:the |on |in |at |by |from )?(?:pod |service )?$",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\s*(?:\w+ )?(?:alone|only)\b|\s*(?:这)?(?:一个|单个)", re.IGNORECASE)
_FAIL = re.compile(r"\bfail|\berror|失败|出错|报错", re.IGNORECASE)
_WENT_WELL = frozenset({"success"})


def judge_scope(view: View) -> Iterator[Part]:
    """Yield a part for each word of scope whose class the evidence knows."""
    yield from settled(view, _parts(view))


def _is_whole(view: View, word: Word) -> bool:
    """Tell whether it names the whole of a share: "3.9 % of all requests"."""
    return any(
        re.fullmatch(r"\s*of\s*", view.text[q.end : word.start])
        for q in view.statement.quantities
        if q.end <= word.start
    )


def _parts(view: View) -> Iterator[Part]:
    done: set[tuple[int, str]] = set()
    for word in _words(view):
        if _is_whole(view, word):
            continue
        scope = _Scope(view, word)
        key = (scope.clause.start, "only" if word.value == "only" else "all")
        if key in done:
            continue
        part = scope.part()
        if part is not None:
            done.add(key)
            yield part


def _words(view: View) -> Iterator[Word]:
    yield from view.statement.words_of(WordKind.SCOPE)
    for match in _THE_PODS.finditer(view.text):
        yield Word(*match.span(), match[0], WordKind.SCOPE, "all")


@dataclass(frozen=True)
class _Scope:
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
        end = self.clause.end
        if self.word.value == "both" and self._names:
            # "both A and B failed" may be cut at its "and".
            end = max(end, self.view.clause_of(self._names[-1]).end)
        return speech(self.view, self.clause.start, end)

    @cached_property
    def entities(self) -> tuple[str, ...]:
        return self.view.entities(self.clause)

    def part(self) -> Part | None:
        if self._is_denied():
            return None
        match self.word.value:
            case "all" | "both":
                return self._all()
            case "only":
                return self._only()
            case "most":
                return self._most() if self._class() == "request" else None
            case _:
                return None

    def _is_denied(self) -> bool:
        """An absence is judged as one."""
        statement = self.view.statement
        kinds = (WordKind.ABSENCE, WordKind.NEGATION)
        return any(statement.words_of(kind, self.clause) for kind in kinds)

    def _class(self) -> str:
        """The class right behind the word, or in it: "all five pods", 全部实例."""
        own = class_in(self.word.text)
        if own:
            return own
        skipped = _BEHIND.match(self.view.text, self.word.end)
        at = skipped.end() if skipped else self.word.end
        for name, said in CLASSES:
            if said.match(self.view.text, at):
                return name
        return self._before()

    def _before(self) -> str:
        """Chinese puts the word behind its class: 实例 CPU 都打满."""
        if self.word.text.isascii():
            return ""
        return class_in(self.view.text[self.clause.start : self.word.start])

    # All ------------------------------------------------------------------------------------------

    def _all(self) -> Part | None:
        kind = self._class()
        if kind == "request":
            return self._all_requests()
        listed = self._listed()
        known = listed if len(listed) > 1 else members(self.ground, kind, self._owners(kind))
        if len(known) < 2:
            return None
        number = self._number()
        if number is not None:
            return self._each_says(known, number)
        return self._each_moved(known)

    def _listed(self) -> tuple[Member, ...]:
        """Pods that are named one by one: "A and B both failed", "both A and B"."""
        found = [labelled(self.view, name) for name in self._names]
        return tuple(m for m in found if m is not None)

    @cached_property
    def _names(self) -> list[Name]:
        names = [n for n in self.view.statement.names if n.entities]
        if self.word.value == "both":
            behind = [n for n in names if n.start >= self.word.end][:2]
            if len(behind) > 1:
                return behind
        return [n for n in names if self.clause.holds(n)]

    def _owners(self, kind: str) -> tuple[str, ...]:
        """Whose pods: the entities named; all services are nobody's."""
        return self.entities if kind in {"pod", "instance"} else ()

    def _number(self) -> Quantity | None:
        """The level that all are said to have; not how many they are."""
        for quantity in self.view.statement.quantities:
            if self.clause.holds(quantity) and quantity.form is Form.VALUE and quantity.unit:
                return quantity
        return None

    def _each_says(self, known: Sequence[Member], number: Quantity) -> Part | None:
        """Each has a value that is what the number says."""
        ground = self.ground
        found = np.zeros(len(ground), np.bool_)
        measured = np.zeros(len(ground), np.bool_)
        for values in in_unit(number.unit, ground.units, ground.unit, ground.value):
            found |= accepted(number, values)
            measured |= ~np.isnan(values)
        during = ground.of_period(period_at(self.view, self.clause, number))
        rows = {m.name: self._rows(m) & during for m in known}
        with_data = [m for m in known if (rows[m.name] & measured).any()]
        holding = [m for m in with_data if (rows[m.name] & found).any()]
        if not with_data:
            return None
        if len(holding) < len(with_data):
            return self._not_all(holding, with_data)
        ids = [i for m in holding for i in ids_of(ground, rows[m.name] & found, 1)]
        return self._whole(tuple(ids))

    def _rows(self, member: Member) -> "np.typing.NDArray[np.bool_]":
        """Rows of a member's series that are spoken of."""
        stored = self.ground.stored
        names = {stored.names[k] for k in on_topic(self.ground, member, self.said, _OWNERS)}
        codes = [
            k
            for k, subject in enumerate(self.ground.subjects)
            if subject.name in names and (not member.entity or subject.entity == member.entity)
        ]
        return np.isin(self.ground.subject, codes)

    def _each_moved(self, known: Sequence[Member]) -> Part | None:
        """Each is abnormal in what is spoken of, or calm where calm is said."""
        if not self.said.asked(_OWNERS):
            return None
        ground = self.ground
        with_data = [m for m in known if on_topic(ground, m, self.said, _OWNERS)]
        hurt = [m for m in with_data if moved(ground, m, self.said, _OWNERS)]
        flat = any(w.value == "flat" for w in self._directions())
        if flat:
            return self._whole(()) if with_data and not hurt else None
        if not with_data or not self._says_trouble():
            return None
        if len(hurt) < len(with_data):
            return self._not_all(hurt, with_data)
        # A database is a service to some: then one that is calm is missing.
        loose = members(self.ground, "database", ()) if known[0].entity else ()
        missing = [m for m in loose if not moved(self.ground, m, self.said, _OWNERS)]
        return None if missing else self._whole(())

    def _directions(self) -> tuple[Word, ...]:
        return self.view.statement.words_of(WordKind.DIRECTION, self.clause)

    def _says_trouble(self) -> bool:
        if _MORE.search(self.said.text):
            return True
        return bool(self.said.concepts & _TROUBLE) or any(
            w.value in {"up", "down", "appeared"} for w in self._directions()
        )

    def _not_all(self, some: Sequence[Member], known: Sequence[Member]) -> Part:
        return self._part(Outcome.FAILS, f"not_all:{len(some)} of {len(known)}", ())

    def _whole(self, fact_ids: tuple[str, ...]) -> Part:
        why = not_covered(self.ground, ToolName.QUERY_METRICS, self.entities, None)
        if why:
            return self._part(Outcome.UNSHOWN, why, ())
        ids = fact_ids or looked_at(self.ground, self.entities)
        return self._part(Outcome.HOLDS, "", ids)

    # Requests -------------------------------------------------------------------------------------

    def _all_requests(self) -> Part | None:
        if self.said.statuses:
            return self._all_answered()
        if not _FAIL.search(self.said.text):
            return None
        counts = self._failed_and_all()
        if counts is None:
            calm = [e for e in self.entities if not self._has_errors(e)]
            if calm and len(calm) == len(self.entities):
                name = calm[0].rsplit("/", 1)[-1]
                return self._part(Outcome.FAILS, f"calm:{name}", ())
            return self._part(Outcome.UNSHOWN, "no_such_count", ())
        failed, total, ids = counts
        if failed < total:
            return self._part(Outcome.FAILS, f"not_all:{failed:.0f} of {total:.0f}", ids)
        return self._whole(ids)

    def _has_errors(self, entity: str) -> bool:
        found = of_entities(abnormal(self.ground), (entity,))
        return any(f.family == "err" for f in found)

    def _failed_and_all(self) -> tuple[float, float, tuple[str, ...]] | None:
        """How many requests failed and how many there were, of the same counter."""
        ground = self.ground
        during = ground.of_period("incident") & self.view.of_entities(self.clause)
        totals: dict[tuple[str, str, object], float] = {}
        for row in np.flatnonzero(during).tolist():
            fact = ground.facts[row]
            if fact.statistic == "requests":
                totals[fact.entity, fact.name, fact.window] = float(fact.value or 0)
        for row in np.flatnonzero(during).tolist():
            fact = ground.facts[row]
            total = totals.get((fact.entity, fact.name, fact.window), 0.0)
            if fact.statistic == "failed" and total > 0:
                return float(fact.value or 0), total, (fact.id,)
        return None

    def _all_answered(self) -> Part | None:
        """All (failed) requests were answered with one status."""
        ground, wanted = self.ground, self.said.statuses
        failing = bool(_FAIL.search(self.said.text))
        seen: dict[str, str] = {}
        during = ground.of_period("incident") & self.view.of_entities(self.clause)
        for row in np.flatnonzero(during & (ground.value > 0)).tolist():
            fact = ground.facts[row]
            status = _status_of(fact.name) if fact.statistic == "increase" else ""
            if status and (not failing or status[0] in "45"):
                seen.setdefault(status, fact.id)
        if not seen:
            return None
        others = [s for s in seen if s not in wanted and f"{s[0]}xx" not in wanted]
        if failing:
            others = [s for s in others if s[0] == "5" or not any(x[0] == "5" for x in wanted)]
        if others:
            return self._part(Outcome.FAILS, f"not_all:{others[0]}", (seen[others[0]],))
        return self._whole(tuple(seen.values()))

    def _most(self) -> Part | None:
        counts = self._failed_and_all() if _FAIL.search(self.said.text) else None
        if counts is None:
            return None
        failed, total, ids = counts
        if failed * 2 > total:
            return self._part(Outcome.HOLDS, "", ids)
        return self._part(Outcome.FAILS, f"not_most:{failed:.0f} of {total:.0f}", ids)

    # Only -----------------------------------------------------------------------------------------

    def _only(self) -> Part | None:
        name = self._named()
        if name is None or not name.entities or not self._says_trouble():
            return None
        kind = "pod" if self._is_label(name.text) else kind_of(name.entities[0])
        owners = name.entities if kind == "pod" else ()
        known = members(self.ground, kind, owners)
        if kind != "pod":
            known = tuple(m for k in ("service", "database") for m in members(self.ground, k, ()))
        one = [m for m in known if m.name == name.text or m.entity in name.entities]
        with_data = [m for m in known if on_topic(self.ground, m, self.said, _OWNERS)]
        if not one or not with_data:
            return None
        others = [m for m in with_data if m not in one and self._moved(m)]
        if others:
            return self._part(Outcome.FAILS, f"not_only:{others[0].name}", ())
        return self._whole(()) if self._moved(one[0]) else None

    def _moved(self, member: Member) -> bool:
        return moved(self.ground, member, self.said, _OWNERS)

    def _named(self) -> Name | None:
        """The name that "only" stands at."""
        text = self.view.text
        for name in self.view.statement.names:
            near = self.word.start - name.end
            if 0 <= near <= 12 and _ALONE.match(text, name.end):
                return name
            ahead = text[self.word.start : name.start]
            if 0 <= name.start - self.word.end <= 12 and _ONLY.search(ahead):
                return name
        return None

    def _is_label(self, name: str) -> bool:
        return any(name in labels.values() for labels in self.ground.stored.labels) and not any(
            name == path.rsplit("/", 1)[-1] for path in self.ground.entities
        )

    def _part(self, outcome: Outcome, reason: str, fact_ids: tuple[str, ...]) -> Part:
        text = self.view.text[self.clause.start : self.clause.end].strip()
        return Part(PartKind.SCOPE, outcome, text, reason, fact_ids)


_STATUS = re.compile(r'(?:status_code|code|status|http_status)="([1-5][0-9]{2})"')


def _status_of(name: str) -> str:
    match = _STATUS.search(name)
    return match[1] if match else ""
