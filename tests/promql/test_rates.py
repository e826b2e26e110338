"""Counters and lines: numbers worked out by hand, on both sides of the changes of rules."""

import math

import pytest

from promql_recording import Data, record

TEN_PER_STEP = {"c": [k * 10 for k in range(41)]}
"""A sample every 15 s, so 10 / 15 a second."""


@pytest.mark.parametrize(
    ("version", "query", "expected"),
    [
        # On the grid the closed range holds five samples that fill it: no extrapolation.
        ("2.42.0", "increase(c[1m])", 40.0),
        # Left open: four samples over 45 s, extrapolated by a third.
        ("3.0.0", "increase(c[1m])", 40.0),
        ("2.42.0", "rate(c[1m])", 40.0 / 60),
        ("3.0.0", "rate(c[1m])", 40.0 / 60),
        ("3.0.0", "delta(c[1m])", 40.0),
        ("3.0.0", "irate(c[1m])", 10.0 / 15),
        ("3.0.0", "idelta(c[1m])", 10.0),
        ("3.0.0", "deriv(c[1m])", 10.0 / 15),
        ("3.0.0", "predict_linear(c[1m], 30)", 200.0 + 20.0),
    ],
)
def test_a_steady_counter(version: str, query: str, expected: float) -> None:
    assert record(TEN_PER_STEP, version=version).at(query, 300) == {"{}": pytest.approx(expected)}


def test_a_drop_is_a_reset_to_zero() -> None:
    recording = record({"c": [5, 8, 2, 4, 1]})
    # Up by 3, by 2 from 0, by 2, by 1 from 0; the outer samples are 60 s apart.
    assert recording.at("increase(c[1m1ms])", 60) == {"{}": pytest.approx(8, rel=1e-4)}
    assert recording.at("resets(c[1m1ms])", 60) == {"{}": 2}
    assert recording.at("irate(c[1m1ms])", 60) == {"{}": pytest.approx(1 / 15)}
    assert recording.at("idelta(c[1m1ms])", 60) == {"{}": -3}
    assert recording.at("delta(c[1m1ms])", 60) == {"{}": pytest.approx(-4, rel=1e-4)}


@pytest.mark.parametrize(
    ("values", "every", "at", "rate", "expected"),
    [
        # A gap below 1.1 intervals is filled: 20 in 20 s, 5 s before and 5 s after.
        ([None, 100, 110, 120], 10, 35, "increase(c[30s])", 20 * 30 / 20),
        # A wider gap counts half an interval: 20 s sampled, 5 s + 15 s at the end becomes 5 s.
        ([None, 100, 110, 120], 10, 45, "increase(c[40s])", 20 * (20 + 5 + 5) / 20),
        ([None, 100, 110, 120], 10, 45, "delta(c[40s])", 20 * (20 + 5 + 5) / 20),
        # 11.5 s at the end are more than 1.1 intervals.
        ([None, 100, 110, 120], 10, 41.5, "delta(c[36500ms])", 20 * (20 + 5 + 5) / 20),
        # 10.5 s are not.
        ([None, 100, 110, 120], 10, 40.5, "delta(c[35500ms])", 20 * (20 + 5 + 10.5) / 20),
        # The counter was 0 at most 1 s before its first sample: 10 in 10 s from 1 on.
        ([1, 11], 10, 10, "increase(c[15s])", 10 * (10 + 1) / 10),
        ([1, 11], 10, 10, "delta(c[15s])", 10 * (10 + 5) / 10),
        # Falling or negative values have no zero point.
        ([-1, 9], 10, 10, "increase(c[15s])", 10 * (10 + 5) / 10),
    ],
)
def test_the_edges_are_extrapolated(
    values: list[float | None], every: float, at: float, rate: str, expected: float
) -> None:
    found = record({"c": values}, every=every).at(rate, at)
    assert found == {"{}": pytest.approx(expected)}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        # 30 s before the first sample, which a zero point 12 s before it shortens. Before 2.52 the
        # zero point came first, and 12 s is more than 1.1 intervals: half an interval it became.
        ("2.42.0", 10 * (10 + 5) / 10),
        ("2.51.0", 10 * (10 + 5) / 10),
        # Since then the gap is judged first: half an interval, nearer than the zero point.
        ("2.52.0", 10 * (10 + 5) / 10),
        ("3.1.0", 10 * (10 + 5) / 10),
    ],
)
def test_a_far_zero_point_changes_nothing(version: str, expected: float) -> None:
    recording = record({"c": [None, None, None, 12, 22]}, every=10, version=version)
    assert recording.at("increase(c[40s])", 40) == {"{}": pytest.approx(expected)}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        # The zero point lies 8 s before the first sample, after a gap of 30 s. It brought the gap
        # below 1.1 intervals before 2.52, so all 8 s counted; since then half an interval does.
        ("2.42.0", 10 * (10 + 8) / 10),
        ("2.52.0", 10 * (10 + 5) / 10),
        ("3.1.0", 10 * (10 + 5) / 10),
    ],
)
def test_the_gap_is_judged_before_the_zero_point_since_2_52(version: str, expected: float) -> None:
    recording = record({"c": [None, None, None, 8, 18]}, every=10, version=version)
    assert recording.at("increase(c[40s])", 40) == {"{}": pytest.approx(expected)}


@pytest.mark.parametrize("function", ["rate", "increase", "delta", "irate", "idelta", "deriv"])
def test_one_sample_is_no_change(function: str) -> None:
    recording = record(TEN_PER_STEP)
    assert recording.at(f"{function}(c[15s])", 300) == {}
    assert recording.at(f"{function}(c[16s])", 300) != {}
    assert recording.at("predict_linear(c[15s], 60)", 300) == {}


@pytest.mark.parametrize("function", ["rate", "increase", "delta", "irate", "idelta", "deriv"])
def test_the_metric_name_goes(function: str) -> None:
    recording = record({'c{x="1"}': [1, 2, 3]})
    assert list(recording.at(f"{function}(c[1m])", 30)) == ['{x="1"}']


def test_a_rate_counts_per_second_of_the_range_not_of_the_samples() -> None:
    recording = record({"c": [5, None, None, 6]}, every=5)
    assert recording.at("increase(c[1m])", 15) == {"{}": pytest.approx(1.5)}
    assert recording.at("increase(c[1m])", 50) == {"{}": pytest.approx(1 * (15 + 10 + 7.5) / 15)}
    assert recording.at("rate(c[1m])", 15) == {"{}": pytest.approx(1.5 / 60)}


def test_undefined_and_infinite_values_spread() -> None:
    recording = record({"c": [1, math.nan, 3, math.inf]})
    assert math.isnan(recording.at("rate(c[31s])", 15)["{}"])
    assert math.isnan(recording.at("deriv(c[31s])", 30)["{}"])
    assert recording.at("rate(c[16s])", 45)["{}"] == math.inf
    flat = record({"c": [math.inf, math.inf]})
    assert math.isnan(flat.at("deriv(c[31s])", 15)["{}"])


def test_a_constant_series_has_no_slope_however_large() -> None:
    recording = record({"c": [1e15 + 0.3] * 5})
    assert recording.at("deriv(c[5m])", 60) == {"{}": 0.0}
    assert recording.at("predict_linear(c[5m], 1e6)", 60) == {"{}": 1e15 + 0.3}


def test_a_line_is_fitted_by_least_squares() -> None:
    recording = record({"c": [1, 3, 2, 6]}, every=1)
    # Times 0..3, values 1, 3, 2, 6: slope 1.4, height 0.9 at 0.
    assert recording.at("deriv(c[4s])", 3) == {"{}": pytest.approx(1.4)}
    assert recording.at("predict_linear(c[5s], 10)", 3) == {"{}": pytest.approx(0.9 + 1.4 * 13)}
    assert recording.at("predict_linear(c[5s], 10)", 4) == {"{}": pytest.approx(0.9 + 1.4 * 14)}
    assert recording.at("predict_linear(c[5s] offset 1s, 10)", 4)["{}"] == pytest.approx(
        0.9 + 1.4 * 14
    )


@pytest.mark.parametrize(
    "data", [{"c": [1, "stale", 3]}, {"c": [1, None, 3]}], ids=["stale", "missing"]
)
def test_a_marker_within_a_range_is_like_no_sample(data: Data) -> None:
    # 2 in 30 s; the zero point is 15 s before, the range starts just there.
    assert record(data).at("increase(c[45s])", 30) == {"{}": pytest.approx(3.0)}


def test_a_range_of_a_subquery_is_a_range_like_any_other() -> None:
    recording = record(TEN_PER_STEP)
    assert recording.at("rate(c[2m:15s])", 300) == {"{}": pytest.approx(10 / 15)}
    assert recording.at("max_over_time(rate(c[1m])[5m:15s])", 300) == {"{}": pytest.approx(10 / 15)}
    assert recording.at("deriv(rate(c[1m])[2m:30s])", 300) == {"{}": pytest.approx(0, abs=1e-12)}
