"""Parts of a whole without a percent sign: half, a third, 五分之一, 百分之十九, 三成."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Final

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._amounts import Amount
from superbizagent.analysis.claims.scan._han import DIGITS
from superbizagent.analysis.claims.scan.numerals import Numeral, Script, numeral_at
from superbizagent.analysis.claims.scan.units import unit_at

__all__ = ["fraction_at", "fraction_step"]

# A fraction in words is rounded speech: "a third" is said of 31 to 36 %.
_ROUGH = Decimal("0.05")


def fraction_step(whole: Decimal) -> Decimal:
    """Return how far apart fractions with this denominator are told, at most `_ROUGH`.

    Half of it is the half way to the next unit fraction: a tenth is nearer than 1/9 and 1/11.
    """
    return min(_ROUGH, 1 / (whole * (whole + 1)))


def _ratio(start: int, end: int, part: Decimal, whole: Decimal) -> Amount | None:
    if whole <= 0 or part > whole:
        return None
    return Amount(
        start, end, part / whole, fraction_step(whole), unit="ratio", script=Script.WORDS, stop=end
    )


_NUMBER = (
    r"(?:[0-9]{1,6}(?:\.[0-9]{1,4})?"
    r"|[零〇一二两三四五六七八九十百千万]{1,8}(?:点[零〇一二三四五六七八九]{1,4})?)"
)
_OF_HUNDRED = re.compile(rf"([百千万])分之 ?(?={_NUMBER})")
_OF_ANY = re.compile(rf"({_NUMBER}) ?分之 ?(?={_NUMBER})")
# 三成, 3 成, 两成半, 三成五, 七八成; 成功, 成为 and their like are words.
_TENTHS = re.compile(
    r"([一二两三四五六七八九]{1,2}|[1-9](?:\.[0-9])?) ?成(?:(半)|([一二三四五六七八九]))?"
    r"(?![功为立本员果长熟都了绩不型分交败因像千效])"
)


# 八成 before a verb is "most likely", but 其中八成是 counts.
_LIKELY = re.compile(r"(?<![中的里有约近过，,、])八成[是会因在]")


def _whole_number(numeral: Numeral | None, at: int) -> Numeral | None:
    return numeral if numeral is not None and numeral.start == at else None


def _of_hundred(text: str, at: int) -> Amount | None:
    found = _OF_HUNDRED.match(text, at)
    part = None if found is None else _whole_number(numeral_at(text, found.end()), found.end())
    if found is None or part is None:
        return None
    factor = {"百": Decimal("0.01"), "千": Decimal("0.001"), "万": Decimal("0.0001")}[found[1]]
    # 百分之二十 is as exact as 20 %.
    step = min(part.step, Decimal(1))
    return Amount(at, part.end, part.number, step, factor, "ratio", stop=part.end)


def _of_any(text: str, at: int) -> Amount | None:
    found = _OF_ANY.match(text, at)
    whole = None if found is None else numeral_at(text, at)
    part = None if found is None else _whole_number(numeral_at(text, found.end()), found.end())
    if whole is None or part is None:
        return None
    return _ratio(at, part.end, part.number, whole.number)


def _digit(written: str) -> Decimal:
    return Decimal(DIGITS[written]) if written in DIGITS else Decimal(written)


def _tenths(text: str, at: int) -> Amount | None:
    found = _TENTHS.match(text, at)
    if found is None or _LIKELY.match(text, at):
        return None
    written, top = found[1], None
    if len(written) == 2 and not written[0].isascii():
        written, top = written[0], _digit(written[1])
        if top != _digit(written) + 1:
            return None
    number, step = _digit(written), Decimal(1) if "." not in written else Decimal("0.1")
    if found[2]:
        number, step = number + Decimal("0.5"), Decimal("0.5")
    elif found[3]:
        number, step = number + _digit(found[3]) / 10, Decimal("0.1")
    return Amount(at, found.end(), number, step, Decimal("0.1"), "ratio", top=top, stop=found.end())


_HALF_UNIT_HAN = re.compile(r"半(?:个)?(?=小时|分钟|秒|个?月|年|个?钟头)")
_HALF_HAN = re.compile(r"一半|半数|过半(?!夜)")
# 大半 and 多半 are "most", 前半 and 后半 are places.
_NO_HALF_BEHIND = frozenset("大多前后上下另")
_HALF_UNIT = re.compile(r"half(?: an?)?[ -](?=hour|minute|second|day\b|week|month)", re.IGNORECASE)
# half-open and half-way are words, the first half is a place.
_HALF = re.compile(
    r"half(?![A-Za-z0-9_-])(?! (?:as|open|closed|way|dead)\b)"
    r"(?P<sure>(?= (?:of|the|its|their|all|our)\b))?",
    re.IGNORECASE,
)
_HALF_BEFORE = re.compile(
    r"\b(?:by|in|to|than|over|about|nearly|almost|roughly|only|around|under|least|is|are) $",
    re.IGNORECASE,
)
_NO_HALF = re.compile(
    r"(?:first|second|latter|other|upper|lower|top|bottom|last|next|one's) $", re.IGNORECASE
)


def _half_unit(text: str, at: int) -> Amount | None:
    """Read half an hour, half a second, 半小时."""
    found = _HALF_UNIT.match(text, at) or _HALF_UNIT_HAN.match(text, at)
    unit = None if found is None else unit_at(text, found.end(), at)
    if unit is None or (at and text[at - 1] in _NO_HALF_BEHIND):
        return None
    return Amount(
        at, unit.end, Decimal("0.5"), Decimal("0.2"), unit.factor, unit.name, stop=unit.end
    )


def _half(text: str, at: int) -> Amount | None:
    """Read half, 一半, 半数, 过半."""
    if found := _HALF_HAN.match(text, at):
        if at and text[at - 1] in _NO_HALF_BEHIND:
            return None
        half = _ratio(at, found.end(), Decimal(1), Decimal(2))
        return replace(half, bound=Bound.OVER) if half and found[0] == "过半" else half
    found = _HALF.match(text, at)
    before = text[max(0, at - 8) : at]
    if found is None or _NO_HALF.search(before):
        return None
    sure = found["sure"] is not None or _HALF_BEFORE.search(before) is not None
    return _ratio(at, found.end(), Decimal(1), Decimal(2)) if sure else None


_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "hundredth": 100,
    "thousandth": 1000,
}
_COUNTS = "one|two|three|four|five|six|seven|eight|nine"
_FRACTION = re.compile(
    rf"(an?|{_COUNTS})[ -]"
    rf"({'|'.join(_PARTS)})(s?)(?![A-Za-z0-9_-])"
    r"(?P<sure>(?= of\b| the\b)|(?=[.,;:)!?]|$))?",
    re.IGNORECASE,
)
_FRACTION_BEFORE = re.compile(
    r"\b(?:by|to|than|over|about|nearly|almost|roughly|only|around|under|least|most|is|was|just) $",
    re.IGNORECASE,
)


def _english_fraction(text: str, at: int) -> Amount | None:
    """Read a third, two-thirds, three quarters; "a third pod" is the third one."""
    found = _FRACTION.match(text, at)
    if found is None:
        return None
    word = found[1].lower()
    count = (
        1
        if word in {"a", "an"}
        else 1 + next(i for i, w in enumerate(_COUNTS.split("|")) if w == word)
    )
    sure = found["sure"] is not None or found[3] or word == "one"
    if not sure and not _FRACTION_BEFORE.search(text[max(0, at - 10) : at]):
        return None
    return _ratio(at, found.end(3), Decimal(count), Decimal(_PARTS[found[2].lower()]))


_IN = re.compile(r" (?:in|out of)(?: (every))? ", re.IGNORECASE)
_SLASH_OF = re.compile(r"([1-9][0-9]{0,2})/([1-9][0-9]{0,3})(?= of [a-z]| ?的)")


def _slashed(text: str, at: int) -> Amount | None:
    """Read "1/3 of the requests"."""
    found = _SLASH_OF.match(text, at)
    if found is None or (at and (text[at - 1].isalnum() or text[at - 1] in "-/._")):
        return None
    return _ratio(at, found.end(), Decimal(found[1]), Decimal(found[2]))


_TEN = Decimal(10)
_OF_BEHIND = re.compile(r" (?:of|requests|calls|queries|errors)\b")


def _one_in(text: str, at: int) -> Amount | None:
    """Read one in five, 1 in 5, 3 out of every 10."""
    part = numeral_at(text, at)
    found = None if part is None else _IN.match(text, part.end)
    whole = None if found is None else numeral_at(text, found.end())
    if part is None or found is None or whole is None or (at and text[at - 1] in "-/._"):
        return None
    # "1 in 5 min" is a rate of events, "3 in 10" may be anything, "1 out of 5" is a part.
    # "three in ten of the calls" is a share, in words.
    in_ten = whole.number == _TEN and _OF_BEHIND.match(text, whole.end) is not None
    told = found[1] is not None or (
        (part.number == 1 or (in_ten and not text[at].isdigit()))
        and " out of " not in found[0].lower()
    )
    if not told or whole.number <= part.number or unit_at(text, whole.end, whole.start):
        return None
    return _ratio(at, whole.end, part.number, whole.number)


_MAYBE = re.compile(r"[0-9][0-9.,]{0,9}(?:/| ?分之| ?成| in | out of )")
_ENGLISH: Final = (_english_fraction, _half_unit, _half, _one_in)
_IN_DIGITS: Final = (_slashed, _of_any, _tenths, _one_in)
_HAN: Final = (_of_hundred, _of_any, _tenths, _half_unit, _half)


def fraction_at(text: str, at: int) -> Amount | None:
    """Read the part of a whole, or half of a unit, that begins at ``at``."""
    c = text[at]
    if c.isdigit() and not _MAYBE.match(text, at):
        return None
    readers = _HAN if not c.isascii() else _IN_DIGITS if c.isdigit() else _ENGLISH
    return next((read for reader in readers if (read := reader(text, at)) is not None), None)
