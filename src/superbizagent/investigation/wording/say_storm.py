"""Which alerts of a storm point at the leading cause, where they do."""

import shlex
from collections.abc import Iterator

from superbizagent.analysis.alert_evidence import ALERT_TERMS, rests_on_alerts
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import CandidateCause, Verdict
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.investigation.wording.picks import MOST, leading
from superbizagent.investigation.wording.writer import Given, Writer, entity_name

__all__ = ["say_storm", "say_storm_next", "say_storm_why"]

_NAME = "alert:"


def say_storm(given: Given, writer: Writer, first: CandidateCause) -> bool:
    """Say where it starts by alerts alone; return False where more than alerts say so."""
    told = list(_told(given, first))[:MOST]
    if not rests_on_alerts(first) or not told:
        return False
    sure = given.analysis.verdict is Verdict.LIKELY
    names = dict.fromkeys(fact.name.removeprefix(_NAME) for _, fact in told)
    count = f"E{told[0][1].call}.1"  # how many the call lists stands first in it
    return writer.add(
        Section.WHAT,
        ClaimKind.INFERENCE,
        writer.narrator.say("what.ranked_alerts" if sure else "what.open_alerts", count=count),
        entity=first.entity,
        params={
            "entity": entity_name(first.entity),
            "alerts": writer.narrator.say("list.and").join(names),
        },
        more=[fact.id for _, fact in told],
        finding_ids=first.finding_ids[:MOST],
    )


def say_storm_why(given: Given, writer: Writer, first: CandidateCause) -> None:
    """Name the alerts that carry a cause, of each sort the one that says most first."""
    for sort, fact in _told(given, first):
        if sum(c.section is Section.WHY for c in writer.claims) >= MOST:
            return
        say = writer.narrator.say
        fired = say("alert.at" if fact.at is not None else "alert.status", fact=fact.id)
        alone = say("alert.alone") if _is_alone(given, fact) else ""
        writer.add(
            Section.WHY,
            ClaimKind.OBSERVATION,
            say(f"why.{sort}", fired=fired, alone=alone),
            entity=first.entity,
            params={
                "entity": entity_name(first.entity),
                "alert": fact.name.removeprefix(_NAME),
            },
            more=(fact.id,),
        )


def say_storm_next(given: Given, writer: Writer) -> None:
    """Name the look that alerts cannot replace."""
    first = leading(given)
    if first is None or not rests_on_alerts(first):
        return
    told = next(_told(given, first), None)
    if told is not None:
        name = entity_name(first.entity)
        writer.add(
            Section.CHECK_NEXT,
            ClaimKind.OBSERVATION,
            writer.narrator.say("next.storm"),
            entity=first.entity,
            params={"entity": name},
            more=(told[1].id,),
            command=f"superbiz diagnose --prometheus URL --service {shlex.quote(name)}",
        )


def _told(given: Given, first: CandidateCause) -> Iterator[tuple[str, Fact]]:
    """Yield term and fact of a cause's own alerts, each name once.

    The two that say most of the heaviest term come first, then one of each other, then the rest.
    """
    facts = given.evidence.facts()
    terms = sorted(
        (t for t in first.terms if t.name in ALERT_TERMS and t.value > 0),
        key=lambda t: (-t.value, t.name),
    )
    placed = [
        ((place > (k == 0), k, place), term.name, facts[fact_id])
        for k, term in enumerate(terms)
        for place, fact_id in enumerate(term.fact_ids)
        if fact_id in facts and facts[fact_id].entity == first.entity
    ]
    seen: set[str] = set()
    for _, sort, fact in sorted(placed, key=lambda item: item[0]):
        if fact.name not in seen:
            seen.add(fact.name)
            yield sort, fact


def _is_alone(given: Given, fact: Fact) -> bool:
    """Tell whether no other entity has an alert of this name."""
    row = given.evidence.of(fact.call)
    facts = row.facts if row is not None else ()
    return {f.entity for f in facts if f.name == fact.name} == {fact.entity}
