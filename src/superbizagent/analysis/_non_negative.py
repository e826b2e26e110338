"""Least squares under ``x >= 0``, without chance and without an order of the unknowns."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["non_negative"]

Floats = NDArray[np.float64]

_TINY = 1e-10
_PATIENCE = 3
_ROUNDS = 1000


def non_negative(matrix: Floats, right: Floats) -> Floats:
    """Minimise ``x' A x / 2 - b' x`` over ``x >= 0`` by block principal pivoting.

    Args:
        matrix: ``A``, symmetric and positive definite, so that there is one solution.
        right: ``b``.
    """
    n = len(right)
    free = np.zeros(n, np.bool_)
    x, slope = np.zeros(n), -right
    fewest, patience = n + 1, _PATIENCE
    for _ in range(_ROUNDS):
        wrong = np.where(free, x < -_TINY, slope < -_TINY)
        count = int(np.count_nonzero(wrong))
        if count == 0:
            break
        # All that is wrong changes sides at once; when that does not help, the last alone, which
        # is sure to end.
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            last = np.flatnonzero(wrong)[-1]
            wrong = np.arange(n) == last
        free ^= wrong
        x = np.zeros(n)
        x[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free])
        slope = matrix @ x - right
        slope[free] = 0.0
    return np.maximum(0.0, x)
