"""Stored sessions as they are listed and shown: of any age, damaged or not, read and not judged."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Column, ColumnElement, Select, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.session import DamagedSession, ListPlace, SessionFilter
from superbizagent.domain.trace import TraceHead, TracePage, TraceRow, TraceRows
from superbizagent.storage.database import Database
from superbizagent.storage.raw_rows import UNREADABLE, read_rows
from superbizagent.storage.session_queries import listed
from superbizagent.storage.session_rows import read_sessions
from superbizagent.storage.sessions import SEAL_KEY
from superbizagent.storage.tables import (
    diagnosis_session,
    journal_entry,
    session_entity,
    tool_invocation,
)

__all__ = ["TITLE_CHARS", "TraceRepository"]

TITLE_CHARS = 200

_SERVICES = 8
"""Names shown of one session in a list."""

_table = diagnosis_session
_ALERT = ("incident", "alerts", 0, "labels", "alertname")
_SHORT = (
    *("session_id", "created_at", "started_at", "finished_at", "channel", "verdict", "status"),
    *("reasoner", "language", "conversation_id", "incident_id", "parent_session_id"),
    "selected_skill",
)


class TraceRepository:
    """Lists sessions by their short columns, and reads one with everything that belongs to it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, wanted: SessionFilter) -> TracePage:
        """Return a part of the list, newest first; a row that cannot be read is named in it."""
        async with self._database.read() as connection:
            more = wanted.model_copy(update={"limit": wanted.limit + 1})
            names = await listed(connection, more)
            shown = names[: wanted.limit]
            services = await _services(connection, shown)
            rows = await self._rows(connection, shown, services)
        last = rows[-1] if len(names) > wanted.limit else None
        behind = None
        if last is not None and last.created_at is not None:
            behind = ListPlace(created_at=last.created_at, session_id=last.session_id)
        return TracePage(rows=rows, behind=behind)

    async def read(self, session_id: str) -> TraceRows | None:
        """Return what is stored of a session, None when there is none of that id."""
        async with self._database.read() as connection:
            sessions = await read_rows(connection, _table, session_id)
            if not sessions:
                return None
            calls = await read_rows(connection, tool_invocation, session_id)
            entities = await read_rows(connection, session_entity, session_id)
            head = await _head(connection, sessions[0])
        damaged: set[str] = set()
        plain = [
            [_readable(table.name, row, damaged) for row in rows]
            for table, rows in (
                (_table, sessions),
                (tool_invocation, calls),
                (session_entity, entities),
            )
        ]
        return TraceRows(
            session=plain[0][0],
            invocations=tuple(sorted(plain[1], key=_place)),
            entities=tuple(plain[2]),
            damaged=tuple(sorted(damaged)),
            head=head,
        )

    async def call(self, session_id: str, invocation_id: str) -> dict[str, Any] | None:
        """Return one row of ``tool_invocation``, None when the session has none of that id."""
        async with self._database.read() as connection:
            rows = await read_rows(connection, tool_invocation, session_id)
        return next((_readable("", r, set()) for r in rows if r["id"] == invocation_id), None)

    async def _rows(
        self,
        connection: AsyncConnection,
        names: Sequence[str],
        services: Mapping[str, tuple[str, ...]],
    ) -> tuple[TraceRow, ...]:
        query = self._short().where(_table.c.session_id.in_(names))
        try:
            rows = [dict(row) for row in (await connection.execute(query)).mappings()]
            found = {str(row["session_id"]): row for row in rows}
            return tuple(_row(found[name], services.get(name, ())) for name in names)
        except (ValueError, TypeError, LookupError, ValidationError):
            rows = await read_sessions(connection, names)
        return tuple(
            TraceRow(session_id=row.session_id, damaged=row.column)
            if isinstance(row, DamagedSession)
            else TraceRow(
                **{name: getattr(row, name) for name in _SHORT},
                title=row.question[:TITLE_CHARS],
                gate=row.aiops_gate or "",
                error=row.error[:TITLE_CHARS],
                services=services.get(row.session_id, ()),
            )
            for row in rows
        )

    def _short(self) -> Select[Any]:
        alert = self._text(_table.c.payload, _ALERT)
        told = self._text(_table.c.report, ("title",))
        return select(
            *(_table.c[name] for name in _SHORT),
            _table.c.aiops_gate.label("gate"),
            func.substr(_table.c.error, 1, TITLE_CHARS).label("error"),
            # in this order, and no further than needed: a report is long
            func.substr(
                func.coalesce(func.nullif(_table.c.question, ""), alert, told, ""), 1, TITLE_CHARS
            ).label("title"),
        )

    def _text(self, column: Column[Any], path: tuple[str | int, ...]) -> ColumnElement[Any]:
        """Return a text within JSON; NULL where the column holds none that can be read."""
        text: ColumnElement[Any] = column[path].as_string()
        if self._database.is_sqlite:  # elsewhere the column's type holds JSON alone
            return case((func.json_valid(column) == 1, text))
        return text


def _row(row: Mapping[str, Any], services: tuple[str, ...]) -> TraceRow:
    short = {name: row[name] for name in (*_SHORT, "gate", "error", "title")}
    nullable = {"created_at", "started_at", "finished_at"}
    nullable |= {"conversation_id", "incident_id", "parent_session_id"}
    plain: dict[str, Any] = {
        k: v if v is not None or k in nullable else "" for k, v in short.items()
    }
    return TraceRow(**plain, services=services)


async def _services(
    connection: AsyncConnection, names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    query = (
        select(session_entity.c.session_id, session_entity.c.name)
        .where(session_entity.c.session_id.in_(names), session_entity.c.role == "scope")
        .order_by(session_entity.c.session_id, session_entity.c.path)
    )
    found: dict[str, list[str]] = {}
    for session_id, name in (await connection.execute(query)).all():
        mine = found.setdefault(session_id, [])
        if name not in mine and len(mine) < _SERVICES:
            mine.append(name)
    return {session_id: tuple(mine) for session_id, mine in found.items()}


async def _head(connection: AsyncConnection, session: Mapping[str, Any]) -> TraceHead:
    """Hold the session's count and last hash against the journal: two look-ups in an index."""
    mine = journal_entry.c.session_id == session["session_id"]
    length, said = session["journal_length"], session["head_hash"]
    linked = select(func.count()).where(mine, journal_entry.c.seq.is_not(None))
    number = (await connection.execute(linked)).scalar_one()
    last = select(journal_entry.c.hash).where(mine, journal_entry.c.seq == number)
    found = (await connection.execute(last)).scalar() or ""
    seal = select(func.count()).where(mine, journal_entry.c.key == SEAL_KEY)
    sealed = (await connection.execute(seal)).scalar_one() > 0
    problem = ""
    if number != length:
        problem = f"the session counts {length} entries, its journal holds {number}"
    elif found != said:
        problem = "the journal does not end in the hash that the session holds"
    return TraceHead(
        head_hash=str(said), entries=number, sealed=sealed, ok=not problem, problem=problem
    )


def _readable(table: str, row: Mapping[str, Any], damaged: set[str]) -> dict[str, Any]:
    damaged |= {f"{table}.{name}" for name, value in row.items() if value == UNREADABLE}
    return {name: None if value == UNREADABLE else value for name, value in row.items()}


def _place(row: Mapping[str, Any]) -> tuple[int, str, int]:
    """Sort key of calls; SQLite keeps text in a column of integers."""
    number, attempt = row["number"], row["attempt"]
    return (
        number if isinstance(number, int) else 0,
        str(row["journal_key"]),
        attempt if isinstance(attempt, int) else 0,
    )
