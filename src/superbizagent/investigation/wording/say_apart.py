"""What else is at fault by itself, on another branch of the call graph than the leading cause."""

from collections.abc import Iterator

from superbizagent.domain.finding import CandidateCause
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.investigation.wording.check_phrases import CheckPhrase, conclusion_of
from superbizagent.investigation.wording.finding_phrases import finding_phrase
from superbizagent.investigation.wording.picks import independent, strongest, tested
from superbizagent.investigation.wording.writer import Given, Writer, entity_name

__all__ = ["say_apart"]


def say_apart(given: Given, writer: Writer) -> None:
    """Name each independent fault in one sentence, with the facts of its own."""
    for fault in independent(given):
        cause = fault.cause
        extras = {"also": True} | ({"hypothesis": cause.hypothesis} if cause.hypothesis else {})
        for phrase in _phrases(given, writer, cause):
            if writer.add(
                Section.WHAT,
                ClaimKind.INFERENCE,
                writer.narrator.say("apart.what", text=phrase.template),
                entity=cause.entity,
                derivations=phrase.derivations,
                params={"entity": entity_name(cause.entity)},
                finding_ids=cause.finding_ids[:1],
                extras=extras,
            ):
                break


def _phrases(given: Given, writer: Writer, cause: CandidateCause) -> Iterator[CheckPhrase]:
    """The conclusion of its playbook; where none tested it, what stands out there."""
    if result := tested(given, cause):
        hypothesis = given.skill(result.skill).hypothesis(result.id)
        yield conclusion_of(hypothesis, result, writer.narrator.language)
        return
    for finding in strongest(given, cause):
        if phrase := finding_phrase(given, writer, finding):
            yield phrase
