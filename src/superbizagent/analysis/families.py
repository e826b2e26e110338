"""What kind of thing a metric measures: family, unit, which way is bad, and the least scale.

Everything here reads names and labels alone. Whether a series is a counter also depends on its
values and is decided in `analysis.preparation`; the name only gives a hint.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from superbizagent.domain.series import Labels

__all__ = [
    "FAMILIES",
    "GAUGE_FAMILIES",
    "RESOURCES",
    "UNIT_FLOORS",
    "WEIGHTS",
    "CounterHint",
    "Meaning",
    "meaning_of",
    "meanings_of",
]

FAMILIES = ("err", "lat", "cpu", "mem", "disk", "net", "qps", "inst", "saturation", "other")
"""Position in this tuple is the family's code in columns."""

WEIGHTS: dict[str, tuple[float, float]] = {
    "err": (1.2, 0.1),
    "lat": (1.0, 0.2),
    "cpu": (1.0, 0.3),
    "mem": (1.0, 0.3),
    "disk": (0.7, 0.3),
    "net": (0.5, 0.6),
    "qps": (0.4, 0.6),
    "inst": (0.5, 0.5),
    "saturation": (1.0, 0.2),
    "other": (0.5, 0.5),
}
"""Weight of a rise and of a fall, after the sign has been turned so that up is bad.

A victim's processor use falls as far as the culprit's rises, so a fall must count less. With a
known fault time the weights are neutral; without one they carry the ranking.
"""


RESOURCES = frozenset({"cpu", "mem", "disk"})
"""What programs use up."""

GAUGE_FAMILIES = frozenset({"saturation", "inst", "mem"})
"""Without ``_total`` these are levels: a leaking pool rises as steadily as a counter.

Read as a counter, its leak would be its usual life.
"""


class CounterHint(IntEnum):
    """What the name says about counting up."""

    GAUGE = -1
    OPEN = 0
    EVENTS = 1
    """A counter when its values agree, however seldom it rises."""
    COUNTER = 2
    HISTOGRAM = 3
    """``_sum`` or ``_count``: a counter when its sibling is there too."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one metric name, with the labels that matter, stands for."""

    family: str
    unit: str
    sign: int
    """+1 when a rise is bad, -1 when a fall is bad (success rates, idle, available)."""
    floor: float
    """Least scale of a value of this unit: smaller moves are no deviation."""
    rate_floor: float
    """Least scale when the series counts up and its rate per second is looked at."""
    hint: CounterHint
    ignored: bool = False
    """Limits, sizes, build information, histogram buckets: for checks, never a deviation."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Ordered: the first family with a word in the name wins. Errors come first, because an error of
# anything is an error; latency last among the resources would hide "queue time" in saturation.
_WORDS: tuple[tuple[str, frozenset[str]], ...] = (
    (
        "err",
        _words(
            "error errors err errs failed failure failures fail fails exception exceptions aborted "
            "timeout timeouts rejected rejections refused dropped drops 5xx oom killed "
            "deadlock deadlocks panic panics unavailable success availability"
        ),
    ),
    ("inst", _words("up replicas instances restarts restart uptime pods ready")),
    (
        "lat",
        _words("latency duration elapsed p50 p75 p90 p95 p99 p999 lag rtt rt delay responsetime"),
    ),
    (
        "saturation",
        _words(
            "pool pending waiters waiting waits queue queued backlog saturation inflight flight "
            "connection connections connected running lock locks blocked threads sessions "
            "exhausted"
        ),
    ),
    ("cpu", _words("cpu load1 load5 load15 throttled throttling cores processor")),
    ("mem", _words("memory mem heap rss resident swap memavailable memfree buffers")),
    ("disk", _words("disk filesystem fs io iops inode inodes volume storage")),
    (
        "net",
        _words("network net netstat receive transmit received tcp udp rx tx packets"),
    ),
    (
        "qps",
        _words(
            "requests request qps rps ops workload traffic calls throughput hits queries orders "
            "transactions operations"
        ),
    ),
)
# A fall of these is what hurts.
_REVERSED = _words("success availability available avail free idle up ready replicas")
# Numbers people set, not numbers that happen.
_SETTINGS = _words("limit limits max maximum quota threshold variables config")
# What the monitoring measures of itself, and the runtime of its exporters.
_MONITORING = _words("scrape exporter promhttp gc")
# Parts of memory that the kernel gives back when somebody needs it.
_CACHES = _words(
    "buffers cached dirty writeback mapped active inactive slab reclaimable shmem tables "
    "kernelstack stack anon file huge direct map"
)
_LOCKS = _words("lock locks waits")
_IGNORED_LAST = _words("info created capacity bucket")
_STATUS_LABELS = ("http_response_status_code", "status_code", "code", "status", "http_status")
_ERROR_LABELS = ("error_type", "exception", "error")
_UNITS = {
    "seconds": "s",
    "second": "s",
    "s": "s",
    "milliseconds": "ms",
    "ms": "ms",
    "microseconds": "us",
    "us": "us",
    "bytes": "bytes",
    "mi": "MiB",
    "mb": "MB",
    "m": "milli",
    "ratio": "ratio",
    "percent": "%",
    "percentage": "%",
    "celsius": "celsius",
}
# Last words that the unit stands before: `request_duration_seconds_sum`, `latency_ms_p95`.
_SUFFIXES = _words(
    "total sum count bucket max min avg mean average median p50 p75 p90 p95 p98 p99 p999 quantile"
)
# A value that goes up and down by what it measures.
_GAUGE_WORDS = _words(
    "usage utilization utilisation current used free avail available active idle open running "
    "connected pending percent ratio celsius temperature size length timestamp p50 p90 p95 p99 "
    "rate"
)
_GAUGE_LAST = _words("bytes seconds time load1 load5 load15")
_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

UNIT_FLOORS = {"s": 1e-4, "ms": 0.1, "us": 100.0, "bytes": 1024.0, "%": 0.5, "ratio": 0.005}
"""Least scale by unit where the family has none of its own."""


def meaning_of(labels: Labels) -> Meaning:
    """Return what a series measures, from its name and its status and error labels."""
    status = next((labels[k] for k in _STATUS_LABELS if labels.get(k)), "")
    failed = any(labels.get(k) for k in _ERROR_LABELS)
    state = labels.get("state", "") or labels.get("mode", "")
    return _meaning(labels.get("__name__", ""), _status_class(status), failed, state)


def meanings_of(labels: Iterable[Labels]) -> tuple[Meaning, ...]:
    """Return `meaning_of` of each label set; equal names are looked up once."""
    return tuple(meaning_of(item) for item in labels)


def _status_class(status: str) -> str:
    return status[0] if len(status) == 3 and status.isdigit() else ""


@lru_cache(maxsize=65536)
def _meaning(name: str, status: str, failed: bool, state: str) -> Meaning:  # noqa: FBT001 - cached
    words = [w.lower() for w in _SPLIT.split(name) if w]
    family, sign = _family(words, status, failed), 1
    if any(w in _REVERSED for w in words) or state in {"idle", "free", "available"}:
        sign = -1
    unit = _unit(words)
    return Meaning(
        family=family,
        unit=unit,
        sign=sign,
        floor=_floor(family, unit, words),
        rate_floor=_rate_floor(unit, words),
        hint=_hint(family, words),
        ignored=_is_ignored(family, words),
    )


def _family(words: list[str], status: str, failed: bool) -> str:  # noqa: FBT001 - private
    if status == "5" or failed:
        return "err"
    special = _special_family(words)
    if special:
        return special
    for family, members in _WORDS:
        # A buffer pool is a cache, not a pool that callers wait for.
        found = [w for w in words if w in members and not (w == "pool" and "buffer" in words)]
        if found:
            return family
    return "other"


def _special_family(words: list[str]) -> str:
    """Return the family of names whose words together mean something else than each of them."""
    if words[-1:] == ["count"] and "duration" in words:
        return "qps"  # requests counted by a latency histogram
    if "active" in words and "requests" in words:
        return "saturation"  # requests in flight are work that waits, not work that came
    if "slow" in words:
        return "other"  # slow statements come of slowness as well as of more work: neither is said
    if "netstat" in words or words[:2] == ["node", "network"]:
        return "net"  # the kernel counts errors and drops on any day
    if words[:2] == ["node", "memory"] and any(w in _CACHES for w in words):
        return "other"
    return ""


def _is_ignored(family: str, words: list[str]) -> bool:
    if "timestamp" in words or any(w in _MONITORING for w in words):
        return True
    if words[-1:] == ["size"] and "pool" in words:
        return True
    # Averages since the start of a server move for hours after the one thing that moved them.
    if any(w in _LOCKS for w in words) and words[-1] in {"avg", "max"}:
        return True
    # `latency_max` is a latency; `pool_max` is a setting.
    if family != "lat" and any(w in _SETTINGS for w in words):
        return True
    return bool(words) and words[-1] in _IGNORED_LAST


def _unit(words: list[str]) -> str:
    rest = list(words)
    if rest and rest[-1] == "count":
        return ""
    while rest and rest[-1] in _SUFFIXES:
        rest.pop()
    return _UNITS.get(rest[-1], "") if len(rest) > 1 else ""


def _floor(family: str, unit: str, words: list[str]) -> float:
    match family:
        case "err":
            # Success rates and availabilities come as 0..1 or 0..100; half a point of the finer
            # one. The wider one is kept quiet by five per cent of its level.
            return UNIT_FLOORS.get(unit, 0.005)
        case "inst" | "saturation":
            return 0.5  # whole things; half of one is no change
        case "qps":
            return 0.05
        case "cpu" if words[-1:] != ["m"]:
            return 0.01 if unit == "s" else UNIT_FLOORS.get(unit, 1e-3)
        case "lat":
            return UNIT_FLOORS.get(unit, 1e-4)  # taken for seconds: a tenth of a millisecond
        case _:
            return UNIT_FLOORS.get(unit, 1e-3)


def _rate_floor(unit: str, words: list[str]) -> float:
    if unit == "bytes":
        return 1024.0
    if unit in {"s", "ms", "us"} or "seconds" in words:
        # Seconds per second: a hundredth of one worker or core.
        return {"ms": 10.0, "us": 10_000.0}.get(unit, 0.01)
    return 0.05  # three events a minute


def _hint(family: str, words: list[str]) -> CounterHint:
    last = words[-1] if words else ""
    if last in {"total", "bucket"}:
        return CounterHint.COUNTER
    if last in {"sum", "count"}:
        return CounterHint.HISTOGRAM
    if any(w in _GAUGE_WORDS for w in words):
        return CounterHint.GAUGE
    # How often and how long something waited for locks is counted by every database.
    if family == "saturation" and any(w in _LOCKS for w in words):
        return CounterHint.EVENTS
    if family in GAUGE_FAMILIES or last in _GAUGE_LAST:
        return CounterHint.GAUGE
    return CounterHint.OPEN
