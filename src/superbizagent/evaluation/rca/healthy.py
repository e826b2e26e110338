"""Times in which nothing was wrong, looked at as if somebody had asked about them.

The windows are as long as the fault and lie before it, each with its own past as baseline; where a
set has metrics of normal times, they are spread over those. The fault itself is looked at likewise.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np

from superbizagent.analysis.learnt import table_of_window
from superbizagent.datasources.bundle.labels import DEFAULT_LABEL_KINDS
from superbizagent.domain.series import Labels
from superbizagent.domain.window import Window, Windows
from superbizagent.evaluation.rca.alarms import JudgedWindow
from superbizagent.evaluation.rca.core import Seen
from superbizagent.evaluation.rca.recordings import Recording
from superbizagent.evaluation.rca.timing import Sight, TimeMode, sight_of

__all__ = ["SeenTimes", "judged_windows"]

SeenTimes = set[tuple[str, str, int]]
"""Set, recording of normal times and minute of a window that was looked at."""

_LEAST_SAMPLES = 15
"""Sampling steps with data that a baseline must have to be one."""
_BASELINE = timedelta(minutes=30)
_TICK = timedelta(milliseconds=1)
_FRONT_DOORS = ("_entry", "entry")


def judged_windows(recording: Recording, seen: SeenTimes) -> Iterator[JudgedWindow]:
    """Yield the fault of a case and its healthy windows; minutes that cases share only once.

    Args:
        recording: the case.
        seen: times that were looked at already; added to.
    """
    sight = sight_of(recording, TimeMode.EXACT)
    if sight is None or recording.label.inject_time is None:
        return
    windows = sight.scope.windows
    normal = _long_normal(recording, windows)
    if (fault := _judged(recording, sight, windows, is_faulty=True)) is not None:
        yield fault
    found = _spread(normal, windows) if normal else _before(recording, windows)
    for one in found:
        # Cases of one day hold the same minutes, each from another second on.
        minute = int(one.incident.start.timestamp() // 60)
        key = (recording.case.set, recording.label.normal if normal else "", minute)
        if key in seen or not _is_covered(recording, one):
            continue
        seen.add(key)
        if (healthy := _judged(recording, sight, one, is_faulty=False)) is not None:
            yield healthy


def _judged(
    recording: Recording, sight: Sight, windows: Windows, *, is_faulty: bool
) -> JudgedWindow | None:
    def entity_of(labels: Labels) -> str | None:
        entity = recording.catalogue.of_labels(labels, tuple(DEFAULT_LABEL_KINDS))
        return entity.path if entity is not None and entity.kind != "host" else None

    table = table_of_window([recording.series], windows, recording.step, entity_of)
    if table is None:
        return None
    scope = sight.scope.model_copy(update={"windows": _with_normal(recording, windows)})
    seen = Seen(recording, replace(sight, scope=scope, focus=None, end=windows.incident.end))
    beside = seen.beside
    return JudgedWindow(
        set=recording.case.set,
        start=windows.incident.start,
        end=windows.incident.end,
        table=table,
        is_faulty=is_faulty,
        focus=_entries(recording),
        channels=beside.channels,
        requests=beside.requests,
    )


def _entries(recording: Recording) -> tuple[str, ...]:
    """Return the paths of what users enter by: the service, and the front door if measured."""
    names = (recording.description.entry, *_FRONT_DOORS)
    found = (e for n in names if n for e in recording.catalogue.resolve(n).entities)
    return tuple(dict.fromkeys(e.path for e in found))


def _with_normal(recording: Recording, windows: Windows) -> Windows:
    """Add what was recorded of spans and logs in normal times to the baselines of a window."""
    if _long_normal(recording, windows):
        return windows
    known = [windows.incident, *windows.baselines]
    apart = (w for w in recording.description.normal if all(w.clip(k) is None for k in known))
    return Windows(incident=windows.incident, baselines=(*windows.baselines, *apart))


def _long_normal(recording: Recording, windows: Windows) -> tuple[Window, ...]:
    """Return the recordings of normal times that hold metrics for some windows of that length."""
    times = recording.series.times
    return tuple(
        w
        for w in recording.description.normal
        if w.length >= 4 * windows.incident.length
        and bool(((times >= w.start_ms) & (times <= w.end_ms)).any())
    )


def _before(recording: Recording, fault: Windows) -> Iterator[Windows]:
    """Yield windows that end one step before the fault, then each a step earlier."""
    extent, step = recording.description.extent, recording.step
    length = fault.incident.length
    if extent is None or length <= timedelta(0):
        return
    end = fault.incident.start - step
    while (start := end - length) > extent.start:
        stop = start - _TICK
        first = max(extent.start, stop - max(3 * length, _BASELINE))
        if first >= stop:
            return
        incident, baseline = Window(start=start, end=end), Window(start=first, end=stop)
        yield Windows(incident=incident, baselines=(baseline,))
        end -= step


def _spread(normal: tuple[Window, ...], fault: Windows) -> Iterator[Windows]:
    """Yield windows of the second half of each normal recording, all before them as baseline."""
    length = fault.incident.length
    for each in normal:
        free = each.length / 2 - length
        count = int(2 * free / length) if length > timedelta(0) else 0
        for k in range(count):
            start = each.start + each.length / 2 + free * k / count
            yield Windows(
                incident=Window(start=start, end=start + length),
                baselines=(Window(start=each.start, end=start - _TICK),),
            )


def _is_covered(recording: Recording, windows: Windows) -> bool:
    """Tell whether there are samples: two thirds of those due in the window, enough before it."""
    times = np.unique(recording.series.times)
    incident, baseline = windows.incident, windows.baselines[0]
    due = incident.length / recording.step * 2 / 3
    inside, before = (
        np.count_nonzero((times >= w.start_ms) & (times <= w.end_ms)) for w in (incident, baseline)
    )
    return bool(inside >= max(1.0, due) and before >= _LEAST_SAMPLES)
