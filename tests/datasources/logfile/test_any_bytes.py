"""Whatever a file holds, reading it ends in records and notes."""

import asyncio
import gzip
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from contract.recorded import LOG_COLUMNS
from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import DataSourceError

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WINDOWS = Windows(
    incident=Window(start=START, end=START + timedelta(hours=1)),
    baselines=(Window(start=START - timedelta(hours=1), end=START),),
)

pieces = st.sampled_from(
    [
        b"2026-03-01T12:00:01Z ",
        b"2026-03-01 12:00:01,123 ",
        b"Mar  1 12:00:01 host app[1]: ",
        b"1772366401 ",
        b"12:00:01 ",
        b"ERROR ",
        b"[error] ",
        b"\tat a.b.C(D.java:1)",
        b"Caused by: x",
        b'{"time":"2026-03-01T12:00:01Z","level":"info","msg":"a","n":1}',
        b'{"msg":',
        b'{"level":30,"ts":1772366401}',
        b"level=info msg=hi time=2026-03-01T12:00:01Z",
        b"# Time: 260301 12:00:01",
        b"# User@Host: a[a] @ b []",
        b"SET timestamp=1772366401;",
        b"\x1b[31m",
        b"\x1e",
        b"\r",
        b"\n",
        b"\n",
        b"\n\n",
        b"\xff",
        b"\x00",
        "失败".encode(),
        "失败".encode("gb18030"),
        b"\xef\xbb\xbf",
        b"x" * 5000,
    ]
) | st.binary(max_size=8)

texts = st.lists(pieces, max_size=40).map(b"".join)


@given(texts, st.booleans(), st.integers(20, 200))
def test_any_file_is_read(data: bytes, packed: bool, block_bytes: int) -> None:  # noqa: FBT001 - drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "order.log"
        path.write_bytes(gzip.compress(data) if packed else data)
        source = LogFileSource({"order": (path,)})
        source._reader._block_bytes = block_bytes
        chunks = list(source.read_logs(LogQuery(windows=WINDOWS)))
        frame = pl.concat([c.frame for c in chunks])
        assert dict(frame.schema) == LOG_COLUMNS
        assert frame["offset"].is_between(0, max(len(data) - 1, 0)).all()
        assert (
            frame.select("severity", "service", "body", "line", "offset")
            .null_count()
            .sum_horizontal()[0]
            == 0
        )
        again = pl.concat([c.frame for c in source.read_logs(LogQuery(windows=WINDOWS))])
        assert again.equals(frame)


NAMES = (
    "alert.json",
    "question.txt",
    "metrics.parquet",
    "metrics.csv",
    "metrics.csv.gz",
    "logs.csv",
    "logs.parquet",
    "topology.yaml",
    "graph.csv",
    "changes.jsonl",
    "source.json",
    "label.json",
)

snippets = st.sampled_from(
    [
        b"time,a|b,c\n",
        b"time,name,labels,value\n",
        b"time,service,message\n",
        b"caller,callee\n",
        b"1772366400,1,2\n",
        b"1772366400,m,{},2\n",
        b'1772366400,m,"{""a"":1}",NaN\n',
        b"2026-03-01T12:00:00Z,order,hello\n",
        b"services: {a: {calls: [b]}}\n",
        b"aliases: 5\n",
        b"&a [*a]",
        b'{"alerts": [{"labels": {}}]}',
        b'{"at": 1772366400, "entity": 5}\n',
        b'{"normal": "..", "entry": 7, "inject_time": "x"}',
        b'"',
        b",",
        b"PAR1",
        b"\x1f\x8b\x08\x00",
    ]
) | st.binary(max_size=12)


@given(st.dictionaries(st.sampled_from(NAMES), st.lists(snippets, max_size=5).map(b"".join)))
def test_any_folder_is_described_or_refused(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        source = BundleSource(Path(folder))
        try:
            described = asyncio.run(source.describe())
        except DataSourceError:
            return
        assert described.signals
        for call in (source.list_alerts(), source.get_topology(), source.list_changes()):
            assert asyncio.run(call).error == ""
