"""Which entity explains the alert: the same kind of trouble, new, large enough, its own.

Needs the call graph and latency or errors of its nodes. Of a chain in which each node is as slow
as its callee, the deepest one is meant; a node that is slow but hardly called explains nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.flow import Flow, callees_of, flows, passed_on, requests_of
from superbizagent.domain.outputs import Topology
from superbizagent.domain.window import Instant, to_ms

__all__ = ["AlertFocus", "AlertScore", "alert_scores"]

_STUBS = ("_client", "_remote")  # X-Ray's node types for what only a peer has seen
_LEAST_NODES = 3  # fewer nodes of the alert's kind are no chain to follow
_FAR = timedelta(hours=1)  # a baseline further away is of another period


@dataclass(frozen=True, slots=True)
class AlertFocus:
    """What fired: of which family, at which entity, when."""

    entry: str
    """Entity path of the service the alert is about."""
    family: str
    """``lat`` or ``err``; other families have no chain to follow."""
    at: Instant


@dataclass(frozen=True, slots=True)
class AlertScore:
    """How well one entity explains the alert."""

    score: float
    passed_on: float
    """Share of its change that its callees explain."""
    source: tuple[int, int]
    """Position of the call and row of the series that was used."""


@dataclass(frozen=True, slots=True)
class _Shift:
    z: float
    change: float


def alert_scores(
    calls: Sequence[MetricCall],
    topology: Topology,
    entity_of: EntityOf,
    focus: AlertFocus,
    visits: Mapping[str, float] | None = None,
) -> dict[str, AlertScore]:
    """Return a score for every entity with a series of the alert's family.

    Empty when there is no chain to follow: another family, no graph, or too few nodes. ``visits``
    are requests by entity as spans count them, for want of a series that does.
    """
    if focus.family not in {"lat", "err"} or not topology.edges:
        return {}
    chosen = flows(calls, entity_of, focus.family)
    shifts = {e: _shift(calls[f.call], f, focus) for e, f in chosen.items()}
    if len(shifts) < _LEAST_NODES:
        return {}
    requests = requests_of(calls, entity_of) or visits or {}
    changes = {e: s.change for e, s in shifts.items()}
    counts = requests if focus.family == "lat" else None
    explained = passed_on(changes, callees_of(topology, entity_of), counts)
    return {
        entity: AlertScore(
            score=float(np.log1p(max(0.0, shift.z)))
            * (1.0 - 0.9 * explained.get(entity, 0.0))
            * (0.2 + 0.8 * min(1.0, _share(entity, changes, requests, focus) / 0.5))
            * (0.5 if entity.endswith(_STUBS) else 1.0),
            passed_on=explained.get(entity, 0.0),
            source=(chosen[entity].call, chosen[entity].row),
        )
        for entity, shift in shifts.items()
    }


def _share(
    entity: str, changes: Mapping[str, float], requests: Mapping[str, float], focus: AlertFocus
) -> float:
    """Return which share of the entry's change this entity's can make up."""
    at_entry = changes.get(focus.entry, 0.0)
    if entity == focus.entry or at_entry <= 0:
        return 1.0  # the entry's own series may be too coarse to show what fired
    weight = 1.0
    if requests.get(focus.entry, 0.0) > 0 and entity in requests:
        weight = min(1.0, requests[entity] / requests[focus.entry])
    return max(0.0, changes[entity]) * weight / at_entry


def _shift(call: MetricCall, flow: Flow, focus: AlertFocus) -> _Shift:
    """Return the change around the alert, against the baseline and against what came just before.

    The smaller of both counts, nothing when their signs differ. What came just before is asked
    only when the baseline is of another period: an alert fires late, and the minutes before it
    may be faulty already.
    """
    deviations, row = call.deviations, flow.row
    times, values = deviations.samples(row)
    incident = deviations.windows.incident
    step = max(deviations.step, timedelta(seconds=60)).total_seconds() * 1000
    begin = to_ms(focus.at) - deviations.step.total_seconds() * 500
    inside = (times >= incident.start_ms) & (times <= incident.end_ms)
    during = values[inside & (times >= begin) & (times < begin + step)]
    if len(during) == 0:
        during = values[inside & (times >= begin)][:1]
    scale, center = float(deviations.scale[row]), float(deviations.center[row])
    if len(during) == 0 or not np.isfinite(center) or not scale > 0:
        return _Shift(0.0, 0.0)
    sign = 1.0 if flow.factor > 0 else -1.0
    level = float(during.mean())
    moves = [sign * (level - center)]
    before = values[inside & (times < begin)]
    if _is_of_another_period(call) and len(before):
        moves.append(sign * (level - float(before.mean())))
    if min(moves) < 0 < max(moves):
        return _Shift(0.0, 0.0)
    move = min(moves, key=abs)
    return _Shift(move / scale, move * abs(flow.factor))


def _is_of_another_period(call: MetricCall) -> bool:
    incident = call.deviations.windows.incident
    gaps = [
        max(incident.start - w.end, w.start - incident.end)
        for w in call.deviations.windows.baselines
    ]
    return min(gaps, default=timedelta.max) > _FAR
