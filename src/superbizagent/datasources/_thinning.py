"""Fewer samples of dense series, the same way whatever the source."""

import numpy as np

from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window

__all__ = ["thin_series"]


def thin_series(found: SeriesSet, window: Window, max_points: int) -> tuple[SeriesSet, int]:
    """Keep the last sample of each step of series that have more than ``max_points``.

    Returns:
        The set, and how many of its series lost samples.
    """
    counts = np.diff(found.offsets)
    limit = max(max_points, 1)
    dense = counts > limit
    if not dense.any():
        return found, 0
    length = window.end_ms - window.start_ms + 1
    step = -(-length // limit)
    owner = np.repeat(np.arange(len(found)), counts)
    bucket = (found.times - window.start_ms) // step
    keep = np.ones(len(owner), np.bool_)
    keep[:-1] = (owner[1:] != owner[:-1]) | (bucket[1:] != bucket[:-1])
    keep |= ~dense[owner]
    kept = np.bincount(owner[keep], minlength=len(found))
    thinned = SeriesSet(
        labels=found.labels,
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)]),
        times=found.times[keep],
        values=found.values[keep],
    )
    return thinned, int(dense.sum())
