"""The index that finds a customer's orders is gone: each look-up reads the whole table."""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["MissingIndex"]


class MissingIndex:
    """The fault `missing-index`."""

    def __init__(self, setting: Setting) -> None:
        self.truth = Truth(
            name="missing-index",
            fault_kinds=("slow_query",),
            entities=(Cause("database", setting.names.database),),
            cause="The index of orders on customer_id was dropped: look-ups scan 300,000 rows.",
            main_alerts=("MySQLSlowQueries", "HighLatencyP95"),
        )

    async def inject(self, stack: Stack) -> None:
        """Drop the index."""
        await stack.database.run("ALTER TABLE orders DROP INDEX orders_customer")

    async def clear(self, stack: Stack) -> None:
        """Make it again."""
        await stack.database.run("ALTER TABLE orders ADD INDEX orders_customer (customer_id)")
