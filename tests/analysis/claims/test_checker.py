"""A text is read sentence by sentence; the worst part of a sentence decides its mark."""

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diagnosing import diagnose, report_of
from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judgement import Mark
from superbizagent.analysis.claims.evidence.ground import Ground

ROOT = Path(__file__).parents[3]

Marks = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    folder = ROOT / "examples/mysql-connection-pool"
    done = diagnose(folder, tmp_path_factory.mktemp("data"))
    found, frame = done.diagnosis, report_of(done).frame
    return Checker.of(Ground.of(found.evidence, found.analysis, found.scope, frame), UTC)


@pytest.fixture(scope="module")
def marks(checker: Checker) -> Marks:
    return lambda text: [item.judgement.mark.value for item in checker.text(text)]


def test_each_mark(marks: Marks) -> None:
    text = (
        "716 requests of order-service failed. 900 requests of order-service failed."
        " orders-service was slow. It was a long night. Restart the pods."
    )
    assert marks(text) == [
        "supported",
        "contradicted",
        "unsupported",
        "not_checkable",
        "not_checkable",
    ]


def test_a_guess_about_the_cause_is_a_hypothesis(marks: Marks) -> None:
    assert marks("A full disk may have caused the failures of order-service.") == ["hypothesis"]


def test_it_stands_for_what_was_named_before(marks: Marks) -> None:
    text = "storefront was slow. Its log has 803 upstream failures."
    assert marks(text)[1] == "supported"


def test_a_heading_says_what_follows_is_about(checker: Checker) -> None:
    found = checker.text("## storefront\n\nThe log has 803 upstream failures.\n")
    assert [item.judgement.mark for item in found] == [Mark.NOT_CHECKABLE, Mark.SUPPORTED]


def test_citations_of_a_text_are_taken_at_their_word(marks: Marks) -> None:
    assert marks("716 waits for a connection timed out. [E6.138]") == ["supported"]
    assert marks("716 waits for a connection timed out. [E99.1]") == ["contradicted"]
    assert marks("716 waits for a connection timed out. [E7.10]") == ["contradicted"]


def test_a_number_in_an_unknown_unit_is_not_taken_for_supported(marks: Marks) -> None:
    text = "order-service failed 716 requests at 3.95 zorks."
    assert marks(text) == ["partial"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n",
        "[" * 50_000,
        "“" * 20_000 + "716" + "”" * 20_000,
        "\u202e716 requests of order-service failed\u202c",
        "\x1b[31m716\x1b[0m\x00 requests of order-service failed.",
        "716 " * 100_000,
        "not " * 50_000 + "fail",
        "order-service, " * 20_000,
    ],
    ids=["empty", "lines", "brackets", "quotes", "rtl", "controls", "numbers", "nots", "names"],
)
def test_hostile_text_is_read_to_its_end(checker: Checker, text: str) -> None:
    for item in checker.text(text):
        assert item.judgement.mark in Mark


def test_full_width_and_ascii_get_the_same_mark(marks: Marks) -> None:
    assert marks("order-service 有７１６个请求失败。") == marks("order-service 有 716 个请求失败。")


_DIGITS = "零一二三四五六七八九"
_PLACES = ("", "十", "百", "千")


def chinese(number: int) -> str:
    """Write a number below ten thousand in Chinese numerals, as before a measure word."""
    if number == 2:
        return "两"
    digits = str(number)
    parts: list[str] = []
    for place, digit in zip(range(len(digits) - 1, -1, -1), digits, strict=True):
        if digit != "0":
            parts.append(_DIGITS[int(digit)] + _PLACES[place])
        elif parts and parts[-1] != "零":
            parts.append("零")
    said = "".join(parts).rstrip("零")
    return said.removeprefix("一") if 10 <= number < 20 else said


def full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in text)


# 一个 is "a" as often as it is one.
COUNTS = st.one_of(st.integers(2, 9999), st.sampled_from((715, 716, 717, 2974, 3690, 3691)))


# 208 is the value of another fact of the service, rounded; 208.0 is not that value exactly.
# 一千 is no way to say 716.
@given(COUNTS)
@example(208)
@example(1000)
@example(1500)
def test_spellings_of_one_count_get_one_mark(marks: Marks, number: int) -> None:
    english = (f"{number}", f"{number:,}", full_width(str(number)), f"{number}.0")
    said = {marks(f"{n} requests of order-service failed.")[0] for n in english}
    assert len(said) == 1
    in_chinese = [f"{number}", f"{number:,}", full_width(str(number))]
    # 二千 is a round number, and may stand for one near it; 2000 is exact.
    in_chinese += [chinese(number)] if number == 1000 or number % 1000 else []
    assert len({marks(f"order-service 有 {n} 个请求失败。")[0] for n in in_chinese}) == 1


@given(st.one_of(st.integers(1, 9999), st.sampled_from((2635, 2636, 2637, 31, 1546))))
def test_spellings_of_one_time_get_one_mark(marks: Marks, number: int) -> None:
    spelled = (f"{number} ms", f"{number / 1000:.3f} s", f"{number:,} milliseconds")
    english = {marks(f"The mean latency of order-service was {n}.")[0] for n in spelled}
    assert len(english) == 1
    spelled = (f"{number} 毫秒", f"{number / 1000:.3f} 秒", full_width(f"{number} 毫秒"))
    assert len({marks(f"order-service 的平均延迟是 {n}。")[0] for n in spelled}) == 1


@given(st.integers(0, 23), st.integers(0, 59))
def test_spellings_of_one_instant_get_one_mark(marks: Marks, hour: int, minute: int) -> None:
    shifted = (hour + 8) % 24
    day = 30 + (hour + 8) // 24
    date = "2026-11-30" if day == 30 else "2026-12-01"
    spelled = (
        f"2026-11-30T{hour:02}:{minute:02}Z",
        f"2026-11-30 {hour:02}:{minute:02} UTC",
        f"{date} {shifted:02}:{minute:02} +08:00",
    )
    said = {marks(f"POST /orders of order-service turned slow at {at}.")[0] for at in spelled}
    assert len(said) == 1
