"""One is compared with the other by the same statistic of the same metric."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
POOL = "examples/mysql-connection-pool"
POD = "benchmarks/claims/bundles/one-pod"
DEPLOY = "benchmarks/claims/bundles/late-deploy"
TWO = "benchmarks/claims/bundles/two-databases"


@pytest.fixture
def comparison(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.COMPARISON)


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("search-api was slower than suggest-api.", DEPLOY, HOLDS),
        ("suggest-api was slower than search-api.", DEPLOY, FAILS),
        ("orders-service was slower than order-service.", TWO, HOLDS),
        ("order-service was slower than orders-service.", TWO, FAILS),
        ("storefront sent more failed responses than order-service.", POOL, HOLDS),
        ("order-service sent more failed responses than storefront.", POOL, FAILS),
        (
            "storefront sent more failed responses than order-service, 950 as opposed to 716.",
            POOL,
            HOLDS,
        ),
        ("storefront needed longer than order-service, 4.15 s against 4.31 s.", POOL, FAILS),
        ("orders-db had more threads running than order-db.", TWO, HOLDS),
        ("order-db had more threads running than orders-db.", TWO, FAILS),
        ("order-service 的延迟高于 orders-service。", TWO, FAILS),
        # Both numbers stand in brackets behind their names.
        ("Latency was higher at search-api (1.32 s) than at suggest-api (20 ms).", DEPLOY, HOLDS),
        ("Latency was lower at search-api (1.32 s) than at suggest-api (20 ms).", DEPLOY, FAILS),
        ("Latency was higher at search-api than at suggest-api.", DEPLOY, HOLDS),
        ("Latency was lower at search-api than at suggest-api.", DEPLOY, FAILS),
        ("More than 3 were seen at search-api or more than 7 at suggest-api.", DEPLOY, []),
        # The most of all.
        ("No service logged more errors than storefront.", POOL, HOLDS),
        ("No service logged more errors than order-service.", POOL, FAILS),
        # Pods of one service.
        ("catalog-api-3 used more CPU than catalog-api-1.", POD, HOLDS),
        ("catalog-api-1 used more CPU than catalog-api-3.", POD, FAILS),
        # One side has no such measure.
        ("storefront waited longer for connections than order-service.", POOL, UNSHOWN),
        # At one instant it may be the other way round; more than itself; denied.
        ("At 17:22 suggest-api was slower than search-api.", DEPLOY, []),
        ("search-api was slower than usual.", DEPLOY, []),
        ("search-api was not slower than suggest-api.", DEPLOY, []),
    ],
)
def test_both_sides_are_measured_alike(
    comparison: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert comparison(text, folder=folder) == outcomes


def test_only_what_is_cited_bears_a_comparison_out(comparison: Judged) -> None:
    text = "search-api was slower than suggest-api."
    assert comparison(text, folder=DEPLOY, marks=("E4", "E7")) == HOLDS
    assert comparison(text, folder=DEPLOY, marks=("E1",)) == UNSHOWN
