"""Which objects are at fault, and which only stand on one that is.

A service without endpoints before a workload that crashes, pods that were evicted from a node
short of memory: both have a hypothesis that holds, and only one is a cause. A playbook says which
kinds of object it yields to; what stands on what is read out of the cluster.
"""

from collections.abc import Sequence

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import CandidateCause, HypothesisResult, ScoreTerm
from superbizagent.domain.skill import Hypothesis, Skill
from superbizagent.investigation.hypotheses.objects import ObjectEvidence
from superbizagent.skills import is_kind

__all__ = ["STANDS_ON_CAUSE", "hypothesis_of", "rivals_of", "without_consequences"]

STANDS_ON_CAUSE = "stands_on_cause"
"""Name of the term that sets a consequence to zero."""


def hypothesis_of(
    candidate: CandidateCause, hypotheses: Sequence[HypothesisResult], skills: Sequence[Skill]
) -> Hypothesis | None:
    """Return the hypothesis behind a candidate when it is one about objects of a cluster."""
    result = next((h for h in hypotheses if h.key == candidate.hypothesis), None)
    skill = next((s for s in skills if result is not None and s.name == result.skill), None)
    if result is None or skill is None:
        return None
    found = skill.hypothesis(result.id)
    return found if found.is_about_objects else None


def without_consequences(
    candidates: Sequence[CandidateCause],
    hypotheses: Sequence[HypothesisResult],
    skills: Sequence[Skill],
    evidence: Evidence,
) -> tuple[CandidateCause, ...]:
    """Set candidates to zero that stand on one whose fault was tested, and that yield to it.

    One without a hypothesis of its own yields to any; by its score it would be a guess.
    """
    behind = {c.entity: hypothesis_of(c, hypotheses, skills) for c in candidates}
    at_fault = {c.entity for c in candidates if c.score > 0 and behind[c.entity] is not None}
    if not at_fault:
        return tuple(candidates)
    objects = ObjectEvidence(evidence)
    judged: list[CandidateCause] = []
    for candidate in candidates:
        below = [p for p in objects.under(candidate.entity) if p in at_fault]
        own = behind[candidate.entity]
        explained = objects.knows(candidate.entity) and any(_yields(own, path) for path in below)
        judged.append(_zero(candidate) if explained and candidate.score > 0 else candidate)
    return tuple(sorted(judged, key=lambda c: (-c.score, c.entity)))


def _yields(own: Hypothesis | None, path: str) -> bool:
    return own is None or is_kind(Entity.parse(path).kind, own.yields_to)


def _zero(candidate: CandidateCause) -> CandidateCause:
    term = ScoreTerm(name=STANDS_ON_CAUSE, value=round_significant(-candidate.score))
    return candidate.model_copy(update={"terms": (*candidate.terms, term), "score": 0.0})


def rivals_of(
    candidates: Sequence[CandidateCause],
    hypotheses: Sequence[HypothesisResult],
    skills: Sequence[Skill],
) -> tuple[CandidateCause, ...]:
    """Return the first candidate and those that compete with it.

    Two objects whose faults were both tested explain themselves: neither is the other's rival.
    """
    first = next((c for c in candidates if c.score > 0), None)
    if first is None or hypothesis_of(first, hypotheses, skills) is None:
        return tuple(candidates)
    return tuple(
        c for c in candidates if c == first or hypothesis_of(c, hypotheses, skills) is None
    )
