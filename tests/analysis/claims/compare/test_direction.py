"""A word of direction stands when its subject went that way, by numbers, findings and series."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
DEPLOY = "benchmarks/claims/bundles/late-deploy"


@pytest.fixture
def direction(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.DIRECTION)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        # By the two numbers.
        (
            "The mean latency of order-service rose from 31 ms to 2.64 s.",
            "The mean latency of order-service fell from 31 ms to 2.64 s.",
        ),
        (
            "order-service 归还的连接从 3891 次下降到 2963 次。",
            "order-service 归还的连接从 3891 次上升到 2963 次。",
        ),
        # By the number and the level of the baseline.
        (
            "The open file descriptors of order-service went up to 58.",
            "The open file descriptors of order-service went down to 58.",
        ),
        # By the operation.
        (
            "The virtual memory of order-service grew by about 49 %.",
            "The virtual memory of order-service shrank by about 49 %.",
        ),
        # By findings alone.
        ("Requests in flight at order-service rose.", "Requests in flight at order-service fell."),
        ("order-service 的延迟上升了。", "order-service 的延迟下降了。"),
        (
            "The dirty pages in the buffer pool of mysql fell.",
            "The dirty pages in the buffer pool of mysql rose.",
        ),
        # Turned round.
        (
            "The CPU use of order-service did not rise.",
            "Requests in flight at order-service did not rise.",
        ),
        # Nowhere.
        (
            "The CPU use of order-service was stable.",
            "The virtual memory of order-service was stable.",
        ),
    ],
)
def test_the_opposite_of_what_holds_fails(direction: Judged, true: str, false: str) -> None:
    assert direction(true) == HOLDS
    assert direction(false) == FAILS


def test_a_multiple_does_not_deny_its_numbers(direction: Judged) -> None:
    text = "mysql's open connections more than {}, from a median of 5 to a peak of 11."
    assert direction(text.format("doubled")) == []
    assert direction(text.format("halved")) == FAILS


def test_what_is_stable_in_part_is_not_stable(direction: Judged) -> None:
    assert direction("The latency of order-service was stable.") != HOLDS
    assert direction("order-service 的内存前后基本持平。") != HOLDS
    assert direction("order-service 的 CPU 前后基本持平。") == HOLDS


def test_what_goes_on_has_not_fallen_back(direction: Judged) -> None:
    assert direction("search-api 的平均耗时回落到了 90 毫秒。", folder=DEPLOY) == FAILS
    assert direction("search-api 的平均耗时没有回落。", folder=DEPLOY) in ([], HOLDS)


def test_a_limit_is_no_direction(direction: Judged) -> None:
    assert direction("The pool of order-service never rose above 10 connections.") == []


def test_that_nothing_changed_is_said_of_changes(direction: Judged) -> None:
    assert direction("No change was recorded.") == []


def test_healthy_is_nobody_with_errors(direction: Judged) -> None:
    assert direction("order-service has been healthy.") == FAILS


def test_only_what_is_cited_bears_a_direction_out(direction: Judged) -> None:
    text = "Requests in flight at order-service rose."
    assert direction(text, marks=("E6.42",)) == HOLDS
    assert direction(text, marks=("E3.7",)) == UNSHOWN


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("The server-side mean latency of order-service did not rise.", ["fails"]),
        ("order-service 的服务端平均延迟并未升高。", ["fails"]),
        ("order-service 的服务端平均延迟没有上升。", ["fails"]),
        ("order-service 的服务端平均延迟并未降低。", ["holds"]),
        # What never went up is not said to stay there.
        ("The app_event_loop_lag_seconds of storefront never came down.", ["unshown"]),
    ],
)
def test_a_negated_direction_is_turned(
    judged: Callable[..., list[str]], text: str, outcomes: list[str]
) -> None:
    assert judged(text, kind=PartKind.DIRECTION) == outcomes
