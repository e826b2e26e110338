"""Faults of their own beside the leading cause, on other branches of the call graph.

What neither calls the leading cause, over however many hops, nor is called by it, is not explained
by it. Where its own fault was tested, or shows in its resources and in what its callers feel, it is
told as a second one, with a verdict of its own. All else there only calls for playbooks.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from superbizagent.analysis.fault_kind import fault_kind_of, is_worse
from superbizagent.domain.finding import (
    CandidateCause,
    FaultKind,
    Finding,
    HypothesisOutcome,
    HypothesisResult,
    SeparateFault,
    Verdict,
)
from superbizagent.domain.outputs import Topology
from superbizagent.domain.scope import Scope
from superbizagent.investigation.hypotheses.combine import (
    RULED_OUT_BY_PLACE,
    margin_of,
    rests_on_one_line,
)
from superbizagent.investigation.hypotheses.consequences import rivals_of
from superbizagent.investigation.hypotheses.verdict import Judged, decide_verdict

__all__ = ["judge_apart"]

_MOST = 3
_FELT = frozenset({"err", "lat"})
_RESOURCES = frozenset({FaultKind.CPU, FaultKind.MEMORY, FaultKind.DISK})
_CONSEQUENCES = frozenset({FaultKind.UNKNOWN, FaultKind.TRAFFIC, FaultKind.DEPENDENCY})
"""What follows from a fault elsewhere, or says nothing."""
_NAMED = frozenset({Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY})


def judge_apart(judged: Judged) -> tuple[Judged, tuple[SeparateFault, ...]]:
    """Return what the leading cause is judged on, and what stands apart, named faults first.

    A fault that is named competes with nothing: it is no candidate for the leading one any more.
    Where no cause is named, nothing is independent of it.
    """
    first = judged.first
    if first is None:
        return judged, ()
    apart = [_judged_alone(judged, first, c) for c in _apart_from(judged, first)]
    named = {f.cause.entity for f in apart if f.is_named}
    if not named:
        return judged, tuple(apart)
    others = tuple(c for c in judged.candidates if c.entity not in named)
    rest = replace(
        judged,
        candidates=others,
        margin=margin_of(rivals_of(others, judged.hypotheses, judged.skills)),
        hypotheses=_without(judged, named),
    )
    if decide_verdict(rest)[0] not in _NAMED:
        return judged, tuple(_unnamed(fault) for fault in apart)
    return rest, tuple(sorted(apart, key=lambda f: (not f.is_named, f.cause.entity)))


def _without(judged: Judged, entities: AbstractSet[str]) -> tuple[HypothesisResult, ...]:
    """The hypotheses without those that hold of other entities: these explain something else."""
    return tuple(
        h
        for h in judged.hypotheses
        if h.entity not in entities or h.outcome is not HypothesisOutcome.SUPPORTED
    )


def _unnamed(fault: SeparateFault) -> SeparateFault:
    return fault.model_copy(update={"verdict": Verdict.INCONCLUSIVE})


def _apart_from(judged: Judged, first: CandidateCause) -> list[CandidateCause]:
    """Services on other branches with trouble of their own, the most abnormal first."""
    known = {c.entity: c for c in judged.candidates}
    found: list[tuple[float, CandidateCause]] = []
    for path in _branches(judged.scope, first):
        own = [f for f in judged.findings if f.entity == path and f.score > 0]
        worst = max((f.score for f in own if f.family != "other"), default=0.0)
        if worst > 0:
            found.append((worst, _restored(known[path]) if path in known else _of(path, own)))
    ordered = sorted(found, key=lambda pair: (-pair[0], pair[1].entity))
    tested = [c for _, c in ordered if c.hypothesis]
    return [*tested, *(c for _, c in ordered if not c.hypothesis)][:_MOST]


def _branches(scope: Scope, first: CandidateCause) -> Iterator[str]:
    """Entities of the call graph that neither depend on the leading cause nor it on them.

    A host carries them all, and objects of a cluster say themselves what they stand on.
    """
    graph, name = scope.topology, first.entity.rsplit("/", 1)[-1]
    known = {n for e in graph.edges for n in (e.caller, e.callee)}
    for entity in scope.everything:
        if entity.path == first.entity or entity.kind == "host" or entity.is_object:
            continue
        if {entity.name, name} <= known and not _related(graph, entity.name, name):
            yield entity.path


def _related(graph: Topology, one: str, other: str) -> bool:
    return one == other or other in graph.downstream(one) or one in graph.downstream(other)


def _restored(candidate: CandidateCause) -> CandidateCause:
    """A candidate with the score that it had before it was ruled out as the alert's cause."""
    if not candidate.terms or candidate.terms[-1].name not in RULED_OUT_BY_PLACE:
        return candidate
    terms = candidate.terms[:-1]
    return candidate.model_copy(update={"terms": terms, "score": sum(t.value for t in terms)})


def _of(path: str, own: Sequence[Finding]) -> CandidateCause:
    dated = [f for f in own if f.onset_at is not None]
    onset = min(dated, key=lambda f: (f.onset_at, f.id), default=None)
    return CandidateCause(
        entity=path,
        fault_kind=fault_kind_of(own),
        score=0.0,
        finding_ids=tuple(f.id for f in own),
        onset_at=onset.onset_at if onset else None,
        onset_uncertainty=onset.onset_uncertainty if onset else None,
    )


def _judged_alone(
    judged: Judged, first: CandidateCause, candidate: CandidateCause
) -> SeparateFault:
    """Decide on one that stands apart as if it had been asked about alone."""
    own = [f for f in judged.findings if f.entity == candidate.entity and f.score > 0]
    felt = [f for f in own if f.family in _FELT and is_worse(f)]
    alone = SeparateFault(cause=candidate)
    if not _is_of_its_own(judged, first, candidate, felt):
        return alone
    others = [c for c in judged.candidates if c.score > 0 and c.hypothesis and c != first]
    rivals = [c for c in others if c.entity != candidate.entity]
    ordered = sorted((candidate, *rivals), key=lambda c: (-c.score, c.entity))
    verdict, reasons = decide_verdict(
        replace(
            judged,
            candidates=(candidate,),
            margin=margin_of(ordered) if ordered[0] == candidate else 0.0,
            symptom=felt,
            hypotheses=_without(judged, {first.entity}),
        )
    )
    return alone.model_copy(update={"verdict": verdict, "verdict_reasons": reasons})


def _is_of_its_own(
    judged: Judged, first: CandidateCause, candidate: CandidateCause, felt: Sequence[Finding]
) -> bool:
    """Tell whether a fault was tested there, or is seen in a resource and felt as well.

    Untested it must be of another kind than the leading one: what shares a machine suffers alike.
    """
    kind = candidate.fault_kind
    if kind in _CONSEQUENCES or candidate.score <= 0:
        return False
    if candidate.hypothesis:
        keys = {h.key for h in judged.hypotheses if h.outcome is HypothesisOutcome.SUPPORTED}
        return candidate.hypothesis in keys
    if kind not in _RESOURCES or kind is first.fault_kind or not felt:
        return False
    return not rests_on_one_line(candidate, judged.findings)
