"""What goes on at the end of the data is not over, and what is over does not go on."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]


@pytest.fixture
def course(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.COURSE)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("The pool of order-service is still exhausted.", HOLDS),
        ("order-service 的请求积压仍未恢复。", HOLDS),
        ("The pool of order-service has recovered.", FAILS),
        ("order-service 的延迟已恢复正常。", FAILS),
        ("The latency of order-service is back to normal.", FAILS),
        ("The latency of order-service has not recovered.", HOLDS),
        ("The merged disk reads of node are over.", HOLDS),
        ("The merged disk reads of node continue.", FAILS),
        # Never abnormal: nothing shows that there was anything to recover from.
        ("The CPU use of storefront has recovered.", UNSHOWN),
        # How each came out is no course.
        ("716 waits for a connection ended without one.", []),
        # What stops is the recording.
        ("The recording stopped at 12:49.", []),
        ("About 20 % of the requests to order-service came back as a failure.", []),
    ],
)
def test_the_course_is_that_of_the_findings(course: Judged, text: str, outcomes: list[str]) -> None:
    assert course(text) == outcomes


def test_it_is_what_the_sentence_before_named(course: Judged) -> None:
    assert course("It has not recovered.", about="order-service") == HOLDS
    assert course("It has recovered.", about="order-service") == FAILS


def test_only_what_is_cited_bears_a_course_out(course: Judged) -> None:
    text = "Requests in flight at order-service have not recovered."
    assert course(text, marks=("E6.42",)) == HOLDS
    assert course(text, marks=("E3.7",)) == UNSHOWN
