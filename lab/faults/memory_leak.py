"""A service keeps a piece of memory of each request."""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["MemoryLeak"]


class MemoryLeak:
    """The fault `memory-leak`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._service = setting.one_of(names.orders, names.web, names.payments)
        self._bytes = setting.between(0.4e6, 0.9e6, 0.6e6)
        self.truth = Truth(
            name="memory-leak",
            fault_kinds=("memory",),
            entities=(Cause("service", self._service),),
            cause=f"{self._service} keeps {self._bytes / 1e6:.2f} MB of each request for good.",
            main_alerts=("ProcessMemoryGrowing",),
        )

    async def inject(self, stack: Stack) -> None:
        """Begin to keep."""
        await stack.fleet.switch(self._service, kept_bytes=self._bytes)

    async def clear(self, stack: Stack) -> None:
        """Let go of all."""
        await stack.fleet.switch(self._service, kept_bytes=0)
