"""Spans of a text that are read already, so that nothing is read twice."""

from bisect import bisect_right, insort
from collections.abc import Iterable

__all__ = ["Span", "Taken"]

Span = tuple[int, int]
"""``[start, end)`` in characters."""


class Taken:
    """A growing set of spans with a quick look-up."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        """Begin with ``spans``, in any order; they may overlap."""
        self._spans = self._merged(spans)

    @staticmethod
    def _merged(spans: Iterable[Span]) -> list[Span]:
        merged: list[Span] = []
        for start, end in sorted(spans):
            if end <= start:
                continue
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            else:
                merged.append((start, end))
        return merged

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans in text order, none overlapping another."""
        return tuple(self._spans)

    def add(self, spans: Iterable[Span]) -> None:
        """Take further spans."""
        self._spans = self._merged((*self._spans, *spans))

    def take(self, start: int, end: int) -> None:
        """Take one more span, which must be free."""
        if start < end:
            insort(self._spans, (start, end))

    def free(self, start: int, end: int) -> bool:
        """Tell whether no character of ``[start, end)`` is taken."""
        at = bisect_right(self._spans, (start, end))
        before = at == 0 or self._spans[at - 1][1] <= start
        return before and (at == len(self._spans) or self._spans[at][0] >= end)

    def end_of(self, at: int) -> int:
        """Return where the span that holds the character ``at`` ends, or ``at`` when none does."""
        position = bisect_right(self._spans, (at, at + 1)) - 1
        for start, end in self._spans[max(0, position) : position + 2]:
            if start <= at < end:
                return end
        return at

    def ends_at(self, at: int) -> bool:
        """Tell whether a span ends right before the character ``at``."""
        position = bisect_right(self._spans, (at, at))
        return position > 0 and self._spans[position - 1][1] == at
