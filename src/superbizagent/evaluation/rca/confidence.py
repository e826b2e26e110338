"""How much a margin is worth: precision at coverage, and thresholds for a system not seen."""

from collections.abc import Sequence
from typing import Any

from superbizagent.evaluation.rca.rows import Row
from superbizagent.evaluation.shares import Share

__all__ = ["MARGINS", "TARGETS", "left_out", "precision_at_margins"]

MARGINS = (0.4, 0.6, 0.8)
TARGETS = {"root_cause_found": 0.90, "likely": 0.75}
"""Share of right answers that a verdict stands for."""
_LEAST = 5
"""Fewer answers fit no threshold."""


def precision_at_margins(rows: Sequence[Row]) -> dict[str, Any]:
    """Return for each margin the share of cases answered at it or above, and of those right."""
    return {f"{t:.1f}": _at(rows, t) for t in MARGINS}


def _at(rows: Sequence[Row], margin: float) -> dict[str, Any]:
    sure = [r for r in rows if r.answered and r.margin >= margin]
    right = Share.of(r.answer_right for r in sure)
    return {
        "cases": len(rows),
        "answered": len(sure),
        "right": right.hits,
        "coverage": round(len(sure) / len(rows), 3) if rows else None,
        "precision": None if right.value is None else round(right.value, 3),
    }


def left_out(rows: Sequence[Row]) -> dict[str, Any]:
    """Fit the margin of each verdict on all sets but one and judge that one by it.

    The margin of ``root_cause_found`` is asked first; ``likely`` are the answers between the two.
    """
    sets = list(dict.fromkeys(r.set for r in rows))
    found: dict[str, Any] = {}
    for name in sets if len(sets) > 1 else ():
        others = [r for r in rows if r.set != name]
        bars = [_fitted(others, target) for target in TARGETS.values()]
        found[name] = _judged([r for r in rows if r.set == name], bars)
    return {"sets": found, "pooled": _pooled(list(found.values()))} if found else {}


def _fitted(rows: Sequence[Row], target: float) -> float:
    """Return the least margin from which on answers are right often enough; above 1: none is."""
    sure = sorted((r for r in rows if r.answered), key=lambda r: -r.margin)
    bar = 1.01
    right = 0
    for n, row in enumerate(sure, 1):
        right += row.answer_right
        last = n == len(sure) or sure[n].margin < row.margin
        if last and n >= _LEAST and right / n >= target:
            bar = row.margin
    return bar


def _judged(rows: Sequence[Row], bars: Sequence[float]) -> dict[str, Any]:
    found: dict[str, Any] = {"cases": len(rows)}
    upper = float("inf")
    for name, bar in zip(TARGETS, bars, strict=True):
        given = [r for r in rows if r.answered and bar <= r.margin < upper]
        found[name] = {
            "margin": round(bar, 3),
            "answered": len(given),
            "right": sum(r.answer_right for r in given),
        }
        upper = min(upper, bar)
    return found


def _pooled(sets: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cases": sum(s["cases"] for s in sets),
        **{
            name: {
                "answered": sum(s[name]["answered"] for s in sets),
                "right": sum(s[name]["right"] for s in sets),
            }
            for name in TARGETS
        },
    }
