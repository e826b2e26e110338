"""Bad logs: degraded ones are read with a note, unreadable ones are one line of advice."""

import asyncio
import gzip
import io
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from superbizagent.datasources._records import blocks, profile, reader
from superbizagent.datasources.logfile import LogFileSource, expand_logs
from superbizagent.domain.source import LogQuery, SourceDescription
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import (
    DataSourceError,
    NothingReadableError,
    PermanentDataSourceError,
    UsageError,
)

if TYPE_CHECKING:
    from datasources.conftest import ReadLog

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LINE = "2026-03-01T12:00:01Z INFO order created\n"
NOON = Windows(
    incident=Window(start=START, end=START + timedelta(hours=1)),
    baselines=(Window(start=START - timedelta(hours=1), end=START),),
)

not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def describe(*paths: Path) -> SourceDescription:
    return asyncio.run(LogFileSource({"order": paths}).describe())


def test_an_empty_file_is_noted(read_log: "ReadLog") -> None:
    found = read_log("")
    assert len(found.frame) == 0
    assert found.file.notes == ("the file is empty",)
    assert found.file.lines == 0


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 20,
        b"\x7fELF\x02\x01\x01" + bytes(5000),
        "2026-03-01T12:00:01Z INFO wide text\n".encode("utf-16"),
    ],
    ids=["all bytes", "program", "utf-16"],
)
def test_a_binary_file_is_refused_with_a_note(read_log: "ReadLog", content: bytes) -> None:
    found = read_log(content)
    assert len(found.frame) == 0
    assert found.file.notes == ("binary file: not read",)


def test_a_few_binary_bytes_do_not_make_a_file_binary(read_log: "ReadLog") -> None:
    found = read_log(LINE.encode() * 300 + b"\x00\x01\x02\n" + LINE.encode() * 300)
    assert len(found.frame) == 600


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_of_a_truncated_gzip_file_is_read_what_is_in(read_log: "ReadLog", kept: float) -> None:
    lines = [
        f"2026-03-01T12:{k // 60 % 60:02d}:{k % 60:02d}Z INFO order {k * 7919 % 100_003} created"
        for k in range(3000)
    ]
    data = gzip.compress("\n".join(lines).encode())
    found = read_log(data[: int(len(data) * kept)], name="order.log.gz")
    assert 100 < len(found.frame) < 3000
    assert any("truncated or damaged" in note for note in found.file.notes)
    assert found.bodies[0] == "order 0 created"


def test_a_damaged_gzip_file_is_read_up_to_the_damage(read_log: "ReadLog") -> None:
    data = bytearray(gzip.compress(os.urandom(0) + LINE.encode() * 50_000))
    data[len(data) // 2] ^= 0xFF
    found = read_log(bytes(data), name="order.log.gz")
    assert any("truncated or damaged" in note for note in found.file.notes)


def test_what_follows_a_gzip_file_is_noted(read_log: "ReadLog") -> None:
    found = read_log(gzip.compress(LINE.encode()) + b"garbage", name="order.log.gz")
    assert found.bodies == ["order created"]
    assert found.file.notes == ("bytes after the end of the gzip file were not read",)


def test_a_gzip_file_padded_with_zeros_is_whole(read_log: "ReadLog") -> None:
    found = read_log(gzip.compress(LINE.encode()) + bytes(512), name="order.log.gz")
    assert found.bodies == ["order created"]
    assert found.file.notes == ()


def test_a_gzip_name_on_a_plain_file_is_no_trouble(read_log: "ReadLog") -> None:
    assert read_log(LINE, name="order.log.gz").bodies == ["order created"]


def test_an_endless_line_does_not_fill_the_memory(
    read_log: "ReadLog", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_LINE_LIMIT", 1000)
    endless = b"2026-03-01T12:00:01Z INFO " + b"x" * 200_000 + b"\n"
    after = b"2026-03-01T12:00:02Z INFO after\n"
    found = read_log(LINE.encode() + endless + after, block_bytes=4096)
    assert found.bodies[0] == "order created"
    assert found.bodies[-1] == "after"
    assert len(found.bodies) == 3
    assert found.frame["offset"].to_list() == [0, len(LINE), len(LINE) + len(endless)]
    assert "1 endless lines were cut" in found.file.notes


def test_reading_stops_at_the_byte_limit(read_log: "ReadLog") -> None:
    found = read_log(LINE * 3000, block_bytes=10_000, max_bytes=30_000)
    assert found.file.truncated
    assert 500 < len(found.frame) < 1500
    assert "reading stopped at the byte limit" in found.file.notes


def test_a_clock_that_jumps_back_loses_no_line(read_log: "ReadLog") -> None:
    lines = [LINE, "2026-03-01T11:59:00Z INFO back\n", "2026-03-01T12:00:02Z INFO again\n"]
    windows = Windows(
        incident=Window(start=START, end=START + timedelta(hours=1)),
        baselines=(Window(start=START - timedelta(hours=1), end=START),),
    )
    assert len(read_log("".join(lines), windows=windows).frame) == 3


def test_times_far_in_the_future_and_zero_times_are_outside(read_log: "ReadLog") -> None:
    lines = [
        LINE,
        "9999-12-31T23:59:59Z INFO future\n",
        "0001-01-01T00:00:00Z INFO zero\n",
        "0000-00-00T00:00:00Z INFO nothing\n",
    ]
    found = read_log("".join(lines))
    assert found.bodies[0].startswith("order created")
    assert len(found.frame) == 1


@pytest.mark.slow
def test_a_million_lines_are_read_in_a_few_seconds(read_log: "ReadLog") -> None:
    second = "".join(
        f"2026-03-01T12:{{m:02d}}:{{s:02d}}.{k:03d}Z INFO [exec-{k % 9}] a.b.C - order {k} done\n"
        for k in range(280)
    )
    text = "".join(second.format(m=m, s=s) for m in range(60) for s in range(60))
    found = read_log(text)
    assert len(found.frame) == 1_008_000
    assert found.file.lines == 1_008_000


def test_a_missing_file_is_one_line_of_advice(tmp_path: Path) -> None:
    with pytest.raises(NothingReadableError, match=r"no log file could be read \(nobody\.log: no"):
        describe(tmp_path / "nobody.log")


def test_a_missing_file_among_others_is_noted(tmp_path: Path) -> None:
    good = tmp_path / "order.log"
    good.write_text(LINE, encoding="utf-8")
    described = describe(good, tmp_path / "nobody.log")
    assert described.notes == ("nobody.log: no such file or directory",)
    source = LogFileSource({"order": (good, tmp_path / "nobody.log")})
    files = [c.file for c in source.read_logs(LogQuery(windows=NOON))]
    assert {f.path: f.notes for f in files}["nobody.log"] == ("no such file or directory",)


def test_a_file_that_leads_nowhere_is_one_line_of_advice(tmp_path: Path) -> None:
    path = tmp_path / "order.log"
    path.symlink_to(path)
    with pytest.raises(NothingReadableError, match="symbolic links"):
        describe(path)


@not_as_root
def test_a_file_that_may_not_be_read_is_one_line_of_advice(tmp_path: Path) -> None:
    path = tmp_path / "order.log"
    path.write_text(LINE, encoding="utf-8")
    path.chmod(0)
    with pytest.raises(NothingReadableError, match="permission denied"):
        describe(path)
    with pytest.raises(PermanentDataSourceError, match="check the path"):
        list(LogFileSource({"order": (path,)}).read_logs(LogQuery(windows=NOON)))


def test_only_binary_files_are_nothing_to_look_at(tmp_path: Path) -> None:
    path = tmp_path / "order.log"
    path.write_bytes(bytes(1000))
    with pytest.raises(NothingReadableError, match="binary file: not read"):
        describe(path)


def test_no_files_are_nothing_to_look_at() -> None:
    with pytest.raises(NothingReadableError, match="no files were given"):
        describe()


def test_a_folder_stands_for_the_logs_in_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.log").write_text(LINE, encoding="utf-8")
    (tmp_path / "a" / "one.log.1").write_text(LINE, encoding="utf-8")
    (tmp_path / "a" / "readme.md").write_text("no log", encoding="utf-8")
    source = LogFileSource({"order": (tmp_path / "a",)})
    chunks = list(source.read_logs(LogQuery(windows=NOON)))
    assert list(dict.fromkeys(c.file.path for c in chunks)) == ["a/one.log.1", "a/one.log"]
    assert {c.file.service for c in chunks} == {"order"}


def test_standard_input_is_read_more_than_once() -> None:
    source = LogFileSource(expand_logs(["order=-"]), stdin=io.BytesIO(LINE.encode() * 5))
    assert asyncio.run(source.describe()).entities[0].name == "order"
    for _ in range(2):
        frames = [c.frame for c in source.read_logs(LogQuery(windows=NOON))]
        assert sum(len(f) for f in frames) == 5


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths: list[Path] = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "order.log")
        paths[-1].write_text(LINE, encoding="utf-8")
    chunks = list(LogFileSource({"order": paths}).read_logs(LogQuery(windows=NOON)))
    names = {c.file.path for c in chunks}
    assert len(names) == 2
    assert not any(name.startswith("/") for name in names)


def test_patterns_become_files_by_service(tmp_path: Path) -> None:
    for name in ("order.log", "order.log.1", "stock.log"):
        (tmp_path / name).write_text(LINE, encoding="utf-8")
    pattern = str(tmp_path / "*")
    assert expand_logs([pattern]) == {
        "order": (tmp_path / "order.log", tmp_path / "order.log.1"),
        "stock": (tmp_path / "stock.log",),
    }
    assert list(expand_logs([f"shop={pattern}"])) == ["shop"]
    assert list(expand_logs(["-"])) == ["stdin"]


@pytest.mark.parametrize("spec", ["order=/nowhere/*.log", "/nowhere/x.log", "order=", "=x"])
def test_a_pattern_that_matches_nothing_is_a_usage_error(spec: str) -> None:
    with pytest.raises(UsageError, match="--logs"):
        expand_logs([spec])


def test_what_cannot_be_read_is_never_another_kind_of_error(tmp_path: Path) -> None:
    folder_as_file = tmp_path / "x.log"
    folder_as_file.mkdir()
    with pytest.raises(DataSourceError):
        describe(folder_as_file)


def test_a_reference_places_a_log_without_a_zone(tmp_path: Path) -> None:
    lines = [
        f"{START + timedelta(hours=8, minutes=k):%Y-%m-%d %H:%M:%S} INFO {k}\n" for k in range(60)
    ]
    path = tmp_path / "order.log"
    path.write_text("".join(lines), encoding="utf-8")
    os.utime(path, (2e9, 2e9))
    alone = describe(path)
    assert alone.extent is not None
    assert alone.extent.start == START + timedelta(hours=8)
    assert alone.notes == ()  # a report states the zone beside the log it was read with
    source = LogFileSource({"order": (path,)}, references=(NOON.incident,))
    described = asyncio.run(source.describe())
    assert described.notes == ()
    assert described.extent is not None
    assert described.extent.start == START


@pytest.mark.parametrize("limit", [1 << 30, 1000])
def test_a_long_packed_file_is_described_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(profile, "_UNPACKED_BYTES", 10_000)
    monkeypatch.setattr(reader, "UNPACK_BYTES", limit)
    lines = [
        f"{START + timedelta(seconds=k):%Y-%m-%dT%H:%M:%SZ} INFO order {k}\n" for k in range(9000)
    ]
    path = tmp_path / "order.log.1.gz"
    path.write_bytes(gzip.compress("".join(lines).encode()))
    described = describe(path)
    assert described.extent is not None
    assert described.extent.start == START
    found = described.extent.end == START + timedelta(seconds=8999)
    assert found == (limit > 1000)
    assert bool(described.notes) != found


def test_rotated_packed_files_beside_the_question_are_not_unpacked(tmp_path: Path) -> None:
    paths: list[Path] = []
    for age in range(5):  # .0 is of 12:00 to 13:00, each older one of the two hours before
        begin = START - timedelta(hours=2 * age)
        lines = [
            f"{begin + timedelta(minutes=k):%Y-%m-%dT%H:%M:%SZ} INFO {age} {k}\n"
            for k in range(60 if age == 0 else 120)
        ]
        paths.append(tmp_path / f"order.log.{age}.gz")
        paths[-1].write_bytes(gzip.compress("".join(lines).encode()))
    windows = Windows(
        incident=Window(
            start=START - timedelta(hours=3), end=START - timedelta(hours=2, minutes=1)
        ),
        baselines=(Window(start=START - timedelta(hours=4), end=START - timedelta(hours=3)),),
    )
    chunks = list(LogFileSource({"order": paths}).read_logs(LogQuery(windows=windows)))
    files = {c.file.path: c.file for c in chunks}
    assert {name: file.lines for name, file in files.items()} == {
        "order.log.4.gz": 0,
        "order.log.3.gz": 120,  # it may overlap by what was buffered
        "order.log.2.gz": 120,
        "order.log.1.gz": 120,
        "order.log.0.gz": 0,
    }
    assert files["order.log.4.gz"].notes == (
        "not read: the next file begins before the span asked about",
    )
    assert files["order.log.0.gz"].notes == ("not read: it begins after the span asked about",)
    assert sum(len(c.frame) for c in chunks) == 120


def test_rotated_parts_of_a_log_share_one_zone(tmp_path: Path) -> None:
    # Written in UTC+8; taken alone, the older part would fit the question best as UTC.
    for name, hour in (("order.log.1", 12), ("order.log", 20)):
        lines = [f"2026-03-01 {hour}:{k:02d}:00 INFO request {k}\n" for k in range(60)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    written = (START + timedelta(minutes=59, seconds=20)).timestamp()
    os.utime(tmp_path / "order.log", (written, written))
    source = LogFileSource({"order": [tmp_path / "order.log", tmp_path / "order.log.1"]})
    chunks = list(source.read_logs(LogQuery(windows=NOON)))
    assert {c.file.timezone for c in chunks} == {"+08:00"}
    assert sum(len(c.frame) for c in chunks) == 60
