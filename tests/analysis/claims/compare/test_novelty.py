"""What came as often before is not new, and what did not come before is not known."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS = ["holds"], ["fails"]
POOL = "examples/mysql-connection-pool"
KNOWN = "benchmarks/claims/bundles/known-error"
POD = "benchmarks/claims/bundles/one-pod"


@pytest.fixture
def novelty(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.NOVELTY)


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("The missing customs_code is a new error.", KNOWN, HOLDS),
        ("A new error turned up: rates-api answered 429.", KNOWN, FAILS),
        ("The refresh error of shipping-api is not new.", KNOWN, HOLDS),
        ("The refresh of the exchange rates has been failing all along.", KNOWN, HOLDS),
        ("The refused labels for want of a customs_code are a long-standing error.", KNOWN, FAILS),
        ("shipping-api 的 429 错误是新出现的。", KNOWN, FAILS),
        (
            "新出现了两种错误：面单缺少 customs_code，以及汇率刷新收到 429。",
            KNOWN,
            ["holds", "fails"],
        ),
        ("The refresh failures appeared at 13:57 for the first time.", KNOWN, FAILS),
        # A status.
        ("The 503 responses of order-service are new.", POOL, HOLDS),
        ("The 503 responses of order-service are old news.", POOL, FAILS),
        # Any error of an entity.
        ("shipping-api logged a new error.", KNOWN, HOLDS),
        ("storefront wrote an error it had never written in the baseline.", KNOWN, HOLDS),
        ("The errors at storefront are nothing new.", KNOWN, FAILS),
        # Quoted.
        ('The error "Connection is not available" is new.', POOL, HOLDS),
        ('The warning "Data truncated for column" is new.', POOL, FAILS),
        ('The warning "Data truncated for column" is part of everyday life.', POOL, HOLDS),
        ("日志中新出现了“Data truncated for column 'total'”告警。", POOL, FAILS),
        ('The warning "stock low" is new.', POOL, ["unshown"]),
        ("The price rule error is new: it never came before 09:32.", POD, HOLDS),
        ("The price rules exceeded their limit, a known error.", POD, FAILS),
        # Other things that are new say nothing of records.
        ("mysql refused new sessions.", POOL, []),
        ("order-service opened new connections.", POOL, []),
    ],
)
def test_the_baseline_decides_what_is_new(
    novelty: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert novelty(text, folder=folder) == outcomes


def test_that_nothing_new_was_logged_is_an_absence(judged: Judged, novelty: Judged) -> None:
    text = "shipping-api logged no new errors."
    assert novelty(text, folder=KNOWN) == []
    assert judged(text, kind=PartKind.ABSENCE, folder=KNOWN) == FAILS


def test_only_what_is_cited_bears_novelty_out(novelty: Judged) -> None:
    text = 'The error "Connection is not available" is new.'
    assert novelty(text, marks=("E10.16",)) == HOLDS
    assert novelty(text, marks=("E6.3",)) == ["unshown"]
