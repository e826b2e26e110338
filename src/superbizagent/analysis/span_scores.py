"""The span channels of all span calls together, and the facts that they rest on."""

from collections.abc import Mapping, Sequence

from superbizagent.analysis.calls import SpanCall
from superbizagent.analysis.span_channels import CHANNELS, PATTERN, SPAN_ERRORS, WIRE, SpanEvidence

__all__ = ["FLOORS", "facts_about", "scores_by_channel", "span_scores"]

FLOORS = {WIRE: 0.3, PATTERN: 0.3, SPAN_ERRORS: 1.0}
"""Scores by channel below which to stand out means little."""


def span_scores(
    calls: Sequence[SpanCall], channel: str
) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    """Return each entity's score in a channel, the largest of all calls, and its facts."""
    scores: dict[str, float] = {}
    facts: dict[str, tuple[str, ...]] = {}
    for call in calls:
        about = {e.entity: e for e in call.channels.evidence if e.channel == channel}
        for entity, score in call.channels.of(channel).items():
            if score > scores.get(entity, 0.0):
                scores[entity] = score
                facts[entity] = facts_about(call, about[entity])
    return scores, facts


def scores_by_channel(calls: Sequence[SpanCall]) -> dict[str, Mapping[str, float]]:
    """Return the scores of every channel by entity; no channel where no spans were looked at."""
    return {channel: span_scores(calls, channel)[0] for channel in CHANNELS if calls}


def facts_about(call: SpanCall, evidence: SpanEvidence) -> tuple[str, ...]:
    """Return the ids of the facts that bear the name and the entity of an evidence."""
    return tuple(
        f.id for f in call.facts if f.name == evidence.name and f.entity == evidence.entity
    )
