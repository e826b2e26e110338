"""``service_state``: what the processes of the service tell each other, one document a name."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.protocols import Clock
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import service_state

__all__ = ["CANCEL", "INTAKE", "LEARNING", "SOURCES", "WORKER", "ServiceStateRepository"]

WORKER = "worker"
"""When the worker was last seen, and what it does."""

SOURCES = "sources"
"""How each source answered when it was last asked."""

INTAKE = "intake"
"""Who last wrote alerts, and how often: another one knows by it that what it holds is old."""
LEARNING = "learning"
"""When the normal state was last learnt, or begun to be, and what came of it."""

CANCEL = "cancel/"
"""Before a session id: a worker shall give this session up."""

_table = service_state


class ServiceStateRepository:
    """Sets, reads and deletes documents."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def set(self, name: str, value: Any) -> None:
        """Write a document in place of what stood there."""
        async with self._database.write() as connection:
            await self.set_in(connection, name, value)

    async def set_in(self, connection: AsyncConnection, name: str, value: Any) -> None:
        """Do the same within a transaction of the caller."""
        now = self._clock.now()
        mine = update(_table).where(_table.c.name == name).values(value=value, updated_at=now)
        if not (await connection.execute(mine)).rowcount:
            await connection.execute(
                insert(_table), {"name": name, "value": value, "updated_at": now}
            )

    async def take(self, name: str, value: Any, age: timedelta) -> bool:
        """Write a document if there is none, or one that is older than ``age``; tell whether.

        Of several that try at the same time one does.
        """
        now = self._clock.now()
        async with self._database.write() as connection:
            query = select(_table.c.updated_at).where(_table.c.name == name).with_for_update()
            known = (await connection.execute(query)).first()
            if known is not None and now - known.updated_at < age:
                return False
            await self.set_in(connection, name, value)
        return True

    async def get(self, name: str) -> tuple[Any, datetime] | None:
        """Return a document and when it was written; None when there is none."""
        async with self._database.read() as connection:
            return await self.get_in(connection, name)

    async def get_in(self, connection: AsyncConnection, name: str) -> tuple[Any, datetime] | None:
        """Do the same within a transaction of the caller."""
        query = select(_table.c.value, _table.c.updated_at).where(_table.c.name == name)
        row = (await connection.execute(query)).first()
        return (row.value, row.updated_at) if row else None

    async def named(self, prefix: str) -> dict[str, Any]:
        """Return the documents whose name starts so, by the rest of their name."""
        query = select(_table.c.name, _table.c.value).where(
            _table.c.name.startswith(prefix, autoescape=True)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return {row.name.removeprefix(prefix): row.value for row in rows}

    async def delete(self, name: str) -> None:
        """Delete a document, if there is one."""
        async with self._database.write() as connection:
            await connection.execute(delete(_table).where(_table.c.name == name))
