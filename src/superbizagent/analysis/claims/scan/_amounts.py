"""Read a number with its unit, where what stands around it lets it be one."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._han import DIGITS
from superbizagent.analysis.claims.scan._nouns import MEASURE_AT
from superbizagent.analysis.claims.scan.numerals import Numeral, Script, numeral_at
from superbizagent.analysis.claims.scan.units import Unit, rate_at, unit_at

__all__ = ["Amount", "amount_at", "begins_here", "past_token"]


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


_TOKEN = re.compile(r"[A-Za-z0-9_.:/@#%&?=+-]{1,400}")
# A number behind a name and a colon with the size of a port: mysql:3306.
_PORT = re.compile(r"[1-9][0-9]{3,4}(?![0-9.,kKM%])(?! ?(?:ms|s|B|KB|MB|个|条|次)\b)")
# 3-way, 2-phase, 24/7, 3-tier: the number is a part of the word.
_WORD_BEHIND = re.compile(
    r"-(?:way|phase|phased|tier|factor|sided|bit|legged|letter|digit|dimensional|step|stage|level|time"
    r"|off|to-one|shot|eyed|liner|star|stop|hop|pass|party|size|on-one|by|percentile|fifths?|thirds?)",
    re.IGNORECASE,
)
_HYPHEN_NOUN = re.compile(r"-(?!to-)[A-Za-z]{3,}(?![A-Za-z0-9_.])")
_NOT_BEFORE = "_/@\\^&?\u2044"


def past_token(text: str, at: int) -> int:
    """Return the end of the identifier around ``at``, always behind it."""
    found = _TOKEN.match(text, at)
    return at + 1 if found is None else found.end()


def _hyphen_opens(text: str, at: int) -> bool:
    """Tell whether the hyphen at ``at`` is a sign: behind a word it makes an identifier."""
    before = text[at - 1] if at else " "
    return not (before.isalnum() or before in "_-.)]/\0")


def _begins_digits(text: str, at: int) -> bool:
    """Tell whether digits at ``at`` can be an amount: no part of a name, a version, a path."""
    before = text[at - 1] if at else " "
    if before.isalnum():
        # A Chinese character, or the x of "x3".
        return not before.isascii() and not before.isdigit() and ord(before) > 0x2E7F
    if before in _NOT_BEFORE:
        return False
    further = text[at - 2] if at > 1 else " "
    match before:
        case ".":
            return not further.isalnum()
        case "-":
            return _hyphen_opens(text, at - 1)
        case ":":
            return not further.isdigit() and not (
                further.isalnum() and further.isascii() and _PORT.match(text, at)
            )
        case "%":
            return not (further.isalnum() or further in "/=")
        case _:
            return True


# Characters that make a word with the numeral behind them: 统一, 唯一, 之一, 星期三.
_HAN_BEFORE = frozenset("第统唯之单同每任某逐不这那哪另其划专归周期拜如万始惟均第整再接进初十点")
_ONE_BEFORE = re.compile(
    r"(?:只有|仅有?|只|共|不止|至少|最多|超过|不到|恰好|正好|总共|共有|多了|少了|了|过)$"
)
# 一 before these is a word and no count: 一直, 一些, 一样.
_ONE_WORD = frozenset("直些样般定旦致起下并共切律边步时度方系部点向面再同道贯应味体带次性举流经")
_DATE_BEHIND = re.compile(r"[月日号点]")
_HAN_WORD = re.compile(
    r"十分(?!钟|之)|千万(?!个|条|次|级|行)|万一|一一|两者|二者|三者|两[侧端边方]|四处|五花|七零|一成不变|十足"
    r"|百般|千篇|三番|八成[是会因]|二次(?!方)|[一二三四]级|[二八十]进制|十六进制"
)


def _begins_han(text: str, numeral: Numeral) -> bool:
    """Tell whether Chinese numerals are a number: 七百一十六, 三个, and not 统一, 十分, 一直."""
    start, end = numeral.start, numeral.end
    if (start and text[start - 1] in _HAN_BEFORE) or _HAN_WORD.match(text, start):
        return False
    behind = text[end : end + 1]
    written = text[start:end]
    if _DATE_BEHIND.match(behind) and numeral.top is None and numeral.number <= 59:
        return False
    unit = unit_at(text, end, start)
    if written == "一":
        if unit is not None:
            return not (behind == "周" and text[end + 1 : end + 2] in "期围边")
        return behind not in _ONE_WORD and bool(
            MEASURE_AT.match(text, end) and _ONE_BEFORE.search(text[max(0, start - 4) : start])
        )
    if unit is not None:
        return True
    if (len(written) > 1 and written[0] in DIGITS) or len(written) > 2 or numeral.top is not None:
        return True
    # One numeral by itself counts only before a measure word; 二 never does.
    return written != "二" and MEASURE_AT.match(text, end) is not None


_ONE = re.compile(r"one\b(?! (?:of|in|out) )", re.IGNORECASE)
_ONLY_ONE = re.compile(r"(?:only|just|exactly|at least|more than|than|least) $", re.IGNORECASE)
_A = re.compile(r"\b(?:an?) $", re.IGNORECASE)


def begins_here(text: str, numeral: Numeral) -> bool:
    """Tell whether what stands before a number lets it be an amount."""
    match numeral.script:
        case Script.DIGITS:
            return _begins_digits(text, numeral.start)
        case Script.HAN:
            return _begins_han(text, numeral)
        case Script.WORDS:
            before = text[numeral.start - 1] if numeral.start else " "
            return not ((before.isalnum() and before.isascii()) or before in "-_'’./@")


_TIMES_SIGN = re.compile(r"[xX](?![A-Za-z0-9_])")


def _ends_here(text: str, end: int) -> bool:
    """Tell whether an amount can end at ``end``: no identifier, version or time goes on."""
    behind = text[end : end + 1]
    if _TIMES_SIGN.match(text, end):
        return True
    if behind.isascii() and (behind.isalnum() or behind in {"_", "@", "\\"}):
        return False
    further = text[end + 1 : end + 2]
    match behind:
        case "." | ":":
            return not further.isdigit()
        case "/":
            return not (further.isalpha() and further.isascii())
        case "-":
            if not (further.isascii() and further.isalpha()):
                return True
            return bool(_HYPHEN_NOUN.match(text, end)) and not _WORD_BEHIND.match(text, end)
        case "\u2044":
            return False
        case _:
            return True


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


_MORE_TIME = re.compile(r" ?(?:,? and |, |又|零)? ?")
# Half of a unit, written behind the number: 两分半, 3 小时半, "2 and a half hours".
_HALF_BEHIND = re.compile(r" ?半(?!数|径|夜)钟?")
_HALF_BETWEEN = re.compile(r"( and a half[ -]| ?个半)")
_HALF = Decimal("0.5")
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
        gap = _MORE_TIME.match(text, amount.end)
        place = amount.end if gap is None else gap.end()
        numeral = numeral_at(text, place)
        if numeral is None or numeral.start != place:
            return amount
        unit = unit_at(text, numeral.end, numeral.start)
        if unit is None or unit.name != "s" or unit.factor >= amount.factor:
            return amount
        # 90 s behind minutes is a number of its own.
        if numeral.number * unit.factor >= amount.factor or not _ends_here(text, unit.end):
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
    r" ?(?:[A-Za-z]{2,20} ?(?=/)|[A-Za-z]{2,20} ?(?:[A-Za-z]{2,20})?(?= (?:per|an?) )|[个条次笔] ?[请求查询]{0,2}(?=[/每]| [/每]))"
)
_EACH = re.compile(r"每(秒|分钟?|小时|天)钟? ?[^0-9,。;\0 ]{0,6} ?$")
_EACH_TIMES = {"秒": 1, "分": 60, "分钟": 60, "小时": 3600, "天": 86400}


def _as_rate(text: str, amount: Amount) -> Amount:
    """Read ``400 requests per second``, 每秒 400 次: the noun stays outside the span."""
    if found := _NOUN_RATE.match(text, amount.end):
        rate = rate_at(text, found.end())
        if rate is not None:
            return replace(amount, stop=rate[0], unit="/s", factor=1 / rate[1])
    if "每" in text[max(0, amount.start - 12) : amount.start]:
        each = _EACH.search(text[max(0, amount.start - 12) : amount.start])
        if each is not None:
            return replace(amount, unit="/s", factor=Decimal(1) / _EACH_TIMES[each[1]])
    return amount


def _half_more(text: str, numeral: Numeral) -> Amount | None:
    """Read ``two and a half minutes``, 一个半小时."""
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


def _is_article(text: str, numeral: Numeral, unit: Unit | None) -> bool:
    """Tell whether "one" is a pronoun or an article and no count."""
    if (
        numeral.script is not Script.WORDS
        or _ONE.fullmatch(text, numeral.start, numeral.end) is None
    ):
        return False
    before = text[max(0, numeral.start - 9) : numeral.start]
    return unit is None and _ONLY_ONE.search(before) is None


def amount_at(text: str, at: int, *, joined: bool = False) -> Amount | None:
    """Read the number that begins at ``at``, with its unit.

    Args:
        text: A normalised sentence; characters that were read already are ``\\0``.
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
    if (half := _half_more(text, numeral)) is not None:
        return half
    if not joined and not begins_here(text, numeral):
        return None
    unit = unit_at(text, numeral.end, numeral.start)
    if _is_article(text, numeral, unit):
        return None
    amount = _united(text, numeral, unit)
    if not _ends_here(text, amount.end):
        return None
    if amount.unit == "s":
        return _longer(text, amount)
    return amount if amount.unit else _as_rate(text, amount)
