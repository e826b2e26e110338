"""A whole sentence: every part is read once, by the reader it belongs to."""

import time
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.mentions import (
    Bound,
    Form,
    Place,
    Sentence,
    Statement,
    WordKind,
)
from superbizagent.analysis.claims.scan.names import NameTable
from superbizagent.analysis.claims.scan.scanner import Setting, scan
from superbizagent.analysis.claims.scan.sentences import split_text

NOW = datetime(2026, 11, 30, 12, 50, tzinfo=UTC)
NAMES = NameTable(
    {name: (f"//service/{name}",) for name in ("orders-service", "orders-db", "catalog-api-0")},
    frozenset({"http_requests_total"}),
)
SETTING = Setting(NOW, UTC, NAMES)


def read(text: str) -> Statement:
    (sentence,) = split_text(text)
    return scan(sentence, SETTING)


def test_an_english_sentence_is_read_whole() -> None:
    said = read(
        "At 12:41 the p99 of orders-service rose from 31 ms to 2.6 s (85-fold), and 716 requests"
        ' failed with HTTP 503 and "connection refused by 10.0.0.1".[E3.2]'
    )

    assert said.sentence.marks == ("E3.2",)
    assert [n.entities for n in said.names] == [("//service/orders-service",)]
    assert [m.text for m in said.moments] == ["12:41"]
    assert [q.content for q in said.quotes] == ["connection refused by 10.0.0.1"]
    assert [(q.value, q.unit, q.form) for q in said.quantities] == [
        (0.031, "s", Form.VALUE),
        (2.6, "s", Form.VALUE),
        (85.0, "", Form.MULTIPLE),
        (716.0, "", Form.VALUE),
    ]
    assert [w.value for w in said.words_of(WordKind.STATUS)] == ["503"]
    assert [w.value for w in said.words_of(WordKind.STATISTIC)] == ["p99"]
    assert [w.value for w in said.words_of(WordKind.DIRECTION)] == ["up"]


def test_a_chinese_sentence_is_read_whole() -> None:
    said = read(
        "北京时间 20:41 起，orders-db 的 P99 延迟从 31 毫秒升到 2.6 秒，约七百个请求返回 503。"
    )

    assert [n.entities for n in said.names] == [("//service/orders-db",)]
    assert [(m.text, m.preposition) for m in said.moments] == [("北京时间 20:41", "since")]
    assert said.moments[0].accepts(datetime(2026, 11, 30, 12, 41, tzinfo=UTC))
    assert [(q.value, q.bound) for q in said.quantities] == [
        (0.031, Bound.EXACT),
        (2.6, Bound.EXACT),
        (700.0, Bound.ABOUT),
    ]
    assert [w.value for w in said.words_of(WordKind.STATUS)] == ["503"]
    assert [w.value for w in said.words_of(WordKind.STATISTIC)] == ["p99"]


@pytest.mark.parametrize(
    "text",
    [
        'It logged "716 of 3690 requests failed" there',
        "catalog-api-0 and v1.2.3 and k8s and 10.0.0.1:3306 and /items/1209",
        "at 12:41:17 on 2026-11-30 and 8 min ago",
        "`kubectl scale --replicas=3` and http://a.example/716 and OPS-12 and #7",
        "HTTP 503, 5xx, p95, the 99th percentile and 第95百分位",
        "12点41分, 北京时间 20:41 和 3 分钟前",
    ],
)
def test_digits_that_others_read_are_no_quantities(text: str) -> None:
    assert read(text).quantities == ()


def test_digits_behind_a_name_are_read_by_what_they_are() -> None:
    names = NameTable({name: (name,) for name in ("mysql", "orders-db")})
    said = scan(
        Sentence("MySQL 8.0 and mysql 8.0.36 behind orders-db:3306; orders-db:716 errors", 1),
        Setting(NOW, UTC, names),
    )

    assert [n.text for n in said.names] == ["MySQL", "mysql", "orders-db", "orders-db"]
    assert [q.value for q in said.quantities] == [716.0]


def test_code_and_what_was_cut_hold_nothing() -> None:
    for sentence in (
        Sentence("716 failed at 12:41", 1, Place.CODE),
        Sentence("716 failed at 12:41", 1, too_long=True),
    ):
        said = scan(sentence, SETTING)

        assert (said.names, said.quantities, said.moments, said.words) == ((), (), (), ())
        assert [(c.start, c.end) for c in said.clauses] == [(0, len(sentence.text))]


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=8)), timezone(-timedelta(hours=5))])
def test_a_time_without_zone_is_in_the_settings(zone: timezone) -> None:
    at = datetime(2026, 11, 30, 12, 41, tzinfo=UTC)
    wall = at.astimezone(zone)
    said = scan(Sentence(f"since {wall:%H:%M}", 1), Setting(NOW, zone))

    assert said.moments[0].accepts(at)


_SOME = (
    'orders-db|catalog-api-0|catalog-api-7| 716 | 31 ms|12:41|下午8点41分| p95| HTTP 503|"a b"'
    "| rose to | 从 | 升到 |七百多个|五分之一| v1.2.3|, |。| and |约|[E3.2]|/x/1|3 of 5|8 min ago"
    "|没有|(|)|“|`x y`"
)
_PIECES = st.sampled_from(_SOME.split("|"))
_TEXT = st.one_of(st.text(), st.lists(_PIECES, max_size=25).map("".join))


@given(_TEXT)
def test_any_text_gives_mentions_where_they_stand_and_none_twice(text: str) -> None:
    for sentence in split_text(text):
        said = scan(sentence, SETTING)
        for mention in (*said.names, *said.quantities, *said.moments, *said.quotes, *said.words):
            assert sentence.text[mention.start : mention.end] == mention.text != ""
        spans = sorted(
            (m.start, m.end) for m in (*said.names, *said.quantities, *said.moments, *said.quotes)
        )
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
        for part in (said.names, said.quantities, said.moments, said.quotes, said.words):
            assert [m.start for m in part] == sorted(m.start for m in part)
        # Every mention lies in exactly one clause.
        for word in said.words:
            assert sum(clause.holds(word) for clause in said.clauses) == 1


_HOSTILE = {
    "digits": "7" * 2000,
    "numbers": "7 " * 1000,
    "separators": "1,1" * 600,
    "quotes": "\"“'`「" * 400,
    "brackets": "([{<" * 500,
    "names": "orders-db-" * 200,
    "han numerals": "七百" * 1000,
    "times": "12:41-" * 330,
    "words": "no not never all rose to " * 80,
    "hyphens": "a-" * 1000,
    "slashes": "/a" * 1000,
    "dots": "1." * 1000,
    "codes": "503, " * 400,
    "back-ticks": "`a b` " * 330,
}


@pytest.mark.parametrize("kind", _HOSTILE)
def test_the_longest_hostile_sentence_is_read_quickly(kind: str) -> None:
    sentence = Sentence(_HOSTILE[kind][:2000], 1)
    began = time.process_time()
    scan(sentence, SETTING)

    assert time.process_time() - began < 0.5


def test_a_sentence_takes_about_a_millisecond() -> None:
    text = "At 12:41 the p99 of orders-service rose from 31 ms to 2.6 s and 716 requests failed."
    scan(Sentence(text, 1), SETTING)
    began = time.process_time()
    for _ in range(100):
        scan(Sentence(text, 1), SETTING)

    # 100 sentences in well below 0.3 s where nothing else runs.
    assert time.process_time() - began < 0.9
