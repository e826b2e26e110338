"""Samples of a recording: an index of its series in memory, the samples there or on disk.

Every form of recorded metrics becomes one lazy table ``name, labels, time, value`` first. Small
ones are held as one `SeriesSet`; of large ones only the index is held and each read filters the
file, so that memory stays bounded by the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.datasources._records import plausible
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import Labels, Series, SeriesSet, series_name

from .label_text import parse_labels

__all__ = ["MetricStore", "build_store", "store_of_rows"]

Ids = NDArray[np.int64]

_STALE_BITS = 0x7FF0000000000002
"""The NaN that Prometheus writes where a series ends."""
_IS_STALE = pl.col("value").reinterpret(dtype=pl.Int64) == _STALE_BITS

_INTERVAL_SAMPLES = 100_000
"""Enough to know the usual distance of samples."""

_HELD_ROWS = 4_000_000
"""Up to this many samples are held: 64 MB of times and values, about 0.3 GB while loading."""


@dataclass(slots=True)
class _Index:
    """Series in the order of their printed names."""

    labels: tuple[Labels, ...]
    first_ms: Ids
    last_ms: Ids
    counts: Ids
    constant: NDArray[np.bool_]
    keys: pl.DataFrame
    """``name, labels, id``: several spellings of one label set share an id."""
    notes: list[str] = field(default_factory=list[str])


class MetricStore:
    """All series of a recording, and their samples on demand."""

    def __init__(
        self,
        index: _Index,
        samples: SeriesSet | pl.LazyFrame,
        markers: SeriesSet | pl.LazyFrame | None = None,
    ) -> None:
        self._index = index
        self._samples = samples
        self._markers = markers
        """Where series ended: no samples, but PromQL must know them."""

    def __len__(self) -> int:
        return len(self._index.labels)

    @property
    def labels(self) -> tuple[Labels, ...]:
        """Label sets in the order of their printed names."""
        return self._index.labels

    @property
    def notes(self) -> tuple[str, ...]:
        """What was repaired or left out while reading."""
        return tuple(self._index.notes)

    @property
    def extent_ms(self) -> tuple[int, int] | None:
        """Time of the first and of the last sample, but for those of unset clocks."""
        if not len(self):
            return None
        times = plausible(np.concatenate([self._index.first_ms, self._index.last_ms]))
        return int(times.min()), int(times.max())

    @property
    def interval_ms(self) -> int | None:
        """The usual distance of two samples of one series: the median."""
        if isinstance(self._samples, SeriesSet):
            distances = np.diff(self._samples.times[:_INTERVAL_SAMPLES])
            inner = np.ones(len(distances), np.bool_)
            ends = self._samples.offsets[1:-1] - 1
            inner[ends[ends < len(inner)]] = False
            distances = distances[inner]
        else:
            several = self._index.counts > 1
            spans = (self._index.last_ms - self._index.first_ms)[several]
            distances = spans / (self._index.counts[several] - 1)
        return round(float(np.median(distances))) if len(distances) else None

    def is_constant(self, ids: Ids) -> NDArray[np.bool_]:
        """Tell which series have one value over the whole recording."""
        return self._index.constant[ids]

    def select(self, selector: Selector) -> Ids:
        """Return the series that a selector matches, ascending.

        Raises:
            ValueError: when a regular expression is malformed.
        """
        matchers = list(selector.matchers)
        if selector.name:
            matchers.insert(0, Matcher(label="__name__", value=selector.name))
        chosen = np.ones(len(self), np.bool_)
        try:
            for matcher in matchers:
                chosen &= self._matching(matcher)
        except re.error as error:
            raise ValueError(f"malformed regular expression in {selector}: {error}") from error
        return np.flatnonzero(chosen)

    def read(self, ids: Ids, start_ms: int, end_ms: int, *, markers: bool = False) -> SeriesSet:
        """Return the samples of some series in ``[start_ms, end_ms]``; empty series drop out.

        Args:
            ids: from `select`.
            start_ms: first time.
            end_ms: last time.
            markers: whether the staleness markers are among the samples.
        """
        found = self._found(self._samples, ids, start_ms, end_ms)
        if not markers or self._markers is None:
            return found
        return _joined(found, self._found(self._markers, ids, start_ms, end_ms))

    def _found(
        self, stored: SeriesSet | pl.LazyFrame, ids: Ids, start_ms: int, end_ms: int
    ) -> SeriesSet:
        if isinstance(stored, SeriesSet):
            numbers = ids if stored is self._samples else self._numbers(stored, ids)
            return _cut(stored, numbers, start_ms, end_ms)
        wanted = self._index.keys.filter(pl.col("id").is_in(pl.Series(ids).implode()))
        names = wanted["name"].unique()
        frame = (
            stored.filter(
                pl.col("time").is_between(start_ms, end_ms) & pl.col("name").is_in(names.implode())
            )
            .join(wanted.lazy(), on=["name", "labels"], how="inner")
            .select("id", "time", "value")
            .collect(engine="streaming")
        )
        return _series_set(frame, self._index.labels)[0]

    def _numbers(self, stored: SeriesSet, ids: Ids) -> Ids:
        """Return where some of our series are in a set that has fewer."""
        wanted = {series_name(self._index.labels[k]) for k in cast("list[int]", ids.tolist())}
        here = [k for k, row in enumerate(stored.labels) if series_name(row) in wanted]
        return np.array(here, np.int64)

    @cached_property
    def _inverted(self) -> dict[str, dict[str, Ids]]:
        """Label -> value -> series that carry it."""
        table: dict[str, dict[str, list[int]]] = {}
        for number, row in enumerate(self._index.labels):
            for label, value in row.items():
                table.setdefault(label, {}).setdefault(value, []).append(number)
        return {
            label: {value: np.array(ids, np.int64) for value, ids in values.items()}
            for label, values in table.items()
        }

    def _matching(self, matcher: Matcher) -> NDArray[np.bool_]:
        values = self._inverted.get(matcher.label, {})
        # A series without the label counts as one with the empty value.
        chosen = np.full(len(self), matcher.matches(""))
        if matcher.op is MatchOp.EQUAL:
            hits = [matcher.value] if matcher.value in values else []
            if matcher.value:
                for value in hits:
                    chosen[values[value]] = True
                return chosen
        for value, ids in values.items():
            chosen[ids] = matcher.matches(value)
        return chosen


def build_store(table: pl.LazyFrame, rows: int | None = None) -> MetricStore:
    """Index a table ``name (String), labels (String), time (Int64 ms), value (Float64)``.

    Args:
        table: the samples, in any order, duplicates allowed.
        rows: how many there are, when that is known without reading.

    Raises:
        polars.exceptions.PolarsError: when the table cannot be read.
    """
    if rows is None:
        rows = int(table.select(pl.len()).collect(engine="streaming").item())
    if rows > _HELD_ROWS:
        return _build_lazy(table)
    labels, coded, notes = _code(table.collect())
    stale = coded.select(_IS_STALE).to_series()
    samples, repairs = _series_set(coded.filter(~stale), labels)
    markers, _ = _series_set(coded.filter(stale), labels)
    return MetricStore(_index_of(samples, [*notes, *repairs]), samples, markers)


def store_of_rows(
    labels: Sequence[Labels],
    ids: Ids,
    times: NDArray[np.int64],
    values: NDArray[np.float64],
) -> MetricStore:
    """Index samples in columns; ``labels[ids[k]]`` owns sample ``k``. Label sets are distinct."""
    order = sorted(range(len(labels)), key=lambda k: series_name(labels[k]))
    rank = np.empty(len(labels), np.int64)
    rank[order] = np.arange(len(labels))
    coded = pl.DataFrame({"id": rank[ids], "time": times, "value": values})
    samples, notes = _series_set(coded, [labels[k] for k in order])
    return MetricStore(_index_of(samples, notes), samples)


def _index_of(samples: SeriesSet, notes: list[str]) -> _Index:
    starts, ends = samples.offsets[:-1], samples.offsets[1:]
    if len(samples):
        low = np.fmin.reduceat(samples.values, starts)
        high = np.fmax.reduceat(samples.values, starts)
        constant = (low == high) | np.isnan(low)
    else:
        constant = np.zeros(0, np.bool_)
    return _Index(
        labels=samples.labels,
        first_ms=samples.times[starts] if len(samples) else starts,
        last_ms=samples.times[ends - 1] if len(samples) else starts,
        counts=ends - starts,
        constant=constant,
        keys=pl.DataFrame(),
        notes=notes,
    )


def _build_lazy(table: pl.LazyFrame) -> MetricStore:
    live = table.filter(~_IS_STALE)
    seen = (
        live.group_by("name", "labels")
        .agg(
            pl.len().alias("count"),
            pl.col("time").min().alias("first"),
            pl.col("time").max().alias("last"),
            pl.col("value").min().alias("low"),
            pl.col("value").max().alias("high"),
        )
        .collect(engine="streaming")
    )
    labels, keys, notes = _label_sets(seen.select("name", "labels"))
    merged = (
        seen.join(keys, on=["name", "labels"], how="inner")
        .group_by("id")
        .agg(
            pl.col("count").sum(),
            pl.col("first").min(),
            pl.col("last").max(),
            pl.col("low").min(),
            pl.col("high").max(),
        )
        .sort("id")
    )
    low, high = merged["low"].to_numpy(), merged["high"].to_numpy()
    index = _Index(
        labels=labels,
        first_ms=merged["first"].to_numpy(),
        last_ms=merged["last"].to_numpy(),
        counts=merged["count"].cast(pl.Int64).to_numpy(),
        constant=(low == high) | np.isnan(low),
        keys=keys,
        notes=notes,
    )
    return MetricStore(index, live, table.filter(_IS_STALE))


def _code(frame: pl.DataFrame) -> tuple[tuple[Labels, ...], pl.DataFrame, list[str]]:
    """Replace the label texts of all rows by numbers; the order of the rows stays."""
    columns = (pl.col("name"), pl.col("labels"))
    changed = pl.any_horizontal(c.ne_missing(c.shift(1)) for c in columns)
    # Recordings hold a series in one piece, so there are few runs of equal texts to look at.
    begins = frame.select(changed).to_series().to_numpy().copy()
    begins[:1] = True
    runs = frame.filter(pl.Series(begins)).select("name", "labels")
    labels, keys, notes = _label_sets(runs.unique(maintain_order=True))
    numbered = runs.join(keys, on=["name", "labels"], how="left", maintain_order="left")
    ids = numbered["id"].fill_null(-1).to_numpy()[np.cumsum(begins) - 1]
    coded = pl.DataFrame({"id": ids, "time": frame["time"], "value": frame["value"]})
    return labels, coded if (ids >= 0).all() else coded.filter(pl.col("id") >= 0), notes


def _label_sets(keys: pl.DataFrame) -> tuple[tuple[Labels, ...], pl.DataFrame, list[str]]:
    """Parse the label texts and number the label sets in the order of their printed names."""
    names, texts = keys["name"].to_list(), keys["labels"].to_list()
    rows: list[tuple[str, Labels, int]] = []
    unreadable: list[str] = []
    for place, (name, text) in enumerate(zip(names, texts, strict=True)):
        labels = parse_labels(text or "")
        if labels is None:
            unreadable.append(text)
            continue
        if name:
            labels["__name__"] = name
        rows.append((series_name(labels), labels, place))
    rows.sort(key=lambda row: row[0])
    ids = np.full(len(names), -1, np.int64)
    sets: list[Labels] = []
    last: str | None = None
    for printed, labels, place in rows:
        if printed != last:
            sets.append(labels)
            last = printed
        ids[place] = len(sets) - 1
    notes = (
        [f"{len(unreadable)} label sets are unreadable, e.g. {min(unreadable)[:60]!r}; left out"]
        if unreadable
        else []
    )
    coded = keys.with_columns(pl.Series("id", ids)).filter(pl.col("id") >= 0)
    return tuple(sets), coded, notes


def _series_set(coded: pl.DataFrame, labels: Sequence[Labels]) -> tuple[SeriesSet, list[str]]:
    """Turn rows ``id, time, value`` into a set; order and duplicates are repaired."""
    ids, times = coded["id"].to_numpy(), coded["time"].to_numpy()
    values = coded["value"].to_numpy()
    notes: list[str] = []
    step = np.diff(ids)
    if (step < 0).any() or ((step == 0) & (np.diff(times) < 0)).any():
        # lexsort is stable: of two samples at one time the later row stays last.
        order = np.lexsort((times, ids))
        ids, times, values = ids[order], times[order], values[order]
    same = (np.diff(ids) == 0) & (np.diff(times) == 0)
    if same.any():
        notes.append(f"{int(same.sum())} samples repeat a time of their series; the last one stays")
        keep = np.concatenate([~same, [True]])
        ids, times, values = ids[keep], times[keep], values[keep]
    # The rows are in the order of their series: a new one begins where the number changes.
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    numbers: list[int] = ids[starts].tolist()
    samples = SeriesSet(
        labels=tuple(labels[k] for k in numbers),
        offsets=np.concatenate([starts, [len(ids)]]).astype(np.int64),
        times=np.ascontiguousarray(times, np.int64),
        values=np.ascontiguousarray(values, np.float64),
    )
    return samples, notes


def _cut(samples: SeriesSet, ids: Ids, start_ms: int, end_ms: int) -> SeriesSet:
    lengths = samples.offsets[ids + 1] - samples.offsets[ids]
    total = int(lengths.sum())
    if not total:
        return SeriesSet()
    before = np.cumsum(lengths) - lengths
    rows = np.repeat(samples.offsets[ids] - before, lengths) + np.arange(total)
    times = samples.times[rows]
    inside = (times >= start_ms) & (times <= end_ms)
    owner = np.repeat(np.arange(len(ids)), lengths)[inside]
    counts = np.bincount(owner, minlength=len(ids))
    kept = np.flatnonzero(counts)
    numbers: list[int] = ids[kept].tolist()
    return SeriesSet(
        labels=tuple(samples.labels[k] for k in numbers),
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[kept])]),
        times=times[inside],
        values=samples.values[rows[inside]],
    )


def _joined(samples: SeriesSet, markers: SeriesSet) -> SeriesSet:
    """Put the markers of a series among its samples."""
    rows = {series_name(row): k for k, row in enumerate(markers.labels)}

    def whole(series: Series) -> tuple[Labels, NDArray[np.int64], NDArray[np.float64]]:
        k = rows.get(str(series))
        if k is None:
            return series.labels, series.times, series.values
        times = np.concatenate([series.times, markers[k].times])
        order = np.argsort(times, kind="stable")
        values = np.concatenate([series.values, markers[k].values])
        return series.labels, times[order], values[order]

    return SeriesSet.of(whole(series) for series in samples)
