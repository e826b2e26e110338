"""What expressions evaluate to: every step of a query at once.

A scalar is an array of one value a step. A vector is a matrix with a row a series and a column a
step, and a mask that tells where a series has a value.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.series import Labels, SeriesSet, series_name
from superbizagent.errors import QueryError

__all__ = [
    "NAME",
    "Mask",
    "Times",
    "Values",
    "Vector",
    "empty",
    "group_rows",
    "label_key",
    "merged",
    "nameless",
    "to_series",
    "unique",
]

NAME = "__name__"

Times = NDArray[np.int64]
Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(slots=True)
class Vector:
    """Series over the steps of a query.

    ``values`` and ``present`` have shape (series, steps); a value that is not present means
    nothing. Labels are shared between vectors: never change one in place.
    """

    labels: list[Labels]
    values: Values
    present: Mask

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def steps(self) -> int:
        """How many steps the query has."""
        return int(self.values.shape[1])

    def somewhere(self) -> Mask:
        """Tell at which steps any series has a value."""
        return np.logical_or.reduce(self.present, axis=0)

    def rows(self, chosen: NDArray[np.int64]) -> "Vector":
        """Return some rows, in the order of ``chosen``."""
        numbers: list[int] = chosen.tolist()
        return Vector([self.labels[k] for k in numbers], self.values[chosen], self.present[chosen])

    def nonempty(self) -> "Vector":
        """Return the rows that have a value at any step."""
        kept = self.present.any(axis=1)
        return self if kept.all() else self.rows(np.flatnonzero(kept))


def empty(steps: int) -> Vector:
    """Return a vector without series."""
    return Vector([], np.zeros((0, steps)), np.zeros((0, steps), np.bool_))


def label_key(labels: Labels) -> Hashable:
    """Return what tells label sets apart."""
    return tuple(sorted(labels.items()))


def nameless(labels: Labels) -> Labels:
    """Return the labels without the metric name."""
    return {k: v for k, v in labels.items() if k != NAME}


def group_rows(keys: Sequence[Hashable]) -> tuple[NDArray[np.int64], int]:
    """Number equal keys alike.

    Returns:
        The number of each row's group, counted up in the order of first appearance, and how many.
    """
    numbers: dict[Hashable, int] = {}
    groups = [numbers.setdefault(key, len(numbers)) for key in keys]
    return np.array(groups, np.int64), len(numbers)


def unique(vector: Vector) -> Vector:
    """Drop empty rows and refuse label sets that occur twice, even at different steps.

    Raises:
        QueryError: as the server does (``execution``).
    """
    kept = vector.nonempty()
    _, groups = group_rows([label_key(row) for row in kept.labels])
    if groups < len(kept):
        raise _twice(kept.labels)
    return kept


def merged(vector: Vector) -> Vector:
    """Make one row of those with equal labels; each step may have one of them.

    Raises:
        QueryError: when two have a value at the same step.
    """
    kept = vector.nonempty()
    owner, groups = group_rows([label_key(row) for row in kept.labels])
    if groups == len(kept):
        return kept
    steps = kept.steps
    result = Vector([{}] * groups, np.zeros((groups, steps)), np.zeros((groups, steps), np.bool_))
    for row, group in enumerate(owner):
        here = kept.present[row]
        if (result.present[group] & here).any():
            raise _twice(kept.labels)
        result.labels[group] = kept.labels[row]
        result.values[group, here] = kept.values[row, here]
        result.present[group] |= here
    return result


def _twice(rows: Sequence[Labels]) -> QueryError:
    seen: set[Hashable] = set()
    for row in rows:
        if label_key(row) in seen:
            break
        seen.add(label_key(row))
    else:
        row = {}
    return QueryError(
        f"the result holds {series_name(row)} twice, since what told its series apart was dropped;"
        " select one metric, or aggregate first"
    )


def to_series(vector: Vector, at: Times) -> SeriesSet:
    """Return the present values as samples."""
    names = [series_name(row) for row in vector.labels]
    order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    sorted_rows = vector.rows(order)
    counts = sorted_rows.present.sum(axis=1)
    times = np.broadcast_to(at, sorted_rows.present.shape)
    return SeriesSet(
        labels=tuple(sorted_rows.labels),
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)]),
        times=times[sorted_rows.present],
        values=sorted_rows.values[sorted_rows.present],
    )
