"""Run a session for a person who waits: progress on stderr, the report on stdout."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import (
    load_skills,
    new_session,
    open_storage,
    run_config,
    toolbox,
    versions_of,
)
from superbizagent.cli.intake import build_incident, parse_span
from superbizagent.cli.sources import SourceSpec, build_sources, source_spec
from superbizagent.domain.gathering import RunConfig
from superbizagent.domain.incident import Incident
from superbizagent.domain.report import Envelope
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.run import Finished, incident_of, run_session
from superbizagent.settings import Settings, load_settings, local_timezone, locale_language
from superbizagent.storage.owner import local_owner
from superbizagent.storage.store import Storage
from superbizagent.telemetry import configure_logging

__all__ = ["envelope_of", "finish"]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One diagnosis as the user asked for it."""

    settings: Settings
    incident: Incident
    sources: SourceSpec
    session_id: str | None
    quiet: bool


def finish(flags: Mapping[str, Any]) -> Finished:
    """Run one diagnosis to its end.

    Args:
        flags: options of ``superbiz diagnose`` by their parameter names; absent ones are unset.

    Raises:
        SuperbizError: whatever went wrong.
    """
    asked = _read(flags)
    configure_logging(asked.settings.log_level, json=asked.settings.log_json)
    return asyncio.run(_diagnose(asked))


def _read(flags: Mapping[str, Any]) -> _Asked:
    deadline = parse_span(flags["deadline"]).total_seconds() if flags.get("deadline") else None
    settings = load_settings(
        lang=flags.get("lang"),
        timezone=flags.get("timezone"),
        log_tz=flags.get("log_tz"),
        deadline_seconds=deadline,
    )
    now = SystemClock().now()
    zone = settings.timezone or local_timezone()
    incident = build_incident(
        alert=flags.get("alert"),
        question=flags.get("question") or "",
        services=tuple(flags.get("services") or ()),
        last=flags.get("last"),
        since=flags.get("since"),
        until=flags.get("until"),
        at=flags.get("at"),
        language=settings.lang,
        locale=locale_language(),
        zone=zone,
        now=now,
    )
    spool = settings.data_dir / "stdin" / f"{now:%Y%m%dT%H%M%S%f}.log"
    spec = source_spec(flags.get("bundle"), tuple(flags.get("logs") or ()), settings, spool)
    return _Asked(settings, incident, spec, flags.get("session_id"), bool(flags.get("quiet")))


async def _diagnose(asked: _Asked) -> Finished:
    skills = load_skills(asked.settings)
    for problem in skills.problems:
        click.echo(f"playbook {problem.place}: {problem.message}", err=True)
    async with open_storage(asked.settings) as storage:
        session = await _session(storage, asked)
        config = RunConfig.model_validate(session.payload["config"])
        tools = toolbox(skills, config, _sources(session, asked), _progress(quiet=asked.quiet))
        return await run_session(
            storage,
            session,
            tools,
            owner=local_owner(),
            versions=versions_of(skills, config),
        )


async def _session(storage: Storage, asked: _Asked) -> DiagnosisSession:
    """Return the session to work on: the named one if it exists, else a new one."""
    if asked.session_id:
        known = await storage.sessions.get(asked.session_id)
        if known is not None:
            click.echo(f"going on with session {known.session_id} ({known.status.value})", err=True)
            return known
    build_sources(
        asked.sources, asked.settings, asked.incident
    )  # says what is wrong before anything is stored
    spec = asked.sources.model_dump(mode="json")
    config = run_config(asked.settings)
    return await storage.sessions.create(
        new_session(asked.session_id, asked.incident, spec, config)
    )


def _sources(session: DiagnosisSession, asked: _Asked) -> tuple[Any, ...]:
    if session.status.is_final:
        return ()
    spec = SourceSpec.model_validate(session.payload["sources"])
    return build_sources(spec, asked.settings, incident_of(session))


def _progress(*, quiet: bool) -> Any:
    def show(stage: str, text: str) -> None:
        if not quiet:
            click.echo(f"superbiz: {stage:<8} {text}", err=True)

    return show


def envelope_of(finished: Finished) -> Envelope:
    """Return what is true of the run, for the report's footer."""
    rows = finished.diagnosis.evidence.invocations
    failed = {EvidenceStatus.ERROR, EvidenceStatus.TIMEOUT, EvidenceStatus.DENIED}
    return Envelope(
        session_id=finished.session.session_id,
        seconds=round(finished.seconds, 2),
        queries=len(rows),
        sources_failed=len({r.call.source for r in rows if r.status in failed}),
        reasoner=finished.session.reasoner,
        tokens=finished.session.input_tokens + finished.session.output_tokens,
        gate=finished.session.aiops_gate or "",
    )
