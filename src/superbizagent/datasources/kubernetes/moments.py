"""When saved output was printed, by the times and ages that stand in it."""

from collections.abc import Iterator
from datetime import UTC, datetime

from superbizagent.datasources.kubernetes.fields import Raw, age, at, mapping, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.logs import time_of

__all__ = ["taken_at"]

_OF_EVENTS = ("lastTimestamp", "eventTime")
_OF_CONDITIONS = ("lastHeartbeatTime", "lastTransitionTime")
_BEGINNINGS = frozenset({"Started", "Created"})
_STATUSES = ("initContainerStatuses", "containerStatuses")


def taken_at(gathered: Gathered, written: float) -> datetime:
    """Return when the cluster was looked at: at the newest time that is told, or later.

    Args:
        gathered: everything that was read.
        written: when the newest file was written, in seconds; a copy may be much younger.
    """
    told = [*_stated(gathered), *_counted(gathered)]
    back = gathered.counted_back()
    told += [back] if back is not None else []
    made = gathered.last_made()
    if told:
        return max([*told, made] if made is not None else told)
    file = datetime.fromtimestamp(written, UTC)
    return max(file, made or file)


def _stated(gathered: Gathered) -> Iterator[datetime]:
    for raw, _ in gathered.of("Event"):
        yield from (t for key in _OF_EVENTS if (t := at(raw, key)))
    for raw, _ in gathered.of("Node", "Pod"):
        for condition in rows(raw, "status", "conditions"):
            yield from (t for key in _OF_CONDITIONS if (t := at(condition, key)))
    for tail in gathered.logs:
        yield from (t for line in tail.lines if (t := time_of(line)))


def _counted(gathered: Gathered) -> Iterator[datetime]:
    """Times of containers, later by how long ago the node told of the same."""
    ages: dict[str, list[Raw]] = {}
    for raw, _ in gathered.of("Event"):
        if "lastSeen" in raw:
            ages.setdefault(text(raw, "involvedObject", "name"), []).append(raw)
    for raw, _ in gathered.of("Pod"):
        name = text(raw, "metadata", "name")
        begun = max(_runs(raw), default=None)
        if begun is None:
            continue
        told = [
            (text(e, "reason"), a) for e in ages.get(name, ()) if (a := age(text(e, "lastSeen")))
        ]
        exact = [a for reason, a in told if reason in _BEGINNINGS]
        since = min(exact or [a for _, a in told], default=None)
        yield begun + since if since is not None else begun


def _runs(raw: Raw) -> Iterator[datetime]:
    for kind in _STATUSES:
        for status in rows(raw, "status", kind):
            for state in ("state", "lastState"):
                for held in ("running", "terminated"):
                    own = mapping(status, state, held)
                    yield from (t for k in ("startedAt", "finishedAt") if (t := at(own, k)))
