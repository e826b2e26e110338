import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.mentions import WordKind
from superbizagent.analysis.claims.scan.lexicon import en, en_links, zh
from superbizagent.analysis.claims.scan.lexicon.rows import senses_of
from superbizagent.analysis.claims.scan.lexicon.rules import Around, holds
from superbizagent.analysis.claims.scan.words import find_words


def read(text: str, taken: tuple[tuple[int, int], ...] = ()) -> set[str]:
    """Everything but concepts, as ``kind:value@text``."""
    return {
        f"{w.kind.value}:{w.value}@{w.text.lower()}"
        for w in find_words(text, taken)
        if w.kind is not WordKind.CONCEPT
    }


def kinds(text: str) -> list[str]:
    return [f"{w.kind.value}:{w.value}" for w in find_words(text) if w.kind is not WordKind.CONCEPT]


def concepts(text: str) -> set[str]:
    return {w.value for w in find_words(text) if w.kind is WordKind.CONCEPT}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{subject} {verb}.", value)
        for value, verbs in {
            "up": "rose, spiked, crept up, soared, climbed, shot up, ballooned, went up, surged, "
            "jumped, has been growing, was up by 20 %, skyrocketed, kept climbing",
            "down": "fell, tanked, plummeted, dropped off, dropped, went down, sank, plunged, "
            "collapsed, dipped, is down 20 %, tapered off, shrank",
            "flat": "flat-lined, held steady, was stable, did not change, stayed normal, "
            "remained unchanged, hardly moved, levelled off",
            "appeared": "kicked in, emerged, showed up",
            "vanished": "went dark, disappeared, stopped reporting",
        }.items()
        for verb in verbs.split(", ")
        for subject in ("Latency",)
    ],
)
def test_english_says_which_way(text: str, expected: str) -> None:
    assert f"direction:{expected}" in kinds(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"延迟{verb}。", value)
        for value, verbs in {
            "up": "飙升 攀升 陡增 激增 抬升 上升 增加 上涨 走高 变慢 了升到顶",
            "down": "回落 骤降 下降 下跌 减少 锐减 走低 变快",
            "flat": "持平 平稳 没有变化 保持不变 保持正常 未见异常",
            "vanished": "消失 断流",
        }.items()
        for verb in verbs.split()
    ],
)
def test_chinese_says_which_way(text: str, expected: str) -> None:
    assert f"direction:{expected}" in kinds(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Periods, orders and times with the same words.
        ("It was 31 ms before.", ["period:baseline"]),
        ("It was 31 ms before and 2.6 s after.", ["period:baseline", "period:incident"]),
        ("It was 31 ms before the incident.", ["period:baseline"]),
        ("A rose before B rose.", ["direction:up", "order:before", "direction:up"]),
        ("A rose 40 seconds earlier.", ["direction:up", "order:before"]),
        ("A rose, then B fell.", ["direction:up", "order:before", "direction:down"]),
        ("A failed after B restarted.", ["order:after"]),
        ("It normally takes 31 ms.", ["period:baseline"]),
        ("Latency has been high since then.", ["period:incident"]),
        ("Since the pool was full, requests failed.", ["cause:backward"]),
        ("Requests failed because the pool was full.", ["cause:backward"]),
        ("It has not recovered since.", ["course:ongoing", "period:incident"]),
        ("It rose from 31 ms to 2.6 s.", ["direction:up", "period:from", "period:to"]),
        ("Calls from A to B failed.", []),
        ("It was slow due to 3 locks.", ["cause:backward"]),
        # Up and down, over, still.
        ("Latency was up to 40 ms.", ["statistic:max"]),
        ("The service is up and running.", []),
        ("We set up 3 pods.", []),
        ("The incident is over.", ["course:over"]),
        ("Errors grew over the window.", ["direction:up"]),
        ("A is still failing.", ["course:ongoing"]),
        ("A still answered 2,974 requests.", []),
        ("Errors are no longer rising.", ["course:over", "direction:up"]),
        ("A came back as a failure.", []),
        ("A came back at noon.", ["course:over"]),
        # Absence and negation.
        ("No errors were logged.", ["absence:none"]),
        ("There was no significant rise.", ["negation:not", "direction:up"]),
        ("Latency did not rise.", ["negation:not", "direction:up"]),
        ("Latency never rose.", ["negation:not", "direction:up"]),
        ("It was never more than 35 ms.", []),
        ("No deployment shows up anywhere.", ["absence:none"]),
        ("None of the pods restarted.", ["scope:none"]),
        ("A did not cause B to fail.", ["negation:not", "cause:forward"]),
        # Scope.
        ("Only 3 pods failed.", ["scope:only"]),
        ("It failed not only here.", []),
        ("A read-only replica failed.", []),
        ("A non-zero count.", []),
        ("Just before noon.", ["order:before"]),
        ("All pods failed every minute.", ["scope:all"]),
        ("Not at all.", ["negation:not"]),
        ("Most requests failed.", ["scope:most"]),
        ("A had the most errors.", ["comparison:most"]),
        # Comparison, statistics.
        ("A was slower than B.", ["comparison:more"]),
        ("A was slower than usual.", ["direction:up", "period:baseline"]),
        ("A had more errors than B.", ["comparison:more"]),
        ("The highest value was 40 ms.", ["statistic:max"]),
        ("A had the highest latency of all services.", ["comparison:most", "scope:all"]),
        ("It peaked at 40 ms, 31 ms on average.", ["statistic:max", "statistic:mean"]),
        # Cause.
        ("A caused B to fail.", ["cause:forward"]),
        ("A failure caused by B.", ["cause:backward"]),
        ("The root cause was B.", ["cause:root"]),
        ("The limit was far, so mysql is cleared.", []),
        ("A calls B, which in turn relies on C.", []),
        ("The merges filled the disk.", ["cause:forward"]),
        ("The disk was filled.", []),
        ("It made orders-db slow.", ["cause:forward"]),
        ("It made 3 calls.", []),
        ("The load produced the lock waits.", ["cause:forward"]),
        ("It produced the warning twice.", []),
        ("No change was recorded.", ["absence:none"]),
        ("There was no change in latency.", ["direction:flat"]),
        ("The cause was B.", ["cause:root"]),
        ("This gave rise to errors.", ["cause:forward"]),
        ("The pool was full, so requests failed.", ["cause:forward"]),
        ("It slowed down by a factor of 288.", []),
        ("It was slowed down by B.", ["cause:backward"]),
        # Novelty.
        ("A new error was seen.", ["novelty:new"]),
        ("A new version was deployed.", []),
        ("The error was first seen at 12:41.", ["order:first"]),
        ("An error never seen before.", ["novelty:new"]),
        # Guess and advice.
        ("It may be the pool.", ["hedge:guess"]),
        ("It happened in May 2026.", []),
        ("You should restart it.", ["advice:advice"]),
        ("Restart A and check the pool.", ["advice:advice", "advice:advice"]),
        ("If errors persist, roll back A.", ["hedge:guess", "course:ongoing", "advice:advice"]),
        ("Increase the pool.", ["advice:advice"]),
        ("Increase in errors.", ["direction:up"]),
        ("Log lines show 3 errors.", []),
        ("GET /products failed.", []),
        ("Add up the times and you get 5 s.", []),
    ],
)
def test_english_words_mean_what_their_place_says(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("延迟没有上升", ["negation:not", "direction:up"]),
        ("没有错误", ["absence:none"]),
        ("无错误日志", ["absence:none"]),
        ("无法连接", ["negation:not"]),
        ("与发布无关", ["negation:not"]),
        ("未来的计划", []),
        ("未发现错误", ["absence:none"]),
        ("延迟不高", ["negation:not"]),
        ("在 A 之上", []),
        ("目前 3 个", ["period:incident"]),
        ("前端报错", []),
        ("已升级到新版本", []),
        ("延迟从 31 ms 升到 2.6 s", ["period:from", "direction:up", "period:to"]),
        ("延迟飙升至接近 2 s", ["direction:up", "period:to"]),
        ("从 A 到 B 的调用", []),
        ("之前为 31 ms", ["period:baseline"]),
        ("A 在 B 之前上升", ["order:before", "direction:up"]),
        ("A 比 B 早 5 秒报错", ["order:before"]),
        ("故障前只有 31 ms", ["period:baseline", "scope:only"]),
        ("仍未恢复", ["course:ongoing"]),
        ("已恢复", ["course:over"]),
        ("A 仍成功处理 2974 个请求", []),
        ("连接池耗尽导致超时", ["cause:forward"]),
        ("超时由连接池耗尽引起", ["cause:backward"]),
        ("超时是连接池耗尽导致的", ["cause:backward"]),
        ("根因是连接池", ["cause:root"]),
        ("因此请求失败", ["cause:forward"]),
        ("慢查询占满了连接池", ["cause:forward"]),
        ("连接池被占满了", []),
        ("推荐服务瘫痪", []),
        ("因为池满，请求失败", ["cause:backward"]),
        ("告警触发时已经超时", []),
        ("最高达 40 ms", ["statistic:max"]),
        ("延迟最高的服务是 A", ["comparison:most"]),
        ("A 比 B 高", ["comparison:more"]),
        ("A 高于 B", ["comparison:more"]),
        ("所有实例均失败", ["scope:all", "scope:all"]),
        ("仅 3 个实例", ["scope:only"]),
        ("可能是连接池", ["hedge:guess"]),
        ("建议重启", ["advice:advice"]),
        ("请求失败", []),
        ("请重启 A", ["advice:advice"]),
        ("重启 order-service", ["advice:advice"]),
        ("重启后恢复", ["order:after", "course:over"]),
        ("响应变慢", ["direction:up"]),
        ("平均 31 ms，峰值 2 s", ["statistic:mean", "statistic:max"]),
        ("新出现的错误", ["novelty:new"]),
        ("A 与 B 同时上升", ["order:same", "direction:up"]),
        ("同时处理 34 个请求", []),
        ("指标在正常区间内", ["direction:flat"]),
    ],
)
def test_chinese_words_mean_what_their_place_says(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the connection pool was exhausted", {"connection", "pool", "saturation"}),
        ("24 requests waiting", {"request", "traffic", "waiting"}),
        ("10 connections in use", {"connection", "held"}),
        ("p95-latency of the gateway", {"latency"}),
        ("连接池打满，请求排队", {"connection", "pool", "saturation", "request", "traffic"}),
        ("CPU 使用率升高", {"cpu"}),
        ("pods were OOM-killed", {"pod", "memory", "restart"}),
        ("packet loss on the link", {"packet_loss", "network"}),
    ],
)
def test_what_is_measured_is_read(text: str, expected: set[str]) -> None:
    assert expected <= concepts(text)


def test_nothing_is_read_in_what_is_taken() -> None:
    text = "It rose before 12:41 at over 700 on order-service."
    before, over, name = (text.index(part) for part in ("before 12:41", "over 700", "order-"))
    taken = ((before, before + 12), (over, over + 8), (name, name + 13))

    assert read(text, taken) == {"direction:up@rose"}
    assert not [w for w in find_words(text, taken) if w.kind is WordKind.CONCEPT]


def test_a_phrase_that_reaches_into_what_is_taken_is_no_phrase() -> None:
    text = "It was no more than 5."
    start = text.index("more than 5")

    assert "course:over@no more" not in read(text, ((start, start + 11),))


def test_a_bound_that_was_never_passed_is_no_movement() -> None:
    text = "Availability never dropped below 97 %."
    start = text.index("below")

    assert read(text, ((start, start + 10),)) == set()
    assert read("Availability never dropped.") == {"negation:not@never", "direction:down@dropped"}


def test_words_inside_identifiers_are_no_words() -> None:
    assert find_words("http_errors_total") == ()
    assert find_words("did_not_rise") == ()


def test_a_phrase_with_several_meanings_gives_a_word_for_each() -> None:
    words = find_words("It slowed down.")

    assert {(w.kind, w.value) for w in words} == {
        (WordKind.DIRECTION, "up"),
        (WordKind.CONCEPT, "latency"),
    }
    assert {w.text for w in words} == {"slowed down"}


def test_every_rule_of_the_listings_is_known() -> None:
    around = Around("", "")
    for listing in (en.LISTING, en_links.LISTING, zh.LISTING):
        for _, sense in senses_of(listing):
            if sense is not None:
                assert holds(sense, around) in {True, False}


_PARTS = (
    "rose",
    "fell",
    "no",
    "never",
    "before",
    "没有",
    "上升",
    "由",
    "导致",
    "比",
    "高",
    "latency",
    "up",
)
_TEXT = st.lists(
    st.sampled_from(
        [
            *"abz019 -,.，。",
            *_PARTS,
        ]
    ),
    max_size=60,
).map("".join)


@given(text=_TEXT | st.text(max_size=80), at=st.integers(0, 80), size=st.integers(0, 20))
def test_words_stand_in_the_text_and_clear_of_what_is_taken(text: str, at: int, size: int) -> None:
    words = find_words(text, ((at, at + size),))

    assert [w.start for w in words] == sorted(w.start for w in words)
    for word in words:
        assert text[word.start : word.end] == word.text
        assert word.end <= at or word.start >= at + size or size == 0
    spans = sorted({(w.start, w.end) for w in words})
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


@given(spaces=st.sampled_from([" ", ""]), verb=st.sampled_from(["飙升", "骤降", "恢复", "持平"]))
def test_blanks_around_chinese_change_nothing(spaces: str, verb: str) -> None:
    assert kinds(f"延迟{spaces}{verb}") == kinds(f"延迟{verb}")


@pytest.mark.parametrize("part", ["no ", "由", "比", "in the longest ", "than ", "a-", "没有"])
def test_long_hostile_text_takes_time_in_proportion(part: str) -> None:
    def cost(size: int) -> float:
        text = (part * size)[:size]
        start = time.process_time()
        find_words(text)
        return time.process_time() - start

    cost(1000)
    # Sixteen times the text: a pattern that backtracks would take 256 times as long. The least of
    # three, as a busy machine slows one of them.
    least = [min(cost(size) for _ in range(3)) for size in (2000, 32_000)]
    assert least[1] < 64 * max(least[0], 0.002)
