"""Where versions of Prometheus evaluate the same text differently.

Sources: the change log of Prometheus and its engine's code at those versions.
"""

import re
from dataclasses import dataclass

__all__ = ["Rules"]

_VERSION = re.compile(r"v?(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one version."""

    left_open: bool = True
    """A range, a subquery and the look-back leave out their earliest instant (3.0)."""
    zero_point_last: bool = True
    """A counter is extrapolated to its zero point only after the gap was judged (2.52)."""
    compensated_sum: bool = True
    """``sum`` and ``avg`` keep the rounding error (2.54 and 2.55; told apart by nobody)."""
    lone_infinity_spreads: bool = True
    """``stddev`` of one infinite or undefined value is undefined, not 0 (3.0)."""
    dot_is_newline: bool = True
    """``.`` in ``label_replace`` matches a line break (3.0)."""

    @classmethod
    def of(cls, version: str) -> "Rules":
        """Return the rules of a version such as ``2.42.0+ds``; the newest when it says nothing."""
        found = _VERSION.match(version.strip())
        if found is None:
            return cls()
        number = int(found[1]), int(found[2])
        third = number >= (3, 0)
        return cls(
            left_open=third,
            zero_point_last=number >= (2, 52),
            compensated_sum=number >= (2, 54),
            lone_infinity_spreads=third,
            dot_is_newline=third,
        )
