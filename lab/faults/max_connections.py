"""A job beside the services takes every session that the database server has left."""

import asyncio
import contextlib

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["MaxConnections"]

_WAIT_SECONDS = 0.2


class MaxConnections:
    """The fault `max-connections`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._engine: AsyncEngine | None = None
        self._held: list[AsyncConnection] = []
        self._task: asyncio.Task[None] | None = None
        self.truth = Truth(
            name="max-connections",
            fault_kinds=("connection_limit",),
            entities=(Cause("database", names.database),),
            cause=f"{names.batch_user} holds every session that {names.database} has left.",
            main_alerts=("MySQLTooManyConnections", "MySQLDown"),
        )

    async def inject(self, stack: Stack) -> None:
        """Take what is free, and what comes free later."""
        self._engine = create_async_engine(stack.database.batch_url, poolclass=NullPool)
        self._task = asyncio.create_task(self._take(self._engine))

    async def clear(self, stack: Stack) -> None:
        """Give everything back."""
        del stack
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for connection in self._held:
            await connection.close()
        self._held.clear()
        if self._engine is not None:
            await self._engine.dispose()

    async def _take(self, engine: AsyncEngine) -> None:
        while True:
            with contextlib.suppress(DBAPIError):  # the server is full
                self._held.append(await engine.connect())
                continue
            await asyncio.sleep(_WAIT_SECONDS)
