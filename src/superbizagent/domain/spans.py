"""Recorded spans in columns: the calls that requests made, whoever recorded them.

A span is one operation of one service in one request (OpenTelemetry's word). Its parent is given
as a row, so that nobody has to look ids up again; ids are kept to be quoted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ORPHAN", "ROOT", "SpanKind", "SpanSet", "span_text", "with_words"]

Rows = NDArray[np.int32]
Times = NDArray[np.int64]

ROOT = -1
"""Parent of a span that has none: a request begins with it."""
ORPHAN = -2
"""Parent of a span whose parent was named but is not in the set."""


class SpanKind(IntEnum):
    """Which side of a call a span is; the numbers are OpenTelemetry's."""

    UNKNOWN = 0
    INTERNAL = 1
    SERVER = 2
    CLIENT = 3
    PRODUCER = 4
    CONSUMER = 5


def _rows() -> Rows:
    return np.zeros(0, np.int32)


def _times() -> Times:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class SpanSet:
    """Spans ordered by start, then trace id, then span id; every column has one value a span."""

    services: tuple[str, ...] = ()
    """Distinct service names, sorted."""
    operations: tuple[str, ...] = ()
    """Distinct span names, sorted."""
    errors: tuple[str, ...] = ()
    """Distinct words of what went wrong: ``503``, an exception's type, a status message; sorted."""
    peers: tuple[str, ...] = ()
    """Distinct names of what a client span called: a database, a queue, a host; sorted."""
    instances: tuple[str, ...] = ()
    """Distinct pods or hosts that recorded spans; sorted."""
    traces: tuple[str, ...] = ()
    """Distinct trace ids as they were recorded, sorted."""
    span_ids: tuple[str, ...] = ()
    """As recorded, one a span."""
    trace: Rows = field(default_factory=_rows)
    """Row of ``traces``."""
    parent: Rows = field(default_factory=_rows)
    """Row of the parent span, or `ROOT`, or `ORPHAN`; a loop is cut where it closes."""
    service: Rows = field(default_factory=_rows)
    operation: Rows = field(default_factory=_rows)
    kind: Rows = field(default_factory=_rows)
    """`SpanKind`."""
    error: Rows = field(default_factory=_rows)
    """Row of ``errors``, or -1: the span did not fail, or does not say so."""
    peer: Rows = field(default_factory=_rows)
    """Row of ``peers``, or -1."""
    instance: Rows = field(default_factory=_rows)
    """Row of ``instances``, or -1."""
    start: Times = field(default_factory=_times)
    """Microseconds since the epoch, UTC."""
    duration: Times = field(default_factory=_times)
    """Microseconds, not below 0."""
    traces_left_out: int = 0
    """Traces that were asked for and that a limit cut."""

    def __len__(self) -> int:
        return len(self.trace)


_WORDS = (
    ("services", "service"),
    ("operations", "operation"),
    ("errors", "error"),
    ("peers", "peer"),
    ("instances", "instance"),
    ("traces", "trace"),
)
"""Names, and the column that points to them."""


def with_words(spans: SpanSet, write: Callable[[Sequence[str]], list[str]]) -> SpanSet:
    """Return spans whose names and ids are written anew: the same object when all stay.

    Args:
        spans: any.
        write: gives each of some texts anew, in their order; equal ones become one.
    """
    changes: dict[str, Any] = {}
    for names, column in _WORDS:
        old: tuple[str, ...] = getattr(spans, names)
        new = write(old)
        if tuple(new) != old:
            distinct = sorted(set(new))
            place = {name: row for row, name in enumerate(distinct)}
            # The last row is for what has no name and points to -1.
            rows = np.array([*(place[name] for name in new), -1], np.int32)
            changes |= {names: tuple(distinct), column: rows[getattr(spans, column)]}
    ids = tuple(write(spans.span_ids))
    if ids != spans.span_ids:
        changes["span_ids"] = ids
    return replace(spans, **changes) if changes else spans


def span_text(spans: SpanSet, row: int) -> str:
    """Return one span as one line: when it began, who did what, for how long, how it ended."""
    start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(spans.start[row]))
    at = start.isoformat(timespec="microseconds").replace("+00:00", "Z")
    kind = SpanKind(int(spans.kind[row])).name.lower()
    parts: list[str] = [
        at,
        spans.services[int(spans.service[row])],
        spans.operations[int(spans.operation[row])],
        kind if kind != "unknown" else "",
        f"{int(spans.duration[row]) / 1000:.10g}ms",
        f"peer={spans.peers[int(spans.peer[row])]}" if spans.peer[row] >= 0 else "",
        f"error={spans.errors[int(spans.error[row])]}" if spans.error[row] >= 0 else "",
        f"trace={spans.traces[int(spans.trace[row])]}",
        f"span={spans.span_ids[row]}",
    ]
    return " ".join(part for part in parts if part)
