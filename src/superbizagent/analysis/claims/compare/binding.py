"""Which period and which statistic a number of a sentence is meant of."""

import re

from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Form, Quantity, Word, WordKind

__all__ = ["meant_period", "percentiles_of", "period_of", "statistics_of"]

_REACH = 12
"""Characters between "from" or "to" and its number: a word or two."""
_LIKENED = re.compile(
    r"(?:\bas (?:\w+ ){1,4}as|\bas|\b(?:longer|shorter|higher|lower|more|less|fewer|slower|faster"
    r"|bigger|smaller) than)\s+$"
)
_NEXT = 2
_RETURNED = re.compile(
    r"\b(?:back (?:at|to|down to|up to|in)|returned to|recovered to|settled (?:at|back))\b"
    r"|回到|恢复到|降回|回落到",
    re.IGNORECASE,
)
"""Before a number that it came back to: what it was at the end."""
_OPENING = 24
"""Characters in which a sentence opens with the time it speaks of: "In the quarter before, …"."""
_LEADING = {"from": "baseline", "to": "incident"}
_TIMES = frozenset(_LEADING.values())
_AGAINST = re.compile(
    r"against|opposed|versus|\bvs\b|compared|than|up from|down from|instead of|相比|比|而不是|而非"
)
_PERCENTILE = re.compile(r"p\d{2,3}")


_NEW_BEFORE = re.compile(
    r"\b(?:unseen|absent|missing|unknown|new|none|not (?:seen|present|known|found))"
    r" (?:(?:in|from|to|during|for|since) )?(?:the )?$",
    re.IGNORECASE,
)
_NEW_BEHIND = re.compile(
    r" ?(?:(?:does|did|do)(?: not|n't) (?:contain|have|show|know|hold|include)"
    r"|(?:lacks?|has none|knows? none)\b"
    r"|(?:中|里|内)?(?:都|从)?(?:没有|没|未|不曾)(?:出现|有)?过?的)",
    re.IGNORECASE,
)


def _says_when(view: View, word: Word) -> bool:
    """Tell a time from the baseline that lacks something: "of a kind unseen in the baseline"."""
    if word.value not in _TIMES:
        return False
    if _LIKENED.search(view.text[: word.start]):
        return False  # "31 times as long as before" says nothing of the number beside it
    lacking = _NEW_BEFORE.search(view.text[: word.start]) or _NEW_BEHIND.match(view.text, word.end)
    return lacking is None


def period_of(view: View, quantity: Quantity) -> str:
    """Return ``baseline``, ``incident`` or nothing, when the sentence leaves it open."""
    words = view.statement.words_of(WordKind.PERIOD)
    led = _led_by(view, words, quantity)
    if led:
        return led
    start, end = view.region(quantity)
    own = [w for w in words if start <= w.start < end and _says_when(view, w)]
    if own:
        return min(own, key=lambda w: abs(w.start - quantity.start)).value
    opening = [w for w in words if w.end <= quantity.start and _opens(view, w)]
    return opening[-1].value if opening else ""


def meant_period(view: View, quantity: Quantity) -> str:
    """Return the period a number must be of: ``baseline``, ``incident`` or ``any``.

    What is said without a time is said of the incident; beside a number that is, or in a
    comparison, it may be the other side.
    """
    start, _ = view.region(quantity)
    if _RETURNED.search(view.text, start, quantity.start):
        return "incident"
    own = period_of(view, quantity)
    if own:
        return own
    lead = view.text[max(0, quantity.start - 2 * _REACH) : quantity.start].lower()
    if _AGAINST.search(lead):
        return "any"
    others = {
        period_of(view, q)
        for q in view.statement.quantities
        if q is not quantity and q.form not in {Form.MULTIPLE, Form.CHANGE}
    }
    if "baseline" in others:
        return "incident"
    if "incident" in others or _compares(view, quantity):
        return "any"
    flat = view.statement.words_of(WordKind.DIRECTION, view.clause_of(quantity))
    return "any" if any(w.value == "flat" for w in flat) else "incident"


def _compares(view: View, quantity: Quantity) -> bool:
    """Tell whether a sentence holds two values against each other without saying when."""
    forms = {q.form for q in view.statement.quantities if q is not quantity}
    return bool(forms & {Form.MULTIPLE, Form.CHANGE})


def _led_by(view: View, words: tuple[Word, ...], quantity: Quantity) -> str:
    """The side that a "from" or "to" right before the number gives it."""
    last = max((q.end for q in view.statement.quantities if q.end <= quantity.start), default=0)
    near = [
        w
        for w in words
        if w.value in _LEADING and w.start >= last and 0 <= quantity.start - w.end <= _REACH
    ]
    # "From 06:41 on, 46 threads": that is where the time begins, not the number.
    moments = view.statement.moments
    near = [w for w in near if not any(0 <= m.start - w.end <= _NEXT for m in moments)]
    return _LEADING[near[-1].value] if near else ""


def _opens(view: View, word: Word) -> bool:
    """Tell whether a word opens a clause with its time: "before the fault, latency was …"."""
    if word.value not in _TIMES:
        return False
    clause = view.clause_of(word)
    stop = re.compile(r"[,，、:：]").search(view.text, word.end)
    if stop is None or word.start - clause.start > _OPENING:
        return False
    return not any(clause.start <= q.start < stop.start() for q in view.statement.quantities)


def statistics_of(view: View, quantity: Quantity) -> frozenset[str]:
    """Return ``max``, ``min``, ``mean``, ``median``, ``last``, ``total`` of a number's words.

    Any of them may be meant: the mean latency at its peak. A percentile is no statistic of a
    number but part of what is measured: `percentiles_of`.
    """
    start, end = view.region(quantity)
    if _RETURNED.search(view.text, start, quantity.start):
        return frozenset(("last",))
    words = view.statement.words_of(WordKind.STATISTIC)
    own = {w.value for w in words if start <= w.start < end}
    return frozenset(value for value in own if not _PERCENTILE.fullmatch(value))


def percentiles_of(view: View, quantity: Quantity) -> frozenset[str]:
    """Return the percentiles that the number's words speak of, else its clause's, its sentence's.

    Where a clause speaks of two, a number without its own may be of either: none is returned.
    """
    clause = view.clause_of(quantity)
    for start, end in (view.region(quantity), (clause.start, clause.end), (0, len(view.text))):
        found = {
            w.value
            for w in view.statement.words_of(WordKind.STATISTIC)
            if start <= w.start < end and _PERCENTILE.fullmatch(w.value)
        }
        if found:
            return frozenset(found) if len(found) == 1 else frozenset()
    return frozenset()
