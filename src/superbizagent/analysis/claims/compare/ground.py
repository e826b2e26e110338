"""Everything that may stand behind a statement, indexed so that holding one against it is cheap.

Facts come in a fixed order, stored ones first, and every column has one entry a fact: a comparison
is a few masks over some thousand rows.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.claims.compare._known import KnownNames, names_of
from superbizagent.analysis.claims.compare._looks import Look, looks_of
from superbizagent.analysis.claims.compare._owners import Owners
from superbizagent.analysis.claims.compare._readouts import (
    Readouts,
    line_fact,
    readouts,
    sample_fact,
)
from superbizagent.analysis.claims.compare._rows import Period, Rows, Statistic
from superbizagent.analysis.claims.compare._series import StoredSeries
from superbizagent.analysis.claims.compare._subjects import Subject, Subjects
from superbizagent.analysis.claims.compare._texts import Texts, texts_of
from superbizagent.analysis.claims.compare.readings import readings_of_stored
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import Frame
from superbizagent.domain.scope import Scope
from superbizagent.domain.window import Window, to_ms

__all__ = ["Ground", "KnownNames", "Look", "Period", "Readouts", "Statistic", "Subject", "Texts"]

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

_CALL = re.compile(r"E[0-9]{1,9}")

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
    "first": (Statistic.FIRST, Statistic.CONSTANT),
    "last": (Statistic.LAST, Statistic.CONSTANT),
    # How many lines there were is a total too.
    "total": (Statistic.TOTAL, Statistic.COUNT),
    "count": (Statistic.COUNT, Statistic.TOTAL),
}


@dataclass(frozen=True, eq=False)  # one session's evidence is told apart by identity
class Ground:
    """The evidence of one diagnosis; see `Ground.of`."""

    evidence: Evidence
    analysis: Analysis
    scope: Scope
    frame: Frame
    facts: tuple[Fact, ...]
    """Stored facts in call order, then readings."""
    stored_facts: int
    """How many of them are stored."""
    columns: Rows
    looks: tuple[Look, ...]
    names: KnownNames
    stored: StoredSeries
    """Every stored series once, as it was judged."""
    _owners: Owners

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        analysis: Analysis,
        scope: Scope,
        frame: Frame,
        entity_labels: Sequence[str] = (),
    ) -> Self:
        """Index a session's evidence.

        Args:
            evidence: the calls of all rounds.
            analysis: what was computed of them.
            scope: what was looked at.
            frame: windows and zone of the report.
            entity_labels: labels that name an entity, first match wins; without them those that
                the sources say.
        """
        entity_of = _entity_reader(scope, entity_labels)
        owners = Owners.of(evidence, scope)
        known = tuple(f for row in evidence.invocations for f in row.facts)
        stored = StoredSeries.of(evidence, frame.windows, scope.step, entity_of)
        read = readings_of_stored(stored, evidence, frame.windows, scope.step, entity_of)
        facts = (*known, *read)
        columns = Rows.of(facts, frame.windows, owners.subject_of, Subjects())
        return cls(
            evidence=evidence,
            analysis=analysis,
            scope=scope,
            frame=frame,
            facts=facts,
            stored_facts=len(known),
            columns=columns,
            looks=looks_of(evidence, scope, entity_of),
            names=names_of(evidence, scope, entity_of),
            stored=stored,
            _owners=owners,
        )

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

    def __len__(self) -> int:
        return len(self.facts)

    # Facts ---------------------------------------------------------------------------------------

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {fact.id: row for row, fact in enumerate(self.facts)}

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with this id, None when there is none."""
        row = self._row_of.get(fact_id)
        return self.facts[row] if row is not None else self._further(fact_id)

    def _further(self, fact_id: str) -> Fact | None:
        """A fact that no row holds because there are too many: a log line or one sample."""
        head, _, rest = fact_id.partition(".")
        call = self.evidence.of(int(head[1:])) if _CALL.fullmatch(head) else None
        if call is None:
            return None
        if isinstance(call.output, LogDigest):
            return line_fact(call.number, call.output, rest, self.scope)
        return sample_fact(self.stored, call.number, rest)

    def row(self, fact_id: str) -> int | None:
        """The row of a fact, None when there is none."""
        return self._row_of.get(fact_id)

    def rows_of_marks(self, marks: Iterable[str]) -> Ints:
        """Return the rows that citations stand for, ascending: ``E3.2`` one, ``E4`` all of a call.

        A mark that stands for nothing adds none.
        """
        found: set[int] = set()
        for mark in marks:
            row = self._row_of.get(mark)
            if row is not None:
                found.add(row)
            elif _CALL.fullmatch(mark):
                found.update(self._rows_of_call(int(mark[1:])))
        return np.array(sorted(found), np.int64)

    def _rows_of_call(self, call: int) -> Iterable[int]:
        """Rows of a call, and readings of the series that an earlier call had already."""
        yield from np.flatnonzero(self.call == call).tolist()
        held = self.stored.held.get(call)
        if held is None:
            return
        earlier = held[self.stored.calls[held] != call]
        places = {
            (int(self.stored.calls[k]), f"series/{self.stored.rows[k]}") for k in earlier.tolist()
        }
        for number in {call for call, _ in places}:
            for row in np.flatnonzero(self.call == number).tolist():
                place = "/".join(self.facts[row].place.split("/", 2)[:2])
                if (number, place) in places:
                    yield row

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

    def overlap(self, concepts: int, tokens: frozenset[str]) -> NDArray[np.int8]:
        """Return for each row how many concepts and name words it shares with a statement."""
        shared = self._of_tokens(tokens)
        if concepts:
            shared += np.bitwise_count(self.concepts & np.uint64(concepts)).astype(np.int8)
        return shared

    # Samples -------------------------------------------------------------------------------------

    def samples_at(
        self,
        entities: Collection[str] | None,
        low: datetime,
        high: datetime,
        *,
        concepts: int = 0,
        tokens: frozenset[str] = frozenset(),
    ) -> Readouts:
        """Return what stored series were in ``[low, high]``, as they were judged.

        The sample in force when the span begins is among them: what a series was at 12:43 was
        measured some seconds before.

        Args:
            entities: whose series, by path or own name; None: everybody's.
            low: begin of the span.
            high: end of the span.
            concepts: what is spoken of, as in `overlap`.
            tokens: words of its name. With neither, all series count.
        """
        return readouts(
            self.stored,
            self._series_of(entities, concepts, tokens),
            (to_ms(low), to_ms(high)),
            round(self.scope.step.total_seconds() * 1000),
        )

    def _series_of(
        self, entities: Collection[str] | None, concepts: int, tokens: frozenset[str]
    ) -> Mask:
        found = np.ones(len(self.stored), np.bool_)
        if entities is not None:
            wanted = frozenset(entities)
            found = np.array([owner in wanted for owner in self.stored.owners], np.bool_)
        if not concepts and not tokens:
            return found
        for code in np.flatnonzero(found).tolist():
            subject = Subject(self.stored.owners[code], self.stored.names[code])
            unit = self.stored.meanings[code].unit
            shared = subject.concepts(unit, "") & concepts or subject.tokens() & tokens
            found[code] = bool(shared)
        return found

    @cached_property
    def digests(self) -> Mapping[int, LogDigest]:
        """What each log call found, by its number."""
        rows = self.evidence.invocations
        return {row.number: row.output for row in rows if isinstance(row.output, LogDigest)}

    # Looks and texts -----------------------------------------------------------------------------

    def covers(self, tool: ToolName, entity: str, window: Window | None = None) -> bool:
        """Tell whether a call looked at all of an entity over a time and was answered whole."""
        return any(look.covers(tool, entity, window) for look in self.looks)

    @cached_property
    def _texts(self) -> Texts:
        return texts_of(
            self.evidence, self.facts[: self.stored_facts], self.scope, self._owners.owner_of
        )

    def texts(self) -> Texts:
        """Everything that may be quoted."""
        return self._texts

    def find_quote(self, content: str, entities: Collection[str] | None = None) -> tuple[str, ...]:
        """Return ids of the facts and stored log lines that hold a quote; see `Texts.find`."""
        return self._texts.find(content, entities)

    def rows_between(self, low: datetime, high: datetime) -> Mask:
        """Rows of what happened at an instant in ``[low, high]``."""
        return (self.at >= to_ms(low)) & (self.at <= to_ms(high))


def _entity_reader(scope: Scope, entity_labels: Sequence[str]) -> EntityOf:
    said = dict.fromkeys(label for s in scope.sources for label in s.label_values)
    labels = tuple(entity_labels) or (*said, "service")

    def read(item: Mapping[str, str]) -> str | None:
        entity = scope.catalogue.of_labels(item, labels)
        return entity.path if entity else None

    return read
