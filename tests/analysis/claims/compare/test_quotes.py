"""A quote stands when its words stand in the texts of whoever is said to have written them."""

from collections.abc import Callable
from functools import partial

import pytest

from superbizagent.analysis.claims.compare.judgement import PartKind

Judged = Callable[..., list[str]]
HOLDS, FAILS, UNSHOWN = ["holds"], ["fails"], ["unshown"]


@pytest.fixture
def quotes(judged: Judged) -> Judged:
    return partial(judged, kind=PartKind.QUOTE)


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ('order-service logged "Connection held for 2753ms by place_order".', HOLDS),
        ("order-service 的日志里有“Connection held for 2753ms by place_order”。", HOLDS),
        ('order-service logged "Connection held … by place_order".', HOLDS * 2),
        ('order-service logged "Connection held for 2754ms by place_order".', UNSHOWN),
        ('storefront logged "Connection held for 2753ms by place_order".', FAILS),
        ("mysql 的日志里有“Connection held for 2753ms by place_order”。", FAILS),
        ('The log says "Connection held for 2753ms by place_order".', HOLDS),
        ("`db_client_connection_count` of order-service stood at 10.", []),
        ('The alert "OrderServiceConnectionPoolExhausted" fired.', []),
        ('The service "order-service" became slow.', []),
    ],
)
def test_a_quote_is_found_at_its_writer(quotes: Judged, text: str, outcomes: list[str]) -> None:
    assert quotes(text) == outcomes


def test_it_is_what_the_sentence_before_named(quotes: Judged) -> None:
    text = 'One of its warnings reads "Connection held for 2753ms by place_order".'
    assert quotes(text, about="order-service") == HOLDS
    assert quotes(text, about="storefront") == FAILS


def test_only_what_is_cited_bears_a_quote_out(quotes: Judged) -> None:
    text = 'order-service logged "Connection held for 2753ms by place_order".'
    assert quotes(text, marks=("E10.51",)) == HOLDS
    assert quotes(text, marks=("E10",)) == HOLDS
    assert quotes(text, marks=("E6.12",)) == UNSHOWN
