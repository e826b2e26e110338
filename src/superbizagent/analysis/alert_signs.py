"""Signs: what the alerts of one list say of each entity, every complaint once.

Alerts about calls are put together by call. Where the callee saw it too, it is the callee's; where
only the caller did, it lies between the two, and both ends have the sign.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from superbizagent.analysis.alert_readings import AlertReading, Side

__all__ = ["Call", "Sign", "Signs", "servers_of", "signs_of"]

Call = tuple[str, str, str]
"""Path of the caller, path of the callee, operation; both are one for what stays inside."""


@dataclass(frozen=True, slots=True, order=True)
class Sign:
    """One complaint about one entity; equal in every list that holds it."""

    entity: str
    kind: str
    call: Call = ("", "", "")
    """Of alerts about calls and operations; empty otherwise."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What one list says."""

    sources: Mapping[Sign, tuple[int, ...]]
    """Positions of the alerts behind each sign, signs in order."""
    family: Mapping[Sign, str]
    weight: Mapping[Sign, float]
    calls: frozenset[Call] = frozenset()
    """Calls between two entities that the list names."""


@dataclass(slots=True)
class _Making:
    sources: dict[Sign, list[int]] = field(default_factory=lambda: defaultdict(list))
    family: dict[Sign, str] = field(default_factory=dict[Sign, str])
    weight: dict[Sign, float] = field(default_factory=dict[Sign, float])
    calls: set[Call] = field(default_factory=set[Call])

    def add(self, sign: Sign, reading: AlertReading, family: str) -> None:
        self.sources[sign].append(reading.source)
        self.family[sign] = family
        self.weight[sign] = max(self.weight.get(sign, 0.0), reading.weight)
        if sign.call[0] != sign.call[1]:
            self.calls.add(sign.call)


def servers_of(lists: Iterable[Sequence[AlertReading]]) -> dict[str, str]:
    """Return who serves each operation, of those that one entity alone was seen to serve."""
    found: dict[str, set[str]] = {}
    for readings in lists:
        for reading in readings:
            if reading.side in {Side.SERVER, Side.CLIENT} and reading.operation:
                found.setdefault(reading.operation, set()).add(reading.entity)
    return {op: next(iter(who)) for op, who in sorted(found.items()) if len(who) == 1}


def signs_of(readings: Sequence[AlertReading], servers: Mapping[str, str]) -> Signs:
    """Return the signs of one list.

    Args:
        readings: its alerts.
        servers: operation -> who serves it, of `servers_of`.
    """
    made = _Making()
    served: set[tuple[str, str, str]] = set()
    for reading in readings:
        if reading.side is Side.SERVER:
            call = (reading.caller, reading.entity, reading.operation)
            served.add((reading.caller, reading.operation, _sort(reading)))
            made.add(Sign(reading.entity, f"served {_sort(reading)}", call), reading, "calls")
    for reading in readings:
        _add_other(made, reading, served, servers)
    ordered = sorted(made.sources)
    return Signs(
        sources={sign: tuple(sorted(made.sources[sign])) for sign in ordered},
        family={sign: made.family[sign] for sign in ordered},
        weight={sign: made.weight[sign] for sign in ordered},
        calls=frozenset(made.calls),
    )


def _add_other(
    made: _Making,
    reading: AlertReading,
    served: set[tuple[str, str, str]],
    servers: Mapping[str, str],
) -> None:
    sort = _sort(reading)
    if reading.side is Side.OPERATION:
        callee = servers.get(reading.operation, reading.entity)
        caller = reading.entity
        if callee == caller:
            inside = (caller, caller, reading.operation)
            made.add(Sign(caller, f"operation {sort}", inside), reading, "operations")
            return
    elif reading.side is Side.CLIENT:
        caller, callee = reading.caller, reading.entity
    elif reading.side is Side.SERVER:
        return
    else:
        made.add(Sign(reading.entity, reading.kind), reading, reading.family)
        return
    if (caller, reading.operation, sort) not in served:
        call = (caller, callee, reading.operation)
        for end in (caller, callee):
            made.add(Sign(end, f"between {sort}", call), reading, "calls")


def _sort(reading: AlertReading) -> str:
    """Slow or failed: what else a rule about calls says is another name of one of them."""
    return "failed" if reading.family == "err" else "slow"
