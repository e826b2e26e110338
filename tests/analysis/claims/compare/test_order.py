"""An order stands when both times are known, and further apart than they are unsure."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judgement import PartKind
from superbizagent.analysis.claims.compare.order import gap_holds
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Sentence
from superbizagent.analysis.claims.scan.scanner import scan

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
DEPLOY = "benchmarks/claims/bundles/late-deploy"
DATABASES = "benchmarks/claims/bundles/two-databases"


@pytest.fixture
def order(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.ORDER)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        # Alerts, with the gap and without.
        (
            "order-service 的 HighLatencyP95 比 OrderServiceConnectionPoolExhausted 早触发 32 秒。",
            HOLDS,
        ),
        (
            "order-service 的 HighLatencyP95 比 OrderServiceConnectionPoolExhausted 晚触发 32 秒。",
            FAILS,
        ),
        # Two onsets closer than they are sure: only the stated gap decides.
        ("order-service 的 POST /orders 先于 storefront 的 /checkout 变慢，早了 2 秒多。", HOLDS),
        ("order-service 的 POST /orders 晚于 storefront 的 /checkout 变慢，晚了 2 秒多。", FAILS),
        ("order-service 的 POST /orders 先于 storefront 的 /checkout 变慢。", UNSHOWN),
        # Preposed.
        (
            "Slow requests of order-service came ahead of OrderServiceConnectionPoolExhausted.",
            HOLDS,
        ),
        (
            "Slow requests of order-service came later than OrderServiceConnectionPoolExhausted.",
            FAILS,
        ),
        # A word that belongs to a time is none of order.
        ("order-service failed 716 requests after 12:41:17.", []),
    ],
)
def test_orders_are_held_against_both_times(order: Judged, text: str, outcomes: list[str]) -> None:
    assert order(text) == outcomes


def test_an_effect_does_not_come_before_its_change(order: Judged) -> None:
    after = "search-index 的合并队列堆积先于 search-api 的 4.8.1 发布。"
    before = "search-index 的合并队列堆积晚于 search-api 的 4.8.1 发布。"
    assert order(after, folder=DEPLOY) == HOLDS
    assert order(before, folder=DEPLOY) == FAILS


def test_first_and_then_are_one_order(order: Judged) -> None:
    text = "{} slowed down first, and then {} slowed down."
    right = order(text.format("search-api", "suggest-api"), folder=DEPLOY)
    wrong = order(text.format("suggest-api", "search-api"), folder=DEPLOY)
    assert set(right) == {"holds"}
    assert set(wrong) == {"fails"}


@pytest.mark.parametrize(("seconds", "events"), [("31", 2), ("32", 2), ("40", 0)])
def test_a_gap_is_the_distance_of_its_two_events(
    checker_of: Callable[[str], Checker], seconds: str, events: int
) -> None:
    checker = checker_of("examples/mysql-connection-pool")
    text = (
        "HighLatencyP95 of order-service came"
        f" {seconds} seconds earlier than OrderServiceConnectionPoolExhausted."
    )
    statement = scan(Sentence(text, 1), checker.setting)
    view = View(statement, checker.ground)
    (gap,) = (q for q in statement.quantities if q.unit == "s")
    assert len(gap_holds(view, gap) or ()) == events


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        # The verb of one side stands for that of the other.
        ("The {wait} of order-service peaked after the {server} of order-service did.", HOLDS),
        ("The {wait} of order-service peaked before the {server} of order-service did.", FAILS),
        ("The {wait} of order-service peaked earlier than the {server} of order-service.", FAILS),
        ("order-service 的{wait}达到峰值晚于 order-service 的服务端平均延迟达到峰值。", HOLDS),
        ("order-service 的{wait}达到峰值早于 order-service 的服务端平均延迟达到峰值。", FAILS),
        # Said plainly, and not known.
        ("The disk usage of mysql peaked before the {server} of order-service did.", UNSHOWN),
    ],
)
def test_peaks_are_put_in_order(
    checker_of: Callable[..., Checker], text: str, outcomes: list[str]
) -> None:
    checker = checker_of("examples/mysql-connection-pool")
    said = text.format(
        wait="db_client_connection_wait_time_seconds_sum", server="server-side mean latency"
    )
    parts = checker.sentence(said, ["E6.5", "E6.10"]).parts
    assert [p.outcome.value for p in parts if p.kind is PartKind.ORDER] == outcomes


def test_a_first_record_is_none_of_two_that_come_first(order: Judged) -> None:
    text = (
        "orders-service first logged “waited for a row lock on orders-db waited_ms=” {}"
        " orders-db first logged “waits for lock on table orders.order_items”."
    )
    assert order(text.format("after"), folder=DATABASES) == HOLDS
    assert order(text.format("before"), folder=DATABASES) == FAILS
