"""Times of a table's column as whole milliseconds or microseconds."""

from typing import Literal

import polars as pl

__all__ = ["time_ms", "time_us"]

_Unit = Literal["ms", "us"]


def time_ms(dtype: pl.DataType, name: str = "time") -> pl.Expr:
    """Return milliseconds since the epoch of a column of any usual type.

    Numbers are seconds, milliseconds, microseconds or nanoseconds by their size; text is a number
    or ISO 8601, where a time without a zone is taken as UTC. What is neither becomes null.
    """
    return _epoch(dtype, name, "ms")


def time_us(dtype: pl.DataType, name: str = "time") -> pl.Expr:
    """Return microseconds since the epoch, read as `time_ms` reads them."""
    return _epoch(dtype, name, "us")


def _epoch(dtype: pl.DataType, name: str, unit: _Unit) -> pl.Expr:
    column = pl.col(name)
    if isinstance(dtype, pl.Datetime):
        return column.dt.epoch(unit)
    if dtype == pl.String:
        text = column.str.strip_chars()
        iso = text.str.replace(" ", "T", literal=True)
        with_zone = iso.str.to_datetime(
            "%Y-%m-%dT%H:%M:%S%.f%#z", time_unit=unit, time_zone="UTC", strict=False
        )
        without = iso.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit=unit, strict=False)
        number = _by_size(text.cast(pl.Float64, strict=False), unit)
        return pl.coalesce(number, with_zone.dt.epoch(unit), without.dt.epoch(unit))
    return _by_size(column.cast(pl.Float64, strict=False), unit)


def _by_size(number: pl.Expr, unit: _Unit) -> pl.Expr:
    """Return a number in seconds, ms, µs or ns, told apart by size, in one unit.

    1e11 s is the year 5138 and 1e11 ms is March 1973: no recording is as far off as either.
    """
    per_second = 1e3 if unit == "ms" else 1e6
    scaled = (
        pl.when(number < 1e11)
        .then(number * per_second)
        .when(number < 1e14)
        .then(number * (per_second / 1e3))
        .when(number < 1e17)
        .then(number / (1e6 / per_second))
        .otherwise(number / (1e9 / per_second))
    )
    finite = number.is_not_null() & number.is_finite()
    return pl.when(finite).then(scaled.round(0)).otherwise(None).cast(pl.Int64, strict=False)
