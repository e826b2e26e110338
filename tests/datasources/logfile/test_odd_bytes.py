"""Odd bytes and lines inside a log, read and mined: no record is lost, split or made up."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from superbizagent.analysis.log_templates import LogMiner
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, Windows

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
WINDOWS = Windows(
    incident=Window(start=NOON, end=NOON + HOUR),
    baselines=(Window(start=NOON - HOUR, end=NOON - timedelta(milliseconds=1)),),
)
USUAL = b"2026-03-01T12:00:01Z INFO order 17 created\n"


def mined(folder: Path, content: bytes) -> LogDigest:
    path = folder / "order.log"
    path.write_bytes(content)
    miner = LogMiner(WINDOWS)
    for chunk in LogFileSource({"order": (path,)}).read_logs(LogQuery(windows=WINDOWS)):
        miner.add(chunk)
    return miner.digest()


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (b"left \x00 right", "left <*> right"),
        ("left\u2028right".encode(), "left right"),
        ("left\u2029right\x85 end".encode(), "left right end"),
        (b"left\x0bright\x0cend", "left right end"),
        (b"left right\r", "left right"),
        (b"left \xff\xfe right", "left \ufffd\ufffd right"),
        (b"left \x1b[31mred\x1b[0m right", "left red right"),
    ],
    ids=["NUL", "U+2028", "U+2029, NEL", "VT, FF", "CR LF", "no UTF-8", "colour"],
)
def test_one_line_is_one_record_whatever_is_in_it(
    tmp_path: Path, message: bytes, text: str
) -> None:
    line = b"2026-03-01T12:00:02Z WARN " + message + b"\n"
    found = mined(tmp_path, USUAL * 200 + line + USUAL * 200)
    assert {t.text: t.incident_count for t in found.templates} == {
        "order <*> created": 400,
        text: 1,
    }
    assert found.records_read == 401
    odd = next(k for k in found.lines if k.severity == "warn")
    assert odd.offset == 200 * len(USUAL)


def test_a_line_of_a_megabyte_is_one_record_and_cut(tmp_path: Path) -> None:
    long = b"2026-03-01T12:00:02Z ERROR dump " + b"x7 " * 350_000 + b"\n"
    found = mined(tmp_path, USUAL * 10 + long + USUAL * 10)
    (dump,) = [t for t in found.templates if t.severity == "error"]
    assert dump.incident_count == 1
    assert len(dump.text) <= 5000
    assert max(len(line.text) for line in found.lines) <= 17_000
    assert found.records_read == 21


@pytest.mark.parametrize("form", ["pairs", "json"])
def test_ten_thousand_distinct_fields_stay_bounded(tmp_path: Path, form: str) -> None:
    def line(k: int) -> str:
        if form == "pairs":
            return f"2026-03-01T12:00:01Z INFO state field_{'abcdefghij'[k % 10]}{k}={k} size=3"
        return json.dumps({"ts": "2026-03-01T12:00:01Z", "msg": "state", f"field_{k}": k})

    found = mined(tmp_path, "".join(line(k) + "\n" for k in range(10_000)).encode())
    assert found.records_in_incident == 10_000
    assert sum(t.incident_count for t in found.templates) == 10_000
    assert len(found.templates) <= 20
    assert sum(len(t.fields) for t in found.templates) <= 200


def test_zones_may_change_from_line_to_line(tmp_path: Path) -> None:
    same = ("12:00:01Z", "20:00:01+08:00", "07:00:01-0500", "17:30:01+05:30")
    lines = [f"2026-03-01T{clock} INFO order {k} created" for k, clock in enumerate(same)]
    found = mined(tmp_path, "\n".join([*lines, ""]).encode())
    assert found.templates[0].incident_count == 4
    assert {line.at for line in found.lines} == {NOON + timedelta(seconds=1)}


def test_times_out_of_order_are_counted_where_they_belong(tmp_path: Path) -> None:
    seconds = [59, 3, 3600 + 5, 1, 30, -7, 0, -3600]
    lines = [
        f"{NOON + timedelta(seconds=s):%Y-%m-%dT%H:%M:%SZ} INFO order {s} created\n"
        for s in seconds
    ]
    found = mined(tmp_path, "".join(lines).encode())
    (orders,) = found.templates
    assert (orders.baseline_count, orders.incident_count) == (2, 5)
    assert [line.at for line in found.lines] == sorted(line.at for line in found.lines if line.at)


def test_an_empty_file_is_an_empty_digest(tmp_path: Path) -> None:
    found = mined(tmp_path, b"")
    assert (found.templates, found.lines, found.records_read) == ((), (), 0)
    assert found.files[0].notes == ("the file is empty",)
