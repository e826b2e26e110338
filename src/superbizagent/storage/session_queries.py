"""Which sessions are meant: a filter and a place in the list as one query for their ids.

Everything that is compared stands in an index together with what the list is ordered by, so no
filter reads the sessions' rows, which are long. What a session called or looked at stands in other
tables: a name that few of them have is looked up there first, one that many have is tested while
the list is read, of which a page then ends soon.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, FromClause, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.elements import KeyedColumnElement

from superbizagent.domain.session import ListPlace, SessionFilter
from superbizagent.storage.tables import (
    LISTED_BY,
    diagnosis_session,
    session_entity,
    tool_invocation,
)

__all__ = ["listed"]

_FEW = 500
"""Rows that have a name, up to which it is looked up first; a page is 500 sessions at most."""


async def listed(connection: AsyncConnection, wanted: SessionFilter) -> Sequence[str]:
    """Return the ids of the sessions that are wanted, newest first."""
    named = (
        (tool_invocation.c.tool_name, wanted.tool),
        (session_entity.c.name, wanted.service),
    )
    few: list[set[str]] = []
    many: list[tuple[Column[Any], str]] = []
    for column, name in named:
        if name is None:
            continue
        found = await _few(connection, column, name)
        if found is None:
            many.append((column, name))
        else:
            few.append(found)
    table: FromClause = diagnosis_session
    if few:
        table = _among(set[str].intersection(*few))
    tests = [_has(table, column, name) for column, name in many]
    columns = table.c
    query = select(columns.session_id).where(*_plain(columns, wanted), *tests)
    if wanted.behind is not None:
        query = query.where(*_behind(columns, wanted.behind))
    query = query.order_by(columns.created_at.desc(), columns.session_id.desc())
    return (await connection.execute(query.limit(wanted.limit))).scalars().all()


Columns = ReadOnlyColumnCollection[str, KeyedColumnElement[Any]]


def _plain(columns: Columns, wanted: SessionFilter) -> list[ColumnElement[bool]]:
    plain = {
        "channel": wanted.channel,
        "status": wanted.status,
        "verdict": wanted.verdict,
        "aiops_gate": wanted.gate,
        "conversation_id": wanted.conversation_id,
        "incident_id": wanted.incident_id,
    }
    found = [columns[name] == str(value) for name, value in plain.items() if value is not None]
    if wanted.since is not None:
        found.append(columns.created_at >= wanted.since)
    if wanted.until is not None:
        found.append(columns.created_at < wanted.until)
    return found


def _behind(columns: Columns, place: ListPlace) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Say what comes after a place: first as a range, which an index can be entered by."""
    at = place.created_at
    return (
        columns.created_at <= at,
        (columns.created_at < at) | (columns.session_id < place.session_id),
    )


async def _few(connection: AsyncConnection, column: Column[Any], name: str) -> set[str] | None:
    """Return the sessions that have a name, None when they are many."""
    query = select(column.table.c.session_id).where(column == name).limit(_FEW + 1)
    found = (await connection.execute(query)).scalars().all()
    return set(found) if len(found) <= _FEW else None


def _among(sessions: set[str]) -> FromClause:
    """Return these rows alone; the limit keeps a planner from taking another way to them."""
    mine = diagnosis_session.c.session_id.in_(sorted(sessions))
    names = ("session_id", "created_at", "conversation_id", "incident_id")
    columns = [diagnosis_session.c[name] for name in (*names, *LISTED_BY)]
    return select(*columns).where(mine).limit(_FEW + 1).subquery()


def _has(table: FromClause, column: Column[Any], name: str) -> ColumnElement[bool]:
    return exists().where(column.table.c.session_id == table.c.session_id, column == name)
