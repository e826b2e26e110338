"""Which sessions are meant: a filter and a place in the list as one query for their ids.

Everything that is compared stands in an index together with what the list is ordered by, so no
filter reads the sessions' rows, which are long. What a session called or looked at stands in other
tables: a name that few of them have is looked up there first, one that many have is tested while
the list is read, of which a page then ends soon.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.session import ListPlace, SessionFilter
from superbizagent.storage.tables import diagnosis_session, session_entity, tool_invocation

__all__ = ["listed"]

_table = diagnosis_session

_FEW = 500
"""Rows that have a name, up to which it is looked up first; a page is 500 sessions at most."""


async def listed(connection: AsyncConnection, wanted: SessionFilter) -> Sequence[str]:
    """Return the ids of the sessions that are wanted, newest first."""
    query = select(_table.c.session_id).where(*_plain(wanted))
    if wanted.behind is not None:
        query = query.where(*_behind(wanted.behind))
    names = (
        (tool_invocation.c.tool_name, wanted.tool),
        (session_entity.c.name, wanted.service),
    )
    for column, name in names:
        if name is not None:
            query = query.where(await _named(connection, column, name))
    query = query.order_by(_table.c.created_at.desc(), _table.c.session_id.desc())
    return (await connection.execute(query.limit(wanted.limit))).scalars().all()


def _plain(wanted: SessionFilter) -> list[ColumnElement[bool]]:
    plain = {
        "channel": wanted.channel,
        "status": wanted.status,
        "verdict": wanted.verdict,
        "aiops_gate": wanted.gate,
        "conversation_id": wanted.conversation_id,
        "incident_id": wanted.incident_id,
    }
    found = [_table.c[name] == str(value) for name, value in plain.items() if value is not None]
    if wanted.since is not None:
        found.append(_table.c.created_at >= wanted.since)
    if wanted.until is not None:
        found.append(_table.c.created_at < wanted.until)
    return found


def _behind(place: ListPlace) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Say what comes after a place: first as a range, which an index can be entered by."""
    at = place.created_at
    return (
        _table.c.created_at <= at,
        (_table.c.created_at < at) | (_table.c.session_id < place.session_id),
    )


async def _named(
    connection: AsyncConnection, column: Column[Any], name: str
) -> ColumnElement[bool]:
    sessions = column.table.c.session_id
    some = select(sessions).where(column == name).limit(_FEW + 1).subquery()
    number = (await connection.execute(select(func.count()).select_from(some))).scalar_one()
    if number <= _FEW:
        found = await connection.execute(select(sessions).where(column == name).distinct())
        return _table.c.session_id.in_(found.scalars().all())
    return exists().where(sessions == _table.c.session_id, column == name)
