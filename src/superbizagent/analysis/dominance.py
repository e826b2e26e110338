"""Peer dominance: how far one entity stands out from the others on the same scale.

It makes channels comparable without training: a score that everyone shares says nothing about who
caused it.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["dominance", "fuse"]

Floats = NDArray[np.float64]

_REST = 0.2  # what the weaker channels add to the strongest


def dominance(scores: Floats, share: float, floor: float) -> Floats:
    """Return ``ln(1 + max(0, v - median) / max(1.4826 MAD, share * second largest, floor))``.

    ``scores`` are not negative, one an entity. ``share`` keeps the leader of a pair of twins from
    standing out, ``floor`` keeps tiny scores from doing so.
    """
    if len(scores) == 0:
        return scores.copy()
    median = float(np.median(scores))
    mad = 1.4826 * float(np.median(np.abs(scores - median)))
    second = float(np.sort(scores)[-2]) if len(scores) > 1 else 0.0
    # With one or two entities the median is one of them; nobody is a peer, so nothing is taken off.
    base = median if len(scores) > 2 else 0.0
    return np.log1p(np.maximum(0.0, scores - base) / max(mad, share * second, floor))


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
