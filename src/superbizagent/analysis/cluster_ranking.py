"""Objects of a cluster as candidate causes: by what weighs most in each. Pure."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.finding import (
    CandidateCause,
    FaultKind,
    Finding,
    FindingKind,
    ScoreTerm,
)

__all__ = ["candidates_of_objects", "with_objects"]

_FURTHER = 0.1
"""Of what else is abnormal in an object: it tells objects apart of which the worst is the same."""
_MOST = 50
"""A cluster in which more is broken than this has one cause above them all, or none to name."""


def candidates_of_objects(
    findings: Sequence[Finding], allowed: Collection[str]
) -> tuple[CandidateCause, ...]:
    """Return the objects in which something is abnormal, best first, ties by path."""
    by_entity: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.kind is FindingKind.OBJECT_STATE and finding.score > 0:
            by_entity[finding.entity].append(finding)
    paths = set(allowed)
    found = [_candidate(e, own) for e, own in by_entity.items() if e in paths]
    return tuple(sorted(found, key=lambda c: (-c.score, c.entity))[:_MOST])


def _candidate(entity: str, own: Sequence[Finding]) -> CandidateCause:
    scores = sorted((f.score for f in own), reverse=True)
    score = round_significant(scores[0] + _FURTHER * sum(scores[1:]))
    facts = tuple(dict.fromkeys(i for f in own for i in f.fact_ids))
    dated = [f for f in own if f.onset_at is not None]
    first = min(dated, key=lambda f: (f.onset_at, f.id), default=None)
    return CandidateCause(
        entity=entity,
        fault_kind=FaultKind.UNKNOWN,
        score=score,
        terms=(ScoreTerm(name="objects", value=score, fact_ids=facts),),
        finding_ids=tuple(f.id for f in own),
        onset_at=first.onset_at if first else None,
        path=(entity.rsplit("/", 1)[-1],),
    )


def with_objects(
    measured: Sequence[CandidateCause], objects: Sequence[CandidateCause]
) -> tuple[CandidateCause, ...]:
    """Put both sorts of candidates together; an entity with both has the terms of both."""
    found = {c.entity: c for c in measured}
    for item in objects:
        known = found.get(item.entity)
        if known is None:
            found[item.entity] = item
            continue
        found[item.entity] = known.model_copy(
            update={
                "score": round_significant(known.score + item.score),
                "terms": (*known.terms, *item.terms),
                "finding_ids": tuple(dict.fromkeys((*known.finding_ids, *item.finding_ids))),
                "onset_at": known.onset_at or item.onset_at,
            }
        )
    return tuple(sorted(found.values(), key=lambda c: (-c.score, c.entity)))
