"""Least squares under a sign."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from superbizagent.analysis._non_negative import non_negative


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_the_conditions_of_an_optimum_hold(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n + 3, n))
    matrix, right = rows.T @ rows + 1e-3 * np.eye(n), rows.T @ random.normal(size=n + 3)
    x = non_negative(matrix, right)
    slope = matrix @ x - right
    assert (x >= 0).all()
    assert (slope >= -1e-6).all()
    assert np.abs(slope * x).max() < 1e-6
    order = random.permutation(n)
    assert np.allclose(
        non_negative(matrix[np.ix_(order, order)], right[order]), x[order], atol=1e-8
    )
