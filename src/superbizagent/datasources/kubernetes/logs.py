"""The few lines of a container's log that say why it ended."""

import re
from collections import deque
from collections.abc import Iterable
from datetime import datetime

from superbizagent.datasources.kubernetes.fields import at
from superbizagent.datasources.kubernetes.gathered import LogTail
from superbizagent.domain.cluster import Reading

__all__ = ["telling_lines", "telling_readings", "time_of"]

_TELLING = re.compile(
    r"\b(?:fatal|panic|\w*error|\w*exception|traceback|failed|failure|cannot|could not|refused"
    r"|denied|no such|not found|killed|out of memory|unable|missing|invalid|bad address"
    r"|unreachable|timed out|timeout|expired|unhealthy|does not have|can't|not defined"
    r"|undefined|unknown|must be|unexpected|unsupported|unrecognized|not set|exec format)\b",
    re.IGNORECASE,
)
_RULES = ("==== START logs ", "==== END logs ")
"""Lines between the logs of a dump, none of their own."""
_KEPT = 5
_LONGEST = 500
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))[\s|]")


def telling_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the last lines that speak of trouble, else the last line; keeps a few at a time."""
    telling: deque[str] = deque(maxlen=_KEPT)
    last = ""
    for line in lines:
        stripped = line.strip()
        if not stripped or stripped.startswith(_RULES):
            continue
        last = stripped[:_LONGEST]
        if _TELLING.search(last):
            telling.append(last)
    return tuple(telling) or ((last,) if last else ())


def telling_readings(tail: LogTail) -> list[Reading]:
    """Return the lines as readings of the pod, the newest first."""
    name = "previous_log" if tail.previous else "log"
    return [
        Reading(name=name, value=line, at=time_of(line), quote=line, part=tail.container)
        for line in reversed(tail.lines)
    ]


def time_of(line: str) -> datetime | None:
    """Return the time that a line begins with, None when it begins otherwise."""
    stamp = _STAMP.match(line)
    return at({"t": stamp[1]}, "t") if stamp else None
