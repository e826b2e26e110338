"""A service burns processor time: in a thread beside its requests, or in every request."""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["BusyRequests", "CpuHog"]


class CpuHog:
    """The fault `cpu-hog`: a thread that never rests, with some priority."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._service = setting.one_of(names.orders, names.payments, names.web)
        self.truth = Truth(
            name="cpu-hog",
            fault_kinds=("cpu",),
            entities=(Cause("service", self._service),),
            cause=f"A thread of {self._service} burns processor time without end.",
            main_alerts=("ProcessCpuHigh",),
        )

    async def inject(self, stack: Stack) -> None:
        """Start the thread."""
        await stack.fleet.switch(self._service, spinning_threads=1)

    async def clear(self, stack: Stack) -> None:
        """End it."""
        await stack.fleet.switch(self._service, spinning_threads=0)


class BusyRequests:
    """The fault `cpu-per-request`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._service = setting.one_of(names.orders, names.payments)
        # Half of the requests reach the payments: it takes twice as much to load a core.
        low, high = (0.04, 0.07) if self._service == names.orders else (0.08, 0.14)
        self._seconds = setting.between(low, high, 0.06)
        self.truth = Truth(
            name="cpu-per-request",
            fault_kinds=("cpu",),
            entities=(Cause("service", self._service),),
            cause=f"Each request of {self._service} takes {self._seconds:.3f} s more of CPU.",
            main_alerts=("ProcessCpuHigh", "HighLatencyP95", "TargetDown"),
        )

    async def inject(self, stack: Stack) -> None:
        """Make requests expensive."""
        await stack.fleet.switch(self._service, busy_seconds=self._seconds)

    async def clear(self, stack: Stack) -> None:
        """Make them cheap again."""
        await stack.fleet.switch(self._service, busy_seconds=0.0)
