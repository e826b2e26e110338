"""Is anything abnormal at all: the incident against pieces of its own baseline."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from superbizagent.analysis.metric_channel import FamilyTable, strength
from superbizagent.domain.canonical import round_significant

__all__ = ["Health", "health_of"]

# The strength (mean of the three best families) of the best entity of healthy windows stays below
# its own largest over six pieces of the baseline plus this, in nearly all windows of systems that
# were kept apart for it.
_EXCESS = 0.5
_LEAST = 1.2
# One family alone: a memory leak moves nothing else.
_ALONE = 2.0
_ALONE_EXCESS = 1.0
_LOG = float(np.log1p(4.0))


@dataclass(frozen=True, slots=True)
class Health:
    """How far the incident is from what the baseline itself shows."""

    strength: float
    """Of the strongest entity: mean of its three best families."""
    usual: float
    """The largest strength of any entity in any piece of the baseline."""
    bar: float
    """What an entity's strength must reach to be called abnormal."""
    abnormal: tuple[str, ...]
    """Entities above the bar, or with one family far above it, or with new error lines; sorted."""
    explaining: tuple[str, ...] = ()
    """Entities that explain the alert by latency or errors of their own; sorted."""

    @property
    def is_calm(self) -> bool:
        """Nothing abnormal was found in what was looked at."""
        return not self.abnormal and not self.explaining


def health_of(
    table: FamilyTable, logs: Mapping[str, float], explaining: Collection[str] = ()
) -> Health:
    """Judge the entities of ``table``; ``logs`` is the log score by entity."""
    own = strength(table.evidence)
    usual = float(strength(table.null).max(initial=0.0))
    bar = max(_LEAST, usual + _EXCESS)
    # The most that each family did in any piece of the baseline, on any entity.
    family = table.null.max(axis=(0, 1), initial=0.0)
    alone = np.any(table.evidence >= np.maximum(_ALONE, family + _ALONE_EXCESS), axis=1)
    abnormal = {e for k, e in enumerate(table.entities) if own[k] >= bar or alone[k]}
    abnormal |= {e for e, score in logs.items() if score >= _LOG}
    return Health(
        strength=round_significant(float(own.max(initial=0.0))),
        usual=round_significant(usual),
        bar=round_significant(bar),
        abnormal=tuple(sorted(abnormal)),
        explaining=tuple(sorted(explaining)),
    )
