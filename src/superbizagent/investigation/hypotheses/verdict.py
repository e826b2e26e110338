"""How a session ends, by rules of code; each verdict comes with the keys of its reasons.

The keys are those of the narrator's table: ``key`` or ``key:argument``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from superbizagent.analysis.alert_evidence import rests_on_alerts, shows_itself
from superbizagent.domain.check import CheckRole, Place
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.finding import (
    LOG_KINDS,
    CandidateCause,
    CheckOutcome,
    FaultKind,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
    Verdict,
)
from superbizagent.domain.plan import ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.hypotheses.combine import (
    named_entities,
    order_of,
    rests_on_one_line,
)
from superbizagent.investigation.hypotheses.consequences import hypothesis_of
from superbizagent.investigation.hypotheses.healthy import (
    HEALTHY,
    Wellness,
    lacking_for_health,
    not_learnt,
)
from superbizagent.skills import is_kind

__all__ = ["Judged", "decide_verdict", "failed_sources"]

_SURE = 0.6  # margin from which the first place was right in 94 % of recorded cases
_LIKELY = 0.4  # 88 %; below, the ranking is no answer
_NAMED = 3
"""Rivals that a reader is told of, those that must be ruled out before the others."""
_LOOKED = frozenset(
    {ToolName.QUERY_METRICS, ToolName.SEARCH_LOGS, ToolName.SEARCH_TRACES, ToolName.GET_KUBERNETES}
)
_FOLLOWING = frozenset({"mem", "net", "other"})
"""Families that rise with the number of requests under way, whatever holds these up."""
_HURTING = frozenset({"err", "lat"})
_NEWS = frozenset({FindingKind.LOG_NOVEL, FindingKind.LOG_BURST, FindingKind.CHANGE})
_FAILED = frozenset({EvidenceStatus.ERROR, EvidenceStatus.TIMEOUT, EvidenceStatus.DENIED})


@dataclass(frozen=True, slots=True)
class Judged:
    """What the verdict is decided on."""

    scope: Scope
    evidence: Evidence
    skills: Sequence[Skill]
    findings: Sequence[Finding]
    symptom: Sequence[Finding]
    hypotheses: Sequence[HypothesisResult]
    candidates: Sequence[CandidateCause]
    """Best first; a score of 0 means ruled out."""
    margin: float
    looked_at: int
    """Series and log records that were read."""
    calm: bool = False
    """No entity is further from its baseline than the baseline is from itself."""
    wellness: Wellness = field(default_factory=Wellness)

    @property
    def first(self) -> CandidateCause | None:
        """The leading candidate that is not ruled out."""
        return next((c for c in self.candidates if c.score > 0), None)


def decide_verdict(judged: Judged) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict and its reasons, the deciding one first.

    ``healthy`` needs more than calm: see `lacking_for_health`.
    """
    verdict, reasons = _decided(judged)
    # Whatever the verdict is, a reader must know that part of the evidence was lost.
    return verdict, (*reasons, *(r for r in _lost(judged) if r not in reasons))


def _lost(judged: Judged) -> tuple[str, ...]:
    """Reasons why evidence is missing: sources that failed, files that nothing could read."""
    failed = {
        *failed_sources(judged.evidence),
        *(f.partition(": ")[0] for f in judged.scope.failed),
    }
    unread = [path for source in judged.scope.sources for path in source.unreadable]
    files = (f"file_unreadable:{','.join(unread)}",) if unread else ()
    return (*(f"source_failed:{name}" for name in sorted(failed)), *files)


def _decided(judged: Judged) -> tuple[Verdict, tuple[str, ...]]:
    first = judged.first
    if first is not None and rests_on_alerts(first) and not first.hypothesis:
        return _by_alerts(judged, first)
    nothing = _nothing_to_judge(judged)
    if nothing or first is None:
        is_healthy = nothing[: len(HEALTHY)] == HEALTHY
        verdict = Verdict.HEALTHY if is_healthy else Verdict.INCONCLUSIVE
        return verdict, nothing or ("no_candidate",)
    result = next((h for h in judged.hypotheses if h.key == first.hypothesis), None)
    if result is None:
        return _by_ranking(judged, first)
    held, lacking = _sure_of(judged, first, result)
    if not lacking:
        return Verdict.ROOT_CAUSE_FOUND, held
    if len(lacking) == 1 or judged.margin >= _LIKELY:
        return Verdict.LIKELY, (*lacking, *held)
    return Verdict.INCONCLUSIVE, (*lacking, *held)


def failed_sources(evidence: Evidence) -> tuple[str, ...]:
    """Names of sources of which a call that looks at what happened failed, sorted."""
    rows = [r for r in evidence.invocations if _looks(r) and r.status in _FAILED]
    return tuple(sorted({r.call.source for r in rows}))


def _nothing_to_judge(judged: Judged) -> tuple[str, ...]:
    """Reasons why no cause can be judged at all, none when one can."""
    scope = judged.scope
    if scope.unresolved and not scope.entities:
        return tuple(f"unknown_entity:{r.name}" for r in scope.unresolved)
    if not _has_answer(judged.evidence):
        failed = failed_sources(judged.evidence)
        return ("nothing_answered", *(f"source_failed:{name}" for name in failed))
    if not judged.looked_at:
        return ("no_data",)
    if not scope.windows.baselines and not judged.candidates and not _saw_cluster(judged):
        return ("no_baseline",)
    return _nothing_found(judged)


def _nothing_found(judged: Judged) -> tuple[str, ...]:
    """Calm as a whole, or calm where it was asked about."""
    # What its owner calls wrong is so at this moment: it is neither calm nor healthy.
    holds = judged.scope.condition is not None and judged.scope.condition.holds
    # A symptom that moved is no calm, even when no entity stands out from its own past.
    lacking = lacking_for_health(judged.scope, judged.evidence, judged.wellness)
    unlearnt = not_learnt(judged.scope, judged.evidence)
    if judged.calm and not judged.symptom:
        calm = (*(("nothing_abnormal", *lacking) if lacking else HEALTHY), *unlearnt)
        return ("rule_holds", "nothing_explains") if holds else calm
    apart = judged.first is None or not judged.scope.topology.edges
    if _scope_is_calm(judged) and apart and not _is_tested_object(judged):
        # Without the call graph nothing ties the trouble of others to what was asked about.
        # Somewhere else something is in trouble, so the system is not healthy as a whole.
        calm = ("scope_calm", *(lacking or ("not_as_learnt",)), *unlearnt)
        return ("rule_holds", "scope_explains_nothing") if holds else calm
    return ()


def _has_answer(evidence: Evidence) -> bool:
    answered = {EvidenceStatus.OK, EvidenceStatus.EMPTY}
    return any(_looks(r) and r.status in answered for r in evidence.invocations)


def _looks(row: ToolInvocation) -> bool:
    """Tell whether a call may find the cause: the alert's own rule says only that it hurts."""
    return row.tool in _LOOKED and not row.call.reads_rule


def _saw_cluster(judged: Judged) -> bool:
    """Tell whether a cluster was looked at, whose objects say without a baseline what is wrong."""
    return any(r.tool is ToolName.GET_KUBERNETES and r.output for r in judged.evidence.invocations)


def _scope_is_calm(judged: Judged) -> bool:
    """Tell whether entities were named and none of them shows anything abnormal."""
    named = {e.path for e in named_entities(judged.scope)}
    return bool(named) and not any(f.entity in named and f.score > 0 for f in judged.findings)


def _is_tested_object(judged: Judged) -> bool:
    """Tell whether the first candidate is an object of a cluster whose fault was read there."""
    first = judged.first
    if first is None or not _is_about_objects(judged, first):
        return False
    return any(h.key == first.hypothesis and h.mechanism_seen for h in judged.hypotheses)


def _by_ranking(judged: Judged, first: CandidateCause) -> tuple[Verdict, tuple[str, ...]]:
    """Without a tested condition behind it, a clear ranking is a likely cause at most."""
    margin = f"margin:{judged.margin:.2f}"
    if not _explains(judged, first):
        return Verdict.INCONCLUSIVE, ("only_symptom",)
    if rests_on_one_line(first, judged.findings):
        return Verdict.INCONCLUSIVE, ("one_line",)
    if judged.margin < _LIKELY:
        return Verdict.INCONCLUSIVE, ("margin_small",)
    calm = ("named_calm",) if _scope_is_calm(judged) else ()
    return Verdict.LIKELY, ("no_hypothesis", *calm, margin)


def _by_alerts(judged: Judged, first: CandidateCause) -> tuple[Verdict, tuple[str, ...]]:
    """Where alerts are all there is: likely at most, and only of what an entity is by itself.

    On labelled lists without a history, a clear lead by what is felt was right in half of them,
    one by what the entity shows of itself in more than four of five.
    """
    calm = ("nothing_abnormal",) if judged.calm and judged.looked_at else ()
    if not shows_itself(first.terms):
        return Verdict.INCONCLUSIVE, ("only_alerts", "only_symptom", *calm)
    if judged.margin < _LIKELY:
        return Verdict.INCONCLUSIVE, ("only_alerts", "margin_small", *calm)
    return Verdict.LIKELY, ("only_alerts", f"margin:{judged.margin:.2f}", *calm)


def _explains(judged: Judged, first: CandidateCause) -> bool:
    """Tell whether a candidate shows more than the symptom and what follows from it.

    Where requests wait, open files, memory and logged durations rise as well. So what explains the
    symptom must be a third as strong as it (scores are logarithms: the cube root of the symptom's
    deviation), and what usually follows must have come first, or be the stronger of the two: of
    what hurts there, or of what hurts elsewhere when nothing does.
    """
    symptom = {f.id for f in judged.symptom}
    hurts = [f for f in judged.symptom if f.entity == first.entity]
    worst = max((f.score for f in hurts), default=0.0)
    leading = hurts or [f for f in judged.findings if f.score > 0 and f.family in _HURTING]
    loudest = max((f.score for f in leading), default=0.0)
    own = [f for f in judged.findings if f.id in first.finding_ids and f.id not in symptom]
    # A duration that is logged where it hurts is the symptom once more.
    own = [f for f in own if not hurts or f.family != "lat" or f.kind not in LOG_KINDS]
    for finding in own:
        follows = finding.family in _FOLLOWING and finding.kind not in _NEWS
        came_first = finding.score >= loudest or _is_earlier(finding, leading)
        if finding.score > 0 and finding.score >= worst / 3 and (not follows or came_first):
            return True
    return False


def _is_earlier(finding: Finding, others: Sequence[Finding]) -> bool:
    """Tell whether a finding began before all dated others, beyond every uncertainty."""
    dated = [f for f in others if f.onset_at is not None]
    if finding.onset_at is None or not dated:
        return False
    slack = finding.onset_uncertainty or timedelta()
    return all(
        f.onset_at is not None
        and f.onset_at - finding.onset_at > slack + (f.onset_uncertainty or timedelta())
        for f in dated
    )


def _sure_of(
    judged: Judged, first: CandidateCause, result: HypothesisResult
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What speaks for certainty, and what is lacking for it."""
    held: list[str] = []
    lacking: list[str] = []
    signals = _signals_that_hold(judged.skills, result)
    if result.mechanism_seen:
        held.append("mechanism_seen")
    elif len(signals) > 1:
        held.append("two_signals")
    else:
        lacking.append("one_signal")
    refuted, others = _rivals(judged, result)
    lacking += others
    if refuted and not others:
        held.append(f"rivals_refuted:{','.join(refuted)}")
    lacking += _lost(judged)
    (held if judged.margin >= _SURE else lacking).append(f"margin:{judged.margin:.2f}")
    if _scope_is_calm(judged):
        lacking.append("named_calm")
    if not _order_is_settled(judged, first):
        lacking.append("order_unknown")
    return tuple(held), tuple(lacking)


def _is_about_objects(judged: Judged, candidate: CandidateCause) -> bool:
    return hypothesis_of(candidate, judged.hypotheses, judged.skills) is not None


def _signals_that_hold(
    skills: Sequence[Skill], result: HypothesisResult
) -> set[tuple[ToolName, Place]]:
    """Ways in which it was seen: by which tool, of itself or of those around it."""
    skill = next(s for s in skills if s.name == result.skill)
    checks = {c.id: c for c in skill.hypothesis(result.id).evidence}
    holding = [c for c in result.checks if c.outcome is CheckOutcome.HOLDS]
    asked = [checks[c.id] for c in holding if c.role != CheckRole.REFUTES]
    return {(check.tool, check.at) for check in asked}


def _rivals(judged: Judged, result: HypothesisResult) -> tuple[list[str], list[str]]:
    """Rivals that were refuted, and reasons for those that were not; one of each fault kind."""
    skills = {skill.name: skill for skill in judged.skills}
    own = skills[result.skill]
    groups: dict[tuple[str, FaultKind], list[HypothesisResult]] = {}
    of_object = judged.first is not None and _is_about_objects(judged, judged.first)
    for h in judged.hypotheses:
        # Other objects have their own faults; of this one there are the other explanations.
        if of_object and h.entity != result.entity:
            continue
        # Another sign of the same fault is no rival, nor is what was tested for others.
        about = h.skill == own.name or h.entity in {result.entity, ""}
        same = h.fault_kind is result.fault_kind and about
        if h.skill in {own.name, *own.rivals, *own.along} and not same:
            groups.setdefault((h.skill, h.fault_kind), []).append(h)
    refuted: list[tuple[bool, str]] = []
    others: list[str] = []
    for (name, _), results in groups.items():
        outcome = _of_group(skills[name], results)
        first = results[0].id
        if outcome is HypothesisOutcome.SUPPORTED:
            others.append(f"rival_supported:{first}")
        elif outcome is HypothesisOutcome.REFUTED:
            refuted.append((name not in own.rivals, first))
        elif name not in own.along:
            others.append(f"rival_open:{first}")
    named = [first for _, first in sorted(refuted, key=lambda pair: pair[0])]
    return named[:_NAMED], others


def _of_group(skill: Skill, results: Sequence[HypothesisResult]) -> HypothesisOutcome:
    """What the hypotheses of one kind come to; the first of a file is the one that rules it out.

    Refuted counts where it is about what a hypothesis is of: that a service is not full does not
    say that its database is not, whatever a service may turn out to be.
    """
    if any(r.outcome is HypothesisOutcome.SUPPORTED for r in results):
        return HypothesisOutcome.SUPPORTED
    partly = any(r.outcome is HypothesisOutcome.OPEN and r.entity for r in results)
    told = any(
        r.outcome is HypothesisOutcome.REFUTED
        and r.id == results[0].id
        # Of no entity: nothing of its sort was done to anybody.
        and (not r.entity or _is_of_kind(r.entity, skill.hypothesis(r.id).entity))
        for r in results
    )
    return HypothesisOutcome.REFUTED if told and not partly else HypothesisOutcome.OPEN


def _is_of_kind(entity: str, wanted: str) -> bool:
    return wanted == "any" or is_kind(entity.split("/")[2], (wanted,))


def _order_is_settled(judged: Judged, first: CandidateCause) -> bool:
    """Between entities the order in time decides which way the trouble went.

    Inside the entity that hurts there is no such question: its mechanism was tested there.
    """
    hurting = {f.entity for f in judged.symptom}
    if first.entity in hurting or not hurting:
        return True
    return order_of(first, judged.symptom, judged.scope.condition) == "before"
