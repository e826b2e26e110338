"""Values that belong together: what a number that no fact has may be computed from.

An operation over any two facts of a session hits any number by chance. Only these pairs are tried:
before and during of one thing, a part and its whole, the same thing at two entities, what the
other numbers of the sentence stand for, and what the sentence cites.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence.ground import Ground, Period, Statistic

__all__ = [
    "NO_ROWS",
    "Rows",
    "before_and_during",
    "counter_ends",
    "every_pair",
    "of_one_check",
    "parts_of_whole",
]

Rows = NDArray[np.int64]
"""Pairs of rows, shape ``(n, 2)``."""

NO_ROWS: Rows = np.empty((0, 2), np.int64)
_LEVELS = (Statistic.MEAN, Statistic.MEDIAN)
_EXTREMES = (Statistic.MAX, Statistic.MIN, Statistic.LAST)
_TOTALS = (Statistic.COUNT, Statistic.TOTAL)
_SIDES = ((_LEVELS, (*_LEVELS, *_EXTREMES)), (_TOTALS, _TOTALS))
"""Statistics of the baseline, and what of the incident each may be held against."""
_MOST = 40
"""Cited facts that are paired with each other; a sentence that cites more is about a sum."""


def _rows(pairs: Iterator[tuple[int, int]]) -> Rows:
    found = list(pairs)
    return np.array(found, np.int64) if found else NO_ROWS


@lru_cache(maxsize=4)
def before_and_during(ground: Ground) -> Rows:
    """Return ``(during, before)`` of each subject: any incident value, a level of the baseline."""
    return _before_and_during(ground)


def _before_and_during(ground: Ground) -> Rows:
    """Join the rows of both periods on subject and unit, a level with any value that is one."""
    numeric = ~np.isnan(ground.value)
    key = ground.subject.astype(np.int64) * len(ground.units) + ground.unit
    found: list[Rows] = []
    for before, during in _SIDES:
        left = numeric & (ground.period == Period.BASELINE) & np.isin(ground.statistic, before)
        inside = np.isin(ground.period, (Period.INCIDENT, Period.POINT))
        right = numeric & inside & np.isin(ground.statistic, during)
        found.append(_joined(np.flatnonzero(right), np.flatnonzero(left), key))
    pairs = np.concatenate(found)
    return pairs[_of_like_length(ground, pairs)] if len(pairs) else pairs


def _joined(during: NDArray[np.int64], before: NDArray[np.int64], key: NDArray[np.int64]) -> Rows:
    before = before[np.argsort(key[before], kind="stable")]
    first = np.searchsorted(key[before], key[during], "left")
    count = np.searchsorted(key[before], key[during], "right") - first
    left = np.repeat(during, count)
    within = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    return np.stack([left, before[np.repeat(first, count) + within]], axis=1)


def _of_like_length(ground: Ground, pairs: Rows) -> NDArray[np.bool_]:
    """What adds up over time is compared over equally long times, unless both were so stored."""
    summed = np.isin(ground.statistic[pairs[:, 0]], _TOTALS)
    kept = np.ones(len(pairs), np.bool_)
    for k in np.flatnonzero(summed).tolist():
        names = [_bare(ground.facts[int(row)].statistic) for row in pairs[k]]
        kept[k] = names[0] == names[1]
    return kept


@lru_cache(maxsize=4)
def parts_of_whole(ground: Ground) -> Rows:
    """Return ``(part, whole)``: the failed of the requests, time spent of the answered."""
    return _rows(_parts_of_whole(ground))


def _bare(statistic: str) -> str:
    return statistic.removeprefix("baseline_")


@lru_cache(maxsize=4)
def counter_ends(ground: Ground) -> Rows:
    """Return ``(last, first)`` raw samples of each counter over each span."""
    first = {
        (int(ground.subject[row]), ground.facts[row].window): row
        for row in np.flatnonzero(ground.statistic == Statistic.STOOD_FIRST).tolist()
    }
    last: list[int] = np.flatnonzero(ground.statistic == Statistic.STOOD_LAST).tolist()
    keys = [(row, (int(ground.subject[row]), ground.facts[row].window)) for row in last]
    return _rows((row, first[key]) for row, key in keys if key in first)


@lru_cache(maxsize=4)
def of_one_check(ground: Ground) -> Rows:
    """Return pairs of different things that a check looked at together: used and limit."""
    return _rows(_of_one_check(ground))


def _of_one_check(ground: Ground) -> Iterator[tuple[int, int]]:
    numbers = {look.number for look in ground.looks if look.partial}
    for number in sorted(numbers):
        mask = (ground.call == number) & ~np.isnan(ground.value) & (ground.entity >= 0)
        rows: list[int] = np.flatnonzero(mask).tolist()
        for a, b in permutations(rows, 2) if len(rows) <= _MOST else ():
            first, second = ground.facts[a], ground.facts[b]
            alike = ground.period[a] == ground.period[b] and first.unit == second.unit
            if alike and ground.subject[a] != ground.subject[b]:
                yield a, b


_WHOLE_OF = {"failed": ("requests", "elapsed"), "spent": ("answered",), "requests": ("elapsed",)}


def _parts_of_whole(ground: Ground) -> Iterator[tuple[int, int]]:
    yield from _means_of_histograms(ground)
    named = {s for pair in _WHOLE_OF.items() for s in (pair[0], *pair[1])}
    rows = [k for k, fact in enumerate(ground.facts) if fact.statistic in named]
    for a, b in permutations(rows, 2):
        part, whole = ground.facts[a], ground.facts[b]
        if whole.statistic not in _WHOLE_OF.get(part.statistic, ()):
            continue
        same = part.entity == whole.entity and part.window == whole.window
        # A whole without labels is all of its metric: any of its series is a part of it.
        if same and whole.name in {part.name, part.name.partition("{")[0]}:
            yield a, b


def _means_of_histograms(ground: Ground) -> Iterator[tuple[int, int]]:
    """What a histogram added up and how often, over the same time and with the same labels."""
    counted: dict[tuple[str, str, object], int] = {}
    sums: list[tuple[int, str, str, object]] = []
    for row, fact in enumerate(ground.facts):
        if fact.statistic != "increase":
            continue
        metric, brace, labels = fact.name.partition("{")
        if metric.endswith("_count"):
            counted[metric.removesuffix("_count"), brace + labels, fact.window] = row
        elif metric.endswith("_sum"):
            sums.append((row, metric.removesuffix("_sum"), brace + labels, fact.window))
    for row, metric, labels, window in sums:
        count = counted.get((metric, labels, window))
        if count is not None:
            yield row, count


def every_pair(rows: Sequence[int]) -> Rows:
    """Return each ordered pair of some rows; none when there are too many to mean anything."""
    return _rows(permutations(rows, 2)) if len(rows) <= _MOST else NO_ROWS
