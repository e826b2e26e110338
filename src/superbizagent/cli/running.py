"""Run a stored session with sources that are built from what is stored and the settings."""

from collections.abc import Sequence

import click

from superbizagent.cli.compose import toolbox, versions_of
from superbizagent.cli.firing import with_firing_alerts
from superbizagent.cli.live import LiveFlags
from superbizagent.cli.reported import reported_changes
from superbizagent.cli.sources import SourceSpec, build_sources
from superbizagent.cli.system import system_of
from superbizagent.domain.gathering import RunConfig
from superbizagent.domain.incident import Channel
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.protocols import DataSource
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.errors import IntegrityError
from superbizagent.investigation.conversation import LOOKS, prepare_turn, turn_of
from superbizagent.investigation.pipeline import Progress
from superbizagent.investigation.run import Finished, incident_of, run_session
from superbizagent.investigation.survey import ReadLearnt
from superbizagent.settings import Settings
from superbizagent.skills import SkillCatalogue
from superbizagent.storage.owner import local_owner
from superbizagent.storage.store import Storage

__all__ = ["run_stored"]


async def run_stored(  # noqa: PLR0913 - what a run needs
    storage: Storage,
    session: DiagnosisSession,
    skills: SkillCatalogue,
    settings: Settings,
    *,
    live: LiveFlags | None = None,
    progress: Progress = lambda _stage, _text: None,
    take_firing: bool = False,
) -> Finished:
    """Run a session to its end, or go on with it.

    Args:
        storage: where it is.
        session: as it is stored.
        skills: the playbooks.
        settings: how live systems let us in, and our limits.
        live: flags of this command, which hold secrets that no session stores.
        progress: told of each stage.
        take_firing: where an alert was meant and none named, take those that fire now.

    Raises:
        SuperbizError: whatever went wrong.
    """
    session = await prepare_turn(storage, session)
    config = RunConfig.model_validate(session.payload["config"])
    spec = SourceSpec.model_validate(session.payload["sources"])
    sources: tuple[DataSource, ...] = ()
    turn = turn_of(session)
    if not session.status.is_final and (turn is None or turn.kind in LOOKS):
        incident = incident_of(session)
        reported = await reported_changes(storage, incident, session.created_at)
        sources = build_sources(spec, live or LiveFlags(), settings, incident)
        sources += (reported,) if reported else ()
    if take_firing:
        session = await _with_firing(storage, session, sources, progress)
    learnt = _learnt_of(spec, sources, storage, settings)
    return await run_session(
        storage,
        session,
        toolbox(skills, config, sources, progress, read_learnt=learnt),
        owner=local_owner(),
        versions=versions_of(skills, config),
    )


async def _with_firing(
    storage: Storage, session: DiagnosisSession, sources: Sequence[DataSource], progress: Progress
) -> DiagnosisSession:
    """Take the alerts that fire now where none is named, and store them before they are used."""
    incident = incident_of(session)
    if session.status is not SessionStatus.QUEUED or incident.channel is not Channel.AIOPS:
        return session
    told = await with_firing_alerts(incident, sources, progress)
    if told == incident:
        return session
    payload = {**session.payload, "incident": told.model_dump(mode="json")}
    return await storage.sessions.redefine(session.session_id, payload)


def _learnt_of(
    spec: SourceSpec, sources: Sequence[DataSource], storage: Storage, settings: Settings
) -> ReadLearnt:
    """Read what was learnt of the system that these sources are of."""
    system = system_of(spec, settings, [s.name for s in sources])

    async def read() -> LearntNormal | None:
        try:
            return await storage.baselines.get(system) if system else None
        except IntegrityError as error:
            # An incident is no time to stop for that: the built-in bar needs no history.
            click.echo(f"superbiz: {error}", err=True)
            return None

    return read
