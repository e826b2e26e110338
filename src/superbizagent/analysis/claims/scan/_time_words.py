"""The pieces a point in time is written with: dates, times of day, spans before now, epochs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from superbizagent.analysis.claims.scan._han import han_value

__all__ = ["Clock", "Day", "Epoch", "Gone", "time_words"]


@dataclass(frozen=True, slots=True)
class Day:
    """A date; without a month a day counted from today."""

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int = 0
    """Of the month, or days from today."""
    evening: bool | None = None
    """Whether it says which half of the day (昨晚, tonight, this morning)."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day."""

    start: int
    end: int
    seconds: float
    """Since midnight; 24 h and more are the next day."""
    step: float
    """Seconds of the smallest part that is written."""
    half: bool = False
    """Whether it says which half of the day it is in."""
    vague: bool = False
    """Whether it is a time only beside a date or a preposition: ``12 点``."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A time before now: ``8 min ago``."""

    start: int
    end: int
    seconds: float
    step: float


@dataclass(frozen=True, slots=True)
class Epoch:
    """Seconds since 1970."""

    start: int
    end: int
    seconds: float
    step: float


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
            "aug august", "sep sept september", "oct october", "nov november", "dec december",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_WORD_DAYS: dict[str, tuple[int, bool | None]] = {
    "today": (0, None), "yesterday": (-1, None), "tomorrow": (1, None), "tonight": (0, True),
    "this morning": (0, False), "this afternoon": (0, True), "this evening": (0, True),
    "last night": (-1, True), "今天": (0, None), "今日": (0, None), "昨天": (-1, None),
    "昨日": (-1, None), "前天": (-2, None), "明天": (1, None), "昨晚": (-1, True),
    "今晚": (0, True), "今早": (0, False), "今晨": (0, False), "当天": (0, None), "当日": (0, None),
}  # fmt: skip
_DAY = re.compile(
    r"(?<![\w.:/-])(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?![\d/-]|\.\d)"
    r"|(?<![A-Za-z0-9])(?P<cy>20\d\d)(?P<cm>\d\d)(?P<cd>\d\d)(?=T\d{4})"
    r"|(?:(?<!\d)(?P<zy>\d{4}) ?年 ?)?(?<!\d)(?P<zm>\d{1,2}) ?月 ?(?P<zd>\d{1,2}) ?[日号]"
    rf"|(?<![A-Za-z])(?P<em>{_MONTH})\.? (?P<ed>\d{{1,2}})(?:st|nd|rd"
    rf"|th)?(?![\d:.%])(?:,? (?P<ey>\d{{4}})(?![\d:]))?"
    rf"|(?<![\w.:])(?P<fd>\d{{1,2}})(?:st|nd|rd"
    rf"|th)?(?: of)?[ /-](?P<fm>{_MONTH})(?![A-Za-z])\.?(?:,?[ /-](?P<fy>\d{{4}})(?!\d))?"
    r"|(?<![\w.])(?P<gd>\d{1,2})\.(?P<gm>\d{1,2})\.(?P<gy>(?:19|20)\d\d)(?!\d)"
    r"|(?<![\w./-])(?P<sm>\d{1,2})/(?P<sd>\d{1,2})(?= (?:at )?\d{1,2}:\d\d)"
    r"|(?P<word>\b(?:[Tt]oday|[Yy]esterday|[Tt]omorrow|[Tt]onight|[Tt]his (?:morning|afternoon"
    r"|evening)"
    r"|[Ll]ast night)\b|今天|今日|昨天|昨日|前天|明天|昨晚|今晚|今早|今晨|当天|当日)"
)
_DAY_GROUPS = tuple((f"{kind}y", f"{kind}m", f"{kind}d") for kind in ("", *"czefg"))
_HAN = "[〇零一二两三四五六七八九十]"
_MORNING, _EVENING = "凌晨|清晨|早上|早晨|上午", "下午|傍晚|晚上|晚间|夜里|午后|晚"
_AFTERNOON = frozenset({*_EVENING.split("|"), "afternoon", "evening", "night"})
_CLOCK = re.compile(
    r"(?:(?<![昨今])(?P<part>" + _MORNING + "|中午|" + _EVENING + r") ?)?"
    r"(?:(?<![\w.,:/+-])|(?<=\dT)|(?<=\d{4}:)|(?<=[\u2e80-\uffff~])|(?<=\d[-/]))"
    r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?(?![\d:]|\.\d)"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
    r"(?: (?:in the|at) (?P<when>morning|afternoon|evening|night))?"
    r"|(?<=\dT)(?P<ch>\d{2})(?P<cm>\d{2})(?P<cs>\d{2})?(?!\d)"
    r"|(?<![\w.,:/-])(?P<ah>\d{1,2}) ?(?P<ahalf>[AaPp])\.?[Mm]\b"
    r"|(?<![\w.,:/-])(?P<mh>[01]\d|2[0-3])(?P<mm>[0-5]\d)(?= ?(?:Z|UTC|GMT)\b| (?:hours|hrs)\b)"
    r"|(?:(?<![昨今])(?P<zpart>" + _MORNING + "|中午|" + _EVENING + r") ?)?"
    rf"(?<![\d.])(?P<zh>\d{{1,2}}|{_HAN}{{1,3}}) ?[点时](?!间|候|段|[之]|[多]?个)"
    rf"(?: ?(?P<zm>\d{{1,2}}|{_HAN}{{1,3}}) ?(?P<fen>分)(?!钟"
    rf"|之)(?: ?(?P<zs>\d{{1,2}}(?:\.\d{{1,6}})?|{_HAN}{{1,3}}) ?秒)?"
    rf"|(?P<zmm>\d{{2}})(?!\d)|(?P<zfix>半|一刻|三刻|整|钟))?"
    r"|(?P<noon>\b(?:noon|midday|midnight)\b|正午|午夜)"
)
_SECONDS = {
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1, "秒钟": 1,
    "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60,
    "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "小时": 3600, "钟头": 3600,
    "d": 86400, "day": 86400, "days": 86400, "天": 86400,
    "week": 604800, "weeks": 604800, "周": 604800, "星期": 604800,
}  # fmt: skip
_UNIT = r"(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?)"
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
    "thirty": 30, "forty": 40,
}  # fmt: skip
_GONE = re.compile(
    rf"(?<![\w.,-])(?:(?P<big>\d{{1,4}}) ?(?P<bigu>{_UNIT})(?:,| and)? ?)?"
    r"(?:(?P<n>\d{1,6}(?:\.\d{1,3})?)[ -]?|(?P<w>an?|one|two|three|four|five|six|seven|eight"
    r"|nine|ten|eleven"
    r"|twelve|fifteen|twenty|thirty|forty) |(?P<halved>half an? ))"
    rf"(?P<u>{_UNIT}) ago\b"
    rf"|(?<![\d.])(?:(?P<zn>\d{{1,6}}(?:\.\d{{1,3}})?|{_HAN}{{1,4}}) ?(?:个(?P<zplus>半)?)?"
    rf"|(?P<zhalf>半) ?个?) ?"
    r"(?P<zu>秒钟?|分钟|分|小时|钟头|天|周|星期)(?:之前|以前|前)(?!后|\d|[ ]?\d)"
)
# 2001 to 2033, in seconds or milliseconds: whether it is near now is for the caller to say.
_EPOCH = re.compile(r"(?<![\w.,:-])(?P<s>1\d{9})(?:(?P<ms>\d{3})|\.(?P<f>\d{1,6}))?(?![\w,]|\.\d)")


def time_words(text: str) -> Iterator[Day | Clock | Gone | Epoch]:
    """Yield the pieces of a normalised sentence, kind by kind; they may overlap."""
    for match in _GONE.finditer(text):
        yield _gone(match)
    for match in _EPOCH.finditer(text):
        step = 1e-3 if match["ms"] else 10.0 ** -len(match["f"] or "")
        seconds = float(f"{match['s']}.{match['ms'] or match['f'] or 0}")
        yield Epoch(*match.span(), seconds, step)
    for match in _DAY.finditer(text):
        yield _day(match)
    for match in _CLOCK.finditer(text):
        clock = _clock(match)
        if clock:
            yield clock


def _gone(match: re.Match[str]) -> Gone:
    unit = _SECONDS[match["u"] or match["zu"]]
    if match["halved"] or match["zhalf"]:
        return Gone(*match.span(), unit / 2, unit / 2)
    number = match["n"] or match["zn"]
    if number and number[0].isascii():
        count, places = float(number), len(number.partition(".")[2])
    else:
        count, places = float(_COUNTS[match["w"]] if match["w"] else _han(number)), 0
    if match["zplus"]:
        count, places = count + 0.5, 1
    more = int(match["big"]) * _SECONDS[match["bigu"]] if match["big"] else 0
    return Gone(*match.span(), count * unit + more, unit * 10.0**-places)


def _day(match: re.Match[str]) -> Day:
    span = match.span()
    if match["word"]:
        days, evening = _WORD_DAYS[match["word"].lower()]
        return Day(*span, day=days, evening=evening)
    for year, month, day in _DAY_GROUPS:
        if match[day]:
            named = match[month].lower()
            number = int(named) if named.isdigit() else _MONTHS[named]
            return Day(*span, int(match[year]) if match[year] else None, number, int(match[day]))
    first, second = int(match["sm"]), int(match["sd"])
    # 30/11 can only be a day before its month.
    return Day(*span, None, *((second, first) if first > 12 else (first, second)))


def _clock(match: re.Match[str]) -> Clock | None:
    if match["noon"]:
        midnight = match["noon"] in {"midnight", "午夜"}
        return Clock(*match.span(), 0.0 if midnight else 43200.0, 60.0, half=True)
    if match["zh"]:
        return _han_clock(match)
    hour, minute = (
        int(match["h"] or match["ch"] or match["ah"] or match["mh"]),
        int(match["m"] or match["cm"] or match["mm"] or 0),
    )
    second = float(f"{match['s'] or match['cs'] or 0}.{match['f'] or 0}")
    step = 60.0
    if match["s"] or match["cs"]:
        step = 10.0 ** -len(match["f"] or "")
    elif match["ah"]:
        step = 3600.0
    half = match["half"] or match["ahalf"]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    part = match["part"] or match["when"]
    hour = _in_part(hour, part)
    if hour > 24 or minute > 59 or second >= 61 or (hour == 24 and minute):
        return None
    return Clock(*match.span(), hour * 3600.0 + minute * 60 + second, step, half=bool(half or part))


def _han_clock(match: re.Match[str]) -> Clock | None:
    """Read 下午8点41分17秒, 十二点半, 12点41, 20时41分; a bare ``12 点`` is vague."""
    hour = _han(match["zh"])
    minute = _han(match["zm"] or match["zmm"] or "0")
    fixed = {"半": 30, "一刻": 15, "三刻": 45}.get(match["zfix"] or "", 0)
    seconds = match["zs"] or ""
    second = float(seconds) if seconds[:1].isascii() and seconds else float(_han(seconds or "0"))
    if hour > 24 or minute > 59 or second >= 60:
        return None
    step = 3600.0
    if match["zm"] or match["zmm"] or match["zfix"] in {"半", "一刻", "三刻"}:
        step = 60.0
    if seconds:
        step = 10.0 ** -len(seconds.partition(".")[2])
    part = match["zpart"]
    # "三点二" is a decimal number, "两点" may be two points: a time says more than that.
    sure = bool(match["zm"] or match["zfix"] or (match["zmm"] and match["zh"].isascii()) or part)
    return Clock(
        *match.span(),
        _in_part(hour, part) * 3600.0 + (minute + fixed) * 60 + second,
        step,
        half=bool(part),
        vague=not sure,
    )


def _in_part(hour: int, part: str | None) -> int:
    """Return the hour of the day for an hour of a part of the day."""
    if part is None:
        return hour
    if part in _AFTERNOON:
        # 晚上12点 is the midnight that ends the day.
        return hour + 12 if hour < 12 or (hour == 12 and part[0] in "晚夜n") else hour
    if part == "中午":
        return hour + 12 if hour < 3 else hour
    return 0 if hour == 12 and part in {"凌晨", "morning"} else hour


def _han(number: str) -> int:
    if number[:1].isascii():
        return int(number)
    value = han_value(number)
    return 99 if value is None else int(value[0])
