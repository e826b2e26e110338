"""What a number of a sentence is an amount of, before it is held against anything."""

import re
from dataclasses import replace

from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.mentions import Bound, Form, Quantity

__all__ = ["is_amount", "meant_amount"]

_PEAK = re.compile(
    r"(?:at most|up to|as many as|as much as|最多|最高|至多|高达|多达)", re.IGNORECASE
)


_EVERY = re.compile(r"\b(?:every|each)\s+$", re.IGNORECASE)
"""Before "one of the ten": all of them."""
_LIKE = re.compile(r"\s*(?:as|more|less|fewer|the|longer|higher|that of)\b")
_BEYOND = re.compile(
    r" (?:of [a-z]{2,16} )?(?:over|above|below|under|beyond|more than|less than) (?:its|their|the) "
    r"(?:usual|normal|baseline|average)\b",
    re.IGNORECASE,
)
"""Behind a number that says how far from the baseline: "nine MiB over its usual 38.7 MiB"."""


_SAID = re.compile(
    r"\b(?:logged|logs|says?|said|record(?:s|ed)|reported|reports|wrote|writes|noted|notes|printed"
    r"|happened|occurred|appeared|seen|failed|fired|restarted|came|repeated)\s+(?:it |this )?$"
)
"""Before "N times": a count of what was said or done, no factor."""


def _is_of_records(view: View) -> bool:
    return bool(view.topic(0, len(view.text)).concepts & _LOG)


_LOG = concept_bits(("log",))


def meant_amount(view: View, quantity: Quantity) -> tuple[Quantity, bool]:
    """Return a number as it is meant of a measured series: "at most 24" says what its peak was."""
    text = view.text[max(0, quantity.start - 12) : quantity.end]
    if quantity.bound is Bound.AT_MOST and _PEAK.search(text):
        return replace(quantity, bound=Bound.EXACT), True
    if quantity.form is Form.VALUE and _BEYOND.match(view.text, quantity.end):
        return replace(quantity, form=Form.CHANGE), False
    every = _EVERY.search(view.text, 0, quantity.start)
    if quantity.form is Form.PART and quantity.value == 1 and every and quantity.whole:
        whole = quantity.whole
        return replace(quantity, form=Form.VALUE, value=whole, half=0.5, whole=None), False
    if quantity.form is Form.MULTIPLE and quantity.text.endswith("×") and _is_of_records(view):
        return replace(quantity, form=Form.VALUE, noun="times"), False
    said = _SAID.search(view.text, 0, quantity.start)
    if quantity.form is Form.MULTIPLE and said and not _LIKE.match(view.text, quantity.end):
        return replace(quantity, form=Form.VALUE, noun="times"), False
    return quantity, False


_COMPOUND = re.compile(r"[A-Za-z]{1,12}-(?:minute|second|hour|day|week)\b(?! ago)")
"""A time that names something: "its one-minute load"."""


def is_amount(view: View, quantity: Quantity) -> bool:
    """Tell an amount from an ordinal, and from a status code that stands alone: "most were 502"."""
    if quantity.form is Form.ORDINAL:
        return False
    if _COMPOUND.match(view.text, quantity.start):
        return False
    bare = quantity.text.isdecimal() and len(quantity.text) == 3 and not quantity.noun
    return not (bare and "1" <= quantity.text[0] <= "5" and view.is_label(quantity.text))
