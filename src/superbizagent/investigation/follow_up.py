"""Which playbooks the findings of one round call for in the next, and what is still to be asked.

An alert named `HighErrorRate` names no playbook; what was found may. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import Analysis, FaultKind
from superbizagent.domain.plan import Plan, SkillChoice, ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus, Signal

__all__ = ["skills_for", "sources_not_swept", "with_companions"]

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


def with_companions(
    choices: Iterable[SkillChoice], skills: Mapping[str, Skill], *, taken: AbstractSet[str]
) -> tuple[SkillChoice, ...]:
    """Return the choices, then the playbooks that are to be tested along with them.

    One that nobody has installed, and one that was used before, is left out.
    """
    found = {choice.name: choice for choice in choices}
    for choice in tuple(found.values()):
        skill = skills[choice.name]
        for name in (*skill.rivals, *skill.along):
            if name in skills and name not in taken and name not in found:
                found[name] = SkillChoice(name=name, score=0.0, matched=(f"along:{choice.name}",))
    return tuple(found.values())


def sources_not_swept(
    scope: Scope, plans: Sequence[Plan], rows: Sequence[ToolInvocation]
) -> frozenset[str]:
    """Return the metric sources of which the sweep did not bring everything about the scope.

    What it brought need not be asked for again: a sweep holds all series of its entity.
    """
    cut = {
        row.call.source
        for row in rows
        if row.call.purpose.startswith("sweep:")
        and row.tool is ToolName.QUERY_METRICS
        and (row.truncated or row.status is EvidenceStatus.TIMEOUT)
    }
    if any(purpose.startswith("sweep:") for plan in plans for purpose in plan.left_out):
        cut |= {s.name for s in scope.sources if Signal.METRICS in s.signals}
    return frozenset(cut)
