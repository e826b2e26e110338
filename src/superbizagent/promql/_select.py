"""Recorded samples under an expression: which series, which of their samples at which step."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet

from ._values import NAME, Mask, Times, Values, Vector

__all__ = ["Chosen", "Span", "Store", "Windows", "instant_values", "windows"]

_STALE_BITS = 0x7FF0000000000002
"""The NaN that Prometheus writes where a series ends; every other NaN is a value."""

_BLOCK_CELLS = 250_000
"""Windows looked at in one go: some 10 MB of indices, whatever the number of series."""


@dataclass(frozen=True)
class Chosen:
    """Some series with their samples: row k owns ``offsets[k]`` to ``offsets[k + 1]``."""

    labels: list[Labels]
    offsets: NDArray[np.int64]
    times: Times
    values: Values

    @cached_property
    def fresh(self) -> "Chosen":
        """The same without staleness markers, as ranges see it."""
        stale = self.values.view(np.int64) == _STALE_BITS
        if not stale.any():
            return self
        gone = np.concatenate([np.zeros(1, np.int64), np.cumsum(stale, dtype=np.int64)])
        return Chosen(
            self.labels,
            self.offsets - gone[self.offsets],
            self.times[~stale],
            self.values[~stale],
        )

    def part(self, first: int, last: int) -> "Chosen":
        """Return rows ``first`` to ``last``, excluded."""
        low, high = int(self.offsets[first]), int(self.offsets[last])
        return Chosen(
            self.labels[first:last],
            self.offsets[first : last + 1] - low,
            self.times[low:high],
            self.values[low:high],
        )

    def count_until(self, at: Times, *, included: bool) -> NDArray[np.int64]:
        """Count the samples before ``at``, or up to it, from the start of ``times``.

        One binary search finds the place in every series: samples and instants are laid on one
        axis, on which the series follow each other.

        Returns:
            Shape (series, instants): indices into ``times``.
        """
        rows = len(self.labels)
        if not len(self.times):
            return np.zeros((rows, len(at)), np.int64)
        first, last = int(self.times.min()), int(self.times.max())
        length = last - first + 3
        owner = np.repeat(np.arange(rows, dtype=np.int64), np.diff(self.offsets))
        axis = owner * length + (self.times - first + 1)
        wanted = np.clip(at, first - 1, last + 1) - first + 1
        needles = np.arange(rows, dtype=np.int64)[:, None] * length + wanted
        side = "right" if included else "left"
        found = np.searchsorted(axis, needles.ravel(), side=side)
        return found.reshape(rows, len(at)).astype(np.int64, copy=False)


class Store:
    """Finds series by selector; every selector of a query is looked up once."""

    def __init__(self, samples: SeriesSet) -> None:
        self._samples = samples
        self._found: dict[str, Chosen] = {}

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for number, labels in enumerate(self._samples.labels):
            index.setdefault(labels.get(NAME, ""), []).append(number)
        return index

    def find(self, selector: Selector) -> Chosen:
        """Return the series that a selector selects, in the order of the store."""
        key = str(selector)
        if key not in self._found:
            self._found[key] = self._find(selector)
        return self._found[key]

    def _find(self, selector: Selector) -> Chosen:
        samples = self._samples
        named = self._by_name.get(selector.name, ()) if selector.name else range(len(samples))
        numbers = [k for k in named if selector.matches(samples.labels[k])]
        ids = np.array(numbers, np.int64)
        lengths = samples.offsets[ids + 1] - samples.offsets[ids]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        shift = np.repeat(samples.offsets[ids] - offsets[:-1], lengths)
        rows = np.arange(int(offsets[-1]), dtype=np.int64) + shift
        return Chosen(
            [samples.labels[k] for k in numbers], offsets, samples.times[rows], samples.values[rows]
        )


def instant_values(
    chosen: Chosen, at: Times, lookback_ms: int, *, left_open: bool, of_time: bool = False
) -> Vector:
    """Return the newest sample of each series that is no older than the look-back.

    A staleness marker ends a series until its next sample.

    Args:
        chosen: the series.
        at: the instants, one a step.
        lookback_ms: how old a sample may be.
        left_open: whether one of exactly that age is too old.
        of_time: return the samples' times in seconds instead of their values.
    """
    shape = (len(chosen.labels), len(at))
    result = Vector(chosen.labels, np.zeros(shape), np.zeros(shape, np.bool_))
    oldest = at - lookback_ms
    for rows, part in _blocks(chosen, len(at)):
        if not len(part.times):
            continue
        newest = part.count_until(at, included=True) - 1
        places = np.maximum(newest, 0)
        times, values = part.times[places], part.values[places]
        there = newest >= part.offsets[:-1, None]
        there &= (times > oldest) if left_open else (times >= oldest)
        there &= values.view(np.int64) != _STALE_BITS
        result.values[rows] = times / 1000.0 if of_time else values
        result.present[rows] = there
    return result


def _blocks(chosen: Chosen, steps: int) -> Iterator[tuple[slice, Chosen]]:
    """Yield some rows at a time, so that the indices of all need not be held at once."""
    rows = max(_BLOCK_CELLS // max(steps, 1), 1)
    for first in range(0, len(chosen.labels), rows):
        last = min(first + rows, len(chosen.labels))
        yield slice(first, last), chosen.part(first, last)


@dataclass(frozen=True, slots=True)
class Span:
    """The range that each step looks at."""

    ends: Times
    """Where it ends: the step, shifted."""
    at: Times
    """The steps themselves."""
    range_ms: int
    left_open: bool


@dataclass(frozen=True, slots=True)
class Windows:
    """The samples of some series in the range of each step.

    Window (k, t) holds ``times[low[k, t]:high[k, t]]`` and the same slice of ``values``.
    """

    times: Times
    values: Values
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    span: Span

    @property
    def counts(self) -> NDArray[np.int64]:
        """Samples in each window."""
        return self.high - self.low

    @property
    def any(self) -> Mask:
        """Whether a window holds a sample; every function is silent about an empty one."""
        return self.high > self.low


def windows(chosen: Chosen, span: Span) -> Iterator[tuple[slice, Windows]]:
    """Yield blocks of series, as their rows and the windows of these."""
    for rows, part in _blocks(chosen.fresh, len(span.ends)):
        low = part.count_until(span.ends - span.range_ms, included=span.left_open)
        high = part.count_until(span.ends, included=True)
        yield rows, Windows(part.times, part.values, low, high, span)
