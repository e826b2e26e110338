"""Facts in columns, and the masks that a comparison combines.

Every column has one entry a fact, in the order of the facts; a mask has one boolean each.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence._rows import Period, Rows, Statistic
from superbizagent.analysis.claims.evidence.subjects import Subject
from superbizagent.domain.fact import Fact
from superbizagent.domain.report import Frame
from superbizagent.domain.window import to_ms

__all__ = ["Indexed"]

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

_PERIODS = {"baseline": (Period.BASELINE,), "incident": (Period.INCIDENT,)}
_STATISTICS = {
    "max": (Statistic.MAX, Statistic.CONSTANT),
    "min": (Statistic.MIN, Statistic.CONSTANT),
    "mean": (Statistic.MEAN, Statistic.CONSTANT),
    "median": (Statistic.MEDIAN, Statistic.P50, Statistic.CONSTANT),
    "p50": (Statistic.MEDIAN, Statistic.P50),
    "p90": (Statistic.P90,),
    "p95": (Statistic.P95,),
    "p99": (Statistic.P99,),
    "first": (Statistic.FIRST, Statistic.CONSTANT, Statistic.STOOD_FIRST),
    "last": (Statistic.LAST, Statistic.CONSTANT, Statistic.STOOD_LAST),
    # How many lines there were is a total too.
    "total": (Statistic.TOTAL, Statistic.COUNT),
    "count": (Statistic.COUNT, Statistic.TOTAL),
}


@dataclass(frozen=True, eq=False)  # told apart by identity
class Indexed:
    """Facts that can be selected by what they are."""

    frame: Frame
    facts: tuple[Fact, ...]
    """Stored facts in call order, then readings."""
    columns: Rows

    def __len__(self) -> int:
        return len(self.facts)

    # Columns -------------------------------------------------------------------------------------

    @property
    def value(self) -> NDArray[np.float64]:
        """One a row, in the unit of the fact; NaN for text."""
        return self.columns.value

    @property
    def unit(self) -> NDArray[np.int16]:
        """Position in `units`, one a row."""
        return self.columns.unit

    @property
    def units(self) -> tuple[str, ...]:
        """The distinct units as facts have them."""
        return self.columns.units

    @property
    def entity(self) -> NDArray[np.int32]:
        """Position in `entities`, one a row; -1 for facts about a call."""
        return self.columns.entity

    @property
    def entities(self) -> tuple[str, ...]:
        """The distinct owners: entity paths, and own names of what has none."""
        return self.columns.entities

    @property
    def subject(self) -> NDArray[np.int32]:
        """Equal for the values of one series or one kind of log record; position in `subjects`."""
        return self.columns.subject

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The distinct things that have values."""
        return self.columns.subjects

    @property
    def period(self) -> NDArray[np.int8]:
        """Code in `Period`, one a row."""
        return self.columns.period

    @property
    def statistic(self) -> NDArray[np.int8]:
        """Code in `Statistic`, one a row."""
        return self.columns.statistic

    @property
    def concepts(self) -> NDArray[np.uint64]:
        """Bits of `concepts.CONCEPTS`, one a row."""
        return self.columns.concepts

    @property
    def call(self) -> NDArray[np.int32]:
        """Number of the call, one a row."""
        return self.columns.call

    @property
    def at(self) -> Ints:
        """Milliseconds since the epoch of what happened at an instant, -1 else; one a row."""
        return self.columns.at

    # Masks ---------------------------------------------------------------------------------------

    @cached_property
    def _masks(self) -> dict[tuple[str, object], Mask]:
        return {}

    def _cached(self, kind: str, key: object, make: Callable[[], Mask]) -> Mask:
        """Return a read-only mask, made once: a text asks for few entities and periods."""
        found = self._masks.get((kind, key))
        if found is None:
            found = make()
            found.flags.writeable = False
            self._masks[kind, key] = found
        return found

    def of_entities(self, entities: Collection[str]) -> Mask:
        """Rows of any of these paths or own names."""
        wanted = tuple(sorted(set(entities)))

        def make() -> Mask:
            codes = [k for k, name in enumerate(self.entities) if name in wanted]
            return np.isin(self.entity, codes)

        return self._cached("entities", wanted, make)

    def of_period(self, period: str) -> Mask:
        """Rows of ``baseline`` or ``incident``, points inside it included; all rows for nothing."""

        def make() -> Mask:
            if period not in _PERIODS:
                return np.ones(len(self), np.bool_)
            spans = (
                self.frame.windows.baselines
                if period == "baseline"
                else (self.frame.windows.incident,)
            )
            found = np.isin(self.period, _PERIODS[period])
            for span in spans:
                inside = (self.at >= span.start_ms) & (self.at <= span.end_ms)
                found |= inside & (self.period == Period.POINT)
            return found

        return self._cached("period", period, make)

    def of_statistic(self, statistic: str) -> Mask:
        """Rows of a statistic as `Word.value` names it; all rows for nothing.

        A percentile is one that the metric itself is of: ``p95`` in its name or its labels.
        """

        def make() -> Mask:
            if not statistic:
                return np.ones(len(self), np.bool_)
            found = np.isin(self.statistic, _STATISTICS.get(statistic, ()))
            if statistic[:1] == "p" and statistic[1:].isdigit():
                found |= self._of_tokens(frozenset({statistic})) > 0
            return found

        return self._cached("statistic", statistic, make)

    def of_unit(self, unit: str) -> Mask:
        """Rows whose fact has this unit."""
        code = self.units.index(unit) if unit in self.units else -1
        return self._cached("unit", unit, lambda: self.unit == code)

    def select(
        self,
        *,
        entities: Collection[str] | None = None,
        unit: str | None = None,
        period: str = "",
        statistic: str = "",
        rows: Ints | None = None,
    ) -> Mask:
        """Return a new mask of the rows that are all that is asked for."""
        found = np.ones(len(self), np.bool_)
        if rows is not None:
            found[:] = False
            found[rows] = True
        if entities is not None:
            found &= self.of_entities(entities)
        if unit is not None:
            found &= self.of_unit(unit)
        if period:
            found &= self.of_period(period)
        if statistic:
            found &= self.of_statistic(statistic)
        return found

    # What is spoken of ---------------------------------------------------------------------------

    @cached_property
    def _by_token(self) -> Mapping[str, NDArray[np.int32]]:
        return self.columns.by_token()

    def _of_tokens(self, tokens: frozenset[str]) -> NDArray[np.int8]:
        """Return for each row how many of the tokens its subject has."""
        score = np.zeros(len(self.subjects), np.int8)
        for token in tokens:
            codes = self._by_token.get(token)
            if codes is not None:
                score[codes] += 1
        return score[self.subject]

    def knows(self, token: str) -> bool:
        """Tell whether anything is called by a word, in lower case."""
        return token in self._by_token

    def naming(self, name: str) -> Mask:
        """Rows of series with this label value, and of texts that hold it."""

        def make() -> Mask:
            label = f'="{name}"'
            found = [label in s.name or name in s.text for s in self.subjects]
            rows = np.array(found, np.bool_)[self.subject]
            return rows | np.array([name in fact.quote for fact in self.facts], np.bool_)

        return self._cached("naming", name, make)

    def is_label(self, name: str) -> bool:
        """Tell whether any series has a label of this value."""
        label = f'="{name}"'
        return any(label in subject.name for subject in self.subjects)

    def overlap(self, concepts: int, tokens: frozenset[str]) -> NDArray[np.int8]:
        """Return for each row how many concepts and name words it shares with a statement."""
        shared = self._of_tokens(tokens)
        if concepts:
            shared += np.bitwise_count(self.concepts & np.uint64(concepts)).astype(np.int8)
        return shared

    def rows_between(self, low: datetime, high: datetime) -> Mask:
        """Rows of what happened at an instant in ``[low, high]``."""
        return (self.at >= to_ms(low)) & (self.at <= to_ms(high))
