"""Times in which nothing was wrong, judged as if somebody had asked about them.

The windows are as long as the fault and lie before it, each with its own past as baseline; where a
set has a recording of normal times, they are spread over that. A threshold for a window is fitted
on the other windows of its system that share no minute with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from superbizagent.domain.window import Window, Windows, to_ms
from superbizagent.evaluation.rca.core import LADDER, Seen
from superbizagent.evaluation.rca.recordings import Recording
from superbizagent.evaluation.rca.rows import Row
from superbizagent.evaluation.rca.timing import Sight, TimeMode, sight_of

__all__ = ["QUANTILES", "RULES", "HealthyWindow", "healthy_summary", "healthy_windows"]

QUANTILES = (0.95, 0.975)
"""Of the strengths in healthy windows, above which a window is called abnormal."""

RULES = ("own_bar", *(f"q{q * 1000:.0f}{end}" for q in QUANTILES for end in ("", "_or_spans")))
"""How an alarm is decided: by the core's own bar, by a fitted strength, or by that or the spans."""

_MOST = 6
_MOST_NORMAL = 30
_LEAST_SAMPLES = 15
"""Sampling steps with data that a baseline must have to be one."""
_BASELINE = timedelta(minutes=30)
_LEAST_FITTED = 10
"""Fewer windows fit no threshold."""


@dataclass(frozen=True, slots=True)
class HealthyWindow:
    """A healthy window and what the core made of it."""

    set: str
    start: datetime
    end: datetime
    strength: float
    is_calm: bool
    """The core finds nothing abnormal, by its own bar."""
    requests_go_wrong: bool
    """The spans alone show trouble, held against their own baseline."""

    def overlaps(self, other: "HealthyWindow") -> bool:
        """Whether they share any time."""
        return self.start <= other.end and other.start <= self.end


def healthy_windows(recording: Recording, seen_normal: set[tuple[str, str]]) -> list[HealthyWindow]:
    """Return the healthy windows of a case; those of a normal recording only once.

    Args:
        recording: the case.
        seen_normal: set and normal recording that were looked at already; added to.
    """
    sight = sight_of(recording, TimeMode.EXACT)
    begin = recording.label.inject_time
    if sight is None or begin is None:
        return []
    found = [_judged(recording, sight, w) for w in _before(recording, sight, begin)]
    key = (recording.case.set, recording.label.normal)
    if recording.label.normal and key not in seen_normal:
        seen_normal.add(key)
        found += [_judged(recording, sight, w) for w in _within(recording, sight)]
    return found


def _judged(recording: Recording, sight: Sight, windows: Windows) -> HealthyWindow:
    scope = sight.scope.model_copy(update={"windows": windows})
    seen = Seen(recording, replace(sight, scope=scope, focus=None, end=windows.incident.end))
    health = seen.ranking(LADDER[-1]).health
    incident = windows.incident
    return HealthyWindow(
        recording.case.set,
        incident.start,
        incident.end,
        health.strength,
        health.is_calm,
        seen.requests_go_wrong,
    )


def _before(recording: Recording, sight: Sight, begin: datetime) -> Iterator[Windows]:
    """Yield windows that end one step before the fault, then further back."""
    extent = recording.description.extent
    length = sight.scope.windows.incident.length
    step = recording.step
    normal = recording.description.normal
    if extent is None or length <= timedelta(0):
        return
    for k in range(_MOST):
        end = begin - step - k * length
        start = end - length
        stop = start - step
        first = max(extent.start, stop - max(3 * length, _BASELINE))
        if first >= stop:
            return
        incident, baseline = Window(start=start, end=end), Window(start=first, end=stop)
        if _is_covered(recording, incident, baseline):
            apart = (w for w in normal if w.clip(incident) is None)
            yield Windows(incident=incident, baselines=(baseline, *apart))


def _within(recording: Recording, sight: Sight) -> Iterator[Windows]:
    """Yield windows of the second half of each normal recording, all before them as baseline."""
    length = sight.scope.windows.incident.length
    for normal in recording.description.normal:
        free = normal.length / 2 - length
        count = min(_MOST_NORMAL, int(free / length)) if length > timedelta(0) else 0
        for k in range(max(0, count)):
            start = normal.start + normal.length / 2 + free * k / count
            incident = Window(start=start, end=start + length)
            baseline = Window(start=normal.start, end=start - recording.step)
            if _is_covered(recording, incident, baseline):
                yield Windows(incident=incident, baselines=(baseline,))


def _is_covered(recording: Recording, incident: Window, baseline: Window) -> bool:
    """Tell whether there are samples: two thirds of those due in the window, enough before it."""
    times = np.unique(recording.series.times)
    due = incident.length / recording.step
    inside = np.count_nonzero((times >= to_ms(incident.start)) & (times <= to_ms(incident.end)))
    before = np.count_nonzero((times >= to_ms(baseline.start)) & (times <= to_ms(baseline.end)))
    return bool(inside >= max(1.0, due * 2 / 3) and before >= _LEAST_SAMPLES)


def healthy_summary(windows: Sequence[HealthyWindow], rows: Sequence[Row]) -> dict[str, Any]:
    """Return false alarms and detections, by set and pooled.

    Args:
        windows: of all sets.
        rows: faulty runs, one a case.
    """
    sets = list(dict.fromkeys(r.set for r in rows))
    found = {name: _of_set(name, windows, rows) for name in sets}
    return {"sets": found, "pooled": _pooled(list(found.values()))}


def _of_set(name: str, windows: Sequence[HealthyWindow], rows: Sequence[Row]) -> dict[str, Any]:
    own = [w for w in windows if w.set == name]
    faulty = [r for r in rows if r.set == name]
    found: dict[str, Any] = {
        "windows": len(own),
        "cases": len(faulty),
        "own_bar": [sum(not w.is_calm for w in own), sum(r.answered for r in faulty)],
    }
    for quantile in QUANTILES if len(own) > _LEAST_FITTED else ():
        key = f"q{quantile * 1000:.0f}"
        bars = [_threshold([o for o in own if not o.overlaps(w)], quantile) for w in own]
        far = [w.strength > bar for w, bar in zip(own, bars, strict=True)]
        bar = _threshold(own, quantile)
        hit = [r.strength > bar for r in faulty]
        found[key] = [sum(far), sum(hit)]
        found[f"{key}_or_spans"] = [
            sum(f or w.requests_go_wrong for f, w in zip(far, own, strict=True)),
            sum(h or r.requests_go_wrong for h, r in zip(hit, faulty, strict=True)),
        ]
    return found


def _threshold(windows: Sequence[HealthyWindow], quantile: float) -> float:
    values = [w.strength for w in windows]
    return float(np.quantile(values, quantile, method="higher")) if values else float("inf")


def _pooled(sets: Sequence[dict[str, Any]]) -> dict[str, Any]:
    pooled: dict[str, Any] = {}
    for key in RULES:
        fitted = [s for s in sets if key in s and s["windows"]]
        pooled[key] = {
            "windows": sum(s["windows"] for s in fitted),
            "cases": sum(s["cases"] for s in fitted),
            "alarms": sum(s[key][0] for s in fitted),
            "detected": sum(s[key][1] for s in fitted),
        }
    return pooled
