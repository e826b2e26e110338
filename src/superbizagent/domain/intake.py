"""What intake and dispatch go by: which alerts count, how long is waited, what a storm may cost."""

from datetime import datetime, time, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field, model_validator

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["IntakeConfig", "MaintenanceWindow", "StormConfig", "Weekday"]


class Weekday(StrEnum):
    """A day of the week, Monday first."""

    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


def _zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name!r} is no time zone such as Asia/Shanghai or UTC") from None


def _lower(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


class MaintenanceWindow(Model):
    """Work that was announced: which alerts it is about and when.

    Either once, with `start` and `end`, or every week, with `from_time` and `to_time` of the days
    in `weekdays`. One that ends earlier in the day than it begins goes on past midnight.
    """

    name: str = Field(min_length=1)
    """Said where an alert is not diagnosed for it, such as `switch upgrade CHG-1812`."""
    match: dict[str, str] = Field(min_length=1)
    """Label -> value, all of which an alert must have; `*` stands for any text."""
    start: Instant | None = None
    """Of work that is done once; with its time zone."""
    end: Instant | None = None
    """End of it."""
    weekdays: tuple[Weekday, ...] = tuple(Weekday)
    """Days on which work begins that is done every week."""
    from_time: time | None = None
    """When it begins on each of them, such as `22:00`."""
    to_time: time | None = None
    """When it ends."""
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"
    """Zone of `from_time` and `to_time`."""

    @model_validator(mode="after")
    def _once_or_weekly(self) -> Self:
        once = (self.start, self.end)
        weekly = (self.from_time, self.to_time)
        if (None in once) == (None in weekly) or any(once) == any(w is not None for w in weekly):
            raise ValueError("give start and end, or from_time and to_time")
        if self.start and self.end and self.end <= self.start:
            raise ValueError(f"it ends at {self.end} and begins at {self.start}; swap them")
        if self.from_time is not None and self.from_time == self.to_time:
            raise ValueError("from_time and to_time are equal; write 00:00 and 23:59 for a day")
        if not self.weekdays:
            raise ValueError("weekdays is empty; leave it out for every day")
        return self

    def covers(self, labels: dict[str, str], at: datetime) -> bool:
        """Tell whether an alert with these labels is part of the work at an instant."""
        return all(fnmatchcase(labels.get(k, ""), v) for k, v in self.match.items()) and (
            self._lasts(at)
        )

    def _lasts(self, at: datetime) -> bool:
        if self.start is not None and self.end is not None:
            return self.start <= at < self.end
        if self.from_time is None or self.to_time is None:
            return False
        local = at.astimezone(ZoneInfo(self.timezone))
        clock, days = local.time(), tuple(Weekday)
        today = days[local.weekday()] in self.weekdays
        if self.from_time < self.to_time:
            return today and self.from_time <= clock < self.to_time
        yesterday = days[(local - timedelta(days=1)).weekday()] in self.weekdays
        return (today and clock >= self.from_time) or (yesterday and clock < self.to_time)


class IntakeConfig(Model):
    """How alerts become incidents, and which are recorded without being diagnosed."""

    settle_seconds: float = Field(default=60.0, ge=0, le=3600)
    """From the first alert of an incident to its diagnosis: most of a storm is in by then, and what
    resolves itself meanwhile needs no answer."""
    settle_critical_seconds: float = Field(default=0.0, ge=0, le=3600)
    """The same where an alert is critical: somebody is being woken now."""
    group_window_seconds: float = Field(default=300.0, gt=0, le=86400)
    """Alerts of one place are one incident while the last new one is not older: rules wait `for`
    up to five minutes, four times of five."""
    flap_window_seconds: float = Field(default=1800.0, gt=0, le=86400)
    """An alert that fires again so long after it resolved is the same incident."""
    flap_toggles: int = Field(default=4, ge=2, le=1000)
    """Changes between firing and resolved within that window from which on it is flapping: twice
    on and off may be two troubles, more is one that comes and goes."""
    expire_seconds: float = Field(default=86400.0, ge=3600, le=30 * 86400)
    """Alerts that nobody repeats for so long are taken as over: senders repeat every four hours,
    and some never say that an alert resolved."""
    skipped_severities: Annotated[tuple[str, ...], AfterValidator(_lower)] = ("info", "none")
    """Values of the label `severity` that ask nobody to act."""
    maintenance: tuple[MaintenanceWindow, ...] = ()
    """Announced work, whose alerts are recorded and not diagnosed."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.settle_critical_seconds > self.settle_seconds:
            raise ValueError(
                "settle_critical_seconds is above settle_seconds; critical alerts cannot wait"
                " longer than others"
            )
        return self

    @property
    def group_window(self) -> timedelta:
        """`group_window_seconds` as a span."""
        return timedelta(seconds=self.group_window_seconds)

    @property
    def flap_window(self) -> timedelta:
        """`flap_window_seconds` as a span."""
        return timedelta(seconds=self.flap_window_seconds)

    @property
    def expiry(self) -> timedelta:
        """`expire_seconds` as a span."""
        return timedelta(seconds=self.expire_seconds)

    def settle(self, severity: str) -> timedelta:
        """How long an incident of a severity is left alone before it is diagnosed."""
        critical = severity == "critical"
        return timedelta(seconds=self.settle_critical_seconds if critical else self.settle_seconds)


class StormConfig(Model):
    """What diagnoses may cost, however much fires."""

    max_concurrent: int = Field(default=2, ge=1, le=100)
    """Diagnoses at once: each may ask four questions at a time of somebody's production."""
    max_in_window: int = Field(default=8, ge=1, le=10_000)
    """New diagnoses within `window_seconds`: more than a person reads in that time."""
    window_seconds: float = Field(default=600.0, gt=0, le=86400)
    """Span of `max_in_window`: ten minutes."""
    cooldown_seconds: float = Field(default=900.0, ge=0, le=86400)
    """After a diagnosis of the same incident or service: a second look sooner sees the same."""
    max_per_service_hour: int = Field(default=4, ge=1, le=1000)
    """Diagnoses of one service within an hour: what the cool-down allows."""
    max_per_incident: int = Field(default=3, ge=1, le=1000)
    """Diagnoses of one incident: the first, and two when it has grown."""
    max_per_day: int = Field(default=200, ge=1, le=1_000_000)
    """Diagnoses within 24 hours: bounds what a broken rule costs."""
    grown_factor: float = Field(default=2.0, gt=1, le=1000)
    """An incident with so many times the alerts of its last diagnosis is diagnosed anew …"""
    grown_alerts: int = Field(default=5, ge=1, le=100_000)
    """… if these are so many more: two after one is no storm."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.max_per_day < self.max_in_window:
            raise ValueError("max_per_day is below max_in_window; raise it or lower that")
        return self
