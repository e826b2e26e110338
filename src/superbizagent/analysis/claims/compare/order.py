"""Whether one thing came before another, as surely as their times are known."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import is_negated
from superbizagent.analysis.claims.compare.roles import happening_in
from superbizagent.analysis.claims.compare.sides import Event, Side
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Clause, Moment, Quantity, Word, WordKind

__all__ = ["gap_holds", "judge_order"]

_THAN_EARLIER = re.compile(
    r"比[^，。；]{2,80}?(早|晚|迟|提前)(?=触发|出现|发生|开始|变|告警|了|约|\s?\d)"
)
_THAN = re.compile(r"比|较")
_POSTPOSED = re.compile(r"^(?:之|以|发布|上线|部署|重启|变更|发版|升级|回滚|扩容|)后$|^之前$|前$")
_INSIDE = re.compile(r"在|于")
_COMMA = re.compile(r"[,，]")
_AND = re.compile(r"\band\b|和|与|、")
_THEN = frozenset({"before", "after"})
_CUT = 1000
"""Milliseconds that a gap loses when both its times are written without their fractions."""
_DID = re.compile(r"(?:\b(?:did|do|does|was|were|had|has|have)(?: so)?|也是|才)\W*$")
"""A verb that stands for the one of the other side: "A peaked before B did"."""
_PLAINLY = re.compile(
    r"before|after(?!wards?|$)|\bafter$|than|prior|ahead|preced|[早晚迟先后]于|[前后早晚迟]$",
    re.IGNORECASE,
)
"""Words that always put two things in order."""
_SEQUEL = re.compile(
    r"then|later|afterwards?|subsequently|follow|next|after which"
    r"|然后|随后|接着|继而|之后|后来|再|尔后|接下来",
    re.IGNORECASE,
)


def judge_order(view: View) -> Iterator[Part]:
    """Yield one part for every word of order that stands between two events."""
    for word in _words(view):
        pair = _pair(view, word)
        if pair is not None:
            part = _judge(view, word, pair)
            # "Which it then feels" need be no order of two things.
            if part.outcome is not Outcome.UNSHOWN or pair.named or _PLAINLY.search(word.text):
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
class _Pair:
    """What is said to come first, and what second; None: nothing is known of it."""

    first: Event | None
    second: Event | None
    same: bool = False
    named: bool = False
    """Both sides name what they are about."""


def _judge(view: View, word: Word, pair: _Pair) -> Part:
    first, second = pair.first, pair.second
    if first is None or second is None:
        return Part(PartKind.ORDER, Outcome.UNSHOWN, word.text, "order_unknown")
    ids = tuple(dict.fromkeys((*first.fact_ids, *second.fact_ids)))
    # Of what may be meant the nearest two decide whether it holds, the farthest whether it fails.
    between, farthest = second.at - first.last, second.last - first.at
    unsure = first.uncertainty + second.uncertainty
    if pair.same:
        apart = min(abs(between), abs(farthest)) > max(unsure, _CUT)
        reason = "not_at_once" if apart else ""
        return Part(
            PartKind.ORDER, Outcome.FAILS if apart else Outcome.HOLDS, word.text, reason, ids
        )
    if is_negated(view, word):
        between, farthest = -farthest, -between
    # A gap that is given with its length speaks of the two instants, not of what they stand for.
    if (first.told and second.told) or any(
        _is_gap(q, between) for q in view.statement.quantities if q.unit == "s"
    ):
        unsure = 0
    if between > unsure:
        return Part(PartKind.ORDER, Outcome.HOLDS, word.text, "", ids)
    if farthest < -unsure:
        return Part(PartKind.ORDER, Outcome.FAILS, word.text, "other_order", ids)
    return Part(PartKind.ORDER, Outcome.UNSHOWN, word.text, "order_too_close", ids)


def _pair(view: View, word: Word) -> _Pair | None:
    """Return the two events of a word of order, None where it has no two sides."""
    sides = None if _is_preposition(view, word) else _sides(view, word)
    if sides is None:
        return None
    one, other = Side(view, sides[0]), Side(view, sides[1])
    if not one.speaks or not other.speaks:
        return None
    one, other = _shared(view, word, one, other), _shared(view, word, other, one)
    one, other = _apart(view, one, other), _apart(view, other, one)
    named = one.names and other.names
    return _Pair(one.event(), other.event(), same=word.value == "same", named=named)


def _shared(view: View, word: Word, side: Side, other: Side) -> Side:
    """Return a side with what happened to it, where its words leave that to others.

    "A peaked before B did", "A peaked earlier than B", A 早于 B 达到峰值, A 比 B 早见顶.
    """
    if side.said is not None:
        return side
    than = view.text[word.start : word.end + _NEXT].lower()
    compares = _THAN.search(word.text) or word.text[-1:] == "于" or "than" in than
    behind = happening_in(_behind(view, word).lower()) if _is_than(view, word) else None
    if behind is not None:
        return replace(side, role=behind)
    if other.said is not None and (compares or _DID.search(side.text.lower())):
        return replace(side, role=other.said)
    return side


def _apart(view: View, side: Side, other: Side) -> Side:
    """Return a side without what only the other is about: two sides are two things."""
    own, theirs = side.subjects(view.pool), other.subjects(view.pool)
    return replace(side, apart=tuple(sorted(theirs))) if theirs < own else side


def _is_than(view: View, word: Word) -> bool:
    """Tell whether what happened stands behind the word: A 比 B 早见顶."""
    return bool(_THAN.search(view.text[: word.start]))


def _behind(view: View, word: Word) -> str:
    return view.text[word.end : view.clause_of(word).end]


def _is_preposition(view: View, word: Word) -> bool:
    """Tell whether a word belongs to a time ("after 12:41", 12:41 以后) or is none of order."""
    near = (m.start - word.end if m.start >= word.end else word.start - m.end for m in _times(view))
    return word.text.lower() == "once" or any(0 <= gap <= _ADJACENT for gap in near)


def _times(view: View) -> tuple[Moment, ...]:
    return view.statement.moments


_ADJACENT = 2
_NEXT = 5
"""Characters behind "earlier" in which its "than" stands."""


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
        if w.value in _THEN and w.start >= word.end and _SEQUEL.search(w.text)
    ]
    if not later or _THAN.search(view.text, word.end, later[0].start):
        return None
    end = view.clause_of(word).end
    start = min(end, later[0].start)
    return Clause(0, start), Clause(start, len(view.text))
