"""Quotations: what is said to stand in the evidence word for word."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.scan.quotes import find_code_words, find_quotes
from superbizagent.analysis.claims.scan.sentences import normalise


def contents(text: str) -> list[str]:
    return [quote.content for quote in find_quotes(normalise(text))]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('It logged "connection refused" twice.', ["connection refused"]),
        ('It logged "connection refused."', ["connection refused"]),
        ('It logged "connection refused," then', ["connection refused"]),
        ("It logged “connection refused” twice.", ["connection refused"]),
        ("It logged ‘connection refused’ twice.", ["connection refused"]),
        ("It logged 'connection refused' twice.", ["connection refused"]),
        ("It logged 'can't connect' twice.", ["can't connect"]),
        ("日志为「connection refused」。", ["connection refused"]),
        ("日志写着“连接池已满,等待超时”。", ["连接池已满,等待超时"]),
        ("`SELECT * FROM orders` ran", ["SELECT * FROM orders"]),
        ("`level=error` rose", ["level=error"]),
        ("`InnoDB: transaction 1209 waits` rose", ["InnoDB: transaction 1209 waits"]),
        ('"transaction ... waits for lock"', ["transaction", "waits for lock"]),
        ('"transaction <n> waits for lock"', ["transaction", "waits for lock"]),
        ("最慢的一条是：INFO [api] path=/x status=201。", ["INFO [api] path=/x status=201"]),
        ("It ends with: 2026-11-30T12:41:17Z ERROR a=1", ["2026-11-30T12:41:17Z ERROR a=1"]),
        ('"lock wait" and "pool full"', ["lock wait", "pool full"]),
    ],
)
def test_quotations(text: str, quoted: list[str]) -> None:
    assert contents(text) == quoted


@pytest.mark.parametrize(
    "text",
    [
        "It didn't reach the users' own pods' logs.",
        'a "healthy" service, the "noisy" one',
        "所谓“雪崩”现象",
        'the alert "HighLatency"',
        "`31 ms` and `716 requests` and `orders-service`",
        "run `kubectl rollout undo deploy/a` now",
        "`rate(http_requests_total[5m])` rose",
        'a 5" disk and 6" more',
        '"" and “”',
        "90's and '80s",
        "One thing is sure: ERROR records are rare in it",
    ],
)
def test_what_quotes_nothing(text: str) -> None:
    assert contents(text) == []


def test_the_marks_belong_to_the_mention() -> None:
    (quote,) = find_quotes('It logged "716 were refused" twice.')

    assert (quote.text, quote.start) == ('"716 were refused"', 10)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("`LockWaitTimeoutException` rose", "LockWaitTimeoutException"),
        ("table `orders.order_items` waits", "orders.order_items"),
        ("`max_connections` is 10", "max_connections"),
        ("`OrderDao.find()` waits", "OrderDao.find"),
    ],
)
def test_words_of_code_are_quotations(text: str, word: str) -> None:
    (quote,) = find_code_words(text)

    assert quote.content == word
    assert (
        text[quote.start : quote.end] == quote.text == text[: text.rindex("`") + 1][quote.start :]
    )


@pytest.mark.parametrize("text", ["`orders`", "`716`", "`12:41`", "`true`", "`--flag`", "`a-b`"])
def test_plain_words_in_back_ticks_are_none(text: str) -> None:
    assert find_code_words(text) == ()


def test_nothing_is_read_in_what_is_taken() -> None:
    assert find_code_words("`max_connections`", [(1, 16)]) == ()


_HOSTILE = st.text(alphabet="ab '\"`“”「」‘’.<>=_…\\错误")


@given(st.one_of(st.text(), _HOSTILE))
def test_any_text_gives_quotes_where_they_stand(text: str) -> None:
    text, end = normalise(text), 0
    for quote in find_quotes(text):
        assert text[quote.start : quote.end] == quote.text
        assert quote.content in quote.text
        assert quote.start >= end
        end = quote.end
    for quote in find_code_words(text):
        assert text[quote.start : quote.end] == quote.text


@given(st.from_regex(r"[a-z]{3,8} [a-z]{3,8}( [a-z]{3,8})?", fullmatch=True))
def test_the_kind_of_marks_makes_no_difference(content: str) -> None:
    for marks in ("“”", "「」", '""', "''", "‘’"):
        assert contents(f"it said {marks[0]}{content}{marks[1]} twice") == [content]


@pytest.mark.parametrize(
    "piece", ['"', "“", "「", "'", "`", "'a ", '"a b', "“「", "`a", "...", "<a>"]
)
def test_long_text_takes_time_in_proportion(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.process_time()
    find_quotes(text)
    find_code_words(text)

    assert time.process_time() - began < 2
