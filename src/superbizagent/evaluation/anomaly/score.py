"""Alarms against labelled windows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superbizagent.evaluation.anomaly.detectors import INCIDENT, core_alarms, looks_of, sigma_alarms
from superbizagent.evaluation.anomaly.labelled_series import LabelledSeries

__all__ = ["AnomalyScore", "anomaly_json", "anomaly_text", "score_anomaly"]

Detector = Callable[[LabelledSeries], NDArray[np.bool_]]

DETECTORS: Mapping[str, Detector] = {
    "core": core_alarms,
    "3-sigma": partial(sigma_alarms, sigmas=3.0),
    "6-sigma": partial(sigma_alarms, sigmas=6.0),
}
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class _Count:
    """What one detector did on one or more series."""

    windows: int = 0
    hit: int = 0
    alarms: int = 0
    true: int = 0
    days: float = 0.0

    def __add__(self, other: "_Count") -> "_Count":
        return _Count(
            self.windows + other.windows,
            self.hit + other.hit,
            self.alarms + other.alarms,
            self.true + other.true,
            self.days + other.days,
        )

    def as_json(self) -> dict[str, Any]:
        precision = self.true / self.alarms if self.alarms else None
        recall = self.hit / self.windows if self.windows else None
        both = (precision or 0.0) + (recall or 0.0)
        return {
            "windows": self.windows,
            "hit": self.hit,
            "alarms": self.alarms,
            "true": self.true,
            "precision": None if precision is None else round(precision, 3),
            "recall": None if recall is None else round(recall, 3),
            "f1": round(2 * (precision or 0.0) * (recall or 0.0) / both, 3) if both else 0.0,
            "false_alarms_a_day": round((self.alarms - self.true) / max(self.days, 1e-9), 3),
        }


@dataclass
class AnomalyScore:
    """Counts by group and detector."""

    counts: dict[tuple[str, str], _Count] = field(default_factory=dict[tuple[str, str], _Count])
    series: dict[str, int] = field(default_factory=dict[str, int])
    left_out: list[str] = field(default_factory=list[str])


def score_anomaly(found: Iterable[LabelledSeries | str]) -> AnomalyScore:
    """Run every detector over every series; what is no series is why a file was left out."""
    score = AnomalyScore()
    for item in found:
        if isinstance(item, str):
            score.left_out.append(item)
            continue
        score.series[item.group] = score.series.get(item.group, 0) + 1
        for name, detector in DETECTORS.items():
            key = (item.group, name)
            score.counts[key] = score.counts.get(key, _Count()) + _count(item, detector(item))
    return score


def _count(series: LabelledSeries, alarms: NDArray[np.bool_]) -> _Count:
    times = series.times[looks_of(series)]
    if len(times) == 0:
        return _Count()
    # Windows in the part in which nobody was asked do not count.
    windows = [w for w in series.windows if w[1] >= times[0]]
    events = _events(times[alarms], INCIDENT * series.interval)
    return _Count(
        windows=len(windows),
        hit=sum(any(_meet(w, e) for e in events) for w in windows),
        alarms=len(events),
        true=sum(any(_meet(w, e) for w in windows) for e in events),
        days=float(times[-1] - times[0]) / _DAY_MS,
    )


def _events(times: NDArray[np.int64], apart: int) -> list[tuple[int, int]]:
    """Return first and last time of each alarm: looks closer than ``apart`` are one alarm."""
    events: list[tuple[int, int]] = []
    for at in times.tolist():
        if events and at - events[-1][1] <= apart:
            events[-1] = (events[-1][0], at)
        else:
            events.append((at, at))
    return events


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def anomaly_json(score: AnomalyScore) -> dict[str, Any]:
    """Return ``groups`` and ``all`` by detector, and ``left_out``."""
    total = {
        name: sum((c for (_, d), c in score.counts.items() if d == name), _Count())
        for name in DETECTORS
    }
    return {
        "groups": {
            group: {
                "series": n,
                "detectors": {d: score.counts[group, d].as_json() for d in DETECTORS},
            }
            for group, n in score.series.items()
        },
        "all": {name: count.as_json() for name, count in total.items()},
        "left_out": score.left_out,
    }


def anomaly_text(found: Mapping[str, Any]) -> str:
    """Return a table with a line for each group and detector."""
    head = f"{'group (series)':28} {'detector':8} {'windows hit':>11} {'alarms':>7}"
    lines = [f"{head} {'precision':>9} {'recall':>7} {'F1':>6} {'false a day':>11}"]
    for group, one in found["groups"].items():
        lines += _rows(f"{group} ({one['series']})", one["detectors"])
    lines += _rows("all", found["all"])
    lines += [f"left out: {reason}" for reason in found["left_out"]]
    return "\n".join(lines)


def _rows(title: str, detectors: Mapping[str, Any]) -> Sequence[str]:
    return [
        f"{title if n == 0 else '':28} {name:8} {one['hit']:>5}/{one['windows']:<5}"
        f" {one['alarms']:>7} {one['precision'] or 0.0:>9.3f} {one['recall'] or 0.0:>7.3f}"
        f" {one['f1']:>6.3f} {one['false_alarms_a_day']:>11.3f}"
        for n, (name, one) in enumerate(detectors.items())
    ]
