"""Which sessions are meant: a filter and a place in the list as conditions of a query."""

from typing import Any

from sqlalchemy import Select, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.session import SessionFilter
from superbizagent.storage.claims import no_session
from superbizagent.storage.tables import diagnosis_session, session_entity, tool_invocation

__all__ = ["narrow", "older"]

_table = diagnosis_session


async def older(connection: AsyncConnection, query: Select[Any], session_id: str) -> Select[Any]:
    """Keep the sessions that come after ``session_id`` in the list.

    Raises:
        StorageError: when there is no session of that id.
    """
    edge = select(_table.c.created_at).where(_table.c.session_id == session_id)
    at = (await connection.execute(edge)).scalar()
    if at is None:
        raise no_session(session_id)
    return query.where(
        (_table.c.created_at < at)
        | ((_table.c.created_at == at) & (_table.c.session_id < session_id))
    )


def narrow(query: Select[Any], wanted: SessionFilter) -> Select[Any]:
    """Keep the sessions that are wanted."""
    plain = {
        "channel": wanted.channel,
        "status": wanted.status,
        "verdict": wanted.verdict,
        "aiops_gate": wanted.gate,
        "conversation_id": wanted.conversation_id,
        "incident_id": wanted.incident_id,
    }
    for name, value in plain.items():
        if value is not None:
            query = query.where(_table.c[name] == str(value))
    if wanted.since is not None:
        query = query.where(_table.c.created_at >= wanted.since)
    if wanted.until is not None:
        query = query.where(_table.c.created_at < wanted.until)
    if wanted.tool is not None:
        called = (tool_invocation.c.session_id == _table.c.session_id) & (
            tool_invocation.c.tool_name == wanted.tool
        )
        query = query.where(exists().where(called))
    if wanted.service is not None:
        named = (session_entity.c.session_id == _table.c.session_id) & (
            session_entity.c.name == wanted.service
        )
        query = query.where(exists().where(named))
    return query
