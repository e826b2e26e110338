"""Templates whose share of the lines changed: of their service's, or of their siblings'.

Siblings differ in one word, as ``cache hit`` and ``cache miss`` do: among them a share is a rate
that people know by name.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._log_drafts import Draft
from superbizagent.analysis._log_shifts import Shift, share_shifts
from superbizagent.analysis._split_tree import SHOWN

__all__ = ["ShareShift", "shifted_shares"]

Ints = NDArray[np.int64]

_AT_MOST = 3  # a service; the strongest explains most of what the others show


@dataclass(frozen=True, slots=True)
class ShareShift:
    """A shift, and of what it is a share."""

    shift: Shift
    siblings: tuple[str, ...]
    """Texts of the templates that make up the whole, itself among them; empty: the service."""


def shifted_shares(drafts: Sequence[Draft], counts: Ints) -> dict[int, ShareShift]:
    """Return the templates (rows of ``counts``: templates x buckets) whose share changed."""
    services: dict[str, list[int]] = defaultdict(list)
    for row, draft in enumerate(drafts):
        # What is new or gone is said as such, and must not lower the shares of all others.
        if draft.before and draft.during:
            services[draft.service].append(row)
    found: dict[int, ShareShift] = {}
    for rows in services.values():
        spoken: set[int] = set()
        for group in _siblings(drafts, rows):
            shifts = share_shifts(counts[group])
            if shifts:
                # One rate of the group says all; the usual outcome is what people call it by.
                usual = max(shifts, key=lambda k: (shifts[k].before, -k))
                texts = tuple(drafts[row].text for row in group)
                found[group[usual]] = ShareShift(shifts[usual], texts)
                spoken |= set(group)
        found |= _of_service(counts, [row for row in rows if row not in spoken])
    return found


def _of_service(counts: Ints, rows: list[int]) -> dict[int, ShareShift]:
    """Return the strongest shift, then that of the rest without it, and so on."""
    found: dict[int, ShareShift] = {}
    left = list(rows)
    while len(found) < _AT_MOST:
        shifts = share_shifts(counts[left]) if len(left) > 1 else {}
        if not shifts:
            break
        strongest = max(shifts, key=lambda k: (shifts[k].statistic, -k))
        found[left.pop(strongest)] = ShareShift(shifts[strongest], ())
    return found


def _siblings(drafts: Sequence[Draft], rows: Sequence[int]) -> list[list[int]]:
    """Return groups of templates that differ in one and the same word."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row in rows:
        words = drafts[row].text.split(" ")
        for k, word in enumerate(words):
            if SHOWN not in word and len(words) > 1:
                groups[*words[:k], "", *words[k + 1 :]].append(row)
    return [group for group in groups.values() if len(group) > 1]
