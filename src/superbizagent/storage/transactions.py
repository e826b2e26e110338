"""Transactions that a cancelled task leaves in order.

A deadline cancels tasks wherever they wait. Cancelled while it opens, commits or closes, a
connection would be lost to its pool: its thread outlives the event loop and prints a traceback at
the end of the program. So those steps are finished first, and then the task is cancelled. They are
short; a statement that runs is given up at once and rolled back.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

__all__ = ["to_the_end", "transaction"]

T = TypeVar("T")


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """One transaction: committed at the end of the block, rolled back on any error."""
    connection = engine.connect()
    try:
        await to_the_end(_start(connection))
        yield connection
        await to_the_end(connection.commit())
    finally:
        await to_the_end(_close(connection))


async def _start(connection: AsyncConnection) -> None:
    await connection.start()
    await connection.begin()


async def _close(connection: AsyncConnection) -> None:
    """Roll back what was not committed and give the connection back, if it was ever opened."""
    if connection.sync_connection is not None:
        await connection.close()


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish ``work`` even when the task that waits for it is cancelled meanwhile.

    Raises:
        CancelledError: afterwards, when it was.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # looked at, so that nobody complains of an error that was never read
    raise cancelled
