"""When a series left its band, how sure that is, and whether it is over."""

from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest

from analysis_builders import START, windows
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.onset import Onset, find_onset, find_onsets
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import from_ms

Builder = Callable[..., SeriesSet]
STEP = timedelta(seconds=15)
WINDOWS = windows(0, 39 * 15, 41 * 15, 80 * 15)


def _noise(n: int, seed: int = 5) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return 10 + np.random.default_rng(seed).normal(0, 0.3, n)


def _onset(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", builder: Builder
) -> Onset | None:
    return find_onset(measure(builder(values.tolist()), WINDOWS, STEP), 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("at", [45, 60, 70])
def test_a_step_is_found_within_its_uncertainty(make_series: Builder, at: int, seed: int) -> None:
    values = _noise(81, seed)
    values[at:] += 20
    onset = _onset(values, make_series)
    assert onset is not None
    assert abs(onset.at - from_ms(START + at * 15_000)) <= onset.uncertainty
    assert onset.uncertainty >= STEP
    assert onset.ongoing


def test_a_fall_is_found_too(make_series: Builder) -> None:
    values = _noise(81)
    values[60:] -= 8
    onset = _onset(values, make_series)
    assert onset is not None
    assert onset.at == from_ms(START + 60 * 15_000)


def test_a_ramp_has_a_wider_uncertainty_than_a_step(make_series: Builder) -> None:
    values = _noise(81)
    values[50:] += 0.8 * np.arange(31)
    onset = _onset(values, make_series)
    assert onset is not None
    assert onset.uncertainty > STEP
    assert abs(onset.at - from_ms(START + 50 * 15_000)) <= 2 * onset.uncertainty


def test_what_came_back_is_over(make_series: Builder) -> None:
    values = _noise(81)
    values[50:65] += 20
    onset = _onset(values, make_series)
    assert onset is not None
    assert not onset.ongoing


def test_a_spike_alone_does_not_set_the_onset_of_a_later_step(make_series: Builder) -> None:
    values = _noise(81)
    values[43] += 30
    values[65:] += 20
    onset = _onset(values, make_series)
    assert onset is not None
    assert abs(onset.at - from_ms(START + 65 * 15_000)) <= STEP


def test_one_incident_sample_is_its_own_onset(make_series: Builder) -> None:
    values = np.append(_noise(41), 40.0)
    onset = _onset(values, make_series)
    assert onset is not None
    assert onset.at == from_ms(START + 41 * 15_000)


def test_a_rate_is_known_less_exactly(make_series: Builder) -> None:
    steps = np.full(81, 15.0)
    steps[60:] = 300
    series = make_series(np.cumsum(steps).tolist(), "requests_total")
    onset = find_onset(measure(series, WINDOWS, STEP), 0)
    assert onset is not None
    assert onset.uncertainty >= 2 * STEP


def test_nothing_measured_has_no_onset(make_series: Builder) -> None:
    assert find_onset(measure(make_series([10.0] * 30), WINDOWS, STEP), 0) is None
    assert find_onset(measure(make_series([10.0] * 81), WINDOWS, STEP), 0) is None


def test_rows_without_an_onset_are_left_out(make_series: Builder) -> None:
    values = _noise(81)
    values[60:] += 20
    deviations = measure(make_series(values.tolist()), WINDOWS, STEP)
    assert list(find_onsets(deviations, [0])) == [0]
    assert find_onsets(measure(make_series([10.0] * 81), WINDOWS, STEP), [0]) == {}


def test_a_scatter_of_spikes_is_an_onset_for_nobody(make_series: Builder) -> None:
    values = np.full(81, 10.0)
    values[45:80:7] = 13.0
    assert _onset(values, make_series) is None


def test_a_series_that_ended_has_no_onset(make_series: Builder) -> None:
    deviations = measure(make_series([10.0, 11.0] * 20), WINDOWS, STEP)
    assert find_onset(deviations, 0) is None


def test_a_hair_above_the_baseline_is_no_onset(make_series: Builder) -> None:
    values = np.array([10.0, 11.0] * 41)
    values[41:] = 10.6
    assert _onset(values, make_series) is None
