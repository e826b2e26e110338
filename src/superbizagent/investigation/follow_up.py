"""Which playbooks the findings of one round call for in the next.

An alert named `HighErrorRate` names no playbook; what was found may. Pure.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from superbizagent.domain.finding import Analysis, CandidateCause, FaultKind, FindingKind
from superbizagent.domain.outputs import ChangeKind
from superbizagent.domain.plan import SkillChoice
from superbizagent.domain.skill import CheckRole, Hypothesis, Skill

__all__ = ["skills_for"]

_LOOKED_AT = 3
"""Candidates that may call for a playbook: the report shows three causes."""


def skills_for(
    analysis: Analysis, skills: Sequence[Skill], *, taken: AbstractSet[str]
) -> tuple[SkillChoice, ...]:
    """Return playbooks that test the fault kind of a leading candidate and were not used yet.

    What needs a change is called for by the changes of a leading candidate alone.
    """
    changed = _changed(analysis)
    wanted = {
        kind: candidate
        for candidate in reversed(analysis.candidates[:_LOOKED_AT])
        for kind in (candidate.suspected_kind, candidate.fault_kind)
        if kind is not FaultKind.UNKNOWN
    }
    choices: list[SkillChoice] = []
    for skill in skills:
        called = [
            (by[h.fault_kind].score, h.fault_kind)
            for h in skill.hypotheses
            for by in (changed if _needs_change(h) else wanted,)
            if h.fault_kind in by
        ]
        if called and skill.name not in taken:
            score, best = max(called, key=lambda pair: pair[0])
            matched = (f"finding:{best.value}",)
            choices.append(SkillChoice(name=skill.name, score=score, matched=matched))
    return tuple(sorted(choices, key=lambda c: (-c.score, c.name)))


def _changed(analysis: Analysis) -> dict[FaultKind, CandidateCause]:
    """Every fault that a change can be, with the best of the leading candidates that has any.

    Of which sort a change is, is for the playbook's checks: they tell one from the other.
    """
    entities = {f.entity for f in analysis.findings if f.kind is FindingKind.CHANGE}
    leading = [c for c in analysis.candidates[:_LOOKED_AT] if c.entity in entities]
    return {FaultKind(kind.value): leading[0] for kind in ChangeKind} if leading else {}


def _needs_change(hypothesis: Hypothesis) -> bool:
    return any(c.kinds and c.role is CheckRole.REQUIRED for c in hypothesis.evidence)
