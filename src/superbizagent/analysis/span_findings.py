"""What the spans say of every entity, as findings."""

from collections.abc import Iterator, Sequence

from superbizagent.analysis._fact_list import facts_by_place
from superbizagent.analysis.calls import LogCall, SpanCall
from superbizagent.analysis.span_channels import PATTERN, SPAN_ERRORS, WIRE, SpanEvidence
from superbizagent.analysis.span_scores import FLOORS, facts_about
from superbizagent.domain.finding import Finding, FindingKind

__all__ = ["findings_from_spans"]

_KINDS = {
    WIRE: FindingKind.WIRE_DELAY,
    PATTERN: FindingKind.CALL_PATTERN,
    SPAN_ERRORS: FindingKind.SPAN_ERRORS,
}


def findings_from_spans(call: SpanCall, logs: Sequence[LogCall] = ()) -> tuple[Finding, ...]:
    """Return findings of what left its usual course (ids empty).

    Args:
        call: an answered call with its facts.
        logs: the calls whose digests its channels were computed with, in their order.
    """
    return tuple(_findings(call, logs))


def _findings(call: SpanCall, logs: Sequence[LogCall]) -> Iterator[Finding]:
    for evidence in call.channels.evidence:
        score = call.channels.of(evidence.channel).get(evidence.entity, 0.0)
        fact_ids = _facts(call, evidence, logs)
        # What no fact bears out cannot be said.
        if score < FLOORS[evidence.channel] or not fact_ids:
            continue
        rose = evidence.incident - evidence.baseline
        yield Finding(
            id="",
            kind=_KINDS[evidence.channel],
            entity=evidence.entity,
            subject=evidence.name,
            family=_family(evidence),
            direction=(rose > 0) - (rose < 0),
            score=score,
            baseline=evidence.baseline,
            incident=evidence.incident,
            unit=evidence.unit,
            fact_ids=fact_ids,
        )


def _facts(call: SpanCall, evidence: SpanEvidence, logs: Sequence[LogCall]) -> tuple[str, ...]:
    if evidence.template is None:
        return facts_about(call, evidence)
    digest, template = evidence.template
    if digest >= len(logs):
        return ()
    return facts_by_place(tuple(logs[digest].facts)).get(f"template/{template}", ())


def _family(evidence: SpanEvidence) -> str:
    if evidence.channel == WIRE:
        return "lat"
    return "err" if evidence.is_error or evidence.channel == SPAN_ERRORS else "other"
