"""How usual each sign of a list is: by earlier lists, else by how many entities of it have it.

Nothing here knows what was wrong in an earlier list. With no history the share of entities that
carry a kind is all there is; with a long one it hardly counts any more.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.alert_readings import AlertReading
from superbizagent.analysis.alert_signs import Call, Sign, Signs, servers_of, signs_of

__all__ = ["AlertHistory", "Usual"]

Floats = NDArray[np.float64]

_PRIOR = 1.0  # lists that the share of entities in this one stands for
_TOGETHER = 20.0  # lists in which two signs must meet until that counts half


@dataclass(frozen=True, slots=True)
class Usual:
    """How surprising the signs of one list are, in nats."""

    alone: Floats
    """By itself, one a sign."""
    given: Floats | None
    """``[a, b]``: what sign ``a`` still says once ``b`` is known; None without a history."""


@dataclass(frozen=True, slots=True)
class AlertHistory:
    """Alert lists of one system, without a word on what was wrong."""

    lists: int
    column: Mapping[Sign, int]
    present: NDArray[np.float32]
    """``[list, column]``: 1 where a list has a sign."""
    calls: frozenset[Call]
    servers: Mapping[str, str]

    @classmethod
    def of(cls, lists: Sequence[Sequence[AlertReading]]) -> "AlertHistory":
        """Count what ``lists`` hold."""
        servers = servers_of(lists)
        each = [signs_of(readings, servers) for readings in lists]
        column = {s: k for k, s in enumerate(sorted({s for e in each for s in e.sources}))}
        present = np.zeros((len(each), len(column)), np.float32)
        for row, signs in enumerate(each):
            present[row, [column[s] for s in signs.sources]] = 1.0
        calls = frozenset(c for e in each for c in e.calls)
        return cls(len(each), column, present, calls, servers)

    def besides(self, row: int) -> "AlertHistory":
        """Return the history without its list number ``row``: a list is not its own past."""
        kept = np.delete(self.present, row, axis=0)
        return AlertHistory(self.lists - 1, self.column, kept, self.calls, self.servers)

    def usual(self, signs: Signs, entities: Collection[str]) -> Usual:
        """Return how surprising the signs of a list are.

        Args:
            signs: of the list.
            entities: all that could have them.
        """
        alone = self._alone(signs, entities)
        if not self.lists:
            return Usual(alone, None)
        columns = [self.column.get(sign, -1) for sign in signs.sources]
        known = np.array([k for k, c in enumerate(columns) if c >= 0], np.int64)
        together = np.zeros((len(columns), len(columns)))
        part = self.present[:, [columns[k] for k in known.tolist()]]
        together[np.ix_(known, known)] = part.T @ part
        seen = np.diag(together)
        chance = np.exp(-alone)
        both = (together + _TOGETHER * chance[:, None]) / (seen[None, :] + _TOGETHER)
        # Rarer together than apart says nothing of what one tells of the other.
        given = np.minimum(-np.log(np.minimum(both, 1.0)), alone[:, None])
        return Usual(alone, given)

    def _alone(self, signs: Signs, entities: Collection[str]) -> Floats:
        sorts = [_sort(sign, signs) for sign in signs.sources]
        pairs = {(sort, s.entity) for sort, s in zip(sorts, signs.sources, strict=True)}
        carriers = Counter(sort for sort, _ in pairs)
        places = len(entities) + 1
        share = np.array([carriers[sort] / places for sort in sorts], np.float64)
        columns = [self.column.get(sign, -1) for sign in signs.sources]
        counts = self.present.sum(axis=0) if self.lists else np.zeros(0)
        seen = np.array([counts[c] if c >= 0 and self.lists else 0.0 for c in columns], np.float64)
        return -np.log((seen + _PRIOR * share) / (self.lists + _PRIOR))


def _sort(sign: Sign, signs: Signs) -> str:
    """What is counted of a list: a line is one program's own, so that it logs is what is shared."""
    return "log" if signs.family[sign] == "log" else sign.kind
