"""Aggregations, their groups and their order."""

import math

import pytest

from promql_recording import Data, record
from superbizagent.errors import QueryError

NAN, INF = math.nan, math.inf
DATA: Data = {
    'a{job="x",i="1"}': [1],
    'a{job="x",i="2"}': [3],
    'a{job="y",i="1"}': [8],
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sum(a)", {"{}": 12}),
        ("sum by () (a)", {"{}": 12}),
        ("sum by (job) (a)", {'{job="x"}': 4, '{job="y"}': 8}),
        ("sum(a) by (job)", {'{job="x"}': 4, '{job="y"}': 8}),
        ("sum without (i) (a)", {'{job="x"}': 4, '{job="y"}': 8}),
        ("sum without () (a)", {'{i="1",job="x"}': 1, '{i="2",job="x"}': 3, '{i="1",job="y"}': 8}),
        ("sum by (nothing) (a)", {"{}": 12}),
        ("sum by (__name__) (a)", {"a": 12}),
        ("avg by (job) (a)", {'{job="x"}': 2, '{job="y"}': 8}),
        ("min by (i) (a)", {'{i="1"}': 1, '{i="2"}': 3}),
        ("max by (i) (a)", {'{i="1"}': 8, '{i="2"}': 3}),
        ("count by (i) (a)", {'{i="1"}': 2, '{i="2"}': 1}),
        ("group by (i) (a)", {'{i="1"}': 1, '{i="2"}': 1}),
        ("stdvar by (job) (a)", {'{job="x"}': 1, '{job="y"}': 0}),
        ("stddev by (job) (a)", {'{job="x"}': 1, '{job="y"}': 0}),
        ("quantile by (job) (0.5, a)", {'{job="x"}': 2, '{job="y"}': 8}),
        ("quantile(0.25, a)", {"{}": 2}),
        ("quantile(-1, a)", {"{}": -INF}),
        ("quantile(2, a)", {"{}": INF}),
        ("topk(1, a)", {'a{i="1",job="y"}': 8}),
        ("topk by (job) (1, a)", {'a{i="2",job="x"}': 3, 'a{i="1",job="y"}': 8}),
        ("bottomk(2, a)", {'a{i="1",job="x"}': 1, 'a{i="2",job="x"}': 3}),
        ("topk(2.9, a)", {'a{i="2",job="x"}': 3, 'a{i="1",job="y"}': 8}),
        ("topk(0, a)", {}),
        ("topk(-1, a)", {}),
        ("topk(scalar(count(a)) - 2, a)", {'a{i="1",job="y"}': 8}),
        ("sum(nothing)", {}),
        ("count(a > 2)", {"{}": 2}),
    ],
)
def test_aggregations(query: str, expected: dict[str, float]) -> None:
    assert record(DATA).at(query) == expected


def test_topk_keeps_all_when_it_may() -> None:
    assert len(record(DATA).at("topk(9, a)")) == 3
    assert len(record(DATA).at("bottomk(3, a)")) == 3


@pytest.mark.parametrize("k", ["NaN", "Inf", "-Inf", "1e30"])
def test_an_impossible_number_of_series_is_refused(k: str) -> None:
    nothing: Data = {}
    for data in (DATA, nothing):
        with pytest.raises(QueryError, match="topk"):
            record(data).at(f"topk({k}, a)")


def test_of_equal_values_the_first_by_name_stay() -> None:
    data: Data = {'a{x="1"}': [5], 'a{x="2"}': [5], 'a{x="3"}': [5]}
    assert list(record(data).at("topk(2, a)")) == ['a{x="1"}', 'a{x="2"}']
    assert list(record(data).at("bottomk(1, a)")) == ['a{x="1"}']


def test_undefined_values() -> None:
    data: Data = {'a{x="1"}': [NAN], 'a{x="2"}': [5], 'a{x="3"}': [7]}
    recording = record(data)
    assert recording.at("max(a)") == {"{}": 7}
    assert recording.at("min(a)") == {"{}": 5}
    assert math.isnan(recording.at("sum(a)")["{}"])
    assert list(recording.at("topk(2, a)")) == ['a{x="2"}', 'a{x="3"}']
    assert list(recording.at("bottomk(2, a)")) == ['a{x="2"}', 'a{x="3"}']
    assert math.isnan(recording.at("quantile(0, a)")["{}"])
    assert recording.at("quantile(0.5, a)") == {"{}": 5}
    assert math.isnan(record({"a": [NAN]}).at("max(a)")["{}"])


@pytest.mark.parametrize(("version", "expected"), [("2.55.0", 0.0), ("3.0.0", NAN)])
@pytest.mark.parametrize("value", [NAN, INF])
def test_the_deviation_of_one_undefined_value_is_undefined_since_3_0(
    version: str, expected: float, value: float
) -> None:
    found = record({"a": [value]}, version=version).at("stddev(a)")
    assert found == {"{}": pytest.approx(expected, nan_ok=True)}


@pytest.mark.parametrize(("version", "exact"), [("2.53.0", False), ("2.54.0", True)])
def test_a_sum_keeps_what_rounding_loses_since_2_54(version: str, *, exact: bool) -> None:
    values = [1.0, 1e100, 1.0, -1e100]
    data: Data = {f'a{{x="{k}"}}': [value] for k, value in enumerate(values)}
    assert (record(data, version=version).at("sum(a)") == {"{}": 2.0}) is exact
    assert (record(data, version=version).at("avg(a)") == {"{}": 0.5}) is exact


def test_equal_values_deviate_by_nothing_however_large() -> None:
    data: Data = {f'a{{x="{k}"}}': [1.7e9 + 0.1] for k in range(30)}
    assert record(data).at("stddev(a)") == {"{}": 0.0}
    huge: Data = {f'a{{x="{k}"}}': [k * 1e200 + 1e190] for k in range(3)}
    assert record(huge).at("stdvar(a)") == {"{}": INF}
    steady = record({"a": [1.7e9 + 0.1] * 15})
    assert steady.at("stddev_over_time(a[5m])", 210) == {"{}": 0.0}


def test_a_group_has_a_value_where_any_of_its_series_has() -> None:
    data: Data = {'a{x="1"}': [1, "stale", 3], 'a{x="2"}': [10, 20, "stale"]}
    found = record(data).over("sum(a)", 0, 30, 15)
    assert found == {"{}": {0: 11, 15: 20, 30: 3}}
    assert record(data).over("count(a)", 0, 30, 15) == {"{}": {0: 2, 15: 1, 30: 1}}
    assert record(data).over("topk(1, a)", 0, 30, 15) == {
        'a{x="2"}': {0: 10, 15: 20},
        'a{x="1"}': {30: 3},
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('count_values("v", a)', {'{v="1"}': 2, '{v="2.5"}': 1, '{v="NaN"}': 1, '{v="+Inf"}': 1}),
        (
            'count_values by (job) ("v", a > 0)',
            {'{job="x",v="1"}': 2, '{job="y",v="2.5"}': 1, '{job="y",v="+Inf"}': 1},
        ),
        (
            'count_values without (i) ("v", a < 3)',
            {'{job="x",v="1"}': 2, '{job="y",v="2.5"}': 1},
        ),
        # The label that counts replaces one of the same name.
        ('count_values("job", a < 2)', {'{job="1"}': 2}),
        ('count_values("v", a * 1e21 < 2e21)', {'{v="1000000000000000000000"}': 2}),
        ('count_values("v", a * -0 == 0)', {'{v="-0"}': 3}),
        ('count_values("v", nothing)', {}),
    ],
)
def test_count_values(query: str, expected: dict[str, float]) -> None:
    data: Data = {
        'a{job="x",i="1"}': [1], 'a{job="x",i="2"}': [1], 'a{job="y",i="1"}': [2.5],
        'a{job="y",i="2"}': [NAN], 'a{job="y",i="3"}': [INF],
    }  # fmt: skip
    assert record(data).at(query) == expected


def test_counting_what_never_repeats_is_refused_before_it_fills_the_memory() -> None:
    data: Data = {f'a{{x="{k}"}}': [k + j / 300 for j in range(300)] for k in range(30)}
    with pytest.raises(QueryError, match="round the values first"):
        record(data, every=1).over('count_values("v", a)', 0, 2999, 1)
