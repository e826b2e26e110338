"""Digits that are no amounts, status codes and percentiles among them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.claims.mentions import WordKind
from superbizagent.analysis.claims.scan.protected import find_protected
from superbizagent.analysis.claims.scan.sentences import normalise


def spans(text: str) -> list[str]:
    text = normalise(text)
    return [text[a:b] for a, b in find_protected(text).spans]


def words(text: str, kind: WordKind) -> list[str]:
    return [w.value for w in find_protected(normalise(text)).words if w.kind is kind]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("see http://a.example:8080/x?y=1.", "http://a.example:8080/x?y=1"),
        ("见 https://a.example/716，然后", "https://a.example/716"),
        ("jdbc:mysql://orders-db:3306/orders failed", "jdbc:mysql://orders-db:3306/orders"),
        ("mail ops7@example.com now", "ops7@example.com"),
        ("host 10.0.0.1 failed", "10.0.0.1"),
        ("10.0.0.1:3306 refused", "10.0.0.1:3306"),
        ("10.0.0.0/24 is full", "10.0.0.0/24"),
        ("fe80::1 refused", "fe80::1"),
        ("id f47ac10b-58cc-4372-a567-0e02b2c3d479 ran", "f47ac10b-58cc-4372-a567-0e02b2c3d479"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736 failed", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("commit 7c00130 broke it", "7c00130"),
        ("v1.2.3 came", "v1.2.3"),
        ("v2 came", "v2"),
        ("version 3 came", "version 3"),
        ("版本 2.4 上线", "版本 2.4"),
        ("1.4.0-rc1 came", "1.4.0-rc1"),
        ("MySQL 8.0 ran", "MySQL 8.0"),
        ("over HTTP/1.1 only", "HTTP/1.1"),
        ("TLS 1.2 only", "TLS 1.2"),
        ("/var/log/app-2.log grew", "/var/log/app-2.log"),
        ("GET /items/1209 failed", "/items/1209"),
        ("in OrderDao.java:42 it", "OrderDao.java:42"),
        ("issue #123 says", "#123"),
        ("ticket OPS-123 says", "OPS-123"),
        ("CVE-2024-1234 says", "CVE-2024-1234"),
        ("port 3306 refused", "port 3306"),
        ("端口 3306 拒绝", "端口 3306"),
        ("transaction 1209 failed", "transaction 1209"),
        ("order id=5583 failed", "id=5583"),
        ("at line 312 of it", "line 312"),
        ("with exit code 137 it", "exit code 137"),
        ("第 312 行报错", "第 312 行"),
        ("on k8s it ran", "k8s"),
        ("在k8s上", "k8s"),
        ("an S3 bucket", "S3"),
        ("IPv4 only", "IPv4"),
        ("as E3.2 says", "E3.2"),
        ("a P1 incident", "P1"),
        ("on call 24/7 here", "24/7"),
        ("a 64-bit host", "64-bit"),
        ("run `kubectl scale --replicas=3` now", "`kubectl scale --replicas=3`"),
        ("`sum by (job) (rate(x[5m]))` rose", "`sum by (job) (rate(x[5m]))`"),
    ],
)
def test_what_is_no_amount(text: str, span: str) -> None:
    assert spans(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "716 of 3,690 requests in 31 ms, 2.6 s, 19.4 %, 1e10, 1.5e-3 and 1_000_000",
        "at 12:41, 12:41:17.5, 2026-11-30T12:41:17Z, 2026/11/30, 30.11.2026, 30/Nov/2026",
        "120 /s, 5/min, 3/5, 20-30 ms, 10 of 10, 4 to 1",
        "Redis 1.2 ms, version 3 times, MySQL 716 connections, UTC+8, GMT-5",
        "CPU80%, x3, `31 ms`, `716`",
        "五分之一, 七百一十六, 第 3 次, 8 点 41 分, 1.2万",
        "500 requests, 200 rows, 404 waits, 503 ms, 429 MB, 502 %",
        "logged 500 errors, about 503 errors, over 404 errors, 约 500 个错误",
    ],
)
def test_amounts_and_times_are_left(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("HTTP 503 rose", ["503"]),
        ("status 503", ["503"]),
        ("status=503", ["503"]),
        ("status code: 503", ["503"]),
        ("with status 201", ["201"]),
        ("it answered 500.", ["500"]),
        ("catalog-api answered 500 in the log", ["500"]),
        ("it returned a 503 to the caller", ["503"]),
        ("503s rose", ["503"]),
        ("503 errors rose", ["503"]),
        ("the 500 errors", ["500"]),
        ("716 500 errors", ["500"]),
        ("429 Too Many Requests", ["429"]),
        ("5xx and 4XX responses", ["5xx", "4xx"]),
        ("5xx 错误率", ["5xx"]),
        ("502, 503 and 504 errors", ["502", "503", "504"]),
        ("502/503 errors", ["502", "503"]),
        ("HTTP 502 or 504", ["502", "504"]),
        ("返回 503", ["503"]),
        ("返回503错误", ["503"]),
        ("503 错误和 504 错误", ["503", "504"]),
        ("返回的 503 里将近一半", ["503"]),
        ("返回 503 条", []),
        ("其中约六成是 502。", ["502"]),
        ("连接数是 503。", []),
        ("状态码为 429", ["429"]),
        ("状态码 502、503 和 504", ["502", "503", "504"]),
        ("returned 500 rows", []),
        ("716 errors", []),
        ("after 503 ms", []),
        ("503.5 errors", []),
        ("1,503 errors", []),
    ],
)
def test_status_codes(text: str, codes: list[str]) -> None:
    assert words(text, WordKind.STATUS) == codes


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("p95", "p95"),
        ("the P99 latency", "p99"),
        ("p99.9", "p99.9"),
        ("p999", "p99.9"),
        ("TP99", "p99"),
        ("the 95th percentile", "p95"),
        ("the 99.9th-percentile", "p99.9"),
        ("95th per centile", "p95"),
        ("第95百分位", "p95"),
        ("第 95 百分位数", "p95"),
        ("95分位", "p95"),
        ("百分之九十五分位", "p95"),
        ("p95延迟", "p95"),
    ],
)
def test_percentiles_are_statistics(text: str, value: str) -> None:
    assert words(text, WordKind.STATISTIC) == [value]


def test_nothing_is_read_in_what_is_taken() -> None:
    assert find_protected("p95 and HTTP 503", [(0, 3), (13, 16)]).spans == ()


_SOME = (
    "503 |p95|v1|.2|/x|HTTP |10.0.0.1|:|#12| errors|状态码|第|百分位|id=|`|kubectl |abc123f|E3.2|,"
    "| and |-"
)
_PIECES = st.sampled_from(_SOME.split("|"))


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=20).map("".join)))
def test_any_text_gives_spans_and_words_where_they_stand(text: str) -> None:
    text = normalise(text)
    found = find_protected(text)

    end = 0
    for start, stop in found.spans:
        assert end <= start < stop <= len(text)
        end = stop
    for word in found.words:
        assert text[word.start : word.end] == word.text
        assert (word.start, word.end) in found.spans


_LONG = "1.|a1|/a|f|a@|a.|503, |::|p9|`kubectl |http://|#1|id=1 |第|1:"


@pytest.mark.parametrize("piece", _LONG.split("|"))
def test_long_text_takes_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    find_protected(piece * (100_000 // len(piece)))

    assert time.process_time() - began < 3
