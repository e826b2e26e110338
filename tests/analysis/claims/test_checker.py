"""A text is read sentence by sentence; the worst part of a sentence decides its mark."""

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from diagnosing import diagnose, report_of
from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.ground import Ground
from superbizagent.analysis.claims.compare.judgement import Mark

ROOT = Path(__file__).parents[3]

Marks = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    folder = ROOT / "examples/mysql-connection-pool"
    done = diagnose(folder, tmp_path_factory.mktemp("data"))
    found, frame = done.diagnosis, report_of(done).frame
    return Checker.of(Ground.of(found.evidence, found.analysis, found.scope, frame), UTC)


@pytest.fixture(scope="module")
def marks(checker: Checker) -> Marks:
    return lambda text: [item.judgement.mark.value for item in checker.text(text)]


def test_each_mark(marks: Marks) -> None:
    text = (
        "716 requests of order-service failed. 900 requests of order-service failed."
        " orders-service was slow. It was a long night. Restart the pods."
    )
    assert marks(text) == [
        "supported",
        "contradicted",
        "unsupported",
        "not_checkable",
        "not_checkable",
    ]


def test_a_guess_about_the_cause_is_a_hypothesis(marks: Marks) -> None:
    assert marks("A network delay may have caused the failures of order-service.") == ["hypothesis"]


def test_it_stands_for_what_was_named_before(marks: Marks) -> None:
    text = "storefront was slow. Its log has 803 upstream failures."
    assert marks(text)[1] == "supported"


def test_a_heading_says_what_follows_is_about(checker: Checker) -> None:
    found = checker.text("## storefront\n\nThe log has 803 upstream failures.\n")
    assert [item.judgement.mark for item in found] == [Mark.NOT_CHECKABLE, Mark.SUPPORTED]


def test_citations_of_a_text_are_taken_at_their_word(marks: Marks) -> None:
    assert marks("716 waits for a connection timed out. [E12.9]") == ["supported"]
    assert marks("716 waits for a connection timed out. [E99.1]") == ["contradicted"]
    assert marks("716 waits for a connection timed out. [E5.10]") == ["contradicted"]


def test_a_number_in_an_unknown_unit_does_not_pass_unread(marks: Marks) -> None:
    text = "order-service failed 716 requests at 3.95 zorks."
    assert marks(text) not in (["supported"], ["partial"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n",
        "[" * 50_000,
        "“" * 20_000 + "716" + "”" * 20_000,
        "\u202e716 requests of order-service failed\u202c",
        "\x1b[31m716\x1b[0m\x00 requests of order-service failed.",
        "716 " * 100_000,
        "not " * 50_000 + "fail",
        "order-service, " * 20_000,
    ],
    ids=["empty", "lines", "brackets", "quotes", "rtl", "controls", "numbers", "nots", "names"],
)
def test_hostile_text_is_read_to_its_end(checker: Checker, text: str) -> None:
    for item in checker.text(text):
        assert item.judgement.mark in Mark


def test_full_width_and_ascii_get_the_same_mark(marks: Marks) -> None:
    assert marks("order-service 有７１６个请求失败。") == marks("order-service 有 716 个请求失败。")
