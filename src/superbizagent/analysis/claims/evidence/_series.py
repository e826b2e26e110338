"""Every stored series once, as it was judged: a check's call repeats what a sweep had."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Self

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.abnormal import is_abnormal
from superbizagent.analysis.claims.evidence.subjects import OWN_LABELS
from superbizagent.analysis.deviation import Deviations, Status, measure
from superbizagent.analysis.families import Meaning
from superbizagent.analysis.onset import find_onset
from superbizagent.analysis.quantiles import spans
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.series import Labels, SeriesSet, series_name
from superbizagent.domain.window import Windows, to_ms

__all__ = ["Samples", "StoredSeries"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_QUIET = 3.0  # scales, the band of `analysis.onset`: within it a series is as it always was


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of all series, one series after the other, ascending in time."""

    owner: Ints
    times: Ints
    """Milliseconds since the epoch."""
    values: Floats
    offsets: Ints
    """Series ``k`` owns ``offsets[k]:offsets[k + 1]``."""

    @classmethod
    def of(cls, lengths: Ints, times: Ints, values: Floats) -> Self:
        """Build from the samples of all series and how many each has."""
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        owner = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        return cls(owner, times, values, offsets)

    def within(self, start: Ints, end: Ints) -> "Samples":
        """Return the samples of each series in its own span ``[start[k], end[k]]``."""
        kept = ~self.before(start) & (self.times <= self._each(end))
        lengths = np.bincount(self.owner[kept], minlength=len(start)).astype(np.int64)
        return Samples.of(lengths, self.times[kept], self.values[kept])

    def before(self, start: Ints) -> NDArray[np.bool_]:
        """Tell of each sample whether it is older than its series' ``start``."""
        return self.times < self._each(start)

    def _each(self, bound: Ints) -> Ints | np.int64:
        """A bound of each series for each sample; one number where all have the same."""
        alike = len(bound) > 0 and bool((bound == bound[0]).all())
        return bound[0] if alike else bound[self.owner]

    @property
    def lengths(self) -> Ints:
        """Samples of each series."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class StoredSeries:
    """Distinct series in call order, one entry a series."""

    calls: Ints
    """The call that had it first."""
    rows: Ints
    """Position in that call's output."""
    names: tuple[str, ...]
    labels: tuple[Labels, ...]
    entities: tuple[str, ...]
    """Entity path, empty where labels name none."""
    owners: tuple[str, ...]
    """The same, but the own name of a pod or host that has none."""
    modes: NDArray[np.int8]
    """Code in `preparation.MODES`."""
    meanings: tuple[Meaning, ...]
    used: NDArray[np.int8]
    """The baseline it was judged by, -1 for none."""
    direction: tuple[str, ...]
    """``up`` or ``down`` (abnormally), ``flat``, ``appeared``, ``vanished``, or nothing."""
    onsets: Mapping[int, int]
    """Since when (ms), of the abnormal."""
    judged: Samples
    """Rates of counters, means of histograms, all else as it stands."""
    raw: Samples
    """Finite samples as they are stored."""
    held: Mapping[int, Ints]
    """Which series a call returned, those that an earlier call had too."""

    @classmethod
    def of(cls, evidence: Evidence, windows: Windows, step: timedelta, entity_of: EntityOf) -> Self:
        """Read the series of all calls.

        Args:
            evidence: the calls.
            windows: what is compared with what.
            step: the sampling interval.
            entity_of: which entity a label set belongs to.
        """
        found = _Reader(windows, step, _stored_onsets(evidence))
        for row in evidence.invocations:
            # What a rule was evaluated to is stored as facts; no target was sampled for it.
            evaluated = row.call.purpose.startswith("rule:")
            if isinstance(row.output, SeriesSet) and not evaluated:
                found.add(row.number, row.output)
        entities = tuple(entity_of(item) or "" for item in found.labels)
        owners = (
            e or next((item[key] for key in OWN_LABELS if item.get(key)), "")
            for e, item in zip(entities, found.labels, strict=True)
        )
        return cls(
            calls=np.array(found.calls, np.int64),
            rows=np.array(found.rows, np.int64),
            names=tuple(found.names),
            labels=tuple(found.labels),
            entities=entities,
            owners=tuple(owners),
            modes=np.array(found.modes, np.int8),
            meanings=tuple(found.meanings),
            used=np.array(found.used, np.int8),
            direction=tuple(found.direction),
            onsets=found.onsets,
            judged=_joined(found.judged),
            raw=_joined(found.raw),
            held={call: np.array(codes, np.int64) for call, codes in found.held.items()},
        )

    def __len__(self) -> int:
        return len(self.names)

    def place(self, code: int) -> str:
        """Return how a reading of a series is known: ``E4.s17``."""
        return f"E{self.calls[code]}.s{self.rows[code]}"


Part = tuple[Ints, Ints, Floats]
"""Lengths, times and values of some series."""


@dataclass
class _Reader:
    windows: Windows
    step: timedelta
    dated: Mapping[tuple[int, int], int]
    """Call and row -> onset (ms) that is a stored fact."""
    calls: list[int] = field(default_factory=list[int])
    rows: list[int] = field(default_factory=list[int])
    names: list[str] = field(default_factory=list[str])
    labels: list[Labels] = field(default_factory=list[Labels])
    modes: list[int] = field(default_factory=list[int])
    meanings: list[Meaning] = field(default_factory=list[Meaning])
    used: list[int] = field(default_factory=list[int])
    direction: list[str] = field(default_factory=list[str])
    onsets: dict[int, int] = field(default_factory=dict[int, int])
    judged: list[Part] = field(default_factory=list[Part])
    raw: list[Part] = field(default_factory=list[Part])
    held: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    _known: dict[str, list[tuple[int, Ints, Floats]]] = field(
        default_factory=dict[str, list[tuple[int, Ints, Floats]]]
    )

    def add(self, call: int, series: SeriesSet) -> None:
        """Take what no earlier call had."""
        held = self.held.setdefault(call, [])
        fresh: list[int] = []
        for row, labels in enumerate(series.labels):
            name = series_name(labels)
            part = slice(int(series.offsets[row]), int(series.offsets[row + 1]))
            times, values = series.times[part], series.values[part]
            code = self._code(name, times, values)
            if code is None:
                code = len(self.names)
                self._known.setdefault(name, []).append((code, times, values))
                self.calls.append(call)
                self.rows.append(row)
                self.names.append(name)
                self.labels.append(labels)
                fresh.append(row)
            held.append(code)
        if fresh:
            self._measure(call, series, np.array(fresh, np.int64))

    def _code(self, name: str, times: Ints, values: Floats) -> int | None:
        """The series of this name with these samples: two sources may each have one."""
        for code, its_times, its_values in self._known.get(name, ()):
            if np.array_equal(times, its_times) and np.array_equal(
                values, its_values, equal_nan=True
            ):
                return code
        return None

    def _measure(self, call: int, series: SeriesSet, fresh: Ints) -> None:
        # The whole call: a histogram's sum is read with its count, and the bar of what is abnormal
        # rises with the number of series looked at.
        deviations = measure(series, self.windows, self.step)
        first = len(self.used)
        self.modes += deviations.mode[fresh].tolist()
        self.meanings += [deviations.meanings[k] for k in fresh.tolist()]
        self.used += deviations.baseline_used[fresh].tolist()
        abnormal = is_abnormal(deviations)[fresh]
        self.direction += _directions(deviations, fresh, abnormal)
        for k in np.flatnonzero(abnormal).tolist():
            known = self.dated.get((call, int(fresh[k])))
            onset = find_onset(deviations, int(fresh[k])) if known is None else None
            if known is not None:
                self.onsets[first + k] = known
            elif onset is not None:
                self.onsets[first + k] = to_ms(onset.at)
        prepared = deviations.prepared
        self.judged.append(_part(prepared.offsets, prepared.times, prepared.values, fresh))
        lengths, times, values = _part(series.offsets, series.times, series.values, fresh)
        finite = np.isfinite(values)
        owner = np.repeat(np.arange(len(fresh)), lengths)[finite]
        counts = np.bincount(owner, minlength=len(fresh)).astype(np.int64)
        self.raw.append((counts, times[finite], values[finite]))


def _stored_onsets(evidence: Evidence) -> dict[tuple[int, int], int]:
    """Return the onsets that stored facts have: finding one takes longer than all else of it."""
    return {
        (row.number, int(fact.place.split("/")[1])): to_ms(fact.at)
        for row in evidence.invocations
        for fact in row.facts
        if fact.statistic == "onset_at" and fact.at and fact.place.startswith("series/")
    }


def _directions(deviations: Deviations, fresh: Ints, abnormal: NDArray[np.bool_]) -> Iterator[str]:
    for row, odd in zip(fresh.tolist(), abnormal.tolist(), strict=True):
        match Status(int(deviations.status[row])):
            case Status.APPEARED:
                yield "appeared"
            case Status.VANISHED:
                yield "vanished"
            case Status.MEASURED if odd:
                yield "up" if deviations.direction(row) > 0 else "down"
            case Status.MEASURED if abs(float(deviations.z[row])) <= _QUIET:
                yield "flat"
            case _:
                yield ""


def _part(offsets: Ints, times: Ints, values: Floats, rows: Ints) -> Part:
    starts, lengths = offsets[:-1][rows], np.diff(offsets)[rows]
    at = spans(starts, lengths)
    return lengths, times[at], values[at]


def _joined(parts: list[Part]) -> Samples:
    if not parts:
        empty = np.zeros(0, np.int64)
        return Samples.of(empty, empty, np.zeros(0))
    lengths, times, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Samples.of(lengths, times, values)
