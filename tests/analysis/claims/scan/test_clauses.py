from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.scan.clauses import find_clauses
from superbizagent.analysis.claims.scan.words import find_words


def divided(text: str) -> str:
    clauses = find_clauses(text, find_words(text))
    return " || ".join(text[c.start : c.end].strip() for c in clauses)


@pytest.mark.parametrize(
    "expected",
    [
        "storefront logged 803 failures || while order-service logged 717.",
        "storefront logged 803 failures || and order-service 717.",
        "storefront logged 803 failures, || order-service 717.",
        "storefront saw 803 errors, || whereas order-service saw 717.",
        "A 报错 803 次， || B 报错 717 次。",
        "A 报错 803 次， || 而 B 报错 717 次。",
        "A 报错 803 次， || B 717 次。",
        "storefront 有 803 次失败， || order-service 有 717 次失败。",
        "A 的延迟为 31 ms， || B 的延迟为 2.6 s。",
        "A 的延迟上升， || 但 B 的延迟持平。",
        "Latency rose from 31 ms to 2.6 s.",
        "716 of 3,690 requests failed.",
        "10 connections in use and 24 waiting.",
        "716 of 3,690 requests failed, 19.4 %.",
        "At 12:41, errors rose to 716.",
        "Errors rose to 716 at 12:41, || and latency rose to 2.6 s.",
        "A rose, || and at 12:41, B fell.",
        "Latency was between 20 and 30 ms.",
        "It was 31 ms before || and 2.6 s after.",
        "Mean latency was 31 ms before, || 2.6 s during the incident.",
        "CPU rose to 80 % || but memory held steady at 2 GB.",
        "CPU rose; || memory did not.",
        "CPU: 80 %; || memory: 2 GB.",
        "Memory peaked at 89.5 MiB, || up from about 20.5 MiB.",
        "The pool, which holds 10 connections, || was full.",
        "The pool was full || and requests timed out.",
        "Requests timed out because the pool was full.",
        "Since the pool was full, || requests timed out.",
        "When the pool filled up, || 24 requests waited.",
        "order-service restarted at 12:41 || and recovered at 12:49.",
        "A failed 3 times, || B failed 5 times || and C failed 7 times.",
        "A failed 3 times, || B 5 times || and C 7 times.",
        "A and B failed.",
        "A, B and C logged 803 failures.",
        "Both A and B rose by 20 %.",
        "Neither A nor B rose.",
        "CPU, memory and disk were stable.",
        "In the incident, 716 requests failed.",
        "During the incident 716 of 3,690 requests failed, || while before it only 3 did.",
        "Its p99 rose to 4.5 s, || or 3.6 s more than usual.",
        "The deploy at 12:40 preceded the errors, || but the pool was full at 12:39.",
        "A took 4.1 s, || of which 3.9 s were spent in B.",
        "It lasted two and a half minutes.",
        "About two and a quarter times the baseline.",
        "1.2 s on average where 23 ms is the median.",
        "从 12:41 到 12:49，A 一共收到 3,690 个请求， || 其中 716 个失败。",
        "延迟从 31 ms 升到 2.6 s， || 没有恢复。",
        "故障期间，A 的错误率为 19.4%， || B 的错误率为 3%。",
        "A 的连接池打满， || 导致 B 超时 24 次。",
        "A 和 B 都失败了 3 次。",
        "A、B、C 均正常。",
        "A 占用 10 个连接， || 24 个请求在等待。",
        "在 12:41，A 的延迟飙升到 2.6 s。",
        "A 先上升， || 随后 B 下降。",
        "虽然 A 上升了， || 但是 B 没有变化。",
        "A 的 CPU 升到 80%， || 内存保持在 2 GB。",
        "A 重启了 3 次； || B 没有重启。",
        "延迟为 2.6 s， || 约为平时的 85 倍。",
        "storefront: 803 failures — || gateway: 717 failures.",
        "Errors: 803 on A, || 717 on B.",
        "803 failures at storefront || and 717 at order-service.",
        "3 pods restarted on node-1, || 5 on node-2.",
        "31 ms and 2.6 s.",
        "The pool of 3,690, 19.4 % in use.",
    ],
)
def test_a_sentence_is_divided_where_both_sides_say_something(expected: str) -> None:
    # Behind a Chinese mark no blank stood.
    whole = expected.replace("， || ", "，").replace("； || ", "；").replace(" || ", " ")

    assert divided(whole) == expected


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            "gateway logged 803 failures while orders logged 717",
            [("gateway", "803"), ("orders", "717")],
        ),
        ("gateway took 31 ms, orders took 2.6 s", [("gateway", "31"), ("orders", "2.6")]),
        ("gateway 报错 803 次，orders 报错 717 次", [("gateway", "803"), ("orders", "717")]),
        ("gateway 失败 803 次而 orders 失败 717 次", [("gateway", "803"), ("orders", "717")]),
        ("803 errors on gateway and 717 on orders", [("gateway", "803"), ("orders", "717")]),
        ("At 12:41 gateway logged 803, orders 717", [("gateway", "803"), ("orders", "717")]),
    ],
)
def test_two_names_with_a_number_each_fall_apart(text: str, pairs: list[tuple[str, str]]) -> None:
    clauses = find_clauses(text, find_words(text))

    for name, number in pairs:
        inside = [c for c in clauses if c.start <= text.index(name) < c.end]
        assert [c for c in clauses if c.start <= text.index(number) < c.end] == inside


def test_a_sentence_without_a_word_is_one_clause() -> None:
    assert [(c.start, c.end) for c in find_clauses("", ())] == [(0, 0)]
    assert [(c.start, c.end) for c in find_clauses(",,,", ())] == [(0, 3)]


_TEXT = st.lists(
    st.sampled_from(
        [
            "A ",
            "B ",
            "rose ",
            "3 ",
            ", ",
            " and ",
            "; ",
            "，",
            "而",
            "报错",
            "at ",
            ": ",
            "which ",
            "3,690",
        ]
    ),
    max_size=40,
).map("".join)


@given(text=_TEXT | st.text(max_size=60))
def test_clauses_cover_the_text_without_a_gap(text: str) -> None:
    clauses = find_clauses(text, find_words(text))

    assert clauses[0].start == 0
    assert clauses[-1].end == len(text)
    assert all(a.end == b.start and a.start < a.end for a, b in pairwise(clauses))


def test_a_long_enumeration_takes_little_time() -> None:
    text = "A rose by 3 %, " * 130

    assert len(find_clauses(text, find_words(text))) == 130
