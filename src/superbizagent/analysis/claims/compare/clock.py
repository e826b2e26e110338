"""Whether something happened on the side of a time that a sentence says: before it or after it."""

import re

from superbizagent.analysis.claims.compare.events import Role
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.near import region_of
from superbizagent.analysis.claims.compare.sides import Event, Side
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Clause, Form, Moment, Quantity, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["judge_side"]

_OF_TIME = re.compile(
    r"\s*(?:UTC|Z)?\s*的?\s*(?:alert\w*|alarm\w*|page|deploy\w*|release\w*|roll-?out\w*|change\w*"
    r"|restart\w*|peak\w*|incident|sample|mark|reading|record|line|spike|告警|报警|发布|变更|部署|上线"
    r"|重启|峰值|样本|采样|记录|日志)",
    re.IGNORECASE,
)
"""What a time tells apart, "after the 12:41 deploy", is not what happened after it."""
_GAP = re.compile(
    r"\s*(?:\(?s\)?\s*)?(?:before|after|past|ahead of|prior to|earlier than|later than|later)"
    r"\s*(?:the\s*)?",
    re.IGNORECASE,
)
_GAP_BEHIND = re.compile(r"\s*(?:UTC)?\s*(?:之|以)?[前后]\s*(?:约|大约)?\s*")
_BY = re.compile(r"(?:\bby|不晚于|最迟在?)\s*$", re.IGNORECASE)
_THIRD = 3
"""A time is read from half a unit below to a whole one above what is written: 12:41 is 12:40:30 to
12:42:00."""
_MS = 1000


def judge_side(view: View, moment: Moment) -> Part | None:
    """Judge "peaked before 12:41": when the event of the sentence was, against that time.

    None where the time has no side, or no event is said to have happened on it.
    """
    if moment.preposition not in {"before", "after"}:
        return None
    side = _side(view, moment)
    if side.said is None:
        return None
    event, cited = side.happened(view.pool), True
    if event is None and view.cited is not None:
        event, cited = side.happened(view.everything), False
    part = _held(view, moment, side, event)
    if part is not None and part.outcome is Outcome.HOLDS and not cited:
        return _part(moment, Outcome.UNSHOWN, "time_not_cited")
    return part


def _side(view: View, moment: Moment) -> Side:
    """Return the words that say what happened: the nearest ones that do."""
    clause = view.clause_of(moment)
    behind = _OF_TIME.match(view.text, moment.end)
    region = region_of(view, moment)
    side = Side(view, region, without=(moment.start, region.end if behind else moment.end))
    # "After 12:41, it peaked": what happened stands behind the comma.
    wider = Side(view, clause, without=(moment.start, clause.end if behind else moment.end))
    return side if side.said is not None else wider


def _held(view: View, moment: Moment, side: Side, event: Event | None) -> Part | None:
    denied = _is_denied(view, side.span)
    if event is None:
        unknown = not denied and not _has_amount(view, side)
        return _part(moment, Outcome.UNSHOWN, "order_unknown") if unknown else None
    gap = _gap(view, moment)
    if gap is not None:
        return _by_gap(moment, event, gap)
    outcome = _compared(view, moment, event)
    if denied:
        return _denied(view, moment, side, event, outcome)
    # A value that is reached after a time: what had begun before may have come to it.
    since = moment.preposition == "after" and _has_amount(view, side)
    if outcome is Outcome.FAILS and side.said is Role.ONSET and since:
        return None
    reason = {Outcome.FAILS: "other_order", Outcome.UNSHOWN: "order_too_close"}.get(outcome, "")
    return _part(moment, outcome, reason, event.fact_ids)


def _denied(view: View, moment: Moment, side: Side, event: Event, outcome: Outcome) -> Part | None:
    """Judge "nothing rose before 12:41": what did speaks against it, what did not is no proof."""
    if outcome is Outcome.HOLDS:
        return _part(moment, Outcome.FAILS, "other_order", event.fact_ids)
    turned = any(map(side.span.holds, view.statement.words_of(WordKind.NEGATION)))
    if outcome is Outcome.FAILS and turned:
        return _part(moment, Outcome.HOLDS, "", event.fact_ids)
    return None


def _part(moment: Moment, outcome: Outcome, reason: str, ids: tuple[str, ...] = ()) -> Part:
    return Part(PartKind.TIME, outcome, moment.text, reason, ids)


def _is_denied(view: View, span: Clause) -> bool:
    kinds = (WordKind.NEGATION, WordKind.ABSENCE)
    return sum(w.kind in kinds and span.holds(w) for w in view.statement.words) % 2 == 1


def _has_amount(view: View, side: Side) -> bool:
    return any(q.form is Form.VALUE and side.span.holds(q) for q in view.statement.quantities)


def _written(moment: Moment) -> int:
    """Return the time as it is written, in milliseconds."""
    low, high = to_ms(moment.low), to_ms(moment.high)
    return low + (high - low) // _THIRD


def _compared(view: View, moment: Moment, event: Event) -> Outcome:
    """Hold an event against a time; one at that time is "after" it: what happened from then on."""
    low, high, at = to_ms(moment.low), to_ms(moment.high), _written(moment)
    first, last = event.at - event.uncertainty, event.last + event.uncertainty
    if moment.preposition == "after":
        if event.at >= low:
            return Outcome.HOLDS
        return Outcome.FAILS if last < low else Outcome.UNSHOWN
    limit = high if _is_by(view, moment) else at
    if event.last < limit and (last < limit or event.at < low):
        return Outcome.HOLDS
    return Outcome.FAILS if first >= limit or event.at >= limit else Outcome.UNSHOWN


def _is_by(view: View, moment: Moment) -> bool:
    return _BY.search(view.text, 0, moment.start) is not None or moment.text[:2].lower() == "by"


def _gap(view: View, moment: Moment) -> Quantity | None:
    """Return how far from the time it is said to have been: "two minutes after 12:41"."""
    for quantity in view.statement.quantities:
        if quantity.unit != "s":
            continue
        if _GAP.fullmatch(view.text, quantity.end, moment.start):
            return quantity
        if _GAP_BEHIND.fullmatch(view.text, moment.end, quantity.start):
            return quantity
    return None


def _by_gap(moment: Moment, event: Event, gap: Quantity) -> Part:
    low, high = gap.interval
    sign = 1 if moment.preposition == "after" else -1
    ends = sorted(sign * (t - event.at) for t in (to_ms(moment.low), to_ms(moment.high)))
    slack = event.uncertainty + _MS
    near, far = -ends[1] - slack, -ends[0] + slack
    if near <= high * _MS and far >= low * _MS:
        return _part(moment, Outcome.HOLDS, "", event.fact_ids)
    return _part(moment, Outcome.FAILS, "other_order", event.fact_ids)
