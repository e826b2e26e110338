"""``change_event``: deployments and configuration changes that somebody reported."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert, select

from superbizagent.domain.incident_record import ReportedChange
from superbizagent.domain.protocols import Clock
from superbizagent.domain.window import Window
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import change_event

__all__ = ["ChangeRepository"]

_table = change_event


class ChangeRepository:
    """Stores and finds reported changes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, changes: Sequence[ReportedChange]) -> int:
        """Store changes; one whose id is known stays as it is. Return how many are new."""
        names = [one.change_id for one in changes]
        async with self._database.write() as connection:
            query = select(_table.c.change_id).where(_table.c.change_id.in_(names))
            known = set((await connection.execute(query)).scalars())
            new = {c.change_id: c.model_dump() for c in changes if c.change_id not in known}
            if new:
                await connection.execute(insert(_table), list(new.values()))
        return len(new)

    async def any(self, until: datetime) -> bool:
        """Tell whether anybody had reported a change by then; else none says nothing."""
        query = select(_table.c.change_id).where(_table.c.received_at <= until).limit(1)
        async with self._database.read() as connection:
            return (await connection.execute(query)).first() is not None

    async def within(
        self, span: Window, *, known_at: datetime, most: int
    ) -> tuple[ReportedChange, ...]:
        """Return the newest changes of a span that were reported by ``known_at``, oldest first.

        Args:
            span: when they were made.
            known_at: later reports are left out: a session that is resumed sees the same.
            most: at most so many.
        """
        query = (
            select(_table)
            .where(_table.c.at >= span.start, _table.c.at <= span.end)
            .where(_table.c.received_at <= known_at)
            .order_by(_table.c.at.desc(), _table.c.change_id.desc())
            .limit(most)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(ReportedChange.model_validate(dict(row)) for row in reversed(rows))
