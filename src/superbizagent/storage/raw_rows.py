"""Rows as they are, also those that hold a value which their column's type cannot read."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Integer, Table, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.errors import IntegrityError

__all__ = ["UNREADABLE", "damaged", "read_rows", "readable_rows"]

UNREADABLE = "\ufffdunreadable"
"""Stands for a value that could not be read: equal to nothing that was ever written."""


def damaged(table: Table, session_id: str, column: str) -> IntegrityError:
    """The error for a stored value that is none that was ever written."""
    return IntegrityError(
        f"session {session_id!r}: {table.name}.{column} holds a value that cannot be read;"
        f" superbiz trace verify {session_id} names every value that was changed"
    )


async def readable_rows(
    connection: AsyncConnection, table: Table, session_id: str
) -> list[dict[str, Any]]:
    """Return a session's rows of one table, in no particular order.

    Raises:
        IntegrityError: when one of them holds a value that its column's type cannot read.
    """
    rows = await read_rows(connection, table, session_id)
    numbers = {c.name for c in table.columns if isinstance(c.type, Integer)}
    for row in rows:
        for name, value in row.items():
            # SQLite keeps text in a column of integers, where it would stop a sort later on
            if value == UNREADABLE or (name in numbers and not isinstance(value, int | None)):
                raise damaged(table, session_id, name)
    return rows


async def read_rows(
    connection: AsyncConnection, table: Table, *session_ids: str
) -> list[dict[str, Any]]:
    """Return the rows of some sessions in one table, in no particular order."""
    mine = table.c.session_id.in_(session_ids)
    try:
        found = await connection.execute(select(table).where(mine))
        return [dict(row) for row in found.mappings()]
    except (ValueError, TypeError, LookupError):
        # A value that is no date or no JSON stops the whole query, so look at each on its own.
        keys = list(table.primary_key.columns)
        found = await connection.execute(select(*keys).where(mine))
        return [await _read_row(connection, table, keys, row) for row in found.all()]


async def _read_row(
    connection: AsyncConnection, table: Table, keys: Sequence[Column[Any]], values: Sequence[Any]
) -> dict[str, Any]:
    this = and_(*(key == value for key, value in zip(keys, values, strict=True)))
    row: dict[str, Any] = {}
    for column in table.columns:
        try:
            row[column.name] = (await connection.execute(select(column).where(this))).scalar()
        except (ValueError, TypeError, LookupError):
            row[column.name] = UNREADABLE
    return row
