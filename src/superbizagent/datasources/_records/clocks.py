"""Stamps to UTC: zone, missing year, missing date."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .stamps import DATE_LESS, LOCAL, NONE, YEAR_LESS, Stamps
from .zones import Zone

__all__ = ["FileClock", "plausible"]

Ints = NDArray[np.int64]

_DAY_MS = 86_400_000
_FAR_MS = 3_652 * _DAY_MS
"""Nothing that was recorded together lies ten years apart; zero and broken times do."""
_MARCH_1972 = 790 * _DAY_MS
_YEAR_1972 = 730 * _DAY_MS


def plausible(times_ms: Ints) -> Ints:
    """Return the times without those of clocks that were not set."""
    if not len(times_ms):
        return times_ms
    middle = float(np.median(times_ms))
    return times_ms[np.abs(times_ms - middle) <= _FAR_MS]


@dataclass(frozen=True, slots=True)
class FileClock:
    """How one file's stamps become UTC."""

    zone: Zone
    reference_ms: int
    """A UTC time at or after the file's last lines, near them: tells the year and the day."""

    def utc(self, stamps: Stamps) -> tuple[Ints, NDArray[np.bool_]]:
        """Return UTC milliseconds and which lines have a time."""
        ms = stamps.ms.copy()
        dated = stamps.kind != NONE
        years = stamps.kind == YEAR_LESS
        if years.any():
            ms[years] = self._with_year(ms[years])
        days = stamps.kind == DATE_LESS
        if days.any():
            ms[days] = self._with_date(ms[days])
        local = (stamps.kind == LOCAL) | years | days
        if local.any():
            ms[local] = self.zone.to_utc(ms[local])
        return ms, dated

    def local(self, stamps: Stamps) -> Ints:
        """Return the zone-less times as written, with year and date."""
        years, days = stamps.kind == YEAR_LESS, stamps.kind == DATE_LESS
        ms = stamps.ms.copy()
        ms[years] = self._with_year(ms[years])
        ms[days] = self._with_date(ms[days])
        return ms[(stamps.kind == LOCAL) | years | days]

    def _with_year(self, ms: Ints) -> Ints:
        """Choose the year that puts a line nearest below the reference."""
        this_year = int(np.datetime64(self.reference_ms, "ms").astype("datetime64[Y]").astype(int))
        limit = self.reference_ms + _DAY_MS  # the zone may put it up to a day ahead
        chosen = np.full(len(ms), -(2**62), np.int64)
        for year in (this_year - 1, this_year, this_year + 1):
            begin = int(np.datetime64(year, "Y").astype("datetime64[ms]").astype(int))
            moved = ms - _YEAR_1972 + begin
            number = year + 1970
            leap = number % 4 == 0 and (number % 100 != 0 or number % 400 == 0)
            if not leap:
                moved = moved - np.where(ms >= _MARCH_1972, _DAY_MS, 0)
            chosen = np.where(moved <= limit, moved, chosen)
        return chosen

    def _with_date(self, ms: Ints) -> Ints:
        """Choose the day that puts a time of day nearest to the reference."""
        near = ms + self.reference_ms // _DAY_MS * _DAY_MS
        distance = near - self.reference_ms
        half = _DAY_MS // 2
        return near - np.where(distance > half, _DAY_MS, np.where(distance < -half, -_DAY_MS, 0))
