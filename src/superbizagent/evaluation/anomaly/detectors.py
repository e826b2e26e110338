"""Detectors that look at a series as it comes: at every look only what came before is known.

The core is asked as an alert would ask it: the last samples are the incident; what came just before
them, and the same time of day a day and a week earlier, are the baselines.
"""

from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.abnormal import is_abnormal
from superbizagent.analysis.deviation import measure
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms
from superbizagent.evaluation.anomaly.labelled_series import LabelledSeries

__all__ = ["EVERY", "INCIDENT", "core_alarms", "looks_of", "sigma_alarms"]

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

INCIDENT = 12
"""Samples that are judged at a look."""
EVERY = 3
"""Samples between two looks."""
_BEFORE = 3 * INCIDENT
"""Samples just before, with which they are compared."""
_GAP = 2
"""Samples between: a slow start is not called normal."""
_DAY, _WEEK = 86_400_000, 7 * 86_400_000
_PROBATION = 0.15
"""Share of a series at its begin in which nobody is asked yet, as the benchmark has it."""
_BATCH = 4_000
_NOW = 1_800_000_000_000
"""Every look is moved to this time, so that many can be measured at once."""


def looks_of(series: LabelledSeries) -> Ints:
    """Return the positions of the samples at which the detectors are asked."""
    first = max(INCIDENT + _BEFORE + _GAP, int(_PROBATION * len(series.times)))
    return np.arange(first, len(series.times), EVERY, dtype=np.int64)


def core_alarms(series: LabelledSeries) -> Flags:
    """Tell for each look whether the core calls the last samples abnormal."""
    looks = looks_of(series)
    parts = [looks[k : k + _BATCH] for k in range(0, len(looks), _BATCH)]
    return np.concatenate([np.zeros(0, np.bool_), *(_abnormal(series, part) for part in parts)])


def _abnormal(series: LabelledSeries, looks: Ints) -> Flags:
    windows = _windows(series.interval)
    length, times, values = _slices(series, looks, windows)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
    labels = ({"__name__": series.name},) * len(looks)
    step = timedelta(milliseconds=series.interval)
    deviations = measure(SeriesSet(labels, offsets, times, values), windows, step)
    return is_abnormal(deviations, looked_at=1)  # each look is a question of its own


def _windows(interval: int) -> Windows:
    incident = _span((INCIDENT - 1) * interval, 0)
    begin = (INCIDENT - 1 + _GAP) * interval
    near = _span(begin + _BEFORE * interval, begin)
    wide = 2 * INCIDENT * interval  # an hour's peak does not come at the same minute
    earlier = [
        _span(back + wide, back - INCIDENT * interval)
        for back in (_DAY, _WEEK)
        if back - INCIDENT * interval > begin + _BEFORE * interval
    ]
    return Windows(incident=incident, baselines=(near, *earlier))


def _span(start_ago: int, end_ago: int) -> Window:
    return Window(start=from_ms(_NOW - start_ago), end=from_ms(_NOW - end_ago))


def _slices(
    series: LabelledSeries, looks: Ints, windows: Windows
) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Return how many samples each look has, and their moved times and values."""
    now = series.times[looks]
    spans = sorted(windows.baselines, key=lambda w: w.start_ms)
    bounds: list[tuple[Ints, Ints]] = []
    for window in (*spans, windows.incident):
        start = np.searchsorted(series.times, now + (window.start_ms - _NOW))
        stop = np.searchsorted(series.times, now + (window.end_ms - _NOW), side="right")
        bounds.append((start, stop))
    first = np.stack([b[0] for b in bounds], axis=1).ravel()
    count = np.stack([b[1] - b[0] for b in bounds], axis=1)
    sizes = count.ravel()
    inner = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = np.repeat(first, sizes) + inner
    length = count.sum(axis=1)
    return length, series.times[at] - np.repeat(now, length) + _NOW, series.values[at]


def sigma_alarms(series: LabelledSeries, sigmas: float) -> Flags:
    """Tell for each look whether a sample since the last one is that many deviations off.

    Mean and standard deviation are those of the day before.
    """
    looks = looks_of(series)
    past = max(_BEFORE, round(_DAY / series.interval))
    found = np.zeros(len(looks), np.bool_)
    for k, look in enumerate(looks.tolist()):
        before = series.values[max(0, look - EVERY + 1 - past) : look - EVERY + 1]
        away = np.abs(series.values[look - EVERY + 1 : look + 1] - before.mean())
        found[k] = bool((away > sigmas * max(float(before.std()), 1e-12)).any())
    return found
