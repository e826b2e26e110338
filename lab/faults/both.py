"""Two faults at once, which have nothing to do with each other."""

from dataclasses import replace

from lab.faults.fault import Fault
from lab.stack import Stack

__all__ = ["Both"]


class Both:
    """One fault, and another in its shadow; the alert may be either's."""

    def __init__(self, first: Fault, second: Fault) -> None:
        self._faults = (first, second)
        self.truth = replace(
            first.truth,
            also=(second.truth,),
            main_alerts=(*first.truth.main_alerts, *second.truth.main_alerts),
        )

    async def inject(self, stack: Stack) -> None:
        """Switch both on."""
        for fault in self._faults:
            await fault.inject(stack)

    async def clear(self, stack: Stack) -> None:
        """Switch both off."""
        for fault in self._faults:
            await fault.clear(stack)
