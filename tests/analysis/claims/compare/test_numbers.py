"""A number stands when a fact of its entity, and of what it speaks of, says the same."""

from collections.abc import Callable

import pytest

from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind

_NUMBERS = frozenset({PartKind.NUMBER, PartKind.DERIVED})


@pytest.fixture(scope="module")
def number(parts_of: Callable[..., tuple[Part, ...]]) -> Callable[..., list[Part]]:
    def parts(text: str, marks: tuple[str, ...] = ()) -> list[Part]:
        return [part for part in parts_of(text, marks=marks) if part.kind in _NUMBERS]

    return parts


def outcomes(parts: list[Part]) -> str:
    """``+`` holds, ``x`` fails, ``?`` unshown; one a number."""
    sign = {Outcome.HOLDS: "+", Outcome.FAILS: "x", Outcome.UNSHOWN: "?"}
    return "".join(sign[part.outcome] for part in parts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Rounding: half a unit of the last written digit.
        ("716 requests of order-service failed.", "+"),
        ("717 requests of order-service failed.", "x"),
        ("Errors at order-service came at 1.54/s.", "+"),
        ("Errors at order-service came at 1.5/s.", "+"),
        ("Errors at order-service came at 9.6/s.", "x"),
        # About, over, under.
        ("Some 700 requests of order-service failed.", "+"),
        ("Some 600 requests of order-service failed.", "x"),
        ("More than 700 requests of order-service failed.", "+"),
        ("Fewer than 700 requests of order-service failed.", "x"),
        # Units and spellings.
        ("Latency at order-service was 2.64 s on average.", "+"),
        ("Latency at order-service was 2636 ms on average.", "+"),
        ("Latency at order-service was 2640 ms on average.", "x"),
        ("Latency at order-service was 2.64 ms on average.", "x"),
        ("order-service 的平均延迟是 2.64 秒。", "+"),
        ("order-service 的平均延迟是 2636 毫秒。", "+"),
        ("order-service 有七百一十六个请求失败。", "+"),
        ("order-service 有七百一十七个请求失败。", "x"),
        # Of which entity, of which thing.
        ("In the log of storefront there are 803 upstream failures.", "+"),
        ("In the log of order-service there are 803 upstream failures.", "x"),
        # Before and during.
        ("Latency at order-service was 2.64 s on average, 31 ms before.", "++"),
        ("Latency at order-service was 31 ms on average, 2.64 s before.", "xx"),
        ("Latency at order-service went from 31 ms to 2.64 s.", "++"),
        ("order-service 的延迟从 31 毫秒升到 2.64 秒。", "++"),
        # A part and its whole.
        ("716 of 3,690 requests of order-service failed.", "+"),
        ("716 of 3,600 requests of order-service failed.", "x"),
        ("order-service 的 3690 个请求中有 716 个失败。", "+"),
        # A peak is no upper bound.
        ("At most 24 requests of order-service were waiting for a connection.", "+"),
        ("At most 29 requests of order-service were waiting for a connection.", "x"),
        # What is counted is neither a rate nor a queue, and a request is no record.
        ("order-service failed 8 requests.", "x"),
        ("In the log of order-service there are 717 records of a connection refused.", "+"),
        # Bounds are of the nearest thing spoken of.
        ("Fewer than 800 requests of order-service failed.", "+"),
        ("At no time more than 30 requests of order-service were waiting.", "+"),
    ],
)
def test_a_number_stands_with_a_fact_that_says_the_same(
    number: Callable[..., list[Part]], text: str, expected: str
) -> None:
    assert outcomes(number(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("19.4 % of the requests of order-service failed.", "+"),
        ("29.4 % of the requests of order-service failed.", "x"),
        ("One in five requests of order-service failed.", "+"),
        ("Latency at order-service rose 85-fold.", "+"),
        ("Latency at order-service rose 25-fold.", "?"),
        ("order-service 的延迟升到了原来的 85 倍。", "+"),
        ("The alert of order-service fired 103 s after its latency had begun to rise.", "+"),
        ("The alert of order-service fired 203 s after its latency had begun to rise.", "x"),
        # A difference or a sum only where the sentence speaks of one.
        ("In total 1,519 failures and refusals were logged by storefront and order-service.", "x"),
    ],
)
def test_a_number_is_computed_only_from_what_belongs_together(
    number: Callable[..., list[Part]], text: str, expected: str
) -> None:
    assert outcomes(number(text)) == expected


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        ("Latency at order-service was 2.64 s.", ("E6.203", "E6.205"), "+"),
        ("Latency at order-service was 2.64 s.", ("E6.204", "E6.206"), "x"),
        ("716 waits for a connection of order-service timed out.", ("E6.138",), "+"),
        ("716 waits for a connection of order-service timed out.", ("E6.37",), "x"),
        ("mysql used 27.5 % of the connections it allows.", ("E7.10", "E7.132"), "+"),
        ("mysql used 37.5 % of the connections it allows.", ("E7.10", "E7.132"), "x"),
        # Neither the difference nor the sum of two citations is a level.
        ("Latency at order-service went from 2.64 s to 2.64 s.", ("E6.203", "E6.205"), "?+"),
    ],
)
def test_with_citations_only_what_is_cited_bears_a_number_out(
    number: Callable[..., list[Part]], text: str, marks: tuple[str, ...], expected: str
) -> None:
    assert outcomes(number(text, marks))[: len(expected)].replace("x", "?") == expected.replace(
        "x", "?"
    )


def test_a_status_code_is_no_amount(number: Callable[..., list[Part]]) -> None:
    assert number("The failed requests of order-service were answered with 503.") == []


def test_a_value_that_nothing_speaks_of_is_not_taken_from_somewhere_else(
    number: Callable[..., list[Part]],
) -> None:
    assert outcomes(number("mysql has 12 callers.")) != "+"


def test_a_number_without_any_topic_is_unshown(number: Callable[..., list[Part]]) -> None:
    assert outcomes(number("order-service stood at 10.")) == "?"
