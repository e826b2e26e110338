"""How many of the series left their band is what the calls counted."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
POOL = "examples/mysql-connection-pool"
CALM = "examples/healthy"


@pytest.fixture
def band(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.ABSENCE)


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("None of the 232 series of order-service left their usual range.", POOL, FAILS),
        ("Not one of the 232 series of order-service left its usual range.", POOL, FAILS),
        ("Some of the 232 series of order-service left their usual range.", POOL, HOLDS),
        ("More than one of the series of order-service left its band.", POOL, HOLDS),
        ("Most of the 232 series of order-service left their usual range.", POOL, FAILS),
        ("All 232 series of order-service left their usual range.", POOL, FAILS),
        ("Of order-service 232 series were looked at, and none of them was abnormal.", POOL, FAILS),
        ("order-service 的 232 条序列都没有偏离正常范围。", POOL, FAILS),
        ("order-service 的 232 条序列中没有一条偏离正常范围。", POOL, FAILS),
        ("order-service 的 232 条序列有的偏离了正常范围。", POOL, HOLDS),
        ("order-service 的 232 条序列都偏离了正常范围。", POOL, FAILS),
        # All of them, whoever they are of.
        ("None of the 710 series looked at left its band.", CALM, HOLDS),
        ("Some of the 710 series looked at left their band.", CALM, FAILS),
        ("At least one of the 710 series looked at left its band.", CALM, FAILS),
        ("3 of the 710 series looked at left their band.", CALM, FAILS),
        # Those about errors and latency, which a call counts apart.
        ("None of the 273 error and latency series left its band.", CALM, HOLDS),
        ("Some of the 273 error and latency series left their band.", CALM, FAILS),
        ("273 条错误和延迟序列都没有偏离基线。", CALM, HOLDS),
        ("273 条错误和延迟序列都偏离了基线。", CALM, FAILS),
        ("No impact was seen.", CALM, HOLDS),
        ("No impact on order-service was seen.", POOL, FAILS),
        ("order-service 未见影响。", POOL, FAILS),
        # Another total is another set: the number is judged. So many are a number, too.
        ("None of the 233 series of order-service left their usual range.", POOL, []),
        ("16 of the 232 series of order-service left their usual range.", POOL, []),
        ("Not all of the 232 series of order-service left their usual range.", POOL, []),
    ],
)
def test_the_counts_of_the_calls_decide(
    band: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert band(text, folder=folder) == outcomes


def test_what_is_cited_must_have_counted_them(band: Judged) -> None:
    text = "None of the 710 series looked at left its band."
    assert band(text, folder=CALM, marks=("E5.2", "E6.2")) == HOLDS
    assert band(text, folder=CALM, marks=("E9.1",)) == UNSHOWN


def test_the_range_that_series_left_is_no_direction(judged: Judged) -> None:
    text = "order-service 的 232 条序列中有 16 条偏离了正常范围。"
    assert judged(text, kind=PartKind.DIRECTION, marks=("E6.1", "E6.2")) == []
