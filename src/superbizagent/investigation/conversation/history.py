"""What a conversation has come to, read back from its sessions."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from superbizagent.domain.incident import Language
from superbizagent.domain.json_values import items, mapping
from superbizagent.domain.report import Report
from superbizagent.domain.scope import Scope
from superbizagent.domain.session import DiagnosisSession, SessionFilter
from superbizagent.investigation.conversation.turn import LOOKS, History, Turn
from superbizagent.storage.store import Storage

__all__ = ["TURN", "earlier_turns", "history_of", "read_history", "turn_of"]

TURN = "turn"
"""Key of a session's payload: the `Turn` that it answers."""
_TURNS = 30
"""Read back: what was said before is no context any more."""


def turn_of(session: DiagnosisSession) -> Turn | None:
    """Return what a session's turn was read as; None where it is no turn of a conversation."""
    stored = session.payload.get(TURN)
    return Turn.model_validate(stored) if stored else None


async def earlier_turns(
    storage: Storage, conversation_id: str, session: DiagnosisSession | None = None
) -> tuple[DiagnosisSession, ...]:
    """Return the sessions of a conversation before a turn, newest first.

    A conversation that was cleared begins anew. The id may be that of any session: what is asked
    about a diagnosis of an alert is a conversation that begins with it.
    """
    wanted = SessionFilter(conversation_id=conversation_id, limit=_TURNS)
    found = list(await storage.sessions.list(wanted))
    known = await storage.conversations.get(conversation_id)
    if known is not None:
        found = [s for s in found if s.created_at >= known.created_at]
    first = await storage.sessions.get(conversation_id)
    if first is not None and first.conversation_id is None:
        found.append(first)
    own = session.session_id if session is not None else ""
    return tuple(s for s in found if s.session_id != own and s.status.is_final)


async def read_history(
    storage: Storage, conversation_id: str, now: datetime, session: DiagnosisSession | None = None
) -> History:
    """Return what a conversation has come to.

    Args:
        storage: where its sessions are.
        conversation_id: its id, or that of a session that is asked about.
        now: when the turn was received.
        session: of the turn itself, which is no history.
    """
    return history_of(await earlier_turns(storage, conversation_id, session), now)


def history_of(turns: Sequence[DiagnosisSession], now: datetime) -> History:
    """Return what sessions, newest first, have come to; pure."""
    answered = next((s for s in turns if _has_looked(s)), None)
    read = _documents(answered) if answered is not None else None
    if answered is None or read is None:
        return History(now=now)
    scope, report = read
    incident = answered.payload["incident"]
    # A recording ends: "the last hour" of it is not that of the clock.
    recorded = scope.incident.received_at < datetime.fromisoformat(incident["received_at"])
    cause = report.entity.rsplit("/", 1)[-1]
    services = tuple(dict.fromkeys(e.name for e in scope.entities))
    spoken = (name for s in turns for name in _named(s, answered))
    return History(
        session_id=answered.session_id,
        names=tuple(dict.fromkeys(_names(scope))),
        services=services if not scope.takes_everything else (),
        cause=cause if report.fault_kind is not None else "",
        last_named=next(spoken, "") or cause or next(iter(services), ""),
        window=scope.windows.incident,
        now=scope.incident.received_at if recorded else now,
        timezone=scope.incident.timezone,
        language=turns[0].language if turns else Language.EN,
    )


def _has_looked(session: DiagnosisSession) -> bool:
    """Whether it is a diagnosis, and not the answer to a question about one."""
    turn = turn_of(session)
    return (
        session.scope is not None
        and session.report is not None
        and (turn is None or turn.kind in LOOKS)
    )


def _documents(session: DiagnosisSession) -> tuple[Scope, Report] | None:
    """Scope and report; None when another version wrote them and this one cannot read them."""
    try:
        return Scope.model_validate(session.scope), Report.model_validate(session.report)
    except ValidationError:
        return None


def _names(scope: Scope) -> Iterator[str]:
    yield from (e.name for e in scope.everything)
    yield from (e.name for e in scope.catalogue.entities)
    yield from scope.catalogue.aliases
    yield from (n for edge in scope.topology.edges for n in (edge.caller, edge.callee))
    yield from (s.name for s in scope.sources)


def _named(session: DiagnosisSession, answered: DiagnosisSession) -> Iterator[str]:
    """Names of a turn since the diagnosis that is spoken of."""
    if session.created_at <= answered.created_at:
        return
    stored: Any = mapping(session.payload.get(TURN))
    yield from (str(name) for name in items(stored.get("names")))
