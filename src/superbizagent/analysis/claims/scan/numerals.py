"""Read a number: digits, English number words or Chinese numerals, with what multiplies it."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._han import DIGITS, HAN, PLACES, han_value

__all__ = ["COUNTED", "Numeral", "Script", "numeral_at"]


class Script(StrEnum):
    """How a number is written."""

    DIGITS = "digits"
    WORDS = "words"
    """``seven hundred``."""
    HAN = "han"
    """七百."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at ``text[start:end]``, without its unit."""

    start: int
    end: int
    number: Decimal
    step: Decimal
    """One unit of the last written digit: 1.55 -> 0.01, 1.2万 -> 1000."""
    script: Script = Script.DIGITS
    bound: Bound = Bound.EXACT
    """What the numeral itself says: ``hundreds`` at least 100, 十来 about 10."""
    top: Decimal | None = None
    """Upper end of a number that is a range by itself: 七八百, 十几."""
    multiplier: Decimal = Decimal(1)
    """What already multiplies the digits: 1.2k, 3 万."""


# What is counted in millions, so that the m of "1.2m requests" is no minute.
COUNTED = (
    "requests|queries|rows|events|users|messages|records|calls|logs|lines|keys|orders|connections"
    "|entries|jobs|ops|operations|transactions|hits|samples|series|documents"
)
_ONE = Decimal(1)

# 18 digits and 15 decimals: more is an identifier, and keeps each match short.
_DIGITS = re.compile(
    r"(?:[0-9]{1,3}([,_'’ ])[0-9]{3}(?:\1[0-9]{3}){0,4}(?!\1?[0-9])|[0-9]{1,18}(?![0-9]))"
    r"(?:\.[0-9]{1,15}(?![0-9]))?"
)
# 0,5 is a decimal; 1,5 may be a list.
_COMMA_DECIMAL = re.compile(r"0,[0-9]{1,3}(?![0-9,])")
# "12 503 responses" counts status codes; it is not 12503.
_STATUS_BEHIND = re.compile(
    r"[0-9]{1,3}(?= [2-5][0-9]{2} ?"
    r"(?:s\b|errors?|responses?|status|replies|answers|codes?|错误|响应))"
)
_POWER = re.compile(r"\^(-?[0-9]{1,2})(?![0-9A-Za-z.])")
_EXPONENT = re.compile(
    r"[eE]([+-]?[0-9]{1,2})(?![0-9A-Za-z])| ?[x×*] ?10\^(-?[0-9]{1,2})(?![0-9A-Za-z.])"
)
# 512M of memory is bytes: units reads that M.
_NOT_MEMORY = r"(?! ?(?:of )?(?:memory|mem|ram|RAM|heap|disk|swap|storage|内存|堆|磁盘|显存))"
_MULTIPLIER = re.compile(
    rf" ?(?:(?P<k>[kK]{_NOT_MEMORY}|thousand)"
    rf"|(?P<m>M{_NOT_MEMORY}|mn|million|m(?= (?:{COUNTED})\b))"
    rf"|(?P<b>bn|billion|B(?= (?:{COUNTED})\b))|(?P<t>trillion)|(?P<h>hundred))(?![A-Za-z0-9_])"
)
_ENGLISH = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12, "h": 100}
# 3 百万, 5 千万, 1.2 万亿; 3 百分点 and 3 千字节 are units, 万一 is "in case".
_HAN_MULTIPLIER = re.compile(
    r" ?(百万|千万|十万|百亿|千亿|万亿|百(?!分)|千(?![字米克])|万(?!一|分之)|亿)"
)
# 1万2千, 3亿2千万: at most one further part.
_HAN_FURTHER = re.compile(r"([0-9]{1,4})(千万|百万|万|千|百)(?!分)")

_UNITS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|sixteen|seventeen|eighteen|nineteen"
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORDS = {w: i for i, w in enumerate(_UNITS.split("|"), 1)} | {
    w: i * 10 for i, w in enumerate(_TENS.split("|"), 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALE = "thousand|million|billion"
_TO_99 = rf"(?:(?:{_TENS})(?:[- ](?:{'|'.join(_UNITS.split('|')[:9])})\b)?|(?:{_UNITS}))\b"
# "two hundred and three hundred" are two numbers, so no hundred may follow the rest.
_TO_999 = rf"(?:(?:{_UNITS}|an?) hundred\b(?:(?: and)? {_TO_99}(?! hundred\b))?|{_TO_99})"
_SPOKEN = re.compile(
    rf"(?:(?:{_TO_999}|an?) (?:{_SCALE})\b(?:,?(?: and)? {_TO_999}(?! (?:{_SCALE})\b))?"
    rf"|{_TO_999})(?P<dozen> dozen\b)?|an? (?P<a_dozen>dozen)\b",
    re.IGNORECASE,
)
# "a minute" is 1 min; "a second pod" is another one.
_ARTICLE = re.compile(
    r"an?(?= (?:(?:milli|micro)?second"
    r"(?! (?!of|later|after|before|and|or|for|in|at|on|to|ago|long|per|from|than|with|until"
    r"|while|when|as|the|behind|faster|slower|each|is|was|now|under)[a-z])"
    r"|minute|hour|day|week|month)\b)",
    re.IGNORECASE,
)
_FEW = re.compile(r"(?:a few|several) (dozen|hundred|thousand)\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"(tens of thousands|hundreds of thousands|hundreds|thousands|dozens|millions) of\b",
    re.IGNORECASE,
)
_VAGUE_VALUES = {
    "dozens": 24,
    "hundreds": 100,
    "thousands": 1000,
    "tens of thousands": 10**4,
    "hundreds of thousands": 10**5,
    "millions": 10**6,
}

_HAN_RUN = re.compile(rf"[{HAN}]{{1,40}}")
_POINT = re.compile(rf"点[{''.join(DIGITS)}]{{1,6}}")
_ASCENDING = re.compile(r"一两|一二|两三|二三|三四|四五|五六|六七|七八|八九|三五")
# 几十, 数百, 上千: an order of size. 数 behind a word is the end of it: 连接数, 函数.
_SOME = re.compile(r"(好几|几|数|上|近|过)([十百千万亿])(?![分一])")


def _multiplied(text: str, numeral: Numeral) -> Numeral:
    """Take in what multiplies the digits: k, million, 万."""
    if found := _MULTIPLIER.match(text, numeral.end):
        factor = Decimal(_ENGLISH[str(found.lastgroup)])
    elif found := _HAN_MULTIPLIER.match(text, numeral.end):
        factor = _ONE
        for c in found[1]:
            factor *= PLACES[c]
    else:
        return numeral
    number, step, end = numeral.number * factor, numeral.step * factor, found.end()
    if further := _HAN_FURTHER.match(text, end):
        part = _ONE
        for c in further[2]:
            part *= PLACES[c]
        if part < factor:
            number, step, end = number + int(further[1]) * part, part, further.end()
    return replace(numeral, end=end, number=number, step=step, multiplier=factor)


def _digits_at(text: str, at: int) -> Numeral | None:
    """Read digits with their separators, exponent and multiplier."""
    found = _COMMA_DECIMAL.match(text, at) or _STATUS_BEHIND.match(text, at)
    found = found or _DIGITS.match(text, at)
    if found is None:
        return None
    written = found[0]
    written = written.replace(",", ".") if _COMMA_DECIMAL.fullmatch(written) else written
    start = at
    # ".5" is 0.5 when nothing that the point could end stands before it.
    if at and text[at - 1] == "." and "." not in written and (at < 2 or text[at - 2] in " (=~<>|"):
        start, written = at - 1, f"0.{written}"
    for separator in ",_'’ ":
        written = written.replace(separator, "")
    if written == "10" and (power := _POWER.match(text, found.end())):
        number = _ONE.scaleb(int(power[1]))
        return Numeral(start, power.end(), number, number)
    number = Decimal(written)
    step = _ONE.scaleb(-len(written.partition(".")[2]))
    end = found.end()
    if exponent := _EXPONENT.match(text, end):
        shift = int(exponent[1] or exponent[2])
        return Numeral(start, exponent.end(), number.scaleb(shift), step.scaleb(shift))
    return _multiplied(text, Numeral(start, end, number, step))


def _words_at(text: str, at: int) -> Numeral | None:
    """Read English number words."""
    if few := _FEW.match(text, at):
        scale = Decimal({"dozen": 12, "hundred": 100, "thousand": 1000}[few[1].lower()])
        return Numeral(at, few.end(), scale * 2, _ONE, Script.WORDS, top=scale * 10 - 1)
    if vague := _VAGUE.match(text, at):
        value = Decimal(_VAGUE_VALUES[vague[1].lower()])
        return Numeral(at, vague.end(), value, _ONE, Script.WORDS, Bound.AT_LEAST)
    if article := _ARTICLE.match(text, at):
        return Numeral(at, article.end(), _ONE, _ONE, Script.WORDS)
    found = _SPOKEN.match(text, at)
    if found is None:
        return None
    total = group = 0
    step = 1
    for word in re.split(r"[ ,-]+", found[0].lower()):
        step = 1
        if word in _SCALES:
            step = _SCALES[word]
            total, group = total + (group or 1) * step, 0
        elif word in {"hundred", "dozen"}:
            group = (group or 1) * (100 if word == "hundred" else 12)
        else:
            group += _WORDS.get(word, 0)
    return Numeral(at, found.end(), Decimal(total + group), Decimal(step), Script.WORDS)


def _vague_han_at(text: str, at: int) -> Numeral | None:
    """Read 几十, 数百 (20 to 99, 200 to 999), 上千 (at least 1000), 近百 (about 100)."""
    found = _SOME.match(text, at)
    if found is None:
        return None
    place = Decimal(PLACES[found[2]])
    numeral = Numeral(at, found.end(), place, _ONE, Script.HAN)
    match found[1]:
        case "上":
            return replace(numeral, bound=Bound.AT_LEAST)
        case "近":
            return replace(numeral, bound=Bound.ABOUT)
        case "过":
            return replace(numeral, bound=Bound.OVER)
        case _:
            before = text[at - 1] if at else " "
            if found[1] == "数" and before.isalnum() and before not in "了有达约近共过现在到至出超":
                return None
            return replace(numeral, number=place * 2, top=place * 10 - 1)


def _pair_at(run: str, at: int) -> Numeral | None:
    """Read two digits that are a range: 两三, 七八百, 十五六."""
    tens = run.find("十") + 1
    tens = tens if run[tens:] and tens < 3 else 0
    if not _ASCENDING.match(run, tens) or run[tens + 2 : tens + 3] not in {"", *PLACES}:
        return None
    low = han_value(run[: tens + 1] + run[tens + 2 :])
    high = han_value(run[:tens] + run[tens + 1 :])
    if low is None or high is None or low[0] >= high[0]:
        return None
    return Numeral(at, at + len(run), low[0], _ONE, Script.HAN, top=high[0])


def _han_at(text: str, at: int) -> Numeral | None:
    """Read Chinese numerals."""
    found = _HAN_RUN.match(text, at)
    if found is None:
        return _vague_han_at(text, at)
    run, end = found[0], found.end()
    if point := _POINT.match(text, end):
        run, end = run + point[0], point.end()
    if (pair := _pair_at(run, at)) is not None:
        return pair
    # 一百万分之一 and 三百分点: the tail is not of the number.
    if (
        text[end : end + 1] == "分"
        and run[-1] in "百千万"
        and len(run) > 1
        and run[-2] not in PLACES
    ):
        run, end = run[:-1], end - 1
    read = han_value(run)
    if read is None:
        return None
    # 一千 is round to the hundred: 716 is no thousand, though it is nearer to that than to none.
    step = read[1] / 10 if read[0] == read[1] > 1 else read[1]
    numeral = Numeral(at, end, read[0], step, Script.HAN)
    behind = text[end : end + 1]
    if behind == "几" and run[-1] == "十":
        return replace(numeral, end=end + 1, number=read[0] + 1, step=_ONE, top=read[0] + 9)
    if behind == "来" and run[-1] in PLACES:
        # 十来个 is 8 to 12: a fifth of the last place around.
        wide = Decimal(PLACES[run[-1]]) * Decimal("0.4")
        return replace(numeral, end=end + 1, step=wide, bound=Bound.ABOUT)
    return numeral


_OVER = re.compile(r" ?[多余]([万亿])(?!一|分之)")


def _over(text: str, numeral: Numeral | None) -> Numeral | None:
    """Read 五百多万, 20 多亿: the place behind 多 multiplies what stands before it."""
    found = None if numeral is None else _OVER.match(text, numeral.end)
    if numeral is None or found is None:
        return numeral
    place = Decimal(PLACES[found[1]])
    return replace(
        numeral,
        end=found.end(),
        number=numeral.number * place,
        step=numeral.step * place,
        bound=Bound.OVER,
        multiplier=place,
    )


def numeral_at(text: str, at: int) -> Numeral | None:
    """Read the number that begins at ``at``.

    Only its own shape is looked at: whether what stands around it makes it an identifier or a
    word is told by `amounts`.

    Args:
        text: A normalised sentence.
        at: Where a digit, an English number word or a Chinese numeral stands.
    """
    c = text[at : at + 1]
    if not c:
        return None
    if c not in "0123456789":
        return _words_at(text, at) if c.isascii() else _over(text, _han_at(text, at))
    return _over(text, _digits_at(text, at))
