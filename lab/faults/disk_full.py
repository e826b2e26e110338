"""The order service no longer deletes old receipts: its disk fills up and orders fail."""

from lab.faults.fault import Cause, Setting, Truth
from lab.processes import ProcessError
from lab.stack import Stack

__all__ = ["DiskFull"]


class DiskFull:
    """The fault `disk-full`; takes a stack with a disk of its own."""

    def __init__(self, setting: Setting) -> None:
        names = setting.names
        self._service = names.orders
        self._bytes = setting.between(0.3e6, 0.8e6, 0.5e6)
        self.truth = Truth(
            name="disk-full",
            fault_kinds=("disk",),
            entities=(Cause("service", names.orders), Cause("host", names.node)),
            cause=f"{names.orders} fills its disk with receipts of {self._bytes / 1e6:.1f} MB.",
            main_alerts=("DiskAlmostFull", "HighErrorRate"),
        )

    async def inject(self, stack: Stack) -> None:
        """Write large receipts and keep them all.

        Raises:
            ProcessError: when the receipts have no disk of their own.
        """
        if not stack.has_disk:
            raise ProcessError("disk-full needs a disk of its own: run `lab record` as root")
        await stack.fleet.switch(self._service, receipt_bytes=self._bytes)

    async def clear(self, stack: Stack) -> None:
        """Write small ones again and delete the old ones."""
        await stack.fleet.switch(self._service, receipt_bytes=0)
