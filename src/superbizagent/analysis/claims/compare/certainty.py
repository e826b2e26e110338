"""How sure a refusal is, where a sentence cites nothing.

With citations it is plain what a number must stand in. Without, code has to guess what it is of,
and not finding it may mean that it looked in the wrong place: only where the entity is named, the
words fit the fact well, nothing in the clause speaks of an operation and the number or time stands
nowhere else in what is known of that entity does the evidence say otherwise. All else could not be
compared, and is said so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from superbizagent.analysis.claims.compare.events import events_of
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.sampled import rows_saying
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import (
    Bound,
    Clause,
    Form,
    Mention,
    Moment,
    Quantity,
    WordKind,
)
from superbizagent.domain.window import to_ms

__all__ = ["with_certainty"]

_OPERATION = re.compile(
    r"\b(?:add|adds|added|sum|together|altogether|spare|left|rest|remaining|fewer|more|less|extra"
    r"|gain(?:ed|s)?|lost|loss|above|below|between|apart|later|earlier|after|ahead|behind|per|each"
    r"|every|half|double[ds]?|than|longest|shortest|difference|out of|share|portion|fraction"
    r"|around|roughly|some|combined|average of)\b|[多少差共每约]|合计|相当|占|之后|之前|先后"
    r"|左右|其余",
    re.IGNORECASE,
)
"""Words of an operation, or of a manner of speaking, that nothing here may know."""
_THINGS = re.compile(
    r"service|pod|instance|replica|database|node|host|region|customer|user|team|cluster"
    r"|服务|实例|副本|节点|集群|区域|用户|客户",
    re.IGNORECASE,
)
_EVENTS = re.compile(
    r"deploy|release|restart|roll(?:ed|out)|alert|fired|reboot|fail ?over|migrat"
    r"|上线|发布|部署|重启|告警|触发|变更",
    re.IGNORECASE,
)
_ALERTS = frozenset({"alert", "fired", "告警", "触发"})
_ENDED = re.compile(
    r"recover|resolv|subsid|back to normal|ongoing|going on|still (?:slow|fail|going|down|up|high)"
    r"|恢复|平息|仍在|仍未|持续",
    re.IGNORECASE,
)
_NOT = re.compile(r"\bnot\b|n't|\bno\b|\bun[a-z]+|没|未|不|无", re.IGNORECASE)
_EXISTS = re.compile(
    r"\W*(?:there\b|no\b|none\b|nothing\b|not (?:a|one)\b|没有|未|无)", re.IGNORECASE
)
_NOT_YET = re.compile(
    r"\bnot yet\b|\byet to\b|\bthen\b|\bat that\b|还没|还未|尚未|当时", re.IGNORECASE
)
_OFTEN = re.compile(
    r"\b(?:every|each|all) (?:\w+ )?(?:samples?|scrapes?|(?:data ?)?points?|minutes?|readings?)\b"
    r"|\bthroughout\b|\ball (?:along|the (?:time|while))\b|每[个次一]|始终|一直|全程",
    re.IGNORECASE,
)
"""Words that are of all times, not of all things."""
_ASKED = re.compile(r"[?？]\W*$")
_IN_BRACKETS = re.compile(r"([A-Za-z][\w.:-]*)[^(（A-Za-z]{0,12}[(（]\s*$")
_BESIDE = re.compile(r"\W*(?:of|from|at|by|in)\s+$", re.IGNORECASE)
_LATIN = re.compile(r"\s*[A-Za-z_]")
_DISCARDED = re.compile(
    r"\bdrop|discard|reject|exclu|clear|dismiss|\bout\b|\bnot\b|n't|\bno\b|排除|不是|并非|否|不",
    re.IGNORECASE,
)
_LEAST_SHARED = 2
_A_FEW = 12
_MEASURES = frozenset({"s", "ms", "bytes", "ratio", "/s", "s/s", "bytes/s"})
_ROUND = 1000
"""Counts from here on that are whole hundreds may be rounded to them."""
_ZONE_STEP = 30 * 60_000
_BY_ITSELF = frozenset(
    {
        PartKind.NAME,
        PartKind.QUOTE,
        PartKind.CITATION,
        PartKind.ABSENCE,
        PartKind.NOVELTY,
        PartKind.CAUSE,
    }
)
"""Kinds that are what they are, whatever else a sentence says."""


def with_certainty(view: View, parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the parts; a refusal that is a guess becomes "not compared"."""
    held = [view.clause_of(_mention(view, p)) for p in parts if _is_held_number(p)]
    read = [_guarded(part, sure=_is_sure(view, part, held)) for part in parts]
    for part in read:
        # What a sentence relates is sure only where all the rest of it was understood.
        others = (other for other in read if other is not part)
        alone = part.kind in _BY_ITSELF or all(o.outcome is not Outcome.UNCOMPARED for o in others)
        yield _guarded(part, sure=alone)


def _is_sure(view: View, part: Part, held: Sequence[Clause]) -> bool:
    return part.outcome is Outcome.HOLDS or _SURE.get(part.kind, _always)(view, part, held)


def _guarded(part: Part, *, sure: bool) -> Part:
    """Return a part as it may be told: a refusal only where it is sure."""
    if sure or part.outcome in {Outcome.HOLDS, Outcome.UNCOMPARED}:
        return part
    # Why nothing shows it is as true of a guess; what it is held against is not.
    reason = part.reason if part.outcome is Outcome.UNSHOWN else "uncompared"
    return replace(part, outcome=Outcome.UNCOMPARED, reason=reason)


def _is_held_number(part: Part) -> bool:
    return part.kind is PartKind.NUMBER and part.outcome is Outcome.HOLDS


def _mention(view: View, part: Part) -> Mention:
    at = max(view.text.find(part.text), 0)
    return Mention(at, at + len(part.text), part.text)


def _always(view: View, part: Part, held: Sequence[Clause]) -> bool:
    del view, part, held
    return True


def _place(view: View, part: Part) -> tuple[Mention, Clause]:
    mention = _mention(view, part)
    return mention, view.clause_of(mention)


def _is_named(view: View, clause: Clause) -> bool:
    """Tell whether a clause, or what stands before it, names one entity."""
    names = {p for n in view.statement.names if n.start < clause.end for p in n.entities}
    return len(names) == 1


def _number(view: View, part: Part, held: Sequence[Clause]) -> bool:
    mention, clause = _place(view, part)
    quantity = next((q for q in view.statement.quantities if q.start == mention.start), None)
    if quantity is None or part.outcome is not Outcome.FAILS:
        return False
    if _stands_elsewhere(view, quantity, clause) or _is_of_stranger(view, quantity):
        return False
    if quantity.form is Form.PART:
        return _has_whole(view, quantity, clause)
    if quantity.form is not Form.VALUE or _is_loose(view, quantity, clause):
        return False
    # Beside a number of the same clause that was found, this one is looked up in the right place.
    return _is_of_unit(view, part, quantity) and (clause in held or _fits(view, part, clause))


def _is_of_unit(view: View, part: Part, quantity: Quantity) -> bool:
    """Tell whether what speaks against a number is measured in the same unit."""
    row = view.ground.row(part.fact_ids[0]) if part.fact_ids else None
    if row is None:
        return True
    known = view.ground.units[int(view.ground.unit[row])]
    # Counts are of records, of requests, of nothing at all.
    return known == quantity.unit or not (quantity.unit or known in _MEASURES)


def _is_of_stranger(view: View, quantity: Quantity) -> bool:
    """Tell whether a number stands in brackets behind a word that is no known name."""
    word = _IN_BRACKETS.search(view.text, 0, quantity.start)
    names = view.statement.names
    return word is not None and not any(
        n.entities and n.start < word.end(1) <= n.end for n in names
    )


def _stands_elsewhere(view: View, quantity: Quantity, clause: Clause) -> bool:
    """Tell whether the number is one of another fact of the same entity: that may be meant.

    "13,500" may well be rounded from 13,469, though nothing says so.
    """
    is_count = quantity.bound is Bound.EXACT and not quantity.unit and quantity.value % 1 == 0
    is_round = quantity.value >= _ROUND and quantity.value % 100 == 0
    # A count is whole, however many places it is written with.
    said = replace(quantity, half=50.0 if is_round else 0.5) if is_count else quantity
    return bool((view.of_entities(clause) & rows_saying(view, said)).any())


def _is_loose(view: View, quantity: Quantity, clause: Clause) -> bool:
    """Tell whether a number may be of anything: of nobody named, of many, or worked out.

    How many there are of a thing ("of the five pods") is seldom a fact of one of them.
    """
    counts = not quantity.unit and _THINGS.search(quantity.noun) is not None
    worked_out = _OPERATION.search(view.text, clause.start, clause.end) is not None
    return counts or worked_out or _is_relative(view, quantity) or not _is_named(view, clause)


def _is_relative(view: View, quantity: Quantity) -> bool:
    """Tell whether a number may be held against another: 15 % of the usual, 94 s before the alert.

    A small count may be a manner of speaking: "one in six".
    """
    if not quantity.unit and abs(quantity.value) <= _A_FEW:
        return True
    if not quantity.unit and any(q.unit == "s" for q in view.statement.quantities):
        return True  # "783 ms instead of 45"
    if quantity.unit == "ratio":
        usual = any(w.value == "baseline" for w in view.statement.words_of(WordKind.PERIOD))
        return usual or len(view.statement.quantities) > 1
    return quantity.unit == "s" and bool(view.statement.moments)


def _has_whole(view: View, quantity: Quantity, clause: Clause) -> bool:
    """Tell whether the evidence has the whole of "761 of 3,690": then it is about that."""
    rows = view.of_entities(clause) & (np.abs(view.ground.value - (quantity.whole or 0.0)) < 0.5)
    return bool((rows & (view.shared(view.topic(clause.start, clause.end)) > 0)).any())


def _fits(view: View, part: Part, clause: Clause) -> bool:
    """Tell whether the fact that speaks against it shares enough with the clause."""
    row = view.ground.row(part.fact_ids[0]) if part.fact_ids else None
    if row is None:
        return bool(part.fact_ids)  # a sample at the very time the clause names
    topic = view.topic(clause.start, clause.end)
    return bool(topic.metric) or int(view.shared(topic)[row]) >= _LEAST_SHARED


def _time(view: View, part: Part, held: Sequence[Clause]) -> bool:
    del held
    _, clause = _place(view, part)
    if part.outcome is Outcome.FAILS:
        then = [m for m in view.statement.moments if clause.holds(m)]
        alone = len(view.statement.moments) == 1 and not view.statement.quantities
        return alone and _is_named(view, clause) and not _may_be(view, clause, then[0], part)
    event = _EVENTS.search(view.text, clause.start, clause.end)
    # An alert may be of anything; what was done to the system is in the list of changes, or not.
    return event is not None and (_is_named(view, clause) or event[0] not in _ALERTS)


def _may_be(view: View, clause: Clause, said: Moment, part: Part) -> bool:
    """Tell whether something else of the entity happened then, or the same in another zone."""
    events = events_of(view.ground)
    if bool((view.of_entities(clause) & events.within(said.low, said.high)).any()):
        return True
    row = view.ground.row(part.fact_ids[0]) if part.fact_ids else None
    if row is None or events.at[row] < 0:
        return False
    low, high = (int(events.at[row]) - to_ms(edge) for edge in (said.high, said.low))
    unsure = max(0, int(events.uncertainty[row]))
    low, high = low - unsure, high + unsure
    # Zones are a multiple of half an hour apart: is one of those within what was written?
    return abs(low + high) / 2 > _ZONE_STEP / 2 and high // _ZONE_STEP * _ZONE_STEP >= low


def _is_bare(view: View) -> bool:
    """Tell whether a sentence tells no number and no time, to which its other words may belong."""
    return not (view.statement.quantities or view.statement.moments)


def _absence(view: View, part: Part, held: Sequence[Clause]) -> bool:
    """What is denied may be of something else than what was found.

    Of what a number beside it counts or a quote says, of somebody who is not named, of a time
    before; and of nothing that was looked at.
    """
    del held
    mention, clause = _place(view, part)
    named = _is_named(view, clause) or _EXISTS.match(view.text, mention.start) is not None
    early = _NOT_YET.search(view.text, clause.start, clause.end) is not None
    whole = _is_bare(view) and not view.statement.quotes
    # "A and B are fine, no series is abnormal": how many are of all is known, not of those named.
    own = part.reason.startswith("so_many") and any(n.entities for n in view.statement.names)
    return whole and named and not early and not own and part.reason != "not_looked"


def _quote(view: View, part: Part, held: Sequence[Clause]) -> bool:
    """That a line is not of somebody is sure only where the two are all there is, side by side.

    A question in quotes is asked, and no line of any log.
    """
    del held
    if not part.reason.startswith("quote_of_other"):
        return _ASKED.search(part.text) is None
    mention, clause = _place(view, part)
    own = [n for n in view.statement.names if n.entities and clause.holds(n)]
    if len(own) != 1 or len(view.statement.quotes) != 1 or not _is_named(view, clause):
        return False
    return own[0].end <= mention.start or bool(
        _BESIDE.fullmatch(view.text[mention.end : own[0].start])
    )


def _scope(view: View, part: Part, held: Sequence[Clause]) -> bool:
    """Where a number or time is told, "users saw 2.1 s" is a manner of speaking.

    So is "all" of times. "Only X was not hit" says the contrary of "only X was".
    """
    _, clause = _place(view, part)
    if view.statement.moments or _OFTEN.search(view.text, clause.start, clause.end):
        return False
    if part.reason.startswith("no_such_class"):
        return clause not in held
    denied = _NOT.search(view.text, clause.start, clause.end) is not None
    return not (part.reason.startswith("not_only") and denied)


def _name(view: View, part: Part, held: Sequence[Clause]) -> bool:
    """Words that stand in the place of a name may be any: "the sick pod"."""
    del view, held
    return not any(c.isspace() for c in part.text)


def _cause(view: View, part: Part, held: Sequence[Clause]) -> bool:
    """Who speaks of discarding may say just that it was ruled out."""
    del held
    said = _DISCARDED.search(view.text) is not None
    return not (part.reason.startswith("ruled_out") and said)


def _direction(view: View, part: Part, held: Sequence[Clause]) -> bool:
    del held
    _, clause = _place(view, part)
    words = view.statement.words_of(WordKind.DIRECTION, clause)
    topic = view.topic(clause.start, clause.end)
    own = any(n.entities and clause.holds(n) for n in view.statement.names)
    # 少了 customs_code: what is missing, not what fell.
    lacks = any(_LATIN.match(view.text, w.end) for w in words if not w.text.isascii())
    clear = bool(topic.concepts or topic.metric) and own and not lacks and _is_named(view, clause)
    return part.outcome is Outcome.FAILS and len(words) == 1 and clear and _is_bare(view)


def _course(view: View, part: Part, held: Sequence[Clause]) -> bool:
    del held
    _, clause = _place(view, part)
    said = _ENDED.search(view.text, clause.start, clause.end) is not None
    return part.outcome is Outcome.FAILS and said and _is_named(view, clause)


def _order(view: View, part: Part, held: Sequence[Clause]) -> bool:
    del held
    words = view.statement.words_of(WordKind.ORDER)
    timed = any(q.unit == "s" for q in view.statement.quantities) or view.statement.moments
    return part.outcome is Outcome.FAILS and len(words) == 1 and not timed


def _comparison(view: View, part: Part, held: Sequence[Clause]) -> bool:
    """Numbers that are not those of the two, in brackets, may say by how much."""
    del held
    _, clause = _place(view, part)
    loose = [q for q in view.statement.quantities if clause.holds(q)]
    loose = [q for q in loose if view.text[: q.start].rstrip()[-1:] not in {"(", "（"}]
    return part.outcome is Outcome.FAILS and not loose


_SURE = {
    PartKind.NUMBER: _number,
    PartKind.DERIVED: _number,
    PartKind.ABSENCE: _absence,
    PartKind.QUOTE: _quote,
    PartKind.CAUSE: _cause,
    PartKind.NAME: _name,
    PartKind.SCOPE: _scope,
    PartKind.TIME: _time,
    PartKind.DIRECTION: _direction,
    PartKind.COURSE: _course,
    PartKind.ORDER: _order,
    PartKind.COMPARISON: _comparison,
}
