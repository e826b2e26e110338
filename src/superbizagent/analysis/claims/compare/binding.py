"""Which period and which statistic a number of a sentence is meant of."""

from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Quantity, Word, WordKind

__all__ = ["period_of", "statistic_of"]

_REACH = 12
"""Characters between "from" or "to" and its number: a word or two."""


def period_of(view: View, quantity: Quantity) -> str:
    """Return ``baseline``, ``incident`` or nothing, when the sentence leaves it open."""
    words = view.statement.words_of(WordKind.PERIOD)
    led = _led_by(words, quantity)
    if led:
        return led
    start, end = view.region(quantity)
    own = [w for w in words if start <= w.start < end and w.value in {"baseline", "incident"}]
    if own:
        return min(own, key=lambda w: abs(w.start - quantity.start)).value
    # "Before the fault, latency was …": the opening speaks of what follows until another does.
    opening = [w for w in words if w.end <= quantity.start and _has_no_number(view, w)]
    return opening[-1].value if opening else ""


def _led_by(words: tuple[Word, ...], quantity: Quantity) -> str:
    ends = {"from": "baseline", "to": "incident"}
    for word in words:
        if word.value in ends and 0 <= quantity.start - word.end <= _REACH:
            return ends[word.value]
    return ""


def _has_no_number(view: View, word: Word) -> bool:
    if word.value not in {"baseline", "incident"}:
        return False
    for quantity in view.statement.quantities:
        start, end = view.region(quantity)
        if start <= word.start < end:
            return False
    return True


def statistic_of(view: View, quantity: Quantity) -> str:
    """Return ``max``, ``min``, ``mean``, ``median``, ``last``, ``total``, ``p95`` … or nothing."""
    word = view.near(WordKind.STATISTIC, quantity)
    return word.value if word is not None else ""
