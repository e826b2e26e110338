"""A service lacks a key of its configuration: it ends three seconds after each start."""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["CrashLoop"]


class CrashLoop:
    """The fault `crash-loop`."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._service = setting.one_of(names.payments, names.orders)
        self._key = setting.one_of("payment.gateway.url", "tls.keystore", "cache.endpoint")
        self.truth = Truth(
            name="crash-loop",
            fault_kinds=("restart", "config"),
            entities=(Cause("service", self._service),),
            cause=f"{self._service} ends soon after each start: config key {self._key} is missing.",
            main_alerts=("ServiceRestarting", "TargetDown", "HighErrorRate"),
        )

    async def inject(self, stack: Stack) -> None:
        """Take the key away, and restart for ever."""
        await stack.fleet.crash_again_and_again(self._service, self._key)

    async def clear(self, stack: Stack) -> None:
        """Give it back."""
        await stack.fleet.repair(self._service)
