"""A job beside the services locks the rows of the most wanted products and does not commit."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["RowLock"]

_LOCK = text("SELECT sku FROM products WHERE sku <= :last FOR UPDATE")


class RowLock:
    """The fault `row-lock`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._rows = round(setting.between(12, 40, 20))
        self._engine: AsyncEngine | None = None
        self._held: AsyncConnection | None = None
        self.truth = Truth(
            name="row-lock",
            fault_kinds=("lock_wait",),
            entities=(Cause("database", names.database),),
            cause=f"A transaction of {names.batch_user} locks {self._rows} hot rows of products.",
            main_alerts=("MySQLRowLockWaits", "HighErrorRate", "HighLatencyP95"),
        )

    async def inject(self, stack: Stack) -> None:
        """Take the locks."""
        self._engine = create_async_engine(stack.database.batch_url, poolclass=NullPool)
        self._held = await self._engine.connect()
        await self._held.execute(_LOCK, {"last": f"SKU-{self._rows:04}"})

    async def clear(self, stack: Stack) -> None:
        """Roll back."""
        del stack
        if self._held is not None:
            await self._held.close()
        if self._engine is not None:
            await self._engine.dispose()
