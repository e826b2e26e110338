"""Places of the right answer, and what many of them come to."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["place", "summary_of_places"]

_DRAWS = 2000
_TOP = 5


def place(scores: Mapping[str, float], right: AbstractSet[str]) -> float:
    """Return the place of the best right one, behind every wrong one with the same score.

    Infinite when no right one has a score above 0.
    """
    best = max((s for name, s in scores.items() if name in right), default=0.0)
    if best <= 0:
        return inf
    return 1 + sum(s >= best for name, s in scores.items() if name not in right)


def summary_of_places(places: Sequence[float]) -> dict[str, Any]:
    """Return ``ac1, ac3, ac5, avg5, mrr`` with their 95 % intervals, by bootstrap over the cases.

    Every value is ``[figure, low, high]``, three digits; empty of no place.
    """
    if not places:
        return {}
    at = np.array(places, np.float64)
    within = {k: (at <= k).astype(np.float64) for k in range(1, _TOP + 1)}
    values: dict[str, NDArray[np.float64]] = {
        "ac1": within[1],
        "ac3": within[3],
        "ac5": within[5],
        "avg5": np.mean(list(within.values()), axis=0),
        "mrr": 1.0 / at,
    }
    # The same draws for every figure and every run of the program.
    drawn = np.random.default_rng(0).integers(0, len(at), (_DRAWS, len(at)))
    return {name: _with_interval(each, drawn) for name, each in values.items()}


def _with_interval(values: NDArray[np.float64], drawn: NDArray[np.int64]) -> list[float]:
    low, high = np.percentile(values[drawn].mean(axis=1), [2.5, 97.5])
    return [round(float(v), 3) for v in (values.mean(), low, high)]
