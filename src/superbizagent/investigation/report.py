"""Writes the report: sections in the order in which a reader at night needs them.

Every statement is a template whose slots are filled from facts, so it is right by construction; it
still goes through `verify_report`, because code that writes can be wrong too.
"""

from collections.abc import Sequence

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis, CandidateCause, FaultKind, Verdict
from superbizagent.domain.plan import Plan
from superbizagent.domain.report import Frame, Report
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.investigation.wording.links import links_of_alert, shown_link
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.picks import independent, leading
from superbizagent.investigation.wording.say_apart import say_apart
from superbizagent.investigation.wording.say_carried import say_carried
from superbizagent.investigation.wording.say_course import say_impact, say_when
from superbizagent.investigation.wording.say_full import say_full
from superbizagent.investigation.wording.say_next import say_do_now, say_next
from superbizagent.investigation.wording.say_not_seen import bare, noted_names, say_not_seen
from superbizagent.investigation.wording.say_sure import say_sureness
from superbizagent.investigation.wording.say_what import say_what
from superbizagent.investigation.wording.say_why import say_why
from superbizagent.investigation.wording.slots import Slots
from superbizagent.investigation.wording.writer import Given, Writer, entity_name

__all__ = ["write_report"]


def write_report(
    scope: Scope,
    plans: Sequence[Plan],
    evidence: Evidence,
    analysis: Analysis,
    skills: Sequence[Skill],
) -> Report:
    """Return the report of one diagnosis, in the language of its incident.

    Args:
        scope: the frame of the diagnosis.
        plans: of all rounds: which playbooks were used, what the caps cut.
        evidence: the calls with their facts.
        analysis: what was computed of them.
        skills: at least the playbooks that the analysis tested.
    """
    given = Given(scope, plans, evidence, analysis, skills)
    narrator = narrator_for(scope.language)
    frame = _frame(scope, plans, evidence)
    writer = Writer(Slots.of(evidence, frame, narrator))
    sections = (
        say_carried,
        say_what,
        say_when,
        say_apart,
        say_impact,
        say_why,
        say_sureness,
        say_do_now,
        say_next,
        say_not_seen,
        say_full,
    )
    for say in sections:
        say(given, writer)
    cause = leading(given)
    return Report(
        language=scope.language,
        frame=frame,
        title=_title(given, narrator, cause),
        verdict=analysis.verdict,
        entity=_about(given, cause),
        fault_kind=cause.fault_kind if cause is not None else None,
        claims=tuple(writer.claims),
        skills=tuple(dict.fromkeys(choice.name for plan in plans for choice in plan.skills)),
    )


def _frame(scope: Scope, plans: Sequence[Plan], evidence: Evidence) -> Frame:
    """What statements may name without a fact: the payload's own words."""
    alert = scope.alert
    names = [*scope.alert_identifiers, *(e.name for e in scope.everything)]
    if alert is not None:
        names += [alert.name, *(shown_link(text) for text in links_of_alert(alert).values())]
    names += [a.name for a in scope.incident.alerts]
    for node in scope.topology.nodes:
        names += map(shown_link, (node.runbook_url, node.owner, node.channel))
    for missed in scope.unresolved:
        names += [missed.name, *missed.near]
    for assumption in scope.assumptions:
        names += [narrator_for(scope.language).flags(assumption.flag), *assumption.names]
    names += [bare(name) for plan in plans for name in plan.left_out]
    names += noted_names(scope, evidence, narrator_for(scope.language))
    return Frame(
        windows=scope.windows,
        now=scope.incident.received_at,
        alert_at=scope.alert_at,
        timezone=scope.incident.timezone,
        references=tuple(dict.fromkeys(name for name in names if name)),
    )


def _about(given: Given, cause: CandidateCause | None) -> str:
    if cause is not None:
        return cause.entity
    return given.scope.entities[0].path if len(given.scope.entities) == 1 else ""


_TITLES = {
    "unknown_entity": "title.unknown",
    "nothing_answered": "title.nothing",
    "no_data": "title.no_data",
    "no_baseline": "title.no_baseline",
    "nothing_abnormal": "title.calm",
    "scope_calm": "title.calm",
}
"""Reason of the verdict -> title, where no cause stands in it."""


def _named(cause: CandidateCause, narrator: Narrator) -> str:
    entity = entity_name(cause.entity)
    if cause.fault_kind is FaultKind.UNKNOWN:
        return narrator.say("title.origin", entity=entity)
    fault = narrator.say(f"fault.{cause.fault_kind.value}")
    return narrator.say("title.cause", entity=entity, fault=fault)


def _title(given: Given, narrator: Narrator, cause: CandidateCause | None) -> str:
    about = _about(given, cause)
    entity = entity_name(about) if about else narrator.say("title.everything")
    if cause is not None and given.analysis.verdict is not Verdict.INCONCLUSIVE:
        causes = (cause, *(fault.cause for fault in independent(given)))
        return narrator.say("list.or").join(_named(c, narrator) for c in causes)
    reasons = [r.partition(":")[0] for r in given.analysis.verdict_reasons]
    key = next((_TITLES[r] for r in reasons if r in _TITLES), "title.symptom")
    if given.analysis.verdict is Verdict.HEALTHY:
        key = "title.healthy"
    if key == "title.unknown":
        entity = given.scope.unresolved[0].name
    return narrator.say(key, entity=entity)
