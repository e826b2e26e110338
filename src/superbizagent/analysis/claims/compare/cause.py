"""Whether a cause stands: only one that the analysis holds, or a check did.

A cause that was ruled out, that is calm, or that began after its effect fails. Everything else is
a hypothesis, named with the check that would decide it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from superbizagent.analysis.claims.compare._edges import Edge, Span, edges_of
from superbizagent.analysis.claims.compare._exclusions import judge_exclusions
from superbizagent.analysis.claims.compare._faults import MEASURED_BY, kinds_said
from superbizagent.analysis.claims.compare._findings import (
    abnormal,
    concepts_of,
    is_examined,
    of_entities,
    speaks_of,
)
from superbizagent.analysis.claims.compare._held import (
    Held,
    facts_of,
    held_of,
    leading,
    refuted,
    ruled_out,
)
from superbizagent.analysis.claims.compare._looked import not_covered
from superbizagent.analysis.claims.compare._settled import looked_at, settled
from superbizagent.analysis.claims.compare._speech import Speech, speech
from superbizagent.analysis.claims.compare._states import judge_states
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import WordKind
from superbizagent.domain.finding import FaultKind, Finding, FindingKind, HypothesisOutcome
from superbizagent.domain.plan import ToolName

__all__ = ["judge_cause"]

_GENERIC = frozenset(
    {"log", "alert", "host", "pod", "process", "replica", "user", "size", "request", "error"}
)
"""Concepts that say whose or where; that requests fail is what any cause comes to."""
_POINTS_BACK = re.compile(r"\b(?:it|its|they|their)\b|它|其(?!他)", re.IGNORECASE)
_QUIET_KINDS = frozenset({FaultKind.CPU, FaultKind.MEMORY, FaultKind.DISK, FaultKind.LOCK_WAIT})
"""Faults that always show in series of their own; a network fault shows in latency."""
_NEITHER = re.compile(r"\bneither\b", re.IGNORECASE)
_MAYBE = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|maybe)\b|(?<![最较很])可能|也许|或许|不排除",
    re.IGNORECASE,
)
_REACH = 24
"""Characters between "not" and the word that it turns."""

Onset = tuple[datetime, timedelta]


def judge_cause(view: View) -> Iterator[Part]:
    """Yield a part for every cause that a sentence names, and for every one it excludes."""
    yield from settled(view, _parts(view))


def _parts(view: View) -> Iterator[Part]:
    yield from judge_exclusions(view)
    yield from judge_states(view)
    for edge in edges_of(view):
        part = _Cause(view, edge).part()
        if part is not None:
            yield part


@dataclass(frozen=True)
class _Cause:
    view: View
    edge: Edge

    @property
    def ground(self) -> Ground:
        return self.view.ground

    @cached_property
    def cause(self) -> Speech:
        return speech(self.view, *self.edge.cause)

    @cached_property
    def effect(self) -> Speech | None:
        return speech(self.view, *self.edge.effect) if self.edge.effect else None

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """Entity paths of the cause's side."""
        return self._entities(self.edge.cause)

    @cached_property
    def of_effect(self) -> tuple[str, ...]:
        return self._entities(self.edge.effect) if self.edge.effect else ()

    @cached_property
    def kinds(self) -> frozenset[FaultKind]:
        return kinds_said(self.cause.text)

    @cached_property
    def held(self) -> Held | None:
        return held_of(self.ground)

    def _entities(self, span: Span) -> tuple[str, ...]:
        start, end = span
        names = [n for n in self.view.statement.names if n.entities]
        own = [n for n in names if start <= n.start < end]
        if own:
            return tuple(dict.fromkeys(p for n in own for p in n.entities))
        if not _POINTS_BACK.search(self.view.text, start, end):
            return ()
        before = [n for n in names if n.end <= start]
        return before[-1].entities if before else self.view.about

    def part(self) -> Part | None:
        if self._is_denied():
            return self._denied()
        if (self.edge.weak and not self._speaks_of_trouble()) or not self._names_something():
            return None
        ids = self._holds()
        why = None if ids else self._against()
        if why:
            return self._part(Outcome.FAILS, *why)
        if ids and not self._is_guess():
            return self._part(Outcome.HOLDS, "", ids)
        return self._part(Outcome.UNSHOWN, f"hypothesis:{self._decides()}", ())

    def _part(self, outcome: Outcome, reason: str, fact_ids: tuple[str, ...]) -> Part:
        spans = [self.edge.cause, *([self.edge.effect] if self.edge.effect else [])]
        start, end = min(s[0] for s in spans), max(s[1] for s in spans)
        return Part(PartKind.CAUSE, outcome, self.view.text[start:end].strip(), reason, fact_ids)

    def _is_guess(self) -> bool:
        """Tell whether it says that it may be so: no fact even where it is."""
        clause = self.view.clause_of(self.edge.word)
        return bool(_MAYBE.search(self.view.text, clause.start, clause.end))

    def _names_something(self) -> bool:
        return bool(self.cause.phrases or self.entities or self.kinds)

    def _speaks_of_trouble(self) -> bool:
        if self._is_absent() or self.effect is None:
            return False
        # That requests fail is trouble, though it does not say which.
        hurts = self.effect.asked((_GENERIC | {"dependency"}) - {"error"})
        named = self.cause.asked(_GENERIC | {"dependency"}) or self.kinds
        return bool(named and hurts)

    def _is_absent(self) -> bool:
        """Tell whether the cause is that something was not there: a conclusion, no cause."""
        start, end = self.edge.cause
        return any(start <= w.start < end for w in self.view.statement.words_of(WordKind.ABSENCE))

    # Denials -------------------------------------------------------------------------------------

    def _is_denied(self) -> bool:
        start = self.edge.word.start
        denials = self.view.statement.words_of(WordKind.NEGATION)
        # "is not the cause" and, behind the word, 根因不在 and "the cause is not".
        end = self.edge.word.end
        behind = any(0 <= w.start - end <= 4 for w in denials) and not self.edge.effect
        neither = self.edge.effect is None and _NEITHER.search(self.cause.text)
        return bool(neither) or behind or any(start - _REACH <= w.start < start for w in denials)

    def _denied(self) -> Part | None:
        """X is not the cause, or did not cause Y: right where something speaks against X."""
        if self._holds():
            return self._part(Outcome.FAILS, "leading_cause", self._held_ids())
        why = self._against()
        if why:
            return self._part(Outcome.HOLDS, "", why[1] or self._held_ids())
        entities = self.entities or self.view.entities(self.view.clause_of(self.edge.word))
        if self.held is None or self.edge.effect or len(entities) != 1 or self.kinds:
            return None
        if self.held.cause.entity == entities[0]:
            return self._part(Outcome.FAILS, "leading_cause", self._held_ids())
        return self._part(Outcome.HOLDS, "", self._held_ids())

    def _held_ids(self) -> tuple[str, ...]:
        return self.held.fact_ids if self.held else looked_at(self.ground, self.entities)

    # What speaks against it ----------------------------------------------------------------------

    def _against(self) -> tuple[str, tuple[str, ...]] | None:
        for test in (self._later, self._refuted, self._ruled_out, self._no_change, self._calm):
            why = test()
            if why:
                return why
        return None

    def _is_leading(self) -> bool:
        held = self.held
        return held is not None and (not self.kinds or held.cause.fault_kind in self.kinds)

    def _refuted(self) -> tuple[str, tuple[str, ...]] | None:
        if self._is_leading() or not self.kinds:
            return None
        for result in refuted(self.ground):
            named = not self.entities or result.entity in self.entities
            if result.fault_kind in self.kinds and named:
                ids = tuple(i for c in result.checks for i in c.fact_ids)
                return f"ruled_out:{result.id}", ids
        return None

    def _ruled_out(self) -> tuple[str, tuple[str, ...]] | None:
        for entity in self.entities:
            if ruled_out(self.ground, entity) and len(self.entities) == 1:
                return f"ruled_out:{_name(entity)}", ()
        return None

    def _no_change(self) -> tuple[str, tuple[str, ...]] | None:
        if not self.kinds & {FaultKind.DEPLOY, FaultKind.CONFIG} or self._changes():
            return None
        if not_covered(self.ground, ToolName.LIST_CHANGES, (), None):
            return None
        return "no_such_change", ()

    def _changes(self) -> list[datetime]:
        found = [f for f in self.ground.facts if f.name.startswith("change:") and f.at]
        own = [f for f in found if not self.entities or f.entity in self.entities]
        return [f.at for f in own if f.at is not None]

    def _calm(self) -> tuple[str, tuple[str, ...]] | None:
        if self.kinds & {FaultKind.DEPLOY, FaultKind.CONFIG, FaultKind.TRAFFIC}:
            return None
        for entity in self.entities:
            own = of_entities(abnormal(self.ground), (entity,))
            if not own and is_examined(self.ground, entity):
                return f"calm:{_name(entity)}", ()
            kind = self._quiet_kind(entity)
            if kind:
                return f"calm:{_name(entity)}/{kind}", ()
        return None

    def _quiet_kind(self, entity: str) -> str:
        """A kind of fault whose own series were measured and did not move."""
        ground = self.ground
        for kind in sorted(self.kinds & _QUIET_KINDS):
            bits = concept_bits(MEASURED_BY[kind])
            rows = ground.of_entities((entity,)) & (ground.overlap(bits, frozenset()) > 0)
            own = of_entities(abnormal(ground), (entity,))
            if rows.any() and not any(concepts_of(f) & bits for f in own):
                return kind.value
        return ""

    def _later(self) -> tuple[str, tuple[str, ...]] | None:
        first, then = self._onset_of_cause(), self._onset_of_effect()
        if first is None or then is None:
            return None
        (began, unsure), (hurt, vague) = first, then
        if began - hurt > unsure + vague:
            return f"later_than_effect:{began:%H:%M:%S} {hurt:%H:%M:%S}", ()
        return None

    def _onset_of_cause(self) -> Onset | None:
        if FaultKind.DEPLOY in self.kinds:
            changes = self._changes()
            return (min(changes), timedelta()) if changes else None
        return self._onset(self.cause, self.entities)

    def _onset_of_effect(self) -> Onset | None:
        if self.effect is None:
            ids = self.ground.analysis.symptom
            hurts = [f for f in self.ground.analysis.findings if f.id in ids]
            dated = [f for f in hurts if f.entity not in self.entities]
            return self._first(dated or (hurts if FaultKind.DEPLOY in self.kinds else []))
        if FaultKind.DEPLOY in self.kinds and not self.of_effect:
            # What a change is said to have done, it did to what was changed.
            return self._onset(self.effect, self.entities)
        if "alert" in self.effect.concepts and not self.of_effect:
            return self._first([f for f in self._all if f.kind is FindingKind.ALERT])
        if self.of_effect and self.of_effect == self.entities and not self.effect.phrases:
            return None
        return self._onset(self.effect, self.of_effect)

    @property
    def _all(self) -> tuple[Finding, ...]:
        return self.ground.analysis.findings

    def _onset(self, said: Speech, entities: Sequence[str]) -> Onset | None:
        """When a side became abnormal: by what it speaks of, else by whom."""
        if not entities:
            return None
        found = of_entities(abnormal(self.ground), entities)
        exact = [f for f in found if speaks_of(said, f) and said.asked(_GENERIC)]
        return self._first(exact or found)

    def _first(self, findings: Sequence[Finding]) -> Onset | None:
        dated = [
            (f.onset_at, f.onset_uncertainty or self.ground.scope.step)
            for f in findings
            if f.onset_at is not None
        ]
        return min(dated, default=None)

    # What bears it out ---------------------------------------------------------------------------

    def _holds(self) -> tuple[str, ...]:
        """Facts of the cause that the analysis holds, when it is this one with this effect."""
        if self.edge.ranked:
            first = leading(self.ground)
            if first is None or self.entities != (first.entity,):
                return ()
            return facts_of(self.ground, first) or looked_at(self.ground, self.entities)
        held = self.held
        if held is None or not self._is_leading():
            return ()
        if not self._is_its_cause(held) or not self._is_its_effect(held):
            return ()
        return held.fact_ids or looked_at(self.ground, (held.cause.entity,))

    def _is_its_cause(self, held: Held) -> bool:
        if self.entities and set(self.entities) != {held.cause.entity}:
            return False
        asked = self.cause.asked(_GENERIC)
        if not self.entities and not (asked or self.cause.tokens & held.words):
            return False
        return all(phrase & held.mechanism for phrase in asked)

    def _is_its_effect(self, held: Held) -> bool:
        if self.effect is None:
            return True
        if not set(self.of_effect) <= held.entities:
            return False
        return all(phrase & held.effects for phrase in self.effect.asked(_GENERIC))

    def _decides(self) -> str:
        """What would decide it: an open hypothesis of the kind, else the order in time."""
        for result in self.ground.analysis.hypotheses:
            if result.outcome is HypothesisOutcome.OPEN and result.fault_kind in self.kinds:
                return result.id
        first = self._side(self.entities, self.cause)
        if self.effect is None:
            return f"onset of {first} against onset of the symptom"
        return f"onset of {first} against onset of {self._side(self.of_effect, self.effect)}"

    def _side(self, entities: Sequence[str], said: Speech) -> str:
        if entities:
            return ", ".join(_name(e) for e in entities)
        return said.text.strip(" ,，.。;；") or "it"


def _name(entity: str) -> str:
    return entity.rsplit("/", 1)[-1]
