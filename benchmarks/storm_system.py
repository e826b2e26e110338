"""A made system of about thirty services: who calls whom, where its pods run, in what namespaces.

Every system is connected: one gateway reaches all of it, and most services have several callers.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Pod", "System", "make_system"]

_FRONTS = ("web", "mobile", "partners")
_MIDDLE = (
    "orders", "cart", "checkout", "catalog", "search", "pricing", "payments", "shipping",
    "accounts", "reviews", "offers", "messages",
)  # fmt: skip
_DEEP = ("inventory", "ledger", "tax", "fraud", "routing", "mailer", "images", "stock")
_STORES = ("orders-db", "catalog-db", "ledger-db", "accounts-db", "sessions-cache", "events-queue")
_NAMESPACES = ("shop", "money", "delivery", "people")


@dataclass(frozen=True, slots=True)
class Pod:
    """One copy of a program."""

    name: str
    address: str
    node: str


@dataclass(frozen=True, slots=True)
class System:
    """What there is."""

    edges: tuple[tuple[str, str], ...]
    """Caller and callee."""
    namespaces: Mapping[str, str]
    """Of each service."""
    pods: Mapping[str, tuple[Pod, ...]]
    """Of each service."""
    stores: frozenset[str]
    """Databases, caches and queues."""
    gateway: str = "gateway"

    @property
    def services(self) -> tuple[str, ...]:
        """Names of the services in order."""
        return tuple(self.namespaces)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the machines in order."""
        return tuple(sorted({pod.node for pods in self.pods.values() for pod in pods}))

    def callers(self, service: str, hops: int = 3) -> dict[str, int]:
        """Who calls a service, itself or through others -> calls between."""
        return _reached(service, [(callee, caller) for caller, callee in self.edges], hops)

    def callees(self, service: str, hops: int = 3) -> dict[str, int]:
        """Whom a service calls, itself or through others -> calls between."""
        return _reached(service, self.edges, hops)


def _reached(
    start: str, steps: tuple[tuple[str, str], ...] | list[tuple[str, str]], hops: int
) -> dict[str, int]:
    found = {start: 0}
    front = [start]
    for hop in range(1, hops + 1):
        front = [b for a, b in steps if a in front and b not in found]
        found |= dict.fromkeys(front, hop)
    del found[start]
    return found


def make_system(rng: random.Random, *, breadth: int = 1) -> System:
    """Make a system.

    Args:
        rng: decides everything.
        breadth: calls from one service to the next layer at most.
    """
    layers = (("gateway",), _FRONTS, _MIDDLE, _DEEP, _STORES)
    edges: set[tuple[str, str]] = set()
    for above, below in pairwise(layers):
        for callee in below:  # everything is called by somebody
            edges.add((rng.choice(above), callee))
        for caller in above:
            for callee in rng.sample(below, min(len(below), rng.randint(1, breadth))):
                edges.add((caller, callee))
    for store in _STORES:  # services of the middle have data of their own
        edges.add((rng.choice(_MIDDLE), store))
    for _ in range(breadth):  # and call each other
        caller, callee = sorted(rng.sample(range(len(_MIDDLE)), 2))
        edges.add((_MIDDLE[caller], _MIDDLE[callee]))
    namespaces = dict.fromkeys((*layers[0], *layers[1]), "edge")
    namespaces |= {name: rng.choice(_NAMESPACES) for name in (*_MIDDLE, *_DEEP)}
    namespaces |= dict.fromkeys(_STORES, "data")
    return System(
        edges=tuple(sorted(edges)),
        namespaces=namespaces,
        pods={name: _pods(name, rng, stateful=name in _STORES) for name in namespaces},
        stores=frozenset(_STORES),
    )


def _pods(service: str, rng: random.Random, *, stateful: bool) -> tuple[Pod, ...]:
    replica_set = f"{rng.getrandbits(36):09x}"
    found: list[Pod] = []
    for k in range(rng.randint(2, 5)):
        suffix = str(k) if stateful else f"{replica_set}-{_suffix(rng)}"
        address = f"10.{rng.randint(0, 63)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"
        found.append(Pod(f"{service}-{suffix}", address, f"worker-{rng.randint(1, 20):02d}"))
    return tuple(found)


def _suffix(rng: random.Random) -> str:
    return "".join(rng.choices("bcdfghjklmnpqrstvwxz2456789", k=5))
