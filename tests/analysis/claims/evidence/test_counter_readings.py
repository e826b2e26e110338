"""What counters showed, what they counted when new, and what counts per interval add up to."""

import numpy as np
import pytest

from analysis_builders import START, entity_of
from grounds import STEP, WINDOWS, metrics
from superbizagent.analysis.claims.evidence.readings import readings_of
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.series import SeriesSet

_INCIDENT = 2355
"""Second in which the incident begins."""


def read(name: str, values: list[float], first: int = 0, **labels: str) -> dict[str, Fact]:
    """Readings of one series, a sample each 15 s from second ``first`` on, without the head."""
    times = START + (first + 15 * np.arange(len(values), dtype=np.int64)) * 1000
    about = {"__name__": name, "service": "web", **labels}
    evidence = Evidence(invocations=(metrics(1, SeriesSet.of([(about, times, np.array(values))])),))
    found = readings_of(evidence, WINDOWS, STEP, entity_of)
    return {f.id.removeprefix("E1.s0."): f for f in found}


def counter(before: int, steps: list[float]) -> list[float]:
    """A counter that stands at ``before`` for most of the baseline, then takes steps."""
    quiet = [float(before)] * 155
    return quiet + [before + sum(steps[: k + 1]) for k in range(len(steps))]


def test_a_counter_is_read_as_it_stands() -> None:
    found = read("slow_queries_total", counter(28, [0, 0, 0, 2, 3, 5]))
    assert (found["raw_first"].value, found["raw_last"].value) == (28, 38)
    assert (found["before.raw_first"].value, found["before.raw_last"].value) == (28, 28)
    assert found["increase"].value == 10


def test_a_level_has_no_second_reading() -> None:
    found = read("threads_running", [3.0, 4.0] * 90)
    assert not [key for key in found if "raw" in key or key.endswith("sum")]


def test_a_counter_that_is_born_in_the_incident_counted_from_zero() -> None:
    found = read("errors_total", [4.0, 9.0, 20.0], first=_INCIDENT + 15)
    assert found["increase"].value == 20
    assert found["before.increase"].value == 0
    assert "before.raw_last" not in found


def test_a_counter_that_the_look_begins_with_is_not_new() -> None:
    found = read("errors_total", [400.0 + k for k in range(180)])
    assert found["increase"].value == pytest.approx(180 - 157, abs=1)


@pytest.mark.parametrize("name", ["requests_Sum", "requests_count", "orders_per_interval"])
def test_counts_per_interval_add_up(name: str) -> None:
    values = [5.0, 7.0, 3.0, 6.0] * 45
    found = read(name, values)
    inside = [v for k, v in enumerate(values) if _INCIDENT <= 15 * k <= 2700]
    assert found["sum"].value == sum(inside)
    assert found["sum"].statistic == "total"


@pytest.mark.parametrize("name", ["db_connection_count", "latency_seconds_sum", "requests"])
def test_levels_and_times_do_not(name: str) -> None:
    assert "sum" not in read(name, [5.0, 7.0, 3.0, 6.0] * 45)
