"""Where a fault may have begun when nobody knows: for spans, three places are asked.

An incident window is opened early, and requests that were still well would hide those that are not.
None of the three is chosen: what is wrong from a place on shows from each of them more or less,
and chance shows from one.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows, from_ms

__all__ = ["mean_scores", "possible_starts"]

_PLACES = (0.25, 0.5, 0.75)
"""Shares of what was recorded in the incident window."""


def possible_starts(spans: SpanSet, windows: Windows) -> tuple[Windows, ...]:
    """Return what to compare with what: the windows alone when the start is known.

    Else the incident begins at each place. What came before that in the window belongs to neither,
    for nobody knows which; only where no baseline holds spans it must stand for one. The places
    are set over the time in which spans were recorded.
    """
    incident = windows.incident
    times = spans.start // 1000
    inside = times[(times >= incident.start_ms) & (times <= incident.end_ms)]
    if windows.start_is_known or len(inside) == 0:
        return (windows,)
    first, last = int(inside.min()), int(inside.max())
    starts = sorted({first + round(place * (last - first)) for place in _PLACES} - {first})
    has_past = any(_holds(times, baseline) for baseline in windows.baselines)
    return tuple(_from(windows, at, has_past=has_past) for at in starts) or (windows,)


def _holds(times: NDArray[np.int64], window: Window) -> bool:
    return bool(np.any((times >= window.start_ms) & (times <= window.end_ms)))


def _from(windows: Windows, start_ms: int, *, has_past: bool) -> Windows:
    incident = windows.incident
    before = Window(start=incident.start, end=from_ms(start_ms - 1))
    return Windows(
        incident=Window(start=from_ms(start_ms), end=incident.end),
        baselines=windows.baselines if has_past else (before,),
    )


def mean_scores(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each entity's scores; where it has none, that is 0."""
    entities = sorted({e for scores in found for e in scores})
    return {e: fmean(scores.get(e, 0.0) for scores in found) for e in entities}
