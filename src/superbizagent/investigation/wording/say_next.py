"""What to do now, and what to check next."""

import shlex
from collections.abc import Iterator

from superbizagent.domain.alert import selector_of
from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import CandidateCause, HypothesisOutcome, HypothesisResult
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.domain.skill import Mitigation
from superbizagent.investigation.hypotheses.combine import named_entities
from superbizagent.investigation.wording.links import links_of_alert, shown_link
from superbizagent.investigation.wording.picks import (
    MOST,
    SPAN_KINDS,
    independent,
    leading,
    strongest,
    tested,
)
from superbizagent.investigation.wording.say_course import other_alerts
from superbizagent.investigation.wording.say_storm import say_storm_next
from superbizagent.investigation.wording.writer import Given, Writer, entity_name, facts_of_finding

__all__ = ["say_do_now", "say_next"]

_ENTITY = "$entity"
_NO_SERIES = ("log:", "field:", "alert:", "change:")
_ORDER = ("runbook", "dashboard", "panel", "silence", "owner", "channel", "rule")


# Do now ------------------------------------------------------------------------------------------


def say_do_now(given: Given, writer: Writer) -> None:
    """Give the mitigations of the playbook that stands behind the cause; no generic advice."""
    said = False
    for result, mitigation in _actions(given):
        said |= _say_action(given, writer, result, mitigation)
    if not said:
        writer.add(
            Section.DO_NOW,
            ClaimKind.ABSENCE,
            writer.narrator.say("do.none"),
            extras={"absent": "mitigation"},
        )


def _actions(given: Given) -> Iterator[tuple[HypothesisResult, Mitigation]]:
    """The first of every fault before the second of any, the leading cause's first."""
    causes = (leading(given), *(fault.cause for fault in independent(given)))
    results = [result for cause in causes if (result := tested(given, cause)) is not None]
    each = [given.skill(r.skill).hypothesis(r.id).mitigation for r in results]
    ranked = [
        (place, n, action) for n, some in enumerate(each) for place, action in enumerate(some)
    ]
    for _, n, action in sorted(ranked, key=lambda item: item[:2])[:MOST]:
        yield results[n], action


def _say_action(
    given: Given, writer: Writer, result: HypothesisResult, mitigation: Mitigation
) -> bool:
    language, first = writer.narrator.language, leading(given)
    action = mitigation.action.of(language)
    other = first is None or result.entity != first.entity
    return writer.add(
        Section.DO_NOW,
        ClaimKind.ADVICE,
        writer.narrator.say("apart.action", action=action) if other else action,
        entity=result.entity,
        params={"entity": entity_name(result.entity)} if other else None,
        playbook=result.skill,
        command=_bound(mitigation.command, result.entity),
        extras={
            "hypothesis": result.key,
            "risk": mitigation.risk.of(language),
            "undo": mitigation.undo.of(language),
        }
        | ({"also": True} if other else {}),
    )


def _bound(command: str, path: str) -> str:
    """Put what an entity is called into a command; names come from outside, so they are quoted."""
    if not path:
        return command.replace(_ENTITY, "")
    entity = Entity.parse(path)
    named = {"$namespace": entity.namespace, "$kind": entity.kind, _ENTITY: entity.name}
    for slot, name in named.items():
        command = command.replace(slot, shlex.quote(name))
    return command


# Check next --------------------------------------------------------------------------------------


def say_next(given: Given, writer: Writer) -> None:
    """Give at most three looks; the first one tells the first two causes apart."""
    first = leading(given)
    if first is not None:
        _say_decisions(given, writer, first)
        _say_comparison(given, writer, first)
        _say_trace(given, writer, first)
    say_storm_next(given, writer)
    _say_links(given, writer)
    _say_others(given, writer)


def _say_others(given: Given, writer: Writer) -> None:
    """Where there is room, the alerts that fire beside this one, with how to look into them."""
    for name, call in other_alerts(given).items():
        alert = next(a for a in given.scope.incident.alerts if a.name == name)
        if sum(c.section is Section.CHECK_NEXT for c in writer.claims) < MOST:
            writer.add(
                Section.CHECK_NEXT,
                ClaimKind.OBSERVATION,
                writer.narrator.say("next.other"),
                params={"alert": name},
                more=(call,),
                command=f"superbiz diagnose --alert {_quoted(selector_of(alert))}",
            )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _say_decisions(given: Given, writer: Writer, first: CandidateCause) -> None:
    language = writer.narrator.language
    # Several hypotheses may be decided by one look.
    looks: dict[str, tuple[str, HypothesisResult]] = {}
    for result in _undecided(given, first):
        decide = given.skill(result.skill).hypothesis(result.id).decide
        if decide is not None:
            command = _bound(decide.command, result.entity)
            looks.setdefault(command, (decide.text.of(language), result))
    for command, (asked, result) in list(looks.items())[: MOST - 1]:
        text = writer.narrator.say("next.decide", text=asked)
        writer.add(
            Section.CHECK_NEXT,
            ClaimKind.ADVICE,
            text,
            entity=result.entity,
            playbook=result.skill,
            command=command,
            extras={"hypothesis": result.key},
        )


def _undecided(given: Given, first: CandidateCause) -> Iterator[HypothesisResult]:
    """The hypothesis behind the cause, then its rivals that are not ruled out.

    Of what was only tested along, that which holds as well.
    """
    result = tested(given, first)
    if result is None:
        return
    yield result
    skills = {result.skill, *given.skill(result.skill).rivals}
    for rival in given.analysis.hypotheses:
        open_ = rival.outcome is HypothesisOutcome.OPEN and rival.skill in skills
        if rival.key != result.key and (open_ or rival.outcome is HypothesisOutcome.SUPPORTED):
            yield rival


def _say_comparison(given: Given, writer: Writer, first: CandidateCause) -> None:
    """A query to paste, where no playbook has a look of its own."""
    if any(c.section is Section.CHECK_NEXT for c in writer.claims):
        return
    second = next((c for c in given.analysis.candidates[1:] if c.score > 0), None)
    own, other = _series(given, first), _series(given, second) if second else ""
    if not own:
        return
    facts = given.evidence.facts()
    params = {"entity": entity_name(first.entity)}
    if second is not None and other:
        params["other"] = entity_name(second.entity)
    key = "next.separate" if other else "next.series"
    command = f"{facts[own].name} or {facts[other].name}" if other else facts[own].name
    writer.add(
        Section.CHECK_NEXT,
        ClaimKind.INFERENCE,
        writer.narrator.say(key),
        entity="" if other else first.entity,
        params=params,
        more=tuple(i for i in (own, other) if i),
        command=command,
        finding_ids=first.finding_ids[:1],
    )


def _series(given: Given, candidate: CandidateCause) -> str:
    """A fact whose name is a series of the candidate that stands out."""
    facts = given.evidence.facts()
    for finding in strongest(given, candidate):
        fact = facts_of_finding(finding, facts).after
        other = facts[fact].name.startswith(_NO_SERIES) if fact else True
        if not other and finding.kind not in SPAN_KINDS:
            return fact
    return ""


def _say_trace(given: Given, writer: Writer, first: CandidateCause) -> None:
    """A request in which the cause shows, where there is room: its id finds it in any viewer."""
    if sum(c.section is Section.CHECK_NEXT for c in writer.claims) >= MOST:
        return
    facts = given.evidence.facts()
    for finding in strongest(given, first):
        shown = facts_of_finding(finding, facts).line
        if finding.kind in SPAN_KINDS and shown:
            writer.add(
                Section.CHECK_NEXT,
                ClaimKind.INFERENCE,
                writer.narrator.say("next.trace"),
                entity=first.entity,
                params={"entity": entity_name(first.entity)},
                more=(shown,),
                command=str(facts[shown].value),
                finding_ids=(finding.id,),
            )
            return


def _say_links(given: Given, writer: Writer) -> None:
    """Links of the alert, and what the call graph says of who owns the cause."""
    links = _links(given)
    if links:
        say = writer.narrator.say
        writer.add(
            Section.CHECK_NEXT,
            ClaimKind.ADVICE,
            say("next.links"),
            extras={"links": [[say(f"link.{name}"), text] for name, text in links.items()]},
        )


def _links(given: Given) -> dict[str, str]:
    alert, first = given.scope.alert, leading(given)
    asked = next((e.name for e in named_entities(given.scope)), "")
    named = entity_name(first.entity) if first else asked
    node = next((n for n in given.scope.topology.nodes if n.name == named), None)
    links = links_of_alert(alert) if alert is not None else {}
    if node is not None:
        links.setdefault("runbook", node.runbook_url)
        links |= {"owner": node.owner, "channel": node.channel}
    ordered = {name: links[name] for name in _ORDER if links.get(name)}
    return {name: shown_link(text) for name, text in ordered.items()}
