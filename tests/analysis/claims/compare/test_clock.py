"""What happened lies on the side of a time that a sentence says, or the sentence does not stand."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
DEPLOY = "benchmarks/claims/bundles/late-deploy"


@pytest.fixture
def clock(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.TIME)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("The merge queue size of search-index peaked after 17:19:30.", HOLDS),
        ("The merge queue size of search-index peaked before 17:19:30.", FAILS),
        ("The merge queue size of search-index did not peak before 17:19:30.", HOLDS),
        ("search-index 的合并队列在 17:19:30 之后达到峰值。", HOLDS),
        ("search-index 的合并队列在 17:19:30 之前达到峰值。", FAILS),
        # A time that is no event's own still has two sides.
        ("search-api slowed down after 17:00.", HOLDS),
        ("search-api slowed down before 17:00.", FAILS),
        ("search-api 在 17:00 之前变慢。", FAILS),
        # What the evidence has no time of is on no side of one.
        ("The disk usage of search-index peaked after 17:19:30.", UNSHOWN),
    ],
)
def test_a_side_of_a_time_is_compared(clock: Judged, text: str, outcomes: list[str]) -> None:
    assert clock(text, folder=DEPLOY) == outcomes


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("The HighLatencyP95 alert of order-service fired after 12:30.", HOLDS),
        ("The HighLatencyP95 alert of order-service fired before 12:30.", FAILS),
        ("order-service failed 716 requests after 12:41:17.", HOLDS),
    ],
)
def test_alerts_and_amounts_keep_to_their_side(
    clock: Judged, text: str, outcomes: list[str]
) -> None:
    assert clock(text) == outcomes
