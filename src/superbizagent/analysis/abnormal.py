"""Which deviations are more than chance: the bar that rises with the number of series looked at."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.deviation import Deviations
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.series import Labels

__all__ = ["ABNORMAL", "is_abnormal", "is_far", "strongest_rows"]

_OF_ONE_METRIC = 2

ABNORMAL = float(np.log1p(5.0))
"""Size from which one series of few is called abnormal: that of five scales that last.

Three scales happen by chance in a large sweep; `is_abnormal` raises the bar further with the
number of series looked at.
"""


def is_abnormal(deviations: Deviations, looked_at: int | None = None) -> NDArray[np.bool_]:
    """Tell for every series whether its deviation is more than chance and its own past explain.

    Args:
        deviations: of the series.
        looked_at: how many were looked at for one answer; None: all of them.
    """
    n = max(1, looked_at or int(np.count_nonzero(deviations.status)))
    # The largest of n normal deviates grows as sqrt(2 ln n); real tails are wider, hence five
    # scales to begin with.
    bar = max(ABNORMAL, float(np.log1p(2.0 * np.sqrt(2.0 * np.log(n)))))
    calm = deviations.null_evidence.max(axis=0, initial=0.0)
    return (deviations.evidence > 0) & (deviations.size >= bar) & (deviations.evidence > calm)


def strongest_rows(deviations: Deviations, labels: Sequence[Labels], limit: int) -> tuple[int, ...]:
    """Return rows by falling evidence, ties by printed name; at most two of a metric at first.

    One metric with a label value for every route would otherwise take all places.
    """
    score = [round_significant(float(e)) for e in deviations.evidence]
    order = sorted(range(len(deviations)), key=lambda k: (-score[k], k))
    seen: dict[str, int] = {}
    first: list[int] = []
    rest: list[int] = []
    for row in order:
        name = labels[row].get("__name__", "")
        seen[name] = seen.get(name, 0) + 1
        (first if seen[name] <= _OF_ONE_METRIC else rest).append(row)
        if len(first) == limit:
            break
    return tuple((first + rest)[:limit])


def is_far(deviations: Deviations, row: int) -> bool:
    """Tell whether one series is far enough from its baseline for an onset to mean anything."""
    return bool(deviations.size[row] >= ABNORMAL)
