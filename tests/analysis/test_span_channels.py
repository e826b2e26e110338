"""What spans say of every entity: the right one, whatever the order, nothing out of nothing."""

from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis_builders import entity_of
from span_builders import EDGE, END, START, WINDOWS, Shop
from superbizagent.analysis.calls import LogCall, SpanCall
from superbizagent.analysis.health import Health
from superbizagent.analysis.learnt import Learnt, learn_bands
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.ranking import RankingInput, rank_causes
from superbizagent.analysis.span_channels import (
    CHANNELS,
    PATTERN,
    SPAN_ERRORS,
    WIRE,
    SpanChannels,
    read_spans,
)
from superbizagent.analysis.span_findings import findings_from_spans
from superbizagent.analysis.span_topology import merged, topology_of_spans
from superbizagent.domain.learnt import WHOLE, LearntLength
from superbizagent.domain.logs import LogChunk, LogFile
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Windows


def read(frame: pl.DataFrame, windows: Windows = WINDOWS) -> SpanChannels:
    return read_spans(spans_from(frame), windows, entity_of)


def first(found: SpanChannels, channel: str) -> str:
    return max(found.of(channel).items(), key=lambda item: item[1])[0].rsplit("/", 1)[-1]


@pytest.mark.parametrize("service", ["orders", "users", "stock"])
def test_who_answers_late_is_first_in_delay(service: str) -> None:
    found = read(Shop(late=frozenset({service})).frame())
    assert first(found, WIRE) == service
    evidence = next(e for e in found.evidence if e.channel == WIRE)
    assert evidence.ends[1] == service
    assert evidence.baseline == pytest.approx(1.0, abs=0.2)
    assert evidence.incident == pytest.approx(301.0, abs=0.3)
    assert found.abnormal == (f"//service/{service}",)


def test_an_error_begins_where_no_callee_failed() -> None:
    shop = Shop(failing=frozenset({"stock"}))
    found = read(shop.frame())
    assert first(found, SPAN_ERRORS) == "stock"
    assert set(found.of(SPAN_ERRORS)) == {"//service/stock"}
    evidence = next(e for e in found.evidence if e.channel == SPAN_ERRORS)
    assert (evidence.subject, evidence.baseline, evidence.incident) == ("500", 0.0, 75.0)
    spans = shop.spans()
    services = {spans.services[int(spans.service[row])] for row in evidence.rows}
    assert services == {"stock"}


def test_a_step_that_is_left_out_is_a_pattern_of_its_service() -> None:
    found = read(Shop(skipping=frozenset({"users"})).frame())
    assert first(found, PATTERN) == "users"
    evidence = next(e for e in found.evidence if e.channel == PATTERN)
    assert evidence.subject == "GET /users: step"
    assert (evidence.baseline, evidence.incident) == (1.0, 0.0)


def test_a_callee_that_is_called_in_other_cases_is_not_the_one_that_changed() -> None:
    frame = Shop().frame()
    even = pl.col("trace_id").str.contains("[02468]$")
    users = pl.col("span_id").str.contains("users")
    kept = ~(users & even & (pl.col("start_us") >= EDGE * 1000))
    simple = ~((pl.col("span_id") == "users-step") & ~even)
    found = read(frame.filter(kept & simple))
    assert first(found, PATTERN) == "front"
    assert found.of(PATTERN)["//service/users"] < 0.5 * found.of(PATTERN)["//service/front"]


def test_a_step_that_comes_once_and_not_twice_is_a_pattern() -> None:
    frame = Shop().frame()
    step = pl.col("span_id") == "stock-step"
    second = frame.filter(step, pl.col("start_us") < EDGE * 1000).with_columns(
        span_id=pl.lit("stock-again")
    )
    assert first(read(pl.concat([frame, second])), PATTERN) == "stock"


def test_a_client_span_without_a_server_names_the_silent_callee() -> None:
    frame = Shop().frame()
    query = frame.filter(pl.col("operation") == "step", pl.col("service") == "stock")
    late = pl.when(pl.col("start_us") >= EDGE * 1000).then(200_000).otherwise(2000)
    query = query.with_columns(
        span_id=pl.lit("sql"), operation=pl.lit("SELECT"), duration_us=late.cast(pl.Int64)
    ).with_columns(kind=pl.lit(3), peer=pl.lit("mysql"))
    found = read(pl.concat([frame, query], how="diagonal_relaxed"))
    assert first(found, WIRE) == "mysql"
    assert found.graph.calls["//service/stock", "//service/mysql"] == 225


def test_nothing_happened_is_nothing_abnormal() -> None:
    found = read(Shop().frame())
    assert found.abnormal == ()
    assert max(max(found.of(c).values(), default=0.0) for c in CHANNELS) < 0.5


def test_what_the_baseline_itself_shows_is_not_abnormal() -> None:
    frame = Shop().frame()
    call = pl.col("span_id") == "front-users"
    late = call & (pl.col("start_us") >= (START + 300_000) * 1000)
    found = read(frame.with_columns(pl.col("duration_us") + 300_000 * late.cast(pl.Int64)))
    assert found.abnormal == ()


def test_a_background_error_of_the_baseline_is_no_news() -> None:
    frame = Shop().frame()
    own = pl.col("operation") == "GET /stock"
    every = pl.when(own & (pl.col("trace_id").hash(1) % 2 == 0)).then(pl.lit("500"))
    found = read(frame.with_columns(error=every))
    assert found.abnormal == ()


def test_one_after_another_missing_says_nothing() -> None:
    frame = Shop(late=frozenset({"stock"})).frame()
    before, after = (
        frame.filter(f)
        for f in ((pl.col("start_us") < EDGE * 1000),) * 1 + ((pl.col("start_us") >= EDGE * 1000),)
    )
    for part in (before, after, frame.head(1), frame.head(0)):
        found = read(part)
        assert found.evidence == ()
        assert not any(found.of(c) for c in CHANNELS)
    assert (
        read_spans(SpanSet(), Windows(incident=WINDOWS.incident, baselines=()), entity_of).evidence
        == ()
    )


def test_services_of_one_window_alone_are_not_blamed() -> None:
    frame = Shop(late=frozenset({"stock"})).frame()
    gone = (pl.col("service") == "users") & (pl.col("start_us") < EDGE * 1000)
    found = read(frame.filter(~gone))
    assert first(found, WIRE) == "stock"
    assert "//service/users" not in found.of(SPAN_ERRORS)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**16), st.sampled_from(["late", "failing", "skipping"]))
def test_order_and_repetition_of_spans_change_nothing(seed: int, fault: str) -> None:
    faults: dict[str, Any] = {fault: frozenset({"orders"})}
    frame = Shop(**faults).frame()
    again = pl.concat([frame, frame.sample(50, seed=seed)])
    shuffled = again.sample(fraction=1.0, shuffle=True, seed=seed)
    assert read(shuffled) == read(frame)


@settings(max_examples=15, deadline=None)
@given(st.permutations(["front", "orders", "users", "stock", "payment"]))
def test_names_do_not_matter(names: list[str]) -> None:
    given_names = ["front", "orders", "users", "stock", "payment"]
    to = dict(zip(given_names, names, strict=True))
    shop = Shop(late=frozenset({"stock"}), failing=frozenset({"users"}))
    frame = shop.frame()
    renamed = frame.with_columns(pl.col("service").replace_strict(to))
    one, other = read(frame), read(renamed)
    for channel in CHANNELS:
        moved = {f"//service/{to[e.rsplit('/', 1)[-1]]}": s for e, s in one.of(channel).items()}
        assert other.of(channel) == pytest.approx(moved, abs=1e-5)


TANGLED = st.fixed_dictionaries(
    {
        "trace_id": st.sampled_from(["t1", "t2", "t3"]),
        "span_id": st.sampled_from(list("abcdefgh")),
        "parent_id": st.sampled_from([*"abcdefgh", "root", "gone"]),
        "service": st.sampled_from(["x", "y", "z"]),
        "operation": st.sampled_from(["p", "q"]),
        "start_us": st.integers(START * 1000, END * 1000),
        "duration_us": st.integers(0, 10_000_000),
        "error": st.sampled_from([None, "500"]),
        "peer": st.sampled_from([None, "db", "x"]),
        "kind": st.integers(0, 5),
    }
)


@settings(max_examples=80, deadline=None)
@given(st.lists(TANGLED, min_size=1, max_size=60))
def test_tangled_spans_do_no_harm(rows: list[dict[str, Any]]) -> None:
    schema: dict[str, Any] = dict.fromkeys(rows[0], pl.String)
    schema |= {"start_us": pl.Int64, "duration_us": pl.Int64, "kind": pl.Int64}
    found = read(pl.DataFrame(rows, schema=schema))
    for channel in CHANNELS:
        assert all(np.isfinite(s) and s >= 0 for s in found.of(channel).values())


def test_one_request_of_a_hundred_thousand_spans_is_read() -> None:
    n = 100_000
    k = np.arange(n)
    frame = pl.DataFrame(
        {
            "trace_id": ["t"] * n,
            "span_id": np.char.mod("%x", k + 1),
            "parent_id": np.where(k == 0, "root", np.char.mod("%x", k)),
            "service": np.char.mod("s%d", k % 7),
            "operation": ["o"] * n,
            "start_us": START * 1000 + k * 8000,
            "duration_us": (n - k) * 10,
        }
    )
    assert read(frame).graph.requests["//service/s0"] != (0, 0)


def test_what_visits_wrote_counts_only_where_logs_were_read() -> None:
    shop = Shop()
    frame = shop.frame()
    wrote = frame.filter(pl.col("operation") == "step", pl.col("service") == "users")
    for part in (wrote, wrote.filter(pl.col("start_us") < EDGE * 1000)):
        miner = LogMiner(WINDOWS)
        miner.add(
            LogChunk(
                LogFile(path="a", service="", size_bytes=0, digest=""),
                pl.DataFrame(
                    {
                        "time": part["start_us"] // 1000,
                        "severity": pl.Series([3] * len(part), dtype=pl.Int8),
                        "service": part["service"],
                        "body": ["user found"] * len(part),
                        "line": ["user found"] * len(part),
                        "offset": np.arange(len(part)),
                        "trace_id": part["trace_id"],
                        "span_id": part["span_id"],
                    }
                ),
            )
        )
        found = read_spans(shop.spans(), WINDOWS, entity_of, [miner.digest()])
        assert found.of(PATTERN).get("//service/users", 0.0) < 0.3


def test_spans_alone_rank_a_cause_and_name_its_fault() -> None:
    spans = Shop(late=frozenset({"stock"})).spans()
    call = SpanCall(1, spans, read_spans(spans, WINDOWS, entity_of))
    ranking = rank_causes(RankingInput(entity_of=entity_of, spans=(call,)))
    assert ranking.candidates[0].entity == "//service/stock"
    assert {t.name for t in ranking.candidates[0].terms} >= {"wire"}
    calm = Shop().spans()
    quiet = SpanCall(1, calm, read_spans(calm, WINDOWS, entity_of))
    assert rank_causes(RankingInput(entity_of=entity_of, spans=(quiet,))).candidates == ()
    assert findings_from_spans(call, [LogCall(2, LogMiner(WINDOWS).digest())]) == ()  # no facts


def test_spans_are_held_against_what_was_learnt_of_them_or_else_their_own_bar() -> None:
    spans = Shop(late=frozenset({"stock"})).spans()
    call = SpanCall(1, spans, read_spans(spans, WINDOWS, entity_of))

    def health(learnt: dict[str, float]) -> Health:
        windows = [
            {(WHOLE, "strength"): 0.1, **{(WHOLE, c): v * k / 60 for c, v in learnt.items()}}
            for k in range(61)
        ]
        known = LearntLength(length=timedelta(minutes=10), windows=61, bands=learn_bands(windows))
        given = RankingInput(entity_of=entity_of, spans=(call,), learnt=Learnt(known))
        return rank_causes(given).health

    assert health({}).abnormal == ("//service/stock",)
    quiet = {str(c): 0.5 for c in CHANNELS}
    assert health(quiet).abnormal == ("//service/stock",)
    # Who has such delays on any good day is used to them.
    delay = 2.0 * call.channels.of(WIRE)["//service/stock"]
    restless = {str(c): delay for c in CHANNELS}
    assert health(restless).is_calm
    assert health(restless).as_learnt


def test_calls_that_were_seen_complete_a_topology() -> None:
    seen = topology_of_spans(Shop().spans())
    assert Edge(caller="orders", callee="stock") in seen.edges
    known = Topology(edges=(Edge(caller="front", callee="orders"), Edge(caller="a", callee="b")))
    both = merged(known, seen)
    assert both.edges[:2] == known.edges
    assert len(both.edges) == 5
    assert merged(both, seen) is both
