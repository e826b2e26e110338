"""Zones as they are written beside a time of day, as fixed offsets from UTC."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

__all__ = ["OFFSET", "ZONE", "zone_named"]

# A database of zones would be read from disk; what people write beside a time is one of these.
_HOURS = {
    "utc": 0.0, "gmt": 0.0, "z": 0.0, "zulu": 0.0, "wet": 0.0, "bst": 1.0, "cet": 1.0,
    "west": 1.0, "cest": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0, "ist": 5.5, "ict": 7.0,
    "hkt": 8.0, "sgt": 8.0, "jst": 9.0, "kst": 9.0, "aest": 10.0, "aedt": 11.0,
    "est": -5.0, "edt": -4.0, "cdt": -5.0,
    "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0, "brt": -3.0,
    "beijing": 8.0, "shanghai": 8.0, "china": 8.0, "hong kong": 8.0, "singapore": 8.0,
    "taipei": 8.0, "tokyo": 9.0, "japan": 9.0, "seoul": 9.0, "india": 5.5, "moscow": 3.0,
    "北京": 8.0, "中国": 8.0, "上海": 8.0, "香港": 8.0, "台北": 8.0, "新加坡": 8.0, "东京": 9.0,
    "日本": 9.0, "首尔": 9.0, "莫斯科": 3.0, "世界": 0.0, "协调世界": 0.0, "格林尼治": 0.0,
    "格林威治": 0.0,
}  # fmt: skip


class _Summer(tzinfo):
    """A zone with summer time by the rule of the United States (since 2007) or Europe (1996)."""

    def __init__(self, hours: int, *, american: bool) -> None:
        self._standard = timedelta(hours=hours)
        self._american = american

    def utcoffset(self, dt: datetime | None, /) -> timedelta:
        return self._standard + self.dst(dt)

    def dst(self, dt: datetime | None, /) -> timedelta:
        if dt is None:
            return timedelta()
        wall = dt.replace(tzinfo=None)
        if self._american:  # second Sunday of March to first of November, 2:00 on the wall
            begin, end = _sunday(wall.year, 3, 8, 2), _sunday(wall.year, 11, 1, 1)
        else:  # last Sundays of March and October, 1:00 UTC
            hour = 1 + self._standard // timedelta(hours=1)
            begin, end = _sunday(wall.year, 3, 25, hour), _sunday(wall.year, 10, 25, hour)
        return timedelta(hours=1 if begin <= wall < end else 0)

    def tzname(self, dt: datetime | None, /) -> str:
        return f"{self._standard} {self._american} {dt}"


def _sunday(year: int, month: int, day: int, hour: int) -> datetime:
    """Return the first Sunday from a day on."""
    first = datetime(year, month, day, hour)  # noqa: DTZ001 - compared with a wall clock
    return first + timedelta(days=6 - first.weekday())


_RULES = (
    (-5, True, "new york|boston|toronto|washington|eastern|纽约|美东"),
    (-6, True, "chicago|dallas|central"),
    (-7, True, "denver"),
    (-8, True, "los angeles|san francisco|seattle|california|pacific|洛杉矶|旧金山|西雅图|美西"),
    (0, False, "london|dublin|lisbon|伦敦"),
    (1, False, "berlin|paris|amsterdam|madrid|zurich|vienna|munich|frankfurt|brussels|stockholm"),
    (1, False, "warsaw|柏林|巴黎|法兰克福|阿姆斯特丹"),
)
_SUMMER: dict[str, tzinfo] = {
    name: _Summer(hours, american=american)
    for hours, american, names in _RULES
    for name in names.split("|")
}
_PLACES = "|".join(name.title() for name in (*_HOURS, *_SUMMER) if name.isascii() and len(name) > 4)
_HAN_PLACES = "|".join(
    sorted((n for n in (*_HOURS, *_SUMMER) if not n.isascii()), key=len, reverse=True)
)
ZONE = re.compile(
    r"(?<![A-Za-z])(?:UTC"
    r"|GMT)(?: ?(?P<far>[+-]) ?(?P<far_h>\d{1,2})(?::?(?P<far_m>\d{2}))?(?![\d:]))?"
    r"(?: time\b)?(?![A-Za-z])"
    r"|(?<=\d)(?P<zulu>Z)(?![A-Za-z0-9])"
    r"|(?<![A-Za-z])(?P<letters>WET|WEST|BST|CES?T|EES?T|MSK|IST|ICT|HKT|SGT|JST|KST|AE[SD]T"
    r"|[ECMP][SD]T"
    r"|BRT|Zulu)(?![A-Za-z])"
    rf"|\b(?P<place>{_PLACES})(?P<time>(?: [Ss]tandard| [Dd]aylight)?(?: [Tt]ime))?\b"
    rf"|(?P<han>{_HAN_PLACES})(?P<hantime>(?:标准)?时间)?"
    r"|(?P<local>\b(?:local|server) time\b|\blocal\b|(?:当地|本地)时间?)"
    r"|(?P<sign>[+-])(?P<hour>\d{2}):?(?P<minute>\d{2})(?![\d:])"
)
"""A zone, or an offset: whether an offset belongs to a time is for the caller to say."""

OFFSET = re.compile(
    r"\d:\d\d(?: ?(?P<plus>\+\d\d:?(?:00|30|45))"
    r"|:\d\d(?:[.,]\d{1,9})? ?(?P<either>[+-][01]\d:?(?:00|30|45)))(?![\d:])"
)
"""An offset that is part of a time: behind seconds, or a plus behind minutes."""


def zone_named(match: re.Match[str], local: tzinfo, *, chinese: bool) -> tzinfo | None:
    """Return the zone that a match of `ZONE` names, nothing for an offset that does not exist.

    Args:
        match: A match of `ZONE`.
        local: The reader's zone.
        chinese: Whether CST is China's, not America's.
    """
    if match["local"]:
        return local
    sign, hour, minute = (
        (match["far"], match["far_h"], match["far_m"])
        if match["far"]
        else (match["sign"], match["hour"], match["minute"])
    )
    if sign:
        size = timedelta(hours=int(hour), minutes=int(minute or 0))
        if size > timedelta(hours=14) or int(minute or 0) > 59:
            return None
        return timezone(size if sign == "+" else -size)
    place = _SUMMER.get((match["place"] or match["han"] or "").lower())
    if place is not None:
        return place
    name = (match["zulu"] or match["letters"] or match["place"] or match["han"] or "utc").lower()
    if name == "cst":
        return timezone(timedelta(hours=8 if chinese else -6))
    return timezone(timedelta(hours=_HOURS[name])) if _HOURS[name] else UTC
