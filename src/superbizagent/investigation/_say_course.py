"""Since when, whether it goes on, and what it costs those who use the service."""

from superbizagent.domain.finding import Finding
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.investigation._combine import is_served
from superbizagent.investigation._picks import MOST, first_sign
from superbizagent.investigation._say_no_impact import say_no_impact
from superbizagent.investigation._writer import (
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
    elif params or not _window_is_assumed(given, writer):
        key = "when.alert" if params else "when.asked"
        writer.add(Section.WHAT, ClaimKind.OBSERVATION, say(key), params=params)
    for assumption in scope.assumptions:
        key = f"assumed.{assumption.code}"
        if writer.narrator.knows(key):
            flag = {"flag": assumption.flag}
            writer.add(Section.WHAT, ClaimKind.OBSERVATION, say(key), params=flag)


def _window_is_assumed(given: Given, writer: Writer) -> bool:
    """Tell whether an assumption names the window anyway."""
    return any(writer.narrator.knows(f"assumed.{a.code}") for a in given.scope.assumptions)


# Impact ------------------------------------------------------------------------------------------


def say_impact(given: Given, writer: Writer) -> None:
    """Give errors and latency of the entity in question in numbers, or say they are unknown."""
    found = [f for f in given.analysis.findings if f.id in given.analysis.symptom]
    said = False
    for family in ("err", "lat"):
        own = [f for f in found if f.family == family and f.direction > 0]
        # What users get stands first: a service's own answers, before its pools and clients.
        own.sort(key=lambda f: (not is_served(f), -f.score, f.id))
        alike = _like(own) if family == "err" else own[:1]  # rates add up, durations do not
        said |= _say_impact_of(given, writer, alike)
    if said:
        return
    say_no_impact(given, writer)


def _like(findings: list[Finding]) -> list[Finding]:
    """The findings of the first one's metric: its labels part one number into many."""
    metric = findings[0].subject.partition("{")[0] if findings else ""
    return [f for f in findings if f.subject.partition("{")[0] == metric]


def _say_impact_of(given: Given, writer: Writer, findings: list[Finding]) -> bool:
    """Say one metric before and after, summed over its series where there are several."""
    picked = [facts_of_finding(f, given.evidence.facts()) for f in findings]
    after = tuple(p.after for p in picked if p.after)
    before = tuple(p.before for p in picked if p.before)
    if not after:
        return False
    several = len(after) > 1
    sums = [Derivation(operation="sum", fact_ids=ids) for ids in (after, before) if ids]
    derivations = sums if several else []
    slots = {"after": "d1", "before": "d2"}
    if not several:
        slots = {"after": next(iter(after)), "before": next(iter(before), "")}
    key = f"impact.{findings[0].family}" if before else "impact.new"
    return writer.add(
        Section.IMPACT,
        ClaimKind.DERIVED if several else ClaimKind.OBSERVATION,
        writer.narrator.say(key, **slots),
        entity=findings[0].entity,
        derivations=derivations,
        params={"entity": entity_name(findings[0].entity)},
        finding_ids=tuple(f.id for f in findings[:MOST]),
    )
