"""Recorded spans in every form, whole and damaged, as a bundle gives them."""

import asyncio
import gzip
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from span_recordings import (
    FORMS,
    START,
    START_US,
    Span,
    csv_text,
    hexes,
    json_lines,
    otlp,
    otlp_lines,
    request,
    shop,
    wide_rows,
    write_form,
    zipkin,
)
from superbizagent.datasources._traces import SpanStore, span_frames, take
from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.outputs import Edge, Topology, encode
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, TraceQuery
from superbizagent.domain.spans import ORPHAN, ROOT, SpanKind, SpanSet
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import NothingReadableError

SPANS = shop(minutes=4, slow_from=3)
INCIDENT = Window(start=START + timedelta(minutes=3), end=START + timedelta(minutes=4))
BEFORE = Window(start=START, end=START + timedelta(minutes=3))
WINDOWS = Windows(incident=INCIDENT, baselines=(BEFORE,))


def described(folder: Path) -> Any:
    return asyncio.run(BundleSource(folder).describe())


def answered(folder: Path, *services: str, windows: Windows = WINDOWS) -> Answer:
    query = TraceQuery(services=services, windows=windows)
    return asyncio.run(BundleSource(folder).read_spans(query))


def spans_of(folder: Path, *services: str) -> SpanSet:
    found = answered(folder, *services).output
    assert isinstance(found, SpanSet)
    return found


def rows_of(spans: SpanSet) -> list[tuple[Any, ...]]:
    """Every span in plain words, its parent by id."""
    return [
        (
            spans.traces[spans.trace[k]],
            spans.span_ids[k],
            spans.span_ids[spans.parent[k]] if spans.parent[k] >= 0 else int(spans.parent[k]),
            spans.services[spans.service[k]],
            spans.operations[spans.operation[k]],
            SpanKind(int(spans.kind[k])).name,
            spans.errors[spans.error[k]] if spans.error[k] >= 0 else "",
            spans.peers[spans.peer[k]] if spans.peer[k] >= 0 else "",
            spans.instances[spans.instance[k]] if spans.instance[k] >= 0 else "",
            int(spans.start[k]) - START_US,
            int(spans.duration[k]),
        )
        for k in range(len(spans))
    ]


def expected(spans: list[Span]) -> list[tuple[Any, ...]]:
    kinds = {2: "SERVER", 3: "CLIENT"}
    rows = [
        (
            s.trace,
            s.own,
            s.parent or ROOT,
            s.service,
            s.operation,
            kinds[s.kind],
            s.exception or (str(s.status) if s.status >= 500 else ""),
            s.peer,
            s.pod,
            s.start,
            s.duration,
        )
        for s in spans
    ]
    return sorted(rows, key=lambda r: (r[9], r[0], r[1]))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_spans(tmp_path: Path, form: str) -> None:
    own = [*SPANS, *request(900, timedelta(seconds=200), 3.0, status=503)]
    own[-2] = replace(own[-2], exception="CardDeclined")
    write_form(tmp_path, form, own)
    assert rows_of(spans_of(tmp_path)) == expected(own)
    source = described(tmp_path)
    assert source.signals == (Signal.TRACES, Signal.TOPOLOGY)
    assert source.notes == ()
    assert [e.name for e in source.entities] == ["order", "orders-db", "payment", "storefront"]
    assert source.extent.start == START
    topology = asyncio.run(BundleSource(tmp_path).get_topology()).output
    assert isinstance(topology, Topology)
    assert topology.edges == (
        Edge(caller="order", callee="orders-db"),
        Edge(caller="order", callee="payment"),
        Edge(caller="storefront", callee="order"),
    )


def test_parquet_and_packed_files_are_read(tmp_path: Path) -> None:
    whole = rows_of(spans_of(write_form(tmp_path / "plain", "otlp-lines", SPANS).parent))
    text = otlp_lines(SPANS).encode()
    packed = {
        "traces.jsonl.gz": gzip.compress(text),
        "traces.jsonl.zst": zstandard.ZstdCompressor().compress(text),
        "traces/part.ndjson.zstd": zstandard.ZstdCompressor().compress(text),
        "traces.csv.gz": gzip.compress(csv_text(wide_rows(SPANS)).encode()),
    }
    for name, data in packed.items():
        path = tmp_path / name.replace("/", "-") / name
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        assert rows_of(spans_of(tmp_path / name.replace("/", "-"))) == whole, name
    (tmp_path / "table").mkdir()
    pl.DataFrame(wide_rows(SPANS)).write_parquet(tmp_path / "table" / "traces.parquet")
    assert rows_of(spans_of(tmp_path / "table")) == whole


def test_files_in_any_order_and_any_number_give_the_same_bytes(tmp_path: Path) -> None:
    parts = [SPANS[k::3] for k in range(3)]
    for name, order in (("a", (0, 1, 2)), ("b", (2, 0, 1))):
        folder = tmp_path / name / "traces"
        folder.mkdir(parents=True)
        for number, part in enumerate(order):
            (folder / f"{number}.jsonl").write_text(otlp_lines(parts[part]))
    (tmp_path / "a" / "traces.json").write_text(otlp(SPANS))  # all of it twice
    assert encode(spans_of(tmp_path / "a")) == encode(spans_of(tmp_path / "b"))


def test_only_traces_that_touch_what_is_asked_about_come_and_come_whole(tmp_path: Path) -> None:
    other = [replace(s, trace=hexes(5000, 32), service=f"x-{s.service}") for s in SPANS[:5]]
    write_form(tmp_path, "otlp", [*SPANS, *other])
    assert set(spans_of(tmp_path, "payment").services) == {"order", "payment", "storefront"}
    assert "x-order" in spans_of(tmp_path).services
    nobody = answered(tmp_path, "nobody")
    assert nobody.status is EvidenceStatus.EMPTY


def test_spans_outside_the_windows_are_not_kept(tmp_path: Path) -> None:
    write_form(tmp_path, "csv", SPANS)
    early = Window(start=START - timedelta(hours=3), end=START - timedelta(hours=2))
    far = answered(tmp_path, windows=Windows(incident=early, baselines=()))
    assert far.status is EvidenceStatus.EMPTY
    alone = answered(tmp_path, windows=Windows(incident=INCIDENT, baselines=())).output
    assert isinstance(alone, SpanSet)
    assert int(alone.start.min()) >= int(INCIDENT.start.timestamp()) * 1_000_000


def test_aliases_name_the_entities(tmp_path: Path) -> None:
    write_form(tmp_path, "otlp", SPANS)
    (tmp_path / "topology.yaml").write_text(
        "services: {order-service: {calls: [ledger]}}\naliases: {order: order-service}\n"
    )
    names = [e.name for e in described(tmp_path).entities]
    assert "order-service" in names
    assert "order" not in names
    assert len(spans_of(tmp_path, "order-service")) == len(SPANS)
    topology = asyncio.run(BundleSource(tmp_path).get_topology()).output
    assert isinstance(topology, Topology)
    assert topology.callees("order-service") == ("ledger", "orders-db", "payment")


def test_normal_traces_are_added(tmp_path: Path) -> None:
    write_form(tmp_path / "case", "otlp", [s for s in SPANS if s.start >= 180_000_000])
    (tmp_path / "case" / "label.json").write_text('{"normal": "n"}')
    write_form(tmp_path / "_normal" / "n", "jaeger", [s for s in SPANS if s.start < 180_000_000])
    assert rows_of(spans_of(tmp_path / "case")) == expected(SPANS)


def test_equal_names_of_two_namespaces_stay_two(tmp_path: Path) -> None:
    rows = wide_rows(SPANS[:5])
    spaces = ("blue", "green", "", "", "")
    for row, space in zip(rows, spaces, strict=True):
        row |= {"service": "api", "service.namespace": space}
    (tmp_path / "traces.csv").write_text(csv_text(rows))
    assert spans_of(tmp_path).services == ("api", "blue/api", "green/api")


# Limits ------------------------------------------------------------------------------------------


def test_too_many_spans_leave_whole_traces_out_always_the_same(tmp_path: Path) -> None:
    write_form(tmp_path, "csv", SPANS)
    source = BundleSource(tmp_path)
    query = TraceQuery(windows=WINDOWS, max_spans=62)
    answer = asyncio.run(source.read_spans(query))
    spans = answer.output
    assert isinstance(spans, SpanSet)
    assert (len(spans), len(spans.traces), spans.traces_left_out) == (60, 12, 36)
    assert answer.truncated
    assert answer.stats["traces_left_out"] == 36
    assert answer.warnings[0].startswith("180 spans were left out, 36 traces as a whole")
    again = asyncio.run(BundleSource(tmp_path).read_spans(query)).output
    assert encode(spans) == encode(again) if again is not None else False


def test_one_trace_larger_than_the_limit_gives_its_beginning(tmp_path: Path) -> None:
    one = [replace(s, trace="t") for s in SPANS]
    write_form(tmp_path, "csv", one)
    answer = asyncio.run(
        BundleSource(tmp_path).read_spans(TraceQuery(windows=WINDOWS, max_spans=50))
    )
    assert answer.output is not None
    assert isinstance(answer.output, SpanSet)
    assert len(answer.output) == 50
    assert answer.truncated


def test_what_is_held_is_bounded_whatever_the_order(tmp_path: Path) -> None:
    path = write_form(tmp_path, "csv", SPANS)
    frames = list(span_frames(path, []))
    whole = pl.concat(frames)
    kept: list[set[str]] = []
    for order in (whole, whole.reverse()):
        store = SpanStore(held=100)
        for start in range(0, len(order), 30):
            store.add(order[start : start + 30], [])
        assert not store.bears_all
        assert store.read == len(SPANS)
        assert 0 < len(store.table()) <= 100
        kept.append(set(store.table()["span_id"].to_list()))
    assert kept[0] == kept[1]
    taken = take(store.table(), WINDOWS, (), {}, 1000)
    assert set(taken.spans.span_ids) == kept[0]


# Units and names of tables -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "duration", "unit"),
    [
        ("startTime", "duration", 1),
        ("start_ns", "duration_ns", 1000),
        ("startTimeMillis", "duration_ms", 0.001),
        ("timestamp", "elapsedTime", 0.001),
        ("time", "latency", 0.000001),
    ],
)
def test_columns_of_other_tools_and_units(
    tmp_path: Path, start: str, duration: str, unit: float
) -> None:
    rows = [
        {
            "traceID": s.trace,
            "spanID": s.own,
            "parentSpanID": s.parent,
            "serviceName": s.service,
            "operationName": s.operation,
            start: f"{(START_US + s.start) * unit:.9f}",
            duration: f"{s.duration * unit:.9f}",
        }
        for s in SPANS
    ]
    (tmp_path / "traces.csv").write_text(csv_text(rows))
    spans = spans_of(tmp_path)
    # A float of seconds is exact to a quarter of a microsecond.
    wanted = sorted((s.start, s.duration) for s in SPANS)
    found = zip(spans.start - START_US, spans.duration, strict=True)
    assert all(
        abs(a - b) <= 1 and abs(c - d) <= 1
        for (a, c), (b, d) in zip(sorted(found), wanted, strict=True)
    )


def test_iso_times_and_an_end_give_the_duration(tmp_path: Path) -> None:
    rows = wide_rows(SPANS)
    for row, span in zip(rows, SPANS, strict=True):
        del row["duration_us"]
        begin = START + timedelta(microseconds=span.start)
        row["start_us"] = begin.isoformat()
        row["end_time"] = (begin + timedelta(microseconds=span.duration)).isoformat()
    (tmp_path / "traces.csv").write_text(csv_text([{"start": r.pop("start_us")} | r for r in rows]))
    assert rows_of(spans_of(tmp_path)) == expected(SPANS)


def test_a_table_that_names_no_unit_says_how_it_was_read(tmp_path: Path) -> None:
    rows = [{k: v for k, v in r.items() if k != "duration_us"} | {"duration": r["duration_us"]}
            for r in wide_rows(SPANS)]  # fmt: skip
    (tmp_path / "traces.csv").write_text(csv_text(rows))
    assert described(tmp_path).notes == (
        "traces.csv: column 'duration' names no unit and was read as µs",
    )


@pytest.mark.parametrize(
    ("status", "error"),
    [("200", ""), ("404", ""), ("503", "503"), ("STATUS_CODE_ERROR", "error"), ("0", ""),
     ("1", ""), ("2", "error"), ("14", "grpc 14"), ("Ok", ""), ("", "")],
)  # fmt: skip
def test_statuses_of_all_sorts(tmp_path: Path, status: str, error: str) -> None:
    row = wide_rows(SPANS[:1])[0] | {"status_code": status}
    del row["error"]
    (tmp_path / "traces.csv").write_text(csv_text([row]))
    assert rows_of(spans_of(tmp_path))[0][6] == error


def test_times_in_another_unit_than_the_format_says_are_corrected(tmp_path: Path) -> None:
    document = json.loads(zipkin(SPANS))
    for span in document:
        span["timestamp"] = round(span["timestamp"] / 1000)
        span["duration"] = round(span["duration"] / 1000)
    (tmp_path / "traces.json").write_text(json.dumps(document))
    spans = spans_of(tmp_path)
    assert len(spans) == len(SPANS)
    assert int(spans.duration.max()) > 400_000
    assert described(tmp_path).notes == (
        "traces.json: times were read as milliseconds, by their size, not as the format says",
    )


def test_client_and_server_that_share_an_id_are_two_sides(tmp_path: Path) -> None:
    client, server, below = SPANS[3], SPANS[4], SPANS[2]
    document = json.loads(zipkin([client, server, below]))
    document[1] |= {"id": client.own, "parentId": client.parent, "shared": True}
    document[2] |= {"parentId": client.own, "localEndpoint": {"serviceName": "payment"}}
    (tmp_path / "traces.json").write_text(json.dumps(document))
    rows = {row[4] + row[5]: row for row in rows_of(spans_of(tmp_path))}
    assert rows["POST /chargeSERVER"][2] == client.own
    assert rows["SELECTCLIENT"][2] == rows["POST /chargeSERVER"][1]


# Damage ------------------------------------------------------------------------------------------


def note_of(folder: Path) -> str:
    return "; ".join(described(folder).notes)


def test_broken_lines_are_counted(tmp_path: Path) -> None:
    lines = otlp_lines(SPANS).splitlines()
    text = "\n".join([lines[0], "{broken", "", "not json \udcff", *lines[1:], '{"a": 1}', "7"])
    (tmp_path / "traces.jsonl").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert rows_of(spans_of(tmp_path)) == expected(SPANS)
    assert note_of(tmp_path) == (
        "traces.jsonl: 2 lines are no JSON and were left out;"
        " traces.jsonl: 2 JSON documents hold no spans and were left out"
    )


def test_a_broken_first_line_loses_no_other(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text("{torn\n" + otlp_lines(SPANS))
    assert rows_of(spans_of(tmp_path)) == expected(SPANS)


def test_a_torn_archive_gives_what_it_holds(tmp_path: Path) -> None:
    for name, pack in (("gz", gzip.compress), ("zst", zstandard.ZstdCompressor().compress)):
        folder = tmp_path / name
        folder.mkdir()
        lines = json_lines(wide_rows(shop(minutes=60, slow_from=50))).encode()
        (folder / f"traces.jsonl.{name}").write_bytes(pack(lines)[: len(pack(lines)) // 2])
        assert 0 < len(spans_of(folder)) < len(SPANS) * 15
        assert "truncated or damaged" in note_of(folder)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("traces.json", b"", "the file is empty"),
        ("traces.json", b"  \n\n", "the file is empty"),
        ("traces.json", b'{"resourceSpans": [', "malformed JSON in line 1"),
        ("traces.json", b"\xff\xfe\x00{", "malformed JSON in line 1"),
        ("traces.json", b'{"hello": "world"}', "neither OTLP, Jaeger nor Zipkin JSON"),
        ("traces.csv", b"", "the file is empty"),
        ("traces.csv", b"a,b\n1,2\n", "columns trace_id, span_id, service, start are missing"),
        ("traces.parquet", b"no parquet at all", "no Parquet file"),
        ("traces.parquet", b"PAR1 torn", "damaged or cut off"),
        ("traces.parquet", b"", "the file is empty"),
        ("traces/readme.md", b"hello", "traces/ holds no file of spans"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / "question.txt").write_text("why is it slow?")
    (tmp_path / "metrics.csv").write_text("time,name,labels,value\n2026-03-02T09:00:00Z,up,,1\n")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(data)
    source = described(tmp_path)
    assert Signal.TRACES not in source.signals
    assert reason in "; ".join(source.notes)
    assert source.unreadable == (() if "/" in name else (name,))
    answer = answered(tmp_path)
    assert answer.status is EvidenceStatus.ERROR
    assert reason in answer.error


def test_an_empty_folder_of_traces_alone_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    with pytest.raises(NothingReadableError) as caught:
        described(tmp_path)
    assert "traces/ holds no file of spans" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_five_hundred_files_are_one_recording_and_few_remarks(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for number in range(500):
        start = 2 * number % len(SPANS)
        text = "" if number % 7 == 0 else otlp(SPANS[start : start + 5])
        (folder / f"{number:03}.json").write_text(text)
    assert rows_of(spans_of(tmp_path)) == expected(SPANS)
    assert described(tmp_path).notes == (
        "72 files, such as traces/000.json: cannot be read (the file is empty)",
    )


def test_loops_orphans_and_doubles_are_kept_as_what_they_are(tmp_path: Path) -> None:
    a, b, c = (replace(s, trace="t") for s in SPANS[:3])
    loop = [replace(a, parent=b.own), replace(b, parent=a.own), replace(c, parent="nowhere"), c]
    write_form(tmp_path, "csv", loop)
    spans = spans_of(tmp_path)
    assert len(spans) == 3
    assert ORPHAN in spans.parent.tolist()
    kept = dict(zip(spans.span_ids, spans.parent.tolist(), strict=True))
    assert sorted([kept[a.own] < 0, kept[b.own] < 0]) == [False, True]  # cut once


def test_spans_without_a_time_or_an_id_are_counted(tmp_path: Path) -> None:
    rows = wide_rows(SPANS)
    rows[0]["start_us"], rows[1]["trace_id"], rows[2]["duration_us"] = "soon", "", -5
    (tmp_path / "traces.csv").write_text(csv_text(rows))
    assert len(spans_of(tmp_path)) == len(SPANS) - 2
    assert described(tmp_path).notes == (
        "1 spans without a start were left out",
        "1 spans without a trace id were left out",
        "1 spans end before they begin; they count as 0 long",
    )


def test_huge_attributes_and_strange_values_do_no_harm(tmp_path: Path) -> None:
    document = json.loads(otlp(SPANS))
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans[0]["attributes"] = [{"key": "db.query.text", "value": {"stringValue": "x" * 3_000_000}}]
    spans[1] |= {"name": "y" * 5_000, "kind": "whatever", "attributes": "none", "status": 7}
    spans[2] |= {"events": [None, 3, {"attributes": {}}], "attributes": [None, {"key": 3}]}
    spans += [None, 5, {}, {"traceId": 5, "spanId": {}, "startTimeUnixNano": "9" * 40}]
    (tmp_path / "traces.json").write_text(json.dumps(document))
    found = spans_of(tmp_path)
    assert len(found) == len(SPANS)
    assert max(map(len, found.operations)) == 200
    assert note_of(tmp_path) == "4 spans without a start were left out"
