"""What recorded spans say of every entity: slow calls, changed patterns, errors that begin there.

Each score keeps what carried it, and spans in which a reader sees it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis._visit_events import VisitEvents, events_of
from superbizagent.analysis._visits import Visits, visits_of
from superbizagent.analysis.call_pattern import pattern_of
from superbizagent.analysis.error_origin import origins_of
from superbizagent.analysis.explained import unexplained
from superbizagent.analysis.span_starts import mean_scores, possible_starts
from superbizagent.analysis.span_topology import CallGraph, call_graph
from superbizagent.analysis.wire_delay import wire_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Windows

__all__ = [
    "CHANNELS",
    "PATTERN",
    "SPAN_ERRORS",
    "WIRE",
    "SpanChannels",
    "SpanEvidence",
    "read_spans",
]

Ints = NDArray[np.int64]

WIRE, PATTERN, SPAN_ERRORS = "wire", "pattern", "span_errors"
CHANNELS = (WIRE, PATTERN, SPAN_ERRORS)

_UNITS = {WIRE: 2.0, PATTERN: 1.5, SPAN_ERRORS: 2.5}
"""Scores by channel that healthy windows of two systems hardly reach."""
_BEYOND = 1.25  # times what one half of the baseline shows against the other

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class SpanEvidence:
    """What carried one entity's score in one channel."""

    entity: str
    channel: str
    score: float
    """Own, before callees explain any of it."""
    subject: str
    """``caller -> callee``, ``operation: event``, or what went wrong."""
    baseline: float
    incident: float
    unit: str
    """``ms`` of medians, ``ratio`` of visits, ``visits`` expected and counted."""
    ends: tuple[str, str] = ("", "")
    """Caller and callee, operation and event, or nothing and what went wrong."""
    counts: tuple[int, int] = (0, 0)
    """Calls or visits that it is about, in the baseline and in the incident."""
    rows: tuple[int, ...] = ()
    """Spans of the incident in which it shows, a few."""
    event: str = ""
    """Kind of a pattern's event: ``inner``, ``call``, ``error`` or ``log``."""
    is_error: bool = False
    template: tuple[int, int] | None = None
    """Position of the digest, and of the template in it, of a log event."""
    windows: Windows | None = None
    """What was compared, where that is not what was asked for: the start is not known."""

    @property
    def name(self) -> str:
        """``channel:subject``: facts about it bear this name."""
        return f"{self.channel}:{self.subject}"


@dataclass(frozen=True, slots=True)
class SpanChannels:
    """Scores by channel and entity, each with its evidence."""

    scores: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict[str, Mapping[str, float]]
    )
    evidence: tuple[SpanEvidence, ...] = ()
    """One an entity and channel, strongest first."""
    graph: CallGraph = field(default_factory=lambda: CallGraph({}, {}, {}))
    abnormal: tuple[str, ...] = ()
    """Entities with a score beyond what healthy windows, and the baseline itself, show; sorted."""

    def of(self, channel: str) -> Mapping[str, float]:
        """Return the scores of a channel, empty when it says nothing."""
        return self.scores.get(channel, {})


def read_spans(
    spans: SpanSet,
    windows: Windows,
    entity_of: EntityOf,
    digests: Sequence[LogDigest] = (),
    callees: Mapping[str, Sequence[str]] | None = None,
) -> SpanChannels:
    """Compare the incident's spans with the baselines'.

    Where the start of the incident is not known, three places are tried and each score is the mean;
    its evidence is that of the place from which it is strongest.

    Args:
        spans: of both.
        windows: what is compared.
        entity_of: tells which entity a service is.
        digests: log records of the same requests.
        callees: entities by caller that are known from elsewhere.
    """
    tried = possible_starts(spans, windows)
    found = [_read(spans, each, entity_of, digests, callees or {}) for each in tried]
    if len(found) == 1:
        return found[0]
    graph = call_graph(visits_of(spans, windows, entity_of))
    return replace(_mean(found, tried), graph=graph)


def _mean(found: Sequence[SpanChannels], tried: Sequence[Windows]) -> SpanChannels:
    if not any(one.scores for one in found):
        return SpanChannels()  # one side holds no spans
    strongest: dict[tuple[str, str], SpanEvidence] = {}
    for one, windows in zip(found, tried, strict=True):
        for item in one.evidence:
            known = strongest.get((item.entity, item.channel))
            if known is None or item.score > known.score:
                strongest[item.entity, item.channel] = replace(item, windows=windows)
    scores = {
        c: {e: round_significant(v) for e, v in mean_scores([f.of(c) for f in found]).items()}
        for c in CHANNELS
    }
    times = Counter(entity for one in found for entity in one.abnormal)
    return SpanChannels(
        scores,
        tuple(sorted(strongest.values(), key=_order)),
        abnormal=tuple(sorted(e for e, n in times.items() if 2 * n > len(found))),
    )


def _order(item: SpanEvidence) -> tuple[float, str, str, str]:
    return -item.score, item.entity, item.channel, item.subject


def _read(
    spans: SpanSet,
    windows: Windows,
    entity_of: EntityOf,
    digests: Sequence[LogDigest],
    callees: Mapping[str, Sequence[str]],
) -> SpanChannels:
    visits = visits_of(spans, windows, entity_of)
    graph = call_graph(visits)
    if not {0, 1} <= set(np.unique(visits.window).tolist()):
        return SpanChannels(graph=graph)
    events = events_of(visits, digests)
    below = _together(graph.callees, callees)
    found = sorted(_compare(visits, events), key=_order)
    scores = _scores(found, below)
    halves = _halves(visits)
    usual = _scores(_compare(halves, replace(events, window=halves.window[events.entry])), below)
    bar = max(1.0, _BEYOND * max(_strengths(usual).values(), default=0.0))
    strong = (e for e, strength in _strengths(scores).items() if strength >= bar)
    return SpanChannels(scores, tuple(found), graph, tuple(sorted(strong)))


def _compare(visits: Visits, events: VisitEvents) -> list[SpanEvidence]:
    return [*_wire(visits), *_pattern(visits, events), *_errors(visits, events)]


def _halves(visits: Visits) -> Visits:
    """Return the visits with the later half of the baseline in the place of the incident."""
    before = np.flatnonzero(visits.window == 0)  # in order of their start
    window = np.full(len(visits.window), -1, np.int64)
    window[before] = np.arange(len(before)) >= len(before) // 2
    return replace(visits, window=window)


def _scores(
    found: Iterable[SpanEvidence], callees: Mapping[str, Sequence[str]]
) -> dict[str, Mapping[str, float]]:
    """Return the scores by channel, what callees explain taken off."""
    own: dict[str, dict[str, float]] = {channel: {} for channel in CHANNELS}
    for item in found:
        own[item.channel][item.entity] = item.score
    return {c: own[c] if c == WIRE else _left(own[c], callees) for c in CHANNELS}


def _strengths(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return each entity's largest score in units of its channel."""
    found: dict[str, float] = {}
    for channel, items in scores.items():
        for entity, score in items.items():
            found[entity] = max(found.get(entity, 0.0), score / _UNITS[channel])
    return found


def _together(
    a: Mapping[str, Sequence[str]], b: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    return {k: tuple(sorted({*a.get(k, ()), *b.get(k, ())})) for k in sorted({*a, *b})}


def _left(scores: Mapping[str, float], callees: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return what callees do not explain of each score."""
    return {e: round_significant(v) for e, v in unexplained(scores, callees).items()}


def _wire(visits: Visits) -> Iterable[SpanEvidence]:
    wire = wire_of(visits)
    carried = wire.weight * wire.size
    for node in np.flatnonzero(wire.delay > 0).tolist():
        touching = np.flatnonzero((wire.caller == node) | (wire.callee == node))
        if not visits.is_entity(node):
            continue
        edge = int(touching[np.argmax(carried[touching])])
        rows = wire.rows[wire.edge == edge]
        off = np.abs(wire.gaps[wire.edge == edge] - wire.during[edge])
        late = visits.window[rows] == 1
        nearest = np.argsort(off[late], kind="stable")[:_EXAMPLES]
        names = [_short(visits.nodes[k]) for k in (int(wire.caller[edge]), int(wire.callee[edge]))]
        yield SpanEvidence(
            entity=visits.nodes[node],
            channel=WIRE,
            score=round_significant(float(wire.delay[node])),
            subject=" -> ".join(names),
            ends=(names[0], names[1]),
            counts=_counts(visits.window[rows]),
            baseline=round_significant(float(wire.before[edge]) / 1000.0),
            incident=round_significant(float(wire.during[edge]) / 1000.0),
            unit="ms",
            rows=tuple(rows[late][nearest].tolist()),
        )


def _pattern(visits: Visits, events: VisitEvents) -> Iterable[SpanEvidence]:
    pattern = pattern_of(events)
    for node, cell in _best(events.group_node[pattern.group], pattern.size):
        if not visits.is_entity(node):
            continue
        group, event = int(pattern.group[cell]), int(pattern.event[cell])
        name = events.names[event]
        shows = np.zeros(len(events.entry), np.bool_)
        shows[events.visit[events.event == event]] = True
        rose = bool(pattern.during[cell] > pattern.before[cell])
        inside = (events.group == group) & (events.window == 1) & (shows == rose)
        entered = visits.spans.operations[int(events.group_operation[group])]
        yield SpanEvidence(
            entity=visits.nodes[node],
            channel=PATTERN,
            score=round_significant(float(pattern.size[cell])),
            subject=f"{entered}: {name.text}",
            ends=(entered, name.text),
            counts=(int(pattern.visits[0, cell]), int(pattern.visits[1, cell])),
            baseline=round_significant(float(pattern.before[cell])),
            incident=round_significant(float(pattern.during[cell])),
            unit="ratio",
            rows=tuple(events.entry[inside][:_EXAMPLES].tolist()),
            event=name.kind,
            is_error=bool(events.is_error[event]),
            template=name.log if name.kind == "log" else None,
        )


def _errors(visits: Visits, events: VisitEvents) -> Iterable[SpanEvidence]:
    origins = origins_of(visits, events)
    for node, row in _best(origins.node, origins.size):
        if not visits.is_entity(node):
            continue
        name = events.names[int(origins.event[row])]
        where = origins.visit[origins.row == row][:_EXAMPLES]
        yield SpanEvidence(
            entity=visits.nodes[node],
            channel=SPAN_ERRORS,
            score=round_significant(float(origins.size[row])),
            subject=name.text,
            ends=("", name.text),
            counts=(int(origins.requests[0, row]), int(origins.requests[1, row])),
            baseline=round_significant(float(origins.expected[row])),
            incident=float(origins.count[row]),
            unit="visits",
            rows=tuple(events.entry[where].tolist()),
            event=name.kind,
            is_error=True,
            template=name.log if name.kind == "log" else None,
        )


def _best(nodes: Ints, size: NDArray[np.float64]) -> Iterable[tuple[int, int]]:
    """Yield each node with the position of its largest value above 0, the first of equals."""
    order = np.lexsort((np.arange(len(nodes)), -size, nodes))
    first = order[np.flatnonzero(np.diff(nodes[order], prepend=-1))]
    yield from ((int(nodes[k]), int(k)) for k in first.tolist() if size[k] > 0)


def _counts(window: Ints) -> tuple[int, int]:
    return int(np.sum(window == 0)), int(np.sum(window == 1))


def _short(node: str) -> str:
    return node.rsplit("/", maxsplit=1)[-1].strip("<>")
