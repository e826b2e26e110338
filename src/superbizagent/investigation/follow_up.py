"""Which playbooks the findings of one round call for in the next, and what is still to be asked.

An alert named `HighErrorRate` names no playbook; what was found may. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import Analysis, CandidateCause, FaultKind, FindingKind
from superbizagent.domain.outputs import ChangeKind
from superbizagent.domain.plan import Plan, SkillChoice, ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import CheckRole, Hypothesis, Skill
from superbizagent.domain.source import EvidenceStatus, Signal

__all__ = ["skills_for", "sources_not_swept", "with_companions"]

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
