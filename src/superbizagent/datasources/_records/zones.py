"""Zone-less times to UTC: which zone, and why.

A zone that is told wins. Else the offsets in use in the world are tried: the one at which most
lines fall into the span that is asked about, or at which the last line was written when the file
was. Two that fit equally are a question for the user, never a silent guess.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

__all__ = ["Zone", "ZoneEvidence", "decide_zone", "fixed_zone", "label_of"]

Ints = NDArray[np.int64]

_MINUTE_MS = 60_000
_HOUR_MS = 3_600_000

# All offsets that some place on Earth uses: whole hours, and the half and quarter hours.
_MINUTES = (
    *range(-720, 841, 60),
    *(-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825),
)
OFFSETS_MS = tuple(sorted((m * _MINUTE_MS for m in _MINUTES), key=lambda ms: (abs(ms), ms)))
"""Nearest to UTC first."""

_SELDOM_MS = frozenset(m * _MINUTE_MS for m in (-570, 525, 765, 825))
"""Used by so few that a copied file fits one by chance more often than it comes from there."""

_WRITE_DELAY_MS = 150_000
"""A file is touched this long after its last line's time at most while it is being written."""

_FIT = "fall into the span asked about"
_WRITTEN = "the file was written when its last line was"

_EQUAL = 0.95
"""Two offsets fit equally when the weaker has this part of the better one's lines."""


@dataclass(frozen=True, slots=True)
class ZoneEvidence:
    """What is known of a file whose times have no zone."""

    sample_ms: Ints
    """Times as written, spread over the file; the last one is the last of the file."""
    modified_ms: int
    """When the file was written last."""
    spans: Sequence[tuple[int, int]] = ()
    """What is asked about, in UTC milliseconds."""


@dataclass(frozen=True, slots=True)
class Zone:
    """The zone applied to a file, and why."""

    offset_ms: int = 0
    label: str = "+00:00"
    reason: str = ""
    ambiguous: bool = False
    told: tzinfo | None = None

    def to_utc(self, local_ms: Ints) -> Ints:
        """Return the UTC times of local ones."""
        if self.told is None:
            return local_ms - self.offset_ms
        # One look-up for each distinct hour: summer time changes on the hour.
        hours, where = np.unique(local_ms // _HOUR_MS, return_inverse=True)
        offsets = np.array([_offset_at(self.told, int(h)) for h in hours], np.int64)
        return local_ms - offsets[where]


def fixed_zone(told: tzinfo, reason: str) -> Zone:
    """Return the zone somebody told us."""
    now = told.utcoffset(None)
    label = label_of(round(now.total_seconds() * 1000)) if now is not None else str(told)
    return Zone(label=label, reason=reason, told=told)


def label_of(offset_ms: int) -> str:
    """Write an offset as ``+08:00``."""
    minutes = abs(offset_ms) // _MINUTE_MS
    return f"{'-' if offset_ms < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def decide_zone(evidence: ZoneEvidence) -> Zone:
    """Infer the zone of a file, or say that it is ambiguous."""
    written = _by_write_time(evidence)
    hits = {offset: _inside(evidence, offset) for offset in OFFSETS_MS} if evidence.spans else {}
    best = max(hits.values(), default=0)
    if not best:
        return _without_overlap(written, asked=bool(evidence.spans))
    equal = [offset for offset, count in hits.items() if count >= _EQUAL * best]
    if len(equal) == 1:
        return Zone(equal[0], label_of(equal[0]), f"only so do its lines {_FIT}")
    if written in equal:
        return Zone(written, label_of(written), f"{_WRITTEN}, and its lines {_FIT}")
    return _ambiguous(equal)


def _without_overlap(written: int | None, *, asked: bool) -> Zone:
    if written is not None:
        return Zone(written, label_of(written), _WRITTEN)
    if asked:
        return Zone(reason=f"in no zone do its lines {_FIT}; taken as UTC")
    return Zone(reason="nothing tells the zone; taken as UTC", ambiguous=True)


def _ambiguous(equal: Sequence[int]) -> Zone:
    names = ", ".join(label_of(offset) for offset in sorted(equal)[:6])
    if 0 in equal:
        reason = f"ambiguous ({names} fit equally); taken as UTC: pass --log-tz"
        return Zone(0, reason=reason, ambiguous=True)
    reason = f"ambiguous ({names} fit equally, UTC does not): pass --log-tz"
    return Zone(0, label="", reason=reason, ambiguous=True)


def _by_write_time(evidence: ZoneEvidence) -> int | None:
    """Return the offset at which the last line is as old as the file, if one there is."""
    if not len(evidence.sample_ms):
        return None
    last = int(evidence.sample_ms[-1])
    for offset in OFFSETS_MS:
        age = evidence.modified_ms - (last - offset)
        if (
            offset not in _SELDOM_MS and -2_000 <= age <= _WRITE_DELAY_MS
        ):  # file systems round, hence the two seconds
            return offset
    return None


def _inside(evidence: ZoneEvidence, offset: int) -> int:
    utc = evidence.sample_ms - offset
    inside = np.zeros(len(utc), np.bool_)
    for start, end in evidence.spans:
        inside |= (utc >= start) & (utc <= end)
    return int(inside.sum())


def _offset_at(zone: tzinfo, hour: int) -> int:
    local = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
    offset = zone.utcoffset(local.replace(tzinfo=None))
    return round(offset.total_seconds() * 1000) if offset else 0
