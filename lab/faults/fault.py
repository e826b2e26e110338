"""What a fault is to the lab."""

import random
from dataclasses import dataclass
from typing import Protocol

from lab.names import USUAL, Names
from lab.stack import Stack

__all__ = ["Cause", "Fault", "Setting", "Truth"]


@dataclass(frozen=True)
class Cause:
    """Something a right diagnosis may name."""

    kind: str
    """Of entity: ``service``, ``database`` or ``host``."""
    name: str


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What really happened, for scoring; never visible to the system under observation."""

    name: str
    """Name of the fault on the command line and of its recorded example."""
    fault_kinds: tuple[str, ...]
    """Kinds of fault that are right, the best first."""
    entities: tuple[Cause, ...]
    """Entities that are right, the best first: a delay between two has two ends."""
    cause: str
    """One sentence."""
    main_alerts: tuple[str, ...]
    """A recording of the fault carries the first of these that fires."""
    also: "tuple[Truth, ...]" = ()
    """Of further faults that are on at the same time."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where a fault happens, and how strong it is."""

    names: Names = USUAL
    seed: int | None = None
    """None: the usual strength."""

    def between(self, low: float, high: float, usual: float) -> float:
        """Return the usual value, or one that the seed draws evenly from a range."""
        if self.seed is None:
            return usual
        return round(random.Random(f"{low} {high} {self.seed}").uniform(low, high), 4)

    def one_of(self, *options: str) -> str:
        """Return the first option, or the one that the seed draws."""
        if self.seed is None:
            return options[0]
        return random.Random(f"{options} {self.seed}").choice(options)


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
