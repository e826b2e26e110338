"""Aggregations over the series of each step."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.series import Labels
from superbizagent.errors import QueryError

from ._rules import Rules
from ._sums import compensated, ill_conditioned, mean_of, quantile_rows, variance_of
from ._tree import Aggregate
from ._values import NAME, Mask, Values, Vector, group_rows, label_key

__all__ = [
    "AGGREGATIONS",
    "RANKED",
    "Groups",
    "aggregate",
    "group_labels",
    "quantile_of_groups",
    "top",
]


def group_labels(row: Labels, node: Aggregate) -> Labels:
    """Return the labels of the group that a series falls into."""
    if node.without:
        return {k: v for k, v in row.items() if k not in node.labels and k != NAME}
    return {k: row[k] for k in node.labels if row.get(k)}


class Groups:
    """The rows of a vector, group by group."""

    def __init__(self, vector: Vector, node: Aggregate) -> None:
        labels = [group_labels(row, node) for row in vector.labels]
        owner, self.count = group_rows([label_key(row) for row in labels])
        self.order = np.argsort(owner, kind="stable")
        self.sizes = np.bincount(owner, minlength=self.count)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.labels = [labels[int(self.order[start])] for start in self.starts]
        self.vector = vector
        self.owner = owner
        self.present = vector.present[self.order]
        self.values = vector.values[self.order]

    def over(self, function: np.ufunc, rows: Values | NDArray[np.int64]) -> Values:
        """Reduce ordered rows to one a group by a binary ufunc."""
        return function.reduceat(rows, self.starts, axis=0)

    def counts(self) -> NDArray[np.int64]:
        """Return how many series of each group each step has, shape (groups, steps)."""
        return np.add.reduceat(self.present.astype(np.int64), self.starts, axis=0)

    def filled(self, value: float) -> Values:
        """Return the ordered values, ``value`` where there is none."""
        return np.where(self.present, self.values, value)

    def members(self) -> Iterator[NDArray[np.int64]]:
        """Yield the rows of each group, in the order of the vector."""
        for start, size in zip(self.starts, self.sizes, strict=True):
            yield self.order[start : start + size]


def _sum(groups: Groups, rules: Rules) -> Values:
    values = groups.filled(0.0)
    plain = groups.over(np.add, values)
    if not rules.compensated_sum:
        return plain
    absolute = groups.over(np.add, np.abs(values))
    ill = ill_conditioned(plain, absolute, groups.counts()).any(axis=1)
    for group in np.flatnonzero(ill):
        rows = values[groups.starts[group] : groups.starts[group] + groups.sizes[group]]
        plain[group] = compensated(rows, np.zeros(groups.vector.steps))
    return plain


def _avg(groups: Groups, rules: Rules) -> Values:
    total, counts = _sum(groups, rules), groups.counts()
    if not np.isinf(total).any():
        return mean_of(total, counts, total)
    shares = groups.filled(0.0) / np.repeat(np.maximum(counts, 1), groups.sizes, axis=0)
    return mean_of(total, counts, groups.over(np.add, shares))


def _min(groups: Groups, rules: Rules) -> Values:
    del rules
    return groups.over(np.fmin, groups.filled(np.nan))


def _max(groups: Groups, rules: Rules) -> Values:
    del rules
    return groups.over(np.fmax, groups.filled(np.nan))


def _count(groups: Groups, rules: Rules) -> Values:
    del rules
    return groups.counts().astype(np.float64)


def _group(groups: Groups, rules: Rules) -> Values:
    del rules
    return np.ones(groups.counts().shape)


def _variance(groups: Groups, rules: Rules) -> Values:
    counts = groups.counts()
    mean = groups.over(np.add, groups.filled(0.0)) / np.maximum(counts, 1)
    away = np.where(groups.present, groups.values - np.repeat(mean, groups.sizes, axis=0), 0.0)
    variance = variance_of(groups.over(np.add, away * away), groups.over(np.add, away), counts)
    return variance if rules.lone_infinity_spreads else np.where(counts == 1, 0.0, variance)


def _deviation(groups: Groups, rules: Rules) -> Values:
    return np.sqrt(_variance(groups, rules))


AGGREGATIONS: dict[str, Callable[[Groups, Rules], Values]] = {
    "avg": _avg,
    "count": _count,
    "group": _group,
    "max": _max,
    "min": _min,
    "stddev": _deviation,
    "stdvar": _variance,
    "sum": _sum,
}
"""Aggregations that need no parameter."""


RANKED = frozenset({"bottomk", "topk"})
"""Aggregations that keep some series of each group."""


def aggregate(vector: Vector, node: Aggregate, rules: Rules) -> Vector:
    """Aggregate by an operator of `AGGREGATIONS`; the vector has at least one series."""
    groups = Groups(vector, node)
    values = AGGREGATIONS[node.operator](groups, rules)
    return Vector(groups.labels, values, groups.counts() > 0).nonempty()


def quantile_of_groups(vector: Vector, node: Aggregate, quantile: Values) -> Vector:
    """Return a quantile of each group; ``quantile`` has one value a step."""
    groups = Groups(vector, node)
    shape = (groups.count, vector.steps)
    result = Vector(groups.labels, np.zeros(shape), np.zeros(shape, np.bool_))
    for group, rows in enumerate(groups.members()):
        valid = vector.present[rows].T
        result.present[group] = valid.any(axis=1)
        result.values[group] = quantile_rows(quantile, vector.values[rows].T, valid)
    return result.nonempty()


def top(vector: Vector, node: Aggregate, wanted: Values) -> Vector:
    """Keep the largest (or smallest) values of each group; among equals the first series stay.

    Args:
        vector: the series.
        node: the aggregation, ``topk`` or ``bottomk``.
        wanted: how many, one a step.

    Raises:
        QueryError: when that is no number of series.
    """
    if (np.isnan(wanted) | (np.abs(wanted) >= 2.0**63)).any():
        raise QueryError(f"{node.operator}: its first argument is no whole number of series")
    if not len(vector):
        return vector
    limit = np.trunc(wanted)
    kept = np.zeros(vector.present.shape, np.bool_)
    sign = -1.0 if node.operator == "topk" else 1.0
    for rows in Groups(vector, node).members():
        kept[rows] = _first(sign * vector.values[rows], vector.present[rows], limit)
    return Vector(vector.labels, vector.values, vector.present & kept).nonempty()


def _first(values: Values, present: Mask, limit: Values) -> Mask:
    """Mark the ``limit`` smallest present values of each column; NaN sorts last."""
    order = np.lexsort((values, ~present), axis=0)
    rank = np.empty_like(order)
    places = np.broadcast_to(np.arange(len(values))[:, None], values.shape)
    np.put_along_axis(rank, order, places, axis=0)
    return rank < limit
