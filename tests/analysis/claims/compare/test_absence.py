"""That something was not there needs somebody who looked at all of it."""

from collections.abc import Callable
from datetime import UTC
from functools import partial

import pytest

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judgement import Part, PartKind
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.plan import ToolName
from superbizagent.domain.source import EvidenceStatus

Judged = Callable[..., list[str]]
CheckerOf = Callable[[str], Checker]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]
POOL = "examples/mysql-connection-pool"
BUNDLES = "benchmarks/claims/bundles"


@pytest.fixture
def absence(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.ABSENCE)


def absences(checker: Checker, text: str, marks: tuple[str, ...] = ()) -> list[Part]:
    parts = checker.sentence(text, marks).parts
    return [part for part in parts if part.kind is PartKind.ABSENCE]


def altered(checker: Checker, tool: ToolName, **change: object) -> Checker:
    """The same session, had the calls of one tool ended otherwise."""

    def end(row: ToolInvocation) -> ToolInvocation:
        return row.model_copy(update=change) if row.tool is tool else row

    ground = checker.ground
    rows = tuple(end(row) for row in ground.evidence.invocations)
    again = Ground.of(Evidence(invocations=rows), ground.analysis, ground.scope, ground.frame)
    return Checker.of(again, UTC)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        # Errors, in logs and among requests.
        ("order-service never failed a request.", FAILS),
        ("There were no errors at order-service.", FAILS),
        ("order-service had no errors before the incident.", HOLDS),
        ("此前 order-service 没有任何失败请求。", HOLDS),
        ("order-service 没有任何错误日志。", FAILS),
        ("order-service logged no warnings.", FAILS),
        ("order-service did not log a single error.", FAILS),
        ("mysql logged no error.", HOLDS),
        ("There was not a single timeout.", FAILS),
        # Changes and anomalies.
        ("在查看的时间内没有发布。", HOLDS),
        ("在查看的时间内没有发布过任何版本。", HOLDS),
        ("order-service 未发现异常。", FAILS),
        # A status.
        ("No request to order-service was answered with a 500.", HOLDS),
        ("No request to order-service was answered with a 503.", FAILS),
        # Things that are counted.
        ("mysql had no row lock waits.", HOLDS),
        ("At no scrape was any transaction waiting on a row lock in mysql.", HOLDS),
        ("The pool of order-service never had a waiting request.", FAILS),
        ("No queue for a connection was ever measured at order-service in the baseline.", HOLDS),
        # Changes and alerts.
        ("No change was recorded.", HOLDS),
        ("没有任何变更记录。", HOLDS),
        ("No deployment or configuration change shows up.", HOLDS),
        ("No alert fired.", FAILS),
        ("期间没有触发任何告警。", FAILS),
        ("变更列表为空。", HOLDS),
        # No finding.
        ("Nothing abnormal was found at order-service.", FAILS),
        # No data: a check's call that came back empty.
        ("Looking for connections that mysql had refused brought up no data.", HOLDS),
        # A number that denies nothing, an exception, a change of degree.
        ("order-service answered 2,974 requests without an error.", []),
        ("The CPU use of storefront showed no change.", []),
        ("除了 order-service 之外没有错误。", []),
    ],
)
def test_an_absence_is_a_zero_or_an_empty_call(
    absence: Judged, text: str, outcomes: list[str]
) -> None:
    assert absence(text) == outcomes


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("Not a single one of 710 series strayed from its usual range.", "examples/healthy", HOLDS),
        ("710 条序列全部正常，没有一条异常。", "examples/healthy", HOLDS),
        ("None of the log records is of level ERROR.", "examples/healthy", HOLDS),
        ("None of the requests to search-api failed.", f"{BUNDLES}/late-deploy", HOLDS),
        ("没有发布记录。", f"{BUNDLES}/late-deploy", FAILS),
        ("search-api did not fail any request.", f"{BUNDLES}/late-deploy", HOLDS),
        ("gateway logged no failures.", f"{BUNDLES}/one-pod", FAILS),
        ("None of the connections was busy at the last scrape.", "examples/healthy", HOLDS),
        # The others are not the one that is named.
        ("The other pods of catalog-api had no errors.", f"{BUNDLES}/one-pod", []),
        ("There was no deployment.", f"{BUNDLES}/late-deploy", FAILS),
        ("No deployment of search-index was recorded.", f"{BUNDLES}/late-deploy", HOLDS),
        ("search-index had no warnings in its log.", f"{BUNDLES}/late-deploy", FAILS),
        ("None had failed before.", f"{BUNDLES}/one-pod", HOLDS),
        ("catalog-api 的日志里没有出现任何新的错误。", f"{BUNDLES}/one-pod", FAILS),
        ("storefront never logged an error.", f"{BUNDLES}/known-error", FAILS),
        ("orders-db-replica had no row lock waits.", f"{BUNDLES}/two-databases", HOLDS),
        ("orders-db had no row lock waits.", f"{BUNDLES}/two-databases", FAILS),
    ],
)
def test_an_absence_in_other_incidents(
    absence: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert absence(text, folder=folder) == outcomes


def test_what_nobody_looked_at_is_not_shown(checker_of: CheckerOf) -> None:
    (part,) = absences(
        checker_of(f"{BUNDLES}/one-pod"), "There were no errors in the log of catalog-db."
    )
    assert (part.outcome.value, part.reason) == ("unshown", "not_looked:catalog-db")


def test_a_log_search_that_was_cut_shows_no_absence(checker_of: CheckerOf) -> None:
    checker = altered(checker_of(POOL), ToolName.SEARCH_LOGS, truncated=True)
    (part,) = absences(checker, "mysql logged no error.")
    assert (part.outcome.value, part.reason) == ("unshown", "look_cut:E10")
    # What it did find still speaks against an absence.
    (found,) = absences(checker, "order-service logged no error.")
    assert found.outcome.value == "fails"


@pytest.mark.parametrize(
    "status", [EvidenceStatus.ERROR, EvidenceStatus.TIMEOUT, EvidenceStatus.DENIED]
)
def test_a_look_that_failed_shows_no_absence(checker_of: CheckerOf, status: EvidenceStatus) -> None:
    lost = {"status": status, "output": None, "facts": ()}
    logs = altered(checker_of(POOL), ToolName.SEARCH_LOGS, **lost)
    (part,) = absences(logs, "mysql logged no error.")
    assert (part.outcome.value, part.reason) == ("unshown", "look_failed:E10")
    changes = altered(checker_of(POOL), ToolName.LIST_CHANGES, **lost)
    (part,) = absences(changes, "No change was recorded.")
    assert (part.outcome.value, part.reason) == ("unshown", "look_failed:E5")


def test_templates_that_were_left_out_are_a_cut_look(checker_of: CheckerOf) -> None:
    whole = checker_of(POOL)
    row = whole.ground.evidence.of(10)
    assert row is not None
    assert isinstance(row.output, LogDigest)
    less = row.output.model_copy(update={"templates_left_out": 3})
    checker = altered(whole, ToolName.SEARCH_LOGS, output=less)
    (part,) = absences(checker, "mysql logged no error.")
    assert (part.outcome.value, part.reason) == ("unshown", "look_cut:E10")


def test_only_a_cited_look_bears_an_absence_out(checker_of: CheckerOf) -> None:
    checker = checker_of(POOL)
    (cited,) = absences(checker, "No change was recorded.", ("E5",))
    assert (cited.outcome.value, cited.fact_ids) == ("holds", ("E5.1",))
    (other,) = absences(checker, "No change was recorded.", ("E6",))
    assert (other.outcome.value, other.reason) == ("unshown", "not_cited")
