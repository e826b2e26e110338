"""Everything else: candidates with their terms, what was ruled out, findings, course, calls."""

from collections.abc import Iterator

from superbizagent.domain.finding import (
    CandidateCause,
    CheckOutcome,
    CheckResult,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
)
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.wording.check_phrases import check_words, refuting_phrases
from superbizagent.investigation.wording.log_phrases import log_phrase
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.object_phrases import state_phrase
from superbizagent.investigation.wording.picks import LOG_KINDS
from superbizagent.investigation.wording.writer import Given, Writer, entity_name, facts_of_finding

__all__ = ["candidate_params", "say_full"]

_FINDINGS = 30  # the strongest; a reader who wants more has the evidence itself
_EVENTS = 20
_CANDIDATES = 10


def say_full(given: Given, writer: Writer) -> None:
    """Write the sections that only a reader who asks for everything sees."""
    for candidate in given.analysis.candidates[:_CANDIDATES]:
        _say_candidate(writer, candidate)
    for result in given.analysis.hypotheses:
        _say_hypothesis(given, writer, result)
    for finding in given.analysis.findings[:_FINDINGS]:
        _say_finding(given, writer, finding)
    _say_timeline(given, writer)
    for row in given.evidence.invocations:
        template = writer.narrator.say("full.call", call=f"E{row.number}")
        writer.add(Section.CALLS, ClaimKind.OBSERVATION, template)


def candidate_params(candidate: CandidateCause, narrator: Narrator) -> dict[str, str]:
    """Return what a candidate's sentence names; checking it calls this again."""
    terms = [f"{t.name} {t.value:.2f}" for t in candidate.terms]
    return {
        "entity": entity_name(candidate.entity),
        "fault": narrator.say(f"fault.{candidate.fault_kind.value}"),
        "score": f"{candidate.score:.2f}",
        "terms": " + ".join(terms),
    }


def _say_candidate(writer: Writer, candidate: CandidateCause) -> None:
    reason = candidate.terms[-1].name if candidate.score <= 0 and candidate.terms else ""
    if writer.narrator.knows(f"full.{reason}"):
        writer.add(
            Section.RULED_OUT,
            ClaimKind.INFERENCE,
            writer.narrator.say(f"full.{reason}"),
            params={"entity": entity_name(candidate.entity)},
            finding_ids=candidate.finding_ids[:1],
            extras={"candidate": candidate.entity},
        )
        return
    writer.add(
        Section.CANDIDATES,
        ClaimKind.INFERENCE,
        writer.narrator.say("full.candidate"),
        params=candidate_params(candidate, writer.narrator),
        finding_ids=candidate.finding_ids,
        extras={"candidate": candidate.entity},
    )


def _say_hypothesis(given: Given, writer: Writer, result: HypothesisResult) -> None:
    """Say of each hypothesis that is not the cause why not."""
    if result.outcome is HypothesisOutcome.SUPPORTED:
        return
    say = writer.narrator.say
    name = say(f"fault.{result.fault_kind.value}")
    extras = {"hypothesis": result.key, "outcome": result.outcome.value}
    check = _deciding(result)
    if check is not None:
        _say_refuted(given, writer, result, check, extras | {"check": check.id})
        return
    key = "full.open" if result.entity else "full.untested"
    params = {"entity": entity_name(result.entity)} if result.entity else {}
    writer.add(
        Section.RULED_OUT,
        ClaimKind.INFERENCE,
        say(key, hypothesis=name),
        params=params,
        extras=extras,
    )


def _say_refuted(
    given: Given,
    writer: Writer,
    result: HypothesisResult,
    check: CheckResult,
    extras: dict[str, str],
) -> None:
    """Say by which check a hypothesis fell: in its own sentence, else by its name and numbers."""
    say, entity = writer.narrator.say, {"entity": entity_name(result.entity)}
    name = say(f"fault.{result.fault_kind.value}")
    for phrase in refuting_phrases(given.skill(result.skill), result, check, writer.narrator):
        named = {"check": check_words(check)} if "{p|check}" in phrase.template else {}
        if writer.add(
            Section.RULED_OUT,
            ClaimKind.INFERENCE,
            say("full.refuted", hypothesis=name, why=phrase.template),
            entity=_entity_of(writer, check),
            derivations=phrase.derivations,
            params=entity | named,
            more=check.fact_ids,
            extras=extras,
        ):
            return


def _entity_of(writer: Writer, check: CheckResult) -> str:
    """Whose telemetry decided: a check may look at what the entity calls."""
    about = {writer.slots.facts[i].entity for i in check.fact_ids} - {""}
    return about.pop() if len(about) == 1 else ""


def _deciding(result: HypothesisResult) -> CheckResult | None:
    """The check that refutes a hypothesis, a refuter before a missing condition; None if none."""
    if result.outcome is not HypothesisOutcome.REFUTED:
        return None
    held = [c for c in result.checks if c.role == "refutes" and c.outcome is CheckOutcome.HOLDS]
    failed = [c for c in result.checks if c.role == "required" and c.outcome is CheckOutcome.FAILS]
    return next(iter((*held, *failed)), None)


def _say_finding(given: Given, writer: Writer, finding: Finding) -> None:
    facts = facts_of_finding(finding, given.evidence.facts())
    say = writer.narrator.say
    if not facts.after:
        return
    derivations: tuple[Derivation, ...] = ()
    if state := state_phrase(given, writer, finding, "why"):
        template = state
    elif finding.kind in LOG_KINDS:
        phrase = log_phrase(given, writer.narrator, finding, facts)
        if phrase is None:
            return
        template, derivations = phrase.template, phrase.derivations
    elif facts.before and facts.extreme:
        key = "why.metric" if finding.direction >= 0 else "why.metric_fell"
        template = say(
            key, metric=facts.after, before=facts.before, after=facts.after, extreme=facts.extreme
        )
    else:
        template = say("why.new", metric=facts.after, after=facts.after, extreme=facts.extreme)
    writer.add(
        Section.FINDINGS,
        ClaimKind.DERIVED if derivations else ClaimKind.OBSERVATION,
        template,
        entity=finding.entity,
        derivations=derivations,
        params={"entity": entity_name(finding.entity)},
        finding_ids=(finding.id,),
    )


# Timeline ----------------------------------------------------------------------------------------


def _say_timeline(given: Given, writer: Writer) -> None:
    """What moved when, earliest first; ties by id, so that the order is the same every time."""
    dated = [f for f in given.analysis.findings if f.onset_at is not None]
    strong = sorted(dated, key=lambda f: (-f.score, f.id))[:_EVENTS]
    strong += [f for f in dated if f.kind is FindingKind.CHANGE and f not in strong]
    for finding in sorted(strong, key=lambda f: (f.onset_at, f.id)):
        for key, fact in _event(given, finding):
            writer.add(
                Section.TIMELINE,
                ClaimKind.OBSERVATION,
                writer.narrator.say(key, at=fact),
                entity=finding.entity,
                params={"entity": entity_name(finding.entity)},
                finding_ids=(finding.id,),
            )
    for row in given.evidence.invocations:
        if row.tool is ToolName.LIST_CHANGES and row.status is EvidenceStatus.EMPTY:
            text = writer.narrator.say("full.no_change", call=f"E{row.number}")
            writer.add(Section.TIMELINE, ClaimKind.ABSENCE, text)
    alert = given.scope.alert
    if alert is not None and alert.name and given.scope.symptom_at is not None:
        text = writer.narrator.say("full.event_alert")
        writer.add(Section.TIMELINE, ClaimKind.OBSERVATION, text, params={"alert": alert.name})


def _event(given: Given, finding: Finding) -> Iterator[tuple[str, str]]:
    facts = facts_of_finding(finding, given.evidence.facts())
    if finding.kind is FindingKind.CHANGE and facts.line:
        yield "full.event_change", facts.line
    elif finding.kind is FindingKind.OBJECT_STATE:
        if facts.onset:
            yield "full.event_object", facts.onset
    elif finding.kind in LOG_KINDS and facts.onset:
        yield "full.event_log", facts.onset
    elif facts.onset:
        yield "full.event_metric", facts.onset
