"""Chinese words that hold a numeral and no number: 统一, 十分, 一直, 两者."""

import re

from superbizagent.analysis.claims.scan._nouns import MEASURE_AT
from superbizagent.analysis.claims.scan.numerals import Numeral
from superbizagent.analysis.claims.scan.units import unit_at

__all__ = ["is_han_number"]

# 第三, 周三, 星期三 and the minutes of 三点二十分.
_NO_NUMBER_BEFORE = re.compile(r"(?:第|周|星期|礼拜|[0-9一二三四五六七八九十两]点)$")
# Characters that make a word with the 一 behind them: 统一, 唯一, 之一, 进一步.
_ONE_BEHIND = frozenset("统唯之单同每任某逐不这那哪另其划专归如万始惟整再进初均接前后上下")
# 一 before these is a word: 一直, 一些, 一样.
_ONE_BEFORE = frozenset("直些样般定旦致起下并共切律边步时度方系部点向面再同道贯应味体带举流经")
# A count of one is said with these; alone, 一个 is an article.
_ONLY = re.compile(r"(?:只有|仅有?|只|共|不止|至少|最多|超过|不到|恰好|正好|多了|少了|了|过)$")
_WORDS = re.compile(
    r"十分(?!钟|之)|千万(?![个条次级行])|万一|一一|[二三]者|两[者侧端边方]|四处|五花|七零|一成不变|十足"
    r"|百般|千篇|三番|二次(?!方)|[一二三四]级|[二八十]进制|十六进制|一周[期围边]"
)
# 三到五个, 三、四个: the measure word comes behind the second.
_JOINED = re.compile(r"[到至~、-][0-9一二两三四五六七八九十]")
_DATE_BEHIND = frozenset("月日号点")


def _is_one(text: str, start: int, end: int) -> bool:
    """Tell whether 一 counts: before a unit or 倍, or when the words say "only one"."""
    if text[start - 1 : start] in _ONE_BEHIND and start:
        return False
    if unit_at(text, end, start) is not None or text[end : end + 1] == "倍":
        return True
    if text[end : end + 1] in _ONE_BEFORE or MEASURE_AT.match(text, end) is None:
        return False
    return _ONLY.search(text[max(0, start - 4) : start]) is not None


def is_han_number(text: str, numeral: Numeral) -> bool:
    """Tell whether Chinese numerals are a number: 七百一十六, 三个, and not 十分, 一直."""
    start, end = numeral.start, numeral.end
    written, behind = text[start:end], text[end : end + 1]
    before = text[max(0, start - 2) : start]
    if _NO_NUMBER_BEFORE.search(before) or _WORDS.match(text, start):
        return False
    if behind in _DATE_BEHIND and numeral.top is None and numeral.number <= 59:
        return behind == ""
    if written == "一":
        return _is_one(text, start, end)
    # 双十一 is a day of sales; 十 alone needs a measure word.
    if len(written) > 1 or numeral.top is not None:
        return before[-1:] != "双"
    if behind == "倍" or unit_at(text, end, start) or _JOINED.match(text, end):
        return True
    # One numeral by itself counts only before a measure word; 二 never does.
    return written != "二" and MEASURE_AT.match(text, end) is not None
