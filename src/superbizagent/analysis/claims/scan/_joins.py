"""Two numbers that belong together: ranges, parts of a whole, and units said once for both."""

import re
from dataclasses import replace

from superbizagent.analysis.claims.scan._adjacent import Adjacent
from superbizagent.analysis.claims.scan._amounts import Amount, amount_at
from superbizagent.analysis.claims.scan._nouns import MEASURES

__all__ = ["is_lent", "joined_pair", "part_behind", "range_behind"]

_RANGE = re.compile(r"(?: ?[-–—~] ?|(?P<word> to | ?[到至] ?)|(?P<between> and | ?[和与] ?)|\.\.)")
_FROM = Adjacent(dict.fromkeys(("from", "从", "由", "自", "from about", "从约"), 0))
_RANGING = re.compile(
    r"\b(?:rang|vari|fluctuat|oscillat|anywhere)\w{0,6}(?: from)? $", re.IGNORECASE
)
_BETWEEN = Adjacent(dict.fromkeys(("between", "介于", "在", "between about", "介于约"), 0))
_BETWEEN_BEHIND = re.compile(r"[^,。;]{0,4}之间")
# "rose 20 ms to 50 ms" rose by 20.
_MOVED = Adjacent(
    dict.fromkeys(
        [
            "rose",
            "fell",
            "up",
            "down",
            "increased",
            "decreased",
            "dropped",
            "grew",
            "climbed",
            "jumped",
            "declined",
            "by",
        ],
        0,
    )
)


def _second(text: str, at: int) -> Amount | None:
    amount = amount_at(text, at, joined=True)
    return amount if amount is not None and amount.start == at else None


def range_behind(text: str, first: Amount, start: int) -> tuple[Amount, Amount] | None:
    """Read the upper end of a range behind its lower end.

    Args:
        text: A normalised sentence.
        first: The lower end.
        start: Where it begins with the bound before it.

    Returns:
        Both ends, in the same unit; nothing when there is no range. "from 20 to 30" is none:
        it is a change from one value to another.
    """
    found = _RANGE.match(text, first.end)
    if found is None:
        return None
    second = _second(text, found.end())
    if second is None or (
        text[second.end : second.end + 1] == "-" and text[second.end + 1 :][:1].isdigit()
    ):
        return None
    if found["between"]:
        ends = second.end
        if _BETWEEN.before(text, start) is None or (
            not found["between"].isascii() and _BETWEEN_BEHIND.match(text, ends) is None
        ):
            return None
    elif found["word"] and not _RANGING.search(text[max(0, start - 20) : start]):
        if _FROM.before(text, start) or (first.unit and _MOVED.before(text, start)):
            return None
    if not first.unit:
        first = first.scaled_as(second)
    elif not second.unit:
        second = replace(second, factor=first.factor, unit=first.unit, points=first.points)
    if first.unit != second.unit or first.number * first.factor >= second.number * second.factor:
        return None
    return first, second


_OF = re.compile(
    r" ?(?P<slash>/) ?|(?: (?!of\b|out\b)[A-Za-z][A-Za-z-]{2,20}){0,2}"
    r" (?:out of|of)(?: (?:the|its|their|all|our|these|those))? (?:total of )?",
    re.IGNORECASE,
)
_AMONG = re.compile(
    rf" ?[{MEASURES}]? ?[^,。;:0-9\0]{{0,10}}?(?:之中|当中|中|里)(?:的|有|仅有|只有|共有|已有|就有)? ?"
)
_NOT_PARTS = {(24, 7), (50, 50)}


def part_behind(text: str, first: Amount) -> tuple[Amount, Amount, int] | None:
    """Read the other number of ``3 of 5``, ``3/5`` or 5 个中的 3 个.

    Returns:
        The part, the whole, and where the second of them ends.
    """
    if first.unit not in {"", "bytes"} or first.top is not None:
        return None
    if found := _OF.match(text, first.end):
        second = _second(text, found.end())
        if second is None or (int(first.number), int(second.number)) in _NOT_PARTS:
            return None
        if found["slash"] and not (first.step == second.step == 1):
            return None
        if second.unit and not first.unit:
            return None
        fits = second.unit == first.unit and _below(first, second)
        return (first, second, second.end) if fits else None
    if first.unit == "" and (found := _AMONG.match(text, first.end)):
        second = _second(text, found.end())
        if second is not None and second.unit == "" and _below(second, first):
            return second, first, second.end
    return None


def _below(part: Amount, whole: Amount) -> bool:
    return part.number * part.factor <= whole.number * whole.factor and whole.number > 0


_PAIR = re.compile(r" ?(?:/|→|->|=>) ?")


def joined_pair(text: str, first: Amount) -> Amount | None:
    """Read the second of two values that a slash or an arrow joins: ``31/40 ms``, ``31→40 ms``."""
    found = _PAIR.match(text, first.end)
    return None if found is None else _second(text, found.end())


_LENDS = re.compile(
    r",? (?:and|or|to|vs\.?|versus|then|against) (?:about |roughly |~)?|, ?|、| ?[/→] ?| ?-> ?| ?[和与到至或] ?"
    r"| ?(?:升|涨|增|降|跌|减|变|增加|增长|上升|升高|上涨|提高|下降|降低|减少|恶化|飙升|激增|跃升|攀升|回落|骤升)(?:了)?(?:到|至|为|成)(?:了|约)? ?"
)


def is_lent(text: str, end: int, start: int) -> bool:
    """Tell whether the number behind ``text[end:start]`` has the unit of the one before it too."""
    return start - end <= 20 and _LENDS.fullmatch(text, end, start) is not None
