"""Spans that are held of a recording, and the part of them that one call gets.

Where there are too many, whole traces are left out. Which ones is decided by a digest of their ids
alone, so that files in any order, and every further look, give the same.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from superbizagent.datasources._records import merged_spans, plausible
from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Windows

from .rows import SCHEMA

__all__ = ["MOST_SPANS", "SpanStore", "Taken", "take", "within"]

MOST_SPANS = 200_000
"""Spans of one answer: more change no median, and a session stores each of them."""
_HELD_SPANS = 1_000_000
"""Spans that are held at all, some 250 MB."""
_BAR = 2**32


@dataclass(frozen=True, slots=True)
class Taken:
    """What one call gets."""

    spans: SpanSet
    spans_left_out: int


@dataclass(slots=True)
class SpanStore:
    """Adds up tables of `SCHEMA`."""

    most: int = MOST_SPANS
    held: int = _HELD_SPANS
    read: int = 0
    """Spans seen so far."""
    undated: int = 0
    nameless: int = 0
    backwards: int = 0
    """Spans that end before they begin."""
    taken_ms: tuple[int, int] | None = None
    """First and last start in the table that was taken in last, in milliseconds."""
    _frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    _bar: int = _BAR
    _count: int = 0

    def add(self, frame: pl.DataFrame, notes: list[str]) -> int:
        """Take the spans of a table in; return how many of its rows are spans.

        Args:
            frame: of `SCHEMA`.
            notes: gets a line when its times had to be corrected.
        """
        named = pl.col("trace_id").fill_null("") != ""
        dated = pl.col("start_us").is_not_null()
        self.undated += frame.filter(~dated).height
        self.nameless += frame.filter(dated & ~named).height
        table = _in_microseconds(frame.filter(dated & named), notes)
        self.backwards += table.filter(pl.col("duration_us") < 0).height
        self.read += len(table)
        times = plausible((table["start_us"] // 1000).to_numpy())
        self.taken_ms = (int(times.min()), int(times.max())) if len(times) else None
        self._take(table.with_columns(_digests(table["trace_id"])))
        return len(table)

    @property
    def bears_all(self) -> bool:
        """Whether nothing was left out for want of room."""
        return self._bar == _BAR

    def table(self) -> pl.DataFrame:
        """Return what is held; equal service names of several namespaces are told apart."""
        if not self._frames:
            return pl.DataFrame(schema={**SCHEMA, "digest": pl.UInt32})
        whole = pl.concat(self._frames)
        self._frames = [whole]
        pairs = whole.select("service", "namespace").unique()
        shared = pairs["service"].filter(pairs["service"].is_duplicated()).unique()
        if not len(shared):
            return whole
        both = pl.col("service").is_in(shared.implode()) & (pl.col("namespace") != "")
        return whole.with_columns(
            pl.when(both)
            .then(pl.col("namespace") + "/" + pl.col("service"))
            .otherwise("service")
            .alias("service")
        )

    def _take(self, table: pl.DataFrame) -> None:
        kept = table.filter(pl.col("digest") < self._bar)
        self._frames.append(kept)
        self._count += len(kept)
        while self._count > self.held and self._bar > 1:
            self._bar //= 2
            self._frames = [f.filter(pl.col("digest") < self._bar) for f in self._frames]
            self._count = sum(map(len, self._frames))


def take(
    table: pl.DataFrame,
    windows: Windows,
    services: Sequence[str],
    entity_of: Mapping[str, str],
    most: int,
) -> Taken:
    """Return the spans that begin in a window, of the traces that touch one of the services.

    Args:
        table: of `SpanStore.table`.
        windows: that are compared.
        services: names of entities; empty: all.
        entity_of: service name of a span -> name of its entity, where they differ.
        most: spans.
    """
    own = [s for s in table["service"].unique() if entity_of.get(s, s) in set(services)]
    found = within(table, merged_spans(windows), own if services else None)
    kept = _whole_traces(found, most)
    left_out = found["trace_id"].n_unique() - kept["trace_id"].n_unique()
    spans = spans_from(kept.drop("digest", "namespace"))
    return Taken(replace(spans, traces_left_out=left_out), len(found) - len(kept))


def within(
    table: pl.DataFrame, spans_ms: Sequence[tuple[int, int]], services: Sequence[str] | None
) -> pl.DataFrame:
    """Return the spans that begin in one of some spans of time, ends included.

    Args:
        table: of `SpanStore.table`.
        spans_ms: first and last millisecond of each.
        services: only traces that touch one of them; None: all.
    """
    start = pl.col("start_us")
    inside = [start.is_between(a * 1000, b * 1000 + 999) for a, b in spans_ms]
    found = table.filter(pl.any_horizontal(*inside))
    if services is None:
        return found
    touched = found.filter(pl.col("service").is_in(list(services)))["trace_id"].unique()
    return found.filter(pl.col("trace_id").is_in(touched.implode()))


def _whole_traces(found: pl.DataFrame, most: int) -> pl.DataFrame:
    if len(found) <= most:
        return found
    sizes = found.group_by("digest", "trace_id").len().sort("digest", "trace_id")
    fits = sizes["len"].cum_sum() <= most
    chosen = sizes.filter(fits) if fits.any() else sizes.head(1)
    kept = found.filter(pl.col("trace_id").is_in(chosen["trace_id"].implode()))
    # One trace may be larger than all that is kept: then its first spans are.
    return kept.sort("start_us", "span_id").head(most)


def _digests(ids: pl.Series) -> pl.Series:
    """Return a number below 2^32 for each trace id, the same everywhere."""
    distinct = ids.unique()
    numbers = [_digest(text) for text in distinct.to_list()]
    return ids.replace_strict(distinct, numbers, return_dtype=pl.UInt32).alias("digest")


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


def _in_microseconds(table: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Correct times that are in another unit than their format says.

    No recording is older than 1973: what is below 1e14 counts milliseconds or seconds, what is
    above 1e17 nanoseconds.
    """
    middle = table["start_us"].median()
    if not isinstance(middle, int | float) or 1e14 <= middle < 1e17 or middle < 1e8:
        return table
    factor = 1e-3 if middle >= 1e17 else 1e3 if middle >= 1e11 else 1e6
    unit = {1e-3: "nanoseconds", 1e3: "milliseconds", 1e6: "seconds"}[factor]
    notes.append(f"times were read as {unit}, by their size, not as the format says")
    scaled = [(pl.col(n) * factor).round().cast(pl.Int64) for n in ("start_us", "duration_us")]
    return table.with_columns(*scaled)
