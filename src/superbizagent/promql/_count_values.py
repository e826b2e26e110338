"""``count_values``: how many series have each value."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from superbizagent.errors import QueryError

from ._aggregate import group_labels
from ._relabel import check_label
from ._tree import Aggregate
from ._values import Vector, group_rows, label_key

if TYPE_CHECKING:
    from superbizagent.domain.series import Labels

__all__ = ["count_values"]

_MOST_CELLS = 20_000_000
"""Series times steps of an answer: 160 MB of values."""


def count_values(vector: Vector, node: Aggregate, label: str) -> Vector:
    """Count the series of each group that have the same value, which becomes a label.

    Raises:
        QueryError: for a malformed label, or when nearly every value is another one.
    """
    check_label(label, "count_values")
    rows, columns = np.nonzero(vector.present)
    found = vector.values[rows, columns]
    # Bits tell 0 from -0, which print differently; every NaN prints the same.
    bits = np.where(np.isnan(found), np.nan, found).view(np.int64)
    distinct, which = np.unique(bits, return_inverse=True)
    texts = [_printed(float(value)) for value in distinct.view(np.float64)]
    by = node if node.without else replace(node, labels=(*node.labels, label))
    pairs, pair_of = np.unique(rows * max(len(texts), 1) + which.ravel(), return_inverse=True)
    labels: list[Labels] = [
        group_labels(
            {**vector.labels[int(pair) // len(texts)], label: texts[int(pair) % len(texts)]}, by
        )
        for pair in pairs
    ]
    owner, groups = group_rows([label_key(row) for row in labels])
    steps = vector.steps
    if groups * steps > _MOST_CELLS:
        raise QueryError(
            f"count_values would answer {groups} series of {steps} steps; round the values first"
        )
    counts = np.bincount(owner[pair_of.ravel()] * steps + columns, minlength=groups * steps)
    values = counts.reshape(groups, steps).astype(np.float64)
    chosen: list[Labels] = [{}] * groups
    for row, group in zip(labels, owner, strict=True):
        chosen[group] = row
    return Vector(chosen, values, values > 0)


def _printed(value: float) -> str:
    """Print a number in its shortest form without exponent, as the server does."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return np.format_float_positional(value, trim="-")
