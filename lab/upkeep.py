"""What operators and jobs do to a healthy system: batch jobs, restarts and harmless deploys."""

import asyncio
import random

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from lab.stack import Stack

__all__ = ["Upkeep"]

_BATCH_EVERY = (120.0, 200.0)
_CHANGE_EVERY = (130.0, 220.0)
_RESTOCKED_AT_ONCE = 20
_PRODUCTS = 300
_PAUSE_SECONDS = 0.3


class Upkeep:
    """Works beside the customers for as long as its `run` task lives."""

    def __init__(self, stack: Stack, *, seed: int) -> None:
        """Prepare it.

        Args:
            stack: A running stack.
            seed: Of times and choices.
        """
        self._stack = stack
        self._random = random.Random(f"upkeep {seed}")

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._batches())
            group.create_task(self._changes())

    async def _batches(self) -> None:
        """Now and then restock every product, a few in a transaction, and sum the orders up."""
        engine = create_async_engine(self._stack.database.batch_url)
        try:
            while True:
                await asyncio.sleep(self._random.uniform(*_BATCH_EVERY))
                for first in range(1, _PRODUCTS, _RESTOCKED_AT_ONCE):
                    skus = {"low": f"SKU-{first:04}", "high": f"SKU-{first + 19:04}"}
                    async with engine.begin() as connection:
                        await connection.execute(_RESTOCK, skus)
                    await asyncio.sleep(_PAUSE_SECONDS)
                async with engine.connect() as connection:
                    await connection.execute(_SUM_UP)
        finally:
            await engine.dispose()

    async def _changes(self) -> None:
        """Restart a service, which no list of changes has, or roll its next version out."""
        while True:
            await asyncio.sleep(self._random.uniform(*_CHANGE_EVERY))
            service = self._random.choice(self._stack.names.services)
            if self._random.random() < 0.5:
                await self._stack.fleet.deploy(service, self._stack.fleet.release(service))
            else:
                await self._stack.deploy_next(service)


_RESTOCK = text("UPDATE products SET stock = GREATEST(stock, 100) WHERE sku BETWEEN :low AND :high")
_SUM_UP = text("SELECT sku, COUNT(*), SUM(total) FROM orders GROUP BY sku")
