"""How far each series is from its own past, for many series at once.

A series is compared with a robust centre and scale of its baseline (median; the largest of
IQR/1.349, 1.4826 MAD, 0.3 sd, 5 % of the level, and a floor by unit). 0.3 sd keeps rare spikes of
the baseline from making a flat IQR, 5 % of the level keeps flat series quiet. The mean over the
incident counts, not its maximum: single spikes are what healthy systems do.

With several baselines the smaller deviation counts, and none when their signs differ: what is also
unusual against last week but not against the last hour is a season, not a fault.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.families import WEIGHTS, Meaning
from superbizagent.analysis.preparation import MODES, Prepared, prepare
from superbizagent.analysis.quantiles import (
    row_extremes,
    row_means,
    row_quantiles,
    row_sustained,
)
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, Windows

__all__ = ["BAND", "EVIDENCE_CAP", "NULL_WINDOWS", "Deviations", "Status", "measure"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EVIDENCE_CAP = 8.0  # ln(1 + z) of 3,000 scales; beyond it a z-score only measures a tiny scale
NULL_WINDOWS = 6  # pieces of the baseline that are judged as if they were incidents

_MIN_BASELINE = 3
_MIN_INCIDENT = 1
# Part of the incident that must stay high: a fault that fills only a quarter of a window that was
# opened early still shows. Three samples at least, so that one spike is no fault.
_SUSTAINED_SHARE = 0.25
_SUSTAINED_MIN = 3
BAND = 3.0  # scales; the usual control limit


class Status(IntEnum):
    """What could be said about a series."""

    NOT_ENOUGH = 0
    """Too few samples on one side; no deviation."""
    MEASURED = 1
    APPEARED = 2
    """No sample in any baseline although the look covers it; compared with nothing (zero)."""
    VANISHED = 3
    """Samples in the baseline, none in the incident."""


@dataclass(frozen=True, slots=True)
class Deviations:
    """One row a series, in the order of the set. NaN where there is no number."""

    windows: Windows
    step: timedelta
    prepared: Prepared
    status: NDArray[np.int8]
    center: Floats
    scale: Floats
    z: Floats
    """Signed deviation of the incident's mean in scales; up is up, whatever is bad."""
    sustained: Floats
    """The same of the strongest quarter of the incident, with the sign of ``z``."""
    lasting: Floats
    """Share (0 to 1) of the incident's samples beyond three scales on the side of ``z``."""
    size: Floats
    """``min(8, ln(1 + |z|))``, averaged with that of ``sustained``, less for what does not last."""
    evidence: Floats
    """``size`` weighted by family and direction; 0 for what is ignored or unknown."""
    null_evidence: Floats
    """Evidence of `NULL_WINDOWS` pieces of the baseline, shape ``(NULL_WINDOWS, n)``."""
    baseline_count: Ints
    incident_count: Ints
    incident_mean: Floats
    incident_last: Floats
    last_at: Ints
    extreme: Floats
    """Highest value of the incident when it rose, lowest when it fell."""
    extreme_at: Ints
    """Milliseconds since the epoch; -1 without an incident sample."""
    baseline_used: NDArray[np.int8]
    """Position in ``windows.baselines``, -1 for none."""

    def __len__(self) -> int:
        return len(self.status)

    @property
    def meanings(self) -> tuple[Meaning, ...]:
        """What each series measures."""
        return self.prepared.meanings

    @property
    def mode(self) -> NDArray[np.int8]:
        """Code in `preparation.MODES`: as it stands, rate of a counter, mean of a histogram."""
        return self.prepared.mode

    def direction(self, row: int) -> int:
        """+1 when the series rose, -1 when it fell, 0 when unknown."""
        z = float(self.z[row])
        return int(np.sign(z)) if np.isfinite(z) else 0

    def samples(self, row: int) -> tuple[Ints, Floats]:
        """Times (ms) and values of one series as they were judged: rates for counters."""
        part = slice(int(self.prepared.offsets[row]), int(self.prepared.offsets[row + 1]))
        return self.prepared.times[part], self.prepared.values[part]


def measure(series: SeriesSet, windows: Windows, step: timedelta) -> Deviations:
    """Return the deviation of every series of ``series`` from its baselines.

    ``step`` is the sampling interval; one step before the incident is left out of the baselines,
    because a fault time is never exact and an early sample of the fault spoils the scale.
    """
    guard = round(step.total_seconds() * 1000)
    latest = windows.incident.start_ms - guard
    prepared = prepare(series, windows.whole.start_ms)
    chosen = _choose(
        prepared,
        [_baseline(prepared, w.start_ms, _end(w, windows, latest)) for w in windows.baselines],
        _part(prepared, windows.incident.start_ms, windows.incident.end_ms),
    )
    return _with_evidence(_collect(windows, step, prepared, chosen), latest)


def _end(baseline: Window, windows: Windows, latest: int) -> int:
    """Return where a baseline ends in ms; one that is recorded later stays as it is."""
    before = baseline.start_ms <= windows.incident.start_ms
    return min(baseline.end_ms, latest) if before else baseline.end_ms


@dataclass(frozen=True, slots=True)
class _Part:
    """Samples of one window: values of all series one after the other."""

    owner: Ints
    times: Ints
    values: Floats
    lengths: Ints


@dataclass(frozen=True, slots=True)
class _Baseline:
    center: Floats
    scale: Floats
    count: Ints


@dataclass(frozen=True, slots=True)
class _Chosen:
    incident: _Part
    status: NDArray[np.int8]
    center: Floats
    scale: Floats
    z: Floats
    count: Ints
    used: NDArray[np.int8]


def _part(prepared: Prepared, start: int, end: int) -> _Part:
    kept = (prepared.times >= start) & (prepared.times <= end)
    owner = prepared.owner[kept]
    lengths = np.bincount(owner, minlength=len(prepared.mode)).astype(np.int64)
    return _Part(owner, prepared.times[kept], prepared.values[kept], lengths)


def _baseline(prepared: Prepared, start: int, end: int) -> _Baseline:
    part = _part(prepared, start, end)
    low, center, high = row_quantiles(part.values, part.lengths, (0.25, 0.5, 0.75))
    away = np.abs(part.values - center[part.owner])
    (mad,) = row_quantiles(away, part.lengths, (0.5,))
    mean = row_means(part.values, part.lengths)
    with np.errstate(over="ignore"):
        sd = np.sqrt(row_means(np.square(part.values - mean[part.owner]), part.lengths))
    level, floors = _level(prepared, center), _floors(prepared, center)
    scale = np.fmax.reduce([(high - low) / 1.349, 1.4826 * mad, 0.3 * sd, 0.05 * level, floors])
    return _Baseline(center, scale, part.lengths)


def _level(prepared: Prepared, center: Floats) -> Floats:
    """Return what five per cent are taken of: the centre, or what success rates lack of all.

    Of an availability of 99 % the interesting part is the 1 %.
    """
    missing = np.maximum(0.0, _whole(center) - center)
    return np.where(_is_success(prepared), missing, np.abs(center))


def _is_success(prepared: Prepared) -> NDArray[np.bool_]:
    good = [m.family == "err" and m.sign < 0 for m in prepared.meanings]
    return np.array(good, np.bool_) & (prepared.mode == MODES.index("value"))


def _whole(center: Floats) -> Floats:
    """Return 1 for success rates that are ratios, 100 for those in per cent."""
    return np.where(np.nan_to_num(center) > 1.0, 100.0, 1.0)


def _floors(prepared: Prepared, center: Floats) -> Floats:
    value = np.array([m.floor for m in prepared.meanings], np.float64)
    rate = np.array([m.rate_floor for m in prepared.meanings], np.float64)
    value = np.where(_is_success(prepared), 0.005 * _whole(center), value)
    return np.where(prepared.mode == MODES.index("rate"), rate, value)


def _choose(prepared: Prepared, baselines: list[_Baseline], incident: _Part) -> _Chosen:
    """Take for each series the baseline from which it deviates least."""
    n = len(prepared.mode)
    nothing = _Baseline(np.zeros(n), _floors(prepared, np.zeros(n)), np.zeros(n, np.int64))
    center = np.stack([b.center for b in baselines] or [nothing.center])
    scale = np.stack([b.scale for b in baselines] or [nothing.scale])
    count = np.stack([b.count for b in baselines] or [nothing.count])
    mean = row_means(incident.values, incident.lengths)
    usable: NDArray[np.bool_] = count >= _MIN_BASELINE
    any_usable: NDArray[np.bool_] = np.logical_or.reduce(usable, axis=0)
    z = np.where(usable, (mean - center) / scale, np.nan)
    used = np.argmin(np.where(np.isfinite(z), np.abs(z), np.inf), axis=0)
    at = (used, np.arange(n))
    disagree = (np.nanmax(np.where(usable, z, -np.inf), axis=0, initial=-np.inf) > 0) & (
        np.nanmin(np.where(usable, z, np.inf), axis=0, initial=np.inf) < 0
    )
    status = _status(any_usable, count.sum(axis=0), incident.lengths)
    born = status == Status.APPEARED
    result = _Chosen(
        incident=incident,
        status=status,
        center=np.where(born, 0.0, center[at]),
        scale=np.where(born, nothing.scale, scale[at]),
        z=np.where(disagree, 0.0, z[at]),
        count=count[at],
        used=np.where(any_usable, used, -1).astype(np.int8),
    )
    result.z[born] = mean[born] / nothing.scale[born]
    return result


def _status(usable: NDArray[np.bool_], before: Ints, during: Ints) -> NDArray[np.int8]:
    seen = during >= _MIN_INCIDENT
    status = np.where(usable & seen, Status.MEASURED, Status.NOT_ENOUGH)
    # Only when the look does reach back: a source without history tells nothing of absence.
    if bool(usable.any()):
        status = np.where((before == 0) & seen, Status.APPEARED, status)
    return np.where(usable & ~seen, Status.VANISHED, status).astype(np.int8)


def _collect(windows: Windows, step: timedelta, prepared: Prepared, chosen: _Chosen) -> Deviations:
    part, n = chosen.incident, len(chosen.status)
    low, high = row_extremes(part.values, part.lengths)
    extreme = np.where(chosen.z < 0, low, high)
    hit = np.flatnonzero(part.values == extreme[part.owner])
    extreme_at = np.full(n, -1, np.int64)
    extreme_at[part.owner[hit][::-1]] = part.times[hit][::-1]  # the first one stays
    last, last_at = np.full(n, np.nan), np.full(n, -1, np.int64)
    last[part.owner], last_at[part.owner] = part.values, part.times  # the last one stays
    return Deviations(
        windows=windows,
        step=step,
        prepared=prepared,
        status=chosen.status,
        center=chosen.center,
        scale=chosen.scale,
        z=chosen.z,
        sustained=_sustained(part, chosen.center, chosen.scale, chosen.z),
        lasting=_lasting(part, chosen.center, chosen.scale, chosen.z),
        size=np.zeros(n),
        evidence=np.zeros(n),
        null_evidence=np.zeros((NULL_WINDOWS, n)),
        baseline_count=chosen.count,
        incident_count=part.lengths,
        incident_mean=row_means(part.values, part.lengths),
        incident_last=last,
        last_at=last_at,
        extreme=extreme,
        extreme_at=extreme_at,
        baseline_used=chosen.used,
    )


def _sustained(part: _Part, center: Floats, scale: Floats, z: Floats) -> Floats:
    """Return the strongest run in scales, in the direction of the mean."""
    scaled = (part.values - center[part.owner]) / scale[part.owner]
    low, high = row_sustained(scaled, part.lengths, _SUSTAINED_SHARE, _SUSTAINED_MIN)
    return np.where(z < 0, low, np.where(z > 0, high, 0.0))


def _lasting(part: _Part, center: Floats, scale: Floats, z: Floats) -> Floats:
    """Return which share of a window's samples is beyond the band."""
    side = np.where(z < 0, -1.0, 1.0)[part.owner]
    beyond = side * (part.values - center[part.owner]) / scale[part.owner] > BAND
    return row_means(beyond.astype(np.float64), part.lengths)


def _with_evidence(rows: Deviations, latest: int) -> Deviations:
    weight = _weigher(rows)
    known = (rows.status == Status.MEASURED) | (rows.status == Status.APPEARED)
    size = np.where(known, _size(rows.z, rows.sustained, rows.lasting), 0.0)
    null = np.zeros((NULL_WINDOWS, len(rows)))
    if rows.windows.baselines:
        ends = [(w.start_ms, _end(w, rows.windows, latest)) for w in rows.windows.baselines]
        start, end = max(ends, key=lambda span: span[1] - span[0])
        for k, piece in enumerate(_pieces(rows, start, end)):
            null[k] = np.where(known, weight(piece[0]) * _size(*piece), 0.0)
    return replace(rows, size=size, evidence=weight(rows.z) * size, null_evidence=null)


def _size(z: Floats, sustained: Floats, lasting: Floats) -> Floats:
    """Return how large a deviation is; 0 where it is unknown."""
    size = 0.5 * (np.log1p(np.abs(z)) + np.log1p(np.fmax(np.abs(z), np.abs(sustained))))
    # A pulse (a flush, a collection) can be a thousand scales high; a fault stays.
    stays = np.where(np.abs(z) > BAND, np.minimum(1.0, lasting / _SUSTAINED_SHARE), 1.0)
    return np.nan_to_num(stays * np.minimum(EVIDENCE_CAP, size), nan=0.0)


def _weigher(rows: Deviations) -> Callable[[Floats], Floats]:
    """Return the function from deviations to weights, with each series' meaning bound."""
    sign = np.array([m.sign for m in rows.meanings], np.float64)
    up = np.array([0.0 if m.ignored else WEIGHTS[m.family][0] for m in rows.meanings])
    down = np.array([0.0 if m.ignored else WEIGHTS[m.family][1] for m in rows.meanings])
    # A gauge that was not there before has nothing to be compared with; only of errors and waiters
    # is it certain that there were none.
    telling = np.array([m.family in {"err", "saturation"} for m in rows.meanings], np.bool_)
    born = (rows.status == Status.APPEARED) & ~telling & (rows.mode != MODES.index("rate"))
    up, down = np.where(born, 0.0, up), np.where(born, 0.0, down)
    return lambda z: np.where(z * sign > 0, up, down)


def _pieces(rows: Deviations, start: int, end: int) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield deviations of pieces of the baseline, as long as the incident where they fit."""
    incident = rows.windows.incident
    length = min(incident.end_ms - incident.start_ms, (end - start) // NULL_WINDOWS)
    if length <= 0:
        return
    for k in range(NULL_WINDOWS):
        part = _part(rows.prepared, end - (k + 1) * length + 1, end - k * length)
        z = (row_means(part.values, part.lengths) - rows.center) / rows.scale
        bounds = (part, rows.center, rows.scale, z)
        yield z, _sustained(*bounds), _lasting(*bounds)
