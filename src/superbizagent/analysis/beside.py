"""What a window shows beside its series: log records and spans, compared with its own past."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.calls import LogCall, SpanCall
from superbizagent.analysis.flow import callees_of
from superbizagent.analysis.learnt import ERROR_LINES, Channels
from superbizagent.analysis.log_scores import log_scores
from superbizagent.analysis.span_scores import scores_by_channel
from superbizagent.analysis.span_topology import merged, topology_of_spans
from superbizagent.domain.outputs import Topology
from superbizagent.domain.source import Signal

__all__ = ["Beside", "channels_of", "compared_families", "look_beside"]


@dataclass(frozen=True, slots=True)
class Beside:
    """Evidence of one window beside its metrics."""

    channels: Channels = field(default_factory=dict[str, Mapping[str, float]])
    """Of what was recorded both in the window and before it; of all else there is none."""
    requests: frozenset[str] = frozenset()
    """Entities whose requests go wrong by the spans' own bar."""


def look_beside(
    logs: Sequence[LogCall], spans: Sequence[SpanCall], entity_of: EntityOf, topology: Topology
) -> Beside:
    """Return what log records and spans show of a window.

    Args:
        logs: what was read of records.
        spans: what was read of spans, compared.
        entity_of: tells which entity a service is.
        topology: who calls whom, as far as that is known without the spans.
    """
    both = [call for call in logs if _is_compared(call)]
    seen = [call for call in spans if call.channels.scores]
    known = merged(topology, *(topology_of_spans(call.spans) for call in spans))
    lines = log_scores(both, entity_of, callees_of(known, entity_of))[0] if both else None
    requests = frozenset(e for call in seen for e in call.channels.abnormal)
    return Beside(channels_of(seen, lines), requests)


def channels_of(spans: Sequence[SpanCall], lines: Mapping[str, float] | None) -> Channels:
    """Return the scores by channel; no channel of a kind that was not looked at.

    Args:
        spans: what was read of spans.
        lines: score of the log records by entity, None where none were read.
    """
    return scores_by_channel(spans) | ({} if lines is None else {ERROR_LINES: lines})


def compared_families(logs: Sequence[LogCall], spans: Sequence[SpanCall]) -> frozenset[Signal]:
    """Return which of logs and traces were there both before and in the incident."""
    found = {Signal.LOGS: any(map(_is_compared, logs))}
    found[Signal.TRACES] = any(call.channels.scores for call in spans)
    return frozenset(family for family, is_compared in found.items() if is_compared)


def _is_compared(call: LogCall) -> bool:
    return bool(call.digest.records_in_incident and call.digest.records_in_baseline)
