"""Two published ways to rank services by metrics alone, scored on the same windows.

Both take the largest deviation of any sample of the fault window from the time before it:
``N-sigma`` in standard deviations from the mean, ``BARO-like`` in interquartile ranges from the
median. Both are documented in variants: with the sign or without, and with or without the series
that are constant before the fault (a scale of zero counts as one). The better variant is reported.
"""

from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Windows
from superbizagent.evaluation.rca.recordings import Recording

__all__ = ["METHODS", "VARIANTS", "baseline_scores"]

Floats = NDArray[np.float64]

METHODS = ("nsigma", "baro")
VARIANTS = tuple(product(("signed", "absolute"), ("all", "varying")))
_LEAST = 2  # samples before the fault


def baseline_scores(
    recording: Recording, series: SeriesSet, windows: Windows
) -> dict[tuple[str, str, str], dict[str, float]]:
    """Return by ``(method, sign, series)`` the score of every candidate, never below 0."""
    found: dict[tuple[str, str, str], dict[str, float]] = {
        (m, *v): dict.fromkeys(recording.candidates, 0.0) for m in METHODS for v in VARIANTS
    }
    guard = round(recording.step.total_seconds() * 1000)
    for item in series:
        entity = recording.entity_of(item.labels)
        if entity is None:
            continue
        before, during = _split(item.times, item.values, windows, guard)
        if len(before) < _LEAST or len(during) == 0:
            continue
        for method, (centre, scale) in _levels(before).items():
            away = (during - centre) / (scale or 1.0)
            sizes = {"signed": float(away.max()), "absolute": float(np.abs(away).max())}
            for sign, size in sizes.items():
                for kept in ("all", "varying") if scale > 0 else ("all",):
                    scores = found[method, sign, kept]
                    scores[entity] = max(scores[entity], size)
    return found


def _split(
    times: NDArray[np.int64], values: Floats, windows: Windows, guard: int
) -> tuple[Floats, Floats]:
    """Return finite values before and during; as the core does, without the last step before."""
    finite = np.isfinite(values)
    earlier = np.zeros(len(times), np.bool_)
    for window in windows.baselines:
        earlier |= (times >= window.start_ms) & (times <= window.end_ms)
    begin, end = windows.incident.start_ms, windows.incident.end_ms
    inside = (times >= begin) & (times <= end)
    near = (times > begin - guard) & (times <= end)
    return values[finite & earlier & ~near], values[finite & inside]


def _levels(before: Floats) -> Mapping[str, tuple[float, float]]:
    low, middle, high = np.quantile(before, [0.25, 0.5, 0.75])
    return {
        "nsigma": (float(before.mean()), float(before.std())),
        "baro": (float(middle), float(high - low)),
    }
