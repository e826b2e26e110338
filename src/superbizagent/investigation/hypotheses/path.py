"""The way from the cause to what hurts, step by step, each with what was measured of it.

The call graph says which way trouble can go; that it went there is said of a step only where the
calls between its ends became slower, or where both ends are abnormal. Who adds to it on the way,
by an abnormality of its own, is a contributing cause.
"""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

from superbizagent.analysis.fault_kind import is_worse
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import (
    LOG_KINDS,
    CandidateCause,
    Contribution,
    Finding,
    FindingKind,
    PathStep,
)
from superbizagent.domain.scope import Scope

__all__ = ["contributing", "path_of"]

_SLOWER = 1.5
"""Times its usual wire time from which a call counts as slowed."""
_PARTLY = (0.3, 0.8)
"""Shares explained by callees between which something is left that is its own."""
_FELT = frozenset({"err", "lat"})
_SAYABLE = LOG_KINDS | {FindingKind.METRIC_DEVIATION, FindingKind.SERIES_APPEARED}


def path_of(
    scope: Scope, evidence: Evidence, cause: CandidateCause | None, findings: Sequence[Finding]
) -> tuple[PathStep, ...]:
    """Return the steps from the cause to the entity in question, none where no call leads there."""
    names = cause.path if cause is not None else ()
    paths = [_path(scope, name) for name in names]
    return tuple(
        _step(evidence, source, target, findings, is_first=number == 0)
        for number, (source, target) in enumerate(pairwise(paths))
    )


def contributing(
    steps: Sequence[PathStep], candidates: Sequence[CandidateCause], findings: Sequence[Finding]
) -> tuple[Contribution, ...]:
    """Return entities between cause and symptom that callees explain in part and not in whole."""
    ways = [step.target for step in steps]
    found: list[Contribution] = []
    for candidate in candidates:
        own = [
            f
            for f in findings
            if f.id in candidate.finding_ids and f.score > 0 and f.family not in {*_FELT, "qps"}
        ]
        share = _explained(candidate)
        if candidate.entity in ways and own and _PARTLY[0] <= share <= _PARTLY[1]:
            best = max(own, key=lambda f: (f.family != "other", f.score, f.id))
            found.append(Contribution(entity=candidate.entity, share=share, finding_id=best.id))
    return tuple(found)


def _explained(candidate: CandidateCause) -> float:
    """Share of what metrics say of it that its callees' latency and errors account for."""
    whole = next((t.value for t in candidate.terms if t.name == "metrics"), 0.0)
    taken = next((-t.value for t in candidate.terms if t.name == "explained_by_callee"), 0.0)
    return round_significant(taken / whole) if whole > 0 else 0.0


def _path(scope: Scope, name: str) -> str:
    """Path of a name of the call graph: what is in scope before what is elsewhere."""
    known = (*scope.everything, *scope.catalogue.resolve(name).entities)
    return next((e.path for e in known if e.name == name), name)


def _step(
    evidence: Evidence, source: str, target: str, findings: Sequence[Finding], *, is_first: bool
) -> PathStep:
    calls = _slowed_calls(evidence, source, target)
    # What is wrong at the cause need not be felt there; what is passed on must be.
    start, end = _worst(findings, source, felt=not is_first), _worst(findings, target, felt=True)
    if start is None or end is None:
        return PathStep(source=source, target=target, call_facts=calls)
    return PathStep(
        source=source,
        target=target,
        call_facts=calls,
        finding_ids=(start.id, end.id),
        order=_order(start, end),
    )


def _slowed_calls(evidence: Evidence, source: str, target: str) -> tuple[str, ...]:
    """Facts of the time that calls between both take now, and took before."""
    name = f"calls:{target.rsplit('/', 1)[-1]} -> {source.rsplit('/', 1)[-1]}"
    own = {f.statistic: f for f in evidence.facts().values() if f.name == name}
    now, before = own.get("median"), own.get("baseline_median")
    if now is None or before is None:
        return ()
    if not isinstance(now.value, int | float) or not isinstance(before.value, int | float):
        return ()
    return (now.id, before.id) if now.value > _SLOWER * before.value else ()


def _worst(findings: Sequence[Finding], entity: str, *, felt: bool) -> Finding | None:
    """The strongest finding of an entity that one sentence can say; dated ones come first."""
    own = [f for f in findings if f.entity == entity and f.score > 0 and f.kind in _SAYABLE]
    own = [f for f in own if f.family in _FELT and is_worse(f)] if felt else own
    return max(own, key=lambda f: (f.onset_at is not None, f.score, f.id), default=None)


def _order(start: Finding, end: Finding) -> str:
    """``before``, ``after`` or ``unknown``: the end nearer to the cause against the other."""
    if start.onset_at is None or end.onset_at is None:
        return "unknown"
    slack = sum((f.onset_uncertainty or timedelta() for f in (start, end)), timedelta())
    late = start.onset_at - end.onset_at
    return "after" if late > slack else "before" if -late > slack else "unknown"
