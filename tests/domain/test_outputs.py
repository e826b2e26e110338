"""An output and its bytes are the same thing."""

import struct
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from superbizagent.domain.alert import Alert
from superbizagent.domain.columns import pack, unpack
from superbizagent.domain.logs import LogDigest, LogLine, LogTemplate
from superbizagent.domain.outputs import (
    AlertList,
    Change,
    ChangeList,
    Edge,
    ToolOutput,
    Topology,
    TopologyNode,
    decode,
    encode,
    is_empty,
)
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.spans import ROOT, SpanSet
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import IntegrityError

AT = datetime(2026, 7, 6, 10, tzinfo=UTC)
WINDOW = Window(start=AT, end=AT + timedelta(minutes=5))
WINDOWS = Windows(incident=WINDOW, baselines=())

COLUMNS = st.dictionaries(
    st.text(max_size=5),
    hnp.arrays(
        st.sampled_from([np.float64, np.int64, np.int32, np.uint8, np.bool_, np.dtype(">f8")]),
        st.integers(0, 20),
    ),
    max_size=4,
)

SPANS = SpanSet(
    services=("order", "payment"),
    operations=("charge",),
    errors=("503",),
    traces=("7f",),
    span_ids=("a", "b"),
    trace=np.array([0, 0], np.int32),
    parent=np.array([ROOT, 0], np.int32),
    service=np.array([0, 1], np.int32),
    operation=np.array([0, 0], np.int32),
    kind=np.array([3, 2], np.int32),
    error=np.array([-1, 0], np.int32),
    peer=np.array([-1, -1], np.int32),
    instance=np.array([-1, -1], np.int32),
    start=np.array([1, 2], np.int64),
    duration=np.array([30, 10], np.int64),
    traces_left_out=3,
)

LABELS = st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=3)

FULL: list[ToolOutput] = [
    SPANS,
    SeriesSet.of([({"__name__": "up"}, np.array([1, 2]), np.array([0.0, np.nan]))]),
    AlertList(alerts=(Alert(labels={"alertname": "X"}, starts_at=AT, extra={"x": [1, None]}),)),
    Topology(nodes=(TopologyNode(name="a"),), edges=(Edge(caller="a", callee="b"),)),
    ChangeList(changes=(Change(at=AT, entity="a", summary="部署 v2"),)),
    LogDigest(
        windows=WINDOWS,
        bucket_seconds=15.0,
        records_in_incident=1,
        templates=(
            LogTemplate(
                id="t1",
                service="a",
                severity="error",
                text="x <*>",
                baseline_count=0,
                incident_count=1,
                buckets=(0, 1),
            ),
        ),
        lines=(LogLine(file="f", offset=0, at=None, service="a", severity="error", text="x 1"),),
    ),
]

EMPTY: list[ToolOutput] = [
    SpanSet(),
    SeriesSet(),
    AlertList(),
    Topology(),
    ChangeList(),
    LogDigest(windows=WINDOWS, bucket_seconds=15.0),
]


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.integers(-5, 5), max_size=3), COLUMNS)
def test_columns_come_back_bit_by_bit(
    header: dict[str, int], columns: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]
) -> None:
    data = pack(header, columns)
    again, found = unpack(data)
    assert again == header
    assert found.keys() == columns.keys()
    for name, column in columns.items():
        little = column.astype(column.dtype.newbyteorder("<"))
        assert found[name].tobytes() == little.tobytes()
        assert found[name].dtype == little.dtype
    assert pack(header, found) == data


def test_the_bits_of_a_staleness_marker_survive() -> None:
    bits = 0x7FF0000000000002
    (marker,) = struct.unpack("<d", struct.pack("<Q", bits))
    series = SeriesSet.of([({"__name__": "up"}, np.array([0]), np.array([marker]))])
    again = decode(encode(series))
    assert isinstance(again, SeriesSet)
    assert again.values.view(np.uint64)[0] == bits


@settings(deadline=None)
@given(st.lists(st.tuples(LABELS, st.lists(st.floats(), max_size=4)), max_size=5))
def test_series_come_back_and_have_one_form(rows: list[tuple[dict[str, str], list[float]]]) -> None:
    def build(some: list[tuple[dict[str, str], list[float]]]) -> SeriesSet:
        return SeriesSet.of((labels, np.arange(len(v)), np.array(v, float)) for labels, v in some)

    data = encode(build(rows))
    assert encode(decode(data)) == data
    if len({tuple(sorted(labels.items())) for labels, _ in rows}) == len(rows):
        names = [str(s) for s in build(rows)]
        if len(set(names)) == len(names):
            assert encode(build(rows[::-1])) == data


@pytest.mark.parametrize("output", [*FULL, *EMPTY], ids=lambda o: type(o).__name__)
def test_every_kind_comes_back(output: ToolOutput) -> None:
    data = encode(output)
    again = decode(data)
    assert type(again) is type(output)
    assert encode(again) == data
    if not isinstance(output, SeriesSet | SpanSet):
        assert again == output


def test_empty_and_full_are_told_apart() -> None:
    assert [is_empty(o) for o in EMPTY] == [True] * len(EMPTY)
    assert [is_empty(o) for o in FULL] == [False] * len(FULL)


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 something", pack({"kind": "of tomorrow", "value": {}}, {})]
)
def test_unknown_bytes_are_an_integrity_error(data: bytes) -> None:
    with pytest.raises(IntegrityError, match="unknown"):
        decode(data)


def test_neighbours_and_downstream_of_a_topology() -> None:
    calls = [("web", "order"), ("order", "db"), ("order", "pay"), ("pay", "db"), ("db", "db")]
    topology = Topology(edges=tuple(Edge(caller=a, callee=b) for a, b in calls))
    assert topology.neighbours("order") == ("db", "pay", "web")
    assert topology.callees("db") == ()
    assert topology.downstream("web") == ("order", "db", "pay")
    assert topology.downstream("unknown") == ()
