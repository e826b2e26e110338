"""Recorded metrics in every form, small and large, whole and broken."""

import gzip
import io
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import orjson
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.datasources._times import time_ms
from superbizagent.datasources.bundle import metrics, store, wide
from superbizagent.datasources.bundle.metrics import OpenedMetrics, open_metrics
from superbizagent.datasources.bundle.query import run_range_query
from superbizagent.datasources.bundle.store import MetricStore, build_store
from superbizagent.domain.outputs import encode
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.source import RangeQuery
from superbizagent.domain.window import Window, from_ms, to_ms
from superbizagent.errors import PermanentDataSourceError

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
T0 = to_ms(START)
STALE = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000002))[0]
EVERYTHING = Selector(matchers=(Matcher(label="__name__", op=MatchOp.REGEX, value=".*"),))

Row = tuple[int, str, str, float]


def parquet(folder: Path, rows: list[Row]) -> None:
    frame = pl.DataFrame(rows, schema=["time", "name", "labels", "value"], orient="row")
    typed = frame.with_columns(pl.col("time").cast(pl.Datetime("ms", "UTC")))
    typed.write_parquet(folder / "metrics.parquet")


def opened(folder: Path, baseline: Path | None = None) -> OpenedMetrics:
    found = open_metrics(folder, baseline, lambda: folder)
    assert found is not None
    return found


def content(source: MetricStore) -> dict[str, list[tuple[int, float]]]:
    whole = source.read(np.arange(len(source)), -(2**60), 2**60)
    return {
        str(s): [(int(t) - T0, float(v)) for t, v in zip(s.times, s.values, strict=True)]
        for s in whole
    }


def read(folder: Path) -> dict[str, list[tuple[int, float]]]:
    return content(opened(folder).store)


def test_nothing_there_is_nothing(tmp_path: Path) -> None:
    assert open_metrics(tmp_path, None, lambda: tmp_path) is None


@pytest.mark.parametrize(
    "dtype",
    [
        pl.Datetime("ms", "UTC"),
        pl.Datetime("us"),
        pl.Datetime("ns", "Asia/Shanghai"),
        pl.Int64(),
        pl.Float64(),
    ],
    ids=str,
)
def test_times_of_any_type_become_milliseconds(dtype: pl.DataType) -> None:
    column = pl.Series("time", [T0, T0 + 250]).cast(pl.Datetime("ms", "UTC"))
    typed = column.dt.epoch("ms") if dtype.is_numeric() else column
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is None:
        typed = typed.dt.replace_time_zone(None)
    found = typed.cast(dtype).to_frame().select(time_ms(dtype)).to_series()
    assert found.to_list() == [T0, T0 + 250]


@pytest.mark.parametrize(
    "text",
    [
        "1772366400",
        "1772366400.0",
        "1772366400000",
        "1772366400000000",
        "1772366400000000000",
        "2026-03-01T12:00:00Z",
        "2026-03-01 12:00:00",
        "2026-03-01T20:00:00+08:00",
        "2026-03-01T12:00:00.000000+00:00",
        " 2026-03-01T12:00:00Z ",
    ],
)
def test_times_as_text_become_milliseconds(text: str) -> None:
    found = pl.DataFrame({"time": [text, "soon", "NaN", "inf", None]}).select(time_ms(pl.String()))
    assert found.to_series().to_list() == [T0, None, None, None, None]


def test_labels_may_be_spelled_differently_within_one_series(tmp_path: Path) -> None:
    parquet(
        tmp_path,
        [
            (T0, "m", '{"a":"b","c":"d"}', 1.0),
            (T0 + 1000, "m", '{"c":"d","a":"b"}', 2.0),
            (T0 + 2000, "m", '{a="b",c="d"}', 3.0),
        ],
    )
    assert read(tmp_path) == {'m{a="b",c="d"}': [(0, 1.0), (1000, 2.0), (2000, 3.0)]}


def test_unreadable_labels_are_left_out_and_noted(tmp_path: Path) -> None:
    parquet(tmp_path, [(T0, "m", "{", 1.0), (T0, "n", "", 2.0)])
    found = opened(tmp_path)
    assert content(found.store) == {"n": [(0, 2.0)]}
    assert found.notes == ("1 label sets are unreadable, e.g. '{'; left out",)


def test_disorder_is_repaired_and_of_repeated_times_the_last_stays(tmp_path: Path) -> None:
    parquet(
        tmp_path,
        [
            (T0 + 2000, "m", "", 3.0),
            (T0, "m", "", 1.0),
            (T0, "n", "", 9.0),
            (T0 + 1000, "m", "", 2.0),
            (T0 + 1000, "m", "", 2.5),
        ],
    )
    found = opened(tmp_path)
    assert content(found.store) == {"m": [(0, 1.0), (1000, 2.5), (2000, 3.0)], "n": [(0, 9.0)]}
    assert found.notes == ("1 samples repeat a time of their series; the last one stays",)


def test_stale_markers_end_a_series_and_are_no_values(tmp_path: Path) -> None:
    nan = float("nan")
    parquet(tmp_path, [(T0, "m", "", 1.0), (T0 + 1000, "m", "", nan), (T0 + 2000, "m", "", STALE)])
    whole = opened(tmp_path).store.read(np.arange(1), T0, T0 + 5000)
    assert whole.times.tolist() == [T0, T0 + 1000]
    assert np.isnan(whole.values[1])


def test_samples_without_value_or_time_are_left_out(tmp_path: Path) -> None:
    text = "time,name,labels,value\n1772366400,m,,1\n1772366401,m,,\nsoon,m,,2\n1772366402,m,,x\n"
    (tmp_path / "metrics.csv").write_text(text, encoding="utf-8")
    assert read(tmp_path) == {"m": [(0, 1.0)]}


def test_special_numbers_of_prometheus_are_read(tmp_path: Path) -> None:
    text = "time,name,value\n1772366400,a,+Inf\n1772366400,b,-Inf\n1772366400,c,1e+06\n"
    (tmp_path / "metrics.csv").write_text(text, encoding="utf-8")
    found = {name: values[0][1] for name, values in read(tmp_path).items()}
    assert found == {"a": float("inf"), "b": float("-inf"), "c": 1e6}


def test_the_better_form_is_read_and_the_other_noted(tmp_path: Path) -> None:
    parquet(tmp_path, [(T0, "m", "", 1.0)])
    (tmp_path / "metrics.csv").write_text("time,a|b\n1,2\n", encoding="utf-8")
    assert opened(tmp_path).notes == ("metrics.csv not read: metrics.parquet was",)


WIDE = (
    "time,order|latency,order|errors,node:h1|cpu,_entry|latency,loose,order|latency\n"
    "1772366400.0,0.5,,10,1,7,99\n"
    "1772366460.0,0.6,2,,NaN,7,99\n"
    "never,1,1,1,1,1,1\n"
)


@pytest.mark.parametrize("name", ["metrics.csv", "metrics.csv.gz"])
def test_the_wide_form_is_read(tmp_path: Path, name: str) -> None:
    data = WIDE.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    found = opened(tmp_path)
    assert content(found.store) == {
        'cpu{host="h1"}': [(0, 10.0)],
        'errors{service="order"}': [(60_000, 2.0)],
        'latency{service="_entry"}': [(0, 1.0)],
        'latency{service="order"}': [(0, 0.5), (60_000, 0.6)],
        "loose": [(0, 7.0), (60_000, 7.0)],
    }
    assert found.store.interval_ms == 60_000
    assert found.notes == (
        f"{name}: 1 rows without a time left out",
        f"{name}: 1 columns repeat a name; the first one stays",
    )


def test_very_wide_tables_read_like_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = WIDE.replace("0.6,2", '"0.6",x') + "1772366520,1\n\n"
    (tmp_path / "metrics.csv").write_text(text, encoding="utf-8", newline="")
    expected = read(tmp_path)
    monkeypatch.setattr(wide, "_MANY_COLUMNS", 1)
    assert read(tmp_path) == expected
    assert len(expected['latency{service="order"}']) == 3


def test_normal_telemetry_is_added_and_its_span_reported(tmp_path: Path) -> None:
    case, normal = tmp_path / "case", tmp_path / "normal"
    case.mkdir()
    normal.mkdir()
    (case / "metrics.csv").write_text("time,a|m\n1772366400,1\n", encoding="utf-8")
    later = "time,a|m,b|m\n1782366400,2,3\n1782366460,2,3\n"
    (normal / "metrics.csv").write_text(later, encoding="utf-8")
    found = opened(case, normal)
    assert found.extent_ms == (T0, T0)
    assert found.baseline_extent_ms == (1_782_366_400_000, 1_782_366_460_000)
    assert {name: len(values) for name, values in content(found.store).items()} == {
        'm{service="a"}': 3,
        'm{service="b"}': 2,
    }


def test_broken_normal_telemetry_is_left_out_and_noted(tmp_path: Path) -> None:
    case, normal = tmp_path / "case", tmp_path / "normal"
    case.mkdir()
    normal.mkdir()
    (case / "metrics.csv").write_text("time,a|m\n1772366400,1\n", encoding="utf-8")
    (normal / "metrics.csv").write_text("time,a|m\nnever,1\n", encoding="utf-8")
    found = opened(case, normal)
    assert len(found.store) == 1
    assert "normal telemetry was left out" in found.notes[0]


def whole_parquet() -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"time": [T0], "name": ["m"], "value": [1.0]}).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("metrics.parquet", b""),
        ("metrics.parquet", b"PAR1"),
        ("metrics.parquet", b"time,name\n"),
        ("metrics.parquet", whole_parquet()[:-30]),
        ("metrics.parquet", whole_parquet()[:200] + bytes(60)),
        ("metrics.csv", b""),
        ("metrics.csv", b"a,b\n1,2\n"),
        ("metrics.csv", b"time,name\n1,m\n"),
        ("metrics.csv", bytes(range(256)) * 9),
        ("metrics.csv.gz", gzip.compress(b"", mtime=0)),
        ("metrics.csv.gz", b"\x1f\x8b garbage"),
        ("metrics.csv", b"time,a|b\nnever,1\n"),
        ("metrics.csv", b"\rtime,a|b,c\n"),
        ("metrics.csv", b"time," + b"x" * 200_000 + b"\n1,2\n"),
    ],
)
def test_what_cannot_be_read_is_one_line_of_advice(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(PermanentDataSourceError) as caught:
        opened(tmp_path)
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_a_parquet_file_without_columns_names_them(tmp_path: Path) -> None:
    pl.DataFrame({"time": [1], "x": [1]}).write_parquet(tmp_path / "metrics.parquet")
    with pytest.raises(PermanentDataSourceError, match="columns name, value are missing"):
        opened(tmp_path)


def test_of_a_truncated_gzip_table_is_read_what_is_in(tmp_path: Path) -> None:
    rows = "".join(f"{1_772_366_400 + k},{k * 7919 % 1009}\n" for k in range(5000))
    data = gzip.compress(f"time,a|m\n{rows}".encode())
    (tmp_path / "metrics.csv.gz").write_bytes(data[: len(data) // 2])
    found = opened(tmp_path)
    (values,) = content(found.store).values()
    assert 1000 < len(values) < 5000
    assert values[-1] == (1000 * (len(values) - 1), float((len(values) - 1) * 7919 % 1009))
    assert "truncated or damaged" in found.notes[0]


def many(count: int, samples: int) -> list[Row]:
    return [
        (T0 + 15_000 * t, f"m{k % 7}", f'{{"job":"j{k % 3}","n":"{k}"}}', float(k * t % 11))
        for k in range(count)
        for t in range(samples)
    ]


def test_large_recordings_answer_like_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet(tmp_path, [*many(50, 20), (T0 + 10**6, "m0", '{"job":"j0","n":"0"}', STALE)])
    held = opened(tmp_path).store
    monkeypatch.setattr(store, "_HELD_ROWS", 10)
    on_disk = opened(tmp_path).store
    assert isinstance(held._samples, SeriesSet)
    assert isinstance(on_disk._samples, pl.LazyFrame)
    assert held.labels == on_disk.labels
    assert held.extent_ms == on_disk.extent_ms
    assert held.interval_ms == on_disk.interval_ms == 15_000
    everything = np.arange(len(held))
    assert held.is_constant(everything).tolist() == on_disk.is_constant(everything).tolist()
    window = Window(start=START + timedelta(seconds=30), end=START + timedelta(seconds=200))
    for selector in (
        EVERYTHING,
        Selector(name="m3"),
        Selector(matchers=(Matcher(label="job", op=MatchOp.NOT_REGEX, value="j[12]"),)),
        Selector(name="nobody"),
    ):
        query = RangeQuery(selector=selector, window=window, max_series=20, max_points=5)
        first, second = run_range_query(held, query), run_range_query(on_disk, query)
        assert first.stats == second.stats
        assert first.output is not None
        assert second.output is not None
        assert encode(first.output) == encode(second.output)


def test_a_text_table_too_large_to_hold_goes_through_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"{t // 1000},{n},,{v}\n" for t, n, _, v in many(5, 40))
    (tmp_path / "metrics.csv").write_text(f"time,name,labels,value\n{rows}", encoding="utf-8")
    expected = read(tmp_path)
    monkeypatch.setattr(metrics, "_CSV_HELD_BYTES", 500)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = open_metrics(tmp_path, None, lambda: scratch)
    assert found is not None
    assert content(found.store) == expected
    assert [p.name for p in scratch.iterdir()] == ["metrics.parquet"]


def test_over_the_cap_constant_series_go_first_then_the_last_names(tmp_path: Path) -> None:
    rows = [
        (T0 + 1000 * t, name, "", float(t if moving else 5))
        for name, moving in (("a", False), ("b", True), ("c", True), ("d", False), ("e", True))
        for t in range(3)
    ]
    parquet(tmp_path, rows)
    window = Window(start=START, end=START + timedelta(seconds=5))
    kept: dict[int, str] = {}
    for cap in (4, 3, 2, 0):
        query = RangeQuery(selector=EVERYTHING, window=window, max_series=cap)
        answer = run_range_query(opened(tmp_path).store, query)
        assert isinstance(answer.output, SeriesSet)
        kept[cap] = " ".join(series_name(labels) for labels in answer.output.labels)
    assert kept == {4: "a b c e", 3: "b c e", 2: "b c", 0: ""}


def test_only_dense_series_are_thinned(tmp_path: Path) -> None:
    dense = [(T0 + 1000 * t, "dense", "", float(t)) for t in range(100)]
    sparse = [(T0 + 20_000 * t, "sparse", "", float(t)) for t in range(5)]
    parquet(tmp_path, dense + sparse)
    window = Window(start=START, end=START + timedelta(seconds=99))
    answer = run_range_query(
        opened(tmp_path).store, RangeQuery(selector=EVERYTHING, window=window, max_points=10)
    )
    assert isinstance(answer.output, SeriesSet)
    first, second = answer.output
    assert first.values.tolist() == [float(t) for t in range(9, 100, 10)]
    assert second.values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert answer.warnings == ("1 series thinned to 10 samples",)
    assert answer.stats["samples_read"] == 105


labels = st.dictionaries(st.sampled_from(["job", "code", "le"]), st.sampled_from("abc"), max_size=3)
samples = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from(["m", "n"]), labels, st.floats(allow_nan=False)),
    max_size=30,
)


@given(samples, st.integers(0, 40), st.integers(0, 40), st.sampled_from("abc"))
def test_any_recording_answers_as_a_plain_search_does(
    rows: list[tuple[int, str, dict[str, str], float]], first: int, last: int, value: str
) -> None:
    frame = pl.DataFrame(
        [
            (n, orjson.dumps(lb, option=orjson.OPT_SORT_KEYS).decode(), T0 + t, v)
            for t, n, lb, v in rows
        ],
        schema={"name": pl.String, "labels": pl.String, "time": pl.Int64, "value": pl.Float64},
        orient="row",
    )
    selector = Selector(
        name="m", matchers=(Matcher(label="job", op=MatchOp.NOT_EQUAL, value=value),)
    )
    start, end = min(first, last), max(first, last)
    source = build_store(frame.lazy())
    expected: dict[str, dict[int, float]] = {}
    for t, n, lb, v in rows:
        whole = lb | {"__name__": n}
        if selector.matches(whole) and start <= t <= end:
            expected.setdefault(series_name(whole), {})[t] = v
    found = source.read(source.select(selector), T0 + start, T0 + end)
    assert [
        (str(s), dict(zip((s.times - T0).tolist(), s.values.tolist(), strict=True))) for s in found
    ] == sorted((name, dict(sorted(v.items()))) for name, v in expected.items())


@pytest.mark.slow
def test_a_hundred_thousand_series_are_indexed_and_asked_in_seconds(tmp_path: Path) -> None:
    count, depth = 100_000, 3
    times = np.tile(T0 + np.arange(depth) * 15_000, count)
    pl.DataFrame(
        {
            "time": pl.Series(times).cast(pl.Datetime("ms", "UTC")),
            "name": pl.Series([f"m{k // 100}" for k in range(count)]).repeat_by(depth).explode(),
            "labels": pl.Series([f'{{"job":"j{k % 50}","n":"{k}"}}' for k in range(count)])
            .repeat_by(depth)
            .explode(),
            "value": np.arange(count * depth, dtype=np.float64),
        }
    ).write_parquet(tmp_path / "metrics.parquet")
    source = opened(tmp_path).store
    assert len(source) == count
    window = Window(start=START, end=from_ms(int(times.max())))
    query = RangeQuery(
        selector=Selector(matchers=(Matcher(label="job", op=MatchOp.REGEX, value="j1.?"),)),
        window=window,
    )
    answer = run_range_query(source, query)
    assert answer.truncated
    assert answer.stats["series_selected"] == 22_000
    assert answer.stats["series_returned"] == 5000
