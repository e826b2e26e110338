"""Run a session for a person who waits: progress on stderr, the report on stdout."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click

from superbizagent.cli.asked import Asked, contradiction, read_flags
from superbizagent.cli.compose import (
    load_skills,
    open_storage,
    run_config,
    session_template,
)
from superbizagent.cli.firing import with_firing_alerts
from superbizagent.cli.live import servers_of
from superbizagent.cli.running import run_stored
from superbizagent.cli.servers import choose_servers
from superbizagent.cli.sources import SourceSpec, build_sources, drop_spool
from superbizagent.domain.evaluation import (
    AIOPS_RULE_EVALUATION,
    AiopsRuleEvaluation,
    CheckStatus,
)
from superbizagent.domain.incident import Incident
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import Envelope
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.source import EvidenceStatus
from superbizagent.errors import (
    InterruptedSessionError,
    NothingReadableError,
    UsageError,
)
from superbizagent.investigation.pipeline import Progress
from superbizagent.investigation.run import Finished
from superbizagent.storage.store import Storage
from superbizagent.telemetry import configure_logging

__all__ = ["diagnose_asked", "envelope_of", "finish", "nothing_answered", "progress_of"]

FAILED = frozenset({EvidenceStatus.ERROR, EvidenceStatus.TIMEOUT, EvidenceStatus.DENIED})


def finish(flags: Mapping[str, Any]) -> Finished:
    """Run one diagnosis to its end.

    Args:
        flags: options of ``superbiz diagnose`` by their parameter names; absent ones are unset.

    Raises:
        SuperbizError: whatever went wrong.
    """
    asked = read_flags(flags)
    configure_logging(asked.settings.log_level, json=asked.settings.log_json)
    try:
        return asyncio.run(diagnose_asked(asked))
    except KeyboardInterrupt:
        raise InterruptedSessionError(
            "interrupted; what was gathered is stored, go on with it:"
            f" superbiz diagnose --session {asked.session_id}"
        ) from None


async def diagnose_asked(asked: Asked) -> Finished:
    """Create or take up the session that is asked for, and run it to its end."""
    skills = load_skills(asked.settings)
    for problem in (p for p in skills.problems if p.skipped):
        click.echo(f"playbook {problem.where}: {problem.message}", err=True)
    async with open_storage(asked.settings) as storage:
        session = await _session(storage, asked)
        progress = progress_of(quiet=asked.quiet)
        finished = await run_stored(
            storage, session, skills, asked.settings, live=asked.live, progress=progress
        )
    drop_spool(SourceSpec.model_validate(session.payload["sources"]), asked.settings)
    return finished


async def _session(storage: Storage, asked: Asked) -> DiagnosisSession:
    """Return the session to work on: the named one if it exists, else a new one."""
    known = await storage.sessions.get(asked.session_id) if asked.named else None
    if known is not None:
        if difference := contradiction(asked, known.payload):
            raise UsageError(
                f"session {known.session_id!r} is about {difference}; choose another --session,"
                f" or go on with it alone: superbiz diagnose --session {known.session_id}"
            )
        click.echo(f"going on with session {known.session_id} ({known.status.value})", err=True)
        return known
    # Says what is wrong with the sources before anything is stored.
    _choice_notes(asked, asked.incident)
    sources = build_sources(asked.sources, asked.live, asked.settings, asked.incident)
    incident = await with_firing_alerts(asked.incident, sources, progress_of(quiet=asked.quiet))
    notes = (*incident.notes, *_choice_notes(asked, incident))
    incident = incident.model_copy(update={"notes": notes})
    spec = asked.sources.model_dump(mode="json")
    template = session_template(spec, run_config(asked.settings))
    return await storage.sessions.create(template.new(asked.session_id, incident))


def _choice_notes(asked: Asked, incident: Incident) -> tuple[str, ...]:
    """Say which servers the alert is not for, or that it does not tell.

    Raises:
        NothingReadableError: when it is for none, and there is nothing else to look at.
    """
    servers = servers_of(asked.sources.live, asked.settings)
    choice = choose_servers(servers, incident)
    if servers and not (choice.kept or asked.sources.bundle or asked.sources.logs):
        raise NothingReadableError("; ".join(choice.notes))
    return choice.notes


def progress_of(*, quiet: bool) -> Progress:
    """Return what tells a waiting person of each stage."""

    def show(stage: str, text: str) -> None:
        if not quiet:
            click.echo(f"superbiz: {stage:<8} {text}", err=True)

    return show


def nothing_answered(finished: Finished) -> bool:
    """Tell whether there was something to look at, and none of it could be looked at."""
    looked = {ToolName.QUERY_METRICS, ToolName.SEARCH_LOGS, ToolName.SEARCH_TRACES}
    looked.add(ToolName.GET_KUBERNETES)
    rows = [
        r
        for r in finished.diagnosis.evidence.invocations
        if r.tool in looked and not r.call.reads_rule
    ]
    return bool(rows) and all(r.status in FAILED for r in rows)


def envelope_of(finished: Finished) -> Envelope:
    """Return what is true of the run, for the report's footer."""
    rows, scope = finished.diagnosis.evidence.invocations, finished.diagnosis.scope
    failed = {r.call.source for r in rows if r.status in FAILED and not r.call.reads_rule}
    # A source that could not be asked, or of which a file is lost, failed as much as a call did.
    failed |= {reason.partition(": ")[0] for reason in scope.failed}
    failed |= {source.name for source in scope.sources if source.unreadable}
    return Envelope(
        session_id=finished.session.session_id,
        seconds=round(finished.seconds, 2),
        queries=len(rows),
        sources_failed=len(failed),
        reasoner=finished.session.reasoner,
        tokens=finished.session.input_tokens + finished.session.output_tokens,
        gate=finished.session.aiops_gate or "",
        gate_checks=_not_passed(finished.session),
        track_record=finished.track_record if finished.track_record.judged else None,
    )


def _not_passed(session: DiagnosisSession) -> tuple[str, ...]:
    """Return the checks of the rule gate that did not pass."""
    stored = session.self_evaluation.get(AIOPS_RULE_EVALUATION)
    if stored is None:
        return ()
    judged = AiopsRuleEvaluation.model_validate(stored)
    return tuple(c.id.value for c in judged.checks if c.status is not CheckStatus.PASS)
