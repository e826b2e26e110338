"""How often a system is called abnormal while nothing is wrong, and how often when something is.

Each healthy window is judged by what was learnt from the other healthy windows of its system that
share no minute with it; faults by what was learnt from all of them. Pure: no files, no clock.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from superbizagent.analysis.learnt import Signals, learn_bands, surprise_of
from superbizagent.domain.learnt import WHOLE, LearntLength
from superbizagent.evaluation.shares import Share

__all__ = ["LEVELS", "JudgedWindow", "Rates", "false_alarms_of", "rates_text"]

LEVELS = ("built_in", "q95", "q975")
"""The bar that needs no history, and two quantiles of what was learnt."""

_LEAST_FITTED = 20
"""Fewer windows fit no quantile; the product asks for more."""


@dataclass(frozen=True, slots=True)
class JudgedWindow:
    """A window of labelled telemetry."""

    set: str
    """The system: windows of one set are learnt from together."""
    start: datetime
    end: datetime
    signals: Signals
    """Of `analysis.learnt.signals_of`."""
    is_faulty: bool
    focus: tuple[str, ...] = ()
    """Entities in question, such as the one that users enter by."""
    alarms: bool = False
    """The built-in bar calls it abnormal."""

    def overlaps(self, other: "JudgedWindow") -> bool:
        """Whether they share any time."""
        return self.start <= other.end and other.start <= self.end


@dataclass(frozen=True, slots=True)
class Rates:
    """What came of the windows of one set, or of all, by level."""

    false_alarms: Mapping[str, Share]
    """Of healthy windows, those called abnormal."""
    detected: Mapping[str, Share]
    """Of faults, those called abnormal."""

    def __add__(self, other: "Rates") -> "Rates":
        return Rates(
            {k: v + other.false_alarms[k] for k, v in self.false_alarms.items()},
            {k: v + other.detected[k] for k, v in self.detected.items()},
        )

    def as_json(self) -> dict[str, Any]:
        """Shares by level."""
        return {
            level: {
                "false_alarms": self.false_alarms[level].as_json(),
                "detected": self.detected[level].as_json(),
            }
            for level in LEVELS
        }


def false_alarms_of(windows: Sequence[JudgedWindow]) -> dict[str, Rates]:
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
        into["built_in"].append(window.alarms)
        others = [o for o in healthy if o is not window and not o.overlaps(window)]
        for level, is_abnormal in _judged(window, others):
            into[level].append(is_abnormal)
    return Rates(
        {level: Share.of(each) for level, each in alarms.items()},
        {level: Share.of(each) for level, each in hits.items()},
    )


def _judged(window: JudgedWindow, others: Sequence[JudgedWindow]) -> Iterator[tuple[str, bool]]:
    if len(others) < _LEAST_FITTED:
        return
    about = {WHOLE, *window.focus}
    signals = [{k: v for k, v in o.signals.items() if k[0] in about} for o in others]
    known = LearntLength(
        length=window.end - window.start, windows=len(others), bands=learn_bands(signals)
    )
    surprise, q95, q975 = surprise_of(window.signals, known, window.focus)
    yield "q95", surprise > q95
    yield "q975", surprise > q975


def rates_text(found: Mapping[str, Rates]) -> Iterator[str]:
    """Yield a table: a line a set and level."""
    yield f"{'set':<12} {'level':<9} {'false alarms':<34} detected"
    for name, rates in found.items():
        for level in LEVELS:
            alarms, hits = rates.false_alarms[level], rates.detected[level]
            yield f"{name:<12} {level:<9} {alarms!s:<34} {hits}"
