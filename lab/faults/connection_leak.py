"""The order service does not give every database connection back: its pool runs empty in steps."""

from lab.faults.fault import Cause, Setting, Truth
from lab.stack import Stack

__all__ = ["ConnectionLeak"]


class ConnectionLeak:
    """The fault `connection-leak`."""

    def __init__(self, setting: Setting) -> None:
        self._service = setting.names.orders
        self._share = setting.between(0.02, 0.06, 0.04)
        self.truth = Truth(
            name="connection-leak",
            fault_kinds=("connection_leak",),
            entities=(Cause("service", self._service),),
            cause=f"{self._share:.1%} of the borrowed database connections are never returned.",
            main_alerts=(setting.names.pool_alert,),
        )

    async def inject(self, stack: Stack) -> None:
        """Begin to leak."""
        await stack.fleet.switch(self._service, unreturned_share=self._share)

    async def clear(self, stack: Stack) -> None:
        """Stop, and give back what was kept."""
        await stack.fleet.switch(self._service, unreturned_share=0.0)
