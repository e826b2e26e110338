"""Recorded samples in columns: many series, one pair of arrays.

Series ``k`` owns ``times[offsets[k]:offsets[k+1]]`` (milliseconds since the epoch, ascending) and
the same slice of ``values``. NaN is an ordinary value; the staleness marker keeps its bits
(``0x7ff0000000000002``).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Labels", "Series", "SeriesSet", "named_series", "series_name"]

Labels = dict[str, str]
"""Label set of a series, ``__name__`` included."""

Times = NDArray[np.int64]
Values = NDArray[np.float64]


def series_name(labels: Labels) -> str:
    """Print a label set as Prometheus does, keys sorted."""
    inner = ",".join(f'{k}="{v}"' for k, v in sorted(labels.items()) if k != "__name__")
    name = labels.get("__name__", "")
    return f"{name}{{{inner}}}" if inner or not name else name


@dataclass(frozen=True, slots=True)
class Series:
    """One series, as views into the arrays of its set."""

    labels: Labels
    times: Times
    values: Values

    @property
    def name(self) -> str:
        """The metric name."""
        return self.labels.get("__name__", "")

    def __str__(self) -> str:
        return series_name(self.labels)


@dataclass(frozen=True, slots=True)
class SeriesSet:
    """Series in the order of their printed names."""

    labels: tuple[Labels, ...] = ()
    offsets: Times = field(default_factory=lambda: np.zeros(1, np.int64))
    times: Times = field(default_factory=lambda: np.zeros(0, np.int64))
    values: Values = field(default_factory=lambda: np.zeros(0, np.float64))

    @classmethod
    def of(cls, series: Iterable[tuple[Labels, Times, Values]]) -> "SeriesSet":
        """Build a set; series are ordered by printed name, samples must be ascending."""
        rows = sorted(series, key=lambda row: series_name(row[0]))
        if not rows:
            return cls()
        lengths = np.array([len(row[1]) for row in rows], np.int64)
        return cls(
            labels=tuple(row[0] for row in rows),
            offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            times=np.concatenate([np.asarray(row[1], np.int64) for row in rows]),
            values=np.concatenate([np.asarray(row[2], np.float64) for row in rows]),
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Series:
        part = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        return Series(self.labels[index], self.times[part], self.values[part])

    def __iter__(self) -> Iterator[Series]:
        return (self[k] for k in range(len(self)))


def named_series(found: SeriesSet, name: str) -> SeriesSet:
    """Give all series of a set one metric name, as a recording rule would."""
    return SeriesSet.of(
        (series.labels | {"__name__": name}, series.times, series.values) for series in found
    )
