"""Spans of time. Every instant is UTC-aware; arithmetic in arrays is in whole milliseconds."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from superbizagent.domain.model import Model

__all__ = ["IncidentTime", "Instant", "Window", "Windows", "from_ms", "is_plausible", "to_ms"]


_ADJACENT = timedelta(milliseconds=1)
"""Windows are closed to the millisecond: this far apart nothing is between them."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("it lies beyond the ends of the calendar") from error


Instant = Annotated[datetime, AfterValidator(_utc)]
"""A UTC-aware point in time."""


_OLDEST, _LATEST = 1970, 2200
"""Years between which incidents lie: any baseline of one stays within the calendar."""


def is_plausible(at: datetime) -> bool:
    """Tell whether an incident may be at a time."""
    return _OLDEST <= at.year < _LATEST


def _plausible(value: datetime) -> datetime:
    if not is_plausible(value):
        raise ValueError(f"no incident is before {_OLDEST} or after {_LATEST}")
    return value


IncidentTime = Annotated[Instant, AfterValidator(_plausible)]
"""A point in time at which something may have happened to a system."""


def to_ms(at: datetime) -> int:
    """Return whole milliseconds since the epoch."""
    return round(at.timestamp() * 1000)


def from_ms(ms: float) -> datetime:
    """Return the UTC instant ``ms`` milliseconds after the epoch."""
    return _EPOCH + timedelta(milliseconds=int(ms))  # exact; a float timestamp is not


class Window(Model):
    """A closed span ``[start, end]``."""

    start: Instant
    end: Instant

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"window ends {self.end} before it starts {self.start}")
        return self

    @property
    def length(self) -> timedelta:
        """How long the span is."""
        return self.end - self.start

    @property
    def start_ms(self) -> int:
        """The start in milliseconds since the epoch."""
        return to_ms(self.start)

    @property
    def end_ms(self) -> int:
        """The end in milliseconds since the epoch."""
        return to_ms(self.end)

    def covers(self, at: datetime) -> bool:
        """Tell whether ``at`` lies in the span, both ends included."""
        return self.start <= at <= self.end

    def clip(self, other: "Window") -> "Window | None":
        """Return the part that also lies in ``other``, or None."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Window(start=start, end=end) if start <= end else None


class Windows(Model):
    """What is compared with what: the incident against one or more baselines before it."""

    incident: Window
    baselines: tuple[Window, ...]

    @property
    def start_is_known(self) -> bool:
        """A baseline reaches up to the incident: nobody doubts where it begins.

        Else something is left free between, or there is nothing of the time before.
        """
        gaps = (self.incident.start - baseline.end for baseline in self.baselines)
        return any(timedelta(0) <= gap <= _ADJACENT for gap in gaps)

    @property
    def whole(self) -> Window:
        """From the earliest baseline to the incident's end."""
        starts = [w.start for w in self.baselines]
        return Window(start=min([*starts, self.incident.start]), end=self.incident.end)
