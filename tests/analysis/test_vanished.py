"""Entities that fell silent, apart from series that merely ended."""

from datetime import timedelta

import numpy as np

from analysis_builders import START, System, entity_of, healthy_system, windows
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.metric_channel import tabulate
from superbizagent.analysis.vanished import vanished_rows
from superbizagent.domain.series import SeriesSet

STEP = timedelta(seconds=15)


def _ended(system: System, service: str, *, only: str = "") -> dict[str, int]:
    for k, (labels, times, values) in enumerate(system.rows):
        if labels["service"] == service and only in labels["__name__"]:
            kept = times < START + 30 * 60_000
            system.rows[k] = (labels, times[kept], values[kept])
    series = system.series
    return vanished_rows(series.labels, measure(series, system.windows, STEP), entity_of)


def test_an_entity_all_of_whose_series_end_is_gone() -> None:
    assert list(_ended(healthy_system(), "mysql")) == ["//service/mysql"]


def test_a_series_that_ends_alone_says_nothing() -> None:
    assert _ended(healthy_system(), "mysql", only="running") == {}


def test_series_of_nobody_are_nobodys_end() -> None:
    system = healthy_system()
    system.gauge("", "stray_value", np.ones(len(system.seconds)))
    assert _ended(system, "") == {}


def test_a_few_missing_samples_are_no_end() -> None:
    times = START + 300_000 * np.arange(10)
    series = SeriesSet.of(
        [
            ({"__name__": "x", "service": "slow"}, times, np.ones(10)),
            ({"__name__": "x", "service": "quick"}, START + 15_000 * np.arange(220), np.ones(220)),
        ]
    )
    seen = windows(0, 2700, 2750, 2950)
    assert vanished_rows(series.labels, measure(series, seen, STEP), entity_of) == {}


def test_an_entity_that_speaks_in_another_call_is_not_gone() -> None:
    system = healthy_system()
    _ended(system, "mysql", only="running")
    part = [r for r in system.rows if "running" in r[0]["__name__"]]
    rest = [r for r in system.rows if "running" not in r[0]["__name__"]]
    calls = [
        MetricCall(k, series, measure(series, system.windows, STEP))
        for k, series in enumerate((SeriesSet.of(rest), SeriesSet.of(part)))
    ]
    table = tabulate(calls, entity_of)
    assert table.evidence[table.row("//service/mysql"), FAMILIES.index("inst")] == 0
