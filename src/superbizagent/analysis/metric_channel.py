"""The metric channel: families of series an entity, its best three, and its peers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import NULL_WINDOWS
from superbizagent.analysis.dominance import FEW, dominance
from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.vanished import VANISHED_EVIDENCE, vanished_rows

__all__ = ["FamilyTable", "channel", "strength", "tabulate"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BEST = 3  # families that count: a fault shows in several, noise in one


@dataclass(frozen=True, slots=True)
class FamilyTable:
    """Evidence by entity and family: the strongest series of each.

    Families because percentiles of one latency, or pods of one service, must not vote many times.
    """

    entities: tuple[str, ...]
    """Entity paths, sorted."""
    evidence: Floats
    """Shape ``(entities, families)``; 0 where there is no series."""
    null: Floats
    """The same of pieces of the baseline, shape ``(NULL_WINDOWS, entities, families)``."""
    lasting: Floats
    """Share of the incident that the series that counts was beyond its band, shape as evidence."""
    source: tuple[dict[int, tuple[int, int]], ...]
    """For each entity: family -> (position of the call, row) of the series that counts."""

    def row(self, entity: str) -> int:
        """Return the position of an entity.

        Raises:
            ValueError: when it has no series.
        """
        return self.entities.index(entity)


def tabulate(calls: Sequence[MetricCall], entity_of: EntityOf) -> FamilyTable:
    """Gather the strongest evidence of every entity and family over all calls."""
    owners = [[entity_of(labels) or "" for labels in call.series.labels] for call in calls]
    entities = tuple(sorted({e for group in owners for e in group if e}))
    position = {e: k for k, e in enumerate(entities)}
    evidence = np.zeros((len(entities), len(FAMILIES)))
    lasting = np.zeros_like(evidence)
    null = np.zeros((NULL_WINDOWS, *evidence.shape))
    source = tuple(dict[int, tuple[int, int]]() for _ in entities)
    for number, (call, group) in enumerate(zip(calls, owners, strict=True)):
        rows = [k for k, e in enumerate(group) if e]
        at = np.array([position[group[k]] for k in rows], np.int64)
        names = [call.deviations.meanings[k].family for k in rows]
        family = np.array([FAMILIES.index(f) for f in names], np.int64)
        for k in range(NULL_WINDOWS):
            np.maximum.at(null[k], (at, family), call.deviations.null_evidence[k, rows])
        found = call.deviations.evidence[rows]
        for i in np.flatnonzero(found > evidence[at, family]).tolist():
            if found[i] > evidence[at[i], family[i]]:
                evidence[at[i], family[i]] = found[i]
                lasting[at[i], family[i]] = call.deviations.lasting[rows[i]]
                source[int(at[i])][int(family[i])] = (number, rows[i])
    table = FamilyTable(entities, evidence, null, lasting, source)
    _add_vanished(table, calls, entity_of)
    return table


def _add_vanished(table: FamilyTable, calls: Sequence[MetricCall], entity_of: EntityOf) -> None:
    """Give entities that fell silent, while others go on, their evidence."""
    if not any(bool(call.deviations.incident_count.any()) for call in calls):
        return
    instances = FAMILIES.index("inst")
    for number, call in enumerate(calls):
        for entity, row in vanished_rows(call.series.labels, call.deviations, entity_of).items():
            k = table.row(entity)
            if table.evidence[k].max() == 0:
                table.evidence[k, instances] = VANISHED_EVIDENCE
                table.source[k][instances] = (number, row)


def strength(evidence: Floats) -> Floats:
    """Return the mean of the three best families of each entity, missing ones as 0."""
    best = np.sort(evidence, axis=-1)[..., -_BEST:]
    return best.mean(axis=-1)


def channel(evidence: Floats, null: Floats) -> Floats:
    """Return the metric channel's score of each entity: half own strength, half peers by family.

    Where few entities report a family, to stand out means more than any of them did in any piece
    of the baseline (``null``): of four entities one may be alone in reporting disks at all, and
    would always stand out.
    """
    usual = null.max(axis=(0, 1), initial=0.0)
    reporting = np.count_nonzero(evidence + null.max(axis=0, initial=0.0), axis=0)
    floors = np.where(reporting < FEW, np.maximum(0.1, usual), 0.1)
    columns = [dominance(v, 0.25, float(f)) for v, f in zip(evidence.T, floors, strict=True)]
    by_family = np.stack(columns, axis=1)
    largest = by_family.max(axis=1, initial=0.0)
    peers = largest + (by_family.sum(axis=1) - largest) / 3.0
    return 0.5 * strength(evidence) + 0.5 * peers
