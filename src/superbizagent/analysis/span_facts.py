"""Facts of one traces call."""

from superbizagent.analysis._fact_list import FactList
from superbizagent.domain.fact import Fact
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Windows

__all__ = ["facts_of_spans"]


def facts_of_spans(call: int, spans: SpanSet, windows: Windows) -> tuple[Fact, ...]:
    """Return the facts of a traces call."""
    facts = FactList(call)
    whole = windows.whole
    facts.add("spans_read", float(len(spans)), statistic="count", window=whole)
    facts.add("traces_read", float(len(spans.traces)), statistic="count", window=whole)
    if spans.traces_left_out:
        left_out = float(spans.traces_left_out)
        facts.add("traces_left_out", left_out, statistic="count", window=whole)
    return tuple(facts.items)
