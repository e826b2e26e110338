"""How objects of a cluster are said: a finding, what else is at fault, how many pods are ready."""

from collections.abc import Iterator

from superbizagent.analysis.cluster_facts import reading_of
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import CandidateCause, Finding, FindingKind, HypothesisResult
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.investigation.wording.check_phrases import conclusion_of
from superbizagent.investigation.wording.picks import leading, tested
from superbizagent.investigation.wording.writer import Given, Writer, entity_name

__all__ = [
    "other_faults",
    "say_calm_cluster",
    "say_other_faults",
    "say_ready",
    "say_unseen_kinds",
    "state_phrase",
]

_OTHERS = 2
"""Further faults on the first screen; `--full` lists all."""


def state_phrase(given: Given, writer: Writer, finding: Finding, key: str) -> str:
    """Return the sentence of a finding about an object, empty when it is none.

    Args:
        given: the evidence.
        writer: whose table is used.
        finding: any.
        key: ``why``, ``what.ranked`` or ``what.open``: the sentence it stands in.
    """
    if finding.kind is not FindingKind.OBJECT_STATE:
        return ""
    fact = given.evidence.facts()[finding.fact_ids[0]]
    name = "why.object" if key == "why" else f"{key}_object"
    return writer.narrator.say(name if fact.quote else f"{name}_bare", fact=fact.id)


def other_faults(
    given: Given,
) -> Iterator[tuple[CandidateCause, HypothesisResult]]:
    """Yield further objects whose fault was tested, beside the leading one and no part of it."""
    first = leading(given)
    if first is None or not _is_of_cluster(given, first):
        return
    for candidate in given.analysis.candidates:
        result = tested(given, candidate)
        if candidate == first or candidate.score <= 0 or result is None:
            continue
        if _is_of_cluster(given, candidate):
            yield candidate, result


def _is_of_cluster(given: Given, candidate: CandidateCause) -> bool:
    result = tested(given, candidate)
    skill = given.skill(result.skill) if result is not None else None
    return result is not None and skill is not None and skill.hypothesis(result.id).is_about_objects


def say_other_faults(given: Given, writer: Writer) -> None:
    """Say which other objects are at fault, each with the conclusion of its own playbook."""
    for candidate, result in list(other_faults(given))[:_OTHERS]:
        hypothesis = given.skill(result.skill).hypothesis(result.id)
        phrase = conclusion_of(hypothesis, result, writer.narrator.language)
        writer.add(
            Section.WHAT,
            ClaimKind.INFERENCE,
            writer.narrator.say("what.also", text=phrase.template),
            entity=result.entity,
            params={"entity": entity_name(result.entity)},
            finding_ids=candidate.finding_ids[:1],
            extras={"hypothesis": result.key, "also": True},
        )


def say_ready(given: Given, writer: Writer) -> bool:
    """Say how many pods of the cause are ready; return False where nothing counts them."""
    first = leading(given)
    if first is None:
        return False
    own = [f for f in given.evidence.facts().values() if f.entity == first.entity]
    counts = {reading_of(f.name)[0]: f for f in own}
    ready, wanted = counts.get("replicas_ready"), counts.get("replicas_wanted")
    if ready is None or wanted is None:
        return False
    return writer.add(
        Section.IMPACT,
        ClaimKind.OBSERVATION,
        writer.narrator.say("impact.ready", ready=ready.id, wanted=wanted.id),
        entity=first.entity,
        params={"entity": entity_name(first.entity)},
    )


def say_calm_cluster(given: Given, writer: Writer, entity: str) -> bool:
    """Say that no object is in trouble, or none of what was asked about.

    Returns False where no cluster was looked at.
    """
    counts = _counts(given, "objects_examined"), _counts(given, "objects_abnormal")
    if not counts[0]:
        return False
    troubled = any(f.value for f in counts[1])
    key = "what.scope_calm_objects" if entity and troubled else "what.calm_objects"
    ids = [tuple(f.id for f in facts) for facts in counts]
    derivations = [Derivation(operation="sum", fact_ids=i) for i in ids]
    if entity and not troubled:
        key = "what.scope_well_objects"
    elif troubled and not entity:
        key = "what.no_cause_objects"
    return writer.add(
        Section.WHAT,
        ClaimKind.DERIVED,
        writer.narrator.say(key),
        derivations=derivations,
        params={"entity": entity_name(entity)} if entity else None,
    )


def _counts(given: Given, name: str) -> list[Fact]:
    rows = [r for r in given.evidence.invocations if r.tool is ToolName.GET_KUBERNETES]
    return [f for r in rows for f in r.facts if f.name == name]


def say_unseen_kinds(given: Given, writer: Writer) -> None:
    """Say which kinds of object could not be looked at, and why."""
    for row in given.evidence.invocations:
        if row.tool is not ToolName.GET_KUBERNETES:
            continue
        for fact in row.facts:
            if fact.name.startswith("objects:") and fact.statistic == "status":
                key = "unseen.kind" if fact.quote else "unseen.kind_bare"
                text = writer.narrator.say(key, fact=fact.id)
                writer.add(Section.NOT_SEEN, ClaimKind.OBSERVATION, text)
