"""Rows of ``diagnosis_session`` as sessions; one that cannot be read says which column it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.session import DamagedSession, DiagnosisSession
from superbizagent.storage.raw_rows import damaged, read_rows
from superbizagent.storage.tables import diagnosis_session

__all__ = ["read_session", "read_sessions", "to_session"]


def to_session(row: Mapping[str, Any]) -> DiagnosisSession:
    """Return the session that a row stands for.

    Raises:
        IntegrityError: when one of its values is none that was ever written.
    """
    found = _parsed(row)
    if isinstance(found, DamagedSession):
        raise damaged(diagnosis_session, found.session_id, found.column)
    return found


async def read_session(connection: AsyncConnection, session_id: str) -> DiagnosisSession | None:
    """Return one session, or None.

    Raises:
        IntegrityError: when its row cannot be read.
    """
    rows = await read_rows(connection, diagnosis_session, session_id)
    return to_session(rows[0]) if rows else None


async def read_sessions(
    connection: AsyncConnection, session_ids: Sequence[str]
) -> tuple[DiagnosisSession | DamagedSession, ...]:
    """Return these sessions in this order, those whose row cannot be read as damaged."""
    rows = await read_rows(connection, diagnosis_session, *session_ids)
    found = {row["session_id"]: row for row in rows}
    return tuple(_parsed(found[session_id]) for session_id in session_ids)


def _parsed(row: Mapping[str, Any]) -> DiagnosisSession | DamagedSession:
    try:
        return DiagnosisSession.model_validate(dict(row))
    except ValidationError as error:
        column = str(error.errors()[0]["loc"][0])
        return DamagedSession(session_id=str(row["session_id"]), column=column)
