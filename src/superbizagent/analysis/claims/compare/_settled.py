"""What a part may rest on: everything, or only what the sentence cites."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from superbizagent.analysis.claims.compare.judgement import Outcome, Part
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground

__all__ = ["looked_at", "settled"]

_SHOWN = 4
"""Facts that a reader is shown of one part."""


def settled(view: View, parts: Iterator[Part]) -> Iterator[Part]:
    """Yield the parts, those that hold by nothing that is cited as not shown.

    What speaks against a sentence may stand anywhere.
    """
    for part in parts:
        if part.outcome is not Outcome.HOLDS or view.cited is None:
            yield replace(part, fact_ids=part.fact_ids[:_SHOWN])
            continue
        own = tuple(i for i in part.fact_ids if _is_cited(view, i))
        if own:
            yield replace(part, fact_ids=own[:_SHOWN])
        else:
            yield Part(part.kind, Outcome.UNSHOWN, part.text, "not_cited", part.fact_ids[:_SHOWN])


def _is_cited(view: View, fact_id: str) -> bool:
    row = view.ground.row(fact_id)
    return row is not None and view.cited is not None and bool(view.cited[row])


def looked_at(ground: Ground, entities: Sequence[str]) -> tuple[str, ...]:
    """Return how much was examined of entities, and how much of it was abnormal: fact ids."""
    calls = {
        k.number
        for k in ground.looks
        if not k.partial and (not entities or not set(entities).isdisjoint(k.entities))
    }
    names = ("series_abnormal", "series_examined")
    found = [f for f in ground.facts[: ground.stored_facts] if f.call in calls and f.name in names]
    return tuple(f.id for f in found) or ("analysis",)
