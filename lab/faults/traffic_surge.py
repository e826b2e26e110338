"""Many times as many customers come as the services can bear."""

from lab.faults.fault import Cause, Setting, Truth
from lab.processes import ProcessError
from lab.stack import Stack

__all__ = ["TrafficSurge"]


class TrafficSurge:
    """The fault `traffic-surge`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._factor = setting.between(7, 11, 9)
        self.truth = Truth(
            name="traffic-surge",
            fault_kinds=("traffic",),
            entities=(Cause("service", names.web), Cause("service", names.orders)),
            cause=f"{self._factor:.0f} times as many requests as before arrive.",
            main_alerts=(
                "HighLatencyP95", "HighErrorRate", "DependencySlow", names.pool_alert,
                "ProcessCpuHigh", "TargetDown",
            ),
        )  # fmt: skip

    async def inject(self, stack: Stack) -> None:
        """Send more."""
        _surge(stack, self._factor)

    async def clear(self, stack: Stack) -> None:
        """Send as before."""
        _surge(stack, 1.0)


def _surge(stack: Stack, factor: float) -> None:
    if stack.load is None:
        raise ProcessError("there is no load that could surge")
    stack.load.surge(factor)
