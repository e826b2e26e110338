"""Levels that change for good are found where they change; what only varies is none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from superbizagent.analysis._log_shifts import number_shift, share_shifts

FIRST = 20  # bucket in which the incident begins


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _numbers(levels: Floats, seed: int = 0) -> tuple[Ints, Floats]:
    random = np.random.default_rng(seed)
    buckets = np.repeat(np.arange(len(levels)), 50)
    return buckets, random.exponential(np.repeat(levels, 50))


def test_a_step_is_found_in_its_bucket() -> None:
    levels = np.where(np.arange(40) < 27, 100.0, 900.0)
    found = number_shift(*_numbers(levels), FIRST)
    assert found is not None
    assert (found.bucket, found.onset) == (27, 27)
    assert found.before == pytest.approx(69, rel=0.2)
    assert found.after == pytest.approx(620, rel=0.2)


def test_a_slow_rise_begins_before_its_split() -> None:
    levels = 100.0 * 50.0 ** np.clip((np.arange(40) - 24) / 16, 0, 1)
    found = number_shift(*_numbers(levels), FIRST)
    assert found is not None
    assert 24 <= found.onset <= 29
    assert found.bucket > found.onset + 5


@pytest.mark.parametrize("seed", range(30))
def test_what_only_varies_is_no_shift(seed: int) -> None:
    assert number_shift(*_numbers(np.full(40, 100.0), seed), FIRST) is None
    small = np.random.default_rng(seed).integers(1, 4, 2000).astype(np.float64)
    assert number_shift(np.repeat(np.arange(40), 50), small, FIRST) is None


def test_of_few_values_nothing_is_said() -> None:
    buckets = np.arange(30)
    assert number_shift(buckets, np.where(buckets < 15, 1.0, 9.0), FIRST) is None
    assert number_shift(np.repeat(np.arange(2), 25), np.repeat([1.0, 9.0], 25), 1) is not None
    assert number_shift(np.repeat(np.arange(50), 1), np.full(50, 7.0), FIRST) is None


def _shares(after: float, seed: int, *, bursts: bool = False) -> Ints:
    random = np.random.default_rng(seed)
    totals = random.poisson(1000, 40)
    if bursts:
        totals = totals + 500 * random.integers(0, 3, 40)
    share = np.where(np.arange(40) < 25, 0.07, after)
    if bursts:
        share = share * random.uniform(0.5, 1.5, 40)
    own = random.binomial(totals, share)
    return np.stack([own, totals - own])


def test_a_share_that_changes_is_found_in_its_bucket() -> None:
    found = share_shifts(_shares(0.45, 1))
    assert found[0].bucket == 25
    assert (found[0].before, found[0].after) == pytest.approx((0.07, 0.45), abs=0.02)
    assert found[0].effect == pytest.approx(10.9, rel=0.1)


@pytest.mark.parametrize("seed", range(30))
def test_a_share_that_only_varies_is_no_shift(seed: int) -> None:
    assert share_shifts(_shares(0.07, seed)) == {}
    assert share_shifts(_shares(0.07, seed, bursts=True)) == {}


def test_of_nothing_or_one_row_there_is_no_share() -> None:
    assert share_shifts(np.zeros((3, 40), np.int64)) == {}
    assert share_shifts(np.ones((1, 40), np.int64)) == {}
