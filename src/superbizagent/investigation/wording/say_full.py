"""Everything else: candidates with their terms, what was ruled out, findings, course, calls."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import (
    LOG_KINDS,
    Analysis,
    CandidateCause,
    CheckResult,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
)
from superbizagent.domain.outputs import ChangeList
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.wording.check_phrases import (
    check_words,
    deciding_check,
    refuting_phrases,
)
from superbizagent.investigation.wording.finding_phrases import finding_phrase
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.say_path import say_path
from superbizagent.investigation.wording.say_rule import say_rule
from superbizagent.investigation.wording.writer import Given, Writer, entity_name, facts_of_finding

__all__ = [
    "candidate_params",
    "margin_params",
    "margin_text",
    "say_finding",
    "say_full",
    "term_words",
]

_FINDINGS = 30  # the strongest; a reader who wants more has the evidence itself
_EVENTS = 20
_CANDIDATES = 10
_DAY = timedelta(days=1)


def say_full(given: Given, writer: Writer) -> None:
    """Write the sections that only a reader who asks for everything sees."""
    say_path(given, writer)
    _say_margin(given, writer)
    named = [fault.cause for fault in given.analysis.independent]
    for candidate in (*given.analysis.candidates[:_CANDIDATES], *named):
        _say_candidate(given, writer, candidate)
    for result in given.analysis.hypotheses:
        _say_hypothesis(given, writer, result)
    say_rule(given, writer)
    for finding in given.analysis.findings[:_FINDINGS]:
        say_finding(given, writer, finding)
    _say_timeline(given, writer)
    for row in given.evidence.invocations:
        template = writer.narrator.say("full.call", call=f"E{row.number}")
        writer.add(Section.CALLS, ClaimKind.OBSERVATION, template)


def candidate_params(candidate: CandidateCause, narrator: Narrator) -> dict[str, str]:
    """Return what a candidate's sentence names; checking it calls this again."""
    terms = [f"{term_words(t.name, narrator)} {t.value:.2f}" for t in candidate.terms]
    return {
        "entity": entity_name(candidate.entity),
        "fault": narrator.say(f"fault.{candidate.fault_kind.value}"),
        "score": f"{candidate.score:.2f}",
        "terms": " + ".join(terms),
    }


def term_words(name: str, narrator: Narrator) -> str:
    """Return the name of a part of a score in words."""
    return narrator.say(f"term.{name}") if narrator.knows(f"term.{name}") else name


def _say_candidate(given: Given, writer: Writer, candidate: CandidateCause) -> None:
    reason = candidate.terms[-1].name if candidate.score <= 0 and candidate.terms else ""
    if writer.narrator.knows(f"full.{reason}"):
        writer.add(
            Section.RULED_OUT,
            ClaimKind.INFERENCE,
            writer.narrator.say(f"full.{reason}"),
            entity=candidate.entity,
            params={"entity": entity_name(candidate.entity)},
            more=_telling(given, candidate, reason),
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


def _telling(given: Given, candidate: CandidateCause, reason: str) -> tuple[str, ...]:
    """What ruled a candidate out: when it moved, or the call graph."""
    if reason == "not_downstream":
        rows = [r for r in given.evidence.invocations if r.tool is ToolName.GET_TOPOLOGY]
        return tuple(f"E{r.number}" for r in rows if r.status is EvidenceStatus.OK)
    dated = [
        f
        for f in given.analysis.findings
        if f.id in candidate.finding_ids and f.onset_at == candidate.onset_at
    ]
    onsets = (facts_of_finding(f, given.evidence.facts()).onset for f in dated)
    return tuple(i for i in onsets if i)[:1] if reason == "later_than_symptom" else ()


def margin_params(analysis: Analysis) -> dict[str, str]:
    """Return what the sentence on the margin names; checking it calls this again."""
    scored = [c for c in analysis.candidates if c.score > 0]
    if not scored:
        return {}
    params = {"first": entity_name(scored[0].entity), "score": f"{scored[0].score:.2f}"}
    if len(scored) > 1 and analysis.margin < 1:
        params |= {
            "second": entity_name(scored[1].entity),
            "next": f"{scored[1].score:.2f}",
            "margin": f"{analysis.margin:.0%}",
        }
    return params


def _margin_phrase(params: dict[str, str], narrator: Narrator) -> str:
    return narrator.say("full.margin" if "second" in params else "full.margin_alone")


def margin_text(params: dict[str, str], narrator: Narrator) -> str:
    """Return the sentence on the margin with what it names filled in."""
    text = _margin_phrase(params, narrator)
    for name, value in params.items():
        text = text.replace(f"{{p|{name}}}", value)
    return text


def _say_margin(given: Given, writer: Writer) -> None:
    params = margin_params(given.analysis)
    if params:
        text, extras = _margin_phrase(params, writer.narrator), {"margin": given.analysis.margin}
        writer.add(Section.CANDIDATES, ClaimKind.INFERENCE, text, params=params, extras=extras)


def _say_hypothesis(given: Given, writer: Writer, result: HypothesisResult) -> None:
    """Say of each hypothesis that is not the cause why not."""
    if result.outcome is HypothesisOutcome.SUPPORTED:
        return
    say = writer.narrator.say
    name = say(f"fault.{result.fault_kind.value}")
    extras = {"hypothesis": result.key, "outcome": result.outcome.value}
    if result.outcome is HypothesisOutcome.REFUTED and not result.entity:
        text = say("full.no_such_change", hypothesis=name)
        writer.add(Section.RULED_OUT, ClaimKind.INFERENCE, text, extras=extras)
        return
    check = deciding_check(result)
    if check is not None:
        _say_refuted(given, writer, result, check, extras | {"check": check.id})
        return
    key = "full.open" if result.entity else "full.untested"
    params = {"entity": entity_name(result.entity)} if result.entity else {}
    text = say(key, hypothesis=name)
    if not result.entity and any(c.template == text for c in writer.claims):
        return  # another playbook on the same fault could not test it either
    writer.add(
        Section.RULED_OUT,
        ClaimKind.INFERENCE,
        text,
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


def say_finding(given: Given, writer: Writer, finding: Finding) -> None:
    """Say one finding with an example, where there is a sentence for it."""
    phrase = finding_phrase(given, writer, finding, example=True)
    if phrase is None:
        return
    writer.add(
        Section.FINDINGS,
        ClaimKind.DERIVED if phrase.derivations else ClaimKind.OBSERVATION,
        phrase.template,
        entity=finding.entity,
        derivations=phrase.derivations,
        params={"entity": entity_name(finding.entity)},
        finding_ids=(finding.id,),
    )


# Timeline ----------------------------------------------------------------------------------------


def _say_timeline(given: Given, writer: Writer) -> None:
    """What moved and was changed when, earliest first; ties by id: the same order every time."""
    events = sorted((*_moves(given), *_changes(given)), key=lambda e: (e.at, e.tie))
    for event in events:
        writer.add(
            Section.TIMELINE,
            ClaimKind.OBSERVATION,
            writer.narrator.say(event.key, at=event.fact_id),
            entity=event.entity,
            params={"entity": entity_name(event.entity)} if event.entity else None,
            finding_ids=event.finding_ids,
        )
    for row in given.evidence.invocations:
        if row.tool is not ToolName.LIST_CHANGES:
            continue
        if row.status is EvidenceStatus.EMPTY and not row.call.input:
            text = writer.narrator.say("full.no_change", call=f"E{row.number}")
            writer.add(Section.TIMELINE, ClaimKind.ABSENCE, text)
        elif row.status is EvidenceStatus.OK and isinstance(row.output, ChangeList):
            _say_no_change_seen(writer, row)
    alert = given.scope.alert
    if alert is not None and alert.name and given.scope.alert_at is not None:
        text = writer.narrator.say("full.event_alert")
        writer.add(Section.TIMELINE, ClaimKind.OBSERVATION, text, params={"alert": alert.name})


def _say_no_change_seen(writer: Writer, row: ToolInvocation) -> None:
    """Say of series that would show a change that they show none."""
    zero = [f.id for f in row.facts if f.name == "changes" and f.value == 0]
    if zero:
        text = writer.narrator.say("full.no_change_seen", call=f"E{row.number}")
        writer.add(Section.TIMELINE, ClaimKind.OBSERVATION, text, more=zero)


@dataclass(frozen=True, slots=True)
class _Event:
    """One line of the timeline."""

    at: datetime
    tie: str
    key: str
    fact_id: str
    entity: str = ""
    finding_ids: tuple[str, ...] = ()


def _moves(given: Given) -> Iterator[_Event]:
    """The strongest findings that are dated; changes are listed by themselves."""
    facts = given.evidence.facts()
    dated = [
        f
        for f in given.analysis.findings
        if f.onset_at is not None and f.kind is not FindingKind.CHANGE
    ]
    for finding in sorted(dated, key=lambda f: (-f.score, f.id))[:_EVENTS]:
        onset = facts_of_finding(finding, facts).onset
        if onset and finding.onset_at is not None:
            key = "full.event_log" if finding.kind in LOG_KINDS else "full.event_metric"
            if finding.kind is FindingKind.OBJECT_STATE:
                key = "full.event_object"
            own = (finding.id,)
            yield _Event(finding.onset_at, finding.id, key, onset, finding.entity, own)


def _changes(given: Given) -> list[_Event]:
    """Changes until the end of the incident, those of a day before it too; the latest of many."""
    windows = given.scope.windows
    start, end = windows.whole.start - _DAY, windows.incident.end
    found = [
        _Event(
            fact.at,
            fact.id,
            "full.event_change" if fact.entity else "full.event_change_elsewhere",
            fact.id,
            fact.entity,
        )
        for row in given.evidence.invocations
        if row.tool is ToolName.LIST_CHANGES
        for fact in row.facts
        if fact.place.startswith("change/") and fact.at is not None and start <= fact.at <= end
    ]
    return sorted(found, key=lambda e: (e.at, e.tie))[-_EVENTS:]
