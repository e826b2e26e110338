"""Numbers that log lines carry: their values over time, the largest, and how often few came.

Where a number stands is known by the shape of its message, so values are gathered out of the bytes
of all messages together; only what stands in further lines of a message is searched for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_gather import Spots, read_numbers
from superbizagent.analysis._log_keys import Key, Spot, keys_of, spot_of
from superbizagent.analysis._log_shapes import Shapes
from superbizagent.analysis._log_values import FieldValues, ValueStore
from superbizagent.domain.distinct import stable_order

__all__ = ["FieldStore", "Rows"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """What is known of some records beside their text, one entry a record."""

    kinds: Ints
    windows: Ints
    times: Ints
    records: Ints
    """Number over all chunks."""


@dataclass(slots=True)
class FieldStore:
    """Field values of all kinds of records; a slot is one field of one kind."""

    slots: list[Key] = field(default_factory=list[Key])
    of_kind: dict[int, range] = field(default_factory=dict[int, range])
    """The slots of each kind that has any."""
    searched: dict[Key, list[tuple[int, int]]] = field(
        default_factory=dict[Key, list[tuple[int, int]]]
    )
    """Kinds and slots of what is not at the same place in every message of a kind."""
    values: ValueStore = field(default_factory=ValueStore)
    _spots: list[Spot] = field(default_factory=list[Spot])
    _homes: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Kind and slot of each spot; kinds ascend."""

    def learn(self, kind: int, body: str, *, alike: bool) -> None:
        """Look for fields in the representative message of a new kind.

        Args:
            kind: its number, above those before.
            body: the message.
            alike: messages of the kind differ in nothing but what their key leaves out.
        """
        found = keys_of(body)
        if not found:
            return
        first = len(self.slots)
        self.of_kind[kind] = range(first, first + len(found))
        for slot, (key, place) in enumerate(found, first):
            self.slots.append(key)
            spot = spot_of(body, key, place) if alike else None
            if spot is None:
                self.searched.setdefault(key, []).append((kind, slot))
            else:
                self._spots.append(spot)
                self._homes.append((kind, slot))

    def add(self, bodies: pl.Series, shapes: Shapes, given: Rows) -> Ints:
        """Read the fields of records (in either window) and return the records worth keeping."""
        parts = [self._gathered(shapes, given.kinds), *self._found(bodies, given.kinds)]
        slots, rows, values = (np.concatenate(p) for p in zip(*parts, strict=True))
        if not len(slots):
            return np.zeros(0, np.int64)
        good = np.flatnonzero(np.isfinite(values))
        slots, rows, values = slots[good], rows[good], values[good]
        windows = given.windows[rows]
        order = stable_order(slots * 2 + windows)
        rows = rows[order]
        return self.values.add(
            slots[order], windows[order], given.times[rows], values[order], given.records[rows]
        )

    def of(self, kinds: Sequence[int]) -> dict[str, FieldValues]:
        """Return the fields of several kinds together, by key in alphabetical order."""
        merged: dict[str, FieldValues] = {}
        for kind in kinds:
            for slot in self.of_kind.get(kind, ()):
                values = self.values.of(slot)
                if values is not None:
                    key = self.slots[slot]
                    merged.setdefault(key.name, FieldValues(key.unit)).merge(values)
        return dict(sorted(merged.items()))

    def _gathered(self, shapes: Shapes, kinds: Ints) -> tuple[Ints, Ints, Floats]:
        """Return slots, rows and values of what stands at places that are known."""
        if not self._spots:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        homes = np.array(self._homes, np.int64)
        begin = np.searchsorted(homes[:, 0], kinds)
        count = np.searchsorted(homes[:, 0], kinds, side="right") - begin
        rows = np.repeat(np.arange(len(kinds), dtype=np.int64), count)
        behind = np.cumsum(count)
        which = np.arange(len(rows), dtype=np.int64) + np.repeat(begin - behind + count, count)
        return homes[which, 1], rows, read_numbers(shapes, rows, Spots.of(self._spots), which)

    def _found(self, bodies: pl.Series, kinds: Ints) -> list[tuple[Ints, Ints, Floats]]:
        """Return the same of what is searched for."""
        if not self.searched:
            return []
        order = stable_order(kinds)
        ordered = kinds[order]
        found: list[tuple[Ints, Ints, Floats]] = []
        for key, members in self.searched.items():
            begins = np.searchsorted(ordered, [kind for kind, _ in members])
            ends = np.searchsorted(ordered, [kind for kind, _ in members], side="right")
            if not (ends > begins).any():
                continue
            spans = [order[b:e] for b, e in zip(begins, ends, strict=True)]
            rows = np.concatenate(spans)
            slots = np.repeat([slot for _, slot in members], ends - begins)
            text = bodies.gather(pl.Series(rows, dtype=pl.UInt32))
            numbers = text.str.extract(key.pattern, 1).cast(pl.Float64, strict=False)
            found.append((slots, rows, numbers.fill_null(np.nan).to_numpy()))
        return found
