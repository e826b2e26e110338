"""Places, intervals, thresholds: the arithmetic behind the tables."""

from dataclasses import replace
from math import inf

import pytest

from superbizagent.domain.finding import FaultKind
from superbizagent.evaluation.rca.confidence import left_out, precision_at_margins
from superbizagent.evaluation.rca.ranks import place, summary_of_places
from superbizagent.evaluation.rca.rows import Row
from superbizagent.evaluation.rca.timing import TimeMode

ROW = Row(
    set="a", case="c", fault="cpu", time=TimeMode.EXACT, inputs="metrics", candidates=10,
    chance=0.1, rank=1, answered=True, answer_right=True, margin=0.7, strength=2.0,
    top=("x",), kind_asked=True, kind_of_truth=FaultKind.CPU,
    kind_right=True, miss="", seconds=0.1, peak_bytes=0,
)  # fmt: skip


def test_a_right_one_that_shares_its_score_is_behind_the_wrong_ones() -> None:
    scores = {"a": 3.0, "b": 3.0, "c": 3.0, "d": 1.0}
    assert place(scores, {"a"}) == 3
    assert place(scores, {"a", "b"}) == 2
    assert place(scores, {"d"}) == 4
    assert place(scores | {"a": 3.1}, {"a"}) == 1


def test_a_right_one_without_a_score_has_no_place() -> None:
    assert place({"a": 1.0, "b": 0.0}, {"b"}) == inf
    assert place({"a": 1.0}, {"z"}) == inf
    assert place({}, {"z"}) == inf


def test_figures_of_places() -> None:
    found = summary_of_places([1, 2, 4, inf])
    assert found["ac1"][0] == 0.25
    assert found["ac3"][0] == 0.5
    assert found["ac5"][0] == 0.75
    assert found["avg5"][0] == pytest.approx((0.25 + 0.5 + 0.5 + 0.75 + 0.75) / 5, abs=1e-3)
    assert found["mrr"][0] == pytest.approx((1 + 1 / 2 + 1 / 4) / 4, abs=1e-3)
    assert all(low <= value <= high for value, low, high in found.values())
    assert found == summary_of_places([1, 2, 4, inf])
    assert summary_of_places([]) == {}
    assert summary_of_places([1, 1, 1])["ac1"] == [1.0, 1.0, 1.0]


def test_precision_counts_answers_only() -> None:
    wrong, silent = replace(ROW, answer_right=False), replace(ROW, answered=False)
    rows = [ROW, wrong, replace(ROW, margin=0.5), silent]
    found = precision_at_margins(rows)
    assert (found["0.6"]["answered"], found["0.6"]["right"]) == (2, 1)
    assert (found["0.4"]["coverage"], found["0.4"]["precision"]) == (0.75, round(2 / 3, 3))
    assert found["0.8"]["precision"] is None


def test_thresholds_of_a_set_come_from_the_others() -> None:
    good = [replace(ROW, margin=0.5 + k / 100) for k in range(8)]
    bad = [replace(ROW, margin=0.3 + k / 100, answer_right=False) for k in range(10)]
    other = [replace(row, set="b") for row in [*good, *bad]]
    mine = [replace(ROW, margin=0.55), replace(ROW, margin=0.45, answer_right=False)]
    found = left_out([*mine, *other])
    assert found["sets"]["a"]["root_cause_found"] == {
        "margin": 0.5, "answered": 1, "right": 1,
    }  # fmt: skip
    # Of these two answers half are right: no margin of theirs is good enough for the other set.
    assert found["sets"]["b"]["root_cause_found"]["answered"] == 0
    assert found["pooled"]["cases"] == 20
    assert left_out(mine) == {}
