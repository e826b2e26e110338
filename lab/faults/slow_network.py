"""Answers are late between two services, or between a service and its database.

The called side is as fast as ever; only who calls sees the delay.
"""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["SlowDatabaseNetwork", "SlowDependency"]


class SlowDependency:
    """The fault `slow-dependency`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        pairs = {names.web: names.orders, names.orders: names.payments}
        self._caller = setting.one_of(*pairs)
        self._callee = pairs[self._caller]
        self._seconds = setting.between(0.8, 1.4, 0.9)
        self.truth = Truth(
            name="slow-dependency",
            fault_kinds=("network_delay", "dependency"),
            entities=(Cause("service", self._callee), Cause("service", self._caller)),
            cause=f"Answers of {self._callee} reach {self._caller} {self._seconds:.1f} s late.",
            main_alerts=("DependencySlow", "HighLatencyP95"),
        )

    async def inject(self, stack: Stack) -> None:
        """Delay the answers."""
        stack.fleet.edge(self._caller, self._callee).answer_delay_seconds = self._seconds

    async def clear(self, stack: Stack) -> None:
        """Let them through."""
        stack.fleet.edge(self._caller, self._callee).answer_delay_seconds = 0.0


class SlowDatabaseNetwork:
    """The fault `slow-database-network`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._ends = (names.orders, names.database)
        self._seconds = setting.between(0.12, 0.25, 0.15)
        self.truth = Truth(
            name="slow-database-network",
            fault_kinds=("network_delay",),
            entities=(Cause("database", names.database), Cause("service", names.orders)),
            cause=f"Each answer of {names.database} is {self._seconds * 1000:.0f} ms late.",
            main_alerts=(
                "HighLatencyP95", "DependencySlow", names.pool_alert, "HighErrorRate",
            ),
        )  # fmt: skip

    async def inject(self, stack: Stack) -> None:
        """Delay the answers."""
        stack.fleet.edge(*self._ends).answer_delay_seconds = self._seconds

    async def clear(self, stack: Stack) -> None:
        """Let them through."""
        stack.fleet.edge(*self._ends).answer_delay_seconds = 0.0
