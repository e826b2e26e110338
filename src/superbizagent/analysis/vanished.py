"""Entities that stopped reporting altogether: killed, crashed, cut off.

A series that ends alone is a replaced pod or a label that went away, and says nothing. All series
of an entity ending while others go on says that the entity is gone.
"""

from collections.abc import Sequence

import numpy as np

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.deviation import Deviations, Status
from superbizagent.domain.series import Labels

__all__ = ["VANISHED_EVIDENCE", "vanished_rows"]

VANISHED_EVIDENCE = 3.0
"""Evidence of family ``inst``: as much as a deviation of 400 scales at half weight."""

_EXPECTED = 3  # samples that must be missing before silence means anything


def vanished_rows(
    labels: Sequence[Labels], deviations: Deviations, entity_of: EntityOf
) -> dict[str, int]:
    """Return entities without a sample in the incident, each with one of its series."""
    length = deviations.windows.incident.length.total_seconds() * 1000
    gone: dict[str, int] = {}
    alive: set[str] = set()
    ended = (deviations.status == Status.VANISHED).tolist()
    if not any(ended):
        return {}
    for row in np.flatnonzero(deviations.status != int(Status.NOT_ENOUGH)).tolist():
        entity = entity_of(labels[row])
        if entity is None:
            continue
        if not ended[row]:
            alive.add(entity)
        elif length >= _EXPECTED * max(1.0, float(deviations.prepared.interval[row])):
            gone.setdefault(entity, row)
    gone = {e: row for e, row in gone.items() if e not in alive}
    # When nobody of several reports, the recording ends early. A call about one entity cannot tell;
    # the ranking, which sees all calls, can.
    return gone if alive or len(gone) == 1 else {}
