"""Rows as they are, also those that hold a value which their column's type cannot read."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Table, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["UNREADABLE", "read_rows"]

UNREADABLE = "\ufffdunreadable"
"""Stands for a value that could not be read: equal to nothing that was ever written."""


async def read_rows(
    connection: AsyncConnection, table: Table, session_id: str
) -> list[dict[str, Any]]:
    """Return a session's rows of one table, in no particular order."""
    mine = table.c.session_id == session_id
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
