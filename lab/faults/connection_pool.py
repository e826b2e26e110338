"""Slow transactions hold every connection of the order service's pool.

The payment step of an order, which runs inside the transaction and before its first write, takes
seconds instead of milliseconds. No row is locked in that time, so the database stays calm: what
runs out is the pool.
"""

from lab.faults.fault import Truth
from lab.stack import Stack

__all__ = ["ConnectionPool"]

_PAYMENT_DELAY_SECONDS = 3.0


class ConnectionPool:
    """The fault `mysql-connection-pool`."""

    truth = Truth(
        name="mysql-connection-pool",
        fault_kind="pool_exhaustion",
        entity_kind="service",
        entity="order-service",
        cause="The payment step holds each order's database connection for 3 s.",
        alerts=frozenset(
            {"OrderServiceConnectionPoolExhausted", "HighErrorRate", "HighLatencyP95"}
        ),
        main_alert="OrderServiceConnectionPoolExhausted",
    )

    async def inject(self, stack: Stack) -> None:
        """Make the payment step slow."""
        await stack.switch(payment_delay_seconds=_PAYMENT_DELAY_SECONDS)

    async def clear(self, stack: Stack) -> None:
        """Make the payment step fast again."""
        await stack.switch(payment_delay_seconds=0.0)
