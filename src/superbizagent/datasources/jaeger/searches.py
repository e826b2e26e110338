"""Which searches of a trace server cover some services and windows evenly.

A server returns the newest traces of a search, up to a number. Many short searches therefore tell
of a whole window what one long search tells of its end alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from superbizagent.domain.window import Window, Windows

__all__ = ["Search", "searches_of"]

_MOST_PIECES = 6
_INCIDENT_SHARE = 0.5
"""Of the pieces: a short incident is told as well as the long time before it."""


@dataclass(frozen=True, slots=True)
class Search:
    """Traces of one service that began in a span of time."""

    service: str
    start_us: int
    end_us: int


def searches_of(services: Sequence[str], windows: Windows, most: int) -> tuple[Search, ...]:
    """Return at most ``most`` searches, the incident's pieces of every service first.

    Of more services than that the last ones are left out.
    """
    if not services:
        return ()
    spans = [windows.incident, *windows.baselines]
    pieces = max(len(spans), min(_MOST_PIECES, most // len(services)))
    late = max(1, round(pieces * _INCIDENT_SHARE))
    early = max(1, (pieces - late) // max(1, len(spans) - 1))
    found = [
        Search(service, start, end)
        for window, count in [(spans[0], late), *((w, early) for w in spans[1:])]
        for start, end in _pieces(window, count)
        for service in services
    ]
    return tuple(found[:most])


def _pieces(window: Window, count: int) -> list[tuple[int, int]]:
    start, end = window.start_ms * 1000, window.end_ms * 1000 + 999
    marks = [start + (end - start) * k // count for k in range(count + 1)]
    return list(pairwise(marks))
