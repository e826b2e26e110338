"""How a log finding is said: records by their rate or share, a number of theirs by its median."""

from dataclasses import dataclass

from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.report import Derivation
from superbizagent.investigation.wording.narrator import Narrator
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
    match finding.kind:
        case FindingKind.LOG_SHARE_SHIFT:
            return _share(given, narrator, picked, key)
        case FindingKind.LOG_RARE_VALUE:
            return _rare(narrator, picked, key)
        case FindingKind.LOG_FIELD_SHIFT:
            return _field(narrator, picked, key)
        case _:
            return _count(given, narrator, finding, picked, key)


def _count(
    given: Given, narrator: Narrator, finding: Finding, picked: FindingFacts, key: str
) -> LogPhrase | None:
    if not picked.before or key != "why":
        name = "why.log" if key == "why" else f"{key}_log"
        return LogPhrase(narrator.say(name, count=picked.after))
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


def _share(given: Given, narrator: Narrator, picked: FindingFacts, key: str) -> LogPhrase | None:
    if not (picked.before and picked.onset):
        return None
    of_all = given.evidence.facts()[picked.after].name == "share:"
    name = f"{key}.share" if key == "why" else f"{key}_share"
    template = narrator.say(
        f"{name}_all" if of_all else name,
        before=picked.before,
        after=picked.after,
        since=picked.onset,
        line=picked.line,
    )
    return LogPhrase(template + _before_it(narrator, picked, key))


def _before_it(narrator: Narrator, picked: FindingFacts, key: str) -> str:
    """What came right before the change, as a sentence of its own."""
    if key != "why" or not picked.forerunner:
        return ""
    return narrator.say("why.before_it", line=picked.forerunner)


def _rare(narrator: Narrator, picked: FindingFacts, key: str) -> LogPhrase | None:
    # One odd line is no cause: it is said as what was found, never as a headline.
    if key != "why" or not (picked.before and picked.usual):
        return None
    template = narrator.say(
        "why.rare",
        count=picked.after,
        value=picked.extreme,
        usual=picked.usual,
        others=picked.before,
        line=picked.line,
    )
    return LogPhrase(template)


def _field(narrator: Narrator, picked: FindingFacts, key: str) -> LogPhrase | None:
    if not picked.before:
        return None
    name = "why.field" if key == "why" else f"{key}_field"
    facts = {"before": picked.before, "after": picked.after}
    if picked.line:
        facts["line"] = picked.line
    else:
        name += "_fell"
    if picked.onset and key == "why":
        name += "_since"
        facts["since"] = picked.onset
    return LogPhrase(narrator.say(name, **facts) + _before_it(narrator, picked, key))
