"""From the text of a queued turn to what its session is about, before anything is done for it."""

from typing import Any

from superbizagent.domain.incident import Channel, Incident
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.investigation.conversation.asking import incident_of_turn
from superbizagent.investigation.conversation.history import TURN, read_history, turn_of
from superbizagent.investigation.conversation.reading import read_turn
from superbizagent.storage.store import Storage

__all__ = ["prepare_turn"]


async def prepare_turn(storage: Storage, session: DiagnosisSession) -> DiagnosisSession:
    """Read the turn of a queued session, store what it was read as, and return the session.

    Its payload then has a ``turn``; of a turn that needs a new look also the incident with what it
    took from before, and the sources and settings of the session that is asked about, which
    becomes its parent. Any other session, and one that was prepared, is returned as it is.

    Raises:
        IntegrityError: when an earlier session cannot be read.
        StorageError: when the database refuses.
    """
    if (
        session.channel is not Channel.CHAT
        or session.conversation_id is None
        or session.parent_session_id is not None  # started anew from another: it says all itself
        or session.status is not SessionStatus.QUEUED
        or session.started_at is not None
        or turn_of(session) is not None
    ):
        return session
    asked = Incident.model_validate(session.payload["incident"])
    history = await read_history(storage, session.conversation_id, asked.received_at, session)
    turn = read_turn(asked.question, history, asked.language)
    before = await storage.sessions.get(turn.session_id) if turn.session_id else None
    incident = incident_of_turn(turn, asked, before)
    payload: dict[str, Any] = {
        **session.payload,
        "incident": incident.model_dump(mode="json"),
        TURN: turn.model_dump(mode="json"),
    }
    if before is not None:
        payload |= {key: before.payload[key] for key in ("sources", "config")}
    return await storage.sessions.redefine(
        session.session_id,
        payload,
        language=turn.language,
        parent_session_id=turn.session_id or None,
    )
