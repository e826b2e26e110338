"""What the journals of sessions say, as it was committed: for those who watch.

Nothing in the journal itself tells what is new: several calls run at once, an entry of a call
carries the time at which the call began, and each is committed when it ends. So a follower
compares how many entries a session has, which is one look into an index, and reads a session again
only when there are more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from superbizagent.domain.journal import EntryKind
from superbizagent.domain.session import SessionStatus
from superbizagent.storage.database import Database
from superbizagent.storage.json_path import json_length, json_text
from superbizagent.storage.tables import diagnosis_session, journal_entry, tool_invocation

__all__ = ["LATE", "FeedCall", "FeedEntry", "FeedRepository", "FeedState"]

LATE = timedelta(seconds=10)
"""Twice what a writer waits for another process: later than this nothing is committed."""

_BATCH = 400
"""Ids in one statement; all databases take more."""


@dataclass(frozen=True, slots=True)
class FeedCall:
    """An evidence call, without its output."""

    number: int
    round: int
    tool: str
    source: str
    purpose: str
    input: Any
    status: str
    truncated: bool
    error: str
    duration_us: int
    output_bytes: int
    facts: int
    """How many facts were read out of its output."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry, as far as a watcher needs it."""

    key: str
    attempt: int
    kind: str
    row_id: str
    at: datetime
    """When there was something to record: of a call its end."""
    call: FeedCall | None = None

    @property
    def event_id(self) -> str:
        """Its place in the stream of its session, and its name."""
        return f"{int(self.at.timestamp() * 1e6)}-{self.key}-{self.attempt}"


@dataclass(frozen=True, slots=True)
class FeedState:
    """How far a session is."""

    entries: int
    ended: bool


class FeedRepository:
    """Reads how far sessions are, and their entries with the calls they stand for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def states(self, sessions: Collection[str]) -> dict[str, FeedState]:
        """Return how far sessions are, by id; one that does not exist is left out."""
        mine = diagnosis_session.c
        entries = select(func.count()).where(journal_entry.c.session_id == mine.session_id)
        query = select(mine.session_id, mine.status, entries.scalar_subquery().label("entries"))
        return {
            row.session_id: FeedState(row.entries, SessionStatus(row.status).is_final)
            for row in await self._rows(query, mine.session_id, sessions)
        }

    async def entries(
        self, session_id: str, known: Collection[tuple[str, int]] = ()
    ) -> tuple[FeedEntry, ...]:
        """Return what a session has recorded, in order.

        Args:
            session_id: which.
            known: key and attempt of entries that are not wanted any more.
        """
        mine = journal_entry.c
        query = select(mine.key, mine.attempt, mine.kind, mine.row_id, mine.recorded_at)
        rows = await self._rows(query, mine.session_id, [session_id])
        new = [row for row in rows if (row.key, row.attempt) not in known]
        calls = {EntryKind.CALL.value, EntryKind.DUPLICATE.value}
        made = await self._calls({row.row_id for row in new if row.kind in calls})
        found = [_entry(row, made.get(row.row_id)) for row in new]
        return tuple(sorted(found, key=lambda e: (e.at, e.key, e.attempt)))

    async def _calls(self, ids: Collection[str]) -> dict[str, FeedCall]:
        mine = tool_invocation.c
        query = select(
            mine.id,
            mine.number,
            mine.round,
            mine.tool_name.label("tool"),
            mine.data_source.label("source"),
            mine.purpose,
            mine.input,
            mine.status,
            mine.truncated,
            mine.error,
            mine.duration_us,
            mine.output_bytes,
            json_length(mine.details, "facts").label("listed"),
            json_text(mine.details, "facts_total").label("total"),
        )
        found: dict[str, FeedCall] = {}
        for row in await self._rows(query, mine.id, ids):
            told = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
            name, listed, total = (told.pop(key) for key in ("id", "listed", "total"))
            found[name] = FeedCall(**told, facts=int(total or listed or 0))
        return found

    async def _rows(self, query: Any, column: Any, ids: Collection[str]) -> list[Any]:
        wanted, found = list(ids), list[Any]()
        if not wanted:
            return found
        async with self._database.read() as connection:
            for start in range(0, len(wanted), _BATCH):
                some = query.where(column.in_(wanted[start : start + _BATCH]))
                rows: Sequence[Any] = (await connection.execute(some)).all()
                found += rows
        return found


def _entry(row: Any, call: FeedCall | None) -> FeedEntry:
    at: datetime = row.recorded_at
    if call is not None and row.kind == EntryKind.CALL:
        at += timedelta(microseconds=call.duration_us)
    return FeedEntry(row.key, row.attempt, row.kind, row.row_id, at, call)
