"""Carry one stored session from where it stands to its end.

Called by the command line and by workers: a session that is new starts, one whose process died
goes on behind its last record, one that has ended is left as it is.
"""

from dataclasses import dataclass
from typing import Any

from superbizagent.domain.canonical import digest
from superbizagent.domain.feedback import TrackRecord
from superbizagent.domain.incident import Incident
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.session import DiagnosisSession, SessionOutcome, SessionStatus
from superbizagent.errors import NothingReadableError
from superbizagent.investigation.conversation import LOOKS, answer_turn, turn_of
from superbizagent.investigation.finalise import Judgement, persist_final_report
from superbizagent.investigation.journal import Journal
from superbizagent.investigation.pipeline import Diagnosis, Toolbox, run_pipeline
from superbizagent.investigation.wording.markdown import report_markdown
from superbizagent.storage.feedback import kind_of
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage
from superbizagent.telemetry import bind_session, get_logger

__all__ = ["Finished", "diagnosis_of_session", "incident_of", "run_session"]


@dataclass(frozen=True, slots=True)
class Finished:
    """A session that has ended, and what it came to."""

    session: DiagnosisSession
    diagnosis: Diagnosis
    resumed: bool
    seconds: float
    track_record: TrackRecord
    """How often answers like this were right."""


def incident_of(session: DiagnosisSession) -> Incident:
    """Return the incident that the session was created for, as it was stored: redacted."""
    return Incident.model_validate(session.payload["incident"])


async def run_session(
    storage: Storage,
    session: DiagnosisSession,
    tools: Toolbox,
    *,
    owner: Owner,
    versions: dict[str, str],
) -> Finished:
    """Run, or go on with, a session that exists.

    Args:
        storage: where it is kept.
        session: as it is stored.
        tools: sources, playbooks, reasoner, clock and settings.
        owner: names this process.
        versions: digests of what decides the result beside the evidence.

    Raises:
        NothingReadableError: when no source could be looked at; the session is FAILED.
        StorageError: when another process is at work on it, or the record cannot be written.
    """
    bind_session(session.session_id)
    log = get_logger("session")
    log.info("taken up", channel=session.channel.value, status=session.status.value)
    began = tools.clock.monotonic()
    resumed = session.started_at is not None
    mode = JournalMode.RESUME if resumed else JournalMode.LIVE
    async with Journal(storage, session.session_id, owner, mode) as journal:
        await journal.start()
        await journal.versions(versions)
        try:
            diagnosis = await diagnosis_of_session(storage, journal, session, tools)
        except NothingReadableError as error:
            await journal.complete(SessionStatus.FAILED, str(error))
            raise
        await persist_final_report(
            journal, outcome_of(diagnosis), diagnosis.scope, judgement_of(session, tools)
        )
        await journal.complete()
    log.info("completed", verdict=diagnosis.checked.report.verdict.value)
    ended = await storage.sessions.require(session.session_id)
    return Finished(
        session=ended,
        diagnosis=diagnosis,
        resumed=resumed,
        seconds=tools.clock.monotonic() - began,
        track_record=await storage.feedback.record(kind_of(ended), ended.session_id),
    )


async def diagnosis_of_session(
    storage: Storage, journal: Journal, session: DiagnosisSession, tools: Toolbox
) -> Diagnosis:
    """Take the path that a session's turn asks for: a diagnosis, or an answer about one."""
    turn, incident = turn_of(session), incident_of(session)
    if turn is None or turn.kind in LOOKS:
        return await run_pipeline(journal, incident, tools)
    return await answer_turn(storage, journal, turn, incident, tools)


def judgement_of(session: DiagnosisSession, tools: Toolbox) -> Judgement:
    """Return how the report of a session is judged: an answer in a chat by no gate of alerts."""
    return Judgement.of(
        session.channel,
        tools.clock,
        fail_off_target=tools.config.fail_off_target,
        service_labels=tools.config.entity_labels,
    )


def outcome_of(diagnosis: Diagnosis) -> SessionOutcome:
    """Return what is stored of a diagnosis; the report's bytes are canonical."""
    report = diagnosis.checked.report
    plans = [plan.model_dump(mode="json") for plan in diagnosis.plans]
    chosen = [choice.name for plan in diagnosis.plans for choice in plan.skills]
    value: dict[str, Any] = report.model_dump(mode="json")
    return SessionOutcome(
        scope=diagnosis.scope.model_dump(mode="json"),
        plan={"rounds": plans},
        selected_skill=next(iter(chosen), ""),
        rounds=len(diagnosis.plans),
        verdict=report.verdict.value,
        final_report=report_markdown(report),
        report=value,
        report_digest=digest(value),
    )
