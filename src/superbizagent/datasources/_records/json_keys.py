"""Which key of a JSON record means what: the names that loggers of many languages use."""

import re
from collections.abc import Sequence
from enum import StrEnum

__all__ = ["Part", "keys_of", "part_of"]


class Part(StrEnum):
    """What a key tells."""

    MESSAGE = "message"
    LEVEL = "level"
    TIME = "time"
    SERVICE = "service"
    TRACE = "trace"
    STACK = "stack"
    SILENT = "silent"
    """Where a record comes from; in the message it would only split templates."""


_NAMES = {
    Part.MESSAGE: "msg message log event body text shortmessage @mt @m M",
    Part.LEVEL: "level severity lvl loglevel levelname severitytext @l L",
    Part.TIME: "ts time timestamp datetime eventtime asctime date @t T t",
    Part.SERVICE: "service servicename app application",
    Part.TRACE: "traceid ddtraceid oteltraceid",
    Part.STACK: "stack stacktrace excinfo exception traceback errorstack errorstacktrace @x",
    Part.SILENT: (
        "logger loggername caller source thread threadname pid hostname spanid v stream levelvalue"
        " version line file lineno processthreadname ecsversion severitynumber N C"
    ),
}
"""By preference. Those of one letter count only as they are spelled."""

_RANKS = {
    name: (part, rank) for part, names in _NAMES.items() for rank, name in enumerate(names.split())
}
_MARKS = re.compile(r"[_.@\- ]")


def _rank(key: str) -> tuple[Part, int] | None:
    plain = _MARKS.sub("", key)
    if len(plain) == 1 or key in _RANKS:
        return _RANKS.get(key)
    return _RANKS.get(plain.lower())


def part_of(key: str) -> Part | None:
    """Return what a key tells; None when it is a value of the record's own."""
    found = _rank(key)
    return found[0] if found else None


def keys_of(part: Part, keys: Sequence[str]) -> list[str]:
    """Return the keys that tell one thing, the preferred one first."""
    ranked = [(found[1], place, key) for place, key in enumerate(keys) if (found := _rank(key))]
    return [key for _, _, key in sorted(ranked) if part_of(key) is part]
