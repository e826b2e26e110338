"""Shares with their uncertainty, and tallies of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Any, Self

__all__ = ["Share", "tally"]

_Z = 1.959964
"""Standard normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``total``."""

    hits: int = 0
    total: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.hits + other.hits, self.total + other.total)

    @classmethod
    def of(cls, outcomes: Iterable[bool]) -> Self:
        """Count how many are true."""
        each = [bool(o) for o in outcomes]
        return cls(sum(each), len(each))

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval after Wilson (1927), "Probable inference": sound at 0 and at 1 too."""
        if not self.total:
            return 0.0, 1.0
        n, p, z2 = self.total, self.hits / self.total, _Z**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def as_json(self) -> dict[str, Any]:
        """``hits, total, share, interval``, rounded to four digits."""
        low, high = self.interval
        share = None if self.value is None else round(self.value, 4)
        interval = [round(low, 4), round(high, 4)]
        return {"hits": self.hits, "total": self.total, "share": share, "interval": interval}

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        low, high = self.interval
        return f"{self.hits}/{self.total} {self.value:.1%} [{low:.1%}, {high:.1%}]"


def tally(outcomes: Iterable[tuple[str, bool]]) -> dict[str, Share]:
    """Return the share of true outcomes by key, keys in order."""
    found: dict[str, Share] = {}
    for key, hit in outcomes:
        found[key] = found.get(key, Share()) + Share(int(hit), 1)
    return dict(sorted(found.items()))
