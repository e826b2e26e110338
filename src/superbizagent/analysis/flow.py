"""Latency, errors and requests of every entity in absolute terms, and what callees explain of them.

Only latency and errors travel from a callee to its caller, and only in absolute change: half a
second more below is half a second more above. Resource use is never explained this way, because
the noise of a callee would eat its true caller.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import Deviations, Status
from superbizagent.domain.outputs import Topology
from superbizagent.domain.series import Labels

__all__ = ["Flow", "callees_of", "flows", "passed_on", "requests_of"]

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
_AVERAGES = ("average", "avg", "mean")
_WEAK = 0.3  # less than this share explained may be coincidence: it counts half


@dataclass(frozen=True, slots=True)
class Flow:
    """The series that stands for one entity's latency or errors."""

    call: int
    """Position of the call."""
    row: int
    factor: float
    """To seconds, and so that up is bad."""

    def change(self, deviations: Deviations) -> float:
        """Return the absolute change from baseline to incident, 0 when unknown."""
        moved = deviations.incident_mean[self.row] - deviations.center[self.row]
        return float(np.nan_to_num(moved)) * self.factor


def flows(calls: Sequence[MetricCall], entity_of: EntityOf, family: str) -> dict[str, Flow]:
    """Return one series of ``family`` (``lat`` or ``err``) for every entity that has one.

    Averages come first, because they add up along calls and percentiles do not; then the series
    with the largest absolute change.
    """
    best: dict[str, tuple[bool, float, Flow]] = {}
    for number, call in enumerate(calls):
        for row, meaning in enumerate(call.deviations.meanings):
            if (
                meaning.family != family
                or meaning.ignored
                or call.deviations.status[row] != Status.MEASURED
            ):
                continue
            entity = entity_of(call.series.labels[row])
            if entity is None:
                continue
            flow = Flow(number, row, meaning.sign * _SECONDS.get(meaning.unit, 1.0))
            rank = (
                _is_average(call.series.labels[row], int(call.deviations.mode[row])),
                abs(flow.change(call.deviations)),
            )
            if entity not in best or rank > best[entity][:2]:
                best[entity] = (*rank, flow)
    return {entity: item[2] for entity, item in sorted(best.items())}


def _is_average(labels: Labels, mode: int) -> bool:
    return mode == 2 or any(w in labels.get("__name__", "").lower() for w in _AVERAGES)


def requests_of(calls: Sequence[MetricCall], entity_of: EntityOf) -> dict[str, float]:
    """Return the requests of every entity in the incident: its busiest traffic series."""
    found: dict[str, float] = {}
    for call in calls:
        for row, meaning in enumerate(call.deviations.meanings):
            if meaning.family != "qps" or meaning.ignored:
                continue
            entity = entity_of(call.series.labels[row])
            mean = float(np.nan_to_num(call.deviations.incident_mean[row]))
            if entity is not None:
                found[entity] = max(found.get(entity, 0.0), mean)
    return found


def callees_of(topology: Topology, entity_of: EntityOf) -> dict[str, tuple[str, ...]]:
    """Return callees by caller, as entity paths."""
    edges: dict[str, set[str]] = {}
    for edge in topology.edges:
        caller, callee = entity_of({"service": edge.caller}), entity_of({"service": edge.callee})
        if caller and callee and caller != callee:
            edges.setdefault(caller, set()).add(callee)
    return {caller: tuple(sorted(callees)) for caller, callees in sorted(edges.items())}


def passed_on(
    changes: Mapping[str, float],
    callees: Mapping[str, Sequence[str]],
    requests: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return which share (0 to 1) of each entity's change its callees explain.

    ``requests`` lets a slow call that is made several times a request count up to three times.
    """
    shares: dict[str, float] = {}
    for entity, change in changes.items():
        if change <= 0:
            continue
        explained = 0.0
        for callee in callees.get(entity, ()):
            below = max(0.0, changes.get(callee, 0.0)) * _fanout(entity, callee, requests)
            explained = max(explained, min(1.0, below / change))
        shares[entity] = explained if explained >= _WEAK else 0.5 * explained
    return shares


def _fanout(caller: str, callee: str, requests: Mapping[str, float] | None) -> float:
    if requests is None or requests.get(caller, 0.0) <= 0 or callee not in requests:
        return 1.0
    return min(3.0, max(1.0, requests[callee] / requests[caller]))
