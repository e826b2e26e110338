"""Every other function: of windows, of values, of labels, of time."""

import math
import struct
from datetime import UTC, datetime

import pytest

from promql_recording import T0, Data, record
from superbizagent.errors import QueryError

NAN, INF = math.nan, math.inf
WINDOW = {"a": [4, 1, 3, 3, NAN, 2]}
"""At 75 s the last 61 s hold 1, 3, 3, NaN, 2."""
FINITE = {"a": [4, 1, 3, 3, 2]}
"""At 60 s the last 46 s hold 1, 3, 3, 2."""


def only(found: dict[str, float]) -> float:
    (value,) = found.values()
    return value


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sum_over_time(a[46s])", 9),
        ("avg_over_time(a[46s])", 2.25),
        ("min_over_time(a[46s])", 1),
        ("max_over_time(a[46s])", 3),
        ("count_over_time(a[46s])", 4),
        ("last_over_time(a[46s])", 2),
        ("present_over_time(a[46s])", 1),
        ("stdvar_over_time(a[46s])", 0.6875),
        ("stddev_over_time(a[46s])", math.sqrt(0.6875)),
        ("changes(a[46s])", 2),
        ("resets(a[46s])", 1),
        ("quantile_over_time(0.5, a[46s])", 2.5),
        ("quantile_over_time(0, a[46s])", 1),
        ("quantile_over_time(1, a[46s])", 3),
        ("quantile_over_time(0.9, a[46s])", 3),
        ("quantile_over_time(0.25, a[46s])", 1.75),
        ("quantile_over_time(-0.1, a[46s])", -INF),
        ("quantile_over_time(1.1, a[46s])", INF),
    ],
)
def test_a_window_of_finite_values(query: str, expected: float) -> None:
    assert only(record(FINITE).at(query, 60)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sum_over_time(a[61s])", NAN),
        ("avg_over_time(a[61s])", NAN),
        ("min_over_time(a[61s])", 1),
        ("max_over_time(a[61s])", 3),
        ("count_over_time(a[61s])", 5),
        ("stddev_over_time(a[61s])", NAN),
        ("changes(a[61s])", 3),
        ("resets(a[61s])", 0),
        # NaN is the smallest value.
        ("quantile_over_time(0, a[61s])", NAN),
        ("quantile_over_time(0.25, a[61s])", 1),
        ("quantile_over_time(NaN, a[61s])", NAN),
    ],
)
def test_a_window_with_an_undefined_value(query: str, expected: float) -> None:
    assert only(record(WINDOW).at(query, 75)) == pytest.approx(expected, nan_ok=True)


def test_undefined_neighbours_are_no_change() -> None:
    assert only(record({"a": [1, NAN, NAN, 1]}).at("changes(a[5m])", 60)) == 2


def test_a_sum_keeps_what_rounding_loses() -> None:
    values = [1.0, 1e100, 1.0, -1e100]
    assert only(record({"a": values}).at("sum_over_time(a[5m])", 60)) == 2
    assert only(record({"a": values}).at("avg_over_time(a[5m])", 60)) == 0.5
    assert only(record({"a": [INF, 1, 2]}).at("sum_over_time(a[5m])", 60)) == INF
    assert math.isnan(only(record({"a": [INF, -INF]}).at("sum_over_time(a[5m])", 60)))


def test_a_mean_does_not_overflow() -> None:
    assert only(record({"a": [1.5e308, 1.5e308]}).at("avg_over_time(a[5m])", 60)) == 1.5e308
    data = {'a{x="1"}': [1.5e308], 'a{x="2"}': [1.5e308]}
    assert only(record(data).at("avg(a)")) == 1.5e308


def test_only_last_over_time_keeps_the_name() -> None:
    recording = record({'a{x="1"}': [1, 2, 3]})
    assert list(recording.at("last_over_time(a[1m])", 30)) == ['a{x="1"}']
    assert list(recording.at("max_over_time(a[1m])", 30)) == ['{x="1"}']
    assert list(recording.at("quantile_over_time(0.5, a[1m])", 30)) == ['{x="1"}']


@pytest.mark.parametrize("function", ["rate", "max_over_time", "changes"])
def test_names_that_alone_told_series_apart_must_not_go(function: str) -> None:
    recording = record({"a": [1, 2, 3], "b": [1, 2, 3]})
    with pytest.raises(QueryError, match="twice"):
        recording.at(f'{function}({{__name__=~"a|b"}}[1m])', 30)
    assert len(recording.at('last_over_time({__name__=~"a|b"}[1m])', 30)) == 2


@pytest.mark.parametrize(
    ("query", "values", "expected"),
    [
        ("abs(a)", -1.5, 1.5),
        ("ceil(a)", 1.2, 2),
        ("floor(a)", -1.2, -2),
        ("exp(a)", 0, 1),
        ("sqrt(a)", 9, 3),
        ("sqrt(a)", -9, NAN),
        ("ln(a)", 0, -INF),
        ("ln(a)", math.e, 1),
        ("log2(a)", 8, 3),
        ("log10(a)", 1000, 3),
        ("sgn(a)", -3, -1),
        ("round(a)", 2.5, 3),
        ("round(a)", -2.5, -2),
        ("round(a, 0.1)", 2.34, 2.3),
        ("round(a, 5)", 12.5, 15),
        ("clamp(a, 0, 10)", 12, 10),
        ("clamp_min(a, 0)", -2, 0),
        ("clamp_max(a, 3)", 12, 3),
        ("clamp_max(a, 3)", NAN, NAN),
        ("clamp_min(a, Inf)", NAN, INF),
        ("clamp_max(a, -Inf)", NAN, -INF),
        ("clamp_min(a, NaN)", 1, NAN),
        ("-a", 4, -4),
        ("sort(a)", 4, 4),
        ("sort_desc(a)", 4, 4),
        ("a ^ 0.5", -INF, INF),
        ("a * pi()", 1, math.pi),
    ],
)
def test_functions_of_one_value(query: str, values: float, expected: float) -> None:
    found = only(record({"a": [values]}).at(query))
    assert found == pytest.approx(expected, nan_ok=True)


def test_an_impossible_clamp_selects_nothing() -> None:
    recording = record({"a": [1]})
    assert recording.at("clamp(a, 2, 1)") == {}
    assert math.isnan(only(recording.at("clamp(a, 0, NaN)")))


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("minute", 34), ("hour", 23), ("day_of_week", 4), ("day_of_month", 29), ("month", 2),
        ("year", 2024), ("day_of_year", 60), ("days_in_month", 29),
    ],
)  # fmt: skip
def test_parts_of_a_date_are_in_utc(part: str, expected: int) -> None:
    leap_day = datetime(2024, 2, 29, 23, 34, 59, tzinfo=UTC).timestamp()
    assert only(record({"a": [leap_day]}).at(f"{part}(a)")) == expected
    sunday = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    assert only(record({"a": [sunday]}).at("day_of_week(a)")) == 0
    assert only(record({"a": [0]}).at("day_of_year(a)")) == 1
    now = datetime.fromtimestamp(T0 / 1000, UTC)
    assert only(record({}).at("hour()")) == now.hour
    assert math.isnan(only(record({"a": [NAN]}).at("hour(a)")))


def test_time_vector_and_scalar() -> None:
    recording = record({'a{x="1"}': [7], 'b{x="1"}': [1], 'b{x="2"}': [2]})
    assert recording.at("time()", 12.345) == {"{}": T0 / 1000 + 12.345}
    assert recording.at("vector(3)") == {"{}": 3}
    assert recording.at("scalar(a)") == {"{}": 7}
    assert math.isnan(only(recording.at("scalar(b)")))
    assert math.isnan(only(recording.at("scalar(nothing)")))
    assert recording.at("1 + 2 * 3 ^ 2 % 5") == {"{}": 1 + 2 * 9 % 5}
    assert recording.at("-1 ^ 2") == {"{}": -1}
    assert recording.over("1 < bool time()", 0, 30, 15) == {"{}": {0: 1, 15: 1, 30: 1}}
    assert recording.over("vector(scalar(a))", 0, 30, 30) == {"{}": {0: 7, 30: 7}}


def test_timestamp_of_a_selector_is_that_of_its_sample() -> None:
    recording = record({'a{x="1"}': [7, 8]})
    assert recording.at("timestamp(a)", 20) == {'{x="1"}': T0 / 1000 + 15}
    assert recording.at("timestamp((a))", 20) == {'{x="1"}': T0 / 1000 + 15}
    assert recording.at("timestamp(a offset 15s)", 20) == {'{x="1"}': T0 / 1000}
    assert recording.at("timestamp(a + 0)", 20) == {'{x="1"}': T0 / 1000 + 20}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("absent(a)", {}),
        ('absent(a{x="1"})', {}),
        ("absent(no)", {"{}": 1}),
        ('absent(no{x="1",y=~"2",z!="3"})', {'{x="1"}': 1}),
        ('absent(no{x="1",x="2",y="3"})', {'{y="3"}': 1}),
        ('absent({__name__="no",x="1"})', {'{x="1"}': 1}),
        ('absent(no{x=""})', {"{}": 1}),
        ('absent((no{x="1"}))', {'{x="1"}': 1}),
        ('absent(sum(no{x="1"}))', {"{}": 1}),
        ('absent_over_time(no{x="1"}[5m])', {'{x="1"}': 1}),
        ("absent_over_time(a[5m])", {}),
    ],
)
def test_what_is_absent_is_named(query: str, expected: dict[str, float]) -> None:
    assert record({'a{x="1"}': [1]}).at(query) == expected


def test_absence_is_told_step_by_step() -> None:
    recording = record({"a": [1, "stale", 3]})
    assert recording.over("absent(a)", 0, 30, 15) == {"{}": {15: 1}}


LABELLED: Data = {'a{src="one-two",other="x"}': [1]}


@pytest.mark.parametrize(
    ("call", "labels"),
    [
        ('"dst", "$1", "src", "(.*)-(.*)"', {"dst": "one"}),
        ('"dst", "${2}_$1", "src", "(.*)-(.*)"', {"dst": "two_one"}),
        ('"dst", "$b", "src", "(?P<a>.*)-(?P<b>.*)"', {"dst": "two"}),
        ('"dst", "$1x", "src", "(.*)-(.*)"', {}),
        ('"dst", "$9", "src", ".*"', {}),
        ('"dst", "$$1", "src", ".*"', {"dst": "$1"}),
        ('"dst", "v", "src", "one"', {}),
        ('"dst", "v", "missing", ""', {"dst": "v"}),
        ('"src", "", "src", ".*"', {"src": None}),
        ('"__name__", "b", "src", ".*"', {"__name__": "b"}),
        ('"dst", "$0", "src", "(?i)ONE-.*"', {"dst": "one-two"}),
    ],
)
def test_label_replace(call: str, labels: dict[str, str | None]) -> None:
    expected: dict[str, str | None] = {"__name__": "a", "src": "one-two", "other": "x", **labels}
    name = expected.pop("__name__")
    inner = ",".join(f'{k}="{v}"' for k, v in sorted(expected.items()) if v)
    assert list(record(LABELLED).at(f"label_replace(a, {call})")) == [f"{name}{{{inner}}}"]


def test_a_dot_of_label_replace_matches_a_line_break_since_3_0() -> None:
    data: Data = {'a{src="x\\ny"}': [1]}
    call = 'label_replace(a, "dst", "v", "src", "x.y")'
    assert "dst" in next(iter(record(data, version="3.0.0").at(call)))
    assert "dst" not in next(iter(record(data, version="2.42.0").at(call)))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('"dst", "/", "src", "other"', 'a{dst="one-two/x",other="x",src="one-two"}'),
        ('"dst", "/", "src", "missing"', 'a{dst="one-two/",other="x",src="one-two"}'),
        ('"src", "", "missing"', 'a{other="x"}'),
        ('"src", "-"', 'a{other="x"}'),
    ],
)
def test_label_join(call: str, expected: str) -> None:
    assert list(record(LABELLED).at(f"label_join(a, {call})")) == [expected]


@pytest.mark.parametrize(
    "query",
    [
        'label_replace(a, "1x", "", "src", ".*")',
        'label_join(a, "d-t", "", "src")',
        'count_values("a b", a)',
        'label_replace(a, "dst", "v", "src", "(")',
    ],
)
def test_a_malformed_name_or_expression_is_refused(query: str) -> None:
    with pytest.raises(QueryError):
        record(LABELLED).at(query)


def test_relabelling_must_not_make_series_equal() -> None:
    recording = record({'a{x="1"}': [1, None, 3], 'a{x="2"}': [1, 2]}, every=400)
    with pytest.raises(QueryError, match="twice"):
        recording.at('label_replace(a, "x", "", "x", ".*")')
    # Where they never meet they become one series.
    found = recording.over('label_replace(a, "x", "", "x", ".*")', 400, 800, 400)
    assert found == {"a": {400: 2, 800: 3}}


def buckets(*counts: float, bounds: tuple[str, ...] = ("1", "2", "4", "+Inf")) -> Data:
    return {f'h{{le="{b}",x="y"}}': [c] for b, c in zip(bounds, counts, strict=True)}


@pytest.mark.parametrize(
    ("q", "data", "expected"),
    [
        ("0.5", buckets(10, 20, 30, 40), 2),
        ("0.25", buckets(10, 20, 30, 40), 1),
        ("0.125", buckets(10, 20, 30, 40), 0.5),
        ("0.9", buckets(10, 20, 30, 40), 4),
        ("0", buckets(10, 20, 30, 40), 0),
        ("1", buckets(10, 20, 30, 40), 4),
        ("-0.1", buckets(10, 20, 30, 40), -INF),
        ("1.1", buckets(10, 20, 30, 40), INF),
        ("NaN", buckets(10, 20, 30, 40), NAN),
        ("0.5", buckets(0, 0, 0, 0), NAN),
        ("0.5", buckets(10, 20, bounds=("1", "2")), NAN),
        ("0.5", buckets(10, bounds=("+Inf",)), NAN),
        # The bucket in the middle fell short, and is lifted to 20.
        ("0.5", buckets(20, 15, 40, 40), 1),
        # A first bound at or below 0 has no width.
        ("0.1", buckets(10, 20, bounds=("-1", "+Inf")), -1),
        ("0.1", buckets(10, 20, bounds=("0", "+Inf")), 0),
        # 1 and 1.0 are one bucket.
        ("0.125", buckets(5, 5, 40, bounds=("1", "1.0", "+Inf")), 0.5),
        ("0", buckets(0, 20, bounds=("0", "+Inf")), 0),
        ("0", buckets(0, 0, bounds=("-1", "+Inf")), NAN),
        ("0.5", buckets(10, 20, bounds=("1e0", "Inf")), 1),
        ("1", buckets(1, 2, 3, bounds=("1", "oops", "+Inf")), 1),
    ],
)
def test_quantile_of_a_histogram(q: str, data: Data, expected: float) -> None:
    found = record(data).at(f"histogram_quantile({q}, h)")
    assert found == {'{x="y"}': pytest.approx(expected, nan_ok=True)}


def test_quantiles_are_computed_step_by_step_and_histogram_by_histogram() -> None:
    data: Data = {
        'h_bucket{job="a",le="1"}': [10, 10], 'h_bucket{job="a",le="+Inf"}': [10, 40],
        'h_bucket{job="b",le="2"}': [None, 5], 'h_bucket{job="b",le="+Inf"}': [None, 10],
    }  # fmt: skip
    assert record(data).over("histogram_quantile(0.25, h_bucket)", 0, 15, 15) == {
        '{job="a"}': {0: 0.25, 15: 1.0},
        '{job="b"}': {15: 1.0},
    }
    moving = "histogram_quantile(scalar(vector(0.25)), sum by (le, job) (h_bucket))"
    assert record(data).over(moving, 0, 15, 15)['{job="a"}'] == {0: 0.25, 15: 1.0}


def test_a_bucket_that_is_missing_at_one_step_is_missing_there_alone() -> None:
    data: Data = {
        'h{le="1"}': [10, 10], 'h{le="2"}': [20, "stale"], 'h{le="4"}': [30, 30],
        'h{le="+Inf"}': [40, 40],
    }  # fmt: skip
    assert record(data).over("histogram_quantile(0.5, h)", 0, 15, 15) == {"{}": {0: 2, 15: 2.5}}


def test_a_marker_keeps_its_bits_in_the_recording() -> None:
    samples = record({"a": ["stale"]}).samples
    assert struct.pack("<d", samples.values[0]) == struct.pack("<Q", 0x7FF0000000000002)
