"""Who is how many calls away from whom, up to two: further away a symptom proves little."""

from collections.abc import Iterable, Mapping

__all__ = ["MOST_HOPS", "Reach"]

MOST_HOPS = 2

_NOBODY: Mapping[str, int] = {}


class Reach:
    """Callers and callees of each service within `MOST_HOPS` calls, with the calls between."""

    def __init__(self, edges: Iterable[tuple[str, str]]) -> None:
        """Read the call graph.

        Args:
            edges: caller and callee, by name; may be empty, may hold circles.
        """
        down: dict[str, list[str]] = {}
        up: dict[str, list[str]] = {}
        for caller, callee in dict.fromkeys(edges):
            if caller != callee:
                down.setdefault(caller, []).append(callee)
                up.setdefault(callee, []).append(caller)
        self._down = {name: _within(name, down) for name in down}
        self._up = {name: _within(name, up) for name in up}

    def callees(self, service: str) -> Mapping[str, int]:
        """Whom a service calls, itself or through another -> calls between."""
        return self._down.get(service, _NOBODY)

    def callers(self, service: str) -> Mapping[str, int]:
        """Who calls a service, itself or through another -> calls between."""
        return self._up.get(service, _NOBODY)


def _within(start: str, steps: Mapping[str, list[str]]) -> dict[str, int]:
    found = {start: 0}
    front = [start]
    for hops in range(1, MOST_HOPS + 1):
        front = [n for name in front for n in steps.get(name, ()) if n not in found]
        found |= dict.fromkeys(front, hops)
    del found[start]
    return found
