"""Functions of one value at a time: arithmetic, and parts of a date."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ._values import Values, Vector, merged, nameless

__all__ = ["DATES", "ELEMENTWISE", "date_part", "elementwise"]


def _round(values: Values, nearest: Values) -> Values:
    # As the server does it: halves go up, and the inverse of the step is what is multiplied by.
    inverse = 1.0 / nearest
    return np.floor(values * inverse + 0.5) / inverse


def _at_least(values: Values, low: Values) -> Values:
    # As the server does it: infinity wins over what is undefined.
    infinite = np.isposinf(values) | np.isposinf(low)
    return np.where(infinite, np.inf, np.maximum(values, low))


def _at_most(values: Values, high: Values) -> Values:
    infinite = np.isneginf(values) | np.isneginf(high)
    return np.where(infinite, -np.inf, np.minimum(values, high))


def _clamp(values: Values, low: Values, high: Values) -> Values:
    return _at_least(_at_most(values, high), low)


ELEMENTWISE: dict[str, Callable[..., Values]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "clamp": _clamp,
    "clamp_max": _at_most,
    "clamp_min": _at_least,
    "exp": np.exp,
    "floor": np.floor,
    "ln": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "round": _round,
    "sgn": np.sign,
    "sqrt": np.sqrt,
}
"""Functions of a vector and scalars; scalars have one value a step."""


def elementwise(name: str, vector: Vector, scalars: Sequence[Values]) -> Vector:
    """Apply a function to every value; the metric name goes.

    Raises:
        QueryError: when series differ in their name alone.
    """
    limits = list(scalars)
    if name == "round" and not limits:
        limits.append(np.ones(vector.steps))
    values = ELEMENTWISE[name](vector.values, *limits)
    present = vector.present
    if name == "clamp":
        present = present & ~(limits[1] < limits[0])  # an impossible range selects nothing
    return merged(Vector([nameless(row) for row in vector.labels], values, present))


def _weekday(days: NDArray[np.int64]) -> NDArray[np.int64]:
    return (days + 4) % 7  # the epoch was a Thursday; Sunday is 0


def _calendar(seconds: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    moment = seconds.astype("datetime64[s]")
    day, month, year = (moment.astype(f"datetime64[{unit}]") for unit in "DMY")
    next_month = (month + np.timedelta64(1, "M")).astype("datetime64[D]")
    return {
        "day_of_month": (day - month.astype(day.dtype)).astype(np.int64) + 1,
        "day_of_week": _weekday(day.astype(np.int64)),
        "day_of_year": (day - year.astype(day.dtype)).astype(np.int64) + 1,
        "days_in_month": (next_month - month.astype("datetime64[D]")).astype(np.int64),
        "hour": seconds // 3600 % 24,
        "minute": seconds // 60 % 60,
        "month": month.astype(np.int64) % 12 + 1,
        "year": year.astype(np.int64) + 1970,
    }


DATES = (
    "day_of_month",
    "day_of_week",
    "day_of_year",
    "days_in_month",
    "hour",
    "minute",
    "month",
    "year",
)
"""Parts of a time in UTC."""


def date_part(name: str, vector: Vector) -> Vector:
    """Read values as seconds since the epoch and return a part of the date, in UTC."""
    safe = np.where(np.isfinite(vector.values), vector.values, 0.0)
    values = _calendar(np.trunc(safe).astype(np.int64))[name].astype(np.float64)
    values = np.where(np.isfinite(vector.values), values, np.nan)
    return merged(Vector([nameless(row) for row in vector.labels], values, vector.present))
