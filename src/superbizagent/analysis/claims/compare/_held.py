"""The cause that an analysis holds: the leading candidate of a verdict that names one."""

from collections.abc import Iterator
from dataclasses import dataclass

from superbizagent.analysis.claims.compare._faults import concepts_of_kind
from superbizagent.analysis.claims.compare._findings import abnormal, concepts_of
from superbizagent.analysis.claims.concepts import concepts_of_text
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.finding import (
    CandidateCause,
    CheckOutcome,
    HypothesisOutcome,
    HypothesisResult,
    Verdict,
)

__all__ = ["Held", "facts_of", "held_of", "leading", "refuted", "ruled_out", "supported"]

_NAMES_ONE = frozenset({Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY})


@dataclass(frozen=True, slots=True)
class Held:
    """A cause with what it consists of and what it does, as sets of concepts."""

    cause: CandidateCause
    mechanism: int
    """What the fault may be called by: its kind, and the checks of its hypothesis that hold."""
    words: frozenset[str]
    """Words of the log records that show the mechanism."""
    effects: int
    """What follows of it: the symptom, and what is abnormal on the way there."""
    entities: frozenset[str]
    """Entity paths from the cause to the symptom."""
    fact_ids: tuple[str, ...]


def leading(ground: Ground) -> CandidateCause | None:
    """Return the candidate that the analysis puts first, None when all are ruled out."""
    return next((c for c in ground.analysis.candidates if c.score > 0), None)


def held_of(ground: Ground) -> Held | None:
    """Return the cause that the verdict names, None when it names none."""
    analysis = ground.analysis
    first = leading(ground)
    if first is None or analysis.verdict not in _NAMES_ONE:
        return None
    result = next((h for h in analysis.hypotheses if h.key == first.hypothesis), None)
    mechanism = concepts_of_kind(first.fault_kind)
    facts: list[str] = []
    words: set[str] = set()
    if result is not None:
        mechanism |= concepts_of_text(result.id.replace("_", " "))
        for check in result.checks:
            if check.outcome is CheckOutcome.HOLDS:
                facts += check.fact_ids
        for row in filter(None, map(ground.fact, facts)):
            subject = ground.subjects[int(ground.subject[ground.row(row.id) or 0])]
            mechanism |= subject.concepts(row.unit, row.statistic)
            words |= subject.tokens()
    entities = frozenset(_entities(ground, first))
    effects = mechanism
    for finding in abnormal(ground):
        if finding.entity in entities or finding.id in analysis.symptom:
            effects |= concepts_of(finding)
    ids = tuple(dict.fromkeys((*facts, *facts_of(ground, first))))
    return Held(first, mechanism, frozenset(words), effects, entities, ids)


def facts_of(ground: Ground, cause: CandidateCause) -> tuple[str, ...]:
    """Return the facts of a candidate's findings and of the terms of its score."""
    own = [f for f in ground.analysis.findings if f.id in cause.finding_ids]
    found = [i for f in own for i in f.fact_ids]
    return tuple(dict.fromkeys((*found, *(i for t in cause.terms for i in t.fact_ids))))


def _entities(ground: Ground, cause: CandidateCause) -> Iterator[str]:
    yield cause.entity
    for name in cause.path:
        yield from ground.names.entities.get(name, ())
    for finding in ground.analysis.findings:
        if finding.id in ground.analysis.symptom:
            yield finding.entity
    # A caller whose trouble its callee explains is an effect as well.
    callers = _callers(ground, cause.entity)
    for other in ground.analysis.candidates:
        if other.entity in callers and any(t.name == "explained_by_callee" for t in other.terms):
            yield other.entity


def _callers(ground: Ground, entity: str) -> frozenset[str]:
    topology, name = ground.scope.topology, entity.rsplit("/", 1)[-1]
    found = {n for n in ground.names.entities if name in topology.downstream(n)}
    return frozenset(path for n in found for path in ground.names.entities[n])


def refuted(ground: Ground) -> tuple[HypothesisResult, ...]:
    """Return the hypotheses that were tested and do not hold."""
    results = ground.analysis.hypotheses
    return tuple(h for h in results if h.outcome is HypothesisOutcome.REFUTED)


def supported(ground: Ground) -> tuple[HypothesisResult, ...]:
    """Return the hypotheses that were tested and hold."""
    results = ground.analysis.hypotheses
    return tuple(h for h in results if h.outcome is HypothesisOutcome.SUPPORTED)


def ruled_out(ground: Ground, entity: str) -> bool:
    """Tell whether an entity was a candidate and was ruled out."""
    return any(c.entity == entity and c.score <= 0 for c in ground.analysis.candidates)
