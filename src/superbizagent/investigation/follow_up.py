"""Which playbooks the findings of one round call for in the next.

An alert named `HighErrorRate` names no playbook; what was found may. Pure.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from superbizagent.domain.finding import Analysis, FaultKind
from superbizagent.domain.plan import SkillChoice
from superbizagent.domain.skill import Skill

__all__ = ["skills_for"]

_LOOKED_AT = 3
"""Candidates that may call for a playbook: the report shows three causes."""


def skills_for(
    analysis: Analysis, skills: Sequence[Skill], *, taken: AbstractSet[str]
) -> tuple[SkillChoice, ...]:
    """Return playbooks that test the fault kind of a leading candidate and were not used yet."""
    wanted = {
        kind: candidate
        for candidate in reversed(analysis.candidates[:_LOOKED_AT])
        for kind in (candidate.suspected_kind, candidate.fault_kind)
        if kind is not FaultKind.UNKNOWN
    }
    choices: list[SkillChoice] = []
    for skill in skills:
        kinds = [h.fault_kind for h in skill.hypotheses if h.fault_kind in wanted]
        if kinds and skill.name not in taken:
            best = max(kinds, key=lambda kind: wanted[kind].score)
            matched = (f"finding:{best.value}",)
            choices.append(SkillChoice(name=skill.name, score=wanted[best].score, matched=matched))
    return tuple(sorted(choices, key=lambda c: (-c.score, c.name)))
