"""Numbers that log lines carry: which keys a kind of record has, and their values per record."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["FieldStore", "FieldValues", "Key", "keys_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_AT_MOST = 8  # keys a kind of record
_FOR_MEDIAN = 20_000  # values a key and window; the maximum is kept over all of them
_KEYED = re.compile(
    r"(?:^|[\s,;|({\[\"'])([A-Za-z_][\w.\-]*)[\"']?\s*[=:]\s*[\"']?"
    r"-?[0-9]+(?:\.[0-9]+)?(ms|us|s|%|KB|MB|GB|B)?(?=[\s,;|)}\]\"']|$)"
)
# `acquired after 1415ms`: the word before names it, the unit shows that it measures something.
_MEASURED = re.compile(r"\b([A-Za-z][A-Za-z_\-]*) -?[0-9]+(?:\.[0-9]+)? ?(ms|us|s|%|KB|MB|GB)\b")
# Names of what identifies or dates; a larger value of these means nothing.
_NO_MEASURE = re.compile(
    r"(?i)(^|[_.\-])(id|pid|tid|port|line|time|date|year|month|day|version)$|Id$"
)


@dataclass(frozen=True, slots=True)
class Key:
    """One numeric field of a kind of record."""

    name: str
    unit: str
    pattern: str
    """Regular expression whose first group is the number."""


def keys_of(body: str) -> tuple[Key, ...]:
    """Return the numeric fields of a representative message, in the order they stand."""
    found: dict[str, Key] = {}
    for match in _KEYED.finditer(body):
        name, unit = match.group(1), match.group(2) or ""
        pattern = (
            rf"(?:^|[\s,;|(\[{{\"']){re.escape(name)}[\"']?\s*[=:]\s*[\"']?(-?[0-9]+(?:\.[0-9]+)?)"
        )
        _remember(found, Key(name, unit, pattern))
    for match in _MEASURED.finditer(body):
        name, unit = match.group(1), match.group(2)
        pattern = rf"(?-u:\b){re.escape(name)} (-?[0-9]+(?:\.[0-9]+)?) ?{unit}"
        _remember(found, Key(name, unit, pattern))
    return tuple(found.values())[:_AT_MOST]


def _remember(found: dict[str, Key], key: Key) -> None:
    if not _NO_MEASURE.search(key.name):
        found.setdefault(key.name, key)


@dataclass(slots=True)
class FieldValues:
    """Values of one key of one kind of record."""

    unit: str
    count: list[int] = field(default_factory=lambda: [0, 0])
    """Records in baseline and incident that hold the key."""
    kept: tuple[list[Floats], list[Floats]] = field(
        default_factory=lambda: (list[Floats](), list[Floats]())
    )
    top: float = -np.inf
    """Largest value in the incident."""
    top_line: int = -1
    """Record number (over all chunks) that holds it, the first such."""

    def add(self, values: Floats, window: int, records: Ints) -> bool:
        """Add values of one window (0 baseline, 1 incident); tell whether the maximum rose."""
        left = _FOR_MEDIAN - self.count[window]
        self.count[window] += len(values)
        if left > 0:
            self.kept[window].append(values[:left])
        if window == 0 or len(values) == 0 or values.max() <= self.top:
            return False
        at = int(np.argmax(values))
        self.top, self.top_line = float(values[at]), int(records[at])
        return True

    def merge(self, other: "FieldValues") -> None:
        """Take in the values of another kind; of equal maxima the earlier record stays."""
        for window in (0, 1):
            self.count[window] += other.count[window]
            self.kept[window].extend(other.kept[window])
        if (other.top, -other.top_line) > (self.top, -self.top_line):
            self.top, self.top_line = other.top, other.top_line

    def values(self, window: int) -> Floats:
        """Return what was kept of one window."""
        return np.concatenate([np.zeros(0), *self.kept[window]])


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

    def add(self, bodies: pl.Series, kinds: Ints, windows: Ints, records: Ints) -> Ints:
        """Read the fields of records (in either window) and return records of new maxima."""
        maxima: list[int] = []
        for keys, members in _by_keys(self.keys, np.unique(kinds)):
            rows = np.flatnonzero(np.isin(kinds, members))
            text = bodies.gather(rows)
            for key in keys:
                numbers = text.str.extract(key.pattern, 1).cast(pl.Float64, strict=False)
                values = numbers.fill_null(np.nan).to_numpy()
                maxima += self._add_key(key, values, kinds[rows], windows[rows], records[rows])
        return np.array(sorted(set(maxima)), np.int64)

    def of(self, kinds: Sequence[int]) -> dict[str, FieldValues]:
        """Return the fields of several kinds together, by key in alphabetical order."""
        merged: dict[str, FieldValues] = {}
        for kind in kinds:
            for key in self.keys.get(kind, ()):
                if (kind, key.name) in self.values:
                    target = merged.setdefault(key.name, FieldValues(key.unit))
                    target.merge(self.values[kind, key.name])
        return dict(sorted(merged.items()))

    def _add_key(
        self, key: Key, values: Floats, kinds: Ints, windows: Ints, records: Ints
    ) -> Iterator[int]:
        held = np.isfinite(values)
        values, kinds, windows, records = values[held], kinds[held], windows[held], records[held]
        cell = kinds * 2 + windows
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        for part in np.split(order, starts[1:]) if len(order) else []:
            kind, window = divmod(int(cell[part[0]]), 2)
            store = self.values.setdefault((kind, key.name), FieldValues(key.unit))
            if store.add(values[part], window, records[part]):
                yield store.top_line


def _by_keys(
    keys: dict[int, tuple[Key, ...]], kinds: Ints
) -> list[tuple[tuple[Key, ...], Sequence[int]]]:
    """Group the kinds that are present by what they hold, so that each pattern runs once."""
    groups: dict[tuple[Key, ...], list[int]] = {}
    for kind in kinds.tolist():
        if kind in keys:
            groups.setdefault(keys[kind], []).append(kind)
    return list(groups.items())
