"""The alert's own rule: since when it is true, by what value, whether still; or why not known."""

from superbizagent.domain.fact import Fact
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.domain.source import RulePart
from superbizagent.investigation.wording.writer import Given, Writer

__all__ = ["rule_facts", "say_assumed", "say_fired", "say_rule"]


def rule_facts(given: Given, part: RulePart) -> dict[str, Fact]:
    """Statistic -> fact of the call that evaluated a part of the rule; empty without one."""
    purpose = f"rule:{part.value}"
    rows = [r for r in given.evidence.invocations if r.call.purpose == purpose]
    return {f.statistic: f for row in rows for f in row.facts}


def say_fired(given: Given, writer: Writer) -> bool:
    """Say when the alert fired and since when its rule was true; False when that is not known."""
    scope, say = given.scope, writer.narrator.say
    whole = rule_facts(given, RulePart.CONDITION)
    if scope.alert is None or scope.condition is None or "expression" not in whole:
        return False
    params = {"alert": scope.alert.name}
    onset, fired = whole.get("onset_at"), whole.get("fired_at")
    if onset is None:
        key = "rule.never" if fired is not None else "rule.never_only"
        text = say(key, call=f"E{whole['expression'].call}")
        return writer.add(Section.WHAT, ClaimKind.OBSERVATION, text, params=params)
    entity, value = _value(given, writer)
    slots = {"onset": onset.id, "value": value, "state": _state(given, writer, whole)}
    key = "rule.at_least" if scope.condition.at_least else "rule.since"
    late = fired is None or fired.at is None or onset.at is None or fired.at < onset.at
    if fired is None or late:
        key = "rule.only" if fired is None else "rule.later"
        text = say(key, **slots)
        return writer.add(Section.WHAT, ClaimKind.OBSERVATION, text, entity=entity, params=params)
    return writer.add(
        Section.WHAT,
        ClaimKind.DERIVED,
        say(key, **slots),
        entity=entity,
        derivations=[Derivation(operation="duration", fact_ids=(onset.id, fired.id))],
        params=params,
    )


def say_assumed(given: Given, writer: Writer) -> None:
    """Say what of a rule that looks at several spans decided which time is looked at."""
    whole = rule_facts(given, RulePart.CONDITION)
    if "shortest_range" in whole:
        slots = {"longest": whole["range"].id, "shortest": whole["shortest_range"].id}
        text = writer.narrator.say("rule.burn", **slots)
        writer.add(Section.WHAT, ClaimKind.OBSERVATION, text)


def _state(given: Given, writer: Writer, whole: dict[str, Fact]) -> str:
    """Whether the expression is true at the end of the data, with the fact that says so."""
    holds = given.scope.condition.holds if given.scope.condition is not None else None
    latest = rule_facts(given, RulePart.NOW).get("holds", whole["holds"])
    key = {True: "rule.holds", False: "rule.over", None: "rule.unknown"}[holds]
    return writer.narrator.say(key, at=whole["last_at"].id if holds is False else latest.id)


def _value(given: Given, writer: Writer) -> tuple[str, str]:
    """The entity, and its value against the limit in brackets; empty where nothing is compared."""
    facts = rule_facts(given, RulePart.VALUE)
    limit = facts.get("threshold") or rule_facts(given, RulePart.LIMIT).get("threshold")
    reached = facts.get("max") or facts.get("min")
    if limit is None or reached is None:
        return "", ""
    row = given.evidence.of(reached.call)
    operator = str(row.call.input.get("operator", "")) if row is not None else ""
    text = writer.narrator.say("rule.value", value=reached.id, operator=operator, limit=limit.id)
    return reached.entity, text


def say_rule(given: Given, writer: Writer) -> None:
    """For those who ask for everything: the rule itself, and what was assumed of it."""
    say = writer.narrator.say
    whole = rule_facts(given, RulePart.CONDITION)
    alert = given.scope.alert
    if alert is None or "expression" not in whole:
        return
    key = "full.rule_for" if "for" in whole else "full.rule"
    hold = whole["for"].id if "for" in whole else ""
    text = say(key, expression=whole["expression"].id, hold=hold)
    if "range" in whole:
        text += say("full.rule_range", range=whole["range"].id)
    params = {"alert": alert.name}
    writer.add(Section.FINDINGS, ClaimKind.OBSERVATION, text, params=params)
    facts = rule_facts(given, RulePart.VALUE)
    reached = facts.get("max") or facts.get("min")
    if "mean_before" in facts and reached is not None:
        text = say("full.rule_value", before=facts["mean_before"].id, reached=reached.id)
        writer.add(
            Section.FINDINGS, ClaimKind.OBSERVATION, text, entity=reached.entity, params=params
        )
