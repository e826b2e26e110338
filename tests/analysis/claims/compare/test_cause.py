"""A cause stands where the analysis holds it; all others are hypotheses, or fail."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judgement import Part, PartKind

Judged = Callable[..., list[str]]
CheckerOf = Callable[[str], Checker]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
POOL = "examples/mysql-connection-pool"
POD = "benchmarks/claims/bundles/one-pod"
DEPLOY = "benchmarks/claims/bundles/late-deploy"
KNOWN = "benchmarks/claims/bundles/known-error"
TWO = "benchmarks/claims/bundles/two-databases"


@pytest.fixture
def cause(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.CAUSE)


def causes(checker: Checker, text: str, marks: tuple[str, ...] = ()) -> list[Part]:
    return [p for p in checker.sentence(text, marks).parts if p.kind is PartKind.CAUSE]


@pytest.mark.parametrize(
    "text",
    [
        "The root cause is pool exhaustion at order-service.",
        "根因是 order-service 的连接池耗尽。",
        "连接池耗尽导致 order-service 的请求失败。",
        "The exhausted pool of order-service caused the failures at storefront.",
        "Requests failed because no connection was available in the pool of order-service.",
        "Connections were kept too long by place_order, and that is what drained the pool.",
        "storefront failed because order-service did not answer in time.",
        "storefront is a victim here, not the origin.",
        "order-service ran out of database connections.",
    ],
)
def test_the_cause_that_the_analysis_holds_stands(cause: Judged, text: str) -> None:
    found = cause(text)
    assert found
    assert set(found) == {"holds"}


@pytest.mark.parametrize(
    ("text", "folder", "reason"),
    [
        # Tested and refuted.
        ("order-service leaks connections.", POOL, "ruled_out:connection_leak"),
        ("order-service 的连接泄漏导致请求失败。", POOL, "ruled_out:connection_leak"),
        ("MySQL had reached its connection limit.", POOL, "ruled_out:database_connection_limit"),
        ("mysql 连接数达到上限。", POOL, "ruled_out:database_connection_limit"),
        # Ruled out as a candidate.
        ("storefront's retries overloaded order-service.", POOL, "ruled_out:storefront"),
        ("storefront 拖垮了 order-service。", POOL, "ruled_out:storefront"),
        # Nothing abnormal there, or nothing of that kind.
        ("The cause is catalog-db, whose queries had become too slow.", POD, "calm:catalog-db"),
        ("根因是 mysql 的行锁竞争。", POOL, "calm:mysql/lock_wait"),
        ("根因是 search-api 自身的 CPU 不足。", DEPLOY, "calm:search-api/cpu"),
        # No such change.
        ("The outage was triggered by a deployment of order-service.", POOL, "no_such_change"),
        ("故障由一次发布引起。", POOL, "no_such_change"),
        # Later than what it is said to have caused.
        (
            "The release of search-api 4.8.1 caused the slowdown.",
            DEPLOY,
            "later_than_effect:17:28:00 17:22:00",
        ),
        (
            "The deployment of search-api 4.8.1 at 17:28 is what made it slow.",
            DEPLOY,
            "later_than_effect:17:28:00 17:22:00",
        ),
        ("suggest-api slowed search-api down.", DEPLOY, "later_than_effect:17:26:00 17:22:00"),
        ("suggest-api 拖慢了 search-api。", DEPLOY, "later_than_effect:17:26:00 17:22:00"),
    ],
)
def test_what_speaks_against_a_cause_fails_it(
    checker_of: CheckerOf, text: str, folder: str, reason: str
) -> None:
    (part,) = causes(checker_of(folder), text)
    assert (part.outcome.value, part.reason) == ("fails", reason)


@pytest.mark.parametrize(
    ("text", "folder", "count"),
    [
        ("A saturated disk on the host slowed MySQL's commits.", POOL, 1),
        ("促销流量激增拖慢了 mysql，慢查询又占满了连接池，最终导致请求失败。", POOL, 3),
        ("CPU 过高引发频繁的垃圾回收，垃圾回收造成连接堆积。", POD, 2),
        ("The failures were triggered by rates-api.", KNOWN, 1),
        ("The slow merges of search-index slowed search-api down.", DEPLOY, 1),
        ("The lock waits on orders-db made orders-service slow.", TWO, 1),
        ("Because mysql refused new connections, order-service could not answer.", POOL, 1),
    ],
)
def test_everything_else_is_a_hypothesis(
    checker_of: CheckerOf, text: str, folder: str, count: int
) -> None:
    found = causes(checker_of(folder), text)
    assert len(found) == count
    assert {part.outcome.value for part in found} == {"unshown"}
    assert all(part.reason.startswith("hypothesis:") for part in found)


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("The deployment of search-api 4.8.1 did not cause the slowdown.", DEPLOY, HOLDS),
        ("4.8.1 的发布不是根因。", DEPLOY, HOLDS),
        ("mysql is not the root cause.", POOL, HOLDS),
        ("根因不在 mysql。", POOL, HOLDS),
        ("order-service is not the root cause.", POOL, FAILS),
        ("Neither a leak nor the connection limit of mysql is the cause.", POOL, HOLDS),
        ("The lock waits on orders-db did not slow orders-service down.", TWO, []),
    ],
)
def test_a_cause_is_denied_where_something_speaks_against_it(
    cause: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert cause(text, folder=folder) == outcomes


def test_a_hypothesis_names_what_would_decide_it(checker_of: CheckerOf) -> None:
    text = "The lock waits on orders-db made orders-service slow."
    (part,) = causes(checker_of(TWO), text)
    assert part.reason == "hypothesis:onset of orders-db against onset of orders-service"


def test_a_guess_is_no_fact_even_where_the_analysis_agrees(cause: Judged) -> None:
    said = "The pool exhaustion of order-service caused the failures."
    guess = "The pool exhaustion of order-service may have caused the failures."
    assert cause(said) == HOLDS
    assert cause(guess) == UNSHOWN


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("A connection leak was ruled out.", POOL, HOLDS),
        ("连接泄漏的可能性已经排除。", POOL, HOLDS),
        ("Pool exhaustion was ruled out.", POOL, FAILS),
        ("catalog-db can be excluded.", POD, HOLDS),
        ("catalog-api can be excluded.", POD, FAILS),
        ("shipping-api 的日志正常，可以排除代码问题。", KNOWN, FAILS),
        ("rates-api can be excluded.", KNOWN, UNSHOWN),
        ("mysql was nowhere near its own connection limit.", POOL, HOLDS),
        ("The best explanation, short of proof, is a full pool at order-service.", POOL, HOLDS),
    ],
)
def test_only_what_was_tested_or_is_calm_is_excluded(
    cause: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert cause(text, folder=folder) == outcomes


@pytest.mark.parametrize(
    "text",
    [
        # Words of cause with other uses.
        "OrderServiceConnectionPoolExhausted was triggered at 12:43.",
        "storefront calls order-service, which in turn relies on mysql.",
        "The log is made up of 3,894 records.",
        # Plain observations.
        "716 of 3,690 requests to order-service failed.",
        "The latency of order-service rose from 31 ms to 2.6 s.",
    ],
)
def test_what_names_no_cause_has_none(cause: Judged, text: str) -> None:
    assert cause(text) == []


def test_only_what_is_cited_bears_a_cause_out(cause: Judged) -> None:
    text = "The root cause is pool exhaustion at order-service."
    assert cause(text, marks=("E11.5",)) == HOLDS
    assert cause(text, marks=("E7.3",)) == UNSHOWN
