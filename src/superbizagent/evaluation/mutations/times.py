"""How a time is written in a sentence."""

import re
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum

from superbizagent.investigation.wording.values import clock_time, date_time, instant

__all__ = ["TimeForm", "form_of", "written_time"]


class TimeForm(StrEnum):
    """Ways to write an instant."""

    MINUTE = "minute"
    """``12:41``."""
    CLOCK = "clock"
    """``12:41:17``."""
    DATE_TIME = "date_time"
    INSTANT = "instant"
    """With date and offset."""

    @property
    def precision(self) -> timedelta:
        """How far apart two times are at least that this form tells apart, with some slack."""
        return timedelta(seconds=90) if self is TimeForm.MINUTE else timedelta(seconds=2)


_SHAPES = (
    (re.compile(r"\d\d:\d\d"), TimeForm.MINUTE),
    (re.compile(r"\d\d:\d\d:\d\d"), TimeForm.CLOCK),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), TimeForm.DATE_TIME),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d\d:\d\d"), TimeForm.INSTANT),
)


def form_of(text: str) -> TimeForm | None:
    """Return how a time is written, None when it is none of these."""
    return next((form for shape, form in _SHAPES if shape.fullmatch(text)), None)


def written_time(at: datetime, zone: tzinfo, form: TimeForm) -> str:
    """Write an instant."""
    match form:
        case TimeForm.MINUTE:
            return clock_time(at, zone)[:5]
        case TimeForm.CLOCK:
            return clock_time(at, zone)
        case TimeForm.DATE_TIME:
            return date_time(at, zone)
        case TimeForm.INSTANT:
            return instant(at, zone)
