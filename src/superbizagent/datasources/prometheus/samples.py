"""Samples as the JSON API prints them, read into columns."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from superbizagent.domain.series import Labels, SeriesSet, Times, Values
from superbizagent.domain.window import Window

__all__ = ["Decoded", "decode_matrix", "is_constant", "keep_series"]

Decoded = tuple[SeriesSet, int]
"""Series with samples, and how many held nothing that can be read: native histograms."""


def decode_matrix(data: Any, window: Window) -> Decoded:
    """Read the ``data`` of a range answer; samples outside the closed window drop out.

    Raises:
        ValueError: when it has another form.
    """
    try:
        result = cast("list[dict[str, Any]]", data["result"])
        rows = [_row(item, window) for item in result if "values" in item]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"samples in an unknown form: {error!r}") from error
    return SeriesSet.of(row for row in rows if len(row[1])), len(result) - len(rows)


def _row(item: dict[str, Any], window: Window) -> tuple[Labels, Times, Values]:
    pairs: list[tuple[float, str]] = item["values"]
    count = len(pairs)
    seconds = np.fromiter((at for at, _ in pairs), np.float64, count)
    values = np.fromiter((float(text) for _, text in pairs), np.float64, count)
    times = np.rint(seconds * 1000).astype(np.int64)
    labels = {str(k): str(v) for k, v in cast("dict[str, str]", item["metric"]).items()}
    inside = (times >= window.start_ms) & (times <= window.end_ms)
    return (labels, times, values) if inside.all() else (labels, times[inside], values[inside])


def is_constant(found: SeriesSet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which series have one value, or none but NaN, over the whole span."""
    if not len(found):
        return np.zeros(0, np.bool_)
    starts = found.offsets[:-1]
    low = np.fmin.reduceat(found.values, starts)
    high = np.fmax.reduceat(found.values, starts)
    return (low == high) | np.isnan(low)


def keep_series(found: SeriesSet, numbers: Sequence[int]) -> SeriesSet:
    """Return some series of a set, in its order."""
    return SeriesSet.of((s.labels, s.times, s.values) for s in (found[k] for k in numbers))
