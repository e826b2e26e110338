"""Read a number with its unit, where what stands around it lets it be one."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._han_words import is_han_number
from superbizagent.analysis.claims.scan._identifiers import begins_digits, ends_here
from superbizagent.analysis.claims.scan.numerals import Numeral, Script, numeral_at
from superbizagent.analysis.claims.scan.units import Unit, rate_at, unit_at

__all__ = ["Amount", "amount_at"]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit at ``text[start:end]``; times ``factor`` it is in base units."""

    start: int
    end: int
    number: Decimal
    step: Decimal
    factor: Decimal = Decimal(1)
    unit: str = ""
    bound: Bound = Bound.EXACT
    top: Decimal | None = None
    script: Script = Script.DIGITS
    points: bool = False
    """In percentage points."""
    multiplier: Decimal = Decimal(1)
    stop: int = 0
    """Where reading goes on: behind "requests per second" the span ends before the noun."""

    def scaled_as(self, other: "Amount") -> "Amount":
        """Return this number with the unit of ``other``: the 20 of ``20 to 30 ms``."""
        grown = other.multiplier if self.multiplier == 1 else Decimal(1)
        # "20 to 30 k" is 20 k, but "800 to 1.2 k" is not 800 k.
        if self.number * grown > other.number:
            grown = Decimal(1)
        return replace(
            self,
            number=self.number * grown,
            step=self.step * grown,
            factor=other.factor,
            unit=other.unit,
            points=other.points,
        )


_ONLY_ONE = re.compile(r"(?:only|just|exactly|more than|at least) $", re.IGNORECASE)
_ONE_OF = re.compile(
    r" (?:or(?= two\b)|(?:out )?of)(?: (?:the|its|our|all|these))? "
    r"(?:[0-9]|(?:two|three|four|five|six|seven|eight|nine|ten)\b)",
    re.IGNORECASE,
)


def _is_number(text: str, numeral: Numeral) -> bool:
    """Tell whether what stands around a number lets it be one."""
    start = numeral.start
    before = text[start - 1] if start else " "
    match numeral.script:
        case Script.DIGITS:
            return begins_digits(text, start)
        case Script.HAN:
            return is_han_number(text, numeral)
        case Script.WORDS:
            return not ((before.isalnum() and before.isascii()) or before in "-_'’./@")


def _is_pronoun(text: str, numeral: Numeral) -> bool:
    """Tell whether "one" without a unit is a pronoun or an article and no count."""
    if text[numeral.start : numeral.end].lower() != "one":
        return False
    before = text[max(0, numeral.start - 10) : numeral.start]
    return not (_ONLY_ONE.search(before) or _ONE_OF.match(text, numeral.end))


# 20 多毫秒, 3 个多小时: between the number and its unit.
_MIDDLE = {"多": Bound.OVER, "余": Bound.OVER, "来": Bound.ABOUT}


def _united(text: str, numeral: Numeral, unit: Unit | None) -> Amount:
    amount = Amount(
        start=numeral.start,
        end=numeral.end,
        number=numeral.number,
        step=numeral.step,
        bound=numeral.bound,
        top=numeral.top,
        script=numeral.script,
        multiplier=numeral.multiplier,
        stop=numeral.end,
    )
    if unit is None:
        return amount
    between = text[numeral.end : numeral.end + 3]
    bound = next((b for c, b in _MIDDLE.items() if c in between[: unit.end - numeral.end]), None)
    return replace(
        amount,
        end=unit.end,
        stop=unit.end,
        bound=bound or numeral.bound,
        factor=unit.factor,
        unit=unit.name,
        points=unit.points,
    )


_MINUTES = re.compile(r" ?分(?![之钟位区片])")
_MORE_TIME = re.compile(r",? and |, ?| |又|零")
# Half of a unit, written behind the number: 两分半, 3 小时半, "2 and a half hours".
_HALF_BEHIND = re.compile(r" ?半(?!数|径|夜)钟?| and a half\b")
_HALF_BETWEEN = re.compile(r"( and a half[ -]| ?个半)")
_HALF = Decimal("0.5")
# "two and a quarter times the baseline"
_PART_TIMES = re.compile(
    r" and (?:(a half)|(a quarter)|three[ -]quarters)(?= times\b)", re.IGNORECASE
)
_QUARTER, _THREE_QUARTERS = Decimal("0.25"), Decimal("0.75")
_PART_STEP = Decimal("0.1")
# "half an hour" is said of 24 to 36 minutes: a fifth of the unit around.
_HALF_STEP = Decimal("0.2")


def _longer(text: str, amount: Amount) -> Amount:
    """Take in the smaller units of a duration: 1 min 20 s, 2h5m30s, 一分二十秒, 两分半."""
    for _ in range(4):
        # A "半" ends it, whatever the unit.
        if found := _HALF_BEHIND.match(text, amount.end):
            return replace(
                amount,
                end=found.end(),
                stop=found.end(),
                number=amount.number + _HALF,
                step=_HALF_STEP,
            )
        # "1.55 s, 31.4 ms" are two numbers: the larger unit of one is whole.
        if amount.number != int(amount.number):
            return amount
        gap = _MORE_TIME.match(text, amount.end)
        place = amount.end if gap is None else gap.end()
        numeral = numeral_at(text, place)
        if numeral is None or numeral.start != place:
            return amount
        unit = unit_at(text, numeral.end, numeral.start)
        # 1 小时 20 分: 分 alone is a minute behind hours.
        if unit is None and (minutes := _MINUTES.match(text, numeral.end)):
            unit = Unit(minutes.end(), "s", Decimal(60))
        if unit is None or unit.name != "s" or unit.factor >= amount.factor:
            return amount
        # 90 s behind minutes is a number of its own.
        if numeral.number * unit.factor >= amount.factor:
            return amount
        ratio = amount.factor / unit.factor
        amount = replace(
            amount,
            end=unit.end,
            stop=unit.end,
            number=amount.number * ratio + numeral.number,
            step=numeral.step,
            factor=unit.factor,
        )
    return amount


_NOUN_RATE = re.compile(
    r" ?(?:[A-Za-z]{2,20} ?(?=/)|[A-Za-z]{2,20}(?: [A-Za-z]{2,20})?(?= (?:per|an?) )"
    r"|[个条次笔] ?[请求查询]{0,2} ?(?=[/每]))"
)
_EACH = re.compile(r"每(秒|分钟?|小时|天)钟? ?[^0-9,。;\0 ]{0,6} ?$")
_EACH_TIMES = {"秒": 1, "分": 60, "分钟": 60, "小时": 3600, "天": 86400}


def _as_rate(text: str, amount: Amount) -> Amount:
    """Read ``400 requests per second``, 每秒 400 次: the noun stays outside the span."""
    if not amount.unit and (found := _NOUN_RATE.match(text, amount.end)):
        rate = rate_at(text, found.end())
        if rate is not None:
            return replace(amount, stop=rate[0], unit="/s", factor=1 / rate[1])
    before = text[max(0, amount.start - 12) : amount.start]
    each = _EACH.search(before) if "每" in before else None
    if each is None:
        return amount
    factor = amount.factor / _EACH_TIMES[each[1]]
    return replace(amount, unit=f"{amount.unit}/s", factor=factor)


def _half_more(text: str, numeral: Numeral) -> Amount | None:
    """Read ``two and a half minutes``, ``two and a quarter times``, 一个半小时."""
    if times := _PART_TIMES.match(text, numeral.end):
        part = _HALF if times[1] else _QUARTER if times[2] else _THREE_QUARTERS
        more = replace(numeral, end=times.end(), number=numeral.number + part, step=_PART_STEP)
        return _united(text, more, None)
    found = _HALF_BETWEEN.match(text, numeral.end)
    unit = (
        None
        if found is None
        else unit_at(text, found.end() - (found[0][-1] in " -"), numeral.start)
    )
    if unit is None:
        return None
    half = replace(numeral, number=numeral.number + _HALF, step=_HALF_STEP)
    return _united(text, half, unit)


def amount_at(text: str, at: int, *, joined: bool = False) -> Amount | None:
    r"""Read the number that begins at ``at``, with its unit.

    Args:
        text: A normalised sentence; characters that were read already are ``\0``.
        at: Where a digit, a number word or a Chinese numeral stands.
        joined: The number continues one before it (the 30 of ``20-30``), so that what stands
            right before it says nothing.

    Returns:
        The amount, or nothing when the digits or characters there are a part of an identifier,
        a version, a time of day or a word.
    """
    numeral = numeral_at(text, at)
    if numeral is None:
        return None
    amount = _half_more(text, numeral)
    if amount is None:
        unit = unit_at(text, numeral.end, numeral.start)
        if not (joined or _is_number(text, numeral)) or (
            unit is None and _is_pronoun(text, numeral)
        ):
            return None
        amount = _united(text, numeral, unit)
        amount = _longer(text, amount) if amount.unit == "s" else amount
    if not ends_here(text, amount.end):
        return None
    return _as_rate(text, amount) if amount.unit in {"", "bytes"} else amount
