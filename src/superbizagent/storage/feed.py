"""What the journals of all sessions say, as it was recorded: for those who watch.

Several calls run at once, and each is committed when it ends, so an entry may become visible after
one that was recorded later. Whoever follows looks back `LATE` behind the last one it saw.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from superbizagent.domain.journal import EntryKind
from superbizagent.storage.database import Database
from superbizagent.storage.sessions import SEAL_KEY
from superbizagent.storage.tables import journal_entry, tool_invocation

__all__ = ["LATE", "FeedEntry", "FeedRepository"]

LATE = timedelta(seconds=10)
"""Twice what a writer waits for another process: later than this nothing is committed."""

_BATCH = 400
"""Ids in one statement; all databases take more."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry, as far as a watcher needs it."""

    session_id: str
    key: str
    attempt: int
    kind: EntryKind
    row_id: str
    recorded_at: datetime

    @property
    def event_id(self) -> str:
        """Its place in the stream of its session, and its name."""
        return f"{int(self.recorded_at.timestamp() * 1e6)}-{self.key}-{self.attempt}"

    @property
    def ends_session(self) -> bool:
        """The session has ended: nothing comes behind it but evaluations that are late."""
        return self.key == SEAL_KEY


_COLUMNS = (
    journal_entry.c.session_id,
    journal_entry.c.key,
    journal_entry.c.attempt,
    journal_entry.c.kind,
    journal_entry.c.row_id,
    journal_entry.c.recorded_at,
)


class FeedRepository:
    """Reads entries and the calls they stand for, without their outputs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def since(self, at: datetime) -> tuple[FeedEntry, ...]:
        """Return the entries of all sessions that were recorded at or after a time, in order."""
        query = select(*_COLUMNS).where(journal_entry.c.recorded_at >= at)
        return await self._read(query.order_by(journal_entry.c.recorded_at))

    async def of_session(self, session_id: str) -> tuple[FeedEntry, ...]:
        """Return what one session has recorded so far, in order."""
        return await self._read(select(*_COLUMNS).where(journal_entry.c.session_id == session_id))

    async def calls(self, ids: Collection[str]) -> dict[str, dict[str, Any]]:
        """Return what is to be told of evidence calls, by row id."""
        table = tool_invocation.c
        columns = (
            table.id, table.number, table.round, table.tool_name, table.data_source,
            table.purpose, table.input, table.status, table.truncated, table.error,
            table.duration_us, table.output_bytes,
        )  # fmt: skip
        wanted = list(ids)
        found: dict[str, dict[str, Any]] = {}
        async with self._database.read() as connection:
            for start in range(0, len(wanted), _BATCH):
                some = wanted[start : start + _BATCH]
                rows = await connection.execute(select(*columns).where(table.id.in_(some)))
                found |= {row["id"]: dict(row) for row in rows.mappings()}
        return found

    async def _read(self, query: Any) -> tuple[FeedEntry, ...]:
        async with self._database.read() as connection:
            rows: Sequence[Any] = (await connection.execute(query)).all()
        found = [
            FeedEntry(
                session_id=row.session_id,
                key=row.key,
                attempt=row.attempt,
                kind=EntryKind(row.kind),
                row_id=row.row_id,
                recorded_at=row.recorded_at,
            )
            for row in rows
        ]
        return tuple(sorted(found, key=lambda e: (e.recorded_at, e.key, e.attempt)))
