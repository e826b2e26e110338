"""That something was there before the incident, or never was, is what the baseline counted."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS = ["holds"], ["fails"]
POOL = "examples/mysql-connection-pool"
KNOWN = "benchmarks/claims/bundles/known-error"
REFUSED = "“was refused: field customs_code is missing”"
UPSTREAM = "“upstream call failed peer=order-service method=GET path=”"


@pytest.fixture
def novelty(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.NOVELTY)


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        (f"shipping-api had never logged {REFUSED} before the incident.", KNOWN, HOLDS),
        (f"shipping-api had not logged {REFUSED} before.", KNOWN, HOLDS),
        (f"shipping-api had already logged {REFUSED} before the incident.", KNOWN, FAILS),
        (f"Before the incident shipping-api had logged {REFUSED}.", KNOWN, FAILS),
        (f"故障之前 shipping-api 的日志从未出现过{REFUSED}。", KNOWN, HOLDS),
        (f"故障之前 shipping-api 的日志就出现过{REFUSED}。", KNOWN, FAILS),
        # Two kinds of record hold these words, and neither came before.
        (f"故障之前 storefront 的日志从未出现过{UPSTREAM}。", POOL, HOLDS),
        (f"故障之前 storefront 的日志就出现过{UPSTREAM}。", POOL, FAILS),
        # What has been there all along.
        ("order-service had already logged “Data truncated for column” before.", POOL, HOLDS),
        ("order-service had never logged “Data truncated for column” before.", POOL, FAILS),
        # An order of two things is none of before and now; a count is a number.
        (f"shipping-api logged {REFUSED} before storefront first logged “no label”.", KNOWN, []),
        (f"shipping-api logged {REFUSED} 210 times, 0 before the incident.", KNOWN, []),
    ],
)
def test_what_the_baseline_had_of_a_quoted_record(
    novelty: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert novelty(text, folder=folder) == outcomes


def test_a_count_of_the_baseline_is_cited_for_the_words(judged: Judged) -> None:
    text = f"shipping-api had never logged {REFUSED} before the incident."
    for kind in (PartKind.NOVELTY, PartKind.QUOTE):
        assert judged(text, kind=kind, folder=KNOWN, marks=("E6.3", "E6.4")) == HOLDS
        assert judged(text, kind=kind, folder=KNOWN, marks=("E6.4",)) == HOLDS
        assert judged(text, kind=kind, folder=KNOWN, marks=("E4.7",)) == ["unshown"]
    assert judged(text, kind=PartKind.ABSENCE, folder=KNOWN) == []


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        (f"In the log of shipping-api 210×, before 0×: {REFUSED}", HOLDS),
        (f"In the log of shipping-api 0×, before 0×: {REFUSED}", FAILS),
        (f"In the log of shipping-api 210×, before 3×: {REFUSED}", FAILS),
    ],
)
def test_both_counts_are_of_one_record(judged: Judged, text: str, outcomes: list[str]) -> None:
    assert judged(text, kind=PartKind.NOVELTY, folder=KNOWN) == outcomes
    assert judged(text, kind=PartKind.ORDER, folder=KNOWN) == []


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ('新出现 app_errors_total{error_type="UpstreamError"}，平均 1.55/s。', HOLDS),
        ('新出现 db_client_connection_count{state="used"}。', FAILS),
    ],
)
def test_a_printed_series_is_new_when_it_appeared(
    novelty: Judged, text: str, outcomes: list[str]
) -> None:
    about = "storefront" if "app_errors" in text else "order-service"
    assert novelty(f"{about}：{text}") == outcomes


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Errors at order-service: 716 of 3690 requests failed, none before.", HOLDS),
        ("Errors at order-service: 716 of 3690 requests failed, some before.", FAILS),
        ("order-service 的错误：3690 个请求中有 716 个失败，之前没有。", HOLDS),
        ("order-service 的错误：3690 个请求中有 716 个失败，之前也有。", FAILS),
    ],
)
def test_failed_requests_before(novelty: Judged, text: str, outcomes: list[str]) -> None:
    assert novelty(text) == outcomes


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("204 records of order-service show who held connections, none before.", HOLDS),
        ("order-service 里 place_order 占用连接过久的日志有 204 条，之前一条都没有。", HOLDS),
        ("asyncmy warned 19 times in order-service, none before.", FAILS),
    ],
)
def test_records_before(novelty: Judged, text: str, outcomes: list[str]) -> None:
    assert novelty(text) == outcomes


def test_a_name_with_other_in_it_is_no_other(judged: Judged) -> None:
    text = "The other-service did not log “Connection is not available, request timed out after”."
    assert judged(text, kind=PartKind.ABSENCE, about="order-service") == FAILS
