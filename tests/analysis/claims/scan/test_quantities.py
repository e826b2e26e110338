"""Properties of what is read as a number: spellings of one amount, spans, any text, time taken."""

import time
from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given

from superbizagent.analysis.claims.mentions import Bound, Form, Quantity
from superbizagent.analysis.claims.scan._characters import normalise
from superbizagent.analysis.claims.scan.quantities import find_quantities


def only(text: str) -> Quantity:
    """Read the one quantity of a text."""
    quantities = find_quantities(text)
    assert len(quantities) == 1, quantities
    return quantities[0]


# Characters that make numbers, units and the words around them, so that random text has some.
WRITTEN = """
    0 1 7 20 3,690 1.55 1e3 ½ % ‰ ms s min m k M GiB /s /min x 倍 fold times - – ~ to and of in 1/2
    about over at least + 左右 多 以上 不到 第 个 次 的
    中 里 有 半 一 两 三 十 百 千 万 亿 点 分之 成 翻 番
    秒 分钟 小时 分 年 月 日 持续 增加了 half a an one two twenty hundred thousand
    doubled third second
    order-1 v1.2 12:41 10.0.0.1 ( ) . , ; : # @ = > < / \\ requests ５ ％ é 😀 ± ^ 10^ 几 数 过半
"""
PIECES = st.sampled_from([*WRITTEN.split(), " ", "\0"])
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(PIECES, max_size=30).map("".join),
    st.lists(PIECES, max_size=30).map(" ".join),
)


@given(TEXTS)
def test_any_text_is_read_in_order_without_overlap(text: str) -> None:
    for written in (text, normalise(text)):
        quantities = find_quantities(written)
        assert all(q.text == written[q.start : q.end] != "" for q in quantities)
        assert all(a.end <= b.start for a, b in pairwise(quantities))


@given(TEXTS)
def test_every_value_is_a_number_and_ranges_rise(text: str) -> None:
    for q in find_quantities(normalise(text)):
        assert q.half >= 0
        assert abs(q.value) < float("inf")
        assert q.high is None or q.value < q.high
        assert q.whole is None or q.value <= q.whole
        assert (q.whole is not None) == (q.form is Form.PART)


@given(TEXTS, st.lists(st.integers(0, 120), max_size=8, unique=True))
def test_nothing_is_read_into_a_taken_span(text: str, cuts: list[int]) -> None:
    marks = sorted(c for c in cuts if c <= len(text))
    taken = list(zip(marks[::2], marks[1::2], strict=False))
    for q in find_quantities(text, taken):
        assert all(q.end <= start or q.start >= end for start, end in taken)


def test_a_number_beside_a_taken_span_is_read() -> None:
    text = "p95 of order-1 rose to 31 ms"
    taken = [(0, 3), (7, 14)]
    assert [q.text for q in find_quantities(text, taken)] == ["31 ms"]
    assert [q.text for q in find_quantities(text, [*taken, (23, 25)])] == []


def test_a_noun_is_found_behind_a_taken_span() -> None:
    text = "716 503 errors"
    assert [(q.value, q.noun) for q in find_quantities(text, [(4, 7)])] == [(716, "errors")]


@given(st.integers(1, 10**9))
def test_separators_do_not_change_a_number(number: int) -> None:
    plain = only(f"saw {number} requests")
    for separator in (",", "_"):
        grouped = only(f"saw {number:,} requests".replace(",", separator))
        assert (grouped.value, grouped.half, grouped.unit) == (plain.value, plain.half, "")
        assert grouped.noun == plain.noun == "requests"


@given(st.integers(1, 10**7))
def test_milliseconds_and_seconds_are_one_amount(milliseconds: int) -> None:
    in_ms = only(f"took {milliseconds:,} ms")
    in_seconds = only(f"took {milliseconds // 1000}.{milliseconds % 1000:03} s")
    in_han = only(f"耗时 {milliseconds} 毫秒")
    assert (in_ms.value, in_ms.half, in_ms.unit) == (milliseconds / 1000, 0.0005, "s")
    assert (in_seconds.value, in_seconds.half) == (in_ms.value, in_ms.half)
    assert (in_han.value, in_han.half, in_han.unit) == (in_ms.value, in_ms.half, "s")


@given(st.integers(0, 1000))
def test_percent_is_a_ratio(tenths: int) -> None:
    written = f"{tenths // 10}.{tenths % 10}"
    percent = only(f"rate {written} %")
    assert (percent.value, percent.half, percent.unit) == (tenths / 1000, 0.0005, "ratio")
    for same in (f"rate {written}%", f"rate {written} percent", f"占百分之{written}"):
        assert (only(same).value, only(same).half, only(same).unit) == (
            percent.value,
            percent.half,
            "ratio",
        )
    plain = only(f"rate {tenths / 1000:.3f}")
    assert (plain.value, plain.half, plain.unit) == (percent.value, percent.half, "")


@given(st.integers(0, 99999))
def test_full_width_digits_are_digits_after_normalising(number: int) -> None:
    wide = str(number).translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    assert only(normalise(f"共{wide}个")).value == number
    assert only(normalise(f"占{wide}％")).value == number / 100


@given(st.integers(0, 23), st.integers(1, 59), st.integers(1, 59))
def test_a_compound_duration_is_one_time(hours: int, minutes: int, seconds: int) -> None:
    total = 3600 * hours + 60 * minutes + seconds
    lead = f"{hours} h " if hours else ""
    spelt = (
        f"lasted {lead}{minutes} min {seconds} s",
        f"lasted {lead.replace(' ', '')}{minutes}m{seconds}s",
        f"持续了{lead.replace(' h ', '小时')}{minutes}分{seconds}秒",
    )
    for text in spelt:
        time_told = only(text)
        assert (time_told.value, time_told.half, time_told.unit) == (total, 0.5, "s")
        assert time_told.form is Form.DURATION


@given(st.integers(1, 500), st.integers(1, 500))
def test_a_range_holds_both_ends_in_one_unit(low: int, more: int) -> None:
    high = low + more
    for text in (
        f"{low}-{high} ms",
        f"{low} to {high} ms",
        f"between {low} and {high} ms",
        f"{low} ms to {high} ms",
        f"{low} 到 {high} 毫秒",
        f"{low}~{high}毫秒",
    ):
        told = only(text)
        assert (told.value, told.high, told.unit) == (low / 1000, high / 1000, "s")


@given(st.integers(1, 50), st.integers(0, 50))
def test_a_part_has_its_whole(part: int, more: int) -> None:
    whole = part + more
    for text in (
        f"{part} of {whole} pods",
        f"{part} out of {whole} pods",
        f"{part} of the {whole} pods",
        f"{whole} 个中的 {part} 个",
        f"{whole}个实例中有{part}个",
    ):
        told = only(text)
        assert (told.value, told.whole, told.form) == (part, whole, Form.PART)


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("1.55 s", 0.005),
        ("31 ms", 0.0005),
        ("716 requests", 0.5),
        ("3,700 requests", 0.5),
        ("1.2k requests", 50),
        ("2M rows", 500_000),
        ("1.2万", 500),
        ("两千", 500),
        ("七百", 0.5),
        ("七百一十六", 0.5),
        ("20-30 ms", 0.0005),
        ("1 min 20 s", 0.5),
        ("2 h 5 min", 30),
        ("三成", 0.05),
        ("百分之二十", 0.005),
        ("600/min", 0.5 / 60),
        ("half of it", 0.025),
        ("one in ten", 1 / 220),
        ("doubled", 0.25),
        ("halved", 0.0625),
        ("3x", 0.5),
        ("31 ms ± 2 ms", 0.002),
        ("31 ± 2 ms", 0.002),
        ("十来个", 2),
    ],
)
def test_half_is_half_of_the_last_written_digit(text: str, half: float) -> None:
    assert [q.half for q in find_quantities(text)] == [pytest.approx(half)]


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ("19.4 %", (0.1936, 0.1944), (0.193, 0.195)),
        ("about 700 requests", (670, 735), (660, 740)),
        ("七百多个请求", (701, 716), (700, 690)),
        ("at least 3 pods", (3, 9), (2, 0)),
        ("under 100 ms", (0.05, 0.0999), (0.1, 0.2)),
        ("20-30 ms", (0.02, 0.0304), (0.019, 0.031)),
        ("1.2万", (11600, 12400), (11000, 13000)),
    ],
)
def test_what_is_read_accepts_what_it_says(
    text: str, accepted: tuple[float, ...], refused: tuple[float, ...]
) -> None:
    told = only(text)
    assert all(map(told.accepts, accepted))
    assert not any(map(told.accepts, refused))


def test_bounds_belong_to_the_span_and_verbs_do_not() -> None:
    assert only("it rose by more than 20 % then").text == "more than 20 %"
    assert only("持续了约 8 分钟以上").text == "约 8 分钟以上"
    assert only("failed 3 times").text == "3"
    assert only("saw 400 requests per second").text == "400"


def test_a_unit_is_lent_to_the_number_before() -> None:
    lent, own = find_quantities("from 31.5 to 40 ms")
    assert (lent.value, lent.half, lent.unit) == (0.0315, 0.00005, "s")
    assert (own.value, own.bound) == (0.04, Bound.EXACT)
    # What has a noun of its own keeps it.
    pods, latency = find_quantities("3 pods and 40 ms")
    assert (pods.unit, pods.noun, latency.unit) == ("", "pods", "s")


@pytest.mark.parametrize(
    "unit",
    [
        "7",
        "%",
        ",",
        "1,",
        "1,000,",
        ",_' ",
        "万",
        "三万",
        "1-",
        "1/",
        "1.",
        "第",
        "翻",
        "x",
        " ",
        "1:",
    ],
)
def test_a_million_characters_take_less_than_a_second(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    find_quantities(text)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "unit",
    ["1 ", "3 of ", "一个", "half a ", "1 ms ", "(1) a ", "over ", "two hundred and ", "百分之"],
)
def test_reading_takes_time_in_proportion(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        runs: list[float] = []
        for _ in range(3):
            began = time.process_time()
            find_quantities(text)
            runs.append(time.process_time() - began)
        return min(runs)

    # Eight times the text; in the square of its length it would be 64 times the time.
    assert seconds(16_000) < 20 * max(seconds(2_000), 0.001)
