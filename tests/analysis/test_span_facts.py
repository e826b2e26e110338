"""Facts of a traces call and the findings that rest on them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import polars as pl
import pytest

from span_recordings import START, Span, hexes, request, shop, wide_rows
from superbizagent.analysis.calls import SpanCall
from superbizagent.analysis.fault_kind import fault_kind_of
from superbizagent.analysis.span_channels import read_spans
from superbizagent.analysis.span_facts import facts_of_spans
from superbizagent.analysis.span_findings import findings_from_spans
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import FaultKind, Finding, FindingKind
from superbizagent.domain.series import Labels
from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import SpanSet, span_text
from superbizagent.domain.window import Window, Windows

INCIDENT = Window(start=START + timedelta(minutes=15), end=START + timedelta(minutes=20))
BEFORE = Window(start=START, end=INCIDENT.start - timedelta(milliseconds=1))
WINDOWS = Windows(incident=INCIDENT, baselines=(BEFORE,))
KNOWN = frozenset({"order", "orders-db", "payment", "storefront"})


def entity_of(labels: Labels) -> str | None:
    name = labels["service"]
    return f"//service/{name}" if name in KNOWN else None


def read(spans: Sequence[Span]) -> tuple[SpanSet, tuple[Fact, ...], tuple[Finding, ...]]:
    rows = [row | {"kind": s.kind} for row, s in zip(wide_rows(spans), spans, strict=True)]
    empty = SpanSet()
    table = spans_from(pl.DataFrame(rows)) if rows else empty
    channels = read_spans(table, WINDOWS, entity_of)
    facts = facts_of_spans(4, table, channels, WINDOWS, entity_of)
    return table, facts, findings_from_spans(SpanCall(4, table, channels, facts))


def of(facts: Sequence[Fact], name: str, entity: str = "") -> dict[str, Fact]:
    path = f"//service/{entity}" if entity else ""
    return {f.statistic: f for f in reversed(facts) if f.name == name and f.entity == path}


def test_a_slow_wire_is_told_by_its_medians_and_a_request() -> None:
    spans, facts, found = read(shop())
    wire = of(facts, "wire:order -> payment", "payment")
    assert 400 <= float(wire["median"].value or 0) <= 460
    assert 3 <= float(wire["baseline_median"].value or 0) <= 3.5
    assert (wire["median"].unit, wire["median"].window) == ("ms", INCIDENT)
    assert wire["baseline_median"].window == BEFORE
    assert (wire["count"].value, wire["baseline_count"].value) == (60, 180)
    assert (wire["caller"].value, wire["callee"].value) == ("order", "payment")
    shown = wire["trace"]
    row = int(shown.place.removeprefix("span/"))
    assert shown.value == spans.traces[spans.trace[row]]
    assert shown.quote == span_text(spans, row)
    first = found[0]
    assert (first.kind, first.entity) == (FindingKind.WIRE_DELAY, "//service/payment")
    assert set(first.fact_ids) >= {f.id for f in wire.values()}
    assert fault_kind_of([first]) is FaultKind.NETWORK_DELAY


def test_quiet_traces_give_totals_services_and_edges_and_no_finding() -> None:
    _, facts, found = read(shop(slow_ms=3.0))
    assert found == ()
    assert of(facts, "spans_read")["count"].value == 1200
    assert of(facts, "traces_read")["count"].value == 240
    asked = of(facts, "span_requests", "payment")
    assert (asked["count"].value, asked["baseline_count"].value) == (60, 180)
    assert of(facts, "span_failures", "payment")["count"].value == 0
    edge = of(facts, "calls:order -> payment", "payment")
    assert float(edge["median"].value or 0) == pytest.approx(
        float(edge["baseline_median"].value or 0), rel=0.05
    )
    assert edge["count"].unit == "calls"
    assert [f.id for f in facts] == [f"E4.{n}" for n in range(1, len(facts) + 1)]


def test_errors_are_told_where_they_begin() -> None:
    spans = shop(slow_ms=3.0)
    late = [s.trace for s in spans if s.start >= 15 * 60_000_000]
    bad = [replace(s, status=503) if s.trace in set(late[::2]) and s.peer == "" else s
           for s in spans]  # fmt: skip
    _, facts, found = read(bad)
    errors = of(facts, "span_errors:503", "payment")
    assert float(errors["count"].value or 0) > 20
    assert errors["expected"].value == 0
    assert errors["what"].value == "503"
    kinds = {(f.kind, f.entity) for f in found}
    assert (FindingKind.SPAN_ERRORS, "//service/payment") in kinds
    assert (FindingKind.SPAN_ERRORS, "//service/storefront") not in kinds
    assert float(of(facts, "span_failures", "order")["count"].value or 0) > 20


def test_a_call_that_is_no_longer_made_is_told_by_shares() -> None:
    spans = shop(slow_ms=3.0)
    kept = [s for s in spans if s.start < 15 * 60_000_000 or "charge" not in s.operation]
    _, facts, found = read(kept)
    pattern = next(f for f in found if f.kind is FindingKind.CALL_PATTERN)
    assert pattern.entity == "//service/order"
    told = of(facts, pattern.subject, "order")
    assert (told["baseline_share"].value, told["share"].value) == (1.0, 0.0)
    assert told["operation"].value == "POST /orders"
    assert pattern.direction == -1


def test_a_database_without_spans_is_timed_by_its_callers() -> None:
    spans = [
        replace(s, duration=s.duration + 300_000) if s.peer and s.start >= 15 * 60_000_000 else s
        for s in shop(slow_ms=3.0)
    ]
    _, facts, _ = read(spans)
    wire = of(facts, "wire:order -> orders-db", "orders-db")
    assert wire["silent_callee"].value == "orders-db"
    assert "callee" not in wire


def test_nothing_and_what_was_left_out_are_facts_too() -> None:
    nothing = read([])[1]
    assert [(f.name, f.value) for f in nothing] == [("spans_read", 0), ("traces_read", 0)]
    cut = replace(SpanSet(), traces_left_out=7)
    channels = read_spans(cut, WINDOWS, entity_of)
    facts = facts_of_spans(1, cut, channels, WINDOWS, entity_of)
    assert of(facts, "traces_left_out")["count"].value == 7


def test_one_request_is_no_statistic() -> None:
    one = request(1, timedelta(minutes=16), 400.0)
    assert read(one)[2] == ()
    assert hexes(1, 4) == "f002"
