"""Without citations only what is sure is refused; the rest was not compared."""

from collections.abc import Callable

import pytest

from superbizagent.analysis.claims.checker import Checker

CheckerOf = Callable[[str], Checker]
POOL = "examples/mysql-connection-pool"
ONE_POD = "benchmarks/claims/bundles/one-pod"


@pytest.mark.parametrize(
    ("case", "text"),
    [
        # The number stands elsewhere in what is known of the service.
        (ONE_POD, "catalog-api 的请求里只有不到 4% 失败，56193 个里面失败了 2166 个。"),
        # Something did begin there at that time.
        (
            POOL,
            "In the metrics, the trouble at order-service first shows at 20:41:17 Beijing time.",
        ),
        # How many there are of a thing.
        (ONE_POD, "Of the five catalog-api pods only catalog-api-3 answers with 500s."),
        # A manner of speaking beside a number that stands.
        (POOL, "Customers of storefront waited 4.15 s on average for a checkout."),
        # A round number.
        (POOL, "order-service handled 3,700 requests during the incident."),
        # The same moment, in a zone whose name is not known.
        (POOL, "The trouble at order-service began at 05:41:17 our time."),
        # Relations in a sentence of which a part was not understood.
        (ONE_POD, "catalog-api-4 never used more than 0.25 cores, far less than catalog-api-3."),
        # Nothing tells which gauge is meant.
        (POOL, "For mysql the tally of sessions waiting for a turn stayed at zero throughout."),
    ],
)
def test_what_may_be_meant_otherwise_is_not_refused(
    checker_of: CheckerOf, case: str, text: str
) -> None:
    marks = {checked.judgement.mark.value for checked in checker_of(case).text(text)}
    assert not marks & {"contradicted", "unsupported"}


@pytest.mark.parametrize(
    ("case", "text", "mark"),
    [
        (POOL, "In order-service 811 of 3,690 requests failed.", "contradicted"),
        (POOL, "mysql was redeployed at 12:40:02.", "unsupported"),
        (ONE_POD, "There were no errors in the log of catalog-db.", "unsupported"),
    ],
)
def test_what_is_sure_is_refused(checker_of: CheckerOf, case: str, text: str, mark: str) -> None:
    assert [c.judgement.mark.value for c in checker_of(case).text(text)] == [mark]
