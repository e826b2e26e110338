"""How a log finding is said: records by their rate, a number of their text by its median."""

from dataclasses import dataclass

from superbizagent.domain.finding import Finding
from superbizagent.domain.report import Derivation
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.picks import COUNTED_LOGS
from superbizagent.investigation.wording.writer import FindingFacts, Given

__all__ = ["LogPhrase", "log_phrase"]


@dataclass(frozen=True, slots=True)
class LogPhrase:
    """A template, and what its derived slots are computed from."""

    template: str
    derivations: tuple[Derivation, ...] = ()


def log_phrase(
    given: Given, narrator: Narrator, finding: Finding, picked: FindingFacts, key: str = "why"
) -> LogPhrase | None:
    """Return how a log finding is said, or None when its facts do not bear it out.

    Args:
        given: the evidence.
        narrator: the table of the report's language.
        finding: one of the log kinds.
        picked: its facts.
        key: ``why``, ``what.ranked`` or ``what.open``: the sentence it stands in.
    """
    if not picked.after:
        return None
    if finding.kind not in COUNTED_LOGS:
        return _field(narrator, picked, key)
    if not picked.before or key != "why":
        return LogPhrase(narrator.say(f"{key}.log" if key == "why" else f"{key}_log",
                                      count=picked.after))  # fmt: skip
    facts = given.evidence.facts()
    if facts[picked.before].value == 0:
        template = narrator.say("why.log_new", count=picked.after, before=picked.before)
        return LogPhrase(template)
    # What came no more often than before is no evidence of anything.
    if (finding.incident or 0.0) <= (finding.baseline or 0.0):
        return None
    # The windows differ in length: counts of them cannot be compared, rates can.
    rates = (Derivation(operation="rate", fact_ids=(i,)) for i in (picked.after, picked.before))
    return LogPhrase(narrator.say("why.log_before", count=picked.after), tuple(rates))


def _field(narrator: Narrator, picked: FindingFacts, key: str) -> LogPhrase | None:
    if not picked.before:
        return None
    name = "why.field" if key == "why" else f"{key}_field"
    if picked.line:
        template = narrator.say(name, before=picked.before, after=picked.after, line=picked.line)
        return LogPhrase(template)
    return LogPhrase(narrator.say(f"{name}_fell", before=picked.before, after=picked.after))
