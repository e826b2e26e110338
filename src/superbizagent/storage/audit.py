"""``audit_entry``: who read and started what."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.audit import COMMAND_LINE, AuditAction, AuditEntry
from superbizagent.domain.protocols import Clock
from superbizagent.storage.database import Database
from superbizagent.storage.ids import new_id
from superbizagent.storage.service_tables import audit_entry

__all__ = ["AuditRepository", "note_command"]


async def note_command(
    connection: AsyncConnection, at: datetime, action: AuditAction, target: str
) -> None:
    """Write what the command line did, within the transaction that does it."""
    entry = AuditEntry(audit_id=new_id(at), at=at, actor=COMMAND_LINE, action=action, target=target)
    await connection.execute(insert(audit_entry), entry.model_dump())


class AuditRepository:
    """Writes entries and lists them; nothing changes or deletes one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self.clock = clock

    async def write(self, entries: Sequence[AuditEntry]) -> None:
        """Store entries, in one transaction."""
        if entries:
            async with self._database.write() as connection:
                await connection.execute(
                    insert(audit_entry), [entry.model_dump() for entry in entries]
                )

    async def list(
        self,
        *,
        since: datetime | None = None,
        actor: str | None = None,
        action: AuditAction | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> tuple[AuditEntry, ...]:
        """Return entries, newest first.

        Args:
            since: none that is older.
            actor: of this one alone.
            action: of this kind alone.
            before: id of the entry behind which to go on.
            limit: at most so many.
        """
        query = select(audit_entry).order_by(audit_entry.c.audit_id.desc()).limit(limit)
        if since is not None:
            query = query.where(audit_entry.c.at >= since)
        if actor is not None:
            query = query.where(audit_entry.c.actor == actor)
        if action is not None:
            query = query.where(audit_entry.c.action == action.value)
        if before is not None:
            query = query.where(audit_entry.c.audit_id < before)
        async with self._database.read() as connection:
            rows: Sequence[Any] = (await connection.execute(query)).mappings().all()
        return tuple(AuditEntry.model_validate(dict(row)) for row in rows)
