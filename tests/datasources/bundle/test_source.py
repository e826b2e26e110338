"""A recorded incident as a whole: what it says of itself, whole, thin and broken."""

import asyncio
import gzip
import shutil
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import orjson
import polars as pl
import pytest

from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.entity import Entity
from superbizagent.domain.outputs import AlertList, ChangeList, Topology, encode
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.source import (
    EvidenceStatus,
    LogQuery,
    RangeQuery,
    Signal,
    SourceDescription,
)
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import DataSourceError, NothingReadableError

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTES = 60
EVERYTHING = Selector(matchers=(Matcher(label="__name__", op=MatchOp.REGEX, value=".+"),))


def describe(path: Path) -> SourceDescription:
    return asyncio.run(BundleSource(path).describe())


def write_incident(folder: Path) -> Path:
    """Write a small recording with everything in it."""
    (folder / "logs").mkdir(parents=True)
    (folder / "knowledge").mkdir()
    times = [START + timedelta(seconds=15 * k) for k in range(4 * MINUTES)]
    series = [("order", "pool_active"), ("mysqld", "threads"), ("node", "load1")]
    rows = [
        (at, metric, orjson.dumps({"job": job}).decode(), float(k % 9))
        for job, metric in series
        for k, at in enumerate(times)
    ]
    frame = pl.DataFrame(rows, schema=["time", "name", "labels", "value"], orient="row")
    frame.with_columns(pl.col("time").cast(pl.Datetime("ms", "UTC"))).write_parquet(
        folder / "metrics.parquet"
    )
    lines = [
        f"{at + timedelta(hours=8):%Y-%m-%d %H:%M:%S} INFO [main] order created" for at in times
    ]
    (folder / "logs" / "order.log").write_text("\n".join(lines), encoding="utf-8")
    (folder / "logs" / "mysqld-slow.log").write_text(
        "# User@Host: app\n# Query_time: 3\nSET timestamp=1772368200;\nSELECT 1;\n",
        encoding="utf-8",
    )
    alert = {
        "labels": {"alertname": "PoolExhausted", "job": "order"},
        "startsAt": "2026-03-01T12:40:00Z",
    }
    (folder / "alert.json").write_bytes(orjson.dumps({"version": "4", "alerts": [alert]}))
    (folder / "topology.yaml").write_text(
        "services:\n  order: {calls: [mysqld]}\n  mysqld: {kind: database}\n", encoding="utf-8"
    )
    (folder / "changes.jsonl").write_text(
        '{"at": "2026-03-01T12:30:00Z", "entity": "order", "summary": "v2"}\n', encoding="utf-8"
    )
    (folder / "source.json").write_text('{"version": "2.53.0"}', encoding="utf-8")
    (folder / "truth.yaml").write_text("cause: mysqld\n", encoding="utf-8")
    return folder


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    return write_incident(tmp_path / "incident")


def windows() -> Windows:
    middle = START + timedelta(minutes=40)
    return Windows(
        incident=Window(start=middle, end=START + timedelta(hours=1)),
        baselines=(Window(start=START, end=middle),),
    )


def test_a_recording_says_all_it_holds(incident: Path) -> None:
    described = describe(incident)
    assert described.kind == "bundle"
    assert described.signals == (
        Signal.METRICS,
        Signal.LOGS,
        Signal.ALERTS,
        Signal.TOPOLOGY,
        Signal.CHANGES,
    )
    assert described.entities == (
        Entity(name="mysqld", kind="database"),
        Entity(name="node", kind="host"),
        Entity(name="order"),
    )
    assert described.label_values == {"job": ("mysqld", "node", "order")}
    assert described.extent is not None
    assert described.extent.start == START
    assert described.extent.end == START + timedelta(minutes=59, seconds=45)
    assert described.scrape_interval == timedelta(seconds=15)
    assert described.version == "2.53.0"
    assert [a.name for a in described.alerts] == ["PoolExhausted"]
    assert described.notes == ()


def test_a_description_survives_its_record(incident: Path) -> None:
    described = describe(incident)
    assert SourceDescription.model_validate_json(described.model_dump_json()) == described


def test_alerts_topology_and_changes_are_answers(incident: Path) -> None:
    source = BundleSource(incident)
    alerts = asyncio.run(source.list_alerts())
    topology = asyncio.run(source.get_topology())
    changes = asyncio.run(source.list_changes())
    assert {a.status for a in (alerts, topology, changes)} == {EvidenceStatus.OK}
    assert isinstance(alerts.output, AlertList)
    assert isinstance(topology.output, Topology)
    assert topology.output.callees("order") == ("mysqld",)
    assert isinstance(changes.output, ChangeList)
    assert changes.output.changes[0].summary == "v2"


def test_what_is_not_recorded_is_empty(tmp_path: Path) -> None:
    (tmp_path / "alert.json").write_text('[{"labels": {"alertname": "A"}}]', encoding="utf-8")
    source = BundleSource(tmp_path)
    assert asyncio.run(source.get_topology()).status is EvidenceStatus.EMPTY
    assert asyncio.run(source.list_changes()).status is EvidenceStatus.EMPTY
    window = Window(start=START, end=START)
    answer = asyncio.run(source.query_range(RangeQuery(selector=EVERYTHING, window=window)))
    assert answer.status is EvidenceStatus.ERROR
    assert answer.error == "the recording holds no metrics"
    with pytest.raises(DataSourceError, match="holds no logs"):
        list(source.read_logs(LogQuery(windows=windows())))


def test_logs_without_a_zone_are_placed_by_the_metrics(incident: Path) -> None:
    chunks = list(BundleSource(incident).read_logs(LogQuery(windows=windows())))
    files = {chunk.file.path: chunk.file for chunk in chunks}
    rows = sum(len(chunk.frame) for chunk in chunks)
    assert files["logs/order.log"].timezone == "+08:00"
    assert files["logs/order.log"].service == "order"
    assert files["logs/mysqld-slow.log"].service == "mysqld"
    assert rows == 4 * MINUTES + 1


def test_a_told_zone_wins(incident: Path) -> None:
    source = BundleSource(incident, log_tz=timezone(timedelta(hours=9)))
    query = LogQuery(windows=windows(), services=("order",))
    chunks = list(source.read_logs(query))
    assert chunks[-1].file.timezone == "+09:00"
    assert sum(len(c.frame) for c in chunks) == 0


def test_logs_of_another_day_are_noted(incident: Path) -> None:
    (incident / "logs" / "order.log").write_text(
        "2026-02-01T12:00:00Z INFO early\n2026-02-01T12:01:00Z INFO late\n", encoding="utf-8"
    )
    (note,) = describe(incident).notes
    assert note == (
        "the logs of order (2026-02-01 12:00:00 to 2026-02-01 12:01:00 UTC) lie elsewhere"
        " than what was recorded; is a clock or zone wrong?"
    )


def test_zero_and_far_times_do_not_stretch_the_extent(incident: Path) -> None:
    expected = describe(incident).extent
    frame = pl.read_parquet(incident / "metrics.parquet")
    odd = frame.head(2).with_columns(
        pl.Series("time", [0, 7_000_000_000_000]).cast(pl.Datetime("ms", "UTC"))
    )
    pl.concat([frame, odd]).write_parquet(incident / "metrics.parquet")
    with (incident / "logs" / "order.log").open("a", encoding="utf-8") as file:
        file.write("\n1970-01-01 00:00:00 INFO zero\n9999-01-01 00:00:00 INFO far\n")
    described = describe(incident)
    assert described.extent == expected
    assert described.notes == ()


def test_the_recorded_zone_is_taken(incident: Path) -> None:
    (incident / "source.json").write_text('{"log_timezone": "+08:30"}', encoding="utf-8")
    chunks = list(BundleSource(incident).read_logs(LogQuery(windows=windows())))
    (file,) = {c.file.path: c.file for c in chunks if "order" in c.file.path}.values()
    assert (file.timezone, file.timezone_reason) == ("+08:30", "as recorded")


def test_another_mapping_of_labels_is_a_parameter(incident: Path) -> None:
    source = BundleSource(incident, label_entities={"instance": "service"})
    described = asyncio.run(source.describe())
    assert described.label_values == {}


@pytest.mark.parametrize(
    "name",
    [
        "metrics.parquet",
        "topology.yaml",
        "alert.json",
        "changes.jsonl",
        "source.json",
        "logs/order.log",
    ],
)
@pytest.mark.parametrize("kept", [0, 0.5])
def test_one_broken_file_does_not_hide_the_others(incident: Path, name: str, kept: float) -> None:
    data = (incident / name).read_bytes()
    (incident / name).write_bytes(data[: int(len(data) * kept)])
    described = describe(incident)
    assert len(described.signals) >= 3
    # Half a log is a shorter log, and no changes are a valid list of changes.
    whole = (name, kept) in {("logs/order.log", 0.5), ("changes.jsonl", 0)}
    assert any(name in note for note in described.notes) != whole


def test_broken_metrics_are_an_error_status(incident: Path) -> None:
    (incident / "metrics.parquet").write_bytes(b"PAR1 no more")
    source = BundleSource(incident)
    window = Window(start=START, end=START)
    answer = asyncio.run(source.query_range(RangeQuery(selector=EVERYTHING, window=window)))
    assert answer.status is EvidenceStatus.ERROR
    assert answer.error.startswith("metrics.parquet cannot be read")
    assert Signal.METRICS not in asyncio.run(source.describe()).signals


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("metrics.parquet", b"PAR1"),
        ("metrics.csv", b"\x00\x01"),
        ("alert.json", b""),
        ("question.txt", b"why?"),
        ("README.md", b"# hello"),
        ("logs.csv.gz", b"\x1f\x8b"),
        ("logs.parquet", b"PAR1"),
    ],
)
def test_a_folder_without_anything_readable_is_one_line_of_advice(
    tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(NothingReadableError) as caught:
        describe(tmp_path)
    assert "\n" not in str(caught.value)
    assert "a recorded incident holds" in str(caught.value)


def test_a_missing_folder_fails_every_call_alike(tmp_path: Path) -> None:
    source = BundleSource(tmp_path / "gone")
    for call in (source.list_alerts(), source.get_topology(), source.list_changes()):
        answer = asyncio.run(call)
        assert answer.status is EvidenceStatus.ERROR
        assert "there is no folder" in answer.error
    with pytest.raises(NothingReadableError, match="there is no folder"):
        asyncio.run(source.describe())


# --- the wide form of labelled incidents --------------------------------------------------------

LABEL = {
    "system": "shop",
    "entry": "front",
    "alert_metric": "front|latency",
    "inject_time": START.timestamp() + 600,
    "alert_time": START.timestamp() + 660,
    "end_time": START.timestamp() + 900,
    "normal": "calm",
    "root_cause": "stock",
    "root_causes": ["stock"],
    "root_cause_metric": "stock|cpu",
    "fault": "cpu",
    "case": "stock_cpu",
    "command": "burn stock",
    "services": ["front", "stock", "truth-only"],
}


def wide(start: datetime, rows: int) -> str:
    lines = ["time,front|latency,stock|cpu,node:h1|cpu,_entry|latency"]
    lines += [f"{start.timestamp() + 60 * k},{k},{k % 3},1,{k}" for k in range(rows)]
    return "\n".join(lines) + "\n"


def log_csv(start: datetime, rows: int) -> str:
    lines = ["time,service,trace_id,span_id,message"]
    lines += [
        f"{start.timestamp() + k},stock,t{k},s,12:00:{k % 60:02d}.000 ERROR a.b.C#{k} boom"
        for k in range(rows)
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    folder = tmp_path / "cases" / "2026-03-01_stock_cpu"
    normal = tmp_path / "cases" / "_normal" / "calm"
    for path, start, rows in (
        (folder, START, 20),
        (normal, START + timedelta(days=30), 100),
    ):
        path.mkdir(parents=True)
        (path / "metrics.csv.gz").write_bytes(gzip.compress(wide(start, rows).encode()))
        (path / "logs.csv.gz").write_bytes(gzip.compress(log_csv(start, rows).encode()))
        (path / "traces.csv.gz").write_bytes(b"")
    (folder / "graph.csv").write_text("caller,callee\nfront,stock\n", encoding="utf-8")
    (folder / "label.json").write_bytes(orjson.dumps(LABEL))
    return folder


def everything(path: Path) -> tuple[SourceDescription, bytes, bytes, list[pl.DataFrame]]:
    source = BundleSource(path)
    described = asyncio.run(source.describe())
    window = Window(start=START, end=START + timedelta(days=60))
    series = asyncio.run(source.query_range(RangeQuery(selector=EVERYTHING, window=window)))
    topology = asyncio.run(source.get_topology())
    assert series.output is not None
    assert topology.output is not None
    asked = Windows(incident=window, baselines=())
    frames = [c.frame for c in source.read_logs(LogQuery(windows=asked))]
    return described, encode(series.output), encode(topology.output), frames


def test_a_labelled_incident_is_read(case: Path) -> None:
    described, _, _, frames = everything(case)
    assert described.signals == (Signal.METRICS, Signal.LOGS, Signal.TOPOLOGY)
    assert described.entry == "front"
    assert described.symptom == 'latency{service="front"}'
    assert described.hints["alert_time"] == START + timedelta(seconds=660)
    assert described.entities == (
        Entity(name="_entry", kind="entry"),
        Entity(name="h1", kind="host"),
        Entity(name="front"),
        Entity(name="stock"),
    )
    assert "traces.csv.gz: cannot be read (the file is empty)" in described.notes
    assert frames[0]["body"].to_list()[:2] == ["boom", "boom"]
    assert frames[0]["severity"].unique().to_list() == [5]
    assert frames[0]["trace_id"].to_list()[:2] == ["t0", "t1"]


def test_normal_telemetry_of_another_day_is_in_the_data_and_not_in_the_extent(case: Path) -> None:
    described, _, _, frames = everything(case)
    assert described.extent is not None
    assert described.extent.end == START + timedelta(minutes=19)
    (normal,) = described.normal
    assert normal.start == START + timedelta(days=30)
    assert normal.end == START + timedelta(days=30, minutes=99)
    assert [len(f) for f in frames] == [20, 100]
    source = BundleSource(case)
    query = RangeQuery(selector=Selector(name="cpu"), window=normal)
    answer = asyncio.run(source.query_range(query))
    assert answer.stats["samples_returned"] == 200


def test_neither_the_folder_nor_the_other_keys_are_looked_at(case: Path, tmp_path: Path) -> None:
    renamed = case.parent / "x7f3"
    shutil.copytree(case, renamed)
    kept = ("entry", "alert_metric", "inject_time", "alert_time", "end_time", "normal")
    bare = {key: LABEL[key] for key in kept}
    (renamed / "label.json").write_bytes(orjson.dumps(bare))
    first, second = everything(case), everything(renamed)
    assert first[:3] == second[:3]
    assert all(a.equals(b) for a, b in zip(first[3], second[3], strict=True))


def test_no_word_of_the_truth_gets_in(case: Path) -> None:
    label = LABEL | {"root_cause": "zzz", "fault": "yyy", "case": "xxx", "command": "www"}
    (case / "label.json").write_bytes(orjson.dumps(label))
    text = describe(case).model_dump_json()
    for word in ("zzz", "yyy", "xxx", "www", "truth-only", "shop"):
        assert word not in text


def test_a_broken_label_is_noted(case: Path) -> None:
    (case / "label.json").write_text('{"entry": "front",', encoding="utf-8")
    described = describe(case)
    assert described.entry == ""
    assert any("label.json is malformed" in note for note in described.notes)


def test_a_broken_log_table_is_noted_and_the_rest_is_read(case: Path) -> None:
    (case / "logs.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    described = describe(case)
    assert Signal.METRICS in described.signals
    assert "logs.csv.gz cannot be read (columns time, message are missing)" in described.notes
    asked = Windows(incident=Window(start=START, end=START + timedelta(days=60)), baselines=())
    chunks = list(BundleSource(case).read_logs(LogQuery(windows=asked)))
    assert [len(c.frame) for c in chunks] == [0, 100]
    assert "cannot be read" in chunks[0].file.notes[0]


def test_a_recording_is_described_in_fifty_milliseconds_of_work(incident: Path) -> None:
    describe(incident)
    taken: list[float] = []
    for _ in range(5):
        started = time.process_time()
        describe(incident)
        taken.append(time.process_time() - started)
    assert min(taken) < 0.05
