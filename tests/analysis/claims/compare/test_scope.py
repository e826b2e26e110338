"""All, only, both, how many and who: against what the evidence knows of the class."""

from collections.abc import Callable
from datetime import UTC
from functools import partial

import pytest

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.counts import count_of
from superbizagent.analysis.claims.compare.judgement import Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Sentence
from superbizagent.analysis.claims.scan.scanner import scan
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.plan import ToolName

Judged = Callable[..., list[str]]
CheckerOf = Callable[[str], Checker]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
POOL = "examples/mysql-connection-pool"
POD = "benchmarks/claims/bundles/one-pod"
DEPLOY = "benchmarks/claims/bundles/late-deploy"
KNOWN = "benchmarks/claims/bundles/known-error"
TWO = "benchmarks/claims/bundles/two-databases"


@pytest.fixture
def scope(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.SCOPE)


def scopes(checker: Checker, text: str, marks: tuple[str, ...] = ()) -> list[Part]:
    return [p for p in checker.sentence(text, marks).parts if p.kind is PartKind.SCOPE]


# All, only, both ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("All pods of catalog-api failed requests.", POD, FAILS),
        ("Errors came from every pod.", POD, FAILS),
        ("Every instance of catalog-api burned more CPU.", POD, FAILS),
        ("The pods of catalog-api exhausted their processors one after the other.", POD, FAILS),
        ("catalog-api 的全部实例 CPU 都接近打满。", POD, FAILS),
        ("catalog-api-0 和 catalog-api-3 都失败了。", POD, FAILS),
        ("All five pods ran at about 0.97 cores.", POD, FAILS),
        ("Only the pod catalog-api-3 failed requests.", POD, HOLDS),
        ("catalog-api-3 alone used more CPU.", POD, HOLDS),
        ("只有 catalog-api-3 出现了错误。", POD, HOLDS),
        ("Only catalog-api-1 failed.", POD, FAILS),
        ("All databases had row lock waits.", TWO, FAILS),
        ("Both databases were locked.", TWO, FAILS),
        ("Only orders-db had row lock waits.", TWO, HOLDS),
        ("Only orders-db-replica had row lock waits.", TWO, FAILS),
        ("All services became slow.", DEPLOY, FAILS),
        ("所有服务的 CPU 都被打满。", POOL, FAILS),
        ("Only mysql was affected.", POOL, ["fails", "holds"]),
        ("Both pods catalog-api-2 and catalog-api-3 failed.", POD, ["fails", "holds"]),
        # Requests.
        ("All requests to order-service failed.", POOL, FAILS),
        ("order-service 的请求全部失败。", POOL, FAILS),
        ("Most requests to order-service failed.", POOL, FAILS),
        ("All of the failed requests at order-service were answered with a 503.", POOL, HOLDS),
        ("All of the failed requests at order-service were answered with a 500.", POOL, FAILS),
        # A number that is only so large, a class that nothing knows.
        ("Only 45 of 919 series behaved abnormally.", POOL, []),
        ("Every one of the ten connections of order-service was taken.", POOL, []),
    ],
)
def test_a_class_is_counted(scope: Judged, text: str, folder: str, outcomes: list[str]) -> None:
    # That the one named was hit may be a part of its own.
    assert list(dict.fromkeys(scope(text, folder=folder))) == outcomes


def test_why_it_is_not_all_or_not_only(checker_of: CheckerOf) -> None:
    checker = checker_of(POD)
    assert [p.reason for p in scopes(checker, "Errors came from every pod.")] == ["not_all:1 of 5"]
    reasons = [p.reason for p in scopes(checker, "Only catalog-api-1 failed.")]
    assert reasons == ["not_only:catalog-api-3", "calm:catalog-api-1"]


def test_a_look_that_was_cut_bears_no_only_out(checker_of: CheckerOf) -> None:
    ground = checker_of(POD).ground
    rows = tuple(
        row.model_copy(update={"truncated": True}) if row.tool is ToolName.QUERY_METRICS else row
        for row in ground.evidence.invocations
    )
    cut = Ground.of(Evidence(invocations=rows), ground.analysis, ground.scope, ground.frame)
    found = scopes(Checker.of(cut, UTC), "Only the pod catalog-api-3 used more CPU.")
    assert [(p.outcome.value, p.reason) for p in found] == [("unshown", "look_cut:E4")]


# Who was hit --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("Roughly 12,000 customers could not check out.", POOL, UNSHOWN),
        ("Customers could not place orders.", POOL, UNSHOWN),
        ("5000 名用户受到影响。", POOL, UNSHOWN),
        ("The EU and US regions were affected.", POOL, UNSHOWN),
        ("Two data centres were down.", POOL, UNSHOWN),
        ("华东区域受到影响。", POOL, UNSHOWN),
        ("全站不可用。", POOL, UNSHOWN),
        ("The whole platform was down.", POOL, UNSHOWN),
        ("We lost revenue while orders failed.", POOL, UNSHOWN),
        # Users as a figure of speech for the requests that are counted.
        ("Users saw 716 failed requests.", POOL, []),
        ("716 of 3,690 requests failed, so users saw errors.", POOL, []),
        ("A shopper's checkout at storefront took 4.1 s more than usual.", POOL, []),
        # Entities and pods.
        ("storefront became slow as well.", DEPLOY, FAILS),
        ("storefront 也变慢了。", DEPLOY, FAILS),
        ("search-api became slow at 17:22.", DEPLOY, HOLDS),
        ("catalog-db was down.", POD, FAILS),
        ("catalog-api-2 failed requests too.", POD, FAILS),
        ("catalog-api-3 failed requests.", POD, HOLDS),
        ("order-service 也受到了影响。", TWO, FAILS),
        ("rates-api was down.", KNOWN, UNSHOWN),
        # Spared ones.
        ("order-service was not affected.", TWO, HOLDS),
        ("orders-service was not affected.", TWO, FAILS),
        ("storefront stayed calm.", DEPLOY, HOLDS),
        # What it is said to have had was counted, and there was none.
        ("order-db had row lock waits.", TWO, FAILS),
        ("orders-db had row lock waits.", TWO, []),
        # Not the one that was hit.
        ("The calls of gateway to catalog-db failed.", POD, []),
        ("storefront was slow before the incident.", DEPLOY, []),
    ],
)
def test_only_what_the_evidence_tells_apart_was_hit(
    scope: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert scope(text, folder=folder) == outcomes


def test_which_class_nothing_knows(checker_of: CheckerOf) -> None:
    (part,) = scopes(checker_of(POOL), "Customers could not place orders.")
    assert part.reason == "no_such_class:customers"
    (part,) = scopes(checker_of(DEPLOY), "storefront became slow as well.")
    assert part.reason == "calm:storefront"


def test_a_finding_that_is_not_cited_bears_nothing_out(scope: Judged) -> None:
    text = "search-api became slow at 17:22."
    assert scope(text, folder=DEPLOY, marks=("E4.3",)) == HOLDS
    assert scope(text, folder=DEPLOY, marks=("E6.1",)) == UNSHOWN


# How many -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "folder", "counted"),
    [
        ("Five pods serve catalog-api.", POD, "yes"),
        ("Six pods serve catalog-api.", POD, "no"),
        ("One of the five pods of catalog-api was affected.", POD, "yes"),
        ("Three of the five pods were affected.", POD, "no"),
        ("五个 Pod 中只有一个异常。", POD, "yes"),
        ("45 of 919 series behaved abnormally.", POOL, "yes"),
        ("46 of 919 series behaved abnormally.", POOL, "no"),
        ("Of four explanations put to the test only one held up.", POOL, "no"),
        ("Two services were affected.", POOL, "yes"),
        ("Two of the three services were calm.", POOL, "no"),
        ("调用图上一共就三个节点。", POOL, "yes"),
        ("ts-nothing apart, there were 2 alerts.", POOL, "no"),
        ("窗口内三个日志文件里都没有 ERROR 级别的记录。", POOL, "yes"),
        ("Not a single one of 710 series strayed.", "examples/healthy", "yes"),
        ("Not a single one of 711 series strayed.", "examples/healthy", "no"),
        ("2 deployments were recorded.", DEPLOY, "no"),
        ("Four of the five pods were not affected.", POD, "yes"),
        ("All five pods serve catalog-api.", POD, "yes"),
        # Not a class that is listed.
        ("716 requests failed.", POOL, "not a class"),
        ("Ten database connections were taken.", POOL, "not a class"),
        ("The pods used 0.97 cores.", POD, "not a class"),
    ],
)
def test_things_of_a_class_are_counted(
    checker_of: CheckerOf, text: str, folder: str, counted: str
) -> None:
    checker = checker_of(folder)
    statement = scan(Sentence(text, 1), checker.setting)
    found = count_of(View(statement, checker.ground), statement.quantities[0])
    said = "not a class" if found is None else "yes" if found else "no"
    assert said == counted
