"""Operators between two operands."""

from collections.abc import Callable, Hashable

import numpy as np
from numpy.typing import NDArray

from superbizagent.domain.series import Labels, series_name
from superbizagent.errors import QueryError

from ._tree import Binary, Cardinality, Matching
from ._values import (
    NAME,
    Mask,
    Values,
    Vector,
    empty,
    group_rows,
    label_key,
    merged,
    nameless,
)

__all__ = [
    "ARITHMETIC",
    "COMPARISON",
    "SETS",
    "scalars",
    "set_operation",
    "vector_scalar",
    "vectors",
]

ARITHMETIC: dict[str, Callable[[Values, Values], Values]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "^": np.float_power,  # np.power takes a square root for 0.5, which -Inf does not have
    "atan2": np.arctan2,
}

COMPARISON: dict[str, Callable[[Values, Values], Mask]] = {
    "==": np.equal,
    "!=": np.not_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}

SETS = ("and", "or", "unless")


def scalars(node: Binary, left: Values, right: Values) -> Values:
    """Combine two scalars; a comparison gives 0 or 1."""
    if node.operator in ARITHMETIC:
        return ARITHMETIC[node.operator](left, right)
    return COMPARISON[node.operator](left, right).astype(np.float64)


def _applied(node: Binary, left: Values, right: Values, kept: Values) -> tuple[Values, Mask | bool]:
    """Return the values of an operation, and where it keeps them."""
    if node.operator in ARITHMETIC:
        return ARITHMETIC[node.operator](left, right), True
    holds = COMPARISON[node.operator](left, right)
    if node.to_bool:
        return holds.astype(np.float64), True
    return np.broadcast_to(kept, holds.shape), holds


def _drops_name(node: Binary) -> bool:
    return node.operator in ARITHMETIC or node.to_bool


def vector_scalar(node: Binary, vector: Vector, scalar: Values, *, swapped: bool) -> Vector:
    """Combine each series with a scalar; a comparison keeps the series' own value.

    Args:
        node: the operation.
        vector: the series.
        scalar: one value a step.
        swapped: whether the scalar is the left operand.

    Raises:
        QueryError: when series differ in their name alone.
    """
    left, right = (scalar, vector.values) if swapped else (vector.values, scalar)
    values, holds = _applied(node, left, right, vector.values)
    labels = [nameless(row) for row in vector.labels] if _drops_name(node) else vector.labels
    return merged(Vector(labels, values, vector.present & holds))


def vectors(node: Binary, left: Vector, right: Vector) -> Vector:
    """Combine series that match.

    Raises:
        QueryError: when several series match where one may.
    """
    left, right = left.nonempty(), right.nonempty()
    if not len(left) or not len(right):
        return empty(left.steps)
    both = left.somewhere() & right.somewhere()
    swapped = node.matching.cardinality is Cardinality.ONE_TO_MANY
    many, one = (right, left) if swapped else (left, right)
    matching = node.matching
    signatures = [_signature(row, matching) for row in (*many.labels, *one.labels)]
    owner, groups = group_rows(signatures)
    many_owner, one_owner = owner[: len(many)], owner[len(many) :]
    side = "left" if swapped else "right"
    _refuse_several(one, one_owner, groups, both, side)
    many_rows, one_rows = _pairs(many_owner, one_owner, groups)
    first, second = many.values[many_rows], one.values[one_rows]
    operands = (second, first) if swapped else (first, second)
    values, holds = _applied(node, *operands, operands[0])
    present = many.present[many_rows] & one.present[one_rows] & holds
    labels = [
        _result_labels(many.labels[int(m)], one.labels[int(o)], node)
        for m, o in zip(many_rows, one_rows, strict=True)
    ]
    result = Vector(labels, values, present)
    if matching.cardinality is Cardinality.ONE_TO_ONE:
        _refuse_several(result, many_owner[many_rows], groups, both, "left")
    return merged(result)


def _signature(row: Labels, matching: Matching) -> Hashable:
    if matching.on:
        return tuple(row.get(name, "") for name in matching.labels)
    return label_key({k: v for k, v in row.items() if k not in matching.labels and k != NAME})


def _pairs(
    many: NDArray[np.int64], one: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Join the rows of two sides by the number of their group, in the order of the first."""
    order = np.argsort(one, kind="stable")
    sizes = np.bincount(one, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    repeats = sizes[many]
    first = np.repeat(np.arange(len(many)), repeats)
    within = np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return first, order[starts[many[first]] + within]


def _refuse_several(
    vector: Vector, owner: NDArray[np.int64], groups: int, both: Mask, side: str
) -> None:
    """Refuse a step at which two series of one side have the same matching labels."""
    if len(np.unique(owner)) == len(owner):
        return
    counts = np.zeros((groups, vector.present.shape[1]), np.int64)
    np.add.at(counts, owner, vector.present.astype(np.int64))
    several = (counts > 1) & both
    if not several.any():
        return
    group, step = (int(found[0]) for found in np.nonzero(several))
    rows = np.flatnonzero((owner == group) & vector.present[:, step])[:2]
    names = " and ".join(series_name(vector.labels[int(row)]) for row in rows)
    raise QueryError(
        f"several series of the {side} side match the same series of the other: {names}; match on"
        " more labels, or say group_left or group_right"
    )


def _result_labels(many: Labels, one: Labels, node: Binary) -> Labels:
    matching = node.matching
    row = nameless(many) if _drops_name(node) else dict(many)
    if matching.cardinality is Cardinality.ONE_TO_ONE:
        row = {k: v for k, v in row.items() if (k in matching.labels) == matching.on}
    for name in matching.include:
        row.pop(name, None)
        if one.get(name):
            row[name] = one[name]
    return row


def set_operation(node: Binary, left: Vector, right: Vector) -> Vector:
    """Return the intersection, union or difference of two vectors at each step."""
    left, right = left.nonempty(), right.nonempty()
    signatures = [_signature(row, node.matching) for row in (*left.labels, *right.labels)]
    owner, groups = group_rows(signatures)
    left_owner, right_owner = owner[: len(left)], owner[len(left) :]
    if node.operator == "or":
        taken = _any_of(left, left_owner, groups)
        added = right.present & ~taken[right_owner]
        return merged(
            Vector(
                [*left.labels, *right.labels],
                np.concatenate([left.values, right.values]),
                np.concatenate([left.present, added]),
            )
        )
    there = _any_of(right, right_owner, groups)[left_owner]
    kept = there if node.operator == "and" else ~there
    return Vector(left.labels, left.values, left.present & kept).nonempty()


def _any_of(vector: Vector, owner: NDArray[np.int64], groups: int) -> Mask:
    """Tell at which steps a group has a series."""
    found = np.zeros((groups, vector.present.shape[1]), np.bool_)
    np.logical_or.at(found, owner, vector.present)
    return found
