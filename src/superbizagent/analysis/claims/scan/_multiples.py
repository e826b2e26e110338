"""How many times as much: doubled, halved, 3x, 85-fold, 3 times higher, 翻倍, 3 倍."""

import re
from dataclasses import dataclass, replace

from superbizagent.analysis.claims.mentions import Bound
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
    bound: Bound = Bound.EXACT


# "doubled" is said of 1.75 to 2.25 times: an eighth of the value around.
_EIGHTH = 0.125
_VERB_VALUES = {"doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0, "quintupl": 5.0}
_VERB = re.compile(
    r"(?P<verb>doubl|tripl|trebl|quadrupl|quintupl)"
    r"(?:(?:ed|ing|es)\b|e(?= (?:the|its|their|what|that|of|normal|baseline)\b))"
    r"|(?P<half>halved|halving|halves)\b|(?:cut|dropped|reduced|split|fell) (?P<in>in half)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(
    r"(?:(?P<two>twice)|thrice)\b(?P<compared> (?:as|the|its|their|normal|usual|baseline|that|what"
    r"|more|higher|larger|slower|faster|longer)\b)?",
    re.IGNORECASE,
)
_ONCE = re.compile(r"once(?=[.,;)]|$| (?:per|a|every|in)\b)", re.IGNORECASE)
_NOT_ONCE = re.compile(r"\b(?:at|for) $", re.IGNORECASE)
_HALF_AS = re.compile(
    r"half(?= as\b| (?:of )?(?:its|their|the) (?:normal|usual|previous|baseline|former)\b)",
    re.IGNORECASE,
)
_FOLDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "twenty": 20,
    "hundred": 100,
}
_FOLD = re.compile(rf"({'|'.join(_FOLDS)})fold\b", re.IGNORECASE)

_HAN = re.compile(
    r"翻了?(?P<near>将近|接近|近|大?约)?"
    r"(?:(?P<times>[一两二三四五六七八九十0-9]{1,3}) ?(?P<how>[倍番])|(?P<double>[倍番]))"
    r"|(?P<halved>减半|腰斩|砍半|对半)"
    r"|(?:减少?|降低?|下[降跌]|缩[短小]|跌|少|回落)了?[近约]?(?P<half>一半)"
)


def _rough(start: int, end: int, value: float) -> Multiple:
    return Multiple(start, end, value, _EIGHTH * value)


def _han_word(text: str, at: int) -> Multiple | None:
    """Read 翻倍, 翻了两番, 减半, 减少了一半."""
    found = _HAN.match(text, at)
    if found is None:
        return None
    if not found["times"]:
        start = found.start("half") if found["half"] else at
        return _rough(start, found.end(), 2.0 if found["double"] else 0.5)
    numeral = numeral_at(text, found.start("times"))
    if numeral is None or numeral.number > 20:
        return None
    number = float(numeral.number)
    # 番 doubles each time; 翻了两倍 adds two to the one there was.
    value = 2.0**number if found["how"] == "番" else number + 1
    return replace(
        _rough(at, found.end(), value), bound=Bound.ABOUT if found["near"] else Bound.EXACT
    )


def _verb(text: str, at: int) -> Multiple | None:
    """Read doubled, tripled, halved, cut in half."""
    found = _VERB.match(text, at)
    if found is None:
        return None
    start = found.start("in") if found["in"] else at
    value = 0.5 if found["verb"] is None else _VERB_VALUES[found["verb"].lower()]
    return _rough(start, found.end(), value)


def _counted(text: str, at: int) -> Multiple | None:
    """Read once, twice and thrice: how often, or how many times as much."""
    if found := _TWICE.match(text, at):
        value = 2.0 if found["two"] else 3.0
        end = at + 6
        if found["compared"]:
            return _rough(at, end, value)
        return Multiple(at, end, value, 0.5, noun="times")
    found = _ONCE.match(text, at)
    if found is None or _NOT_ONCE.search(text[max(0, at - 4) : at]):
        return None
    return Multiple(at, found.end(), 1.0, 0.5, noun="times")


def multiple_word_at(text: str, at: int) -> Multiple | None:
    """Read a word that multiplies by itself: doubled, twice, tenfold, 翻倍, 减半."""
    if not text[at].isascii():
        return _han_word(text, at)
    if found := _FOLD.match(text, at):
        return _rough(at, found.end(), float(_FOLDS[found[1].lower()]))
    if found := _HALF_AS.match(text, at):
        return _rough(at, found.end(), 0.5)
    return _verb(text, at) or _counted(text, at)


_X = re.compile(
    r" ?[x×](?![A-Za-z0-9_]| ?[0-9])|[ -]?fold\b| ?-?(?P<times>times)\b(?= (?P<compared>.{2,12}))?",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?:higher|more|larger|greater|slower|faster|longer|bigger|worse|better|above|over|increase"
    r"|growth|normal|usual|baseline|previous|(?P<less>lower|less|fewer|smaller|shorter|below)"
    r"|(?:as|the|its|their|that|what|of the)\b)",
    re.IGNORECASE,
)
_ORDERS = re.compile(r" ?(?:orders? of magnitude|个数量级)")
_TIMES_HAN = re.compile(r" ?倍")
_FACTOR = Adjacent({"factor of|a factor of|by a factor of": True})
# x3 and ×3, but 3 x 5 is a product.
_X_BEFORE = re.compile(r"(?:^|[ (~])[x×X]$")
# Growth by N times the old level leaves N + 1 of it, growth to N times leaves N.
_GROWN = Adjacent(
    {
        "增加了?|增长了?|上升了?|升高了?|上涨了?|涨了?|提高了?|提升了?|高了?": True,
        "高出|多了?|多出|超出": True,
        "扩大了|飙升了?|激增了?|攀升了?|延长了?|变长了|慢了?|快了?|大了?|长了|增大了|增|升了": True,
    }
)
_SHRUNK = Adjacent({"降低了?|下降了?|减少了?|缩短了?|缩小了?|少了?|低了?|下跌了": True})


def _of_verb(text: str, start: int, number: float, half: float) -> tuple[float, float]:
    """Return the value and half of "N 倍" as the verb before it means it."""
    if _GROWN.before(text, start):
        return number + 1, half
    if number > 0 and _SHRUNK.before(text, start):
        # 降低了一倍 cannot mean that nothing changed: it is said of half.
        number = 2.0 if number == 1 else number
        return 1 / number, half / number**2
    return number, half


def _marked(text: str, amount: Amount, start: int) -> re.Match[str] | None:
    """Find the x, -fold or times behind a number, unless it only counts."""
    found = _X.match(text, amount.end)
    if found is None or not found["times"]:
        return found
    compared = _COMPARED.match(found["compared"] or "") is not None
    return found if compared or is_growth(text, start) else None


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
        value, half = _of_verb(text, start, number, half)
        high = None if high is None else high + value - number
        return Multiple(amount.start, found.end(), value, half, high)
    if (found := _ORDERS.match(text, amount.end)) and 0 < number < 10:
        # Nearer to 10**n than to any other power.
        return Multiple(amount.start, found.end(), 10 ** (number - 0.5), 0.0, 10 ** (number + 0.5))
    if found := _marked(text, amount, start):
        compared = _COMPARED.match(found["compared"] or "")
        if compared is not None and compared["less"] and number > 0:
            number, half = 1 / number, half / number**2
        return Multiple(amount.start, found.end(), number, half, high)
    by_factor = _FACTOR.before(text, start) or _X_BEFORE.search(text[max(0, start - 2) : start])
    return Multiple(amount.start, amount.end, number, half, high) if by_factor else None
