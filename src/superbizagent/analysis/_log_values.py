"""The values of many numeric fields at once, kept in columns: samples, maxima, few values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FieldValues", "Sample", "ValueCounts", "ValueStore"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_SAMPLE = 5_000  # values a key and window, evenly; maximum and few values are over all of them
_FEW = 20  # distinct values of a code; more are a measure
_SLACK = 1 << 19  # kept values from which it is worth to thin them out


@dataclass(slots=True)
class Sample:
    """Every 2^k-th value: evenly spread, and the same however the stream was cut."""

    count: int = 0
    """Values seen, kept or not."""
    kept: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Time (ms) and value, shape ``(n, 2)``, in order of the records."""

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

    def add(self, value: float, window: int, record: int, count: int) -> bool:
        """Count a value of one window; tell whether ``record`` is the first that holds it."""
        if self.counts is None:
            return False
        known = self.counts.get(value, (0, 0))
        self.counts[value] = _replaced(known, window, known[window] + count)
        new = known[window] == 0
        if new:
            self.first[value] = _replaced(self.first.get(value, (-1, -1)), window, record)
        return new

    def merge(self, other: "ValueCounts") -> None:
        """Take in the counts of another kind."""
        if self.counts is None or other.counts is None:
            self.give_up()
            return
        for value, (before, during) in other.counts.items():
            known = self.counts.get(value, (0, 0))
            self.counts[value] = (known[0] + before, known[1] + during)
            pairs = zip(self.first.get(value, (-1, -1)), other.first[value], strict=True)
            first, second = (min((r for r in pair if r >= 0), default=-1) for pair in pairs)
            self.first[value] = (first, second)
        if len(self.counts) > _FEW:
            self.give_up()

    def give_up(self) -> None:
        """Forget the values: they are too many to be codes."""
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
class _Kept:
    """Values that are kept: their cell (slot and window), number in it, time and value."""

    cells: Ints
    numbers: Ints
    times: Ints
    values: Floats

    def take(self, rows: Ints) -> "_Kept":
        return _Kept(self.cells[rows], self.numbers[rows], self.times[rows], self.values[rows])


@dataclass(slots=True)
class ValueStore:
    """Values by slot (a field of a kind of record) and window."""

    _count: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Values seen, of each cell: slot * 2 + window."""
    _top: Floats = field(default_factory=lambda: np.zeros(0))
    _top_line: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    _codes: list[ValueCounts] = field(default_factory=list[ValueCounts])
    _open: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Slots whose values are still counted one by one."""
    _kept: list[_Kept] = field(default_factory=list[_Kept])
    _thinned: int = 0
    """Values kept when they were thinned out last."""
    _begins: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Where the values of each cell begin, once they are sorted."""

    def add(self, slots: Ints, windows: Ints, times: Ints, values: Floats, records: Ints) -> Ints:
        """Add values sorted by slot and window, in those by record; return records to keep."""
        if not len(slots):
            return records
        self._grow(int(slots[-1]) + 1)
        cells = slots * 2 + windows
        begins = np.flatnonzero(np.diff(cells, prepend=-1))
        sizes = np.diff(np.append(begins, len(cells)))
        here = cells[begins]
        rank = np.arange(len(cells), dtype=np.int64) - np.repeat(begins, sizes)
        numbers = rank + self._count[cells]
        self._count[here] += sizes
        kept = np.flatnonzero(numbers % self._strides()[cells] == 0)
        self._keep(_Kept(cells, numbers, times, values).take(kept))
        tops = self._see_tops(here, begins, values, records)
        return np.unique([*tops, *self._see_codes(slots, windows, values, records)])

    def of(self, slot: int) -> FieldValues | None:
        """Return what is known of one slot; None when it never had a value."""
        if 2 * slot >= len(self._count) or not self._count[2 * slot : 2 * slot + 2].any():
            return None
        if not len(self._begins):
            self._thin()
        found = FieldValues("", (self._sample(2 * slot), self._sample(2 * slot + 1)))
        found.codes = self._codes[slot]
        found.top, found.top_line = float(self._top[slot]), int(self._top_line[slot])
        return found

    def _sample(self, cell: int) -> Sample:
        part = slice(self._begins[cell], self._begins[cell + 1])
        kept = self._kept[0]
        both = np.column_stack([kept.times[part].astype(np.float64), kept.values[part]])
        return Sample(int(self._count[cell]), both)

    def _strides(self) -> Ints:
        """Return the least power of two for each cell that leaves no more than wanted."""
        over = np.maximum(1, -(-self._count // _SAMPLE))
        return np.int64(1) << np.ceil(np.log2(over)).astype(np.int64)

    def _keep(self, new: _Kept) -> None:
        self._kept.append(new)
        self._begins = np.zeros(0, np.int64)
        if sum(len(part.cells) for part in self._kept) > 2 * self._thinned + _SLACK:
            self._thin()

    def _thin(self) -> None:
        """Drop what the strides leave out, and sort the rest."""
        whole = _Kept(
            np.concatenate([k.cells for k in self._kept]),
            np.concatenate([k.numbers for k in self._kept]),
            np.concatenate([k.times for k in self._kept]),
            np.concatenate([k.values for k in self._kept]),
        )
        whole = whole.take(np.flatnonzero(whole.numbers % self._strides()[whole.cells] == 0))
        whole = whole.take(np.argsort(whole.cells, kind="stable"))
        self._kept = [whole]
        self._thinned = len(whole.cells)
        self._begins = np.searchsorted(whole.cells, np.arange(len(self._count) + 1))

    def _see_tops(self, here: Ints, begins: Ints, values: Floats, records: Ints) -> list[int]:
        """Learn the largest values of the incident; return the records that hold new ones."""
        top = np.maximum.reduceat(values, begins)
        slots = here // 2
        higher = np.flatnonzero((here % 2 == 1) & (top > self._top[slots]))
        ends = np.append(begins, len(values))
        found: list[int] = []
        for k in higher.tolist():
            row = begins[k] + int(np.argmax(values[begins[k] : ends[k + 1]]))
            found.append(int(records[row]))
        self._top[slots[higher]] = top[higher]
        self._top_line[slots[higher]] = found
        return found

    def _see_codes(
        self, slots: Ints, windows: Ints, values: Floats, records: Ints
    ) -> Iterator[int]:
        """Count values that are few; yield records that are the first with theirs."""
        rows = np.flatnonzero(self._open[slots])
        if not len(rows):
            return
        rows = rows[np.lexsort((windows[rows], values[rows], slots[rows]))]
        slots, windows, values, records = slots[rows], windows[rows], values[rows], records[rows]
        other = np.ones(len(slots), np.bool_)
        other[1:] = (np.diff(slots) != 0) | (np.diff(values) != 0)
        many = np.bincount(slots[other], minlength=len(self._open)) > _FEW
        self._give_up(np.flatnonzero(many))
        other[1:] |= np.diff(windows) != 0
        first = np.flatnonzero(other)
        sizes = np.diff(np.append(first, len(slots)))
        few = ~many[slots[first]]
        first, sizes = first[few], sizes[few]
        columns = (slots[first], values[first], windows[first], records[first], sizes)
        lists: list[list[Any]] = [c.tolist() for c in columns]
        for slot, value, window, record, n in zip(*lists, strict=True):
            if self._codes[int(slot)].add(value, window, record, n):
                yield record
        seen: list[int] = np.unique(slots[first]).tolist()
        self._give_up([s for s in seen if len(self._codes[s].counts or ()) > _FEW])

    def _give_up(self, slots: Sequence[int] | Ints) -> None:
        for slot in slots:
            self._codes[int(slot)].give_up()
            self._open[slot] = False

    def _grow(self, slots: int) -> None:
        more = slots - len(self._open)
        if more > 0:
            self._count = np.concatenate([self._count, np.zeros(2 * more, np.int64)])
            self._top = np.concatenate([self._top, np.full(more, -np.inf)])
            self._top_line = np.concatenate([self._top_line, np.full(more, -1, np.int64)])
            self._open = np.concatenate([self._open, np.ones(more, np.bool_)])
            self._codes += [ValueCounts() for _ in range(more)]
