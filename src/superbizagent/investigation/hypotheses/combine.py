"""Puts tested hypotheses, the order in time and the call graph to the ranked entities.

The ranking says where it is abnormal; a hypothesis says what is wrong there. A supported one lifts
its entity, but only one in which something is abnormal, and accounts for those that depend on it.
What came after the symptom, and what the alerting service does not depend on, is set to zero and
stays visible as ruled out.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import (
    LOG_KINDS,
    CandidateCause,
    CheckOutcome,
    FaultKind,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
    ScoreTerm,
)
from superbizagent.domain.rule import RuleReading
from superbizagent.domain.scope import Scope

__all__ = [
    "RULED_OUT_BY_PLACE",
    "Order",
    "combine",
    "margin_of",
    "named_entities",
    "order_of",
    "rests_on_one_line",
    "tested_entities",
    "without_guesses",
]

_ACCOUNTED = 0.8  # of the score of those that a tested cause makes suffer
_ASIDE = 0.9  # of the score of faults beside what was named: these are told, and come last

RULED_OUT_BY_PLACE = frozenset({"not_downstream", "later_than_symptom"})
"""Names of the terms that rule out a cause of what hurts, not a fault of its own."""

Order = str
"""``before``, ``after`` or ``unknown``: a cause's onset against the symptom's."""


def named_entities(scope: Scope) -> tuple[Entity, ...]:
    """Entities that an alert, a question or a flag named.

    None when everything was taken for want of a name, or when a recording only says where users
    come in: that is no complaint about this entity.
    """
    incident = scope.incident
    asked = scope.alert is not None or incident.services or incident.question
    return scope.entities if asked and not scope.takes_everything else ()


def order_of(
    cause: CandidateCause, symptom: Sequence[Finding], condition: RuleReading | None = None
) -> Order:
    """Compare a cause's onset with the symptom's, within both uncertainties.

    The symptom began when the alert's expression became true; where that is not known, with the
    earliest finding. Only what is of other entities counts: an entity cannot be early or late for
    itself.

    Args:
        cause: with its onset.
        symptom: findings of what hurts.
        condition: when the alert's rule was true.
    """
    if condition is not None and condition.onset_at and condition.entity not in {"", cause.entity}:
        order = _compared(cause, condition.onset_at, condition.uncertainty)
        # True from the first look on: the symptom may be older than that.
        return "unknown" if order == "before" and condition.at_least else order
    dated = [f for f in symptom if f.onset_at is not None and f.entity != cause.entity]
    first = min(dated, key=lambda f: (f.onset_at, f.id), default=None)
    if first is None or first.onset_at is None:
        return "unknown"
    return _compared(cause, first.onset_at, first.onset_uncertainty or timedelta())


def _compared(cause: CandidateCause, onset_at: datetime, uncertainty: timedelta) -> Order:
    if cause.onset_at is None:
        return "unknown"
    slack = uncertainty + (cause.onset_uncertainty or timedelta())
    late = cause.onset_at - onset_at
    if late > slack:
        return "after"
    return "before" if -late > slack else "unknown"


def tested_entities(
    hypotheses: Sequence[HypothesisResult], findings: Sequence[Finding]
) -> frozenset[str]:
    """Return the entities of which a hypothesis is supported, and anything at all is abnormal."""
    moved = {f.entity for f in findings if f.score > 0}
    return frozenset(
        h.entity
        for h in hypotheses
        if h.outcome is HypothesisOutcome.SUPPORTED and (h.mechanism_seen or h.entity in moved)
    )


def combine(
    scope: Scope,
    candidates: Sequence[CandidateCause],
    hypotheses: Sequence[HypothesisResult],
    symptom: Sequence[Finding],
) -> tuple[CandidateCause, ...]:
    """Return the candidates with all terms, best first, ties by entity."""
    supported = _by_entity(hypotheses, HypothesisOutcome.SUPPORTED)
    refuted = _by_entity(hypotheses, HypothesisOutcome.REFUTED)
    # A tested condition outweighs a deviation alone: it adds what the strongest deviation is worth.
    lift = max((c.score for c in candidates), default=0.0) or 1.0
    positions = _downstream(scope)
    aside = _beside(scope)
    # What was named, or what it stands on, explains itself: nothing beside it is needed.
    settled = any(
        c.entity in supported and c.entity not in aside and c.score > 0 for c in candidates
    )
    judged: list[CandidateCause] = []
    for candidate in candidates:
        held = supported.get(candidate.entity, ())
        kept = _with_hypothesis(candidate, held[0], lift) if held else candidate
        kinds = {h.fault_kind for h in refuted.get(candidate.entity, ())}
        if not held and kept.fault_kind in kinds:
            # The name of the fault was a guess from words; the check of it failed.
            kept = kept.model_copy(update={"fault_kind": FaultKind.UNKNOWN})
        if candidate.entity in aside:
            seen = any(h.mechanism_seen for h in held)
            far = settled or aside[candidate.entity]
            judged.append(_aside(kept, far=far) if seen else _zero(kept, "not_downstream"))
            continue
        judged.append(_ruled_out(kept, scope, symptom, positions))
    causes = [c for c in judged if c.hypothesis and c.score > 0]
    accounted = [_accounted_for(c, causes, scope) for c in judged]
    return tuple(sorted(accounted, key=lambda c: (-c.score, c.entity)))


def _aside(candidate: CandidateCause, *, far: bool) -> CandidateCause:
    """Keep a fault that was seen beside what was named, behind those of what was named."""
    if not far or candidate.score <= 0:
        return candidate
    taken = round_significant(-_ASIDE * candidate.score)
    return _with_term(candidate, ScoreTerm(name="independent", value=taken))


def _beside(scope: Scope) -> dict[str, bool]:
    """Objects on which nothing that was named stands, and whether they are in other namespaces."""
    named = named_entities(scope)
    if not named or not all(e.is_object for e in named):
        return {}
    below = {n for e in named for n in (e.name, *scope.topology.downstream(e.name))}
    paths = {e.path for e in named}
    spaces = {e.namespace for e in named}
    return {
        e.path: bool(e.namespace) and e.namespace not in spaces
        for e in scope.everything
        if e.is_object and e.name not in below and e.path not in paths
    }


def without_guesses(
    candidates: Sequence[CandidateCause], findings: Sequence[Finding]
) -> tuple[CandidateCause, ...]:
    """Return the candidates; of those that only logs speak for, a guessed kind is unknown.

    That a program logs errors does not say that its code is wrong, and the words of one kind of
    line may speak of a neighbour.
    """
    return tuple(
        c.model_copy(update={"fault_kind": FaultKind.UNKNOWN, "suspected_kind": c.fault_kind})
        if rests_on_one_line(c, findings)
        or (c.fault_kind is FaultKind.CODE_ERROR and _rests_on_logs(c, findings))
        else c
        for c in candidates
    )


def rests_on_one_line(candidate: CandidateCause, findings: Sequence[Finding]) -> bool:
    """Tell whether all that speaks for a candidate is one kind of log line."""
    # What is found of one line, its count and its numbers, cites the same facts.
    lines = {f.fact_ids for f in _speaking(candidate, findings)}
    return _rests_on_logs(candidate, findings) and len(lines) == 1


def _rests_on_logs(candidate: CandidateCause, findings: Sequence[Finding]) -> bool:
    own = _speaking(candidate, findings)
    return bool(own) and all(f.kind in LOG_KINDS for f in own)


def _speaking(candidate: CandidateCause, findings: Sequence[Finding]) -> list[Finding]:
    ids = set(candidate.finding_ids)
    return [f for f in findings if f.id in ids and f.score > 0 and f.kind is not FindingKind.ALERT]


def margin_of(candidates: Sequence[CandidateCause]) -> float:
    """First score minus second as share of the first; 1 for a single one, 0 for none."""
    scores = [c.score for c in candidates if c.score > 0]
    if not scores:
        return 0.0
    return 1.0 if len(scores) == 1 else round_significant((scores[0] - scores[1]) / scores[0])


def _by_entity(
    hypotheses: Sequence[HypothesisResult], outcome: HypothesisOutcome
) -> dict[str, tuple[HypothesisResult, ...]]:
    """Results of one outcome by entity; those whose mechanism was seen come first."""
    found: dict[str, tuple[HypothesisResult, ...]] = {}
    for result in hypotheses:
        if result.outcome is outcome:
            found[result.entity] = (*found.get(result.entity, ()), result)
    return {
        entity: tuple(sorted(results, key=lambda r: not r.mechanism_seen))
        for entity, results in found.items()
    }


def _with_hypothesis(
    candidate: CandidateCause, result: HypothesisResult, lift: float
) -> CandidateCause:
    holding = [c for c in result.checks if c.outcome is CheckOutcome.HOLDS]
    facts = tuple(dict.fromkeys(i for c in holding for i in c.fact_ids))
    term = ScoreTerm(
        name="hypothesis", value=round_significant(lift), fact_ids=facts, note=result.id
    )
    return _with_term(candidate, term).model_copy(
        update={"fault_kind": result.fault_kind, "hypothesis": result.key}
    )


def _with_term(candidate: CandidateCause, term: ScoreTerm) -> CandidateCause:
    terms = (*candidate.terms, term)
    score = round_significant(sum(t.value for t in terms))
    return candidate.model_copy(update={"terms": terms, "score": score})


def _accounted_for(
    candidate: CandidateCause, causes: Sequence[CandidateCause], scope: Scope
) -> CandidateCause:
    """Take from an untested candidate what a tested cause beside it explains.

    Its callers wait for what is broken; of more load all that is called below it gets its share.
    """
    if candidate.hypothesis or candidate.score <= 0:
        return candidate
    below = scope.topology.downstream(_name(candidate))
    for cause in causes:
        if cause.fault_kind is FaultKind.TRAFFIC:
            name = "explained_by_caller"
            reached = _name(candidate) in scope.topology.downstream(_name(cause))
        else:
            name = "explained_by_callee"
            reached = _name(cause) in below
        if reached:
            taken = round_significant(-_ACCOUNTED * candidate.score)
            return _with_term(candidate, ScoreTerm(name=name, value=taken, note=cause.hypothesis))
    return candidate


def _name(candidate: CandidateCause) -> str:
    return candidate.entity.rsplit("/", 1)[-1]


def _ruled_out(
    candidate: CandidateCause,
    scope: Scope,
    symptom: Sequence[Finding],
    positions: Mapping[str, bool],
) -> CandidateCause:
    """Set the score of what cannot be the cause to zero, by a term that says why."""
    if order_of(candidate, symptom, scope.condition) == "after":
        return _zero(candidate, "later_than_symptom")
    related = positions.get(_name(candidate), True) or candidate.fault_kind is FaultKind.TRAFFIC
    if not related and candidate.entity not in {e.path for e in scope.entities}:
        return _zero(candidate, "not_downstream")
    return candidate


def _zero(candidate: CandidateCause, reason: str) -> CandidateCause:
    term = ScoreTerm(name=reason, value=round_significant(-candidate.score))
    # Not a sum: floats that cancel leave dust, and dust would be a rank.
    return candidate.model_copy(update={"terms": (*candidate.terms, term), "score": 0.0})


def _downstream(scope: Scope) -> dict[str, bool]:
    """Of each name in the call graph, whether what was named depends on it.

    A name that the graph does not know is absent: nothing can be said of it. A caller can only
    send more traffic, so it explains nothing else.
    """
    named = named_entities(scope)
    if not named or not scope.topology.edges:
        return {}
    below = {n for e in named for n in (e.name, *scope.topology.downstream(e.name))}
    known = {n for e in scope.topology.edges for n in (e.caller, e.callee)}
    if not any(e.name in known for e in named):
        return {}
    return {name: name in below for name in known}
