"""Which findings, facts and hypotheses the sections of a report speak of."""

from superbizagent.domain.finding import CandidateCause, Finding, FindingKind, HypothesisResult
from superbizagent.investigation._writer import Given, facts_of_finding

__all__ = [
    "COUNTED_LOGS",
    "LOG_KINDS",
    "MOST",
    "counted",
    "first_sign",
    "leading",
    "strongest",
    "tested",
]

MOST = 3
"""Statements of one section on the first screen: a reader at night takes in no more."""
COUNTED_LOGS = frozenset({FindingKind.LOG_BURST, FindingKind.LOG_NOVEL})
"""Findings that a record came more often; a shifted number of its text says nothing of that."""
LOG_KINDS = COUNTED_LOGS | {FindingKind.LOG_FIELD_SHIFT}


def leading(given: Given) -> CandidateCause | None:
    """The first candidate that is not ruled out; none when it has no tie to what was asked."""
    if "scope_calm" in given.analysis.verdict_reasons:
        return None
    return next((c for c in given.analysis.candidates if c.score > 0), None)


def tested(given: Given, candidate: CandidateCause | None) -> HypothesisResult | None:
    """The hypothesis that stands behind a candidate."""
    if candidate is None or not candidate.hypothesis:
        return None
    return next((h for h in given.analysis.hypotheses if h.key == candidate.hypothesis), None)


def strongest(given: Given, candidate: CandidateCause) -> list[Finding]:
    """Findings of a candidate, those that are not the symptom first."""
    own = [f for f in given.analysis.findings if f.id in candidate.finding_ids and f.score > 0]
    symptom = set(given.analysis.symptom)
    return sorted(own, key=lambda f: (f.id in symptom, -f.score, f.id))


def counted(
    given: Given, name: str, purposes: frozenset[str] | None = None
) -> tuple[str, ...]:
    """Facts of the sweep's calls; those for checks look at the same series again."""
    rows = [
        r
        for r in given.evidence.invocations
        if not r.call.purpose.startswith("check:")
        and (purposes is None or r.call.purpose in purposes)
    ]
    return tuple(f.id for r in rows for f in r.facts if f.name == name)


def first_sign(given: Given) -> Finding | None:
    """The earliest dated of the strong symptom findings, else of the leading cause's."""
    facts = given.evidence.facts()
    first = leading(given)
    ids = given.analysis.symptom or (first.finding_ids if first else ())
    dated = [
        f
        for f in given.analysis.findings
        if f.id in ids and f.onset_at is not None and facts_of_finding(f, facts).onset
    ]
    # Half as strong as the strongest: a faint series is early by chance.
    bar = 0.5 * max((f.score for f in dated), default=0.0)
    strong = [f for f in dated if f.score >= bar]
    return min(strong, key=lambda f: (f.onset_at, f.id), default=None)
