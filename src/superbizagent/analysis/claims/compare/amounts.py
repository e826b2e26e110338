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


_TURNED = {Bound.OVER: Bound.AT_MOST, Bound.UNDER: Bound.AT_LEAST}
_NEVER = re.compile(
    r"\b(?:at no time|never(?: \w{2,12})?|no)\s+$|(?:从未|从不|没有|未曾)$", re.IGNORECASE
)
"""Before "more than 30": it was never more."""
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


def _rate_like_the_last(view: View, quantity: Quantity) -> Quantity:
    """What is not repeated is meant of both: "from 0.05 a second to about 4"."""
    before = [q for q in view.statement.quantities if q.end <= quantity.start]
    if quantity.unit or not before or before[-1].unit != "/s":
        return quantity
    if before[-1].noun != quantity.noun or quantity.form is not Form.VALUE:
        return quantity
    per = _PER.search(view.text, before[-1].start, quantity.start)
    seconds = next((s for key, s in _SECONDS if per and key in per[0]), 1)
    return replace(
        quantity, unit="/s", value=quantity.value / seconds, half=quantity.half / seconds
    )


_PER = re.compile(r"min|hour|分|小?时")
_SECONDS = (("min", 60), ("分", 60), ("hour", 3600), ("时", 3600))


def _is_of_records(view: View) -> bool:
    return bool(view.topic(0, len(view.text)).concepts & _LOG)


_LOG = concept_bits(("log",))


def meant_amount(view: View, quantity: Quantity) -> tuple[Quantity, bool]:
    """Return a number as it is meant of a measured series: "at most 24" says what its peak was."""
    text = view.text[max(0, quantity.start - 12) : quantity.end]
    if quantity.bound is Bound.AT_MOST and _PEAK.search(text):
        return replace(quantity, bound=Bound.EXACT), True
    return _turned(view, _as_value(view, quantity)), False


def _as_value(view: View, quantity: Quantity) -> Quantity:
    """A form that only looks like it: a change said in front, all of a whole, so many times."""
    match quantity.form:
        case Form.VALUE if not quantity.unit and _FACTOR.search(view.text, 0, quantity.start):
            return replace(quantity, form=Form.MULTIPLE)
        case Form.VALUE if _BEYOND.match(view.text, quantity.end):
            return replace(quantity, form=Form.CHANGE)
        case Form.VALUE:
            return _rate_like_the_last(view, quantity)
        case Form.PART if _is_of_all(view, quantity):
            whole = quantity.whole or 1.0
            return replace(quantity, form=Form.VALUE, value=whole, half=0.5, whole=None)
        case Form.MULTIPLE if _is_count(view, quantity):
            return replace(quantity, form=Form.VALUE, noun="times")
        case _:
            return quantity


def _is_of_all(view: View, quantity: Quantity) -> bool:
    every = quantity.value == 1 and _EVERY.search(view.text, 0, quantity.start)
    return bool(every) and not _SAMPLES.match(view.text, quantity.end)


_FACTOR = re.compile(r"\b(?:multiplied by|by a factor of)\s+(?:about |some )?$", re.IGNORECASE)
_SAMPLES = re.compile(r"\s*(?:samples?|scrapes?|readings?|(?:data )?points?)\b")


def _is_count(view: View, quantity: Quantity) -> bool:
    if quantity.text.endswith("×"):
        return _is_of_records(view)
    said = _SAID.search(view.text, 0, quantity.start)
    return said is not None and not _LIKE.match(view.text, quantity.end)


def _turned(view: View, quantity: Quantity) -> Quantity:
    """A bound with a denial in front: "never more than 30" is at most 30."""
    if quantity.bound in _TURNED and _NEVER.search(view.text, 0, quantity.start):
        return replace(quantity, bound=_TURNED[quantity.bound])
    return quantity


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
