"""What the writer writes, the bundle source reads back; only what tells something is written."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.bundle.writer import Recording, changing_series, write_bundle
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet, Times, Values, series_name
from superbizagent.domain.source import RangeQuery
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import UsageError

STALE_BITS = 0x7FF0000000000002
START = 1_780_000_000_125
STEP = 5000
COUNT = 40

Row = tuple[Labels, Times, Values]


def row(name: str, values: list[float], *, first: int = 0, **labels: str) -> Row:
    times = START + STEP * np.arange(first, first + len(values), dtype=np.int64)
    return {"__name__": name, **labels}, times, np.array(values)


def kept(*rows: Row, keep: tuple[str, ...] = ()) -> list[str]:
    found = changing_series(SeriesSet.of(rows), step_ms=STEP, keep=keep)
    return [series_name(labels) for labels in found.labels]


CLOCK = row("clock", [float(k) for k in range(COUNT)])


def test_every_bit_survives(tmp_path: Path) -> None:
    name, times, values = row("odd", [0.1 + 0.2, -0.0, 5e-324, np.inf, -np.inf, np.nan, 1e308, 0])
    values.view(np.uint64)[-1] = STALE_BITS
    labels = {**name, "job": "shop", "path": 'C:\\"x"\n', "名": "订单"}
    series = SeriesSet.of([(labels, times, values)])
    write_bundle(tmp_path / "b", Recording(series=series, source={}))

    window = Window(start=from_ms(START), end=from_ms(START + 60_000))
    query = RangeQuery(selector=Selector(name="odd"), window=window)
    answer = asyncio.run(BundleSource(tmp_path / "b").query_range(query))

    assert isinstance(answer.output, SeriesSet)
    [read] = list(answer.output)
    assert read.labels == labels
    # A range leaves the staleness marker out, as Prometheus does; the file holds it.
    np.testing.assert_array_equal(read.times, times[:-1])
    np.testing.assert_array_equal(read.values.view(np.uint64), values[:-1].view(np.uint64))
    stored = pl.read_parquet(tmp_path / "b" / "metrics.parquet")
    assert stored["value"].to_numpy().view(np.uint64).tolist() == values.view(np.uint64).tolist()


def test_the_source_tells_interval_version_and_entities(tmp_path: Path) -> None:
    recording = Recording(
        series=SeriesSet.of([row("up", [1.0, 0.0], job="shop")]),
        source={"version": "3.1.0", "scrape_interval_seconds": 5.0},
    )
    write_bundle(tmp_path / "b", recording)
    told = asyncio.run(BundleSource(tmp_path / "b").describe())
    assert told.version == "3.1.0"
    assert told.scrape_interval == timedelta(seconds=5)
    assert [e.name for e in told.entities] == ["shop"]


def test_a_recording_without_series_is_still_a_bundle(tmp_path: Path) -> None:
    body = json.dumps({"alerts": [{"labels": {"alertname": "A"}}]}).encode()
    write_bundle(tmp_path / "b", Recording(series=SeriesSet(), source={}, alert=body))
    told = asyncio.run(BundleSource(tmp_path / "b").describe())
    assert [alert.name for alert in told.alerts] == ["A"]


def test_a_constant_series_is_left_out() -> None:
    assert kept(CLOCK, row("flat", [3.0] * COUNT), row("nan", [np.nan] * COUNT)) == ["clock"]


def test_a_series_that_comes_late_or_goes_early_is_kept() -> None:
    late = row("late", [3.0] * (COUNT - 10), first=10)
    early = row("early", [3.0] * 10)
    missed_one_scrape = row("nearly", [3.0] * (COUNT - 1), first=1)
    assert kept(CLOCK, late, early, missed_one_scrape) == ["clock", "early", "late"]


def test_limits_and_what_rules_read_are_kept_though_they_never_move() -> None:
    flat = [10.0] * COUNT
    rows = (row("pool_max", flat), row("up", flat), row("mysql_up", flat), row("size", flat))
    assert kept(CLOCK, *rows) == ["clock", "mysql_up", "pool_max", "up"]
    assert "size" in kept(CLOCK, *rows, keep=("size",))


def test_a_histogram_is_kept_whole_or_not_at_all() -> None:
    def histogram(job: str, top: list[float]) -> tuple[Row, Row]:
        return (
            row("s_bucket", [0.0] * COUNT, job=job, le="1"),
            row("s_bucket", top, job=job, le="+Inf"),
        )

    busy = histogram("busy", [float(k) for k in range(COUNT)])
    idle = histogram("idle", [7.0] * COUNT)
    assert kept(*busy, *idle) == ['s_bucket{job="busy",le="+Inf"}', 's_bucket{job="busy",le="1"}']


def test_nothing_read_is_nothing_kept() -> None:
    assert kept() == []


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("mine")
    with pytest.raises(UsageError, match="choose another --out"):
        write_bundle(tmp_path / "b", Recording(series=SeriesSet(), source={}))
    assert (tmp_path / "b").read_text() == "mine"
