"""``session_queue``: which sessions wait for a worker, and which of them is next.

A row is a hint, never a lock: who works on a session is decided by its claim. A row that is lost
is put back by `QueueRepository.sweep`, which reads what the sessions themselves say.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.storage.claims import TAKEOVER_SECONDS, ClaimRepository
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import session_queue
from superbizagent.storage.sessions import SessionRepository
from superbizagent.storage.tables import diagnosis_session

__all__ = ["DEFAULT_PRIORITY", "QueueRepository"]

DEFAULT_PRIORITY = 5
"""Between what a person waits for (0) and what nobody does (9)."""


class QueueRepository:
    """Puts sessions in, says which are next, takes them out."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        sessions: SessionRepository,
        claims: ClaimRepository,
    ) -> None:
        self._database = database
        self._clock = clock
        self._sessions = sessions
        self._claims = claims

    async def put(
        self, session: DiagnosisSession, priority: int = DEFAULT_PRIORITY
    ) -> DiagnosisSession:
        """Store a new session and queue it, in one transaction; return it as stored.

        Raises:
            UsageError: when the id is taken.
            StorageError: when the database refuses.
        """
        with self._sessions.refused_twice(session.session_id):
            async with self._database.write() as connection:
                return await self.put_in(connection, session, priority)

    async def put_in(
        self, connection: AsyncConnection, session: DiagnosisSession, priority: int
    ) -> DiagnosisSession:
        """Do the same within a transaction of the caller."""
        stored = await self._sessions.insert(connection, session)
        await self._insert(connection, [session.session_id], priority)
        return stored

    async def next(self, limit: int, taken: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the sessions to work on next: by priority, then by age.

        Args:
            limit: at most so many.
            taken: sessions that this worker has in hand already.
        """
        query = (
            select(session_queue.c.session_id)
            .where(session_queue.c.session_id.not_in(list(taken)))
            .order_by(session_queue.c.priority, session_queue.c.enqueued_at)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return tuple((await connection.execute(query)).scalars())

    async def remove(self, session_id: str) -> None:
        """Take a session out: it has ended, or nobody shall work on it."""
        mine = session_queue.c.session_id == session_id
        async with self._database.write() as connection:
            await connection.execute(delete(session_queue).where(mine))

    async def put_back(self, session_id: str, priority: int = DEFAULT_PRIORITY) -> None:
        """Queue a session that exists; harmless when it is queued already."""
        async with self._database.write() as connection:
            mine = select(session_queue.c.session_id).where(
                session_queue.c.session_id == session_id
            )
            if (await connection.execute(mine)).first() is None:
                await self._insert(connection, [session_id], priority)

    async def sweep(self) -> int:
        """Queue the sessions that wait or were left and have no row; return how many."""
        orphans = await self._claims.orphans()
        async with self._database.read() as connection:
            if not await self._rowless(connection, orphans):
                return 0
        async with self._database.write() as connection:
            lost = await self._rowless(connection, orphans)
            await self._insert(connection, lost, DEFAULT_PRIORITY)
        return len(lost)

    async def _rowless(self, connection: AsyncConnection, orphans: Sequence[str]) -> list[str]:
        """Return the orphans, and the sessions that wait, that have no row.

        One that was created a moment ago has an owner who is about to claim it.
        """
        limit = self._clock.now() - timedelta(seconds=TAKEOVER_SECONDS)
        waits = (diagnosis_session.c.status == SessionStatus.QUEUED.value) & (
            diagnosis_session.c.updated_at < limit
        )
        query = (
            select(diagnosis_session.c.session_id)
            .outerjoin(session_queue, session_queue.c.session_id == diagnosis_session.c.session_id)
            .where(
                session_queue.c.session_id.is_(None),
                waits | diagnosis_session.c.session_id.in_(orphans),
            )
            .order_by(diagnosis_session.c.created_at)
        )
        return list((await connection.execute(query)).scalars())

    async def length(self) -> int:
        """Return how many sessions wait or are worked on."""
        async with self._database.read() as connection:
            query = select(func.count()).select_from(session_queue)
            return (await connection.execute(query)).scalar_one()

    async def _insert(
        self, connection: AsyncConnection, sessions: Sequence[str], priority: int
    ) -> None:
        now = self._clock.now()
        rows = [{"session_id": s, "priority": priority, "enqueued_at": now} for s in sessions]
        if rows:
            await connection.execute(insert(session_queue), rows)
