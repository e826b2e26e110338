"""Which playbooks the findings of one round call for in the next, and what is still to be asked.

An alert named `HighErrorRate` names no playbook; what was found may. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from superbizagent.analysis.cluster_facts import reading_of
from superbizagent.domain.check import CheckRole
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import Analysis, CandidateCause, FaultKind, FindingKind
from superbizagent.domain.outputs import ChangeKind
from superbizagent.domain.plan import Plan, SkillChoice, ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Hypothesis, Skill
from superbizagent.domain.source import EvidenceStatus, Signal
from superbizagent.investigation.hypotheses.objects import readings_asked

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
    # What stands apart is never the leading candidate's equal: its playbooks come after.
    leading = (*analysis.candidates[:_LOOKED_AT], *(fault.cause for fault in analysis.apart))
    wanted = {
        kind: candidate
        for candidate in reversed(leading)
        for kind in (candidate.suspected_kind, candidate.fault_kind)
        if kind is not FaultKind.UNKNOWN
    }
    choices: list[SkillChoice] = list(_for_objects(analysis, skills, taken))
    for skill in skills:
        # Those about objects of a cluster are called for by what was read of objects alone.
        told = [h for h in skill.hypotheses if not h.is_about_objects]
        called = [
            (by[h.fault_kind].score, h.fault_kind)
            for h in told
            for by in (changed if _needs_change(h) else wanted,)
            if h.fault_kind in by
        ]
        if called and skill.name not in {*taken, *(c.name for c in choices)}:
            score, best = max(called, key=lambda pair: pair[0])
            matched = (f"finding:{best.value}",)
            choices.append(SkillChoice(name=skill.name, score=score, matched=matched))
    return tuple(sorted(choices, key=lambda c: (-c.score, c.name)))


def _for_objects(
    analysis: Analysis, skills: Sequence[Skill], taken: AbstractSet[str]
) -> Iterator[SkillChoice]:
    """Playbooks that ask for what was read of objects in trouble."""
    found = [f for f in analysis.findings if f.kind is FindingKind.OBJECT_STATE]
    scores: dict[str, float] = {}
    for finding in found:
        reading, _ = reading_of(finding.subject)
        scores[reading] = max(scores.get(reading, 0.0), finding.score)
    for skill in skills if scores else ():
        required = [
            check
            for hypothesis in skill.hypotheses
            for check in hypothesis.evidence
            if check.role is CheckRole.REQUIRED
        ]
        asked = {n for check in required for n in readings_asked(check, tuple(scores))}
        if asked and skill.name not in taken:
            best = min(asked, key=lambda name: (-scores[name], name))
            matched = (f"reading:{best}",)
            yield SkillChoice(name=skill.name, score=scores[best], matched=matched)


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
