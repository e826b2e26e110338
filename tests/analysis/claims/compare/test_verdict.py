"""Whether a cause was found, and what stands out without one, the analysis has said."""

from collections.abc import Callable

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
POOL = "examples/mysql-connection-pool"
DEPLOY = "benchmarks/claims/bundles/late-deploy"


@pytest.mark.parametrize(
    ("text", "folder", "outcomes"),
    [
        ("The cause was not found.", POOL, ["fails"]),
        ("The cause was not found.", DEPLOY, ["fails"]),
        ("未找到原因。", POOL, ["fails"]),
        ("未找到原因。", DEPLOY, ["fails"]),
    ],
)
def test_a_cause_that_was_found(
    judged: Judged, text: str, folder: str, outcomes: list[str]
) -> None:
    assert judged(text, kind=PartKind.ABSENCE, folder=folder) == outcomes


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("What stands out most is in the log of search-api.", ["fails"]),
        ("What stands out most is in the log of suggest-api.", ["fails"]),
        ("最突出的是 search-api 的日志。", ["fails"]),
        ("最突出的是 suggest-api 的日志。", ["fails"]),
    ],
)
def test_what_stands_out_is_the_first_candidate(
    judged: Judged, text: str, outcomes: list[str]
) -> None:
    assert judged(text, kind=PartKind.COMPARISON, folder=DEPLOY) == outcomes
