"""Numbers that log lines carry: their values over time, the largest, and how often few came."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_keys import Key, keys_of

__all__ = ["FieldStore", "FieldValues", "Rows", "Sample", "ValueCounts"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_SAMPLE = 5_000  # values a key and window, evenly; maximum and few values are over all of them
_FEW = 20  # distinct values of a code; more are a measure


@dataclass(slots=True)
class Sample:
    """Every 2^k-th value: evenly spread, and the same however the stream was cut."""

    count: int = 0
    """Values seen, kept or not."""
    stride: int = 1
    kept: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Time (ms) and value, shape ``(n, 2)``, in order of the records."""

    def add(self, times: Ints, values: Floats) -> None:
        """Add values in order of their records."""
        first = -self.count % self.stride
        self.count += len(values)
        part = slice(first, None, self.stride)
        new = np.column_stack([times[part].astype(np.float64), values[part]])
        self.kept = np.concatenate([self.kept, new])
        while len(self.kept) > _SAMPLE:
            self.stride *= 2
            self.kept = self.kept[::2]

    def merge(self, other: "Sample") -> None:
        """Take in the values of another kind."""
        self.count += other.count
        self.kept = np.concatenate([self.kept, other.kept])


@dataclass(slots=True)
class ValueCounts:
    """How often each of a few values came, and the first record that holds it in either window."""

    counts: dict[float, tuple[int, int]] | None = field(
        default_factory=dict[float, tuple[int, int]]
    )
    """Baseline and incident of each value; None once they were too many."""
    first: dict[float, tuple[int, int]] = field(default_factory=dict[float, tuple[int, int]])
    """Record number in baseline and incident, -1 for none."""

    def add(self, values: Floats, window: int, records: Ints) -> Iterator[int]:
        """Count values of one window; yield records that are the first with theirs."""
        if self.counts is None or len(values) == 0:
            return
        # A look at a few spares the sort of what is a measure anyway.
        if len(set(values[:100].tolist())) > _FEW:
            self._give_up()
            return
        distinct, rows, counts = np.unique(values, return_index=True, return_counts=True)
        for value, row, n in zip(distinct.tolist(), rows.tolist(), counts.tolist(), strict=True):
            known = self.counts.get(value, (0, 0))
            seen = self.first.get(value, (-1, -1))
            if known[window] == 0:
                yield int(records[row])
                self.first[value] = _replaced(seen, window, int(records[row]))
            self.counts[value] = _replaced(known, window, known[window] + n)
        if len(self.counts) > _FEW:
            self._give_up()

    def merge(self, other: "ValueCounts") -> None:
        """Take in the counts of another kind."""
        if self.counts is None or other.counts is None:
            self._give_up()
            return
        for value, (before, during) in other.counts.items():
            known = self.counts.get(value, (0, 0))
            self.counts[value] = (known[0] + before, known[1] + during)
            pairs = zip(self.first.get(value, (-1, -1)), other.first[value], strict=True)
            first, second = (min((r for r in pair if r >= 0), default=-1) for pair in pairs)
            self.first[value] = (first, second)
        if len(self.counts) > _FEW:
            self._give_up()

    def _give_up(self) -> None:
        self.counts = None
        self.first.clear()


def _replaced(pair: tuple[int, int], place: int, value: int) -> tuple[int, int]:
    return (value, pair[1]) if place == 0 else (pair[0], value)


@dataclass(slots=True)
class FieldValues:
    """Values of one key of one kind of record."""

    unit: str
    samples: tuple[Sample, Sample] = field(default_factory=lambda: (Sample(), Sample()))
    """Of baseline and incident."""
    codes: ValueCounts = field(default_factory=ValueCounts)
    top: float = -np.inf
    """Largest value in the incident."""
    top_line: int = -1
    """Record number (over all chunks) that holds it, the first such."""

    def add(self, times: Ints, values: Floats, window: int, records: Ints) -> Iterator[int]:
        """Add values of one window (0 baseline, 1 incident); yield records worth keeping."""
        self.samples[window].add(times, values)
        yield from self.codes.add(values, window, records)
        if window == 0 or len(values) == 0 or values.max() <= self.top:
            return
        at = int(np.argmax(values))
        self.top, self.top_line = float(values[at]), int(records[at])
        yield self.top_line

    def merge(self, other: "FieldValues") -> None:
        """Take in the values of another kind; of equal maxima the earlier record stays."""
        for mine, its in zip(self.samples, other.samples, strict=True):
            mine.merge(its)
        self.codes.merge(other.codes)
        if (other.top, -other.top_line) > (self.top, -self.top_line):
            self.top, self.top_line = other.top, other.top_line

    def shown_records(self) -> set[int]:
        """Return the records that a reader may want to see."""
        return {self.top_line, *(r for pair in self.codes.first.values() for r in pair)} - {-1}


@dataclass(frozen=True, slots=True)
class Rows:
    """What is known of some records beside their text, one entry a record."""

    kinds: Ints
    windows: Ints
    times: Ints
    records: Ints
    """Number over all chunks."""

    def take(self, rows: Ints) -> "Rows":
        """Return some of them."""
        return Rows(self.kinds[rows], self.windows[rows], self.times[rows], self.records[rows])


@dataclass(slots=True)
class FieldStore:
    """Field values of all kinds of records."""

    keys: dict[int, tuple[Key, ...]] = field(default_factory=dict[int, tuple[Key, ...]])
    values: dict[tuple[int, str], FieldValues] = field(
        default_factory=dict[tuple[int, str], FieldValues]
    )

    def learn(self, kind: int, body: str) -> None:
        """Look for fields in the representative message of a new kind."""
        keys = keys_of(body)
        if keys:
            self.keys[kind] = keys

    def add(self, bodies: pl.Series, given: Rows) -> Ints:
        """Read the fields of records (in either window) and return the records worth keeping."""
        kept: set[int] = set()
        order = np.argsort(given.kinds, kind="stable")
        kinds, starts = np.unique(given.kinds[order], return_index=True)
        spans = {
            int(kind): order[begin:end]
            for kind, (begin, end) in zip(
                kinds, pairwise([*starts.tolist(), len(order)]), strict=True
            )
        }
        for key, members in self._by_key(spans).items():
            rows = np.concatenate([spans[kind] for kind in members])
            text = bodies.gather(pl.Series(rows, dtype=pl.UInt32))
            values = text.str.extract(key.pattern, 1).cast(pl.Float64, strict=False)
            numbers = values.fill_null(np.nan).to_numpy()
            begin = 0
            for kind in members:
                part = slice(begin, begin + len(spans[kind]))
                kept.update(self._add_key(kind, key, numbers[part], given.take(rows[part])))
                begin = part.stop
        return np.array(sorted(kept), np.int64)

    def of(self, kinds: Sequence[int]) -> dict[str, FieldValues]:
        """Return the fields of several kinds together, by key in alphabetical order."""
        merged: dict[str, FieldValues] = {}
        for kind in kinds:
            for key in self.keys.get(kind, ()):
                if (kind, key.name) in self.values:
                    target = merged.setdefault(key.name, FieldValues(key.unit))
                    target.merge(self.values[kind, key.name])
        return dict(sorted(merged.items()))

    def _by_key(self, kinds: dict[int, Ints]) -> dict[Key, list[int]]:
        """Group the kinds that are present by what they hold, so that each pattern runs once."""
        groups: dict[Key, list[int]] = {}
        for kind in kinds:
            for key in self.keys.get(kind, ()):
                groups.setdefault(key, []).append(kind)
        return groups

    def _add_key(self, kind: int, key: Key, values: Floats, given: Rows) -> Iterator[int]:
        held = np.isfinite(values)
        for window in (0, 1):
            rows = np.flatnonzero(held & (given.windows == window))
            if len(rows):
                store = self.values.setdefault((kind, key.name), FieldValues(key.unit))
                yield from store.add(given.times[rows], values[rows], window, given.records[rows])
