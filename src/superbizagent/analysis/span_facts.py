"""Facts of one traces call: totals, services, edges, and what each finding consists of.

Of an edge between two services: how long its calls take beyond what the callee says it took, as
medians before and during. What is found bears the name of its evidence, ``channel:subject``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from superbizagent.analysis._fact_list import EntityOf, FactList
from superbizagent.analysis._visits import Visits, visits_of
from superbizagent.analysis.span_channels import (
    PATTERN,
    SPAN_ERRORS,
    WIRE,
    SpanChannels,
    SpanEvidence,
)
from superbizagent.analysis.span_scores import FLOORS
from superbizagent.analysis.wire_delay import Wire, wire_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.spans import SpanSet, span_text
from superbizagent.domain.window import Windows, from_ms

__all__ = ["facts_of_spans"]

_EDGES = 20
_SERVICES = 50
_FOUND = 12
_EXAMPLES = 2
_COUNT = "count"
_MEASURES = {WIRE: ("median", "ms"), PATTERN: ("share", "ratio"), SPAN_ERRORS: (_COUNT, "requests")}
"""Channel -> statistic and unit of what it compares."""


def facts_of_spans(
    call: int, spans: SpanSet, channels: SpanChannels, windows: Windows, entity_of: EntityOf
) -> tuple[Fact, ...]:
    """Return the facts of a traces call.

    Args:
        call: its number.
        spans: what it found.
        channels: what was computed of that.
        windows: what is compared.
        entity_of: tells which entity a service is.
    """
    facts = FactList(call)
    visits = visits_of(spans, windows, entity_of)
    _add_totals(facts, spans, windows)
    if len(spans):
        _add_services(facts, visits, channels, windows)
        for k, evidence in enumerate(_strong(channels)):
            compared = evidence.windows or windows
            _add_evidence(facts, visits, evidence, f"evidence/{k}", compared)
        _add_edges(facts, visits, windows)
    return tuple(facts.items)


def _strong(channels: SpanChannels) -> Sequence[SpanEvidence]:
    """Return what may become a finding; records of logs have facts of their own."""
    found = [
        e
        for e in channels.evidence
        if channels.of(e.channel).get(e.entity, 0.0) >= 0.5 * FLOORS[e.channel]
        and e.template is None
    ]
    return found[:_FOUND]


def _add_totals(facts: FactList, spans: SpanSet, windows: Windows) -> None:
    whole = windows.whole
    facts.add("spans_read", float(len(spans)), statistic=_COUNT, unit="spans", window=whole)
    traces = float(len(spans.traces))
    facts.add("traces_read", traces, statistic=_COUNT, unit="traces", window=whole)
    if spans.traces_left_out:
        left_out = float(spans.traces_left_out)
        facts.add("traces_left_out", left_out, statistic=_COUNT, unit="traces", window=whole)


def _add_services(
    facts: FactList, visits: Visits, channels: SpanChannels, windows: Windows
) -> None:
    """Requests and failed spans of every service, the busiest first."""
    failed = visits.spans.error >= 0
    seen = sorted(channels.graph.requests.items(), key=lambda item: (-sum(item[1]), item[0]))
    for k, (entity, requests) in enumerate(seen[:_SERVICES]):
        own = visits.node == visits.nodes.index(entity)
        errors = [int(np.sum(own & failed & (visits.window == w))) for w in (0, 1)]
        about: dict[str, Any] = {"entity": entity, "place": f"service/{k}"}
        _add_pair(facts, "span_requests", requests, "requests", windows, **about)
        _add_pair(facts, "span_failures", errors, "spans", windows, **about)


def _add_pair(
    facts: FactList,
    name: str,
    counts: Sequence[int],
    unit: str,
    windows: Windows,
    **about: Any,
) -> None:
    before, during = counts
    window = windows.incident
    facts.add(name, float(during), statistic=_COUNT, unit=unit, window=window, **about)
    if windows.baselines:
        window = windows.baselines[0]
        facts.add(
            name, float(before), statistic="baseline_count", unit=unit, window=window, **about
        )


def _add_evidence(
    facts: FactList, visits: Visits, evidence: SpanEvidence, place: str, windows: Windows
) -> None:
    spans = visits.spans
    about: dict[str, Any] = {
        "name": evidence.name,
        "entity": evidence.entity,
        "place": place,
        "unit": _MEASURES[evidence.channel][1],
    }
    statistic, late = _MEASURES[evidence.channel][0], windows.incident
    facts.add(value=evidence.incident, statistic=statistic, window=late, **about)
    if evidence.channel == SPAN_ERRORS:
        facts.add(value=evidence.baseline, statistic="expected", window=late, **about)
    elif windows.baselines:
        before = windows.baselines[0]
        facts.add(
            value=evidence.baseline, statistic=f"baseline_{statistic}", window=before, **about
        )
    del about["unit"], about["name"]
    if evidence.channel != SPAN_ERRORS:
        counted = "calls" if evidence.channel == WIRE else "requests"
        _add_pair(facts, evidence.name, evidence.counts, counted, windows, **about)
    for role, text in _roles(visits, evidence):
        facts.add(evidence.name, text, statistic=role, quote=text, **about)
    for row in evidence.rows[:_EXAMPLES]:
        facts.add(
            evidence.name,
            spans.traces[int(spans.trace[row])],
            statistic="trace",
            at=from_ms(int(spans.start[row]) // 1000),
            quote=span_text(spans, row),
            **about | {"place": f"span/{row}"},
        )


def _roles(visits: Visits, evidence: SpanEvidence) -> Iterator[tuple[str, str]]:
    """Name what the ends of an evidence are; a callee without spans of its own is silent."""
    first, second = evidence.ends
    if evidence.channel == WIRE:
        own = visits.nodes[int(visits.node[evidence.rows[0]])] if evidence.rows else ""
        yield "caller", first
        yield ("silent_callee" if _short(own) == first else "callee"), second
    elif evidence.channel == PATTERN:
        yield "operation", first
        yield evidence.event, second
    else:
        yield "what", second


def _add_edges(facts: FactList, visits: Visits, windows: Windows) -> None:
    """Medians of the edges that were compared, those that moved most first."""
    if not windows.baselines:
        return
    wire = wire_of(visits)
    moved = np.abs(wire.during - wire.before)
    known = np.flatnonzero(wire.weight > 0)
    order = sorted(known.tolist(), key=lambda k: (-float(moved[k]), k))
    for k in order[:_EDGES]:
        _add_edge(facts, visits, wire, k, windows)


def _add_edge(facts: FactList, visits: Visits, wire: Wire, edge: int, windows: Windows) -> None:
    caller, callee = (visits.nodes[int(end[edge])] for end in (wire.caller, wire.callee))
    name = f"calls:{_short(caller)} -> {_short(callee)}"
    about: dict[str, Any] = {"name": name, "place": f"edge/{edge}", "unit": "ms"}
    about["entity"] = caller if callee.startswith("<") else callee
    median = round_significant(float(wire.during[edge]) / 1000.0)
    before = round_significant(float(wire.before[edge]) / 1000.0)
    facts.add(value=median, statistic="median", window=windows.incident, **about)
    facts.add(value=before, statistic="baseline_median", window=windows.baselines[0], **about)
    window = visits.window[wire.rows[wire.edge == edge]]
    counts = (int(np.sum(window == 0)), int(np.sum(window == 1)))
    more = {"entity": about["entity"], "place": about["place"]}
    _add_pair(facts, name, counts, "calls", windows, **more)


def _short(node: str) -> str:
    return node.rsplit("/", maxsplit=1)[-1].strip("<>")
