"""Everything that may stand behind a statement, indexed so that holding one against it is cheap.

Facts come in a fixed order, stored ones first, and every column has one entry a fact: a comparison
is a few masks over some thousand rows.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.claims.evidence._indexed import Indexed
from superbizagent.analysis.claims.evidence._known import KnownNames, names_of
from superbizagent.analysis.claims.evidence._owners import Owners
from superbizagent.analysis.claims.evidence._readouts import (
    Readouts,
    line_fact,
    readouts,
    sample_fact,
)
from superbizagent.analysis.claims.evidence._rows import Period, Rows, Statistic
from superbizagent.analysis.claims.evidence._series import StoredSeries
from superbizagent.analysis.claims.evidence.looks import Look, looks_of
from superbizagent.analysis.claims.evidence.readings import readings_of_stored
from superbizagent.analysis.claims.evidence.subjects import Subject, Subjects
from superbizagent.analysis.claims.evidence.texts import Texts, texts_of
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


@dataclass(frozen=True, eq=False)  # one session's evidence is told apart by identity
class Ground(Indexed):
    """The evidence of one diagnosis; see `Ground.of`."""

    evidence: Evidence
    analysis: Analysis
    scope: Scope
    stored_facts: int
    """How many of the facts are stored; readings follow them."""
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


def _entity_reader(scope: Scope, entity_labels: Sequence[str]) -> EntityOf:
    said = dict.fromkeys(label for s in scope.sources for label in s.label_values)
    labels = tuple(entity_labels) or (*said, "service")

    def read(item: Mapping[str, str]) -> str | None:
        entity = scope.catalogue.of_labels(item, labels)
        return entity.path if entity else None

    return read
