"""Recorded spans in columns: the calls that requests made, whoever recorded them.

A span is one operation of one service in one request (OpenTelemetry's word). Its parent is given
as a row, so that nobody has to look ids up again; ids are kept to be quoted.
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["ORPHAN", "ROOT", "SpanKind", "SpanSet"]

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

    def __len__(self) -> int:
        return len(self.trace)
