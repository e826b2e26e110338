"""The path of one diagnosis: the ordered stages and the bounded loop, nothing else.

survey -> the alert's rule -> scope -> (plan -> gather -> analyse), at most `RunConfig.max_rounds`
times -> report -> verify -> persist. Every stage but survey, gather and persist is pure. Run on a
recorded session this is its replay: the journal answers, no source is asked.

Stages that compute do so beside the event loop: other sessions, and whoever waits for a transaction
of ours to end, go on meanwhile.
"""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.finding import Analysis
from superbizagent.domain.gathering import Caps, RunConfig
from superbizagent.domain.incident import Incident
from superbizagent.domain.plan import Plan, ToolName
from superbizagent.domain.protocols import Clock, DataSource, Reasoner
from superbizagent.domain.report import CheckedReport
from superbizagent.domain.scope import Scope
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import Survey
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.condition.calls import plan_condition
from superbizagent.investigation.condition.reading import read_condition_calls
from superbizagent.investigation.facts.reader import FactReader, entity_reader
from superbizagent.investigation.follow_up import (
    skills_for,
    sources_not_swept,
    with_companions,
)
from superbizagent.investigation.gather import Gathering, gather_condition, gather_evidence
from superbizagent.investigation.journal import Journal, typed
from superbizagent.investigation.plan import plan_investigation
from superbizagent.investigation.report import write_report
from superbizagent.investigation.scope import scope_incident
from superbizagent.investigation.survey import ReadLearnt, nothing_learnt, survey_sources
from superbizagent.investigation.verify import verify_report
from superbizagent.skills.queries import check_queries

__all__ = ["Diagnosis", "Toolbox", "run_pipeline"]

_FOR_CHECKS = 8
"""Questions that a sweep which is cut leaves for the next round: all playbooks ask for six."""

Progress = Callable[[str, str], None]
"""Called with a stage name and what it did, for people who wait."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What the composition root hands in."""

    sources: Sequence[DataSource]
    skills: Sequence[Skill]
    reasoner: Reasoner
    clock: Clock
    config: RunConfig
    progress: Progress = lambda _stage, _text: None
    read_learnt: ReadLearnt = nothing_learnt


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything a diagnosis came to."""

    scope: Scope
    plans: tuple[Plan, ...]
    evidence: Evidence
    analysis: Analysis
    checked: CheckedReport


async def run_pipeline(journal: Journal, incident: Incident, tools: Toolbox) -> Diagnosis:
    """Diagnose one incident, recording every effect before it is used.

    Raises:
        NothingReadableError: when no source could be looked at.
        ReplayMismatchError: when a replay comes to something else than was recorded.
        StorageError: when the record cannot be written.
    """
    ends_at = tools.clock.monotonic() + tools.config.deadline_seconds
    labels = tools.config.entity_labels
    survey: Survey = await journal.effect(
        "survey",
        {},
        lambda: survey_sources(tools.sources, incident.alerts, tools.read_learnt),
        typed(Survey),
    )
    first = await to_thread(scope_incident, incident, survey, labels)
    rule_rows = await _condition(journal, first, tools, ends_at)
    reading = read_condition_calls(first, rule_rows, entity_reader(first, labels))
    scope = await to_thread(scope_incident, incident, survey, labels, reading)
    await journal.stage("scope", scope)
    await journal.describe(_entities(scope), scope=scope.model_dump(mode="json"))
    tools.progress("scope", _scope_line(scope))
    gathering = _gathering(journal, scope, tools, ends_at)
    plans, evidence, analysis = await _rounds(scope, tools, gathering, rule_rows)
    report = await to_thread(write_report, scope, plans, evidence, analysis, tools.skills)
    checked = await to_thread(verify_report, report, evidence, analysis, scope, labels)
    await journal.stage("report", checked)
    return Diagnosis(scope, plans, evidence, analysis, checked)


def _gathering(journal: Journal, scope: Scope, tools: Toolbox, ends_at: float) -> Gathering:
    return Gathering(
        sources={source.name: source for source in tools.sources},
        journal=journal,
        clock=tools.clock,
        facts=FactReader(scope, tools.config.entity_labels, tuple(tools.skills)),
        concurrency=tools.config.caps.concurrency,
        ends_at=ends_at,
    )


async def _condition(
    journal: Journal, scope: Scope, tools: Toolbox, ends_at: float
) -> tuple[ToolInvocation, ...]:
    """Evaluate the rule of the alert: what it finds decides which time is looked at."""
    plan = plan_condition(scope, tools.config.caps)
    if not plan.calls:
        return ()
    await journal.stage("plan/00", plan)
    return await gather_condition(plan, _gathering(journal, scope, tools, ends_at))


async def _rounds(
    scope: Scope,
    tools: Toolbox,
    gathering: Gathering,
    first_rows: tuple[ToolInvocation, ...],
) -> tuple[tuple[Plan, ...], Evidence, Analysis]:
    """Plan, gather and analyse until nothing more is worth asking, or the rounds are used up."""
    by_name = {skill.name: skill for skill in tools.skills}
    cards = [skill.metadata for skill in tools.skills]
    choices = await tools.reasoner.choose_skills(scope, cards)
    plans: list[Plan] = []
    journal, rows = gathering.journal, first_rows
    analysis = Analysis()
    used: dict[str, Skill] = {}
    for round_ in range(1, tools.config.max_rounds + 1):
        choices = with_companions(choices, by_name, taken=used.keys())
        used |= {choice.name: by_name[choice.name] for choice in choices}
        sources = sources_not_swept(scope, plans, rows)
        plan = plan_investigation(
            scope,
            choices,
            check_queries(tuple(used.values()), scope) if sources else (),
            _left(tools.config, first_rows, plans),
            sources=sources,
            round_=round_,
            first_number=len(first_rows) + sum(len(p.calls) for p in plans) + 1,
        )
        if plans and not choices and not plan.calls:
            break
        plans.append(plan)
        await journal.stage(f"plan/{round_:02d}", plan)
        tools.progress("gather", f"round {round_}: {_calls(len(plan.calls))}")
        rows = _once((*rows, *await gather_evidence(plan, gathering, rows)))
        analysis = await to_thread(
            analyse_evidence,
            scope,
            Evidence(invocations=rows),
            tuple(used.values()),
            tools.config.entity_labels,
            is_cut=any(p.left_out for p in plans),
        )
        await journal.stage(f"analyse/{round_:02d}", analysis)
        choices = skills_for(analysis, tools.skills, taken=used.keys())
    return tuple(plans), Evidence(invocations=rows), analysis


def _left(config: RunConfig, rows: Sequence[ToolInvocation], plans: Sequence[Plan]) -> Caps:
    """Return what the next round may ask for; all but the last leave something for the checks."""
    calls = [*(row.call for row in rows), *(call for plan in plans for call in plan.calls)]
    asked = sum(call.tool is ToolName.QUERY_METRICS for call in calls)
    last = len(plans) + 1 >= config.max_rounds
    kept = 0 if last else min(_FOR_CHECKS, config.caps.max_queries // 4)
    most = max(config.caps.max_queries - asked - kept, 0)
    return config.caps.model_copy(update={"max_queries": most})


def _once(rows: tuple[ToolInvocation, ...]) -> tuple[ToolInvocation, ...]:
    """Drop what a duplicate call returned again."""
    return tuple({row.id: row for row in rows}.values())


def _entities(scope: Scope) -> dict[str, tuple[Entity, ...]]:
    return {"scope": scope.entities, "neighbour": scope.neighbours}


def _scope_line(scope: Scope) -> str:
    names = ", ".join(e.name for e in scope.entities[:3]) or "nothing that is known"
    window = scope.windows.incident
    return f"{names}; {window.start:%H:%M:%S} to {window.end:%H:%M:%S} UTC"


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"
