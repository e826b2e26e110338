"""How far a series is from its own past, and what must not change that."""

import math
from collections.abc import Callable
from datetime import timedelta
from random import Random

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from analysis_builders import START, System, healthy_system, windows
from superbizagent.analysis.deviation import Deviations, Status, measure
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.window import Windows

Builder = Callable[..., SeriesSet]
STEP = timedelta(seconds=15)
# Forty samples before, the incident from the 41st on.
WINDOWS = windows(0, 39 * 15 - 1, 40 * 15, 50 * 15)


def _one(values: list[float], builder: Builder, name: str = "some_value") -> Deviations:
    return measure(builder(values, name), WINDOWS, STEP)


def _wavy(n: int) -> list[float]:
    return [10.0 + math.sin(k) for k in range(n)]


def test_a_step_is_measured_in_robust_scales(make_series: Builder) -> None:
    found = _one([*_wavy(40), *[20.0] * 10], make_series)
    assert found.status[0] == Status.MEASURED
    assert found.center[0] == pytest.approx(10.0, abs=0.2)
    assert found.z[0] == pytest.approx((20.0 - found.center[0]) / found.scale[0])
    assert found.direction(0) == 1
    assert (found.baseline_count[0], found.incident_count[0]) == (39, 10)
    assert (found.extreme[0], found.incident_last[0]) == (20.0, 20.0)
    assert found.extreme_at[0] == START + 40 * 15_000


def test_the_extreme_of_a_fall_is_its_lowest_value(make_series: Builder) -> None:
    found = _one([*_wavy(40), 5.0, 2.0, 5.0], make_series)
    assert (found.direction(0), found.extreme[0]) == (-1, 2.0)
    assert found.extreme_at[0] == START + 41 * 15_000


def test_the_last_sample_before_the_incident_is_left_out(make_series: Builder) -> None:
    found = _one([*[10.0] * 40, *[20.0] * 10], make_series)
    spoilt = _one([*[10.0] * 39, 1e6, *[20.0] * 10], make_series)
    assert spoilt.z[0] == found.z[0]


def test_one_spike_counts_for_less_than_a_lasting_rise(make_series: Builder) -> None:
    spike = _one([*_wavy(40), 10.0, 10.0, 40.0, *[10.0] * 7], make_series)
    lasting = _one([*_wavy(40), *[40.0] * 10], make_series)
    assert spike.evidence[0] < 0.75 * lasting.evidence[0]


def test_a_fault_that_fills_a_quarter_of_the_window_counts_for_more_than_its_mean(
    make_series: Builder,
) -> None:
    short = _one([*_wavy(40), *[10.0] * 6, *[40.0] * 4], make_series)
    even = _one([*_wavy(40), *[22.0] * 10], make_series)
    assert short.incident_mean[0] == pytest.approx(even.incident_mean[0])
    assert short.evidence[0] > even.evidence[0]


def test_a_flat_series_needs_five_per_cent_to_move(make_series: Builder) -> None:
    found = _one([*[1000.0] * 40, *[1040.0] * 10], make_series)
    assert found.z[0] == pytest.approx(0.8)


def test_an_availability_is_judged_by_what_it_lacks(make_series: Builder) -> None:
    found = _one([*[99.9] * 40, *[96.0] * 10], make_series, "availability_average")
    # Five per cent of 99.9 points would hide a fall by four; half a point is the least scale.
    assert found.z[0] == pytest.approx(-7.8)
    assert found.evidence[0] > 2


def test_settings_have_no_evidence(make_series: Builder) -> None:
    assert _one([*_wavy(40), *[90.0] * 10], make_series, "pool_max").evidence[0] == 0


def _two_baselines(later: list[float]) -> Deviations:
    day = 86_400
    old = windows(0, 39 * 15 - 1, day + 1200, day + 1500)
    recent = windows(day, day + 39 * 15, day + 1200, day + 1500)
    both = Windows(incident=old.incident, baselines=(*old.baselines, *recent.baselines))
    values = [*[10.0] * 40, *later]
    seconds = [15.0 * k for k in range(40)] + [day + 15.0 * k for k in range(len(later))]
    times = np.array([START + int(s * 1000) for s in seconds])
    return measure(SeriesSet.of([({"__name__": "x"}, times, np.array(values))]), both, STEP)


def test_of_two_baselines_the_nearer_one_counts() -> None:
    found = _two_baselines([*[18.0] * 80, *[20.0] * 21])
    assert found.baseline_used[0] == 1
    assert found.z[0] == pytest.approx((20 - 18) / 0.9)


def test_baselines_that_disagree_about_the_sign_give_nothing() -> None:
    found = _two_baselines([*[30.0] * 80, *[20.0] * 21])
    assert found.z[0] == 0
    assert found.evidence[0] == 0


def test_new_errors_are_compared_with_none_and_new_gauges_with_nothing() -> None:
    system = System()
    system.service("web")
    late = system.seconds >= system.fault_at
    for name in ("app_failures", "app_temperature"):
        system.gauge("web", name, np.full(len(late), 30.0))
        labels, times, values = system.rows[-1]
        kept = times >= START + system.fault_at * 1000
        system.rows[-1] = (labels, times[kept], values[kept])
    found = measure(system.series, system.windows, STEP)
    names = [item["__name__"] for item in system.series.labels]
    errors, heat = names.index("app_failures"), names.index("app_temperature")
    assert found.status[errors] == found.status[heat] == Status.APPEARED
    assert found.evidence[errors] > 3
    assert found.evidence[heat] == 0
    assert found.baseline_used[errors] == -1


def test_a_source_without_history_tells_nothing_of_absence(make_series: Builder) -> None:
    series = make_series([5.0] * 10, "app_failures")
    moved = SeriesSet(series.labels, series.offsets, series.times + 40 * 15_000, series.values)
    found = measure(moved, WINDOWS, STEP)
    assert found.status[0] == Status.NOT_ENOUGH
    assert found.evidence[0] == 0


def test_a_series_that_ends_has_vanished(make_series: Builder) -> None:
    found = _one(_wavy(40), make_series)
    assert found.status[0] == Status.VANISHED
    assert found.evidence[0] == 0


@pytest.mark.parametrize(
    "values",
    [
        [],
        [1.0],
        [3.0] * 50,
        [float("nan")] * 50,
        [float("inf")] * 50,
        [float("-inf"), 1.0] * 25,
        [-5.0 * k for k in range(50)],
        [1e308, -1e308] * 25,
    ],
)
@pytest.mark.parametrize("name", ["x", "x_total", "x_seconds_sum", "availability"])
def test_poor_input_gives_a_result_and_no_evidence(
    make_series: Builder, values: list[float], name: str
) -> None:
    found = _one(values, make_series, name)
    assert len(found) == 1
    assert np.isfinite(found.evidence).all()
    if len(set(values)) < 2:
        assert found.evidence[0] == 0


def test_no_series_and_no_baseline() -> None:
    assert len(measure(SeriesSet(), WINDOWS, STEP)) == 0
    lonely = Windows(incident=WINDOWS.incident, baselines=())
    found = measure(healthy_system().series, lonely, STEP)
    assert not found.evidence.any()


def _by_name(found: Deviations, series: SeriesSet) -> dict[str, tuple[float, float, int]]:
    return {
        series_name(item): (float(found.evidence[k]), float(found.z[k]), int(found.extreme_at[k]))
        for k, item in enumerate(series.labels)
    }


@given(st.randoms(use_true_random=False), st.integers(0, 5))
@settings(max_examples=10, deadline=None)
def test_order_of_series_and_labels_does_not_matter(random: Random, seed: int) -> None:
    system = healthy_system(seed, step=60)
    rows = list(system.rows)
    random.shuffle(rows)
    turned = [(dict(reversed(item[0].items())), item[1], item[2]) for item in rows]
    series = SeriesSet(
        tuple(r[0] for r in turned),
        np.cumsum([0, *(len(r[1]) for r in turned)]),
        np.concatenate([r[1] for r in turned]),
        np.concatenate([r[2] for r in turned]),
    )
    a = measure(system.series, system.windows, timedelta(seconds=60))
    b = measure(series, system.windows, timedelta(seconds=60))
    assert _by_name(a, system.series) == _by_name(b, series)


@given(st.integers(-(10**9), 10**9))
@settings(max_examples=10, deadline=None)
def test_a_shift_in_time_does_not_matter(milliseconds: int) -> None:
    system = healthy_system(1, step=60)
    series = system.series
    moved = SeriesSet(series.labels, series.offsets, series.times + milliseconds, series.values)
    a = measure(series, system.windows, timedelta(seconds=60))
    b = measure(moved, _shifted(system.windows, milliseconds), timedelta(seconds=60))
    np.testing.assert_array_equal(a.evidence, b.evidence)
    seen = a.extreme_at >= 0
    np.testing.assert_array_equal(a.extreme_at[seen] + milliseconds, b.extreme_at[seen])


def _shifted(given_windows: Windows, milliseconds: int) -> Windows:
    by = timedelta(milliseconds=milliseconds)
    parts = [given_windows.incident, *given_windows.baselines]
    moved = [w.model_copy(update={"start": w.start + by, "end": w.end + by}) for w in parts]
    return Windows(incident=moved[0], baselines=tuple(moved[1:]))


@given(st.floats(1e-2, 1e6))
@settings(max_examples=20, deadline=None)
def test_the_unit_does_not_matter_above_its_floor(factor: float) -> None:
    times = START + 15_000 * np.arange(50)
    values = np.array([*_wavy(40), *[20.0] * 10])

    def z(by: float) -> float:
        series = SeriesSet.of([({"__name__": "x"}, times, by * values)])
        return float(measure(series, WINDOWS, STEP).z[0])

    assert z(factor) == pytest.approx(z(1.0), rel=1e-6)


def test_samples_given_twice_do_not_count_twice(make_series: Builder) -> None:
    once = make_series([*_wavy(40), *[20.0] * 10])
    twice = SeriesSet(
        once.labels,
        np.array([0, 2 * len(once.times)]),
        np.concatenate([once.times, once.times]),
        np.concatenate([once.values, once.values]),
    )
    a, b = measure(once, WINDOWS, STEP), measure(twice, WINDOWS, STEP)
    assert (a.evidence[0], a.baseline_count[0]) == (b.evidence[0], b.baseline_count[0])


def test_pieces_of_a_noisy_baseline_show_what_is_usual(make_series: Builder) -> None:
    bursts = [40.0 if k // 7 % 2 else 10.0 for k in range(40)]
    noisy = _one([*bursts, *[40.0] * 10], make_series)
    calm = _one([*_wavy(40), *[40.0] * 10], make_series)
    assert noisy.null_evidence.max() > 2 * calm.null_evidence.max()


def test_a_baseline_too_short_to_cut_has_no_pieces(make_series: Builder) -> None:
    short = windows(0, 0.004, 15, 600)
    times = START + np.arange(5, dtype=np.int64)
    values = np.array([1.0, 2.0, 1.0, 2.0, 1.0])
    series = SeriesSet.of([({"__name__": "x"}, times, values)])
    assert not measure(series, short, timedelta(0)).null_evidence.any()
