"""Since when, whether it goes on, and what it costs those who use the service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.domain.scope import Assumption
from superbizagent.domain.source import RulePart
from superbizagent.investigation.facts.impact import felt_first, impact_metric
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.object_phrases import say_ready
from superbizagent.investigation.wording.picks import first_sign, with_start
from superbizagent.investigation.wording.say_no_impact import say_no_impact
from superbizagent.investigation.wording.say_rule import rule_facts, say_assumed, say_fired
from superbizagent.investigation.wording.writer import (
    Given,
    Writer,
    entity_name,
    facts_of_finding,
)

__all__ = ["other_alerts", "say_impact", "say_when"]

_OTHERS = 5
"""Names of further alerts; more of them tell a reader no more than that it is a large one."""


def say_when(given: Given, writer: Writer) -> None:
    """Say since when, whether it goes on, and what was assumed for want of being told."""
    say, scope = writer.narrator.say, given.scope
    finding = first_sign(given)
    alert = scope.alert.name if scope.alert is not None else ""
    params = {"alert": alert} if alert and scope.alert_at else {}
    ruled = bool(rule_facts(given, RulePart.CONDITION))
    if finding is not None:
        onset = facts_of_finding(finding, given.evidence.facts()).onset
        state = {True: "when.ongoing", False: "when.over", None: "when.unknown"}[finding.ongoing]
        key = "when.since_alert" if params else "when.since"
        key = "when.since_bare" if ruled else key
        writer.add(
            Section.WHAT,
            ClaimKind.DERIVED,
            say(key, onset=onset, state=say(state)),
            entity=finding.entity,
            derivations=[Derivation(operation="duration", fact_ids=(onset,))],
            params={} if ruled else params,
            finding_ids=(finding.id,),
        )
    if ruled:
        say_fired(given, writer)
        say_assumed(given, writer)
    elif finding is None and (params or not _window_is_told(given, writer)):
        key = "when.alert" if params else "when.asked"
        writer.add(Section.WHAT, ClaimKind.OBSERVATION, say(key), params=params)
    if others := other_alerts(given):
        writer.add(
            Section.WHAT,
            ClaimKind.OBSERVATION,
            say("when.others"),
            params={"alerts": say("list.and").join(others)},
            more=tuple(dict.fromkeys(others.values())),
        )
    for assumption in _together(scope.assumptions):
        group = "which" if assumption.names else "assumed"
        key = f"{group}.{assumption.code}"
        if writer.narrator.knows(key):
            words = {"flag": writer.narrator.flags(assumption.flag)}
            if assumption.value:
                words["service"] = assumption.value
            if assumption.names:
                words["names"] = say("list.and").join(assumption.names)
            writer.add(Section.WHAT, ClaimKind.OBSERVATION, say(key), params=words)


def other_alerts(given: Given) -> dict[str, str]:
    """Name -> call that lists it, of the alerts that fire beside the one that is explained."""
    scope = given.scope
    first = scope.alert.name if scope.alert is not None else ""
    firing = [a.name for a in scope.incident.alerts if a.status is AlertStatus.FIRING]
    listed = {
        f.name: f"E{row.number}"
        for row in given.evidence.invocations
        for f in row.facts
        if f.statistic == "status"
    }
    names = [n for n in dict.fromkeys(firing) if n != first and f"alert:{n}" in listed]
    return {name: listed[f"alert:{name}"] for name in names[:_OTHERS]}


def _together(assumptions: Sequence[Assumption]) -> list[Assumption]:
    """Make one of those that would name the same time twice."""
    found = {a.code: a for a in assumptions}
    if not found.keys() >= {"last_hour", "all_entities"}:
        return list(assumptions)
    time, services = found["last_hour"], found["all_entities"]
    both = Assumption(code="last_hour_of_all", value=services.flag, flag=time.flag)
    return [both, *(a for a in assumptions if a not in (time, services))]


def _window_is_told(given: Given, writer: Writer) -> bool:
    """Tell whether an assumption, or what a turn carries on, names the window anyway."""
    carries = given.scope.incident.carried is not None
    return carries or any(
        writer.narrator.knows(f"assumed.{a.code}") for a in given.scope.assumptions
    )


# Impact ------------------------------------------------------------------------------------------


def say_impact(given: Given, writer: Writer) -> None:
    """Give errors and latency of the entity in question in numbers, or say they are unknown."""
    found = [f for f in given.analysis.findings if f.id in given.analysis.symptom]
    rising = [felt_first(found, family) for family in ("err", "lat")]
    # The first of which there are numbers; `any` stops there.
    said = [any(_say_impact_of(given, writer, f) for f in own) for own in rising]
    if any(said) or any(rising) or say_ready(given, writer):
        return
    say_no_impact(given, writer)


def _say_impact_of(given: Given, writer: Writer, finding: Finding) -> bool:
    """Say one metric of what hurts since it does, and the same number over the baseline."""
    facts = _ImpactFacts.of(given, finding)
    if facts is None:
        return False
    key, slots, derivations = facts.phrase(writer.narrator)
    fact = facts.now[next(iter(facts.now))]
    of = "" if facts.is_summed else writer.narrator.say("impact.of", fact=fact.id)
    return writer.add(
        Section.IMPACT,
        ClaimKind.DERIVED if derivations else ClaimKind.OBSERVATION,
        with_start(given, writer, writer.narrator.say(key, of=of, **slots), (fact.id,)),
        entity=finding.entity,
        derivations=derivations,
        params={"entity": entity_name(finding.entity)},
        # Nothing before is told by a zero, which has no slot of its own.
        more=[f.id for f in facts.before.values() if f.statistic == "failed"],
        finding_ids=(finding.id,),
    )


@dataclass(frozen=True, slots=True)
class _ImpactFacts:
    """The facts of one metric by statistic, since it hurts and over the baseline."""

    family: str
    now: dict[str, Fact]
    before: dict[str, Fact]

    @classmethod
    def of(cls, given: Given, finding: Finding) -> "_ImpactFacts | None":
        # Of one call: two that hold the same metric must not be mixed.
        calls = [int(i[1:].partition(".")[0]) for i in finding.fact_ids[:1]]
        rows = [row for n in calls if (row := given.evidence.of(n)) is not None]
        own = [f for row in rows for f in row.facts if _tells(f, finding)]
        baselines = given.scope.windows.baselines
        before = {f.statistic: f for f in own if f.window in baselines}
        now = {f.statistic: f for f in own if f.window not in baselines}
        return cls(finding.family, now, before) if now else None

    @property
    def is_summed(self) -> bool:
        """Whether several series stand behind it; of one the reader must know which."""
        return any("," in f.place for f in self.now.values())

    def phrase(self, narrator: Narrator) -> tuple[str, dict[str, str], list[Derivation]]:
        """Return the key, its slots, and what its numbers are computed from."""
        if "failed" in self.now:
            return self._of_counter(narrator)
        if "spent" in self.now:
            known = _value(self.before, "answered") > 0
            sides = (self.now, self.before) if known else (self.now,)
            means = [_derived("ratio", side, "spent", "answered") for side in sides]
            key = "impact.lat" if known else "impact.lat_new"
            return key, {"after": "d1", "before": "d2"}, means
        slots = {"after": self.now["mean"].id}
        if "mean" not in self.before:
            return f"impact.{self.family}_new", slots, []
        return f"impact.{self.family}", slots | {"before": self.before["mean"].id}, []

    def _of_counter(self, narrator: Narrator) -> tuple[str, dict[str, str], list[Derivation]]:
        """Of requests the share that failed; of errors that nothing counts against, how many."""
        shared = _value(self.now, "requests") > _value(self.now, "failed")
        rate = _derived("ratio", self.now, "failed", "elapsed")
        slots = {"failed": self.now["failed"].id, "before": narrator.say("before.none")}
        derivations = [rate]
        if shared:
            derivations.append(_derived("percent", self.now, "failed", "requests"))
            slots["requests"] = self.now["requests"].id
        if _value(self.before, "failed") > 0:
            total = ("percent", "requests") if shared else ("ratio", "elapsed")
            derivations.append(_derived(total[0], self.before, "failed", total[1]))
            key = "before.share" if shared else "before.rate"
            slots["before"] = narrator.say(key, before=f"d{len(derivations)}")
        return "impact.share" if shared else "impact.count", slots, derivations


def _tells(fact: Fact, finding: Finding) -> bool:
    """Tell whether a fact is one of `facts_of_impact` on a finding's metric."""
    if not fact.place.startswith("sum/") or fact.entity != finding.entity:
        return False
    if fact.statistic == "mean":
        return fact.name == finding.subject
    metric = impact_metric(finding.subject)
    if fact.statistic == "answered":
        metric = metric.removesuffix("_sum") + "_count"
    wanted = {"err": {"failed", "requests", "elapsed"}, "lat": {"spent", "answered"}}
    return fact.statistic in wanted[finding.family] and impact_metric(fact.name) == metric


def _derived(operation: str, facts: Mapping[str, Fact], of: str, by: str) -> Derivation:
    ids = tuple(facts[k].id for k in (of, by) if k in facts)
    return Derivation(operation=operation, fact_ids=ids)


def _value(facts: Mapping[str, Fact], statistic: str) -> float:
    value = facts[statistic].value if statistic in facts else 0.0
    return float(value) if isinstance(value, int | float) else 0.0
