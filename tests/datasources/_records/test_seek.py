"""Large time-sorted files are read only where the question lies, with the same records."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from superbizagent.datasources._records import reading, seek
from superbizagent.datasources._records.seek import is_sorted
from superbizagent.domain.window import Window, Windows

if TYPE_CHECKING:
    from datasources.conftest import Reading, ReadLog

START = datetime(2026, 3, 1, tzinfo=UTC)
LINES = 20_000
"""One a second: 1.2 MB."""


def windows(*baselines: tuple[int, int], incident: tuple[int, int]) -> Windows:
    def span(ends: tuple[int, int]) -> Window:
        return Window(
            start=START + timedelta(seconds=ends[0]), end=START + timedelta(seconds=ends[1])
        )

    return Windows(incident=span(incident), baselines=tuple(span(b) for b in baselines))


def log(*, zone: timezone | None = None, stacks: bool = False) -> list[str]:
    lines: list[str] = []
    for k in range(LINES):
        at = (START + timedelta(seconds=k)).astimezone(zone or UTC)
        stamp = f"{at:%Y-%m-%d %H:%M:%S}" + ("" if zone else "Z")
        lines.append(f"{stamp} INFO [exec-{k % 7}] request {k} of a usual length")
        if stacks and k % 500 == 0:
            lines += ["java.lang.IllegalStateException: x", *["\tat a.b.C(D.java:1)"] * 300]
    return lines


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seek in small files too."""
    monkeypatch.setattr(reading, "SEEK_FROM_BYTES", 1000)
    monkeypatch.setattr(seek, "_PROBE_BYTES", 1024)


WINDOWS = [
    windows((9000, 9500), incident=(9600, 10_000)),
    windows((0, 100), incident=(200, 300)),
    windows((19_000, 19_400), incident=(19_500, 30_000)),
    windows((1000, 1200), (9000, 9200), incident=(18_000, 18_400)),
    windows((-5000, -10), incident=(0, 0)),
]


@pytest.mark.parametrize("asked", WINDOWS)
@pytest.mark.parametrize("stacks", [False, True])
def test_seeking_finds_what_reading_all_finds(
    read_log: "ReadLog",
    monkeypatch: pytest.MonkeyPatch,
    asked: Windows,
    *,
    stacks: bool,
) -> None:
    lines = log(stacks=stacks)
    whole = read_log(lines, windows=asked)
    monkeypatch.setattr(reading, "SEEK_FROM_BYTES", 1000)
    monkeypatch.setattr(seek, "_PROBE_BYTES", 1024)
    found = read_log(lines, windows=asked)
    assert found.frame.equals(whole.frame)
    assert found.file.lines < whole.file.lines / 2
    assert found.file.digest != whole.file.digest


@pytest.mark.usefixtures("eager")
def test_seeking_knows_zones(read_log: "ReadLog") -> None:
    asked = windows((9000, 9500), incident=(9600, 10_000))
    zone = timezone(timedelta(hours=8))
    found = read_log(log(zone=zone), windows=asked, log_tz=zone)
    assert len(found.frame) == 501 + 99 + 401
    assert found.file.lines < 2000


@pytest.mark.usefixtures("eager")
def test_a_file_out_of_order_is_read_whole(read_log: "ReadLog") -> None:
    lines = log()
    lines = lines[LINES // 2 :] + lines[: LINES // 2]
    found = read_log(lines, windows=windows((100, 200), incident=(300, 400)))
    assert len(found.frame) == 301
    assert found.file.lines == LINES


@pytest.mark.usefixtures("eager")
def test_a_question_before_and_after_the_file_reads_little(read_log: "ReadLog") -> None:
    for asked in (
        windows((-9000, -8000), incident=(-7000, -6000)),
        windows((90_000, 91_000), incident=(92_000, 93_000)),
    ):
        found: Reading = read_log(log(), windows=asked)
        assert len(found.frame) == 0
        assert found.file.lines < 500


@pytest.mark.usefixtures("eager")
def test_offsets_are_those_of_the_file(read_log: "ReadLog", tmp_path: Path) -> None:
    lines = log(stacks=True)
    found = read_log(lines, windows=windows((9000, 9500), incident=(9600, 10_000)))
    data = (tmp_path / "order.log").read_bytes()
    for row in found.frame.sample(50, seed=1).iter_rows(named=True):
        line = row["line"].encode()
        assert data[row["offset"] : row["offset"] + len(line)] == line


def test_sorted_means_but_for_small_disorder() -> None:
    assert is_sorted([0, 10_000, 8_000, 20_000])
    assert not is_sorted([0, 10_000, 1_000])
    assert not is_sorted([5])
    assert not is_sorted([])
    looked_at = iter([0, 10_000, 1_000, 2_000])
    assert not is_sorted(looked_at)
    assert next(looked_at) == 2_000


def test_records_keep_their_order_across_blocks(read_log: "ReadLog") -> None:
    lines = log()
    found = read_log(lines, windows=windows((0, 9000), incident=(9000, LINES)), block_bytes=10_000)
    assert found.frame["offset"].is_sorted()
    assert found.frame["time"].diff().drop_nulls().unique().to_list() == [1000]
    assert found.frame.filter(pl.col("body") != "").height == LINES
