"""Which sample counts at which step: look-back, staleness, ranges, offset, @, subqueries."""

import pytest

from promql_recording import T0, record
from superbizagent.domain.window import from_ms
from superbizagent.errors import QueryError
from superbizagent.promql import evaluate_instant, parse_query

STEADY = {"a": list(range(41))}
"""A sample every 15 s for 10 min whose value is its number."""


@pytest.mark.parametrize(
    ("version", "seconds", "found"),
    [
        ("3.0.0", 899.999, True),
        ("3.0.0", 900.0, False),
        ("2.55.1", 900.0, True),
        ("2.55.1", 900.001, False),
        ("v3.0.0-rc.1", 900.0, False),
        ("2.42.0+ds", 900.0, True),
        ("", 900.0, False),
        ("victoria-metrics-v1.79", 900.0, False),
    ],
)
def test_a_sample_of_exactly_five_minutes_is_too_old_since_3_0(
    version: str, seconds: float, *, found: bool
) -> None:
    assert bool(record(STEADY, version=version).at("a", seconds)) is found


@pytest.mark.parametrize(("version", "count"), [("2.42.0", 5), ("2.55.0", 5), ("3.0.0", 4)])
def test_a_range_leaves_out_its_start_since_3_0(version: str, count: int) -> None:
    recording = record(STEADY, version=version)
    assert recording.at("count_over_time(a[1m])", 300) == {"{}": count}
    assert recording.at("count_over_time(a[1m])", 301) == {"{}": 4}
    assert recording.at("count_over_time(a[14s])", 301) == {"{}": 1}
    assert recording.at("count_over_time(a[14s])", 314.5) == {}


@pytest.mark.parametrize(("version", "count"), [("2.42.0", 3), ("3.0.0", 2)])
def test_a_subquery_leaves_out_its_start_since_3_0(version: str, count: int) -> None:
    recording = record(STEADY, version=version)
    assert recording.at("count_over_time(a[2m:1m])", 300) == {"{}": count}
    assert recording.at("count_over_time(a[2m:1m])", 310) == {"{}": 2}
    # Without a step the evaluation interval counts, one minute unless said otherwise.
    assert recording.at("count_over_time(a[2m:])", 300) == {"{}": count}


def test_the_start_that_a_subquery_leaves_out_is_not_evaluated() -> None:
    data = {'a{x="1"}': [1, 2, 3], 'a{x="2"}': [1, "stale"]}
    query = "sum_over_time((label_replace(a, 'x', '', 'x', '.*'))[30s:15s])"
    assert record(data).at(query, 30) == {"{}": 5}
    with pytest.raises(QueryError, match="twice"):
        record(data, version="2.42.0").at(query, 30)


def test_steps_of_a_subquery_lie_on_multiples_of_it() -> None:
    recording = record(STEADY)
    # Minute 0 is a multiple of 40 s since the epoch, so the steps are at 280 s, 320 s and so on.
    steps = "vector(time())[1m:40s]"
    assert T0 % 40_000 == 0
    assert recording.at(f"max_over_time({steps})", 319) == {"{}": T0 / 1000 + 280}
    assert recording.at(f"count_over_time({steps})", 319) == {"{}": 1}
    assert recording.at(f"max_over_time({steps})", 320) == {"{}": T0 / 1000 + 320}
    assert recording.at(f"min_over_time({steps})", 320) == {"{}": T0 / 1000 + 280}


def test_the_newest_sample_counts_until_its_look_back_ends() -> None:
    recording = record({"a": [1, None, 3]})
    assert recording.at("a", -0.001) == {}
    assert recording.at("a", 0) == {"a": 1}
    assert recording.at("a", 29.999) == {"a": 1}
    assert recording.at("a", 30) == {"a": 3}
    assert recording.at("a", 329.999) == {"a": 3}
    assert recording.at("a", 330) == {}


def test_a_staleness_marker_ends_a_series_until_its_next_sample() -> None:
    recording = record({"a": [1, "stale", None, 4]})
    assert recording.over("a", 0, 60, 15) == {"a": {0: 1, 45: 4, 60: 4}}


def test_ranges_pass_over_staleness_markers() -> None:
    recording = record({"a": [1, "stale", 3, float("nan")]})
    assert recording.at("count_over_time(a[1m])", 45) == {"{}": 3}
    assert recording.at("sum_over_time(a[40s])", 30) == {"{}": 4}
    assert recording.at("last_over_time(a[1m])", 15) == {"a": 1}


def test_an_ordinary_nan_is_a_value() -> None:
    found = record({"a": [float("nan")]}).at("a", 10)
    assert list(found) == ["a"]
    assert found["a"] != found["a"]


def test_offset_looks_back_and_ahead() -> None:
    recording = record(STEADY)
    assert recording.at("a offset 1m", 300) == {"a": 16}
    assert recording.at("a offset -1m", 300) == {"a": 24}
    assert recording.at("max_over_time(a[30s] offset 1m)", 300) == {"{}": 16}
    assert recording.at("max_over_time(a[30s:15s] offset 1m)", 300) == {"{}": 16}


def test_at_fixes_the_time_for_every_step() -> None:
    recording = record(STEADY)
    fixed = T0 // 1000 + 150
    assert recording.over(f"a @ {fixed}", 0, 60, 30) == {"a": {0: 10, 30: 10, 60: 10}}
    assert recording.over("a @ start()", 60, 120, 30) == {"a": {60: 4, 90: 4, 120: 4}}
    assert recording.over("a @ end()", 60, 120, 30) == {"a": {60: 8, 90: 8, 120: 8}}
    assert recording.at(f"a @ {fixed} offset 1m") == recording.at(f"a offset 1m @ {fixed}")
    assert recording.at(f"sum_over_time(a[30s] @ {fixed})") == {"{}": 19}
    assert recording.at(f"sum_over_time(a[30s:15s] @ {fixed})") == {"{}": 19}


def test_start_and_end_inside_a_subquery_are_those_of_the_query() -> None:
    recording = record(STEADY)
    assert recording.over("sum_over_time((a @ end())[30s:15s])", 60, 90, 30) == {
        "{}": {60: 12, 90: 12}
    }


def test_a_line_through_a_fixed_range_is_read_at_each_step() -> None:
    recording = record(STEADY)
    fixed = T0 // 1000 + 300
    found = recording.over(f"predict_linear(a[2m] @ {fixed}, 0)", 300, 600, 150)
    assert found["{}"] == pytest.approx({300: 20, 450: 30, 600: 40})


def test_a_range_alone_gives_its_samples() -> None:
    recording = record({"a": [1, "stale", 3, 4]}, version="2.42.0")
    assert len(recording.at("a[30s]", 45)) == 1
    moment = from_ms(T0 + 45_000)
    for text in ("a[30s]", "a[30s:15s]"):
        found = evaluate_instant(parse_query(text), recording.samples, moment, recording.server)
        assert found[0].values.tolist() == [3, 4], text
        assert found[0].times.tolist() == [T0 + 30_000, T0 + 45_000]


def test_selectors_choose_by_name_and_matchers() -> None:
    recording = record({'a{x="1",y="2"}': [1], 'a{x="3"}': [2], 'b{x="1"}': [3], '{z="1"}': [4]})
    assert set(recording.at('{x="1"}')) == {'a{x="1",y="2"}', 'b{x="1"}'}
    assert set(recording.at('a{y=""}')) == {'a{x="3"}'}
    assert set(recording.at('a{x!="1"}')) == {'a{x="3"}'}
    assert set(recording.at('{__name__=~"a|b",x=~"[12]"}')) == {'a{x="1",y="2"}', 'b{x="1"}'}
    assert set(recording.at('{x!~".+",z="1"}')) == {'{z="1"}'}
    assert set(recording.at('a{y=~"(?i)2|X"}')) == {'a{x="1",y="2"}'}
    assert recording.at("c") == {}
    assert recording.at("rate(c[5m])") == {}


def test_no_samples_at_all_are_no_series() -> None:
    recording = record({})
    for text in (
        "a",
        "rate(a[5m])",
        "sum(a)",
        "topk(1, a)",
        "a + a",
        "a or a",
        "quantile(0.5, a)",
        "histogram_quantile(0.9, a)",
        "count_values('x', a)",
        "deriv(a[5m:1m])",
    ):
        assert recording.at(text) == {}, text
        assert recording.over(text, 0, 60, 15) == {}, text
