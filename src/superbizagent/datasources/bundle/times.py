"""Times of a table's column as whole milliseconds."""

import polars as pl

__all__ = ["epoch_ms", "time_ms"]


def time_ms(dtype: pl.DataType, name: str = "time") -> pl.Expr:
    """Return milliseconds since the epoch of a column of any usual type.

    Numbers are seconds, milliseconds, microseconds or nanoseconds by their size; text is a number
    or ISO 8601, where a time without a zone is taken as UTC. What is neither becomes null.
    """
    column = pl.col(name)
    if isinstance(dtype, pl.Datetime):
        return column.dt.epoch("ms")
    if dtype == pl.String:
        text = column.str.strip_chars()
        iso = text.str.replace(" ", "T", literal=True)
        with_zone = iso.str.to_datetime(
            "%Y-%m-%dT%H:%M:%S%.f%#z", time_unit="ms", time_zone="UTC", strict=False
        )
        without = iso.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="ms", strict=False)
        number = text.cast(pl.Float64, strict=False)
        return pl.coalesce(epoch_ms(number), with_zone.dt.epoch("ms"), without.dt.epoch("ms"))
    return epoch_ms(column.cast(pl.Float64, strict=False))


def epoch_ms(number: pl.Expr) -> pl.Expr:
    """Return milliseconds of a number in seconds, ms, µs or ns, told apart by size.

    1e11 s is the year 5138 and 1e11 ms is March 1973: no recording is as far off as either.
    """
    scaled = (
        pl.when(number < 1e11)
        .then(number * 1e3)
        .when(number < 1e14)
        .then(number)
        .when(number < 1e17)
        .then(number / 1e3)
        .otherwise(number / 1e6)
    )
    finite = number.is_not_null() & number.is_finite()
    return pl.when(finite).then(scaled.round(0)).otherwise(None).cast(pl.Int64, strict=False)
