"""Jaeger's JSON: the answer of its API, one trace of it, or single spans as it stores them."""

from collections.abc import Iterator
from typing import Any

from superbizagent.domain.json_values import items, mapping

from .rows import (
    UNNAMED,
    Failure,
    SpanRow,
    as_int,
    hex_id,
    instance_of,
    kind_of,
    peer_of,
    scalar_text,
    what_failed,
)

__all__ = ["is_jaeger", "jaeger_rows"]


def is_jaeger(document: Any) -> bool:
    """Tell whether a document is of this form."""
    found = mapping(document)
    if "spans" in found and ("processes" in found or "traceID" in found):
        return True
    if "traceID" in found and "spanID" in found:
        return "process" in found or "references" in found
    data = items(found.get("data"))
    return bool(data) and any("spans" in mapping(trace) for trace in data)


def jaeger_rows(document: Any) -> Iterator[SpanRow]:
    """Yield the spans of a document for which `is_jaeger` holds."""
    found = mapping(document)
    if "spanID" in found:
        yield _row(found, mapping(found.get("process")))
        return
    for trace in (found,) if "spans" in found else map(mapping, items(found.get("data"))):
        processes = mapping(trace.get("processes"))
        for item in items(trace.get("spans")):
            span = mapping(item)
            process = span.get("process") or processes.get(scalar_text(span.get("processID")))
            yield _row(span, mapping(process))


def _row(span: Any, process: Any) -> SpanRow:
    tags, about = _tags(span.get("tags")), _tags(process.get("tags"))
    kind = kind_of(tags.get("span.kind"))
    start = as_int(span.get("startTime"))
    trace = hex_id(span.get("traceID"))
    return SpanRow(
        trace_id=trace,
        span_id=hex_id(span.get("spanID")),
        parent_id=_parent(span, trace),
        service=scalar_text(process.get("serviceName")) or UNNAMED,
        namespace=about.get("service.namespace", ""),
        operation=scalar_text(span.get("operationName")),
        kind=kind,
        start_us=start or None,
        duration_us=as_int(span.get("duration")),
        error=what_failed(tags, _failure(span, tags)),
        peer=peer_of(tags, kind),
        instance=instance_of(about) or instance_of(tags),
    )


def _parent(span: Any, trace: str) -> str:
    """Return the span that this one belongs to: its caller rather than what it followed from."""
    own = [
        mapping(ref)
        for ref in items(span.get("references"))
        if hex_id(mapping(ref).get("traceID")) in {trace, ""}
    ]
    callers = [ref for ref in own if ref.get("refType") == "CHILD_OF"] or own
    return hex_id(callers[0].get("spanID") if callers else span.get("parentSpanID"))


def _failure(span: Any, tags: dict[str, str]) -> Failure:
    status = tags.get("otel.status_code", "").upper()
    exception = ""
    for log in items(span.get("logs")):
        fields = _tags(mapping(log).get("fields"))
        exception = exception or fields.get("exception.type") or fields.get("error.kind") or ""
    return Failure(
        failed=tags.get("error", "").lower() in {"true", "1"} or status == "ERROR",
        fine=status == "OK",
        exception=exception,
        message=tags.get("otel.status_description", ""),
    )


def _tags(value: Any) -> dict[str, str]:
    """Return key-value pairs as text by key; some storages keep them as one object."""
    if isinstance(value, dict):
        pairs = list(mapping(value).items())
    else:
        entries = map(mapping, items(value))
        pairs = [(str(entry.get("key")), entry.get("value")) for entry in entries]
    return {key: text for key, found in pairs if (text := scalar_text(found))}
