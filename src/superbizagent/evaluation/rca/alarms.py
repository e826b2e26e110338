"""How often a system is called abnormal while nothing is wrong, and how often when something is.

By the bar that needs no history, and by what the product learns: each healthy window is judged by
what the other healthy windows of its system teach that share no minute with it; faults by what all
teach. Pure: no files, no clock.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from superbizagent.analysis.health import health_of, learnt_health_of
from superbizagent.analysis.learnt import (
    ERROR_LINES,
    Channels,
    Learnt,
    Signals,
    learn_bands,
    signals_of,
)
from superbizagent.analysis.metric_channel import FamilyTable
from superbizagent.domain.learnt import WHOLE, LearntLength
from superbizagent.evaluation.shares import Share

__all__ = ["LEVELS", "JudgedWindow", "Rates", "alarm_rates", "good_windows"]

LEVELS = ("built_in", "learnt")
"""The bar that is the same for all systems, and that of a system that was learnt."""

_LEAST_FITTED = 20
"""Fewer windows fit no quantile; the product asks for more."""


@dataclass(frozen=True)
class JudgedWindow:
    """A window of labelled telemetry."""

    set: str
    """The system: windows of one set are learnt from together."""
    start: datetime
    end: datetime
    table: FamilyTable
    is_faulty: bool
    focus: tuple[str, ...] = ()
    """Entities in question, such as the one that users enter by."""
    channels: Channels = field(default_factory=dict[str, Mapping[str, float]])
    """Evidence beside the metrics; empty: none was looked at."""
    requests: frozenset[str] = frozenset()
    """Entities whose requests go wrong by the spans' own bar."""

    @cached_property
    def signals(self) -> Signals:
        """What a window teaches; of entities, only of those in question."""
        about = {WHOLE, *self.focus}
        found = signals_of(self.table, self.channels)
        return {key: value for key, value in found.items() if key[0] in about}

    def overlaps(self, other: "JudgedWindow") -> bool:
        """Whether they share any time."""
        return self.start <= other.end and other.start <= self.end

    def alarms(self, known: LearntLength | None) -> bool:
        """Whether the product calls it abnormal by what was learnt, or without."""
        if known is None:
            logs = self.channels.get(ERROR_LINES, {})
            return not health_of(self.table, logs, requests=self.requests).is_calm
        learnt = Learnt(known, self.focus)
        found = learnt_health_of(self.table, learnt, self.channels, requests=self.requests)
        return not found.is_calm


@dataclass(frozen=True, slots=True)
class Rates:
    """What came of the windows of one set, or of all, by level."""

    false_alarms: Mapping[str, Share]
    """Of healthy windows, those called abnormal."""
    detected: Mapping[str, Share]
    """Of faults, those called abnormal."""
    with_spans: int = 0
    """Healthy windows in which spans or log records were looked at as well."""

    def __add__(self, other: "Rates") -> "Rates":
        return Rates(
            {k: v + other.false_alarms[k] for k, v in self.false_alarms.items()},
            {k: v + other.detected[k] for k, v in self.detected.items()},
            self.with_spans + other.with_spans,
        )

    def as_json(self) -> dict[str, Any]:
        """Shares by level."""
        levels = {
            level: {
                "false_alarms": self.false_alarms[level].as_json(),
                "detected": self.detected[level].as_json(),
            }
            for level in LEVELS
        }
        return {**levels, "healthy_with_spans_or_logs": self.with_spans}


def good_windows(windows: Sequence[JudgedWindow]) -> list[JudgedWindow]:
    """Leave out healthy windows in which a labelled fault, of any case of the set, was not over.

    What a fault did is still in the averages of the minutes after it.
    """
    faults = [w for w in windows if w.is_faulty]

    def is_good(one: JudgedWindow) -> bool:
        own = (f for f in faults if f.set == one.set)
        return not any(timedelta(0) <= one.start - f.end < one.end - one.start for f in own)

    return [w for w in windows if w.is_faulty or is_good(w)]


def alarm_rates(windows: Sequence[JudgedWindow]) -> dict[str, Rates]:
    """Return the rates of every set in order, and those of all of them under ``pooled``.

    A set with too few healthy windows to learn from counts at no learnt level.
    """
    found: dict[str, Rates] = {}
    pooled = Rates(dict.fromkeys(LEVELS, Share()), dict.fromkeys(LEVELS, Share()))
    for name in dict.fromkeys(w.set for w in windows):
        found[name] = _of_set([w for w in windows if w.set == name])
        pooled += found[name]
    return {**found, "pooled": pooled}


def _of_set(windows: Sequence[JudgedWindow]) -> Rates:
    healthy = [w for w in windows if not w.is_faulty]
    alarms: dict[str, list[bool]] = {level: [] for level in LEVELS}
    hits: dict[str, list[bool]] = {level: [] for level in LEVELS}
    for window in windows:
        into = hits if window.is_faulty else alarms
        for level, is_abnormal in _judged(window, healthy):
            into[level].append(is_abnormal)
    return Rates(
        {level: Share.of(each) for level, each in alarms.items()},
        {level: Share.of(each) for level, each in hits.items()},
        sum(bool(w.channels) for w in healthy),
    )


def _judged(window: JudgedWindow, healthy: Sequence[JudgedWindow]) -> Iterator[tuple[str, bool]]:
    yield "built_in", window.alarms(None)
    others = [o for o in healthy if o is not window and not o.overlaps(window)]
    if len(others) < _LEAST_FITTED:
        return
    length = window.end - window.start
    bands = learn_bands([o.signals for o in others], _LEAST_FITTED)
    yield "learnt", window.alarms(LearntLength(length=length, windows=len(others), bands=bands))
