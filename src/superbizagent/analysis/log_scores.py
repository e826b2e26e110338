"""How unusual each entity's log records are, and the facts that says so."""

from collections.abc import Mapping, Sequence

from superbizagent.analysis._fact_list import EntityOf, facts_by_place
from superbizagent.analysis.calls import LogCall
from superbizagent.analysis.explained import unexplained
from superbizagent.analysis.log_evidence import log_signals

__all__ = ["log_scores"]


def log_scores(
    calls: Sequence[LogCall], entity_of: EntityOf, callees: Mapping[str, Sequence[str]]
) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    """Return each entity's strongest template, less what its callees' logs explain, and its facts.

    Args:
        calls: what was read.
        entity_of: tells which entity a service is.
        callees: entities by caller.
    """
    scores: dict[str, float] = {}
    facts: dict[str, tuple[str, ...]] = {}
    for call in calls:
        places = facts_by_place(tuple(call.facts))
        for signal in log_signals(call.digest, entity_of):
            if signal.score > scores.get(signal.entity, 0.0):
                scores[signal.entity] = signal.score
                facts[signal.entity] = places.get(f"template/{signal.template}", ())
    return unexplained(scores, callees), facts
