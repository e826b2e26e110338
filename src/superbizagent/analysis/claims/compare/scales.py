"""How the values of facts read in the unit of a sentence's number."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.mentions import Quantity

__all__ = ["COUNTS", "accepted", "factors", "in_unit"]

_BASE: dict[str, tuple[str, float]] = {
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "min": ("s", 60.0),
    "h": ("s", 3600.0),
    "bytes": ("bytes", 1.0),
    "KiB": ("bytes", 2.0**10),
    "MiB": ("bytes", 2.0**20),
    "GiB": ("bytes", 2.0**30),
    "kB": ("bytes", 1e3),
    "KB": ("bytes", 1e3),
    "MB": ("bytes", 1e6),
    "GB": ("bytes", 1e9),
    "ratio": ("ratio", 1.0),
    "%": ("ratio", 0.01),
    "milli": ("cores", 1e-3),
    "cores": ("cores", 1.0),
    "CPU": ("cores", 1.0),
    "s/s": ("cores", 1.0),  # processor seconds a second
    "records": ("", 1.0),
    "{connection}": ("", 1.0),
    "count": ("", 1.0),
    "": ("", 1.0),
}
"""Unit of a fact -> base unit and how many of them one is."""

# Sources that give no unit: a bare latency is read as seconds, a bare share as either form.
_OF_BARE: dict[str, tuple[float, ...]] = {
    "s": (1.0,),
    "ratio": (1.0, 0.01),
    "/s": (1.0,),
    "cores": (1.0,),
    "bytes": (1.0,),
}


COUNTS = frozenset({"", "records", "{connection}", "count"})
"""Units of facts that say how many there are."""


@lru_cache(maxsize=4096)
def factors(wanted: str, unit: str) -> tuple[float, ...]:
    """Return what a fact's value may be multiplied with to be in ``wanted``; none: not comparable.

    Args:
        wanted: unit of a `Quantity`.
        unit: unit of a `Fact`.
    """
    base, factor = _base_of(unit)
    wanted = _BASE.get(wanted, (wanted,))[0]
    if wanted == base:
        return (factor,)
    if wanted == "":
        # "rose from 0.03 to 2.6" leaves the unit to the reader: the value as the fact has it.
        return (1.0,) if base == unit else (1.0, factor)
    if (wanted, base) == ("ratio", "cores"):
        return (factor,)  # "2 % of a core"
    if base == "":
        return _OF_BARE.get(wanted, ())
    return ()


def _base_of(unit: str) -> tuple[str, float]:
    rate = unit.endswith("/s") and unit not in _BASE and unit != "/s"
    base, factor = _BASE.get(unit[:-2] if rate else unit, (unit, 1.0))
    return (base + "/s" if rate else base, factor)


def in_unit(
    wanted: str, units: Sequence[str], codes: NDArray[np.integer], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Return the rows' values in ``wanted``, NaN where they cannot be compared.

    Two readings where a bare number may be meant either way.

    Args:
        wanted: unit of a `Quantity`.
        units: the distinct units of the facts.
        codes: position in ``units``, one a row.
        values: one a row, NaN for text.
    """
    each = [factors(wanted, unit) for unit in units]
    found: list[NDArray[np.float64]] = []
    for turn in range(max((len(f) for f in each), default=0)):
        table = np.array([f[turn] if turn < len(f) else np.nan for f in each])
        found.append(values * table[codes])
    return tuple(found)


def accepted(quantity: Quantity, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell of each value whether it is what the number says; NaN is not."""
    low, high = quantity.interval
    with np.errstate(invalid="ignore"):
        return (values >= low) & (values <= high)
