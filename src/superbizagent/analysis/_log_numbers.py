"""What the digest says of a numeric field: both windows, a change of level, rare values."""

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._log_keys import is_code
from superbizagent.analysis._log_lines import Chosen
from superbizagent.analysis._log_shifts import Shift, number_shift
from superbizagent.analysis._log_values import FieldValues
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.logs import FieldStat, LogShift, ValueCount
from superbizagent.domain.window import Windows, from_ms

__all__ = ["Buckets", "field_stat"]

Ints = NDArray[np.int64]

_RARE = 3  # records
_MANY = 1_000  # records, among which a few are rare


@dataclass(frozen=True, slots=True)
class Buckets:
    """Equal parts of the whole look."""

    windows: Windows
    width: int
    """Milliseconds."""

    @overload
    def of(self, times: Ints) -> Ints: ...
    @overload
    def of(self, times: int) -> int: ...
    def of(self, times: Ints | int) -> Ints | int:
        """Return the bucket of each time."""
        return (times - self.windows.whole.start_ms) // self.width

    def shown(self, shift: Shift, siblings: tuple[str, ...] = ()) -> LogShift:
        """Return a shift as the digest says it."""
        start = self.windows.whole.start_ms
        return LogShift(
            at=from_ms(start + shift.bucket * self.width),
            onset_at=from_ms(start + shift.onset * self.width + self.width // 2),
            before=round_significant(shift.before),
            after=round_significant(shift.after),
            effect=round_significant(shift.effect),
            siblings=siblings,
        )


def field_stat(key: str, values: FieldValues, buckets: Buckets, chosen: Chosen) -> FieldStat:
    """Return what is known of one field of one template."""
    before, during = values.samples
    counts = _value_counts(values, chosen)
    total = sum(c.baseline_count + c.incident_count for c in counts)
    rare = [c.value for c in counts if c.baseline_count + c.incident_count <= _RARE]
    return FieldStat(
        key=key,
        unit=values.unit,
        baseline_count=before.count,
        baseline_median=_median(before.kept[:, 1]),
        incident_count=during.count,
        incident_median=_median(during.kept[:, 1]),
        incident_max=round_significant(values.top) if during.count else None,
        incident_max_line=chosen.position.get(values.top_line),
        rare_values=tuple(rare) if total >= _MANY else (),
        values=counts,
        shift=None if is_code(key) else _shift(values, buckets),
    )


def _value_counts(values: FieldValues, chosen: Chosen) -> tuple[ValueCount, ...]:
    counts = values.codes.counts or {}
    if len(counts) < 2:  # a constant tells nothing
        return ()
    found = [
        ValueCount(
            value=value,
            baseline_count=before,
            incident_count=during,
            line=next(
                (
                    chosen.position[record]
                    for record in reversed(values.codes.first[value])
                    if record in chosen.position
                ),
                None,
            ),
        )
        for value, (before, during) in counts.items()
    ]
    return tuple(sorted(found, key=lambda c: (-c.baseline_count - c.incident_count, c.value)))


def _shift(values: FieldValues, buckets: Buckets) -> LogShift | None:
    before, during = values.samples
    if not before.count or not during.count:
        return None
    kept = np.concatenate([before.kept, during.kept])
    of = buckets.of(kept[:, 0].astype(np.int64))
    first = buckets.of(buckets.windows.incident.start_ms)
    found = number_shift(of, kept[:, 1], first)
    return buckets.shown(found) if found is not None else None


def _median(values: NDArray[np.float64]) -> float | None:
    return round_significant(float(np.median(values))) if len(values) else None
