"""Which findings, facts and hypotheses the sections of a report speak of."""

from collections.abc import Sequence

from superbizagent.domain.finding import (
    CandidateCause,
    Finding,
    FindingKind,
    HypothesisResult,
    SeparateFault,
)
from superbizagent.domain.plan import ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.facts.onset import earliest_strong
from superbizagent.investigation.wording.writer import Given, Writer, facts_of_finding

__all__ = [
    "MOST",
    "SPAN_KINDS",
    "counted",
    "first_sign",
    "independent",
    "leading",
    "quiet_call",
    "strongest",
    "tested",
    "with_start",
]

MOST = 3
"""Statements of one section on the first screen: a reader at night takes in no more."""
_INDEPENDENT = 2
_COUNTED_OVER = frozenset(
    {"increase", "failed", "requests", "spent", "mean", "rate_mean", "mean_mean"}
    | {"mean_since", "rate_mean_since", "mean_mean_since"}
)
"""Statistics that say something else over another window; a highest value does not."""
SPAN_KINDS = frozenset({FindingKind.WIRE_DELAY, FindingKind.CALL_PATTERN, FindingKind.SPAN_ERRORS})


def leading(given: Given) -> CandidateCause | None:
    """The first candidate that is not ruled out; none when it has no tie to what was asked."""
    if {"scope_calm", "scope_explains_nothing"} & set(given.analysis.verdict_reasons):
        return None
    return next((c for c in given.analysis.candidates if c.score > 0), None)


def independent(given: Given) -> tuple[SeparateFault, ...]:
    """Faults that are told beside the leading cause; `--full` lists all."""
    return given.analysis.independent[:_INDEPENDENT] if leading(given) is not None else ()


def quiet_call(given: Given) -> str:
    """The call that found no alert firing, when nobody said what is wrong; empty otherwise."""
    incident = given.scope.incident
    told = given.scope.alert or incident.question or incident.at or incident.start or incident.end
    live = {source.name for source in given.scope.sources if not source.is_recording}
    rows = [
        r
        for r in given.evidence.invocations
        if r.tool is ToolName.LIST_ALERTS and r.call.source in live
    ]
    if told or not rows or any(r.status is not EvidenceStatus.EMPTY for r in rows):
        return ""
    return f"E{rows[0].number}"


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


def counted(given: Given, name: str, purposes: frozenset[str] | None = None) -> tuple[str, ...]:
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
    return earliest_strong(dated)


def with_start(given: Given, writer: Writer, sentence: str, fact_ids: Sequence[str]) -> str:
    """Return a sentence that says from when it counts, where that is not since it shows.

    The lines of one screen must not mix windows in silence.
    """
    facts = given.evidence.facts()
    incident = given.scope.windows.incident
    spans = {i: facts[i].window for i in fact_ids if facts[i].statistic in _COUNTED_OVER}
    first = first_sign(given)
    since = first.onset_at if first is not None else None
    for fact_id, window in spans.items():
        if window is not None and window.end == incident.end and window.start != since:
            end = sentence[-1:] if sentence.endswith((".", "。")) else ""
            start = writer.narrator.say("counted.from", fact=fact_id)
            return f"{sentence.removesuffix(end)}{start}{end}"
    return sentence
