"""Events of both API groups, as readings of the object that each is about."""

from dataclasses import dataclass
from datetime import datetime

from superbizagent.datasources.kubernetes.fields import Raw, age, at, text
from superbizagent.domain.cluster import Reading

__all__ = ["Happened", "read_event"]

_STATES = {"ProgressDeadlineExceeded": "rollout_stuck", "ApplyRefused": "replica_failure"}
"""Events that say what an object is in: that it still is where nothing says otherwise."""
_TIMES = (
    ("series", "lastObservedTime"),
    ("lastTimestamp",),
    ("deprecatedLastTimestamp",),
    ("eventTime",),
    ("firstTimestamp",),
    ("deprecatedFirstTimestamp",),
    ("metadata", "creationTimestamp"),
)
"""Where the last time of an event stands, the surest first."""


@dataclass(frozen=True, slots=True)
class Happened:
    """An event with the object it is about."""

    kind: str
    namespace: str
    name: str
    reading: Reading


def read_event(raw: Raw, taken_at: datetime | None) -> Happened | None:
    """Return what an event says; None when it is about nothing that has a name.

    A warning becomes ``event.<reason>``, any other ``note.<reason>``.
    """
    about = "involvedObject" if "involvedObject" in raw else "regarding"
    kind, name = text(raw, about, "kind"), text(raw, about, "name")
    reason = text(raw, "reason")
    if not kind or not name or not reason:
        return None
    message = text(raw, "message") or text(raw, "note") or reason
    prefix = "event" if text(raw, "type") == "Warning" else "note"
    named = _STATES.get(reason) or f"{prefix}.{reason}"
    return Happened(
        kind=kind,
        namespace=text(raw, about, "namespace") or text(raw, "metadata", "namespace"),
        name=name,
        reading=Reading(
            name=named,
            value=message,
            at=_last_time(raw, taken_at),
            quote=message,
            part=_container(text(raw, about, "fieldPath")),
        ),
    )


def _last_time(raw: Raw, taken_at: datetime | None) -> datetime | None:
    for path in _TIMES:
        if (when := at(raw, *path)) is not None:
            return when
    # A table says how long ago, not when.
    ago = age(text(raw, "lastSeen"))
    return taken_at - ago if taken_at is not None and ago is not None else None


def _container(path: str) -> str:
    """Read the container's name out of ``spec.containers{app}``."""
    return path.partition("{")[2].rstrip("}")
