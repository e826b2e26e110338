"""Numbers without their units: digits, English words, Chinese numerals."""

from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import given

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan.numerals import Script, numeral_at

ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
MORE = "sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def english(number: int) -> str:
    """Spell a number from 1 to 999,999."""
    small, tens = f" {ONES} {MORE}".split(" "), TENS.split(" ")
    if number < 20:
        return small[number]
    if number < 100:
        rest = number % 10
        return tens[number // 10 - 2] + (f"-{small[rest]}" if rest else "")
    place, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = number % place
    joint = " and " if rest and place == 100 else " "
    return f"{english(number // place)} {word}" + (joint + english(rest) if rest else "")


def han(number: int) -> str:
    """Spell a number from 1 to 99,999,999 in Chinese numerals."""
    if number >= 10_000:
        rest = number % 10_000
        gap = "零" if 0 < rest < 1000 else ""
        return f"{han(number // 10_000)}万" + (gap + han(rest) if rest else "")
    written, zero = "", False
    for place, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        if digit:
            written += ("零" if zero and written else "") + "一二三四五六七八九"[digit - 1] + name
        zero = not digit
    return written


@given(st.integers(1, 999_999))
def test_english_words_are_their_number(number: int) -> None:
    text = english(number)
    read = numeral_at(text, 0)
    assert read is not None
    assert (read.number, read.end, read.script) == (number, len(text), Script.WORDS)


@given(st.integers(1, 99_999_999))
def test_chinese_numerals_are_their_number(number: int) -> None:
    text = han(number)
    read = numeral_at(text, 0)
    assert read is not None
    # 三四 alone would be a range, but a spelt number has its places.
    assert (read.number, read.end, read.script) == (number, len(text), Script.HAN)


@given(st.integers(0, 10**15), st.integers(0, 9))
def test_digits_are_their_number(digits: int, decimals: int) -> None:
    number = Decimal(digits).scaleb(-decimals)
    for text in (f"{number:f}", f"{number:,f}"):
        read = numeral_at(text, 0)
        assert read is not None
        assert (read.number, read.end) == (number, len(text))
        assert read.step == Decimal(1).scaleb(-decimals)


@pytest.mark.parametrize(
    ("text", "number", "step"),
    [
        ("716", "716", "1"),
        ("3,690", "3690", "1"),
        ("3 690", "3690", "1"),
        ("1_000", "1000", "1"),
        ("1'200", "1200", "1"),
        ("1.55", "1.55", "0.01"),
        ("1e3", "1000", "1000"),
        ("1.2e-3", "0.0012", "0.0001"),
        ("1.2×10^6", "1200000", "100000"),
        ("10^6", "1000000", "1000000"),
        ("0,5", "0.5", "0.1"),
        ("1.2k", "1200", "100"),
        ("1.2K", "1200", "100"),
        ("1.2 million", "1200000", "100000"),
        ("3bn", "3000000000", "1000000000"),
        ("1.2m requests", "1200000", "100000"),
        ("12 503 responses", "12", "1"),
        ("1.2万", "12000", "1000"),
        ("1万2千", "12000", "1000"),
        ("3亿", "300000000", "100000000"),
        ("5 千万", "50000000", "10000000"),
        ("七百一十六", "716", "1"),
        ("七百一", "710", "1"),
        ("两千", "2000", "1000"),
        ("两千零五", "2005", "1"),
        ("两千五", "2500", "1"),
        ("一万二", "12000", "1000"),
        ("十六", "16", "1"),
        ("十九点四", "19.4", "0.1"),
        ("二〇二六", "2026", "1"),
        ("一万亿", "1000000000000", "100000000"),
        ("一亿二千万", "120000000", "10000"),
        ("five hundred", "500", "1"),
        ("two thousand", "2000", "1000"),
        ("two dozen", "24", "1"),
        ("a hundred", "100", "1"),
        ("an hour", "1", "1"),
    ],
)
def test_a_spelling_is_its_number_and_last_digit(text: str, number: str, step: str) -> None:
    read = numeral_at(text, 0)
    assert read is not None
    assert (read.number, read.step) == (Decimal(number), Decimal(step))


@pytest.mark.parametrize(
    ("text", "low", "top"),
    [
        ("两三个", 2, 3),
        ("三五个", 3, 5),
        ("七八百", 700, 800),
        ("十五六个", 15, 16),
        ("二三十", 20, 30),
        ("十几", 11, 19),
        ("几十", 20, 99),
        ("几百", 200, 999),
        ("a few hundred", 200, 999),
    ],
)
def test_a_numeral_may_be_a_range_by_itself(text: str, low: int, top: int) -> None:
    read = numeral_at(text, 0)
    assert read is not None
    assert (read.number, read.top) == (low, top)


@pytest.mark.parametrize(
    ("text", "number", "bound"),
    [
        ("hundreds of", 100, Bound.AT_LEAST),
        ("上百", 100, Bound.AT_LEAST),
        ("近千", 1000, Bound.ABOUT),
        ("十来个", 10, Bound.ABOUT),
        ("五百多万", 5_000_000, Bound.OVER),
        ("20多亿", 2_000_000_000, Bound.OVER),
    ],
)
def test_a_numeral_may_say_how_it_is_meant(text: str, number: int, bound: Bound) -> None:
    read = numeral_at(text, 0)
    assert read is not None
    assert (read.number, read.bound) == (number, bound)


@pytest.mark.parametrize("text", ["", "x", "百百", "三三", "一二三", "9" * 19, "万", "a pod"])
def test_what_is_no_number_is_nothing(text: str) -> None:
    assert numeral_at(text, 0) is None


@given(st.text(max_size=60), st.integers(0, 60))
def test_any_place_of_any_text_can_be_asked(text: str, at: int) -> None:
    read = numeral_at(text, at)
    assert read is None or at - 1 <= read.start < read.end <= len(text)
