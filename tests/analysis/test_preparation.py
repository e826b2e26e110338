"""Samples cleaned, counters recognised by their values, nothing filled in."""

from collections.abc import Callable

import numpy as np
import pytest

from superbizagent.analysis.preparation import MODES, Prepared, prepare
from superbizagent.domain.series import SeriesSet

Builder = Callable[..., SeriesSet]
START = 1_790_000_000_000


def _of(times: list[int], values: list[float], name: str = "x") -> SeriesSet:
    return SeriesSet(
        ({"__name__": name},),
        np.array([0, len(times)], np.int64),
        np.array(times, np.int64),
        np.array(values, np.float64),
    )


def _values(prepared: Prepared) -> list[float]:
    return prepared.values.tolist()


def test_a_counter_becomes_a_rate_and_a_reset_a_hole(make_series: Builder) -> None:
    prepared = prepare(make_series([0, 15, 30, 3, 18], "requests_total"), START)
    assert MODES[int(prepared.mode[0])] == "rate"
    # The drop from 30 to 3 is a restart: no value, and nothing in its place.
    assert _values(prepared) == [1.0, 1.0, 1.0]
    assert ((prepared.times - START) // 15_000).tolist() == [1, 2, 4]


def test_a_series_without_a_telling_name_is_a_counter_when_it_only_rises(
    make_series: Builder,
) -> None:
    rising = [float(v) for v in (5, 20, 31, 47, 60, 77, 90, 108)]
    assert prepare(make_series(rising, "mysql_global_status_queries"), START).mode[0] == 1
    assert prepare(make_series([*rising, 100.0], "mysql_global_status_queries"), START).mode[0] == 0


def test_what_counts_waits_for_locks_is_a_counter_however_seldom_it_rises(
    make_series: Builder,
) -> None:
    seldom = [20.0] * 12 + [80.0] * 12
    assert prepare(make_series(seldom, "mysql_innodb_row_lock_time"), START).mode[0] == 1
    assert prepare(make_series([20.0, 80.0], "mysql_innodb_row_lock_time"), START).mode[0] == 0
    falling = [20.0] * 12 + [19.0] * 12
    assert prepare(make_series(falling, "mysql_innodb_row_lock_time"), START).mode[0] == 0


def test_growing_memory_is_no_counter(make_series: Builder) -> None:
    growing = [1e8 + 1e6 * k for k in range(20)]
    prepared = prepare(make_series(growing, "process_resident_memory_bytes"), START)
    assert MODES[int(prepared.mode[0])] == "value"


def test_a_gauge_called_count_is_no_counter(make_series: Builder) -> None:
    used = [2.0, 3, 3, 4, 5, 6, 7, 8, 8, 9]
    prepared = prepare(make_series(used, "db_client_connection_count"), START)
    assert MODES[int(prepared.mode[0])] == "value"


def test_a_total_that_falls_a_little_is_no_counter(make_series: Builder) -> None:
    assert prepare(make_series([10, 12, 11, 13], "jobs_total"), START).mode[0] == 0


def test_negative_values_are_no_counter(make_series: Builder) -> None:
    assert prepare(make_series([-3, -2, 0, 4], "drift_total"), START).mode[0] == 0


def test_no_rate_over_a_long_gap() -> None:
    minutes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 200, 201]
    series = _of([START + 60_000 * m for m in minutes], [60.0 * m for m in minutes], "x_total")
    prepared = prepare(series, START)
    assert START + 200 * 60_000 not in prepared.times.tolist()
    assert set(_values(prepared)) == {1.0}


def test_a_counter_born_late_counts_from_nothing() -> None:
    old = [(START + 15_000 * k, float(k)) for k in range(40)]
    late = [(START + 15_000 * k, 30.0 * (k - 29)) for k in range(30, 40)]
    series = SeriesSet.of(
        [
            ({"__name__": n}, np.array([t for t, _ in s]), np.array([v for _, v in s]))
            for n, s in (("a_total", old), ("b_total", late))
        ]
    )
    prepared = prepare(series, START)
    part = slice(int(prepared.offsets[1]), int(prepared.offsets[2]))
    assert prepared.times[part][0] == START + 15_000 * 30
    assert prepared.values[part].tolist() == [2.0] * 10


def test_an_old_counter_that_is_newly_seen_does_not_leap() -> None:
    late = _of(
        [START + 900_000 + 15_000 * k for k in range(10)],
        [1e9 + 15 * k for k in range(10)],
        "x_total",
    )
    assert max(_values(prepare(late, START))) == 3.0


def test_a_histogram_gives_the_mean_and_nothing_without_requests() -> None:
    times = START + 15_000 * np.arange(5)
    series = SeriesSet.of(
        [
            ({"__name__": "call_duration_seconds_sum"}, times, np.array([0, 2.0, 6, 6, 7])),
            ({"__name__": "call_duration_seconds_count"}, times, np.array([0, 10.0, 20, 20, 30])),
        ]
    )
    prepared = prepare(series, START)
    assert [MODES[int(m)] for m in prepared.mode] == ["rate", "mean"]
    part = slice(int(prepared.offsets[1]), int(prepared.offsets[2]))
    np.testing.assert_allclose(prepared.values[part], [0.2, 0.4, 0.1])


def test_a_sum_whose_count_was_sampled_at_other_times_stays_a_rate() -> None:
    times = START + 15_000 * np.arange(4)
    series = SeriesSet.of(
        [
            ({"__name__": "d_seconds_sum"}, times, np.arange(4.0)),
            ({"__name__": "d_seconds_count"}, times + 1, np.arange(4.0)),
        ]
    )
    assert [MODES[int(m)] for m in prepare(series, START).mode] == ["rate", "rate"]


def test_repeated_and_unordered_times_give_one_sample_each() -> None:
    ordered = _of([START, START + 1000, START + 2000], [1.0, 3.0, 5.0])
    shuffled = _of([START + 2000, START, START + 1000, START + 1000], [5.0, 1.0, 2.0, 4.0])
    assert _values(prepare(shuffled, START)) == _values(prepare(ordered, START))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_leaves_a_hole(make_series: Builder, bad: float) -> None:
    assert _values(prepare(make_series([1.0, bad, 2.0]), START)) == [1.0, 2.0]


def test_nothing_gives_nothing() -> None:
    prepared = prepare(SeriesSet(), START)
    assert len(prepared.values) == 0
    assert prepared.offsets.tolist() == [0]


def test_a_histogram_of_sizes_keeps_its_family() -> None:
    times = START + 15_000 * np.arange(4)
    series = SeriesSet.of(
        [
            ({"__name__": "reply_bytes_sum"}, times, np.array([0, 100.0, 300, 400])),
            ({"__name__": "reply_bytes_count"}, times, np.array([0, 1.0, 2, 3])),
            ({"__name__": "cart_items_sum"}, times, np.array([0, 100.0, 300, 400])),
            ({"__name__": "cart_items_count"}, times, np.array([0, 1.0, 2, 3])),
        ]
    )
    prepared = prepare(series, START)
    families = [
        m.family for m, mode in zip(prepared.meanings, prepared.mode, strict=True) if mode == 2
    ]
    assert families == ["other", "other"]


def test_one_late_sample_alone_tells_no_rate() -> None:
    late = _of([START + 900_000], [50.0], "x_total")
    assert _values(prepare(late, START)) == []
