"""Whether what a sentence excludes was excluded: tested and refuted, or calm where looked at."""

import re
from collections.abc import Iterator, Sequence

from superbizagent.analysis.claims.compare._faults import MEASURED_BY, kinds_said
from superbizagent.analysis.claims.compare._findings import (
    abnormal,
    concepts_of,
    is_examined,
    of_entities,
)
from superbizagent.analysis.claims.compare._held import held_of, refuted, ruled_out
from superbizagent.analysis.claims.compare._settled import looked_at
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.mentions import Clause
from superbizagent.domain.finding import FaultKind

__all__ = ["EXCLUDES", "judge_exclusions"]

EXCLUDES = re.compile(
    r"\b(?:is|are|was|were|be|been|can be|could be|we can|has been) "
    r"(?:ruled out|rule out|excluded?|exonerated|cleared|off the hook)\b"
    r"|(?:可以|已经?|能够?|能|被)?(?:排除|划掉)(?!故障)",
    re.IGNORECASE,
)
_OF_NOTHING = re.compile(r"alert|incident|告警|故障已", re.IGNORECASE)
"""An alert that is cleared is over, not excluded."""


def judge_exclusions(view: View) -> Iterator[Part]:
    """Yield a part for each clause that says that something is not the cause."""
    for clause in view.statement.clauses:
        match = EXCLUDES.search(view.text, clause.start, clause.end)
        text = view.text[clause.start : clause.end].strip()
        if match is None or _OF_NOTHING.search(text):
            continue
        kinds = kinds_said(text) or kinds_said(view.text)
        yield _by_kind(view, clause, text, kinds) if kinds else _by_entity(view, clause, text)


def _by_kind(view: View, clause: Clause, text: str, kinds: frozenset[FaultKind]) -> Part:
    ground = view.ground
    held = held_of(ground)
    if held is not None and held.cause.fault_kind in kinds:
        return _part(Outcome.FAILS, text, f"leading_cause:{held.cause.fault_kind}", held.fact_ids)
    for result in refuted(ground):
        if result.fault_kind in kinds:
            ids = tuple(i for c in result.checks for i in c.fact_ids)
            return _part(Outcome.HOLDS, text, "", ids)
    entities = view.entities(clause)
    if entities and _is_calm(view, entities, kinds):
        return _part(Outcome.HOLDS, text, "", looked_at(ground, entities))
    return _part(Outcome.UNSHOWN, text, f"not_tested:{min(kinds)}", ())


def _is_calm(view: View, entities: Sequence[str], kinds: frozenset[FaultKind]) -> bool:
    """Tell whether what such a fault moves was measured and did not move."""
    ground = view.ground
    names = [name for kind in kinds for name in MEASURED_BY.get(kind, ())]
    bits = concept_bits(names)
    rows = ground.of_entities(entities) & (ground.overlap(bits, frozenset()) > 0)
    moved = [f for f in of_entities(abnormal(ground), entities) if concepts_of(f) & bits]
    return bool(bits) and bool(rows.any()) and not moved


def _by_entity(view: View, clause: Clause, text: str) -> Part:
    ground = view.ground
    entities = view.entities(clause)
    held = held_of(ground)
    if held is not None and held.cause.entity in entities:
        return _part(Outcome.FAILS, text, f"leading_cause:{held.cause.entity}", held.fact_ids)
    for entity in entities:
        quiet = is_examined(ground, entity) and not of_entities(abnormal(ground), (entity,))
        if not quiet and not ruled_out(ground, entity):
            return _part(Outcome.UNSHOWN, text, f"not_tested:{entity.rsplit('/', 1)[-1]}", ())
    if not entities:
        return _part(Outcome.UNSHOWN, text, "not_tested", ())
    return _part(Outcome.HOLDS, text, "", looked_at(ground, entities))


def _part(outcome: Outcome, text: str, reason: str, fact_ids: tuple[str, ...]) -> Part:
    return Part(PartKind.CAUSE, outcome, text, reason, fact_ids)
