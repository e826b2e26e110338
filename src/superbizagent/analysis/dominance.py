"""Peer dominance: how far one entity stands out from the others on the same scale.

It makes channels comparable without training: a score that everyone shares says nothing about who
caused it.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW", "dominance", "fuse"]

Floats = NDArray[np.float64]

FEW = 6
"""Fewer entities than this are no crowd that one could stand out from."""

_REST = 0.2  # what the weaker channels add to the strongest


def dominance(scores: Floats, share: float, floor: float) -> Floats:
    """Return ``ln(1 + max(0, v - m) / max(1.4826 MAD, share * second largest, floor))``.

    ``scores`` are not negative, one an entity; ``m`` is their median. ``share`` keeps the leader
    of a pair of twins from standing out, ``floor`` keeps tiny scores from doing so. Of fewer than
    `FEW` entities the median is that of the *others*, and MAD leaves the leader out: of four
    entities two of which are loud, the median of all would be half as loud as they are.
    """
    if len(scores) == 0:
        return scores.copy()
    ordered = np.sort(scores)
    peers = ordered[:-1] if len(ordered) < FEW else ordered
    if len(peers) == 0:
        return np.log1p(scores / floor)
    mad = 1.4826 * float(np.median(np.abs(peers - np.median(peers))))
    few = len(ordered) < FEW
    base = _median_of_others(scores, ordered) if few else np.median(scores)
    scale = max(mad, share * float(ordered[-2]), floor)
    return np.log1p(np.maximum(0.0, scores - base) / scale)


def _median_of_others(scores: Floats, ordered: Floats) -> Floats:
    """Return for each score the median of all others."""
    n = len(scores)
    rank = np.searchsorted(ordered, scores, side="left")
    low, high = (n - 2) // 2, (n - 1) // 2
    # Without the score at `rank`, what stood above it moves down by one.
    a = ordered[low + (rank <= low)]
    b = ordered[high + (rank <= high)]
    return 0.5 * (a + b)


def fuse(channels: Floats) -> Floats:
    """Return each channel's part of the fused score, shape as ``channels`` (channel, entity).

    The strongest channel counts whole, the others a fifth: channels that see the same fault
    confirm each other a little, and one that sees nothing does not pull down the one that does.
    """
    if channels.shape[0] == 0:
        return channels.copy()
    parts = _REST * channels
    strongest = np.argmax(channels, axis=0)
    entity = np.arange(channels.shape[1], dtype=np.int64)
    parts[strongest, entity] = channels[strongest, entity]
    return parts
