"""A stream of records folded into one digest."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from analysis_builders import POOL_LINE, START, chunks_of, pool_incident, windows
from superbizagent.analysis.log_templates import LogMiner, bucket_length
from superbizagent.domain.canonical import digest
from superbizagent.domain.logs import LogDigest, LogTemplate
from superbizagent.domain.window import Windows, from_ms

Row = tuple[float, str, str, str]
WINDOWS = windows(0, 1800, 1920, 2220)


def _mine(rows: list[Row], size: int = 1000, given_windows: Windows = WINDOWS) -> LogDigest:
    miner = LogMiner(given_windows)
    for chunk in chunks_of(rows, size):
        miner.add(chunk)
    return miner.digest()


def _usual(n: int = 600) -> list[Row]:
    pick = np.random.default_rng(3)
    rows: list[Row] = []
    for k in range(n):
        at = 2220.0 * k / n
        rows.append((at, "order-service", "info", f"order {k} created in {pick.integers(5, 51)}ms"))
        if k % 50 == 0:
            rows.append((at, "mail", "error", f"mail {k} failed: mailbox full"))
    return rows


def _find(found: LogDigest, text: str) -> LogTemplate:
    return next(t for t in found.templates if text in t.text)


def test_records_are_counted_by_window_and_bucket() -> None:
    found = _mine(_usual())
    orders = _find(found, "created")
    assert orders.text == "order <*> created in <*>"
    assert (orders.baseline_count, orders.incident_count) == (487, 81)
    assert found.records_read == 612
    assert sum(orders.buckets) == orders.baseline_count + orders.incident_count
    width = found.bucket_seconds
    assert len(orders.buckets) == int(2220 // width) + 1
    assert not orders.novel


def test_a_normal_time_that_was_recorded_later_counts_in_no_bucket() -> None:
    after = windows(0, 1, 9000, 9600).incident
    both = Windows(incident=WINDOWS.incident, baselines=(*WINDOWS.baselines, after))
    later = [(9000.0 + k, "order-service", "info", f"order {k} created in 7ms") for k in range(60)]
    orders = _find(_mine([*_usual(), *later], given_windows=both), "created")
    assert (orders.baseline_count, orders.incident_count) == (487 + 60, 81)
    assert sum(orders.buckets) == 487 + 81


def test_a_single_new_error_comes_before_a_thousand_known_ones() -> None:
    known = [*_usual(5000), (2000.0, "order-service", "error", "pool exhausted at shard 7")]
    rows = sorted(known)
    found = _mine(rows)
    assert found.templates[0].text == "pool exhausted at shard <*>"
    assert found.templates[0].novel
    assert found.templates[0].onset_at == from_ms(START + 2_000_000)
    assert found.lines[found.templates[0].lines[0]].text.endswith("pool exhausted at shard 7")


def test_a_new_information_line_is_found_among_many() -> None:
    rows = sorted([*_usual(5000), (2100.0, "order-service", "info", "config reloaded")])
    found = _mine(rows)
    assert found.templates[0].text == "config reloaded"


def test_a_burst_has_its_onset_in_the_bucket_where_it_begins() -> None:
    rows = [*_usual()]
    rows += [(2010.0 + k, "mail", "error", f"mail {k} failed: mailbox full") for k in range(150)]
    found = _mine(sorted(rows))
    onset = _find(found, "mailbox").onset_at
    assert onset is not None
    assert abs((onset - from_ms(START + 2_010_000)).total_seconds()) <= found.bucket_seconds


def test_numbers_of_lines_are_compared_and_the_largest_keeps_its_line() -> None:
    system = pool_incident()
    found = system.digest()
    pool = _find(found, "waiting_threads")
    fields = {f.key: f for f in pool.fields}
    assert (fields["pool_active"].incident_median, fields["pool_max"].incident_max) == (50, 50)
    waiting = fields["waiting_threads"]
    assert waiting.incident_max == 23
    assert waiting.incident_max_line is not None
    assert "waiting_threads=23" in found.lines[waiting.incident_max_line].text
    assert fields["after"].unit == "ms"
    assert pool.severity == "error"
    assert pool.service == "order-service"


def test_a_field_has_a_median_on_both_sides() -> None:
    rows = [
        (float(k), "db", "warn", f"slow query took={100 + k % 3}ms rows=5") for k in range(1800)
    ]
    rows += [(1920.0 + k, "db", "warn", f"slow query took={5000 + k}ms rows=5") for k in range(100)]
    took = {f.key: f for f in _mine(rows).templates[0].fields}["took"]
    assert took.baseline_median == pytest.approx(101)
    assert took.incident_median == pytest.approx(5049.5)
    assert (took.baseline_count, took.incident_count) == (1800, 100)


def test_ids_and_ports_are_no_fields() -> None:
    rows = [(10.0, "a", "info", "call user_id=5 port=80 traceId=77 size=3")]
    assert [f.key for f in _mine(rows).templates[0].fields] == ["size"]


def test_the_root_of_a_stack_trace_belongs_to_the_template() -> None:
    python = (
        'request failed\nTraceback (most recent call last):\n  File "a.py", line 3\n'
        "KeyError: 'discount'"
    )
    java = "request failed\n\tat A.b(A.java:3)\nCaused by: java.io.IOException: no space\n\tat C.d"
    found = _mine([(1950.0, "a", "error", python), (1951.0, "a", "error", java)])
    texts = {t.text for t in found.templates}
    assert texts == {
        "request failed | KeyError: 'discount'",
        "request failed | Caused by: java.io.IOException: no space",
    }


def test_a_stack_trace_of_another_release_is_the_same_template() -> None:
    trace = (
        "request failed\njava.lang.IllegalStateException: cart is closed\n"
        "\tat shop.Cart.add(Cart.java:{a})\n\tat shop.Web.post(Web.java:{b})"
    )
    rows = [(1950.0 + k, "a", "error", trace.format(a=30 + k, b=7 * k)) for k in range(9)]
    assert [t.text for t in _mine(rows).templates] == [
        "request failed | java.lang.IllegalStateException: cart is closed"
    ]
    other = trace.replace("java.lang.IllegalStateException", "java.lang.NullPointerException")
    rows.append((1960.0, "a", "error", other.format(a=30, b=0)))
    assert len(_mine(rows).templates) == 2


def test_records_outside_the_windows_or_without_a_time_are_only_read() -> None:
    chunk = chunks_of([(1860.0, "a", "info", "between"), (1950.0, "a", "info", "inside")], 10)[0]
    undated = chunk.frame.with_columns(time=chunk.frame["time"].scatter([1], [None]))
    miner = LogMiner(WINDOWS)
    miner.add(chunk)
    miner.add(type(chunk)(chunk.file, undated))
    found = miner.digest()
    assert (found.records_read, found.records_in_incident, found.records_in_baseline) == (4, 1, 0)


def test_without_a_baseline_nothing_is_new() -> None:
    found = _mine([(1950.0, "a", "error", "boom")])
    assert not found.templates[0].novel


def test_nothing_read_is_an_empty_digest() -> None:
    found = LogMiner(WINDOWS).digest()
    assert (found.templates, found.lines, found.records_read) == ((), (), 0)


def test_empty_bodies_and_missing_services_are_records_too() -> None:
    chunk = chunks_of([(1950.0, "a", "info", "")], 10)[0]
    bare = chunk.frame.with_columns(
        service=chunk.frame["service"].set(chunk.frame["service"] == "a", None),
        body=chunk.frame["body"].set(chunk.frame["body"] == "", None),
        severity=chunk.frame["severity"].scatter([0], [None]),
    )
    miner = LogMiner(WINDOWS)
    miner.add(type(chunk)(chunk.file, bare))
    assert miner.digest().templates[0].severity == "unknown"


def test_at_most_so_many_lines_are_kept_and_every_template_gets_some() -> None:
    rows = [
        (1920.0 + k / 10, "a", "error", f"kind {'abc'[k % 3]} failed at {k}") for k in range(900)
    ]
    miner = LogMiner(WINDOWS, max_lines=30)
    for chunk in chunks_of(rows, 100):
        miner.add(chunk)
    found = miner.digest()
    assert len(found.lines) == 30
    assert all(len(t.lines) >= 4 for t in found.templates)
    times = [line.at for line in found.lines]
    assert times == sorted(times, key=lambda t: t or from_ms(0))


def test_first_and_last_line_of_a_template_are_kept() -> None:
    rows = [(1920.0 + k / 10, "a", "info", f"tick {k} done") for k in range(2000)]
    found = _mine(rows)
    texts = [found.lines[k].text for k in found.templates[0].lines]
    assert texts[0].endswith("tick 0 done")
    assert texts[-1].endswith("tick 1999 done")


def test_the_id_of_a_template_is_of_service_and_text_alone() -> None:
    one = _mine([(1950.0, "a", "error", "boom 1")]).templates[0]
    two = _mine([(1960.0, "a", "warn", "boom 2"), *_usual()]).templates
    assert one.id in {t.id for t in two}
    other = _mine([(1950.0, "b", "error", "boom 1")]).templates[0]
    assert one.id != other.id


def test_templates_beyond_the_cap_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("superbizagent.analysis.log_templates._MAX_TEMPLATES", 2)
    found = _mine([(1950.0, "a", "info", text) for text in ("one fish", "two cats big", "three")])
    assert (len(found.templates), found.templates_left_out) == (2, 1)
    assert all(sum(t.buckets) == 1 for t in found.templates)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6), st.integers(0, 3))
@settings(max_examples=15, deadline=None)
def test_cutting_the_stream_elsewhere_changes_nothing(sizes: list[int], seed: int) -> None:
    pick = np.random.default_rng(seed)
    rows: list[Row] = []
    for k in range(1200):
        at = 2220.0 * k / 1200
        if pick.random() < 0.2:
            body = POOL_LINE.format(pick.integers(1000, 5000), pick.integers(0, 40))
            rows.append((at, "order-service", "error", body))
        else:
            rows.append((at, "web", "info", f"served item={pick.integers(0, 9)} in {k}ms"))
    chunk = chunks_of(rows, len(rows))[0]
    miner = LogMiner(WINDOWS)
    start = 0
    for size in [*sizes, len(rows)]:
        miner.add(type(chunk)(chunk.file, chunk.frame[start : start + size]))
        start += size
    whole = LogMiner(WINDOWS)
    whole.add(chunk)
    assert digest(miner.digest()) == digest(whole.digest())


@pytest.mark.parametrize(
    ("incident", "whole", "expected"),
    [(300, 2400, 15.0), (60, 600, 5.0), (300, 86_400 * 7, 3600.0), (10, 30, 1.0)],
)
def test_buckets_are_as_fine_as_their_number_allows(
    incident: float, whole: float, expected: float
) -> None:
    assert bucket_length(windows(0, 10, whole - incident, whole)) == expected


def test_medians_are_of_an_even_sample_and_the_maximum_is_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("superbizagent.analysis._log_values._SAMPLE", 10)
    rows = [(1920.0 + k / 10, "a", "info", f"took={k}ms") for k in range(100)]
    took = _mine(rows, 7).templates[0].fields[0]
    # Every 16th of a hundred: 0, 16, … 96.
    assert (took.incident_median, took.incident_max, took.incident_count) == (48, 99, 100)


def test_a_key_that_is_seen_once_may_be_missing_in_the_next_record() -> None:
    rows = [(1950.0, "a", "info", "took=5ms x"), (1951.0, "a", "info", "took=5ms 7")]
    found = _mine(rows)
    assert {f.key for t in found.templates for f in t.fields} == {"took"}


def test_a_number_too_large_to_hold_is_no_value() -> None:
    rows = [(1950.0, "a", "info", f"took={'9' * 400} size=3")]
    assert [f.key for f in _mine(rows).templates[0].fields] == ["size"]


def test_a_log_of_nothing_but_new_lines_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("superbizagent.analysis._log_kinds._MOST", 2)
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    rows = [(1950.0 + k, "a", "info", f"{w} happened here") for k, w in enumerate(words * 2)]
    texts = {t.text: t.incident_count for t in _mine(rows, 4).templates}
    assert texts == {
        "alpha happened here": 2,
        "beta happened here": 2,
        "gamma <*>": 2,
        "delta <*>": 2,
        "<*>": 4,
    }


def test_templates_do_not_depend_on_the_order_of_lines() -> None:
    rows: list[Row] = [
        *_usual(),
        *((1950.0 + k, "db", "info", f"user u{k} of {k} left") for k in range(40)),
    ]
    ids = {t.id: t.text for t in _mine(sorted(rows)).templates}
    order: list[int] = np.random.default_rng(1).permutation(len(rows)).tolist()
    mixed = [rows[k] for k in order]
    assert {t.id: t.text for t in _mine(mixed).templates} == ids


def test_values_of_a_code_are_counted_over_all_lines_and_the_rare_one_keeps_its_line() -> None:
    rows = [(2210.0 * k / 3000, "web", "info", f"GET /a/{k} 200 in {k}ms") for k in range(3000)]
    rows.append((2000.0, "web", "info", "GET /a/7 503 in 5ms"))
    found = _mine(sorted(rows), 100)
    status = {f.key: f for f in found.templates[0].fields}["status"]
    counts = {v.value: v.baseline_count + v.incident_count for v in status.values}
    first = found.templates[0]
    assert counts == {200: first.baseline_count + first.incident_count - 1, 503: 1}
    assert [v.value for v in status.values] == [200, 503]
    assert status.rare_values == (503,)
    line = status.values[1].line
    assert line is not None
    assert found.lines[line].text.endswith("GET /a/7 503 in 5ms")
    assert status.shift is None


def test_a_measure_has_no_values_and_a_constant_none_either() -> None:
    rows = [(1950.0 + k / 10, "a", "info", f"took={k}ms of=5") for k in range(100)]
    assert [f.values for f in _mine(rows).templates[0].fields] == [(), ()]
