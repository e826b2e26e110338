"""When a series left its band, how sure that time is, and whether it came back.

Three hypotheses are asked, because none of them is right for every shape: the first lasting
excess (steps), the best single split (ramps and steps in noise), and the start of the largest
cumulated excess (slow drifts). Their median is the onset; half their spread, and never less than
one sampling step, is its uncertainty.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.deviation import Deviations
from superbizagent.domain.window import from_ms

__all__ = ["Onset", "find_onset", "find_onsets"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BAND = 3.0  # scales; the usual control limit
_TALL = 0.9  # height of the excess without its last peaks
_LASTING = 2  # a second sample beyond the band makes the first one more than a spike
_ENDED = 3  # that many quiet samples at the end mean it is over


@dataclass(frozen=True, slots=True)
class Onset:
    """When one series left its baseline."""

    at: datetime
    uncertainty: timedelta
    """The true time lies within this on either side, sampling and detector together."""
    ongoing: bool
    """Still outside its band at the end of the incident window."""


def find_onsets(deviations: Deviations, rows: Iterable[int]) -> dict[int, Onset]:
    """Return the onset of each of the (few) rows asked for that has one."""
    found = ((row, find_onset(deviations, row)) for row in rows)
    return {row: onset for row, onset in found if onset is not None}


def find_onset(deviations: Deviations, row: int) -> Onset | None:
    """Return the onset of one series within the incident window, None when it has none."""
    direction = deviations.direction(row)
    times, values = deviations.samples(row)
    start = deviations.windows.incident.start_ms
    stop = deviations.windows.incident.end_ms
    inside = (times >= start) & (times <= stop)
    scale, center = float(deviations.scale[row]), float(deviations.center[row])
    if direction == 0 or not bool(inside.any()) or not scale > 0:
        return None
    excess = direction * (values - center) / scale
    if float(excess[inside].max()) < 1.0:
        return None  # never as much as one scale off
    interval = _interval(deviations, row)
    hits = [h for h in _hypotheses(times[inside], excess[inside]) if h is not None]
    # Two of the three must see one: spikes here and there are an onset for a single detector only.
    if len(hits) < min(2, int(np.count_nonzero(inside))):
        return None
    hits.sort()
    at = hits[len(hits) // 2]
    spread = (hits[-1] - hits[0]) / 2
    return Onset(
        at=from_ms(at),
        uncertainty=timedelta(milliseconds=float(round(max(interval, spread)))),
        ongoing=_ongoing(excess[inside]),
    )


def _interval(deviations: Deviations, row: int) -> float:
    """Return the sampling interval in ms; a rate looks back over one more."""
    own = float(deviations.prepared.interval[row])
    step = max(own, deviations.step.total_seconds() * 1000)
    return step if deviations.mode[row] == 0 else 2 * step


def _hypotheses(times: Ints, excess: Floats) -> tuple[int | None, ...]:
    return (_first_lasting(times, excess), _split(times, excess), _cumulated(times, excess))


def _threshold(excess: Floats) -> float:
    """Return what is beyond the band: three scales, but a tenth of the height of a tall excess.

    A latency that goes from 2 ms to 2 s leaves its band of a tenth of a millisecond now and then
    on any day. Where a series rises less than two bands, half its height.
    """
    top = float(np.quantile(excess, _TALL))
    return max(min(_BAND, 0.5 * float(np.max(excess))), 0.1 * top)


def _first_lasting(times: Ints, excess: Floats) -> int | None:
    """Return the first sample beyond the band that another one follows at once."""
    beyond = excess > _threshold(excess)
    need = min(_LASTING, len(beyond))
    runs = np.convolve(beyond.astype(np.int64), np.ones(need, np.int64), mode="valid")
    hits = np.flatnonzero(runs == need)
    return int(times[hits[0]]) if len(hits) else None


def _split(times: Ints, excess: Floats) -> int | None:
    """Return the split with the largest difference of means, by least squares."""
    n = len(excess)
    if n < 2:
        return None
    # One huge sample must not draw the split to itself.
    clipped = np.minimum(excess, max(_BAND, float(np.quantile(excess, _TALL))))
    left = np.cumsum(clipped)[:-1] / np.arange(1, n)
    right = (np.sum(clipped) - np.cumsum(clipped)[:-1]) / np.arange(n - 1, 0, -1)
    gain = (right - left) * np.sqrt(np.arange(1, n) * np.arange(n - 1, 0, -1))
    best = int(np.argmax(gain))
    if right[best] < _threshold(excess):
        return None
    # All of it is high already: the change lies at the first sample or before.
    whole = left[best] > max(_BAND, 0.5 * float(right[best]))
    return int(times[0]) if whole else int(times[best + 1])


def _cumulated(times: Ints, excess: Floats) -> int:
    """Return the start of the largest cumulated excess over a quarter of the height."""
    tall = max(_BAND, float(np.quantile(excess, _TALL)))
    level = np.minimum(excess, tall) - max(_threshold(excess), 0.25 * tall)
    total = np.cumsum(level)
    floor = np.minimum.accumulate(np.concatenate([[0.0], total[:-1]]))
    end = int(np.argmax(total - floor))
    before = np.concatenate([[0.0], total[:end]])
    return int(times[int(np.argmin(before))])


def _ongoing(excess: Floats) -> bool:
    return bool(np.any(excess[-_ENDED:] > _threshold(excess)))
