"""A stored output as a head and a list of items, so that one of any size can be read by pages."""

from collections.abc import Iterator
from typing import Any

from superbizagent.domain.alert import Alert
from superbizagent.domain.cluster import ClusterSnapshot
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.model import Model
from superbizagent.domain.outputs import AlertList, ChangeList, ToolOutput, Topology
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.spans import ORPHAN, ROOT, SpanKind, SpanSet

__all__ = ["count_items", "items_of", "output_head"]


def output_head(output: ToolOutput) -> dict[str, Any]:  # noqa: PLR0911 - one way a kind
    """Return the sort of an output, and what is no list, as JSON."""
    match output:
        case SeriesSet():
            return {"kind": "series"}
        case SpanSet():
            return {"kind": "spans", "traces_left_out": output.traces_left_out}
        case LogDigest():
            return {"kind": "logs", **_dump(output, leave=("templates", "lines"))}
        case AlertList():
            return {"kind": "alerts"}
        case Topology():
            return {"kind": "topology"}
        case ClusterSnapshot():
            return {"kind": "cluster", **_dump(output, leave=("objects",))}
        case LearntNormal():
            return {"kind": "normal", **_dump(output, leave=("lengths",))}
        case ChangeList():
            return {"kind": "changes"}


def count_items(output: ToolOutput) -> int:
    """Return how many items an output has."""
    if isinstance(output, SeriesSet | SpanSet):
        return len(output)
    return len(_parts(output))


def items_of(output: ToolOutput, start: int = 0, stop: int | None = None) -> Iterator[Any]:
    """Give the items ``start`` to ``stop`` as JSON data, each with its ``type``.

    Times of samples are milliseconds and those of spans microseconds since the epoch.
    """
    stop = count_items(output) if stop is None else min(stop, count_items(output))
    if isinstance(output, SeriesSet):
        for number in range(start, stop):
            series = output[number]
            samples = zip(series.times.tolist(), series.values.tolist(), strict=True)
            yield {
                "type": "series",
                "labels": series.labels,
                "samples": [[t, v] for t, v in samples],
            }
    elif isinstance(output, SpanSet):
        for number in range(start, stop):
            yield {"type": "span", **_span(output, number)}
    else:
        for name, item in _parts(output)[start:stop]:
            yield {"type": name, **_dump(item)}


def _parts(output: ToolOutput) -> list[tuple[str, Model | Alert]]:
    match output:
        case LogDigest():
            lists = {"template": output.templates, "line": output.lines}
        case AlertList():
            lists = {"alert": output.alerts}
        case Topology():
            lists = {"node": output.nodes, "edge": output.edges}
        case ClusterSnapshot():
            lists = {"object": output.objects}
        case LearntNormal():
            lists = {"length": output.lengths}
        case ChangeList():
            lists = {"change": output.changes}
        case _:
            lists = {}
    return [(name, item) for name, items in lists.items() for item in items]


def _dump(value: Model | Alert, leave: tuple[str, ...] = ()) -> dict[str, Any]:
    return value.model_dump(mode="json", exclude=set(leave))


def _span(spans: SpanSet, row: int) -> dict[str, Any]:
    parent = int(spans.parent[row])
    named = {
        name: words[int(rows[row])] if int(rows[row]) >= 0 else None
        for name, words, rows in (
            ("trace_id", spans.traces, spans.trace),
            ("service", spans.services, spans.service),
            ("operation", spans.operations, spans.operation),
            ("error", spans.errors, spans.error),
            ("peer", spans.peers, spans.peer),
            ("instance", spans.instances, spans.instance),
        )
    }
    return {
        **named,
        "span_id": spans.span_ids[row],
        "parent_span_id": spans.span_ids[parent] if parent not in (ROOT, ORPHAN) else None,
        "orphan": parent == ORPHAN,
        "span_kind": SpanKind(int(spans.kind[row])).name.lower(),
        "start_us": int(spans.start[row]),
        "duration_us": int(spans.duration[row]),
    }
