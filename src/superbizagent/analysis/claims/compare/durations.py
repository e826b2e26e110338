"""Whether a length of time is the distance of two known times, or the length of a window."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Quantity, WordKind
from superbizagent.domain.window import to_ms

__all__ = ["time_between"]

_SECOND = 1000
_WINDOW_WORDS = (
    "window",
    "record",
    "data",
    "period",
    "baseline",
    "look",
    "窗口",
    "数据",
    "时段",
    "基线",
)
_TimePoint = tuple[str, int]
"""Fact id, or nothing for a time of the frame; milliseconds."""


def time_between(
    view: View, quantity: Quantity, held: Sequence[int] = ()
) -> tuple[str, ...] | None:
    """Return the facts that a duration lies between, none of them for a window; None: it is none.

    ``held`` are rows that bear out the other numbers: "1.6 s two minutes later". Two onsets are
    held against each other only where the sentence names two things or an order.
    """
    events = tuple(_events(view, quantity))
    ground = view.ground
    told = tuple((ground.facts[k].id, int(ground.at[k])) for k in held if ground.at[k] >= 0)
    marks = (*_frame(view), *_moments(view), *told)
    pairs = [(a, b) for a in events for b in marks]
    if view.statement.words_of(WordKind.ORDER) or len(view.statement.names) > 1:
        pairs += list(combinations(events, 2))
    pairs += list(combinations((*_moments(view), *told), 2))
    for (first, start), (second, end) in pairs:
        if any(_is(quantity, seconds) for seconds in _distances(start, end)):
            return tuple(dict.fromkeys(i for i in (first, second) if i))
    return () if any(_is(quantity, s) for s in _windows(view)) else None


def _is(quantity: Quantity, seconds: float) -> bool:
    low, high = quantity.interval
    return low <= seconds <= high


def _distances(start: int, end: int) -> Iterator[float]:
    """The seconds between two times, and those that a reader of both sees without fractions."""
    yield abs(end - start) / _SECOND
    yield float(abs(end // _SECOND - start // _SECOND))


def _events(view: View, quantity: Quantity) -> Iterator[_TimePoint]:
    """Beginnings of what the sentence is about, everything timed that it cites."""
    ground = view.ground
    rows = ground.at >= 0
    if view.cited is not None:
        rows = rows & view.cited
    else:
        timed = np.array([f.statistic.endswith("_at") for f in ground.facts], np.bool_)
        rows = rows & timed & _about(view, quantity)
        for topic in view.topics(quantity):
            shared = rows & (ground.overlap(topic.concepts, topic.tokens) > 0)
            if shared.any():
                rows = shared
                break
    for row in np.flatnonzero(rows).tolist():
        yield ground.facts[row].id, int(ground.at[row])


def _about(view: View, quantity: Quantity) -> "np.typing.NDArray[np.bool_]":
    names = view.statement.names
    if len(names) > 1:
        paths = [path for name in names for path in name.entities]
        return view.ground.of_entities(paths) if paths else view.everything
    return view.of_entities(view.clause_of(quantity))


def _frame(view: View) -> Iterator[_TimePoint]:
    """Times that were given; the start of the window only where the sentence speaks of it."""
    frame = view.ground.frame
    start = frame.windows.incident.start if _of_window(view) else None
    for at in (frame.now, frame.windows.incident.end, frame.alert_at, start):
        if at is not None:
            yield "", to_ms(at)


def _moments(view: View) -> tuple[_TimePoint, ...]:
    return tuple(("", to_ms(m.low + (m.high - m.low) / 2)) for m in view.statement.moments)


def _of_window(view: View) -> bool:
    text = view.text.lower()
    return any(word in text for word in _WINDOW_WORDS)


def _windows(view: View) -> Iterator[float]:
    """Lengths of what was looked at, where the sentence speaks of that."""
    if not _of_window(view):
        return
    windows = view.ground.frame.windows
    for window in (windows.incident, *windows.baselines, windows.whole):
        yield window.length.total_seconds()
