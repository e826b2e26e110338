"""OTLP in JSON: what the collector's file exporter, Tempo and Jaeger's newer API write.

A document is an ``ExportTraceServiceRequest`` (``resourceSpans``), or Tempo's trace (``batches``,
or either inside ``trace`` or ``result``). Ids are hexadecimal or base64, numbers may be text.
"""

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

__all__ = ["is_otlp", "otlp_rows"]

_OUTER = ("trace", "result")
_RESOURCES = ("resourceSpans", "batches", "resource_spans")
_SCOPES = ("scopeSpans", "instrumentationLibrarySpans", "scope_spans")


def is_otlp(document: Any) -> bool:
    """Tell whether a document is of this form."""
    found = mapping(document)
    return any(key in found for key in _RESOURCES) or any(
        key in mapping(found.get(outer)) for outer in _OUTER for key in _RESOURCES
    )


def otlp_rows(document: Any) -> Iterator[SpanRow]:
    """Yield the spans of a document for which `is_otlp` holds."""
    found = mapping(document)
    for outer in _OUTER:
        if any(key in mapping(found.get(outer)) for key in _RESOURCES):
            found = mapping(found[outer])
    for resource in _all(found, _RESOURCES):
        about = _tags(mapping(mapping(resource).get("resource")).get("attributes"))
        for scope in _all(mapping(resource), _SCOPES):
            for span in items(mapping(scope).get("spans")):
                yield _row(mapping(span), about)


def _row(span: Any, about: dict[str, str]) -> SpanRow:
    tags = _tags(span.get("attributes"))
    kind = kind_of(span.get("kind"))
    start = as_int(_either(span, "startTimeUnixNano", "start_time_unix_nano"))
    end = as_int(_either(span, "endTimeUnixNano", "end_time_unix_nano"))
    known = start is not None and start > 0
    return SpanRow(
        trace_id=hex_id(_either(span, "traceId", "trace_id")),
        span_id=hex_id(_either(span, "spanId", "span_id")),
        parent_id=hex_id(_either(span, "parentSpanId", "parent_span_id")),
        service=about.get("service.name") or UNNAMED,
        namespace=about.get("service.namespace", ""),
        operation=scalar_text(span.get("name")),
        kind=kind,
        start_us=start // 1000 if known and start is not None else None,
        duration_us=(end - start) // 1000 if known and end and start is not None else None,
        error=what_failed(tags, _failure(span)),
        peer=peer_of(tags, kind),
        instance=instance_of(about) or instance_of(tags),
    )


def _failure(span: Any) -> Failure:
    status = mapping(span.get("status"))
    code = str(status.get("code", "")).upper().removeprefix("STATUS_CODE_")
    return Failure(
        failed=code in {"2", "ERROR"},
        fine=code in {"1", "OK"},
        exception=_exception(span.get("events")),
        message=scalar_text(status.get("message")),
    )


def _exception(events: Any) -> str:
    for event in items(events):
        kind = _tags(mapping(event).get("attributes")).get("exception.type")
        if kind:
            return kind
    return ""


def _tags(attributes: Any) -> dict[str, str]:
    """Return attributes as text by key; their values are wrapped in the name of their type."""
    found: dict[str, str] = {}
    for entry in items(attributes):
        pair = mapping(entry)
        key, value = pair.get("key"), pair.get("value")
        if isinstance(key, str):
            inner: Any = next(iter(mapping(value).values()), None)
            if text := scalar_text(inner if isinstance(value, dict) else value):
                found[key] = text
    return found


def _all(found: Any, keys: tuple[str, ...]) -> list[Any]:
    return [item for key in keys for item in items(found.get(key))]


def _either(span: Any, *keys: str) -> Any:
    return next((span[key] for key in keys if key in span), None)
