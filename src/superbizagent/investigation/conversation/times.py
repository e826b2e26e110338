"""Times as people say them, in English and Chinese: read out of a turn, and what is left of it."""

# ruff: noqa: E501 - a table of forms is read line by line

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from superbizagent.domain.window import Window
from superbizagent.investigation.wording.values import zone_of

__all__ = ["TIME", "Told", "read_time"]

TIME = "<time>"
"""What stands in a text where a time was said."""

_UNITS = {
    "second": 1, "sec": 1, "s": 1, "秒": 1, "秒钟": 1, "minute": 60, "min": 60, "m": 60, "分钟": 60, "分": 60,
    "hour": 3600, "hr": 3600, "h": 3600, "小时": 3600, "个小时": 3600, "钟头": 3600, "个钟头": 3600,
    "day": 86400, "d": 86400, "天": 86400, "日": 86400, "week": 604800, "w": 604800, "周": 604800, "星期": 604800, "个星期": 604800,
}  # fmt: skip
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "half an": 0.5, "half a": 0.5,
    "couple of": 2, "few": 3, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "半": 0.5, "几": 3,
    "fifteen": 15, "twenty": 20, "thirty": 30, "十五": 15, "二十": 20, "三十": 30,
}  # fmt: skip
_HOURS = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
          "十一": 11, "十二": 12}  # fmt: skip
_DAYS = {
    "the day before yesterday": 2, "yesterday": 1, "today": 0, "前天": 2, "昨天": 1, "昨日": 1, "昨晚": 1, "今天": 0, "今日": 0, "今早": 0, "last night": 1,
}  # fmt: skip
_SHIFTS = {
    "yesterday": 1, "the day before": 1, "a day earlier": 1, "a day ago": 1, "昨天": 1, "昨日": 1, "前一天": 1, "前天": 2, "the day before yesterday": 2,
    "last week": 7, "a week ago": 7, "a week earlier": 7, "上周": 7, "上星期": 7, "一周前": 7, "上个星期": 7,
}  # fmt: skip
_AFTERNOON = ("pm", "p.m.", "下午", "晚上", "傍晚", "昨晚", "last night")
_MORNING = ("am", "a.m.", "上午", "早上", "凌晨", "今早")
_LONGEST = timedelta(days=30)
_NOW = timedelta(minutes=15)
_AROUND = timedelta(minutes=30)


def _either(words: Mapping[str, object]) -> str:
    return "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))


_N = rf"(?P<n>\d{{1,4}}(?:\.\d)?|{_either(_NUMBERS)})"
_UNIT = rf"(?P<unit>{_either(_UNITS)})(?:s\b|\b|(?<=[\u4e00-\u9fff]))"
_DAY = rf"(?P<day>{_either(_DAYS)}|\d{{4}}-\d{{1,2}}-\d{{1,2}})"
_HALF = r"(?:上午|早上|凌晨|下午|晚上|傍晚|中午)"
_CLOCK = r"(?P<half{0}>{1})?\s?(?P<h{0}>\d{{1,2}}|(?:十[一二]?|[一二两三四五六七八九])(?=点|时))(?:(?::|点|时)(?P<m{0}>\d{{2}}|半)?(?:分|:\d{{2}})?)?\s?(?P<ap{0}>[ap]\.?m\.?)?"
_A, _B = _CLOCK.format(1, _HALF), _CLOCK.format(2, _HALF)
_TO = r"\s?(?:to|till|until|and|-|–|—|~|到|至)\s?"


@dataclass(frozen=True, slots=True)
class Told:
    """A time that was said."""

    window: Window
    rest: str
    """The text with `TIME` where it stood."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What times are relative to."""

    now: datetime
    zone: tzinfo
    window: Window | None
    """The conversation's, which a day is a shift of."""

    def at(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, self.zone)

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()


def read_time(text: str, now: datetime, timezone: str, window: Window | None = None) -> Told | None:
    """Return the time that a text says; None when it says none that can be read.

    Args:
        text: lower case.
        now: what relative times count from.
        timezone: IANA name or offset, in which clock times are read.
        window: that of the conversation: "yesterday" alone is the same time a day before.
    """
    frame = _Frame(now, zone_of(timezone), window)
    for pattern, read in _FORMS:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            found = read(match, frame)
        except (ValueError, OverflowError):  # 25:00, the 40th
            continue
        if found is not None and timedelta(0) < found.length <= _LONGEST:
            rest = f"{text[: match.start()]}{TIME}{text[match.end() :]}"
            return Told(found, " ".join(rest.split()))
    return None


def _span(match: re.Match[str]) -> timedelta:
    number = match["n"]
    value = _NUMBERS.get(number)
    return timedelta(seconds=(float(number) if value is None else value) * _UNITS[match["unit"]])


def _last(match: re.Match[str], frame: _Frame) -> Window:
    return Window(start=frame.now - _span(match), end=frame.now)


def _last_one(match: re.Match[str], frame: _Frame) -> Window:
    span = timedelta(seconds=_UNITS[match["unit"]])
    return Window(start=frame.now - span, end=frame.now)


def _before(match: re.Match[str], frame: _Frame) -> Window | None:
    if frame.window is None:
        return None
    return Window(start=frame.window.start - _span(match), end=frame.window.start)


def _now(_: re.Match[str], frame: _Frame) -> Window:
    return Window(start=frame.now - _NOW, end=frame.now)


def _clock(match: re.Match[str], number: int, half: str = "") -> time:
    groups = match.groupdict()
    told_hour = groups[f"h{number}"]
    hour, minute = _HOURS.get(told_hour) or int(told_hour), groups[f"m{number}"] or "0"
    told = groups[f"ap{number}"] or groups[f"half{number}"] or half
    if told in _AFTERNOON and hour < 12:
        hour += 12
    elif told in _MORNING and hour == 12:
        hour = 0
    elif told == "中午" and hour < 3:
        hour += 12
    return time(hour % 24, 30 if minute == "半" else int(minute))


def _day(match: re.Match[str], frame: _Frame) -> date:
    told = match.groupdict().get("day") or ""
    if told in _DAYS or not told:
        return frame.today - timedelta(days=_DAYS.get(told, 0))
    return date(*(int(part) for part in told.split("-")))


def _range(match: re.Match[str], frame: _Frame) -> Window:
    day, told = _day(match, frame), match.groupdict().get("day") or ""
    groups = match.groupdict()
    # "10 to 11 pm" and 下午两点到四点: what is said once holds for both.
    half = told if told in (*_AFTERNOON, *_MORNING) else ""
    first = _clock(match, 1, groups["ap2"] or half)
    last = _clock(match, 2, groups["half1"] or groups["ap1"] or half)
    start, end = frame.at(day, first), frame.at(day, last)
    if end <= start:
        end += timedelta(days=1)
    if not told and start > frame.now:  # the last time that the clock showed it
        start, end = start - timedelta(days=1), end - timedelta(days=1)
    return Window(start=start, end=end)


def _instants(match: re.Match[str], frame: _Frame) -> Window | None:
    ends = [datetime.fromisoformat(match[k].upper().replace(" ", "T")) for k in ("from", "to")]
    start, end = (at if at.tzinfo else at.replace(tzinfo=frame.zone) for at in ends)
    return Window(start=start, end=end) if start < end else None


def _since(match: re.Match[str], frame: _Frame) -> Window | None:
    start = frame.at(_day(match, frame), _clock(match, 1))
    if start > frame.now and not match.groupdict().get("day"):
        start -= timedelta(days=1)
    return Window(start=start, end=frame.now) if start < frame.now else None


def _around(match: re.Match[str], frame: _Frame) -> Window | None:
    at = frame.at(_day(match, frame), _clock(match, 1))
    if at > frame.now and not match.groupdict().get("day"):
        at -= timedelta(days=1)
    return Window(start=at - _AROUND, end=min(at + _AROUND, max(frame.now, at)))


def _shift(match: re.Match[str], frame: _Frame) -> Window:
    by = timedelta(days=_SHIFTS[match["shift"]])
    if frame.window is None:
        start = frame.at(frame.today - by, time(0))
        return Window(start=start, end=start + timedelta(days=1))
    return Window(start=frame.window.start - by, end=frame.window.end - by)


_INSTANT = r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})?"
_OF = r"(?:(?:from|between|at|in|on|over|the|从|在)\s)*"
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], _Frame], Window | None]], ...] = (
    (re.compile(rf"{_OF}(?P<from>{_INSTANT}){_TO}(?P<to>{_INSTANT})"), _instants),
    (re.compile(rf"{_OF}(?:(?:last|past|previous)\s?|最近的?|过去的?|近|前)(?:a\s)?{_N}\s?{_UNIT}"), _last),
    (re.compile(r"(?:in |for |over )?(?:the )?(?:last|past) (?P<unit>second|minute|hour|day)\b"), _last_one),
    (re.compile(rf"{_OF}{_N}\s?{_UNIT}(?:\s(?:earlier|before(?: (?:that|it))?)|之前|以前)"), _before),
    (re.compile(rf"{_OF}{_DAY}的?\s?(?:from\s|between\s|at\s|从)?{_A}{_TO}{_B}"), _range),
    (re.compile(rf"{_OF}{_A}{_TO}{_B}(?:\s(?:on\s)?{_DAY})?(?![\w%])"), _range),
    (re.compile(rf"(?:since|从)\s?(?:{_DAY}\s?)?{_A}(?:以来|开始|到现在|起)?(?![\w%.])"), _since),
    (re.compile(rf"{_OF}(?:{_DAY}的?\s?)(?:at\s|around\s)?{_A}(?:左右|钟)?(?![\w%])"), _around),
    (re.compile(rf"(?:at|around|在)\s?{_A}(?:左右|钟)?(?![\w%])"), _around),
    (re.compile(rf"(?:the )?same time (?P<shift>{_either(_SHIFTS)})"), _shift),
    (re.compile(rf"(?P<shift>{_either(_SHIFTS)})(?: (?:at )?(?:the )?same time|的?同一时间|同期|的?这个时候)?"), _shift),
    (re.compile(r"(?<!\w)(?:right now|now|at the moment|现在|目前)(?!\w*了)"), _now),
)  # fmt: skip
"""Tried in order: what says more comes first."""
