"""Kinds of log records: the distinct (service, severity, message key), counted and dated."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_fields import FieldStore
from superbizagent.analysis._masks import key_of, shape_of

__all__ = ["Kinds", "head_of"]

Ints = NDArray[np.int64]

_MOST = 100_000  # kinds kept apart; a log in which every line is new must not fill the memory
_REST = "0"
"""Stands for the rest of what came after; as a number it reads as a wildcard."""

_LATE = np.iinfo(np.int64).max
_CAUSE = r"(?s)^.*\n\s*(Caused by: [^\n]*)"  # the last one: greedy
_RAISED = r"(?s)Traceback \(most recent call last\).*\n([A-Za-z_][\w.]*(?:: [^\n]*)?)\s*$"


def head_of(bodies: pl.Series) -> pl.Series:
    """Return the first line of every message, with the root of its stack trace where it has one."""
    bodies = bodies.fill_null("")
    if not bool(bodies.str.contains("\n", literal=True).any()):
        return bodies
    first = bodies.str.extract(r"^([^\n]*)", 1).fill_null("")
    cause = bodies.str.extract(_CAUSE, 1)
    root = cause.fill_null(bodies.str.extract(_RAISED, 1))
    return first + (" | " + root).fill_null("")


def _without_trace(heads: pl.Series, frame: pl.DataFrame) -> pl.Series:
    """Take off trace ids that end a message: they alone would make each one of its own shape."""
    if "trace_id" not in frame.columns or frame["trace_id"].null_count() == len(frame):
        return heads
    both = frame.select(heads.alias("head"), pl.col("trace_id").fill_null(""))
    return both.select(pl.col("head").str.strip_suffix(pl.col("trace_id"))).to_series()


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

    def of(self, frame: pl.DataFrame, fields: FieldStore) -> Ints:
        """Return the kind of every record; new kinds are learnt, their fields too."""
        head = head_of(frame["body"])
        table = pl.DataFrame(
            {
                "service": frame["service"].fill_null(""),
                "severity": frame["severity"].fill_null(0),
                "shape": shape_of(_without_trace(head, frame)),
            }
        )
        columns = ["service", "severity", "shape"]
        shapes = table.with_row_index("row").unique(columns, keep="first", maintain_order=True)
        keyed = shapes.with_columns(key_of(shapes["shape"]).alias("key"))
        columns[-1] = "key"
        distinct = keyed.unique(columns, keep="first", maintain_order=True)
        ids = [
            self._id(fields, (str(service), int(severity), str(key)), head[row], frame["body"][row])
            for service, severity, key, row in distinct.select(*columns, "row").iter_rows()
        ]
        self._grow()
        known = distinct.select(*columns).with_columns(pl.Series("kind", ids, pl.Int64))
        found = keyed.join(known, on=columns, how="left", maintain_order="left").drop("key", "row")
        columns[-1] = "shape"
        return table.join(found, on=columns, how="left", maintain_order="left")["kind"].to_numpy()

    def _id(self, fields: FieldStore, name: tuple[str, int, str], head: str, body: str) -> int:
        """Return the number of a kind, a new one when it is new and not one too many."""
        if name not in self.ids and len(self.ids) >= _MOST:
            head = self._coarse(name[0], name[1], head)
            name = (name[0], name[1], head)
        if name not in self.ids:
            self.ids[name] = len(self.ids)
            self.heads.append(head)
            fields.learn(self.ids[name], body or "")
        return self.ids[name]

    def _coarse(self, service: str, severity: int, text: str) -> str:
        """Return the first word of a message and a wildcard, without even the word in the end."""
        coarse = " ".join([*text.split(maxsplit=1)[:1], _REST])
        known = (service, severity, coarse) in self.ids or len(self.ids) < 2 * _MOST
        return coarse if known else _REST

    def occurrences(self, kinds: Ints, windows: Ints) -> Ints:
        """Return how many records of the same kind and window came before each record."""
        cell = kinds * 2 + windows
        order = np.argsort(cell, kind="stable")
        ordered = cell[order]
        start = np.flatnonzero(np.diff(ordered, prepend=-1))
        length = np.diff(np.append(start, len(ordered)))
        rank = np.arange(len(ordered), dtype=np.int64) - np.repeat(start, length)
        result = np.empty(len(cell), np.int64)
        result[order] = rank
        return result + self.seen[kinds, windows]

    def see(self, kinds: Ints, windows: Ints, times: Ints) -> None:
        """Count and date records."""
        counts = np.bincount(kinds * 2 + windows, minlength=2 * len(self))
        self.seen += counts.reshape(-1, 2)
        np.minimum.at(self.first, (kinds, windows), times)
        np.maximum.at(self.last, (kinds, windows), times)

    def _grow(self) -> None:
        missing = len(self.heads) - len(self.seen)
        if missing > 0:
            empty = np.zeros((missing, 2), np.int64)
            self.seen = np.concatenate([self.seen, empty])
            self.first = np.concatenate([self.first, empty + _LATE])
            self.last = np.concatenate([self.last, empty - 1])
