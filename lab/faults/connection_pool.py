"""Slow transactions hold every connection of the order service's pool.

The transaction of an order idles before its first write. No row is locked in that time, so the
database stays calm: what runs out is the pool.
"""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["ConnectionPool"]


class ConnectionPool:
    """The fault `mysql-connection-pool`."""

    def __init__(self, setting: Setting) -> None:
        self._service = setting.names.orders
        self._seconds = setting.between(2.5, 4.5, 3.0)
        self.truth = Truth(
            name="mysql-connection-pool",
            fault_kinds=("pool_exhaustion",),
            entities=(Cause("service", self._service),),
            cause=f"Each order's transaction holds its connection for {self._seconds:.1f} s, idle.",
            main_alerts=(setting.names.pool_alert,),
        )

    async def inject(self, stack: Stack) -> None:
        """Make the transactions idle."""
        await stack.fleet.switch(self._service, transaction_pause_seconds=self._seconds)

    async def clear(self, stack: Stack) -> None:
        """Make them fast again."""
        await stack.fleet.switch(self._service, transaction_pause_seconds=0.0)
