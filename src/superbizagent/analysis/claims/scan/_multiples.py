"""How many times as much: doubled, halved, 3x, 85-fold, 3 times higher, 翻倍, 3 倍."""

import re
from dataclasses import dataclass

from superbizagent.analysis.claims.scan._adjacent import Adjacent
from superbizagent.analysis.claims.scan._amounts import Amount
from superbizagent.analysis.claims.scan._forms import is_growth
from superbizagent.analysis.claims.scan.numerals import numeral_at

__all__ = ["Multiple", "multiple_behind", "multiple_word_at"]


@dataclass(frozen=True, slots=True)
class Multiple:
    """New over old, at ``text[start:end]``."""

    start: int
    end: int
    value: float
    half: float
    high: float | None = None
    noun: str = ""
    """``times`` when it is a count after all: "failed twice"."""


# "doubled" is said of 1.75 to 2.25 times: an eighth of the value around.
_EIGHTH = 0.125
_VERBS = {"doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0, "quintupl": 5.0}
_VERB = re.compile(
    r"(doubl|tripl|trebl|quadrupl|quintupl)(?:ed|ing|es)\b"
    r"|(double|triple|treble|quadruple)(?= (?:the|its|their|what|that|of|normal|baseline)\b)"
    r"|(halved|halving|halves)\b|(?:cut|dropped|reduced|split|fell) (in half)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(r"(twice|thrice)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r" (?:as\b|the\b|its\b|their\b|normal|usual|baseline|that\b|what\b|more\b|higher|larger|slower|faster|longer)",
    re.IGNORECASE,
)
_ONCE = re.compile(r"once(?=[.,;)]|$| (?:per|a|every|in)\b)", re.IGNORECASE)
_NOT_ONCE = re.compile(r"\b(?:at|all at|for) $", re.IGNORECASE)
_HALF_AS = re.compile(
    r"half(?= as\b| (?:of )?(?:its|their|the) (?:normal|usual|previous|baseline|former))",
    re.IGNORECASE,
)
_SPOKEN_FOLD = re.compile(
    r"(two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred)fold\b", re.IGNORECASE
)
_FOLDS = dict(
    zip(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
        range(2, 11),
        strict=True,
    )
)
_MORE_FOLDS = {"twelve": 12, "twenty": 20, "hundred": 100}

_HAN = re.compile(
    r"翻(?:了)?(?P<times>[一两二三四五六七八九十0-9]{1,3}) ?(?P<how>[倍番])|(?P<double>翻(?:了)?(?:一)?[倍番]|成倍翻)"
    r"|(?P<halved>减半|腰斩|砍半|对半)|(?:减少|降低|下降|缩短|降|减|跌|少|缩小|回落|下跌)(?:了)?(?:近|约)?(?P<half>一半)"
)
_ORDERS = re.compile(r" ?(?:orders? of magnitude|个数量级)")


def _rough(start: int, end: int, value: float) -> Multiple:
    return Multiple(start, end, value, _EIGHTH * value)


def _han_word(text: str, at: int) -> Multiple | None:
    found = _HAN.match(text, at)
    if found is None:
        return None
    if found["halved"]:
        return _rough(at, found.end(), 0.5)
    if found["half"]:
        return _rough(found.start("half"), found.end(), 0.5)
    if found["double"]:
        return _rough(at, found.end(), 2.0)
    numeral = numeral_at(text, found.start("times"))
    if numeral is None or numeral.number > 20:
        return None
    number = float(numeral.number)
    # 番 doubles each time; 翻了两倍 adds two to the one there was.
    value = 2.0**number if found["how"] == "番" else number + 1
    return _rough(at, found.end(), value)


def multiple_word_at(text: str, at: int) -> Multiple | None:
    """Read a word that multiplies by itself: doubled, twice, tenfold, 翻倍, 减半."""
    if not text[at].isascii():
        return _han_word(text, at)
    if found := _VERB.match(text, at):
        if found[3] or found[4]:
            return _rough(found.start(4) if found[4] else at, found.end(), 0.5)
        stem = (found[1] or found[2].rstrip("e")).lower()
        return _rough(at, found.end(), _VERBS[stem])
    if found := _TWICE.match(text, at):
        value = 2.0 if found[0].lower() == "twice" else 3.0
        if _COMPARED.match(text, found.end()):
            return _rough(at, found.end(), value)
        return Multiple(at, found.end(), value, 0.5, noun="times")
    if (found := _ONCE.match(text, at)) and not _NOT_ONCE.search(text[max(0, at - 7) : at]):
        return Multiple(at, found.end(), 1.0, 0.5, noun="times")
    if found := _SPOKEN_FOLD.match(text, at):
        return _rough(at, found.end(), float(_FOLDS[found[1].lower()]))
    if found := _HALF_AS.match(text, at):
        return _rough(at, found.end(), 0.5)
    return None


_X = re.compile(
    r" ?[x×X](?![A-Za-z0-9_]| ?[0-9])|[ -]?fold\b| ?-?times(?= (?P<compared>.{2,12}))?",
    re.IGNORECASE,
)
_MULTIPLYING = re.compile(
    r"(?:higher|more|larger|greater|slower|faster|longer|bigger|worse|better|above|over|(?P<less>lower|less|fewer"
    r"|smaller|shorter|below)|as\b|the\b|its\b|their\b|normal|usual|baseline|that\b|what\b|increase|growth|of the|previous)",
    re.IGNORECASE,
)
_TIMES_HAN = re.compile(r" ?倍")
_FACTOR = Adjacent(dict.fromkeys(("factor of", "a factor of", "by a factor of", "×", "x"), 0))
# Growth by N times the old level leaves N + 1 of it, growth to N times leaves N.
_GROWN = Adjacent(
    dict.fromkeys(
        [
            "增加",
            "增加了",
            "增长",
            "增长了",
            "上升",
            "上升了",
            "升高",
            "升高了",
            "上涨",
            "上涨了",
            "涨",
            "涨了",
            "提高",
            "提高了",
            "提升",
            "提升了",
            "高",
            "高出",
            "高了",
            "多",
            "多了",
            "多出",
            "超出",
            "扩大了",
            "飙升",
            "飙升了",
            "激增",
            "激增了",
            "攀升",
            "攀升了",
            "延长",
            "延长了",
            "变长了",
            "慢",
            "慢了",
            "大",
            "大了",
            "长了",
            "增",
            "增大了",
            "升了",
        ],
        0,
    )
)
_SHRUNK = Adjacent(
    dict.fromkeys(
        [
            "降低",
            "降低了",
            "下降",
            "下降了",
            "减少",
            "减少了",
            "缩短",
            "缩短了",
            "缩小",
            "缩小了",
            "少",
            "少了",
            "低",
            "低了",
            "下跌了",
        ],
        0,
    )
)


def _han_multiple(text: str, start: int, number: float, half: float) -> tuple[float, float]:
    """Return the value and half of "N 倍" as its verb means it."""
    if _GROWN.before(text, start):
        return number + 1, half
    if number > 0 and _SHRUNK.before(text, start):
        return 1 / number, half / number**2
    return number, half


def _times(text: str, amount: Amount, start: int, found: re.Match[str]) -> bool | None:
    """Tell what "N times" is: nothing for a count, true when less is meant, else false."""
    compared = _MULTIPLYING.match(found["compared"] or "")
    if compared is None:
        return False if is_growth(text, start) else None
    return compared["less"] is not None


def multiple_behind(text: str, amount: Amount, start: int) -> Multiple | None:
    """Read x, -fold, times, 倍, or orders of magnitude behind a number without unit.

    Args:
        text: A normalised sentence.
        amount: The number.
        start: Where it begins with the bound before it.
    """
    number, half = float(amount.number), float(amount.step) / 2
    high = None if amount.top is None else float(amount.top)
    if found := _TIMES_HAN.match(text, amount.end):
        value, half = _han_multiple(text, start, number, half)
        high = None if high is None else high + value - number
        return Multiple(amount.start, found.end(), value, half, high)
    if (found := _ORDERS.match(text, amount.end)) and 0 < number < 10:
        # Nearer to 10**n than to any other power.
        return Multiple(amount.start, found.end(), 10 ** (number - 0.5), 0.0, 10 ** (number + 0.5))
    found = _X.match(text, amount.end)
    if found is None:
        factor = _FACTOR.before(text, start)
        return None if factor is None else Multiple(amount.start, amount.end, number, half, high)
    if "times" in found[0].lower():
        less = _times(text, amount, start, found)
        if less is None:
            return None
        if less and number > 0:
            return Multiple(amount.start, found.end(), 1 / number, half / number**2)
    return Multiple(amount.start, found.end(), number, half, high)
