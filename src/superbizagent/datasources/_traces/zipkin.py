"""Zipkin's JSON, version 2: lists of spans, lists of traces, or one span a line.

Client and server may share one span id here. The server's half then gets an id of its own, so that
the call has two sides like everybody else's.
"""

from collections.abc import Iterator, Sequence
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

__all__ = ["is_zipkin", "zipkin_rows"]

_SERVER_HALF = "-server"


def is_zipkin(document: Any) -> bool:
    """Tell whether a document is of this form."""
    if isinstance(document, list):
        found = items(document)
        return bool(found) and is_zipkin(found[0])
    span = mapping(document)
    return "traceId" in span and "id" in span and "spanId" not in span


def zipkin_rows(document: Any) -> Iterator[SpanRow]:
    """Yield the spans of a document for which `is_zipkin` holds."""
    if not isinstance(document, list):
        yield from _rows([mapping(document)])
        return
    found = items(document)
    for trace in found:
        if isinstance(trace, list):
            yield from _rows([mapping(span) for span in items(trace)])
    yield from _rows([mapping(span) for span in found if isinstance(span, dict)])


def _rows(spans: Sequence[Any]) -> Iterator[SpanRow]:
    named = [(span, _service(span.get("localEndpoint"))) for span in spans]
    shared = {
        (scalar_text(span.get("traceId")), scalar_text(span.get("id")), service)
        for span, service in named
        if span.get("shared") is True
    }
    for span, service in named:
        yield _row(span, service, shared)


def _row(span: Any, service: str, shared: set[tuple[str, str, str]]) -> SpanRow:
    tags = {key: scalar_text(value) for key, value in mapping(span.get("tags")).items()}
    trace, own, parent = (scalar_text(span.get(key)) for key in ("traceId", "id", "parentId"))
    if span.get("shared") is True:
        own, parent = own + _SERVER_HALF, own
    elif (trace, parent, service) in shared:
        parent += _SERVER_HALF
    kind = kind_of(span.get("kind"))
    start = as_int(span.get("timestamp"))
    error = tags.get("error")
    return SpanRow(
        trace_id=hex_id(trace),
        span_id=own,
        parent_id=parent,
        service=service or UNNAMED,
        namespace="",
        operation=scalar_text(span.get("name")),
        kind=kind,
        start_us=start or None,
        duration_us=as_int(span.get("duration")),
        error=what_failed(tags, Failure(failed=error is not None, exception=_message(error))),
        peer=peer_of(tags | {"peer.service": _service(span.get("remoteEndpoint"))}, kind),
        instance=instance_of(tags),
    )


def _message(error: str | None) -> str:
    return "" if error is None or error.lower() in {"true", "1"} else error


def _service(endpoint: Any) -> str:
    return scalar_text(mapping(endpoint).get("serviceName"))
