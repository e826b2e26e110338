"""A time stands when something of what the sentence names happened then."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
DEPLOY = "benchmarks/claims/bundles/late-deploy"


@pytest.fixture
def times(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.TIME)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        # An onset, since and from.
        ("POST /orders of order-service turned slow at 12:41:17 UTC.", HOLDS),
        ("POST /orders of order-service turned slow at 12:41.", HOLDS),
        ("POST /orders of order-service turned slow at 12:44.", FAILS),
        ("POST /orders of order-service turned slow at 12:41:37 UTC.", FAILS),
        ("The pool of order-service was used up from 12:41:17 on.", HOLDS),
        ("The pool of order-service was used up from 12:45 on.", FAILS),
        ("北京时间 20:41 左右，order-service 的下单接口开始变慢。", HOLDS),
        ("北京时间 20:45 左右，order-service 的下单接口开始变慢。", FAILS),
        # An alert, known by its own name.
        ("OrderServiceConnectionPoolExhausted fired at 12:43.", HOLDS),
        ("OrderServiceConnectionPoolExhausted fired at 12:42.", UNSHOWN),
        ("HighErrorRate of order-service fired at 12:43:13.", HOLDS),
        ("HighErrorRate of order-service fired at 12:42:13.", FAILS),
        ("HighErrorRate of order-service went pending at 12:42:13.", HOLDS),
        # An alert that is in a series alone.
        ("HighLatencyP95 of order-service fired at 12:42:28.", HOLDS),
        ("HighLatencyP95 of order-service fired at 12:43:28.", FAILS),
        # A peak: of what is named, and of what changes.
        ("Pending requests of the order-service pool peaked at 12:48:52.", HOLDS),
        ("Pending requests of the order-service pool peaked at 12:44:52.", FAILS),
        ("order-service 等连接的请求数在 12:48:52 到达峰值。", HOLDS),
        # A record.
        ('At 12:47:30 order-service noted "slow statement SELECT took 5005ms".', HOLDS),
        ('At 12:46:30 order-service noted "slow statement SELECT took 5005ms".', FAILS),
        # What was looked at.
        ("The window ends at 12:49.", HOLDS),
        ("The window ends at 12:45.", UNSHOWN),
        ("The recording ran until 12:49:00.", HOLDS),
        ("Between 12:41:17 and 12:49 order-service failed 716 requests.", HOLDS * 2),
        ("From 12:49:00 until the end of the data order-service failed 716 requests.", FAILS),
    ],
)
def test_each_role_is_held_against_its_own_times(
    times: Judged, text: str, outcomes: list[str]
) -> None:
    assert times(text) == outcomes


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("At 12:48:57 order-service had 10 used connections.", HOLDS),
        ("At 12:48:57 order-service had 4 used connections.", UNSHOWN),
        ("At 12:39 order-service had 24 pending requests.", UNSHOWN),
        ("mysql 的 processlist 里 Sleep 会话时长在 12:45:33 冲到 19 秒。", HOLDS),
        ("mysql 的 processlist 里 Sleep 会话时长在 12:42:43 冲到 19 秒。", UNSHOWN),
    ],
)
def test_a_value_is_looked_up_at_its_time(times: Judged, text: str, outcomes: list[str]) -> None:
    assert times(text) == outcomes


def test_a_change_has_its_own_time(times: Judged) -> None:
    assert times("17:28 发布了 search-api 4.8.1。", folder=DEPLOY) == HOLDS
    assert times("17:21 发布了 search-api 4.8.1。", folder=DEPLOY) == FAILS


def test_it_is_what_the_sentence_before_named(times: Judged) -> None:
    assert times("Its pool was full from 12:41:17 on.", about="order-service") == HOLDS
    assert times("Its pool was full from 12:41:17 on.", about="mysql") != HOLDS


def test_only_what_is_cited_bears_a_time_out(times: Judged) -> None:
    text = "POST /orders of order-service turned slow at 12:41:17 UTC."
    assert times(text, marks=("E6.12",)) == HOLDS
    assert times(text, marks=("E3.7",)) == UNSHOWN


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("It shows since 2026-04-22 13:57:00 +00:00, 14 min ago.", HOLDS * 2),
        ("It shows since 2026-04-22 13:57:00 +00:00, 12 min ago.", HOLDS + UNSHOWN),
        ("alert HighErrorRate fired at 14:00:00.", HOLDS),
        ("alert HighErrorRate fired at 14:01:00.", FAILS),
        ("It is still going on at 14:11:00.", HOLDS),
        ("It shows since 2026-04-22 13:54:00 +00:00.", FAILS),
    ],
)
def test_what_the_report_was_given_needs_no_citation(
    times: Judged, text: str, outcomes: list[str]
) -> None:
    folder = "benchmarks/claims/bundles/known-error"
    assert times(text, folder=folder, about="shipping-api", marks=("E4.7",)) == outcomes


def test_a_time_of_the_baseline_is_none_of_the_incident(times: Judged) -> None:
    text = "The requests in flight at order-service peaked at 12:25:37."
    assert times(text) != HOLDS
