"""Which entity is the most likely cause, with every part of its score visible.

Channels (metrics, logs, the alert's own kind along the call graph) are made comparable by peer
dominance and fused without weights. An entity in which nothing is abnormal is no candidate,
whatever its neighbours do; nothing abnormal anywhere gives no candidate at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf, facts_by_place
from superbizagent.analysis.alert_channel import AlertFocus, AlertScore, alert_scores
from superbizagent.analysis.alert_evidence import AlertEvidence, shares_of
from superbizagent.analysis.beside import channels_of
from superbizagent.analysis.calls import LogCall, MetricCall, SpanCall
from superbizagent.analysis.dominance import dominance, fuse
from superbizagent.analysis.explained import EXPLAINED
from superbizagent.analysis.families import FAMILIES, RESOURCES
from superbizagent.analysis.fault_kind import fault_kind_of, is_worse
from superbizagent.analysis.flow import callees_of, flows, passed_on
from superbizagent.analysis.health import SYMPTOMS, Health, health_of, learnt_health_of
from superbizagent.analysis.learnt import Learnt
from superbizagent.analysis.log_scores import log_scores
from superbizagent.analysis.metric_channel import FamilyTable, channel, tabulate
from superbizagent.analysis.span_scores import FLOORS, span_scores
from superbizagent.analysis.span_topology import merged, topology_of_spans
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.finding import CandidateCause, FaultKind, Finding, ScoreTerm
from superbizagent.domain.outputs import Topology

__all__ = ["Ranking", "RankingInput", "rank_causes"]

Floats = NDArray[np.float64]

_EXPLAINS = float(np.log1p(4.0))  # four scales, unexplained, in the very kind that fired
_ALERTS = "alerts"
_TIE = 0.001  # breaks ties between entities that one channel cannot tell apart


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Everything the ranking looks at."""

    entity_of: EntityOf
    metrics: Sequence[MetricCall] = ()
    logs: Sequence[LogCall] = ()
    spans: Sequence[SpanCall] = ()
    findings: Sequence[Finding] = ()
    topology: Topology = field(default_factory=Topology)
    entities: Sequence[str] = ()
    """Paths that may be candidates; empty: all that have data."""
    alert: AlertFocus | None = None
    tested: frozenset[str] = frozenset()
    """Entities of which a tested condition holds: candidates, however little they stand out."""
    alerts: Mapping[str, AlertEvidence] = field(default_factory=dict[str, AlertEvidence])
    """What a storm of alerts says of each entity; empty where there is no storm."""
    learnt: Learnt | None = None
    """How this system is while nothing is wrong, where that was learnt."""
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first, and how clear the order is."""

    candidates: tuple[CandidateCause, ...]
    """Entities in which something is abnormal; none when nothing is."""
    suspects: tuple[CandidateCause, ...]
    """Every entity by score, whether or not it reached the bar: where to look, never a cause."""
    margin: float
    """First score minus second as share of the first; 1 for a single one, 0 for none."""
    health: Health


@dataclass(slots=True)
class _Board:
    """One column a channel, one row an entity, while the scores are put together."""

    entities: tuple[str, ...]
    names: list[str] = field(default_factory=list[str])
    raw: list[Floats] = field(default_factory=list[Floats])
    stand: list[Floats] = field(default_factory=list[Floats])
    facts: list[Mapping[str, tuple[str, ...]]] = field(
        default_factory=list[Mapping[str, tuple[str, ...]]]
    )
    explained: Floats = field(default_factory=lambda: np.zeros(0))
    """Share of the metric score that callees account for, an entity."""
    seen: frozenset[str] = frozenset()
    """Entities of which anything but alerts was looked at."""
    callees: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Entities by caller."""

    def add(
        self,
        name: str,
        scores: Mapping[str, float],
        floor: float,
        facts: Mapping[str, tuple[str, ...]],
    ) -> None:
        """Add a channel: raw scores, not below 0, and the facts they rest on."""
        raw = np.array([max(0.0, scores.get(e, 0.0)) for e in self.entities], np.float64)
        self.names.append(name)
        self.raw.append(raw)
        self.stand.append(dominance(raw, 0.5, floor))
        self.facts.append(facts)


def rank_causes(given: RankingInput) -> Ranking:
    """Rank the entities by how likely each is the cause.

    The sum of a candidate's terms is its score. Ties are ordered by entity path.
    """
    seen = [topology_of_spans(call.spans) for call in given.spans]
    given = replace(given, topology=merged(given.topology, *seen))
    table = tabulate(given.metrics, given.entity_of)
    callees = callees_of(given.topology, given.entity_of)
    logs = log_scores(given.logs, given.entity_of, callees)
    scores = _alert_scores(given)
    explaining = {e for e, s in scores.items() if s.score >= _EXPLAINS} | _exhausted(given)
    health = _health(given, table, logs[0], explaining)
    explained = _explained(given, callees)
    board = _board(given, table, explained, logs, callees)
    if scores:
        _add_alert(given, board, scores)
    parts = fuse(np.array(board.stand)) if board.stand else np.zeros((0, 0))
    allowed = set(given.entities) or set(board.entities)
    found = [
        _candidate(given, board, parts, k, explained)
        for k, entity in enumerate(board.entities)
        if entity in allowed
    ]
    ranked = sorted(
        (c for c in found if c.score > 0 or c.entity in given.tested),
        key=lambda c: (-c.score, c.entity),
    )
    # What no family claims, and what programs say about their usual life, makes no candidate.
    telling = {f.entity for f in given.findings if f.score > 0 and f.family != "other"}
    abnormal = telling | set(health.abnormal) | set(health.explaining) | given.tested
    # Of what nobody could look at, alerts are all there is; what was looked at must show it.
    unseen = given.alerts.keys() - board.seen
    # The bar is asked of the system, not of each entity: once something is above it, the cause may
    # be an entity whose own findings are weaker than those of its victims.
    bar = unseen if health.is_calm else abnormal | unseen
    candidates = [c for c in ranked if c.entity in bar]
    return Ranking(
        candidates=tuple(candidates[: given.limit]),
        suspects=tuple(ranked[: given.limit]),
        margin=_margin(candidates),
        health=health,
    )


def _health(
    given: RankingInput, table: FamilyTable, logs: Mapping[str, float], explaining: set[str]
) -> Health:
    requests = {e for c in given.spans for e in c.channels.abnormal}
    if given.learnt is None:
        return health_of(table, logs, explaining, _symptoms(given), requests)
    channels = channels_of(given.spans, logs if given.logs else None)
    return learnt_health_of(table, given.learnt, channels, explaining, requests)


def _exhausted(given: RankingInput) -> set[str]:
    """The alert's entity, when the very resource that it is about is abnormal there.

    Nobody feels a disk that fills up until it is full: the alert is all the symptom there is.
    """
    if given.alert is None or given.alert.family not in RESOURCES:
        return set()
    own = (f for f in given.findings if f.entity == given.alert.entry and f.score > 0)
    return {f.entity for f in own if f.family == given.alert.family and is_worse(f)}


def _symptoms(given: RankingInput) -> tuple[str, ...]:
    """Return the families that hurt: what users notice, and what the alert is about."""
    if given.alert is None or given.alert.family == "other":
        return SYMPTOMS
    return (*SYMPTOMS, given.alert.family)


def _board(
    given: RankingInput,
    table: FamilyTable,
    explained: Mapping[str, Mapping[str, float]],
    logs: tuple[Mapping[str, float], Mapping[str, tuple[str, ...]]],
    callees: Mapping[str, tuple[str, ...]],
) -> _Board:
    visited = {e for call in given.spans for e in call.channels.graph.requests}
    seen = frozenset((*table.entities, *logs[0], *visited))
    entities = tuple(sorted({*seen, *given.alerts}))
    board = _Board(entities, seen=seen, callees=callees)
    facts = _metric_facts(given, table)
    reduced = _without_explained(table, explained)
    whole = dict(zip(table.entities, channel(table.evidence, table.null).tolist(), strict=True))
    own = dict(zip(table.entities, channel(reduced, table.null).tolist(), strict=True))
    board.add("metrics", {e: min(own[e], whole[e]) for e in own}, 0.1, facts)
    shares = {e: 1.0 - min(own[e], whole[e]) / whole[e] for e in own if whole[e] > 0}
    board.explained = np.array([shares.get(e, 0.0) for e in entities], np.float64)
    # Error lines reach large numbers quickly; the floor of 1 keeps a few of them from deciding.
    board.add("logs", logs[0], 1.0, logs[1])
    board.add("saturation", _saturation(table, callees), 0.5, facts)
    for name, floor in FLOORS.items():
        found, ids = span_scores(given.spans, name)
        board.add(name, found, floor, ids)
    if given.alerts:
        # Peers are compared in each of its channels already.
        board.add(_ALERTS, {e: a.score for e, a in given.alerts.items()}, 1.0, {})
        board.stand[-1] = board.raw[-1]
    return board


def _add_alert(given: RankingInput, board: _Board, scores: Mapping[str, AlertScore]) -> None:
    """Let the alert's own kind rank: it answers what was asked, the others break its ties.

    Unless the requests themselves were seen to go wrong, which answers it as well.
    """
    if not any(call.channels.abnormal for call in given.spans):
        board.stand = [_TIE * stand for stand in board.stand]
    places = [facts_by_place(tuple(call.facts)) for call in given.metrics]
    found = ((e, s.source) for e, s in scores.items())
    chosen = {e: places[call].get(f"series/{row}", ()) for e, (call, row) in found}
    board.add("alert", {e: s.score for e, s in scores.items()}, 0.1, chosen)


def _alert_scores(given: RankingInput) -> dict[str, AlertScore]:
    if given.alert is None:
        return {}
    visits: dict[str, float] = {}
    for call in given.spans:
        for entity, (_, during) in call.channels.graph.requests.items():
            visits[entity] = max(visits.get(entity, 0.0), float(during))
    return alert_scores(given.metrics, given.topology, given.entity_of, given.alert, visits)


def _without_explained(table: FamilyTable, explained: Mapping[str, Mapping[str, float]]) -> Floats:
    evidence = table.evidence.copy()
    for family, shares in explained.items():
        column = FAMILIES.index(family)
        for row, entity in enumerate(table.entities):
            evidence[row, column] *= 1.0 - EXPLAINED * shares.get(entity, 0.0)
    return evidence


def _explained(
    given: RankingInput, callees: Mapping[str, tuple[str, ...]]
) -> dict[str, dict[str, float]]:
    """Return by family (latency, errors) the share of each entity that its callees explain."""
    shares: dict[str, dict[str, float]] = {}
    for family in ("lat", "err"):
        chosen = flows(given.metrics, given.entity_of, family)
        changes = {e: f.change(given.metrics[f.call].deviations) for e, f in chosen.items()}
        shares[family] = passed_on(changes, callees)
    return shares


def _saturation(table: FamilyTable, callees: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """Return saturation of callers whose callees are calm: a full pool before an idle database."""
    column = FAMILIES.index("saturation")
    busy = [FAMILIES.index(f) for f in ("saturation", "lat", "cpu")]
    scores: dict[str, float] = {}
    for row, entity in enumerate(table.entities):
        below = [table.row(c) for c in callees.get(entity, ()) if c in table.entities]
        if not below:
            continue
        strain = float(table.evidence[np.ix_(below, busy)].max())
        scores[entity] = max(0.0, float(table.evidence[row, column]) - strain)
    return scores


def _metric_facts(given: RankingInput, table: FamilyTable) -> dict[str, tuple[str, ...]]:
    """Return the facts of the three families that carry each entity's metric score."""
    places = [facts_by_place(tuple(call.facts)) for call in given.metrics]
    facts: dict[str, tuple[str, ...]] = {}
    for row, entity in enumerate(table.entities):
        best = np.argsort(-table.evidence[row], kind="stable")[:3].tolist()
        sources = [table.source[row][f] for f in best if f in table.source[row]]
        ids = [i for call, k in sources for i in places[call].get(f"series/{k}", ())]
        facts[entity] = tuple(ids)
    return facts


def _candidate(
    given: RankingInput,
    board: _Board,
    parts: Floats,
    row: int,
    explained: Mapping[str, Mapping[str, float]],
) -> CandidateCause:
    entity = board.entities[row]
    findings = [f for f in given.findings if f.entity == entity]
    terms = _terms(given, board, parts, row, explained)
    first = _first_onset(findings)
    kind, suspected = fault_kind_of(findings), FaultKind.UNKNOWN
    if kind is FaultKind.UNKNOWN and entity in given.alerts:
        kind, suspected = given.alerts[entity].fault_kind, given.alerts[entity].suspected_kind
    return CandidateCause(
        entity=entity,
        fault_kind=kind,
        suspected_kind=suspected,
        score=round_significant(sum(t.value for t in terms)),
        terms=terms,
        finding_ids=tuple(f.id for f in findings),
        onset_at=first.onset_at if first else None,
        onset_uncertainty=first.onset_uncertainty if first else None,
        path=_path(given, board.callees, entity),
    )


def _terms(
    given: RankingInput,
    board: _Board,
    parts: Floats,
    row: int,
    explained: Mapping[str, Mapping[str, float]],
) -> tuple[ScoreTerm, ...]:
    """Return the parts of one entity's score; what callees explain is one of them, below 0."""
    entity = board.entities[row]
    terms: list[ScoreTerm] = []
    for k, name in enumerate(board.names):
        value, share = float(parts[k, row]), float(board.explained[row])
        if value <= 0:
            continue
        if name == _ALERTS:
            terms += shares_of(given.alerts[entity], value)
            continue
        taken = value * share / (1.0 - share) if name == "metrics" and share < 1 else 0.0
        ids = board.facts[k].get(entity, ())
        whole = round_significant(value + taken)
        terms.append(ScoreTerm(name=name, value=whole, fact_ids=ids))
        if taken > 0:
            note = _explained_note(entity, explained)
            taken = round_significant(-taken)
            terms.append(ScoreTerm(name="explained_by_callee", value=taken, note=note))
    return tuple(terms)


def _explained_note(entity: str, explained: Mapping[str, Mapping[str, float]]) -> str:
    """Say which share of latency and errors was put down to callees."""
    shares = [(f, s.get(entity, 0.0)) for f, s in explained.items()]
    return " ".join(f"{f}={s:.2f}" for f, s in shares if s > 0)


def _first_onset(findings: Sequence[Finding]) -> Finding | None:
    """Return the earliest of the strong findings: half as strong as the strongest, or more."""
    dated = [f for f in findings if f.onset_at is not None and f.score > 0]
    bar = 0.5 * max((f.score for f in dated), default=0.0)
    strong = [f for f in dated if f.score >= bar]
    return min(strong, key=lambda f: (f.onset_at, f.id), default=None)


def _path(
    given: RankingInput, callees: Mapping[str, tuple[str, ...]], entity: str
) -> tuple[str, ...]:
    """Return entity names from the cause up to the entity that alerted, by the shortest way."""
    if given.alert is None or entity == given.alert.entry:
        return (_name(entity),)
    ways: list[tuple[str, ...]] = [(given.alert.entry,)]
    seen = {given.alert.entry}
    while ways:
        way = ways.pop(0)
        for callee in callees.get(way[-1], ()):
            if callee == entity:
                return tuple(_name(e) for e in (callee, *reversed(way)))
            if callee not in seen:
                seen.add(callee)
                ways.append((*way, callee))
    return ()


def _name(entity: str) -> str:
    return entity.split("/", 3)[-1]


def _margin(ranked: Sequence[CandidateCause]) -> float:
    if not ranked:
        return 0.0
    if len(ranked) == 1:
        return 1.0
    return round_significant((ranked[0].score - ranked[1].score) / ranked[0].score)
