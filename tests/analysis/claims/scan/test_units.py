"""Units behind a number."""

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from superbizagent.analysis.claims.scan.units import rate_at, unit_at

UNITS = {
    "ns": ("s", 1e-9),
    "us": ("s", 1e-6),
    "μs": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "milliseconds": ("s", 1e-3),
    "s": ("s", 1),
    "sec": ("s", 1),
    "seconds": ("s", 1),
    "Seconds": ("s", 1),
    "min": ("s", 60),
    "mins": ("s", 60),
    "minutes": ("s", 60),
    "h": ("s", 3600),
    "hrs": ("s", 3600),
    "hours": ("s", 3600),
    "days": ("s", 86400),
    "weeks": ("s", 604800),
    "秒": ("s", 1),
    "秒钟": ("s", 1),
    "毫秒": ("s", 1e-3),
    "微秒": ("s", 1e-6),
    "分钟": ("s", 60),
    "刻钟": ("s", 900),
    "个小时": ("s", 3600),
    "小时": ("s", 3600),
    "天": ("s", 86400),
    "B": ("bytes", 1),
    "bytes": ("bytes", 1),
    "kB": ("bytes", 1e3),
    "KB": ("bytes", 1e3),
    "KiB": ("bytes", 1024),
    "MB": ("bytes", 1e6),
    "MiB": ("bytes", 1048576),
    "Mi": ("bytes", 1048576),
    "GB": ("bytes", 1e9),
    "GiB": ("bytes", 1073741824),
    "gigabytes": ("bytes", 1e9),
    "字节": ("bytes", 1),
    "MB/s": ("bytes/s", 1e6),
    "MiB per second": ("bytes/s", 1048576),
    "GB/day": ("bytes/s", 1e9 / 86400),
    "Mbps": ("bytes/s", 125000),
    "%": ("ratio", 0.01),
    " %": ("ratio", 0.01),
    "percent": ("ratio", 0.01),
    "per cent": ("ratio", 0.01),
    "‰": ("ratio", 0.001),
    "%/min": ("ratio/s", 0.01 / 60),
    "/s": ("/s", 1),
    "/min": ("/s", 1 / 60),
    "/秒": ("/s", 1),
    " per minute": ("/s", 1 / 60),
    " an hour": ("/s", 1 / 3600),
    "qps": ("/s", 1),
    "QPS": ("/s", 1),
    "rpm": ("/s", 1 / 60),
    "cores": ("cores", 1),
    "核": ("cores", 1),
    "millicores": ("cores", 1e-3),
    "°C": ("°C", 1),
    "MHz": ("Hz", 1e6),
}


@pytest.mark.parametrize(("written", "expected"), UNITS.items())
def test_a_unit_is_read_as_its_base_unit(written: str, expected: tuple[str, float]) -> None:
    unit = unit_at(f"5{written}", 1, 0)
    assert unit is not None
    assert (unit.name, float(unit.factor), unit.end) == (
        expected[0],
        pytest.approx(expected[1]),
        1 + len(written),
    )


@pytest.mark.parametrize(("written", "expected"), UNITS.items())
def test_a_blank_may_stand_before_a_unit(written: str, expected: tuple[str, float]) -> None:
    unit = unit_at(f"5 {written.strip()} then", 1, 0)
    assert unit is not None
    assert (unit.name, float(unit.factor)) == (expected[0], pytest.approx(expected[1]))


@pytest.mark.parametrize(
    "behind",
    ["xx", " pods", "msx", "s1", "sha", " G", " T", " in", "thing", "", "-", " ", "c9f", "MS2"],
)
def test_what_is_no_unit_is_nothing(behind: str) -> None:
    assert unit_at(f"5{behind}", 1, 0) is None


@pytest.mark.parametrize("points", [" percentage points", " pp", "个百分点", " 个百分点"])
def test_percentage_points_are_a_difference(points: str) -> None:
    unit = unit_at(f"5{points}", 1, 0)
    assert unit is not None
    assert (unit.name, float(unit.factor), unit.points) == ("ratio", 0.01, True)


@pytest.mark.parametrize(
    ("text", "name", "factor"),
    [
        ("for 5m", "s", 60),
        ("the last 5m", "s", 60),
        ("every 15m", "s", 60),
        ("持续 5m", "s", 60),
        ("5m ago", "s", 60),
        ("5m", "s", 60),
        ("1h 5m", "s", 60),
        ("CPU limit 250m", "cores", 0.001),
        ("250m CPU", "cores", 0.001),
        ("uses 50m cores", "cores", 0.001),
        ("250m", "cores", 0.001),
    ],
)
def test_m_is_minutes_or_thousandths_of_a_core(text: str, name: str, factor: float) -> None:
    number = re.search("[0-9]+(?=m)", text)
    assert number is not None
    unit = unit_at(text, number.end(), number.start())
    assert unit is not None
    assert (unit.name, float(unit.factor)) == (name, pytest.approx(factor))


def test_min_may_be_the_least_of_a_metric() -> None:
    assert unit_at("3 min, 9 max", 1, 0) is None
    assert unit_at("3 min, 9 s", 1, 0) is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("/s", 1), (" per minute", 60), (" an hour", 3600), ("每分钟", 60), ("/day", 86400)],
)
def test_a_rate_tells_its_time(text: str, expected: int) -> None:
    read = rate_at(text, 0)
    assert read is not None
    assert read == (len(text), expected)


def test_seconds_per_second_stay_seconds() -> None:
    unit = unit_at("5 ms/s", 1, 0)
    assert unit is not None
    assert (unit.name, unit.end) == ("s", 4)


@given(st.text(max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_any_place_of_any_text_can_be_asked(text: str, at: int, start: int) -> None:
    unit = unit_at(text, at, min(at, start))
    assert unit is None or (at < unit.end <= len(text) and unit.factor > 0)
