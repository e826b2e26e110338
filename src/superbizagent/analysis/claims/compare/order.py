"""Whether one thing came before another, as surely as their times are known."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from superbizagent.analysis.claims.compare.events import Role, events_of
from superbizagent.analysis.claims.compare.firings import firings_in
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import best_rows, is_negated
from superbizagent.analysis.claims.compare.quotes import quoted_ids
from superbizagent.analysis.claims.compare.roles import roles_in
from superbizagent.analysis.claims.compare.sampled import is_open
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.mentions import Clause, Moment, Quantity, Word, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["gap_holds", "judge_order"]

_THAN_EARLIER = re.compile(
    r"比[^，。；]{2,80}?(早|晚|迟|提前)(?=触发|出现|发生|开始|变|告警|了|约|\s?\d)"
)
_THAN = re.compile(r"比|较")
_POSTPOSED = re.compile(r"^(?:之|以|发布|上线|部署|重启|变更|发版|升级|回滚|扩容|)后$|^之前$|前$")
_INSIDE = re.compile(r"在|于")
_COMMA = re.compile(r"[,，]")
_AND = re.compile(r"\band\b|和|与|、")
_OPENING = re.compile(r"\bfirst(?=\s*(?:[,.;]|and\b|$))")
"""Which of two came first, not the first of many."""
_THEN = frozenset({"before", "after"})
_CUT = 1000
"""Milliseconds that a gap loses when both its times are written without their fractions."""
_PLAIN = (Role.ONSET,)
_ROLES_OF_EVENTS = (Role.ALERT, Role.CHANGE, Role.EXTREME, Role.FIRST, Role.LAST)


def judge_order(view: View) -> Iterator[Part]:
    """Yield one part for every word of order that stands between two events."""
    for word in _words(view):
        pair = _pair(view, word)
        if pair is not None:
            part = _judge(view, word, pair)
            if part.outcome is not Outcome.UNSHOWN or pair.named:
                yield part


def gap_holds(view: View, quantity: Quantity) -> tuple[str, ...] | None:
    """Return the two events that a length of time lies between; None when it lies between none.

    "Eight seconds later", 早约 1 秒: whatever sentence has two events with a word of order.
    """
    if quantity.unit != "s":
        return None
    for word in _words(view):
        pair = _pair(view, word)
        if pair is None or pair.first is None or pair.second is None:
            continue
        if _is_gap(quantity, pair.second.at - pair.first.at):
            return tuple(dict.fromkeys((*pair.first.fact_ids, *pair.second.fact_ids)))
    return None


def _words(view: View) -> tuple[Word, ...]:
    """Return the words of order; 比 … 早 of two long names lies too far apart for a lexicon."""
    found = view.statement.words_of(WordKind.ORDER)
    match = _THAN_EARLIER.search(view.text)
    if match is None or any(w.start <= match.start(1) < w.end for w in found):
        return found
    value = "after" if match[1] in {"晚", "迟"} else "before"
    start, end = match.span(1)
    return (*found, Word(start, end, match[1], WordKind.ORDER, value))


def _is_gap(quantity: Quantity, difference: int) -> bool:
    low, high = quantity.interval
    return low * 1000 - _CUT <= abs(difference) <= high * 1000 + _CUT


@dataclass(frozen=True, slots=True)
class _Event:
    at: int
    """Milliseconds."""
    uncertainty: int
    fact_ids: tuple[str, ...] = ()
    told: bool = False
    """The sentence gives its time itself."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is said to come first, and what second; None: nothing is known of it."""

    first: _Event | None
    second: _Event | None
    same: bool = False
    named: bool = False
    """Both sides name what they are about."""


def _judge(view: View, word: Word, pair: _Pair) -> Part:
    first, second = pair.first, pair.second
    if first is None or second is None:
        return Part(PartKind.ORDER, Outcome.UNSHOWN, word.text, "order_unknown")
    ids = tuple(dict.fromkeys((*first.fact_ids, *second.fact_ids)))
    between = second.at - first.at
    unsure = first.uncertainty + second.uncertainty
    if pair.same:
        apart = abs(between) > max(unsure, _CUT)
        reason = "not_at_once" if apart else ""
        return Part(
            PartKind.ORDER, Outcome.FAILS if apart else Outcome.HOLDS, word.text, reason, ids
        )
    if is_negated(view, word):
        between = -between
    # A gap that is given with its length speaks of the two instants, not of what they stand for.
    if (first.told and second.told) or any(
        _is_gap(q, between) for q in view.statement.quantities if q.unit == "s"
    ):
        unsure = 0
    if between > unsure:
        return Part(PartKind.ORDER, Outcome.HOLDS, word.text, "", ids)
    if between < -unsure:
        return Part(PartKind.ORDER, Outcome.FAILS, word.text, "other_order", ids)
    return Part(PartKind.ORDER, Outcome.UNSHOWN, word.text, "order_too_close", ids)


def _pair(view: View, word: Word) -> _Pair | None:
    """Return the two events of a word of order, None where it has no two sides."""
    sides = None if _is_preposition(view, word) else _sides(view, word)
    if sides is None:
        return None
    one, other = _Side(view, sides[0]), _Side(view, sides[1])
    if not one.speaks or not other.speaks:
        return None
    named = one.names and other.names
    return _Pair(one.event(), other.event(), same=word.value == "same", named=named)


def _is_preposition(view: View, word: Word) -> bool:
    """Tell whether a word belongs to a time ("after 12:41", 12:41 以后) or is none of order."""
    near = (m.start - word.end if m.start >= word.end else word.start - m.end for m in _times(view))
    return word.text.lower() == "once" or any(0 <= gap <= _ADJACENT for gap in near)


def _times(view: View) -> tuple[Moment, ...]:
    return view.statement.moments


_ADJACENT = 2


def _sides(view: View, word: Word) -> tuple[Clause, Clause] | None:
    """Return the span of what comes first and that of what comes second."""
    match word.value:
        case "before" | "after":
            left, right, turned = _around(view, word)
            first = (word.value == "before") is not turned
            return (left, right) if first else (right, left)
        case "same":
            left, right, _ = _around(view, word)
            return _halves(view, left) or (left, right)
        case "first":
            return _first_then(view, word)
        case _:
            return None


def _around(view: View, word: Word) -> tuple[Clause, Clause, bool]:
    """Return what stands on both sides of a word, and whether it turns them round."""
    text, end = view.text, len(view.text)
    head = text[: word.start]
    thans = list(_THAN.finditer(head))
    if thans:
        than = thans[-1]  # "A 比 B 早": the word stands behind both
        return Clause(0, than.start()), Clause(than.end(), word.start), False
    if not head.strip(" ,，*-"):
        # "Before B, A": the comma divides.
        comma = _COMMA.search(text, word.end)
        at = comma.start() if comma else end
        return Clause(at, end), Clause(word.end, at), False
    if _POSTPOSED.search(word.text):
        # "A 在 B 之后": inside; "B 之后，A": the first stands in front.
        inside = _INSIDE.search(head, 1)
        if inside is not None and head[: inside.start()].strip():
            return Clause(0, inside.start()), Clause(inside.end(), word.start), False
        return Clause(0, word.start), Clause(word.end, end), True
    return Clause(0, word.start), Clause(word.end, end), False


def _halves(view: View, span: Clause) -> tuple[Clause, Clause] | None:
    """Return "A and B" of a span."""
    joint = _AND.search(view.text, span.start, span.end)
    if joint is None:
        return None
    return Clause(span.start, joint.start()), Clause(joint.end(), span.end)


def _first_then(view: View, word: Word) -> tuple[Clause, Clause] | None:
    """Return the sides of "A slowed down first, and then B": what has "then" is the second."""
    later = [
        w
        for w in view.statement.words_of(WordKind.ORDER)
        if w.value in _THEN and w.start >= word.end
    ]
    if not later or _THAN.search(view.text, word.end, later[0].start):
        return None
    end = view.clause_of(word).end
    start = min(end, later[0].start)
    return Clause(0, start), Clause(start, len(view.text))


@dataclass(frozen=True)
class _Side:
    """One of the two things that are put in order."""

    view: View
    span: Clause

    @cached_property
    def paths(self) -> tuple[str, ...]:
        names = [n for n in self.view.statement.names if self.span.holds(n)]
        own = tuple(dict.fromkeys(path for n in names for path in n.entities))
        return own or self.view.entities(self.span)

    @property
    def names(self) -> bool:
        """Whether it names a known thing of its own."""
        return any(n.entities and self.span.holds(n) for n in self.view.statement.names)

    @property
    def speaks(self) -> bool:
        """Whether it names anything that happens at a time."""
        view, span = self.view, self.span
        mentions = (*view.statement.names, *view.statement.moments, *view.statement.quotes)
        topic = view.topic(span.start, span.end)
        if topic.concepts or any(span.holds(m) for m in mentions):
            return True
        text = view.text[span.start : span.end]
        return bool(events_of(view.ground).of_alert_in(text).any())

    def event(self) -> _Event | None:
        """Return when it happened, None when nothing tells."""
        return self._quoted() or self._known(self.view.pool)

    def _quoted(self) -> _Event | None:
        """The first record that is quoted, or the time that the sentence itself gives."""
        ground = self.view.ground
        quotes = [q for q in self.view.statement.quotes if self.span.holds(q)]
        rows = [ground.row(i) for q in quotes for i in quoted_ids(self.view, q)]
        at = [(int(ground.at[r]), ground.facts[r].id) for r in rows if r is not None]
        timed = sorted(t for t in at if t[0] >= 0)
        if timed:
            return _Event(timed[0][0], 0, (timed[0][1],))
        moments = [m for m in self.view.statement.moments if self.span.holds(m)]
        if len(moments) != 1:
            return None
        low, high = to_ms(moments[0].low), to_ms(moments[0].high)
        return _Event((low + high) // 2, (high - low) // 2, told=True)

    def _known(self, pool: Mask) -> _Event | None:
        view, events = self.view, events_of(self.view.ground)
        text = view.text[self.span.start : self.span.end]
        said = roles_in(_OPENING.sub(" ", text.lower()))
        roles = tuple(r for r in said if r in _ROLES_OF_EVENTS) or _PLAIN
        base = pool & view.ground.of_entities(self.paths) if self.paths else pool
        named = events.of_alert_in(text)
        if named.any():
            # An alert is known by its own name: nothing else is said of it.
            own = base & named
            base, roles = own if own.any() else pool & named, (Role.ALERT,)
        elif Role.ALERT not in roles:
            base = base & ~events.of_rules
        if "pending" not in text:
            base = base & ~events.pending
        topic = view.topic(self.span.start, self.span.end)
        topics = (topic,) if topic and not named.any() else ()
        rows = np.flatnonzero(best_rows(view, topics, base & events.of(roles)))
        if not len(rows):
            return self._fired(text)
        at = events.at[rows]
        pick = int(rows[np.argmax(at) if Role.LAST in roles else np.argmin(at)])
        fact_id = view.ground.facts[pick].id
        return _Event(int(events.at[pick]), int(events.uncertainty[pick]), (fact_id,))

    def _fired(self, text: str) -> _Event | None:
        """When the alert that it names fired, which may be in a series alone."""
        found = firings_in(self.view.ground, text, self.paths)
        known = [f for f in found if is_open(self.view, f.call)]
        return _Event(known[0].at, 0, (known[0].place,)) if known else None
