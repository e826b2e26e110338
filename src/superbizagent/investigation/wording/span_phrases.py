"""How a finding of spans is said: calls by their medians, patterns by shares, errors by counts."""

from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.writer import FindingFacts, Given

__all__ = ["example_of", "span_phrase"]

_EVENTS = ("call", "inner", "error")


def span_phrase(
    given: Given, narrator: Narrator, finding: Finding, picked: FindingFacts, key: str = "why"
) -> str | None:
    """Return the template of a finding of spans, or None when its facts do not bear it out.

    Args:
        given: the evidence.
        narrator: the table of the report's language.
        finding: one of `SPAN_KINDS`.
        picked: its facts.
        key: ``why``, ``what.ranked`` or ``what.open``: the sentence it stands in.
    """
    if not picked.after or not picked.before:
        return None
    facts = given.evidence.facts()
    roles = {
        facts[i].statistic: i
        for i in reversed(finding.fact_ids)
        if facts[i].name == finding.subject
    }
    said = {"before": picked.before, "after": picked.after}
    counted = ""
    match finding.kind:
        case FindingKind.WIRE_DELAY if "caller" in roles:
            silent = "silent_callee" in roles
            callee = roles["silent_callee" if silent else "callee"]
            name = "spans.time" if silent else "spans.wire"
            text = narrator.say(name, caller=roles["caller"], callee=callee, **said)
            counted = "spans.medians"
        case FindingKind.CALL_PATTERN if event := next((e for e in _EVENTS if e in roles), ""):
            operation = roles["operation"]
            text = narrator.say(f"spans.{event}", operation=operation, event=roles[event], **said)
            counted = "spans.of"
        case FindingKind.SPAN_ERRORS if "what" in roles:
            text = narrator.say("spans.errors", what=roles["what"], **said)
        case _:
            return None
    of = narrator.say(counted, count=picked.extreme) if counted and picked.extreme else ""
    return narrator.say(f"{key}.spans" if key == "why" else f"{key}_spans", text=text, counted=of)


def example_of(narrator: Narrator, finding: Finding, picked: FindingFacts) -> str:
    """Return where the finding can be seen, as an addition to its sentence; empty if nowhere."""
    shown = picked.line and finding.subject.startswith(("wire:", "pattern:", "span_errors:"))
    return narrator.say("spans.example", line=picked.line) if shown else ""
