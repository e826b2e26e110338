"""Which readings of a cluster are abnormal now, and how much each says.

A state counts while it lasts. What only happened (an event, an earlier end of a container) counts
while it is fresh and the object it is about is not well: a warning about something that runs again
explains nothing. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from superbizagent.domain.cluster import ClusterObject, ClusterSnapshot, Reading

__all__ = ["Weighed", "weigh"]

_FRESH = timedelta(hours=1)
_ALONE = timedelta(minutes=30)
"""A pod of which nothing but old events is known is gone: what still fails says so again."""
_JUST = timedelta(minutes=15)
"""A container that ended longer ago and is ready now has recovered."""
_STUCK = timedelta(minutes=5)
"""Longer than this a pod is neither deleted nor started in peace."""
_CHRONIC = 100.0
"""Restarts from which a crash loop is older than a working day: not what went wrong now."""
_OFTEN = 3.0
"""Restarts from which a container that happens to run is not called well."""
_PEACEFUL_ENDS = frozenset({"Completed"})
_STOPPED = 143.0
"""Exit code after a request to stop: peaceful once, a probe's doing when it comes often."""

_STATES: Mapping[str, float] = {
    "missing": 7.0, "selects_nothing": 7.0, "node_not_ready": 7.0,
    "waiting": 6.0, "unschedulable": 6.0, "replica_failure": 6.0, "pressure": 6.0,
    "claim_lost": 6.0,
    "claim_pending": 5.0, "job_failed": 5.0, "evicted": 5.0,
    "no_endpoints": 4.0, "port_unmatched": 4.0, "terminated": 4.0, "failed": 4.0,
    "not_ready": 3.0, "replicas_ready": 3.0, "rollout_stuck": 3.0, "unavailable": 3.0,
    "phase_unknown": 3.0, "running_unready": 2.0, "job_idle": 2.0, "generation_behind": 1.0,
}  # fmt: skip
"""What an object is in; a reading that names its own cause weighs more than its consequence."""
_ENDS = frozenset({"job_failed", "failed", "evicted", "terminated"})
"""States that stay on the list long after anybody minds."""
_THROTTLED = 4.0
_SHARES: Mapping[str, float] = {"throttled": 0.25, "cpu_of_limit": 0.95}
"""Share of periods from which a container is held back by its CPU limit, since start-up bursts stay
below; and share of the limit that is in use, from which it can only be held back."""
_LASTING: Mapping[str, float] = {"pending": 2.0, "creating": 3.0, "terminating": 2.0}
"""States that everything passes through, and is stuck in when they last."""
_EVENTS: Mapping[str, float] = {
    "FailedMount": 5.0, "FailedAttachVolume": 5.0, "FailedCreate": 5.0, "ProvisioningFailed": 5.0,
    "FailedScheduling": 4.0, "FailedBinding": 4.0, "Failed": 3.0, "BackOff": 3.0, "Unhealthy": 3.0,
    "FailedCreatePodSandBox": 4.0, "Evicted": 4.0, "NodeNotReady": 3.0, "OOMKilling": 4.0,
    "SystemOOM": 4.0, "FailedMapVolume": 5.0, "InspectFailed": 3.0, "ErrImageNeverPull": 3.0,
    "BackoffLimitExceeded": 4.0, "DeadlineExceeded": 4.0, "FailedToStartContainer": 3.0,
}  # fmt: skip
_OTHER_EVENT = 1.0
_LOG = 1.5
_TEXTS = ("event.", "note.", "log", "previous_log", "blocked_by")
"""Beginnings of the names of readings that tell what was said, not what is."""
_ENOUGH = 2.0
"""An object of which nothing weighs this much is well."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """An object with its readings of now, each with its weight; 0: context."""

    object: ClusterObject
    index: int
    """Its place in the snapshot."""
    readings: tuple[tuple[int, Reading, float], ...]
    """Place in the object, reading, weight."""

    @property
    def is_abnormal(self) -> bool:
        """Whether anything of it is not as it should be."""
        return any(weight >= _ENOUGH for _, _, weight in self.readings)


def weigh(snapshot: ClusterSnapshot) -> tuple[Weighed, ...]:
    """Return every object with the readings that hold now, in the snapshot's order."""
    now = snapshot.taken_at
    states = [_states(item, now) for item in snapshot.objects]
    unwell = {
        item.root
        for item, found in zip(snapshot.objects, states, strict=True)
        if any(weight >= _ENOUGH for weight in found.values())
    }
    return tuple(
        Weighed(item, index, tuple(_all(item, found, now, unwell)))
        for index, (item, found) in enumerate(zip(snapshot.objects, states, strict=True))
    )


def _states(item: ClusterObject, now: datetime | None) -> dict[int, float]:
    """Weigh what an object is in, and how its containers ended."""
    found: dict[int, float] = {}
    for place, reading in enumerate(item.readings):
        if reading.name in _ENDS and not _is_fresh(reading, now):
            continue  # what failed long ago and lies about is no trouble of now
        if reading.name in _SHARES:
            found[place] = _THROTTLED if _number(reading) >= _SHARES[reading.name] else 0.0
        elif reading.name in _STATES:
            chronic = reading.name == "waiting" and _restarts(item, reading) >= _CHRONIC
            found[place] = _STATES[reading.name] / (2.0 if chronic else 1.0)
        elif reading.name in _LASTING and _lasts(reading, item, now):
            found[place] = _LASTING[reading.name]
    ready = not any(found.values())
    for place, reading in enumerate(item.readings):
        if reading.name == "last_terminated" and _ended_badly(item, reading, now, ready=ready):
            found[place] = 4.0 if reading.value == "OOMKilled" else 3.0
    return found


def _lasts(reading: Reading, item: ClusterObject, now: datetime | None) -> bool:
    since = reading.at or next((r.at for r in item.readings if r.name == "pending"), None)
    return now is None or since is None or now - since >= _STUCK


def _restarts(item: ClusterObject, reading: Reading) -> float:
    """How often the container of a reading was restarted."""
    same = (r for r in item.readings if r.name == "restarts" and r.part == reading.part)
    return max(map(_number, same), default=0.0)


def _ended_badly(
    item: ClusterObject, reading: Reading, now: datetime | None, *, ready: bool
) -> bool:
    own = [r for r in item.readings if r.part == reading.part]
    code = next((r.value for r in own if r.name == "last_exit_code"), None)
    restarts = _restarts(item, reading)
    if reading.value in _PEACEFUL_ENDS or code == 0 or (code == _STOPPED and restarts < _OFTEN):
        return False
    if ready and reading.value == "Terminated" and restarts < _OFTEN:
        return False  # a table tells of one restart, and not that anything went wrong
    if not ready or reading.at is None or now is None:
        return not ready
    limit = _FRESH if restarts >= _OFTEN else _JUST
    return now - reading.at <= limit


def _number(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0


def _all(
    item: ClusterObject, states: Mapping[int, float], now: datetime | None, unwell: set[str]
) -> "list[tuple[int, Reading, float]]":
    kept: list[tuple[int, Reading, float]] = []
    # What is known from events alone has no state that could contradict them.
    waits = any(reading.name == "claim_waits" for reading in item.readings)
    alone = item.origin == "events"
    doubtful = item.root in unwell or alone or waits
    limit = _ALONE if alone and item.entity.kind == "pod" else _FRESH
    for place, reading in enumerate(item.readings):
        weight = states.get(place, 0.0)
        if reading.name.startswith(_TEXTS):
            if not doubtful or not _is_fresh(reading, now, limit):
                continue
            weight = _weight_of_text(reading)
        elif reading.name in {"last_terminated", "last_exit_code"} and not doubtful:
            continue
        kept.append((place, reading, weight))
    return kept


def _weight_of_text(reading: Reading) -> float:
    if reading.name.startswith("event."):
        return _EVENTS.get(reading.name.removeprefix("event."), _OTHER_EVENT)
    return _LOG if reading.name.startswith(("log", "previous_log")) else 0.0


def _is_fresh(reading: Reading, now: datetime | None, limit: timedelta = _FRESH) -> bool:
    return now is None or reading.at is None or now - reading.at <= limit
