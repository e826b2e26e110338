"""Since when, whether it goes on, and what it costs those who use the service."""

from superbizagent.domain.finding import Finding
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.investigation._picks import counted, first_sign
from superbizagent.investigation._writer import (
    FindingFacts,
    Given,
    Writer,
    entity_name,
    facts_of_finding,
)

__all__ = ["say_impact", "say_when"]


def say_when(given: Given, writer: Writer) -> None:
    """Say since when, whether it goes on, and what was assumed for want of being told."""
    say, scope = writer.narrator.say, given.scope
    finding = first_sign(given)
    alert = scope.alert.name if scope.alert is not None else ""
    params = {"alert": alert} if alert and scope.symptom_at else {}
    if finding is not None:
        onset = facts_of_finding(finding, given.evidence.facts()).onset
        state = {True: "when.ongoing", False: "when.over", None: "when.unknown"}[finding.ongoing]
        key = "when.since_alert" if params else "when.since"
        writer.add(
            Section.WHAT,
            ClaimKind.DERIVED,
            say(key, onset=onset, state=say(state)),
            entity=finding.entity,
            derivations=[Derivation(operation="duration", fact_ids=(onset,))],
            params=params,
            finding_ids=(finding.id,),
        )
    else:
        key = "when.alert" if params else "when.asked"
        writer.add(Section.WHAT, ClaimKind.OBSERVATION, say(key), params=params)
    for assumption in scope.assumptions:
        key = f"assumed.{assumption.code}"
        if writer.narrator.knows(key):
            flag = {"flag": assumption.flag}
            writer.add(Section.WHAT, ClaimKind.OBSERVATION, say(key), params=flag)


# Impact ------------------------------------------------------------------------------------------


def say_impact(given: Given, writer: Writer) -> None:
    """Give errors and latency of the entity in question in numbers, or say they are unknown."""
    facts = given.evidence.facts()
    found = [f for f in given.analysis.findings if f.id in given.analysis.symptom]
    said = False
    for family in ("err", "lat"):
        own = [f for f in found if f.family == family and f.direction > 0]
        said |= any(_say_impact_of(writer, f, facts_of_finding(f, facts)) for f in own[:1])
    if said:
        return
    looked = counted(given, "series_examined")
    if not given.analysis.series_examined or not given.scope.entities:
        writer.add(Section.IMPACT, ClaimKind.ABSENCE, writer.narrator.say("impact.unknown"),
                   extras={"absent": "series"})  # fmt: skip
        return
    writer.add(
        Section.IMPACT,
        ClaimKind.DERIVED,
        writer.narrator.say("impact.none"),
        derivations=[Derivation(operation="sum", fact_ids=looked)],
        params={"entity": given.scope.entities[0].name},
        extras={"absent": "symptom"},
    )


def _say_impact_of(writer: Writer, finding: Finding, facts: FindingFacts) -> bool:
    if not facts.after:
        return False
    key = f"impact.{finding.family}" if facts.before else "impact.new"
    template = writer.narrator.say(key, after=facts.after, before=facts.before)
    return writer.add(
        Section.IMPACT,
        ClaimKind.OBSERVATION,
        template,
        entity=finding.entity,
        params={"entity": entity_name(finding.entity)},
        finding_ids=(finding.id,),
    )
