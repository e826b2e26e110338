"""Two numbers that belong together: ranges, parts of a whole, and units said once for both."""

import re
from dataclasses import replace

from superbizagent.analysis.claims.scan._adjacent import Adjacent
from superbizagent.analysis.claims.scan._amounts import Amount, amount_at
from superbizagent.analysis.claims.scan._nouns import MEASURES

__all__ = ["is_lent", "joined_pair", "part_behind", "range_behind", "spread_behind"]

_RANGE = re.compile(
    r"(?: ?[-–—~] ?|(?P<word> to | ?[到至] ?)|(?P<between> and | ?[和与] ?)|\.\.|(?P<or> or ))"
)
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


def _is_move(text: str, first: Amount, start: int) -> bool:
    """Tell whether "20 to 30" goes from one value to another and is no range."""
    if _RANGING.search(text[max(0, start - 20) : start]):
        return False
    from_before = _FROM.before(text, start) is not None
    return from_before or (first.unit != "" and _MOVED.before(text, start) is not None)


def _is_between(text: str, start: int, end: int, word: str) -> bool:
    """Tell whether "20 and 30" is a range: between them, 在 … 之间."""
    if _BETWEEN.before(text, start) is None:
        return False
    return word.isascii() or _BETWEEN_BEHIND.match(text, end) is not None


_DATE_BEHIND = re.compile(r"-[0-9]")


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
    second = None if found is None else _second(text, found.end())
    if found is None or second is None or _DATE_BEHIND.match(text, second.end):
        return None
    if found["between"] and not _is_between(text, start, second.end, found["between"]):
        return None
    # "two or three" is a range, "5 or 10" an alternative.
    if found["or"] and second.number != first.number + 1:
        return None
    if found["word"] and _is_move(text, first, start):
        return None
    if not first.unit:
        first = first.scaled_as(second)
    elif not second.unit:
        second = replace(second, factor=first.factor, unit=first.unit, points=first.points)
    rises = first.number * first.factor < second.number * second.factor
    return (first, second) if rises and first.unit == second.unit else None


# The noun may stand before "of": 3 pods out of 5.
_OF = re.compile(
    r" ?(?P<slash>/) ?|(?: (?!of\b|out\b)[A-Za-z][A-Za-z-]{2,20}){0,2}"
    r" (?:out of|of)(?: (?:the|its|their|all|our|these|those))? (?:total of )?",
    re.IGNORECASE,
)
_AMONG = re.compile(
    rf" ?[{MEASURES}]? ?[^,。;:0-9\0]{{0,10}}?(?:之中|当中|中|里)"
    r"(?:的|有|仅有|只有|共有|已有|就有)? ?"
)


def part_behind(text: str, first: Amount) -> tuple[Amount, Amount, int] | None:
    """Read the other number of ``3 of 5``, ``3/5`` or 5 个中的 3 个.

    Returns:
        The part, the whole, and where the second of them ends.
    """
    if first.unit not in {"", "bytes"} or first.top is not None:
        return None
    found = _OF.match(text, first.end)
    turned = found is None
    found = found or (_AMONG.match(text, first.end) if first.unit == "" else None)
    second = None if found is None else _second(text, found.end())
    if found is None or second is None or second.unit != first.unit:
        return None
    part, whole = (second, first) if turned else (first, second)
    # 0.3/0.5 is a pair of values.
    whole_numbers = part.step == whole.step == 1 or not (turned or found["slash"])
    return (part, whole, second.end) if whole_numbers and _below(part, whole) else None


def _below(part: Amount, whole: Amount) -> bool:
    return part.number * part.factor <= whole.number * whole.factor and whole.number > 0


_PAIR = re.compile(r" ?(?:/|→|->|=>) ?")


def joined_pair(text: str, first: Amount) -> Amount | None:
    """Read the second of two values that a slash or an arrow joins: ``31/40 ms``, ``31→40 ms``."""
    found = _PAIR.match(text, first.end)
    return None if found is None else _second(text, found.end())


_SPREAD = re.compile(r" ?(?:±|\+/-|\+-) ?")


def spread_behind(text: str, first: Amount) -> tuple[Amount, Amount] | None:
    """Read ``31 ms ± 2 ms``, ``31 ± 2 ms``: the amount and its spread, in one unit."""
    found = _SPREAD.match(text, first.end)
    second = None if found is None else _second(text, found.end())
    if second is None or (first.unit and second.unit not in {"", first.unit}):
        return None
    if first.unit:
        return first, second if second.unit else replace(second, factor=first.factor)
    return replace(first, factor=second.factor, unit=second.unit), second


_LENDS = re.compile(
    r",? (?:and|or|to|vs\.?|versus|then|against) (?:about |roughly |~)?|, ?|、| ?[/→] ?| ?-> ?"
    r"| ?[和与到至或] ?|"
    r" ?(?:[升涨增降跌减变]|增加|增长|上升|升高|上涨|提高|下降|降低|减少|恶化|飙升|激增"
    r"|跃升|攀升|回落|骤升)"
    r"了?[到至为成][了约]? ?"
)


def is_lent(text: str, end: int, start: int) -> bool:
    """Tell whether the number behind ``text[end:start]`` has the unit of the one before it too."""
    return start - end <= 20 and _LENDS.fullmatch(text, end, start) is not None
