"""Find the numbers of a sentence, with their units and with how they are meant.

Numbers that tell one thing from another are given as `Form.ORDINAL` or, like identifiers,
versions, years and times of day, not at all.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from superbizagent.analysis.claims.mentions import Form, Quantity
from superbizagent.analysis.claims.scan._amounts import Amount, amount_at
from superbizagent.analysis.claims.scan._bounds import bound_before
from superbizagent.analysis.claims.scan._fractions import fraction_at
from superbizagent.analysis.claims.scan._han import HAN
from superbizagent.analysis.claims.scan._identifiers import (
    is_label,
    is_list_mark,
    is_status_plural,
    is_year,
    nth_at,
    past_token,
)
from superbizagent.analysis.claims.scan._joins import (
    is_lent,
    joined_pair,
    part_behind,
    range_behind,
    spread_behind,
)
from superbizagent.analysis.claims.scan._multiples import multiple_behind, multiple_word_at
from superbizagent.analysis.claims.scan._nouns import MEASURES, noun_at
from superbizagent.analysis.claims.scan._said import (
    said_amount,
    said_fraction,
    said_multiple,
    said_ordinal,
    said_part,
)
from superbizagent.analysis.claims.scan.numerals import Script

__all__ = ["find_quantities"]

# Where a number can begin. A run of digits and separators longer than any number, such as a line
# of data, is passed over as a whole: reading each of its numbers would say nothing.
_BEGIN = re.compile(
    r"(?P<data>[0-9][0-9.,:/_-]{79,})|(?P<digits>[0-9])"
    r"|(?P<word>(?<![A-Za-z0-9_./@'’])[A-Za-z]{1,40})"
    r"|(?P<ordinal>第 ?[0-9零一二三四五六七八九十百两]{1,8})"
    r"|(?P<han>[零〇一二两三四五六七八九十百千万亿]{1,40}|翻(?=[了一两二三四五六七八九十倍番将接近大约0-9])"
    r"|(?:腰(?=斩)|[砍对](?=半)|半(?=[个小分秒年月天数钟])|[减降下缩跌少回](?=[^ -~]{0,4}半))"
    r"|[好几数上近过](?=[半十百千万亿]))"
)
_NUMBER_WORDS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety a an
    half several tens dozens
    hundreds thousands millions double doubled doubling doubles triple tripled
    tripling triples treble trebled quadruple quadrupled quadrupling quintupled halved halving
    halves twice thrice once twofold threefold fourfold fivefold sixfold sevenfold eightfold
    ninefold tenfold twelvefold twentyfold hundredfold cut dropped reduced split fell
"""
_NTH_WORDS = "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = frozenset(_NTH_WORDS.split(" "))
_WORDS = frozenset(_NUMBER_WORDS.split()) | _ORDINALS
# A second of time, a third party.
_NO_ORDINAL_BEFORE = re.compile(
    r"\b(?:per|an?|each|every|this|that|sub|milli|one)[ -]$", re.IGNORECASE
)
_NO_ORDINAL_BEHIND = re.compile(r"[ -]?(?:part(?:y|ies)|hand|quarter)\b", re.IGNORECASE)
# 第三方 is a third party, 第一 a word of order, 第95百分位 a statistic.
_NO_ORDINAL_HAN = re.compile(r"方(?![案面法向式])|百分位")


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read at a place: quantities, what they were made of, and where to go on."""

    stop: int
    quantities: tuple[Quantity, ...] = ()
    amounts: tuple[Amount | None, ...] = ()


def _one(quantity: Quantity, stop: int = 0) -> _Read:
    """Return one quantity that no other lends a unit to."""
    return _Read(max(stop, quantity.end), (quantity,), (None,))


def _masked(text: str, taken: Iterable[tuple[int, int]]) -> str:
    r"""Return the text with every character that was read already as ``\0``."""
    parts: list[str] = []
    at = 0
    for start, end in taken:
        parts += (text[at:start], "\0" * (end - start))
        at = end
    return "".join((*parts, text[at:]))


_IDIOM = re.compile(r"(?:24/7|50/50)(?![0-9])")
_THE_TWO = re.compile(r"\b(?:the|these|those|both|between|other) $", re.IGNORECASE)


def _is_no_number(text: str, amount: Amount) -> bool:
    """Tell whether a number is a year or a pronoun: in 2026, "the two"."""
    start, end = amount.start, amount.end
    if amount.unit:
        return amount.unit == "s" and text[end - 1] == "年" and 1900 <= amount.number < 2100
    if amount.script is Script.WORDS:
        alone = amount.number < 13 and not noun_at(text, end, "")
        return alone and _THE_TWO.search(text[max(0, start - 8) : start]) is not None
    return amount.step == 1 and is_year(text, start, end, noun_at(text, end, ""))


def _is_mark(text: str, amount: Amount) -> bool:
    """Tell whether digits count the items of a list, or are many responses: (2), 504s, 24/7."""
    start, end = amount.start, amount.end
    if amount.script is not Script.DIGITS:
        return False
    if amount.unit:
        return amount.unit == "s" and is_status_plural(text, start, end)
    return _IDIOM.match(text, start) is not None or is_list_mark(text, start, end)


# "each node 3 restarts", 步骤 3 个: behind a label stands no count of things.
_COUNTED = re.compile(rf"[a-z -]{{3,}}s|[{MEASURES}].*")
_NEXT_LABEL = re.compile(r", ?| and |, and | or |/|、| ?[和与] ?| of | ?- ?")


def _is_ordinal(text: str, amount: Amount) -> bool:
    """Tell whether a number is a label: "node 3", but not "each node 3 restarts"."""
    if amount.unit or amount.multiplier != 1 or amount.step != 1:
        return False
    labelled = is_label(text, amount.start)
    return labelled and _COUNTED.fullmatch(noun_at(text, amount.end, "")) is None


def _of_range(text: str, ends: tuple[Amount, Amount], begin: int) -> _Read:
    """Return a range, or a multiple that is one: 3 to 5 times higher, 3~5 倍."""
    low, high = ends
    multiple = None if high.unit else multiple_behind(text, replace(high, start=low.start), begin)
    if multiple is None:
        return _one(said_amount(text, low, high), high.stop)
    shift = multiple.value - float(high.number)
    multiple = replace(multiple, value=float(low.number) + shift, high=multiple.value)
    return _one(said_multiple(text, multiple))


def _of_amount(text: str, amount: Amount) -> _Read:
    """Tell what the amount is in its sentence, with the number that may belong to it."""
    if _is_ordinal(text, amount):
        return _one(said_ordinal(text, amount.start, amount.end))
    if (part := part_behind(text, amount)) is not None:
        return _one(said_part(text, amount, *part), part[2])
    bound = bound_before(text, amount.start)
    begin = amount.start if bound is None else bound[0]
    if (ends := range_behind(text, amount, begin)) is not None:
        return _of_range(text, ends, begin)
    multiple = None if amount.unit else multiple_behind(text, amount, begin)
    if multiple is None:
        return _alone(text, amount)
    return _one(said_multiple(text, multiple, amount.bound))


def _alone(text: str, amount: Amount) -> _Read:
    """Return an amount, with the spread or the second value that a sign joins to it."""
    if (spread := spread_behind(text, amount)) is not None:
        mean, width = spread
        told = said_amount(text, mean)
        half = float(width.number * width.factor)
        written = text[told.start : width.end]
        return _one(replace(told, half=half, end=width.end, text=written))
    first = said_amount(text, amount)
    second = joined_pair(text, amount)
    if second is None:
        return _Read(max(amount.stop, first.end), (first,), (amount,))
    stop = max(second.stop, second.end)
    return _Read(stop, (first, said_amount(text, second)), (amount, second))


def _ordinal_at(text: str, found: re.Match[str]) -> _Read | None:
    """Read 21st, #2, second, third, 第三; nothing when no ordinal begins here."""
    at, end = found.span()
    match found.lastgroup:
        case "digits":
            nth = nth_at(text, at)
            return None if nth is None else _one(said_ordinal(text, at, nth))
        case "ordinal":
            if _NO_ORDINAL_HAN.match(text, end) or found[0].endswith("第一"):
                return _Read(end)
        case "word":
            if found[0].lower() not in _ORDINALS:
                return None
            before = text[max(0, at - 6) : at]
            if _NO_ORDINAL_BEFORE.search(before) or _NO_ORDINAL_BEHIND.match(text, end):
                return _Read(end)
        case _:
            return None
    return _one(said_ordinal(text, at, end))


def _skip(text: str, found: re.Match[str]) -> _Read:
    """Return where to go on when nothing was read."""
    if found.lastgroup == "digits":
        return _Read(past_token(text, found.start()))
    # 数 of 错误数百分之三 hides what follows it; a run of numerals is passed over as a whole.
    whole = found.lastgroup != "han" or found[0][0] in HAN
    return _Read(found.end() if whole else found.start() + 1)


def _number_at(text: str, found: re.Match[str]) -> _Read:
    """Read a multiple in a word, a fraction or an amount."""
    at = found.start()
    if found.lastgroup != "digits" and (multiple := multiple_word_at(text, at)) is not None:
        return _one(said_multiple(text, multiple, multiple.bound))
    if (fraction := fraction_at(text, at)) is not None:
        # 百分之二十到三十
        ends = None if fraction.factor == 1 else range_behind(text, fraction, at)
        return _one(said_fraction(text, fraction)) if ends is None else _of_range(text, ends, at)
    amount = amount_at(text, at)
    if amount is None:
        return _skip(text, found)
    if _is_no_number(text, amount):
        return _Read(max(past_token(text, at), amount.end))
    if _is_mark(text, amount):
        idiom = _IDIOM.match(text, at)
        return _one(said_ordinal(text, at, amount.end if idiom is None else idiom.end()))
    return _of_amount(text, amount)


def _read(text: str, found: re.Match[str]) -> _Read:
    """Read what begins at a place where a number can begin."""
    if found.lastgroup == "data":
        return _Read(found.end())
    if (ordinal := _ordinal_at(text, found)) is not None:
        return ordinal
    return _number_at(text, found)


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


def _label_on(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Read what stands in one list with a label as a label: ports 80, 443 and 8080."""
    labelled = list(quantities)
    for i in range(1, len(labelled)):
        first, second = labelled[i - 1], labelled[i]
        plain = second.form is Form.VALUE and not (second.unit or second.noun)
        if first.form is not Form.ORDINAL or not plain or second.value != int(second.value):
            continue
        if second.start - first.end < 8 and _NEXT_LABEL.fullmatch(text, first.end, second.start):
            labelled[i] = said_ordinal(text, second.start, second.end)
    return labelled


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
        # Most words have nothing to do with numbers.
        if found.lastgroup == "word" and found[0].lower() not in _WORDS:
            at = found.end()
            continue
        read = _read(masked, found)
        at = max(read.stop, at + 1)
        quantities += read.quantities
        amounts += read.amounts
    return tuple(_label_on(masked, _lend(masked, quantities, amounts)))
