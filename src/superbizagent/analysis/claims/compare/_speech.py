"""What a stretch of a sentence speaks of, phrase by phrase, and which rows are of that.

`View.topic` joins all concepts of a stretch; here each phrase counts once, however many concepts
it may stand for, so that "row lock wait" is one thing and "errors of the pool" are two.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.concepts import concept_bits, names_of_concepts
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Clause, Mention, Word, WordKind
from superbizagent.domain.window import Window

__all__ = ["Speech", "ids_of", "period_at", "speech", "window_of"]


@dataclass(frozen=True, slots=True)
class Speech:
    """A stretch of a sentence, ``text[start:end]``."""

    text: str
    start: int
    end: int
    phrases: tuple[int, ...] = ()
    """Concept bits, one entry a phrase."""
    statuses: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()
    """Words that facts may have in their names."""

    @property
    def concepts(self) -> frozenset[str]:
        """Names of all concepts."""
        bits = 0
        for phrase in self.phrases:
            bits |= phrase
        return frozenset(names_of_concepts(bits))

    def rows(self, view: View, *, without: Collection[str] = ()) -> Mask:
        """Return the rows that share every phrase and status; all rows for a silent stretch.

        Args:
            view: the sentence and the evidence.
            without: concepts whose phrases are not asked for.
        """
        ground = view.ground
        found = np.ones(len(ground), np.bool_)
        for phrase in self.asked(without):
            found &= (ground.concepts & np.uint64(phrase)) != 0
        for status in self.statuses:
            found &= ground.overlap(0, frozenset({status})) > 0
        return found

    def asked(self, without: Collection[str] = ()) -> tuple[int, ...]:
        """Phrases that say more than the concepts given."""
        left_out = concept_bits(without)
        return tuple(p for p in self.phrases if not p & left_out)

    def shared(self, view: View, without: Collection[str] = ()) -> NDArray[np.int16]:
        """Return for each row how many of the phrases and words it shares."""
        ground = view.ground
        found = ground.overlap(0, self.tokens | self.statuses).astype(np.int16)
        for phrase in self.asked(without):
            found += (ground.concepts & np.uint64(phrase)) != 0
        return found


def speech(view: View, start: int, end: int) -> Speech:
    """Read ``text[start:end]`` of the sentence."""
    words = [w for w in view.statement.words if start <= w.start < end]
    phrases: dict[tuple[int, int], int] = {}
    for word in words:
        if word.kind is WordKind.CONCEPT:
            key = (word.start, word.end)
            phrases[key] = phrases.get(key, 0) | concept_bits((word.value,))
    statuses = frozenset(w.value for w in words if w.kind is WordKind.STATUS)
    return Speech(
        text=view.text[start:end],
        start=start,
        end=end,
        phrases=tuple(bits for bits in phrases.values() if bits),
        statuses=statuses,
        tokens=view.topic(start, end).tokens,
    )


def ids_of(ground: Ground, rows: Mask, most: int = 3) -> tuple[str, ...]:
    """Return the ids of the first facts of a mask."""
    first: list[int] = np.flatnonzero(rows)[:most].tolist()
    return tuple(ground.facts[row].id for row in first)


def period_at(view: View, clause: Clause, mention: Mention | None = None) -> str:
    """Return ``baseline`` or ``incident``: which part of the time a clause speaks of."""
    found = list(_periods(view, clause))
    if found and mention is not None:
        found.sort(key=lambda w: min(abs(w.start - mention.end), abs(mention.start - w.end)))
    if found:
        return found[0].value
    start = view.ground.frame.windows.incident.start
    moments = [m for m in view.statement.moments if clause.holds(m)]
    if moments and all(m.high < start for m in moments):
        return "baseline"
    if any(m.preposition in {"before", "until"} for m in moments) and len(moments) == 1:
        return "baseline"
    return "incident"


def _periods(view: View, clause: Clause) -> Iterator[Word]:
    for word in view.statement.words_of(WordKind.PERIOD, clause):
        if word.value in {"baseline", "incident"}:
            yield word


def window_of(view: View, period: str) -> Window:
    """Return the time of a period; of several baselines the one next to the incident."""
    windows = view.ground.frame.windows
    if period == "baseline" and windows.baselines:
        return max(windows.baselines, key=lambda w: w.end)
    return windows.incident
