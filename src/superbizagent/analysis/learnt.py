"""Learn how unusual a system is on its good days, and say how unusual it is now.

A window gives one number a signal: the strength of the strongest entity, the largest evidence of
each family, and of each entity its errors and latency. What is learnt is how each is distributed
over windows in which nothing was wrong. A window is as unusual as its farthest signal, and the
limit is a quantile of that number itself: a maximum over many signals is larger than any of them.

Measured on labelled faults (`superbizagent.evaluation.rca.alarms`), this finds half as many faults
again as to ask that strength and a symptom are both beyond their own quantile.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf, FactList, iso
from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.metric_channel import FamilyTable, strength, tabulate
from superbizagent.analysis.span_channels import CHANNELS
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.learnt import (
    LEAST_WINDOWS,
    SURPRISE,
    WHOLE,
    Band,
    LearntLength,
    LearntNormal,
)
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import Signal
from superbizagent.domain.window import Windows, to_ms

__all__ = [
    "BESIDE",
    "ERROR_LINES",
    "FELT",
    "Channels",
    "Learnt",
    "Signals",
    "facts_of_learnt",
    "families_of",
    "learn_bands",
    "learnt_families",
    "signals_of",
    "surprise_of",
    "surprises",
    "table_of_window",
]

Floats = NDArray[np.float64]

Signals = Mapping[tuple[str, str], float]
"""(entity path or `WHOLE`, signal) -> value of one window, not below 0."""

Channels = Mapping[str, Mapping[str, float]]
"""Channel beside the metrics -> score by entity path, for evidence that is no family of series."""

ERROR_LINES = "error_lines"
"""Channel of log records that never came before, or come more often."""

BESIDE: Mapping[Signal, tuple[str, ...]] = {
    Signal.LOGS: (ERROR_LINES,),
    Signal.TRACES: CHANNELS,
}
"""Kinds of telemetry beside the metrics, which not every window has, and their channels."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a window is held against."""

    known: LearntLength
    """Of windows of about this length."""
    focus: tuple[str, ...] = ()
    """Entities in question: their errors and latency are held against their own past."""


FELT = ("err", "lat")
"""Families of one entity that are held against what that entity is used to."""

_STRENGTH = "strength"
_CLAIMED = tuple(f for f in FAMILIES if f != "other")


def signals_of(
    table: FamilyTable, channels: Channels | None = None
) -> dict[tuple[str, str], float]:
    """Return the signals of one window.

    The system's are the largest of any entity; those of each entity are what its users feel.
    """
    found = {(WHOLE, name): float(v.max(initial=0.0)) for name, v in _columns(table).items()}
    for name, scores in (channels or {}).items():
        found[WHOLE, name] = max(scores.values(), default=0.0)
    for family in FELT:
        column = table.evidence[:, FAMILIES.index(family)]
        found |= {(e, family): float(v) for e, v in zip(table.entities, column, strict=True)}
    return found


def table_of_window(
    series: Sequence[SeriesSet], windows: Windows, step: timedelta, entity_of: EntityOf
) -> FamilyTable | None:
    """Return the evidence of one window of a longer recording; None without samples to compare.

    Args:
        series: answers that cover the windows and may be longer; none is in two of them.
        windows: the window and its baselines.
        step: sampling interval.
        entity_of: which entity a label set belongs to.
    """
    parts = [_within(each, windows) for each in series]
    calls = [MetricCall(n, p, measure(p, windows, step), ()) for n, p in enumerate(parts, 1)]
    both = [(c.deviations.incident_count > 0) & (c.deviations.baseline_count > 0) for c in calls]
    return tabulate(calls, entity_of) if any(bool(seen.any()) for seen in both) else None


def _within(series: SeriesSet, windows: Windows) -> SeriesSet:
    """Return the samples from a window or its baselines; series without any stay out."""
    kept = np.zeros(len(series.times), np.bool_)
    for window in (windows.incident, *windows.baselines):
        kept |= (series.times >= window.start_ms) & (series.times <= window.end_ms)
    owner = np.repeat(np.arange(len(series)), np.diff(series.offsets))
    counts = np.bincount(owner[kept], minlength=len(series))
    rows = np.flatnonzero(counts)
    return SeriesSet(
        tuple(series.labels[k] for k in rows.tolist()),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[rows])]),
        series.times[kept],
        series.values[kept],
    )


def learn_bands(windows: Sequence[Signals], least: int = LEAST_WINDOWS) -> tuple[Band, ...]:
    """Return the distribution of every signal over some windows, sorted by entity and signal.

    A signal that a window does not have was 0 there. But logs or spans that a window does not have
    were not looked at there: they are learnt from those that have them. Of each entity and of the
    whole there is also how far the farthest signal was above its usual, `SURPRISE`, over the
    windows that have all that is learnt: the farthest of more signals is farther.

    Args:
        windows: at least one.
        least: windows that must have logs, or spans, for these to be learnt; fewer say too little.

    Raises:
        ValueError: when there is no window.
    """
    had = [families_of(window) for window in windows]
    learnt = _often_enough(had, least)
    seen = {k for window in windows for k in window if _family_of(k) in {None, *learnt}}
    bands: dict[tuple[str, str], Band] = {}
    for key in sorted(seen):
        family = _family_of(key)
        own = [w for w, has in zip(windows, had, strict=True) if family is None or family in has]
        bands[key] = _band(key, [float(w.get(key, 0.0)) for w in own])
    complete = [w for w, has in zip(windows, had, strict=True) if learnt <= has]
    for entity in sorted({WHOLE, *(e for e, _ in seen)}):
        about = [b for k, b in bands.items() if k[0] in {WHOLE, entity}]
        values = [_farthest(about, window) for window in complete]
        bands[entity, SURPRISE] = _band((entity, SURPRISE), values)
    return tuple(bands[k] for k in sorted(bands))


def families_of(window: Signals) -> frozenset[Signal]:
    """Return which of logs and traces were looked at in a window."""
    return frozenset(family for key in window if (family := _family_of(key)) is not None)


def learnt_families(known: LearntLength) -> frozenset[Signal]:
    """Return of which of logs and traces is known what they show on good days."""
    return families_of({(b.entity, b.signal): b.median for b in known.bands})


def surprise_of(
    signals: Signals, known: LearntLength, focus: Collection[str] = ()
) -> tuple[float, float, float]:
    """Return how unusual a window is, and its 95 % and 97.5 % limits on good days.

    Args:
        signals: of the window.
        known: what was learnt.
        focus: entities in question: their errors and latency count as well.
    """
    about = {WHOLE, *(e for e in focus if known.band(e, SURPRISE) is not None)}
    own = [b for b in known.bands if b.entity in about and b.signal != SURPRISE]
    limits = [b for b in known.bands if b.entity in about and b.signal == SURPRISE]
    q95 = max((b.q95 for b in limits), default=0.0)
    q975 = max((b.q975 for b in limits), default=0.0)
    return _farthest(own, signals), q95, q975


def surprises(
    table: FamilyTable, known: LearntLength, channels: Channels | None = None
) -> dict[str, float]:
    """Return for each entity how unusual the system is by that entity alone."""
    found = dict.fromkeys(table.entities, 0.0)
    columns = {
        name: dict(zip(table.entities, values.tolist(), strict=True))
        for name, values in _columns(table).items()
    }
    for name, scores in {**columns, **(channels or {})}.items():
        band = known.band(WHOLE, name)
        if band is not None:
            for entity, score in scores.items():
                found[entity] = max(found.get(entity, 0.0), band.unusual(score))
    return found


def facts_of_learnt(call: int, learnt: LearntNormal, length: timedelta) -> tuple[Fact, ...]:
    """Return the facts of what was learnt from windows of about this length."""
    facts, known = FactList(call), learnt.nearest(length)
    facts.add("learnt_windows", float(known.windows), statistic="count", place="normal/windows")
    for statistic, at in (("first_at", learnt.span.start), ("last_at", learnt.span.end)):
        text = iso(to_ms(at))
        facts.add("learnt_windows", text, statistic=statistic, at=at, place="normal/span")
    facts.add("learnt_left_out", float(learnt.left_out), statistic="count", place="normal/left_out")
    return tuple(facts.items)


def _family_of(key: tuple[str, str]) -> Signal | None:
    entity, name = key
    found = (family for family, channels in BESIDE.items() if name in channels)
    return next(found, None) if entity == WHOLE else None


def _often_enough(had: Sequence[frozenset[Signal]], least: int) -> frozenset[Signal]:
    """Return the families that enough windows have, all of them at once."""
    counts = {family: sum(family in has for has in had) for family in BESIDE}
    learnt = frozenset(family for family, count in counts.items() if count >= least)
    while learnt and sum(learnt <= has for has in had) < least:
        learnt -= {min(learnt, key=lambda family: (counts[family], family))}
    return learnt


def _columns(table: FamilyTable) -> dict[str, Floats]:
    """Return the signals that are compared across entities, one value an entity."""
    claimed = np.array([f in _CLAIMED for f in FAMILIES], np.float64)
    columns = {f: table.evidence[:, FAMILIES.index(f)] for f in _CLAIMED}
    return {_STRENGTH: strength(table.evidence * claimed), **columns}


def _limit(ordered: Floats, share: float) -> float:
    """Return what one more window of the same kind stays below with at least this probability.

    That is a rank of one more than there are: of few windows the plain quantile is too low.
    """
    rank = math.ceil(share * (len(ordered) + 1))
    return float(ordered[min(rank, len(ordered)) - 1])


def _farthest(bands: Sequence[Band], window: Signals) -> float:
    return max((b.unusual(window.get((b.entity, b.signal), 0.0)) for b in bands), default=0.0)


def _band(key: tuple[str, str], values: Sequence[float]) -> Band:
    if not values:
        raise ValueError("nothing can be learnt from no window")
    ordered = np.sort(values)
    median = float(np.median(ordered))
    q95, q975 = (_limit(ordered, share) for share in (0.95, 0.975))
    largest = float(ordered[-1])
    return Band(
        entity=key[0],
        signal=key[1],
        samples=len(values),
        median=round_significant(median),
        q95=round_significant(q95),
        q975=round_significant(q975),
        largest=round_significant(largest),
    )
