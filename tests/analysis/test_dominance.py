"""Standing out among peers, and putting channels together."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from superbizagent.analysis.dominance import dominance, fuse

scores = st.lists(st.floats(0, 50), max_size=30).map(lambda v: np.array(v, np.float64))


def test_what_everyone_has_is_worth_nothing() -> None:
    assert not dominance(np.array([3.0, 3.0, 3.0, 3.0]), 0.25, 0.1).any()


def test_a_leader_far_from_the_second_stands_out_more_than_one_of_twins() -> None:
    alone = dominance(np.array([4.0, 0.1, 0.1, 0.1]), 0.25, 0.1)[0]
    twins = dominance(np.array([4.0, 4.0, 0.1, 0.1]), 0.25, 0.1)[0]
    assert alone > 2 * twins > 0


def test_one_entity_stands_for_itself_and_of_two_the_larger_stands_out() -> None:
    assert dominance(np.array([3.0]), 0.25, 0.1)[0] > 0
    assert dominance(np.array([3.0, 1.0]), 0.25, 0.1).tolist() == [np.log1p(2 / 0.25), 0.0]


@given(scores)
def test_dominance_keeps_the_order_and_is_never_below_zero(values: np.ndarray) -> None:
    found = dominance(values, 0.25, 0.1)
    assert (found >= 0).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(found[order]) >= 0).all()


def test_the_strongest_channel_counts_whole_and_the_others_a_fifth() -> None:
    parts = fuse(np.array([[1.0, 0.0], [5.0, 2.0]]))
    np.testing.assert_allclose(parts, [[0.2, 0.0], [5.0, 2.0]])


def test_no_channel_gives_no_part() -> None:
    assert fuse(np.zeros((0, 0))).size == 0
