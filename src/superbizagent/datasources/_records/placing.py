"""The zone of each file: rotated parts of one log share it, so they are judged together.

A part of a log that ended hours before the question would else be moved into the question by a
zone that is not its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .clocks import FileClock
from .files import LogInput, service_of
from .profile import Profile, sample_stamps
from .seek import Prober
from .zones import Zone, ZoneEvidence, decide_zone, fixed_zone

__all__ = ["Placing", "ProfiledFile", "prober_of", "reference_ms"]

_PROBES = 48
_SAMPLED = 200
"""Times of one part at most, so that no part outweighs the others by how it is stored."""

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ProfiledFile:
    """A file and how to read it."""

    item: LogInput
    profile: Profile

    @property
    def log(self) -> tuple[str, str]:
        """Which log it is a part of."""
        return self.item.service, service_of(self.item.path.name)


@dataclass(frozen=True, slots=True)
class Placing:
    """How zones are decided.

    ``told`` wins; else lines should fall into ``references``, and where there are none into what
    is asked about.
    """

    told: tzinfo | None = None
    reason: str = ""
    references: Spans = ()

    def clocks(self, files: Sequence[ProfiledFile], spans: Spans) -> list[FileClock]:
        """Return the clock of each file; ``files`` are in order, the oldest part first.

        Raises:
            OSError: when a file cannot be read any more.
        """
        zones: dict[tuple[str, str], Zone] = {}
        for log in dict.fromkeys(f.log for f in files if f.profile.zone_less):
            parts = [f for f in files if f.log == log and f.profile.zone_less]
            zones[log] = self._zone(parts, spans)
        return [
            FileClock(
                zones[f.log] if f.profile.zone_less else Zone(label=""),
                reference_ms(f.profile, spans),
            )
            for f in files
        ]

    def _zone(self, parts: Sequence[ProfiledFile], spans: Spans) -> Zone:
        if self.told is not None:
            return fixed_zone(self.told, self.reason)
        sample = np.concatenate([_local_sample(f, spans) for f in parts])
        newest = parts[-1].profile.modified_ms
        if self.references:
            return decide_zone(ZoneEvidence(sample, newest, self.references))
        alone = decide_zone(ZoneEvidence(sample, newest))
        asked = decide_zone(ZoneEvidence(sample, newest, spans)) if spans else alone
        # Where nobody gave a time, what is asked about is the very span that these lines were
        # placed in: that they fall into it is no reason.
        return alone if asked.offset_ms == alone.offset_ms and not asked.ambiguous else asked


def reference_ms(profile: Profile, spans: Spans) -> int:
    """Return a UTC time near the file's end: the end of what is asked about, else its mtime."""
    return max((end for _, end in spans), default=profile.modified_ms)


def prober_of(file: ProfiledFile) -> Prober:
    """Return what looks into a file at any offset."""
    profile = file.profile
    stamp = partial(sample_stamps, profile=profile)
    return Prober(file.item.path, profile.size_bytes, profile.encoding, stamp)


def _local_sample(file: ProfiledFile, spans: Spans) -> NDArray[np.int64]:
    """Return zone-less times spread over the file, the last one last."""
    profile = file.profile
    clock = FileClock(Zone(), reference_ms(profile, spans))
    if profile.complete or profile.packed:
        parts = [clock.local(profile.head), clock.local(profile.tail)]
    else:
        parts = [clock.local(p.stamps) for p in prober_of(file).sample(_PROBES)]
    local = np.concatenate(parts)
    if len(local) > _SAMPLED:
        local = local[np.linspace(0, len(local) - 1, _SAMPLED).astype(np.int64)]
    return np.concatenate([local, clock.local(profile.tail)[-1:]])
