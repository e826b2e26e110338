"""Words around a number that tell what it does: lasted, rose by, 持续, 增加了."""

import re

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._adjacent import Adjacent

__all__ = ["is_change", "is_growth", "lasting"]

_LASTING_BEFORE = Adjacent(
    {
        "for|for the|for a total of|for another|for an additional": Bound.EXACT,
        "for only|for the last": Bound.EXACT,
        "for the past|for the next|over the last|over the past": Bound.EXACT,
        "in the last|in the past": Bound.EXACT,
        "within the last|the last|the past|last|past|previous|the previous": Bound.EXACT,
        "lasted|lasting|lasts|lasted for|lasting for|lasted another": Bound.EXACT,
        "lasted only|lasted:": Bound.EXACT,
        "duration of|a duration of|duration|duration was|duration:|a period of": Bound.EXACT,
        "over a period of|throughout|went on for|continued for": Bound.EXACT,
        "persisted|persisted for": Bound.EXACT,
        "outage of|downtime of": Bound.EXACT,
        "持续了?|已持续了?|共持续了?|持续达|持续时间|持续时间为": Bound.EXACT,
        "持续时间:|持续时长|持续时长为": Bound.EXACT,
        "持续时长:|历时了?|前后历时|长达|总时长|总时长为|时长|时长为|维持了?|延续了?": Bound.EXACT,
        "最近|最近的|过去|过去的|中断了?|宕机了?|停机了?|不可用|不可用了": Bound.EXACT,
        "within|in under|in less than|for up to|for at most": Bound.AT_MOST,
    }
)
_LASTING_BEHIND = Adjacent(
    {
        "long|-long|in duration|outage|-outage|interruption|of downtime|of outage": Bound.EXACT,
        "之久": Bound.EXACT,
        "内|之内|以内": Bound.AT_MOST,
    }
)


def lasting(text: str, start: int, end: int) -> Bound | None:
    """Tell whether a time at ``text[start:end]`` says how long something went on.

    Returns:
        Nothing when it does not; else `Bound.AT_MOST` for "within" and its like, or
        `Bound.EXACT`.
    """
    # Before goes first: 最近 1 小时内 is the last hour, and not within it.
    found = _LASTING_BEFORE.before(text, start) or _LASTING_BEHIND.behind(text, end)
    return None if found is None else found[1]


_UP = (
    "rose|risen|rises|rising|rise of|a rise of|rose by|increased|increases|increase|increasing"
    "|increase of|an increase of|increased by|grew|grown|grows|growing|growth of|grew by|climbed"
    "|jumped|jump of|a jump of|jumped by|surged|spiked|gained|went up|gone up|up|multiplied"
    "|增加了?|上升了?|升高了?|增长了?|提高了?|上涨了?|涨了?|涨幅|涨幅达|涨幅为|增幅|增幅达|增幅为|提升了?"
    "|多了|多出|高出|高了|慢了|大了|升了|延长了?|变长了|增|激增了?|飙升了?|攀升了|扩大了?|高|慢|多|超出|上浮"
)
_DOWN = (
    "fell|fallen|falls|falling|fell by|a fall of|dropped|drops|drop|drop of|a drop of|dropped by"
    "|decreased|decreases|decrease|decreasing|decrease of|a decrease of|declined|decline of|reduced"
    "|reduction of|reduced by|shrank|lost|went down|gone down|down|slowed by|short by"
    "|下降了?|减少了?|降低了?|下跌了?|跌了?|跌幅|跌幅达|降幅|降幅达|降幅为|少了|低了|快了|降了|缩短了?"
    "|缩小了|回落了|下滑了?|减|下调了|低|快|少"
)
_RISING = Adjacent({_UP: True})
_CHANGING = Adjacent({_UP: True, _DOWN: True, "difference of|a difference of|相差|差了": True})
_BY = Adjacent(
    {"by|by a|by an|by another|by a further|a further|another|an additional|an extra": True}
)
# "by" alone may name who did it: "caused by 3 clients".
_VERBS = re.compile(
    r"\b(?:r[io]se|rising|increas|gr[eo]w|climb|jump|surg|fell|fall|drop|decreas|declin|reduc"
    r"|shr[aiu]nk|up\b|down\b|higher|lower|slower|faster|cut|exceed|chang|differ|improv|worsen"
    r"|degrad|delay|extend|short|off\b|spik|slow|went|missed|over|scal)",
    re.IGNORECASE,
)
_VERB_BEFORE = 48
_CHANGING_BEHIND = Adjacent(
    {
        "more|fewer|less|higher|lower|slower|faster|longer|shorter|larger|smaller|greater": True,
        "worse|better|increase|decrease|drop|rise|jump|growth|reduction|decline|fall|spike": True,
        "additional|extra|surge|-increase|-drop|late|improvement|regression": True,
        "above baseline|below baseline|above normal|below normal|above the|below the": True,
        "above its|below its|over baseline": True,
        "的增长|的增幅|的涨幅|的下降|的降幅|的提升|的降低|的上升|的增加|的减少": True,
        "增长|增幅|涨幅|降幅": True,
    }
)
# 最高 2.6 s is a level and no rise.
_LEVEL = frozenset("最较过很太缺更")


def is_growth(text: str, start: int) -> bool:
    """Tell whether the words before a number say that something grew (by) it."""
    by = _BY.before(text, start)
    return _RISING.before(text, start if by is None else by[0]) is not None


def is_change(text: str, start: int, end: int) -> bool:
    """Tell whether the number at ``text[start:end]`` is the difference itself."""
    if _CHANGING_BEHIND.behind(text, end):
        return True
    changing = _CHANGING.before(text, start)
    if changing is not None:
        return changing[0] == 0 or text[changing[0] - 1] not in _LEVEL
    by = _BY.before(text, start)
    if by is None:
        return False
    return _VERBS.search(text[max(0, by[0] - _VERB_BEFORE) : by[0]]) is not None
