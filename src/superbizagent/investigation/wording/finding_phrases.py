"""How a finding is said by itself: a series, a log, spans or an object of a cluster."""

from superbizagent.domain.finding import LOG_KINDS, Finding
from superbizagent.investigation.wording.check_phrases import CheckPhrase
from superbizagent.investigation.wording.log_phrases import log_phrase
from superbizagent.investigation.wording.object_phrases import state_phrase
from superbizagent.investigation.wording.picks import SPAN_KINDS
from superbizagent.investigation.wording.span_phrases import example_of, span_phrase
from superbizagent.investigation.wording.writer import Given, Writer, facts_of_finding

__all__ = ["finding_phrase"]


def finding_phrase(
    given: Given, writer: Writer, finding: Finding, *, example: bool = False
) -> CheckPhrase | None:
    """Return what a finding consists of, or None when its facts do not bear a sentence out.

    Args:
        given: the evidence.
        writer: whose table is used.
        finding: any.
        example: of spans, name a request in which it shows as well.
    """
    facts = facts_of_finding(finding, given.evidence.facts())
    say = writer.narrator.say
    if state := state_phrase(given, writer, finding, "why"):
        return CheckPhrase(state)
    if finding.kind in LOG_KINDS:
        phrase = log_phrase(given, writer.narrator, finding, facts)
        return CheckPhrase(phrase.template, phrase.derivations) if phrase is not None else None
    if finding.kind in SPAN_KINDS:
        told = span_phrase(given, writer.narrator, finding, facts)
        shown = example_of(writer.narrator, finding, facts) if example else ""
        return CheckPhrase(told + shown) if told is not None else None
    if not facts.after or not facts.extreme:
        return None
    slots = {"metric": facts.after, "after": facts.after, "extreme": facts.extreme}
    if not facts.before:
        return CheckPhrase(say("why.new", **slots))
    key = "why.metric" if finding.direction >= 0 else "why.metric_fell"
    return CheckPhrase(say(key, before=facts.before, **slots))
