"""Points in time in a sentence, each as the interval that its wording allows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from superbizagent.analysis.claims.mentions import Moment
from superbizagent.analysis.claims.scan._spans import Span, Taken
from superbizagent.analysis.claims.scan._time_prepositions import (
    is_about,
    is_range,
    places_a_clock,
    preposition,
)
from superbizagent.analysis.claims.scan._time_words import Clock, Day, Epoch, Gone, time_words
from superbizagent.analysis.claims.scan._zones import OFFSET, ZONE, zone_named

__all__ = ["find_moments"]

_HAN = re.compile("[\u3400-\u9fff]")
_CHINA = timedelta(hours=8)
_IN = re.compile(r"(?:\b[Ii]n |在)$")
_TICK = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_REACH = timedelta(days=730)
"""From now; a number that would be a time further away is a count."""
# Between the parts of one point in time.
_GAPS = {
    (Day, Clock): re.compile(
        r"[ ,T:]{0,2}(?:at |around |about |approximately |the |~ ?|约 ?|大约 ?|的 ?|[(（])?"
    ),
    (Clock, Day): re.compile(r",? ?(?:on |of |on the )?"),
    (Clock, tzinfo): re.compile(r" ?(?:in |[(（])?"),
    (Day, tzinfo): re.compile(r" ?[(（]?"),
    (tzinfo, Clock): re.compile(r" ?(?:的 ?)?"),
    (tzinfo, Day): re.compile(r"[)）]?,? ?(?:on )?"),
}
# How far "about" reaches to either side, by the smallest part that is written.
_ABOUT = {3600.0: timedelta(hours=1), 60.0: timedelta(minutes=2)}
_ABOUT_SECONDS = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class _Zone:
    start: int
    end: int
    zone: tzinfo
    offset: bool
    """Written as a bare offset, which stands behind a time of day only."""
    lends: bool
    """Said so that it holds for times that follow: "in Shanghai", 北京时间."""


@dataclass(frozen=True, slots=True)
class _Point:
    """One point in time as written; a missing part is taken from elsewhere."""

    start: int
    end: int
    day: Day | None = None
    clock: Clock | None = None
    zone: tzinfo | None = None
    exact: Gone | Epoch | None = None


_Piece = Day | Clock | Gone | Epoch | _Zone


def find_moments(
    text: str, taken: Sequence[Span], now: datetime, zone: tzinfo
) -> tuple[Moment, ...]:
    """Return the points in time of a normalised sentence in text order.

    A time of day without a date takes the date of the sentence, else the one that brings it
    nearest to ``now``; without a zone it takes the zone of the sentence, else ``zone``. The two
    ends of a range lend each other what one of them lacks. ``low`` and ``high`` are in UTC:
    ``12:41`` is [12:40:30, 12:42), ``12:41:17`` is [12:41:16.5, 12:41:18), a date its whole day.

    Args:
        text: The sentence.
        taken: Spans that are read already; nothing is read in them.
        now: Aware; what "8 min ago" counts from.
        zone: The reader's zone.
    """
    points = [*_points(text, _pieces(text, Taken(taken), now, zone))]
    points = _lent(text, points)
    moments: list[Moment] = []
    for at, point in enumerate(points):
        before = points[at - 1].end if at else 0
        said = preposition(text, before, point.start, point.end)
        ranged = at + 1 < len(points) and is_range(text, point.end, points[at + 1].start)
        if said == "at" and ranged:
            said = "since"
        elif said in {"at", "until"} and at and is_range(text, before, point.start):
            said = "until"
        said = "ago" if isinstance(point.exact, Gone) else said
        about = is_about(text, point.start, point.end)
        interval = _interval(point, now, zone, about=about)
        if interval:
            moments.append(
                Moment(point.start, point.end, text[point.start : point.end], *interval, said)
            )
    return tuple(moments)


def _pieces(text: str, taken: Taken, now: datetime, local: tzinfo) -> list[_Piece]:
    """Return what points in time are written with, in text order, none overlapping another."""
    if not any(c.isdigit() for c in text) and not _WORDS.search(text):
        return []
    found: list[_Piece] = []
    # 12:41:17-05:00 is one time, not two.
    own = Taken(match.span(match.lastgroup or 0) for match in OFFSET.finditer(text))
    offsets = own.spans
    for piece in time_words(text):
        fits = not isinstance(piece, Epoch) or _is_near(piece, now)
        if fits and taken.free(piece.start, piece.end) and own.free(piece.start, piece.end):
            found.append(piece)
            own.take(piece.start, piece.end)
    chinese = now.astimezone(local).utcoffset() == _CHINA or _HAN.search(text) is not None
    for match in ZONE.finditer(text) if found else ():
        named = zone_named(match, local, chinese=chinese)
        free = match.span() in offsets or own.free(*match.span())
        if named and free and taken.free(*match.span()):
            said = bool(match["time"] or match["hantime"]) or _IN.search(
                text[max(0, match.start() - 4) : match.start()]
            )
            found.append(_Zone(*match.span(), named, bool(match["sign"]), bool(said)))
    return sorted(found, key=lambda piece: piece.start)


_WORDS = re.compile(r"[点时午夜]|noon|midday|midnight|ago|前|yesterday|昨|今", re.IGNORECASE)


def _is_near(epoch: Epoch, now: datetime) -> bool:
    return abs((now - _EPOCH).total_seconds() - epoch.seconds) <= _EPOCH_REACH.total_seconds()


def _points(text: str, pieces: list[_Piece]) -> Iterator[_Point]:
    """Join the pieces that stand together into points in time."""
    at = 0
    while at < len(pieces):
        first = pieces[at]
        if isinstance(first, Gone | Epoch):
            yield _Point(first.start, first.end, exact=first)
            at += 1
            continue
        point, at = _joined(text, pieces, at)
        day_alone = point.clock is None and (point.day is None or point.day.month is None)
        if point.zone is not None and point.clock is None and point.day is None:
            if isinstance(first, _Zone) and first.lends:
                yield point
            continue
        vague = point.clock is not None and point.clock.vague and point.day is None
        if not day_alone and not (vague and not places_a_clock(text, point.start, point.end)):
            yield point


def _joined(text: str, pieces: list[_Piece], at: int) -> tuple[_Point, int]:
    """Return the point that begins with a piece, and the place of the piece behind it."""
    point = _with(_Point(pieces[at].start, pieces[at].start), pieces[at])
    while at + 1 < len(pieces):
        last, piece = pieces[at], pieces[at + 1]
        gap = _GAPS.get((_kind(last), _kind(piece)))
        if gap is None or not gap.fullmatch(text, last.end, piece.start):
            break
        if not _lacks(point, piece) or (
            isinstance(piece, _Zone) and not _may_follow(text, last, piece)
        ):
            break
        point = _with(point, piece)
        if text[piece.start - 1] == "(" and text.startswith(")", piece.end):
            point = replace(point, end=piece.end + 1)
        at += 1
    return point, at + 1


def _kind(piece: _Piece) -> type:
    return tzinfo if isinstance(piece, _Zone) else type(piece)


def _lacks(point: _Point, piece: _Piece) -> bool:
    if isinstance(piece, Day):
        return point.day is None
    return point.clock is None if isinstance(piece, Clock) else point.zone is None


def _may_follow(text: str, last: _Piece, zone: _Zone) -> bool:
    """Tell whether an offset is one: ``12:41-12:47`` is a range, ``12:41:17-05:00`` a zone."""
    if not zone.offset:
        return True
    if not isinstance(last, Clock) or (last.end != zone.start and text[zone.start] == "-"):
        return False
    return text[zone.start] == "+" or last.step <= 1.0


def _with(point: _Point, piece: _Piece) -> _Point:
    point = replace(point, end=piece.end)
    match piece:
        case _Zone():
            return replace(point, zone=piece.zone)
        case Day():
            return replace(point, day=piece)
        case Clock():
            return replace(point, clock=piece)
        case _:
            return replace(point, exact=piece)


def _lent(text: str, points: list[_Point]) -> list[_Point]:
    """Fill in the zones and dates that a range or an earlier point of the sentence gives."""
    for at in range(len(points) - 2, -1, -1):
        here, there = points[at], points[at + 1]
        if is_range(text, here.end, there.start) and here.exact is None:
            points[at] = replace(here, zone=here.zone or there.zone, day=here.day or there.day)
    zone: tzinfo | None = None
    day: Day | None = None
    for at, point in enumerate(points):
        bracketed = text[max(0, point.start - 2) : point.start].strip()[-1:] in {"(", "/"}
        if point.exact is None:
            lent = None if bracketed else zone
            timed = point.clock is not None or point.day is not None
            points[at] = replace(
                point, zone=point.zone or lent, day=point.day or (day if timed else None)
            )
        zone = point.zone or zone
        day = point.day or day
    return points


def _interval(
    point: _Point, now: datetime, local: tzinfo, *, about: bool
) -> tuple[datetime, datetime] | None:
    """Return the first and the last instant that a point may mean, nothing for no real time."""
    try:
        if isinstance(point.exact, Gone):
            return _gone(point.exact, now, about=about)
        if isinstance(point.exact, Epoch):
            step = timedelta(seconds=point.exact.step)
            at = _EPOCH + timedelta(seconds=point.exact.seconds)
            return at - step / 2, at + step - _TICK
        zone = point.zone or local
        if point.clock is None:
            return _whole_day(point, now, zone, about=about)
        at = _instant(point, point.clock, now, zone)
    except (ValueError, OverflowError):  # 31 November, the year 0
        return None
    step = timedelta(seconds=point.clock.step)
    if about:
        reach = _ABOUT.get(point.clock.step, _ABOUT_SECONDS)
        return at - reach, at + max(reach, step - _TICK)
    return at - step / 2, at + step - _TICK


def _gone(gone: Gone, now: datetime, *, about: bool) -> tuple[datetime, datetime]:
    """Return when "8 min ago" was: 8.9 min may be cut to 8, 7.5 rounded up to it."""
    at = now.astimezone(UTC) - timedelta(seconds=gone.seconds)
    step = timedelta(seconds=gone.step)
    more = max(timedelta(minutes=2), timedelta(seconds=gone.seconds / 10)) if about else timedelta()
    return at - step - more, at + step / 2 + more


def _whole_day(
    point: _Point, now: datetime, zone: tzinfo, *, about: bool
) -> tuple[datetime, datetime] | None:
    if point.day is None:
        return None
    day = _date(point.day, now, zone)
    begin = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    more = timedelta(days=1) if about else timedelta()
    return begin - more, begin + timedelta(days=1) - _TICK + more


def _instant(point: _Point, clock: Clock, now: datetime, zone: tzinfo) -> datetime:
    seconds = clock.seconds
    if point.day is not None:
        if point.day.evening and not clock.half and seconds < 43200:
            seconds += 43200
        return _on(_date(point.day, now, zone), seconds, zone)
    today = now.astimezone(zone).date()
    nearby = [_on(today + timedelta(days=days), seconds, zone) for days in (-1, 0, 1)]
    return min(nearby, key=lambda at: abs(at - now))


def _on(day: date, seconds: float, zone: tzinfo) -> datetime:
    """Return the instant of a time of day: by the zone's clock, not by hours since midnight."""
    days, rest = divmod(seconds, 86400)
    wall = datetime(day.year, day.month, day.day) + timedelta(days=int(days), seconds=rest)  # noqa: DTZ001 - the zone follows
    return wall.replace(tzinfo=zone).astimezone(UTC)


def _date(day: Day, now: datetime, zone: tzinfo) -> date:
    today = now.astimezone(zone).date()
    if day.month is None:
        return today + timedelta(days=day.day)
    if day.year is not None:
        return date(day.year, day.month, day.day)
    nearby = [
        date(year, day.month, day.day)
        for year in (today.year - 1, today.year, today.year + 1)
        # 29 February is not in every year.
        if (day.month, day.day) != (2, 29) or _is_leap(year)
    ]
    return min(nearby, key=lambda each: abs(each - today))


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
