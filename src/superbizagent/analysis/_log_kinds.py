"""Kinds of log records: the distinct (service, severity, message key), counted and dated."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_shapes import HeadText, Shapes, shapes_of
from superbizagent.domain.distinct import distinct_of, numbered, stable_order
from superbizagent.domain.logs import SEVERITIES

__all__ = ["Keyed", "Kinds", "head_of"]

Ints = NDArray[np.int64]

_MOST = 100_000  # kinds kept apart; a log in which every line is new must not fill the memory
_REST = "0"
"""Stands for the rest of what came after; as a number it reads as a wildcard."""

_LATE = np.iinfo(np.int64).max
_CAUSE = r"(?s)^.*\n\s*(Caused by: [^\n]*)"  # the last one: greedy
_RAISED = r"(?s)Traceback \(most recent call last\).*\n([A-Za-z_][\w.]*(?:: [^\n]*)?)\s*$"
_THROWN = r"\n\s*((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*(?:: [^\n]*)?)\n\s+at "


def head_of(bodies: pl.Series) -> pl.Series:
    """Return the first line of every message, with the root of its stack trace where it has one.

    The root alone tells traces apart: their frames move with every release, and one failure is
    reached in many ways.
    """
    several = bodies.str.contains("\n", literal=True)
    some = bodies.filter(several)
    first = some.str.extract(r"^([^\n]*)", 1).fill_null("")
    cause = some.str.extract(_CAUSE, 1)
    root = cause.fill_null(some.str.extract(_RAISED, 1)).fill_null(some.str.extract(_THROWN, 1))
    return bodies.scatter(several.arg_true(), first + (" | " + root).fill_null(""))


def _without_trace(heads: pl.Series, frame: pl.DataFrame) -> pl.Series:
    """Take off trace ids that end a message: they alone would make each one of its own shape."""
    if "trace_id" not in frame.columns or frame["trace_id"].null_count() == len(frame):
        return heads
    both = frame.select(heads.alias("head"), pl.col("trace_id").fill_null(""))
    return both.select(pl.col("head").str.strip_suffix(pl.col("trace_id"))).to_series()


@dataclass(frozen=True, slots=True)
class Keyed:
    """Some records by kind."""

    kinds: Ints
    """The kind of each."""
    shapes: Shapes
    """Of their heads, without a trace id in the end."""
    new: dict[int, str]
    """A message of each kind that was not known before."""


@dataclass(slots=True)
class Kinds:
    """Every kind of record seen so far, in order of first sight."""

    ids: dict[tuple[str, int, str], int] = field(default_factory=dict[tuple[str, int, str], int])
    heads: list[str] = field(default_factory=list[str])
    """A raw message head of each kind."""
    seen: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Records in baseline and incident, shape ``(kinds, 2)``."""
    first: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Time of the first record in either (ms), the largest integer for none."""
    last: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Time of the last record in either (ms), -1 for none."""

    def __len__(self) -> int:
        return len(self.heads)

    def of(self, frame: pl.DataFrame) -> "Keyed":
        """Return the kind of every record, of which there is one at least; new kinds are learnt."""
        heads = frame["body"].fill_null("")
        text = HeadText.of(_without_trace(heads, frame))
        if text.has_line_ends:
            heads = head_of(heads)
            text = HeadText.of(_without_trace(heads, frame))
        shapes = shapes_of(text)
        service, services = numbered(frame["service"].fill_null(""))
        severity = frame["severity"].fill_null(0).to_numpy().astype(np.int64)
        keys, levels = len(shapes.keys), len(SEVERITIES)
        cells = (service * levels + severity) * keys + shapes.codes
        first, place = distinct_of(cells, len(services) * levels * keys)
        names = zip(
            services.gather(pl.Series(service[first])).to_list(),
            severity[first].tolist(),
            shapes.keys.gather(pl.Series(shapes.codes[first])).to_list(),
            strict=True,
        )
        known = len(self)
        ids = [self._id(n, heads, row) for n, row in zip(names, first.tolist(), strict=True)]
        self._grow()
        new: dict[int, int] = {}
        for number, row in zip(ids, first.tolist(), strict=True):
            if number >= known:
                new.setdefault(number, row)
        bodies = {number: str(frame["body"][row] or "") for number, row in new.items()}
        return Keyed(np.array(ids, np.int64)[place], shapes, bodies)

    def _id(self, name: tuple[str, int, str], heads: pl.Series, row: int) -> int:
        """Return the number of a kind, a new one when it is new and not one too many."""
        known = self.ids.get(name)
        if known is not None:
            return known
        head = str(heads[row])
        if len(self.ids) >= _MOST:
            head = self._coarse(name[0], name[1], head)
            name = (name[0], name[1], head)
        if name not in self.ids:
            self.ids[name] = len(self.ids)
            self.heads.append(head)
        return self.ids[name]

    def is_coarse(self, kind: int) -> bool:
        """Tell whether a kind takes in messages that have little in common."""
        return kind >= _MOST

    def _coarse(self, service: str, severity: int, text: str) -> str:
        """Return the first word of a message and a wildcard, without even the word in the end."""
        coarse = " ".join([*text.split(maxsplit=1)[:1], _REST])
        known = (service, severity, coarse) in self.ids or len(self.ids) < 2 * _MOST
        return coarse if known else _REST

    def occurrences(self, kinds: Ints, windows: Ints) -> Ints:
        """Return how many records of the same kind and window came before each record."""
        cell = kinds * 2 + windows
        order = stable_order(cell)
        ordered = cell[order]
        start = np.flatnonzero(np.diff(ordered, prepend=-1))
        length = np.diff(np.append(start, len(ordered)))
        rank = np.arange(len(ordered), dtype=np.int64) - np.repeat(start, length)
        result = np.empty(len(cell), np.int64)
        result[order] = rank
        return result + self.seen[kinds, windows]

    def see(self, kinds: Ints, windows: Ints, times: Ints) -> None:
        """Count and date records."""
        cells = kinds * 2 + windows
        self.seen += np.bincount(cells, minlength=2 * len(self)).reshape(-1, 2)
        # With one index a record these are ten times as fast as with two.
        np.minimum.at(self.first.reshape(-1), cells, times)
        np.maximum.at(self.last.reshape(-1), cells, times)

    def _grow(self) -> None:
        missing = len(self.heads) - len(self.seen)
        if missing > 0:
            empty = np.zeros((missing, 2), np.int64)
            self.seen = np.concatenate([self.seen, empty])
            self.first = np.concatenate([self.first, empty + _LATE])
            self.last = np.concatenate([self.last, empty - 1])
