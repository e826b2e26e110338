"""Is anything abnormal at all: the incident against pieces of its own baseline."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.learnt import (
    ERROR_LINES,
    FELT,
    Channels,
    Learnt,
    learnt_families,
    signals_of,
    surprise_of,
    surprises,
)
from superbizagent.analysis.metric_channel import FamilyTable, strength
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.learnt import WHOLE
from superbizagent.domain.source import Signal

__all__ = ["SYMPTOMS", "Health", "health_of", "learnt_health_of"]

# An entity's strength (mean of its three best families) is held against the largest of any entity
# in six pieces of the baseline. On the recorded healthy period (58 windows of 3 to 20 minutes,
# sampled each 5, 15, 30 and 60 s) it exceeded that by up to 0.8, by what machines do at times; so a
# symptom is asked for as well, and then none of the 232 windows was called abnormal.
_EXCESS = 0.5
_LEAST = 1.2
# One family alone: a memory leak moves nothing else.
_ALONE = 2.0
_ALONE_EXCESS = 1.0
_SEVERE = 3.0  # twenty scales
_LOG = float(np.log1p(9.0))  # nine error lines of a kind that never came before; a few happen

SYMPTOMS = ("err", "lat", "saturation", "inst")
"""Families in which users notice a fault; the others only say what a machine was busy with.

Disks flush, caches fill and neighbours of a virtual machine take its processor on any day.
"""


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
    """Entities above the bar, or with one family far above it, new error lines, or requests that
    go wrong; sorted."""
    explaining: tuple[str, ...] = ()
    """Entities that explain the alert by latency or errors of their own; sorted."""
    as_learnt: bool | None = None
    """All is as on 19 of 20 good days; None: how this system is on those was not learnt."""

    @property
    def is_calm(self) -> bool:
        """Nothing abnormal was found in what was looked at."""
        return not self.abnormal and not self.explaining


def health_of(
    table: FamilyTable,
    logs: Mapping[str, float],
    explaining: Collection[str] = (),
    symptoms: Collection[str] = SYMPTOMS,
    requests: Collection[str] = (),
) -> Health:
    """Judge the entities of ``table``.

    Nothing is called abnormal unless a symptom shows somewhere: one of the families ``symptoms``
    far above what it did in any piece of the baseline, a resource very far off and lasting, new
    error lines (``logs``: score by entity), or an entity in ``explaining`` (the alert).
    """
    # What no family claims is mostly bookkeeping: it adds to a ranking but is no trouble by itself.
    claimed = np.array([f != "other" for f in FAMILIES], np.float64)
    own = strength(table.evidence * claimed)
    usual = float(strength(table.null * claimed).max(initial=0.0))
    bar = max(_LEAST, usual + _EXCESS)
    # The most that each family did in any piece of the baseline, on any entity.
    family = table.null.max(axis=(0, 1), initial=0.0)
    far = table.evidence >= np.maximum(_ALONE, family + _ALONE_EXCESS)
    far &= claimed > 0
    loud = {e for e, score in logs.items() if score >= _LOG} | set(requests)
    hurts = bool(far[:, [FAMILIES.index(f) for f in symptoms]].any())
    # A resource that is far off for half of the incident is worth a look before anyone is hurt.
    hurts |= bool((far & (table.evidence >= _SEVERE) & (table.lasting >= 0.5)).any())
    abnormal = set(loud)
    if hurts or loud or explaining:
        alone = far.any(axis=1)
        abnormal |= {e for k, e in enumerate(table.entities) if own[k] >= bar or alone[k]}
    return Health(
        strength=round_significant(float(own.max(initial=0.0))),
        usual=round_significant(usual),
        bar=round_significant(bar),
        abnormal=tuple(sorted(abnormal)),
        explaining=tuple(sorted(explaining)),
    )


def learnt_health_of(
    table: FamilyTable,
    learnt: Learnt,
    channels: Channels | None = None,
    explaining: Collection[str] = (),
    requests: Collection[str] = (),
) -> Health:
    """Judge the entities of ``table`` by what this very system does while nothing is wrong.

    Args:
        table: evidence by entity and family.
        learnt: what it is held against.
        channels: evidence beside the metrics, such as `ERROR_LINES` and those of the spans.
        explaining: entities that explain the alert.
        requests: entities whose requests go wrong by the spans' own bar; it is asked where what
            spans show on a good day was not learnt. So is the bar of new error lines.
    """
    known, beside = learnt.known, channels or {}
    signals = signals_of(table, beside)
    surprise, within, bar = surprise_of(signals, known, learnt.focus)
    families = learnt_families(known)
    loud = set[str]() if Signal.TRACES in families else set(requests)
    if Signal.LOGS not in families:
        loud |= {e for e, score in beside.get(ERROR_LINES, {}).items() if score >= _LOG}
    abnormal = {e for e, far in surprises(table, known, beside).items() if far > bar}
    for entity in learnt.focus:
        own = [known.band(entity, family) for family in FELT]
        far = [b.unusual(signals.get((entity, b.signal), 0.0)) for b in own if b is not None]
        if max(far, default=0.0) > bar:
            abnormal.add(entity)
    usual = known.band(WHOLE, "strength")
    return Health(
        strength=round_significant(signals[WHOLE, "strength"]),
        usual=usual.median if usual is not None else 0.0,
        bar=usual.q975 if usual is not None else 0.0,
        abnormal=tuple(sorted(abnormal | loud)),
        explaining=tuple(sorted(explaining)),
        as_learnt=surprise <= within and not loud,
    )
