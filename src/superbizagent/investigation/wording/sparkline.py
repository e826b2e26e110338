"""The course of one series in a few characters' worth of numbers."""

import re
from itertools import pairwise

import numpy as np

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Windows

__all__ = ["POINTS", "sparkline_of"]

POINTS = 40
"""Characters of a sparkline: fits beside a label, and a minute a point of a usual look."""
_PLACE = re.compile(r"(series|template)/(\d+)")


def sparkline_of(evidence: Evidence, fact_id: str, windows: Windows) -> list[float | None]:
    """Return the mean of each of `POINTS` equal parts of all windows, None where nothing was.

    Empty for a counter and for a fact that stands in no series or template.
    """
    row = evidence.of(int(fact_id[1:].partition(".")[0]))
    fact = next((f for f in row.facts if f.id == fact_id), None) if row else None
    place = _PLACE.match(fact.place) if fact else None
    if row is None or place is None:
        return []
    index = int(place[2])
    if isinstance(row.output, SeriesSet) and place[1] == "series":
        return _of_series(row.output, index, windows)
    if isinstance(row.output, LogDigest) and place[1] == "template":
        return _of_counts(row.output.templates[index].buckets)
    return []


def _of_series(output: SeriesSet, index: int, windows: Windows) -> list[float | None]:
    series = output[index]
    finite = np.isfinite(series.values)
    times, values = series.times[finite], series.values[finite]
    if len(values) == 0 or _counts_up(output, series.name):
        return []
    whole = windows.whole
    width = max(1, whole.end_ms - whole.start_ms)
    parts = np.minimum((times - whole.start_ms) * POINTS // width, POINTS - 1)
    inside = (times >= whole.start_ms) & (times <= whole.end_ms)
    return [_mean(values[inside & (parts == k)]) for k in range(POINTS)]


def _counts_up(output: SeriesSet, name: str) -> bool:
    """Tell whether a metric only ever rises; ``_count`` does where its ``_sum`` is there too."""
    if name.endswith(("_total", "_sum", "_bucket")):
        return True
    sibling = f"{name.removesuffix('_count')}_sum"
    return name.endswith("_count") and any(item["__name__"] == sibling for item in output.labels)


def _of_counts(buckets: tuple[int, ...]) -> list[float | None]:
    if not buckets:
        return []
    edges = np.linspace(0, len(buckets), min(POINTS, len(buckets)) + 1).astype(int)
    counts = np.array(buckets, np.float64)
    return [_mean(counts[a:b]) for a, b in pairwise(edges.tolist())]


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float | None:
    return round_significant(float(values.mean())) if len(values) else None
