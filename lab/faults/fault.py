"""What a fault is to the lab."""

from dataclasses import dataclass
from typing import Protocol

from lab.stack import Stack

__all__ = ["Fault", "Truth"]


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What really happened, for scoring; never visible to the system under observation."""

    name: str
    """Name of the fault on the command line and of its recorded example."""
    fault_kind: str
    entity_kind: str
    entity: str
    cause: str
    """One sentence."""
    alerts: frozenset[str]
    """Alerts that this fault may raise."""
    main_alert: str
    """The alert that a recording of the fault carries."""


class Fault(Protocol):
    """A fault that can be switched on and off in a running stack."""

    @property
    def truth(self) -> Truth:
        """What really happens while the fault is on."""
        ...

    async def inject(self, stack: Stack) -> None:
        """Switch the fault on."""
        ...

    async def clear(self, stack: Stack) -> None:
        """Switch the fault off."""
        ...
