"""Row statistics agree with numpy's on every row."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from superbizagent.analysis import quantiles
from superbizagent.analysis.quantiles import row_extremes, row_means, row_quantiles, row_sustained

Rows = list[list[float]]

rows_of_numbers = st.lists(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), max_size=40), max_size=12
)


def _flat(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.array([len(r) for r in rows], np.int64)
    return np.array([v for r in rows for v in r], np.float64), lengths


@given(rows_of_numbers)
def test_quantiles_means_and_extremes_of_rows(rows: Rows) -> None:
    values, lengths = _flat(rows)
    found = row_quantiles(values, lengths, (0.25, 0.5, 0.9))
    means, (low, high) = row_means(values, lengths), row_extremes(values, lengths)
    for k, row in enumerate(rows):
        if not row:
            assert np.isnan(found[:, k]).all()
            assert np.isnan([means[k], low[k], high[k]]).all()
            continue
        np.testing.assert_allclose(found[:, k], np.quantile(row, [0.25, 0.5, 0.9]), atol=1e-6)
        assert means[k] == pytest.approx(float(np.mean(row)), abs=1e-6)
        assert (low[k], high[k]) == (min(row), max(row))


@given(rows_of_numbers)
def test_the_strongest_run_is_the_extreme_mean_of_any_run(rows: Rows) -> None:
    values, lengths = _flat(rows)
    low, high = row_sustained(values, lengths, 0.25, 3)
    for k, row in enumerate(rows):
        if row:
            run = min(len(row), max(3, int(np.ceil(0.25 * len(row)))))
            means = [np.mean(row[i : i + run]) for i in range(len(row) - run + 1)]
            np.testing.assert_allclose([low[k], high[k]], [min(means), max(means)], atol=1e-6)


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    lengths = random.integers(0, 50, 300)
    values = random.normal(size=int(lengths.sum()))
    whole = row_quantiles(values, lengths, (0.5,))
    monkeypatch.setattr(quantiles, "_CELLS", 100)
    np.testing.assert_array_equal(row_quantiles(values, lengths, (0.5,)), whole)
