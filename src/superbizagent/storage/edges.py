"""``service_edge``: who calls whom, as the sources of finished diagnoses told."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, insert, select, update

from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import service_edge

__all__ = ["EdgeRepository"]

_table = service_edge
_KEPT = timedelta(days=30)
"""A call that nobody told of for so long is made no more."""
_LENGTH = 255
"""Longer names are no services."""


class EdgeRepository:
    """Keeps the calls between services."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(
        self, edges: Iterable[tuple[str, str]], data_source: str, seen_at: datetime
    ) -> None:
        """Store calls that were seen now; let go of those that nobody told of for 30 days."""
        given = {e for e in edges if all(0 < len(name) <= _LENGTH for name in e)}
        async with self._database.write() as connection:
            await connection.execute(delete(_table).where(_table.c.seen_at < seen_at - _KEPT))
            rows = await connection.execute(select(_table.c.caller, _table.c.callee))
            known = {(row.caller, row.callee) for row in rows}
            told = {"data_source": data_source, "seen_at": seen_at}
            if new := [{"caller": a, "callee": b, **told} for a, b in sorted(given - known)]:
                await connection.execute(insert(_table), new)
            if again := [{"a": a, "b": b} for a, b in sorted(given & known)]:
                mine = (_table.c.caller == bindparam("a")) & (_table.c.callee == bindparam("b"))
                await connection.execute(update(_table).where(mine).values(told), again)

    async def all(self) -> frozenset[tuple[str, str]]:
        """Return caller and callee of each call."""
        async with self._database.read() as connection:
            rows = await connection.execute(select(_table.c.caller, _table.c.callee))
            return frozenset((row.caller, row.callee) for row in rows)
