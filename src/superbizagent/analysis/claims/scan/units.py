"""Read the unit behind a number, as a base unit and what to multiply by."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

__all__ = ["TIMES", "Unit", "rate_at", "unit_at"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that ends at ``end``; a number in it times ``factor`` is one in ``name``."""

    end: int
    name: str
    factor: Decimal
    points: bool = False
    """Percentage points: a difference of ratios."""


_MINUTE, _HOUR, _DAY = Decimal(60), Decimal(3600), Decimal(86400)
TIMES: Final = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "μs": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "sec": Decimal(1),
    "min": _MINUTE,
    "h": _HOUR,
    "hr": _HOUR,
    "d": _DAY,
    "wk": 7 * _DAY,
}
"""Short time units, as written, in seconds."""

_TIME_WORDS = {
    "nanosecond": Decimal("1e-9"),
    "microsecond": Decimal("1e-6"),
    "millisecond": Decimal("1e-3"),
    "msec": Decimal("1e-3"),
    "second": Decimal(1),
    "sec": Decimal(1),
    "minute": _MINUTE,
    "min": _MINUTE,
    "hour": _HOUR,
    "hr": _HOUR,
    "day": _DAY,
    "week": 7 * _DAY,
    # As Prometheus and date(1) count them on average: 30 and 365 days.
    "month": 30 * _DAY,
    "year": 365 * _DAY,
}
_HAN_TIMES = {
    "纳秒": Decimal("1e-9"),
    "微秒": Decimal("1e-6"),
    "毫秒": Decimal("1e-3"),
    "秒钟": Decimal(1),
    "秒": Decimal(1),
    "分钟": _MINUTE,
    "小时": _HOUR,
    "个小时": _HOUR,
    "刻钟": 15 * _MINUTE,
    "钟头": _HOUR,
    "个钟头": _HOUR,
    "天": _DAY,
    "周": 7 * _DAY,
    "个星期": 7 * _DAY,
    "个月": 30 * _DAY,
    "年": 365 * _DAY,
}


def _symbols() -> dict[str, tuple[str, Decimal]]:
    """Units told apart by case, up to 5 letters."""
    table = {symbol: ("s", factor) for symbol, factor in TIMES.items()}
    for power, letter in enumerate("KMGTPE", 1):
        binary, decimal = Decimal(1024) ** power, Decimal(1000) ** power
        table |= {f"{letter}iB": ("bytes", binary), f"{letter}i": ("bytes", binary)}
        # "512M" of memory, "2G": kubectl's and the JVM's letters. How far MB may mean MiB is
        # for the comparison to allow.
        table |= {f"{letter}B": ("bytes", decimal), letter: ("bytes", decimal)}
        table |= {f"{letter}bps": ("bytes/s", decimal / 8), f"{letter}bit": ("bytes", decimal / 8)}
        table |= {f"{letter}Bps": ("bytes/s", decimal), f"{letter}b": ("bytes", decimal / 8)}
    thousand = Decimal(1000)
    table |= {"kB": ("bytes", thousand), "k": ("bytes", thousand), "kb": ("bytes", thousand)}
    table |= {"kbps": ("bytes/s", thousand / 8), "bps": ("bytes/s", Decimal("0.125"))}
    table |= {"B": ("bytes", Decimal(1)), "kbit": ("bytes", thousand / 8)}
    table |= {"mb": ("bytes", Decimal(10**6)), "gb": ("bytes", Decimal(10**9))}
    table |= {"Hz": ("Hz", Decimal(1)), "kHz": ("Hz", thousand), "MHz": ("Hz", Decimal(10**6))}
    table |= {"GHz": ("Hz", Decimal(10**9)), "°C": ("°C", Decimal(1)), "°F": ("°F", Decimal(1))}
    return table


_SYMBOLS = _symbols()


def _words() -> dict[str, tuple[str, Decimal]]:
    """Units written as words, in any case, one or many."""
    table = {word: ("s", factor) for word, factor in _TIME_WORDS.items()}
    sizes = zip(("byte", "kilo", "mega", "giga", "tera"), range(5), strict=True)
    for word, power in sizes:
        name = "byte" if word == "byte" else f"{word}byte"
        table[name] = ("bytes", Decimal(1000) ** power)
    for power, word in enumerate(("kibi", "mebi", "gibi", "tebi"), 1):
        table[f"{word}byte"] = ("bytes", Decimal(1024) ** power)
    table |= {"percent": ("ratio", Decimal("0.01")), "pct": ("ratio", Decimal("0.01"))}
    table |= {"core": ("cores", Decimal(1)), "vcpu": ("cores", Decimal(1))}
    table |= {"cpu": ("cores", Decimal(1)), "millicore": ("cores", Decimal("0.001"))}
    table = {f"{word}s": unit for word, unit in table.items()} | table
    table |= {rate: ("/s", Decimal(1)) for rate in ("qps", "rps", "tps", "iops", "ops")}
    return table | {"rpm": ("/s", 1 / _MINUTE), "qpm": ("/s", 1 / _MINUTE)}


_WORDS = _words()
_HAN = {word: ("s", factor) for word, factor in _HAN_TIMES.items()} | {
    "字节": ("bytes", Decimal(1)),
    "千字节": ("bytes", Decimal(1000)),
    "兆字节": ("bytes", Decimal(10**6)),
    "兆": ("bytes", Decimal(10**6)),
    "吉字节": ("bytes", Decimal(10**9)),
    "核": ("cores", Decimal(1)),
    "个核": ("cores", Decimal(1)),
    "核心": ("cores", Decimal(1)),
    "摄氏度": ("°C", Decimal(1)),
    "℃": ("°C", Decimal(1)),
}
_HAN_UNIT = re.compile("|".join(sorted(map(re.escape, _HAN), key=len, reverse=True)))
# 分 alone is a minute only when more of the duration follows: 一分二十秒, 两分半.
_HAN_MINUTE = re.compile(r"分(?= ?[0-9一二两三四五六七八九十]{1,3} ?秒|半)")
_HAN_POINTS = re.compile(r" ?(?:个)?百分点")

# 20 多毫秒, 3 个多小时: `_amounts` reads the 多 as a bound.
_MIDDLE = re.compile(r" ?个?[多余来](?! ?[个条次台])")

_TOKEN = re.compile(r"([ -]?)([A-Za-zµμ°]{1,13})(?![A-Za-z_µμ°])")
# 1h30m, 2h5m30s: only a smaller time goes on without a blank.
_TIME_BEHIND = re.compile(r"[0-9]{1,3}(?:h|m|min|s|ms)(?![A-Za-z_])|[^0-9]|$")
_SIGN = re.compile(r" ?(?:([%‰])|(per ?cent)\b)")
_POINTS = re.compile(
    r"[ -]?(?:(?:percentage|percent|%)[ -]points?|pp|ppt|p\.p\.)(?![A-Za-z0-9_])"
    r"|[ -]?basis points?\b",
    re.IGNORECASE,
)
_PER = re.compile(
    r" ?/ ?(s|secs?|seconds?|min|mins|minutes?|h|hr|hours?|d|days?)(?![A-Za-z0-9_])"
    r"| (?:per|an?|every) (s|sec|second|min|minute|h|hour|day)(?![A-Za-z0-9_-])"
    r"| ?/ ?(秒|分钟|分|小时|天)| ?每(秒|分钟|小时|天)"
)
_PER_TIMES = {"分": _MINUTE} | _HAN_TIMES | _TIME_WORDS | TIMES

# "3 min, 9 max": the least and the most of a metric.
_STATISTIC_MIN = re.compile(
    r"[,;/ ]{1,3}(?:and )?[0-9][0-9.,]{0,9} ?[a-z%]{0,3} ?(?:max|avg|mean)\b"
)
_CPU = re.compile(r"cpu|core|limit|request|处理器|核", re.IGNORECASE)
_MINUTES_BEFORE = re.compile(
    r"(?:\bfor|last|past|previous|within|after|over|every|each|\bin|since|than|about|持续|历时|过去|最近"
    r"|[0-9] ?h) ?(?:the )?(?:last |past )?[~≈<>]? ?$",
    re.IGNORECASE,
)
_MINUTES_BEHIND = re.compile(
    r" ?(?:[0-9]{1,2} ?s\b|ago|window|later|interval|period|average|前|后|内)"
)


def _letter_m(text: str, start: int, end: int) -> tuple[str, Decimal] | None:
    """Tell what the m behind ``text[start:...]`` counts: minutes, or thousandths of a core."""
    before = text[max(0, start - 40) : start]
    if _MINUTES_BEFORE.search(before) or _MINUTES_BEHIND.match(text, end):
        return "s", _MINUTE
    if _CPU.search(before) or _CPU.search(text[end : end + 24]):
        return "cores", Decimal("0.001")
    # Without a hint: nobody writes 250m for four hours, and few write 50m for a core.
    return ("cores", Decimal("0.001")) if end - start > 3 else ("s", _MINUTE)


def _letters_at(text: str, at: int, start: int) -> Unit | None:
    """Read a unit of Latin letters."""
    found = _TOKEN.match(text, at)
    if found is None:
        return None
    gap, letters = found[1], found[2]
    end = found.end()
    if not _TIME_BEHIND.match(text, end):
        return None
    if letters == "m":
        unit = _letter_m(text, start, end)
    elif letters == "min" and _STATISTIC_MIN.match(text, end):
        unit = None
    else:
        unit = _SYMBOLS.get(letters)
        # One capital letter apart from its number is a name ("3 G", "2 T") but for bytes.
        if gap and len(letters) == 1 and letters in "KMGTPEk":
            unit = None
        unit = unit or _WORDS.get(letters.lower())
    if unit is None or (gap == "-" and unit[0] == "ratio"):
        return None
    return Unit(end, unit[0], unit[1])


def rate_at(text: str, at: int) -> tuple[int, Decimal] | None:
    """Read "per second" and its like at ``at``.

    Returns:
        Where it ends and its time in seconds.
    """
    found = _PER.match(text, at)
    if found is None:
        return None
    word = next(g for g in found.groups() if g)
    return found.end(), _PER_TIMES.get(word) or _PER_TIMES[word.rstrip("s")]


def _plain_at(text: str, at: int, start: int) -> Unit | None:
    """Read a unit without "per"."""
    if (middle := _MIDDLE.match(text, at)) is not None:
        at = middle.end()
    if found := _POINTS.match(text, at):
        factor = Decimal("1e-4") if "basis" in found[0].lower() else Decimal("0.01")
        return Unit(found.end(), "ratio", factor, points=True)
    if found := _HAN_POINTS.match(text, at):
        return Unit(found.end(), "ratio", Decimal("0.01"), points=True)
    if found := _SIGN.match(text, at):
        return Unit(found.end(), "ratio", Decimal("0.001" if found[1] == "‰" else "0.01"))
    place = at + (text[at : at + 1] == " ")
    if (found := _HAN_UNIT.match(text, place)) or (found := _HAN_MINUTE.match(text, place)):
        name, factor = _HAN.get(found[0], ("s", _MINUTE))
        return Unit(found.end(), name, factor)
    return _letters_at(text, at, start)


def unit_at(text: str, at: int, start: int) -> Unit | None:
    """Read the unit behind a number, with "per second" and its like.

    Args:
        text: A normalised sentence.
        at: The end of the number.
        start: Its beginning: the words before it tell minutes from thousandths of a core.

    Returns:
        The unit, or nothing when what follows is none. A number without unit can still be a
        rate: ``400/s`` is in ``/s``.
    """
    unit = _plain_at(text, at, start)
    rate = rate_at(text, at if unit is None else unit.end)
    if rate is None:
        return unit
    end, time = rate
    if unit is None:
        return Unit(end, "/s", 1 / time)
    if unit.name == "s" or unit.name.endswith("/s"):
        return unit
    return replace(unit, end=end, name=f"{unit.name}/s", factor=unit.factor / time)
