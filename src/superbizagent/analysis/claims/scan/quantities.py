"""Find the numbers of a sentence, with their units and with how they are meant.

Numbers that tell one thing from another are given as `Form.ORDINAL` or, like identifiers,
versions, years and times of day, not at all.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from superbizagent.analysis.claims.mentions import Bound, Form, Quantity
from superbizagent.analysis.claims.scan._amounts import Amount, amount_at, past_token
from superbizagent.analysis.claims.scan._bounds import bound_before, bound_behind
from superbizagent.analysis.claims.scan._forms import is_change, is_label, is_year, lasting
from superbizagent.analysis.claims.scan._fractions import fraction_at
from superbizagent.analysis.claims.scan._joins import (
    is_lent,
    joined_pair,
    part_behind,
    range_behind,
)
from superbizagent.analysis.claims.scan._multiples import (
    Multiple,
    multiple_behind,
    multiple_word_at,
)
from superbizagent.analysis.claims.scan._nouns import MEASURES, noun_at
from superbizagent.analysis.claims.scan.numerals import Script

__all__ = ["find_quantities"]

# Where a number can begin. A run of digits and separators longer than any number, such as a line
# of data, is passed over as a whole: reading each of its numbers would say nothing.
_BEGIN = re.compile(
    r"(?P<data>[0-9][0-9.,:/_-]{79,})|(?P<digits>[0-9])"
    r"|(?P<word>(?<![A-Za-z0-9_./@'’])[A-Za-z]{1,40})"
    r"|(?P<ordinal>第 ?[0-9零一二三四五六七八九十百两]{1,8})"
    r"|(?P<han>[零〇一二两三四五六七八九十百千万亿]{1,40}|[翻半腰砍对]|[减降下缩跌少回][^ -~]?|[好几数上近过][半十百千万亿])"
)
_WORDS = frozenset(
    [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
        "a",
        "an",
        "half",
        "tens",
        "dozens",
        "hundreds",
        "thousands",
        "millions",
        "double",
        "doubled",
        "doubling",
        "doubles",
        "triple",
        "tripled",
        "tripling",
        "triples",
        "treble",
        "trebled",
        "quadruple",
        "quadrupled",
        "quadrupling",
        "quintupled",
        "halved",
        "halving",
        "halves",
        "twice",
        "thrice",
        "once",
        "twofold",
        "threefold",
        "fourfold",
        "fivefold",
        "sixfold",
        "sevenfold",
        "eightfold",
        "ninefold",
        "tenfold",
        "twelvefold",
        "twentyfold",
        "hundredfold",
        "cut",
        "dropped",
        "reduced",
        "split",
        "fell",
    ]
)
_ORDINALS = frozenset(
    [
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ]
)
# A second of time, a third party.
_NO_ORDINAL_BEFORE = re.compile(
    r"\b(?:per|an?|each|every|this|that|sub|milli|one)[ -]$", re.IGNORECASE
)
_NO_ORDINAL_BEHIND = re.compile(r"[ -]?(?:part(?:y|ies)|-?hand|quarter)\b", re.IGNORECASE)
_PARTY = re.compile(r"方(?!案|面|法|向|式)|百分位|一")


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read at a place: quantities, what they were made of, and where to go on."""

    stop: int
    quantities: tuple[Quantity, ...] = ()
    amounts: tuple[Amount | None, ...] = ()


def _masked(text: str, taken: Iterable[tuple[int, int]]) -> str:
    """Return the text with every character that was read already as ``\\0``."""
    parts: list[str] = []
    at = 0
    for start, end in taken:
        parts += (text[at:start], "\0" * (end - start))
        at = end
    return "".join((*parts, text[at:]))


def _ordinal(text: str, start: int, end: int) -> Quantity:
    return Quantity(start, end, text[start:end], 0.0, 0.0, form=Form.ORDINAL)


_SIGNED_AFTER = re.compile(r"[\w\])./\0-]")


def _sign(text: str, start: int) -> str:
    """Return the sign right before a number, empty when it is a dash or joins a name."""
    sign = text[start - 1 : start] if start else ""
    if sign not in {"+", "-"} or (start > 1 and _SIGNED_AFTER.match(text, start - 2)):
        return ""
    return sign


_MEASURED = re.compile(rf" ?[{MEASURES}]")


def _bounded(text: str, start: int, end: int, own: Bound) -> tuple[int, int, Bound]:
    """Return the span of a number with the bounds around it, and how it is meant."""
    bound = own
    before = bound_before(text, start)
    if before is not None:
        start, bound = before
    behind = bound_behind(text, end)
    if behind is not None:
        end, found = behind
        bound = found if before is None or found is not Bound.ABOUT else bound
    elif own is Bound.EXACT and (measure := _MEASURED.match(text, end)):
        # 700 个以上: the measure word stays outside, `noun` has it.
        behind = bound_behind(text, measure.end())
        bound = bound if behind is None else behind[1]
    return start, end, bound


def _form(text: str, quantity: Quantity, amount: Amount) -> Quantity:
    """Tell a duration and a difference from a level."""
    start, end = quantity.start, quantity.end
    if amount.unit == "s" and (limit := lasting(text, start, end)) is not None:
        bound = limit if quantity.bound is Bound.EXACT else quantity.bound
        return replace(quantity, form=Form.DURATION, bound=bound)
    if amount.points or is_change(text, start, end):
        return replace(quantity, form=Form.CHANGE)
    return quantity


def _plain(text: str, amount: Amount, top: Amount | None = None) -> Quantity:
    """Build the quantity of an amount, or of a range."""
    last = amount if top is None else top
    sign = _sign(text, amount.start)
    start = amount.start - len(sign)
    start, end, bound = _bounded(text, start, last.end, last.bound)
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
        noun=noun_at(text, end, amount.unit if last.stop <= last.end else ""),
    )
    # A level in seconds, bytes or percent is never below zero.
    if sign and (sign == "+" or amount.unit):
        return replace(quantity, form=Form.CHANGE)
    return _form(text, quantity, last)


def _multiplied(text: str, multiple: Multiple, own: Bound = Bound.EXACT) -> Quantity:
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


def _parted(text: str, part: Amount, whole: Amount, first: Amount, end: int) -> Quantity:
    start, end, bound = _bounded(text, first.start, end, Bound.EXACT)
    noun = noun_at(text, end, "")
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


_MARK_BEHIND = re.compile(r"[.)、](?: |$)")
_INLINE_MARK = re.compile(r"\) ?[A-Za-z一-龥`*\"]")


def _is_list_mark(text: str, amount: Amount) -> bool:
    """Tell whether a number counts the items of a list: ``1. ``, ``(2) the pool``."""
    if amount.end - amount.start > 2 or amount.script is not Script.DIGITS:
        return False
    before = text[: amount.start].strip(" \0") if amount.start < 8 else "text"
    if before in {"", "("}:
        return _MARK_BEHIND.match(text, amount.end) is not None
    if text[amount.start - 1] != "(" or not _INLINE_MARK.match(text, amount.end):
        return False
    return (
        re.search(
            r"(?:^|[.;:,、。] ?|\band |\bor )\($", text[max(0, amount.start - 6) : amount.start]
        )
        is not None
    )


_PLURAL_THEN = re.compile(r"[a-z -]{3,}s")
_STATUS = re.compile(r"(?:the|http|many|of|returning|returned|more|saw|with|no) $", re.IGNORECASE)


def _is_no_amount(text: str, amount: Amount) -> bool:
    """Tell whether a number is a year, a list mark, or the plural of a status code."""
    start, end = amount.start, amount.end
    if amount.script is not Script.DIGITS:
        return False
    if amount.unit == "s" and re.fullmatch("[1-5][0-9]{2}s|(?:19|20)[0-9]0s", text[start:end]):
        return _STATUS.search(text[max(0, start - 10) : start]) is not None
    if amount.unit or amount.step != 1:
        return amount.unit == "s" and text[end - 1] == "年" and is_year(text, start, end - 1, "")
    return _is_list_mark(text, amount) or is_year(text, start, end, noun_at(text, end, ""))


def _is_ordinal(text: str, amount: Amount) -> bool:
    if amount.unit or amount.multiplier != 1 or not is_label(text, amount.start, amount.end):
        return False
    return text[amount.start - 1 : amount.start] == "#" or not _PLURAL_THEN.fullmatch(
        noun_at(text, amount.end, "")
    )


def _of_amount(text: str, amount: Amount) -> _Read:
    """Tell what the amount is in its sentence, with the number that may belong to it."""
    if _is_no_amount(text, amount):
        return _Read(past_token(text, amount.start))
    part = part_behind(text, amount)
    if part is not None:
        quantity = _parted(text, part[0], part[1], amount, part[2])
        return _Read(max(part[2], quantity.end), (quantity,), (None,))
    start = bound_before(text, amount.start)
    begin = amount.start if start is None else start[0]
    if (ends := range_behind(text, amount, begin)) is not None:
        # 3 to 5 times, 3-5 倍
        whole = replace(ends[1], start=amount.start)
        multiple = None if whole.unit else multiple_behind(text, whole, begin)
        if multiple is not None:
            shift = multiple.value - float(ends[1].number)
            multiple = replace(multiple, value=float(ends[0].number) + shift, high=multiple.value)
            return _one(_multiplied(text, multiple), multiple.end)
        return _one(_plain(text, ends[0], ends[1]), ends[1].stop)
    if _is_ordinal(text, amount):
        return _one(_ordinal(text, amount.start, amount.end), past_token(text, amount.end - 1))
    multiple = None if amount.unit else multiple_behind(text, amount, begin)
    if multiple is not None:
        return _one(_multiplied(text, multiple, amount.bound), multiple.end)
    first = _plain(text, amount)
    second = joined_pair(text, amount)
    if second is None:
        return _Read(max(amount.stop, first.end), (first,), (amount,))
    stop = max(second.stop, second.end)
    return _Read(stop, (first, _plain(text, second)), (amount, second))


def _one(quantity: Quantity, stop: int) -> _Read:
    return _Read(max(stop, quantity.end), (quantity,), (None,))


def _ordinal_word(text: str, start: int, end: int) -> _Read:
    """Read second, third and their like as no amount."""
    if _NO_ORDINAL_BEFORE.search(text[max(0, start - 6) : start]):
        return _Read(end)
    if _NO_ORDINAL_BEHIND.match(text, end):
        return _Read(end)
    return _Read(end, (_ordinal(text, start, end),), (None,))


def _read(text: str, found: re.Match[str]) -> _Read:
    """Read what begins at a place where a number can begin."""
    at, end = found.span()
    kind = found.lastgroup
    if kind == "data":
        return _Read(end)
    if kind == "ordinal":
        # 第一 is a word of order, 第三方 is a third party.
        if _PARTY.match(text, end) or found[0].endswith("第一"):
            return _Read(end)
        return _Read(end, (_ordinal(text, at, end),), (None,))
    if kind == "word":
        word = found[0].lower()
        if word in _ORDINALS:
            return _ordinal_word(text, at, end)
        if word not in _WORDS:
            return _Read(end)
    if kind != "digits" and (multiple := multiple_word_at(text, at)) is not None:
        return _one(_multiplied(text, multiple), multiple.end)
    if (fraction := fraction_at(text, at)) is not None:
        return _one(_plain(text, fraction), fraction.end)
    amount = amount_at(text, at)
    if amount is not None:
        return _of_amount(text, amount)
    return _Read(past_token(text, at) if kind == "digits" else end)


def _lend(text: str, quantities: list[Quantity], amounts: list[Amount | None]) -> list[Quantity]:
    """Give the unit that was said once to the numbers before it: from 31 to 40 ms."""
    lent = list(quantities)
    for i in range(len(lent) - 2, -1, -1):
        amount, behind = amounts[i], amounts[i + 1]
        if amount is None or behind is None or amount.unit or lent[i].noun or not behind.unit:
            continue
        if amount.script is not behind.script or not is_lent(text, lent[i].end, lent[i + 1].start):
            continue
        amounts[i] = amount = amount.scaled_as(replace(behind, multiplier=amount.multiplier))
        lent[i] = replace(
            lent[i],
            value=float(amount.number * amount.factor),
            half=float(amount.step * amount.factor) / 2,
            unit=amount.unit,
        )
    return lent


def find_quantities(text: str, taken: Iterable[tuple[int, int]] = ()) -> tuple[Quantity, ...]:
    """Find the numbers of a sentence.

    A span holds the number, its unit and the words that bound it ("at least", 以上); verbs ("rose
    by", 持续) and what is counted stay outside, so that others can read them.

    Args:
        text: A sentence as `sentences.normalise` leaves it.
        taken: Spans that were read already, sorted, none overlapping another; nothing is read
            into them.

    Returns:
        The quantities in text order.
    """
    masked = _masked(text, taken)
    quantities: list[Quantity] = []
    amounts: list[Amount | None] = []
    at = 0
    while found := _BEGIN.search(masked, at):
        read = _read(masked, found)
        at = max(read.stop, at + 1)
        quantities += read.quantities
        amounts += read.amounts
    return tuple(_lend(masked, quantities, amounts))
