"""Make quantities of what was read, with the bound and the form that their sentence gives them."""

import re
from dataclasses import replace

from superbizagent.analysis.claims.mentions import Bound, Form, Quantity
from superbizagent.analysis.claims.scan._amounts import Amount
from superbizagent.analysis.claims.scan._bounds import bound_before, bound_behind
from superbizagent.analysis.claims.scan._forms import is_change, lasting
from superbizagent.analysis.claims.scan._multiples import Multiple
from superbizagent.analysis.claims.scan._nouns import MEASURES, noun_at

__all__ = ["said_amount", "said_fraction", "said_multiple", "said_ordinal", "said_part"]

_JOINED_BEFORE = re.compile(r"[\w\])./\0-]")
_MEASURED = re.compile(rf" ?[{MEASURES}]")


def _sign(text: str, start: int) -> str:
    """Return the sign right before a number, empty when it is a dash or joins a name."""
    sign = text[start - 1 : start] if start else ""
    joined = start > 1 and _JOINED_BEFORE.match(text, start - 2) is not None
    return sign if sign in {"+", "-"} and not joined else ""


def _bounded(text: str, start: int, end: int, own: Bound) -> tuple[int, int, Bound]:
    """Return the span of a number with the bounds around it, and how it is meant."""
    bound = own
    before = bound_before(text, start)
    if before is not None:
        start, bound = before
    behind = bound_behind(text, end)
    if behind is not None:
        end, found = behind
        # 约 700 以上 is at least 700, and "over 700 or so" is over it.
        bound = found if before is None or found is not Bound.ABOUT else bound
    elif own is Bound.EXACT and (measure := _MEASURED.match(text, end)):
        # 700 个以上: the measure word stays outside, `noun` has it.
        behind = bound_behind(text, measure.end())
        bound = bound if behind is None else behind[1]
    return start, end, bound


def _with_form(text: str, quantity: Quantity, amount: Amount) -> Quantity:
    """Tell a duration and a difference from a level."""
    start, end = quantity.start, quantity.end
    limit = lasting(text, start, end) if amount.unit == "s" else None
    if limit is not None:
        bound = limit if quantity.bound is Bound.EXACT else quantity.bound
        # "within 50 ms" is said of a level: nothing goes on for so short a time.
        level = limit is Bound.AT_MOST and amount.factor < 1
        return replace(quantity, bound=bound, form=Form.VALUE if level else Form.DURATION)
    if amount.points or is_change(text, start, end):
        return replace(quantity, form=Form.CHANGE)
    return quantity


def said_amount(text: str, amount: Amount, top: Amount | None = None) -> Quantity:
    """Make the quantity of an amount, or of the range from it to ``top``."""
    last = amount if top is None else top
    sign = _sign(text, amount.start)
    start, end, bound = _bounded(text, amount.start - len(sign), last.end, last.bound)
    high = last.number if top is not None else last.top
    value = float(amount.number * amount.factor)
    quantity = Quantity(
        start,
        end,
        text[start:end],
        value=-value if sign == "-" else value,
        half=float(last.step * last.factor) / 2,
        unit=amount.unit,
        bound=bound,
        high=None if high is None else float(high * last.factor),
        # Behind "requests per second" the noun stands before the unit.
        noun=noun_at(text, end, amount.unit if last.stop <= last.end else ""),
    )
    # A level in seconds, bytes or percent is never below zero.
    if sign and (sign == "+" or amount.unit):
        return replace(quantity, form=Form.CHANGE)
    return _with_form(text, quantity, last)


_SHRUNK_TO = re.compile(
    r"(?:(?:dropped|fell|fallen|falls|down|decreased|reduced|declined|shrank|cut) to "
    r"(?:just |only )?"
    r"|[降减缩跌落变剩](?:[低少短小下])?[到至为成]了?(?:原来|平时|之前|原先|正常)?的?)$"
)


_OF_USUAL = re.compile(
    r" of (?:its|the|their|what)(?: [a-z]{1,12}){0,2}? ?"
    r"(?:usual|normal|previous|former|baseline|original|earlier|it was)\b",
    re.IGNORECASE,
)


def said_fraction(text: str, amount: Amount) -> Quantity:
    """Make the quantity of a fraction; "dropped to a third", 降到三分之一 is a multiple."""
    quantity = said_amount(text, amount)
    written = text[quantity.start : quantity.end]
    if quantity.unit != "ratio" or "百分" in written or "成" in written:
        return quantity
    before = text[max(0, quantity.start - 24) : quantity.start]
    shrunk = not quantity.noun and _SHRUNK_TO.search(before) is not None
    if shrunk or _OF_USUAL.match(text, quantity.end):
        return replace(quantity, unit="", form=Form.MULTIPLE, noun="")
    return quantity


def said_multiple(text: str, multiple: Multiple, own: Bound = Bound.EXACT) -> Quantity:
    """Make the quantity of a multiple, or of a count that is written like one."""
    start, end, bound = _bounded(text, multiple.start, multiple.end, own)
    return Quantity(
        start,
        end,
        text[start:end],
        value=multiple.value,
        half=multiple.half,
        bound=bound,
        form=Form.VALUE if multiple.noun else Form.MULTIPLE,
        high=multiple.high,
        noun=multiple.noun,
    )


def said_part(text: str, first: Amount, part: Amount, whole: Amount, end: int) -> Quantity:
    """Make the quantity of a part of a whole; ``first`` is the one that is written first."""
    start, end, bound = _bounded(text, first.start, end, Bound.EXACT)
    # 五个请求中有一个超时: behind the part stands what became of it.
    noun = "" if part is not first else noun_at(text, end, "")
    if not noun or noun in MEASURES:
        noun = noun_at(text, first.end, "") or noun
    return Quantity(
        start,
        end,
        text[start:end],
        value=float(part.number * part.factor),
        half=float(part.step * part.factor) / 2,
        unit=part.unit,
        bound=bound,
        form=Form.PART,
        whole=float(whole.number * whole.factor),
        noun=noun,
    )


def said_ordinal(text: str, start: int, end: int) -> Quantity:
    """Make a number that is no amount."""
    return Quantity(start, end, text[start:end], 0.0, 0.0, form=Form.ORDINAL)
