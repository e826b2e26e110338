"""Requests through a small shop, and the forms in which tools write their spans."""

import base64
import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
START_US = int(START.timestamp()) * 1_000_000

_KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")


@dataclass(frozen=True)
class Span:
    """One span of a test; times in microseconds, the start counted from `START`."""

    trace: str
    own: str
    parent: str
    service: str
    operation: str
    kind: int
    start: int
    duration: int
    status: int = 0
    """HTTP status of the answer; 0: none is told."""
    exception: str = ""
    peer: str = ""
    pod: str = ""


def hexes(number: int, length: int) -> str:
    """Return an id that looks like one: never all zeros."""
    return f"f{number + 1:0{length - 1}x}"


def request(number: int, at: timedelta, wire_ms: float, status: int = 200) -> list[Span]:
    """Return the spans of one checkout: storefront, order, payment, and order's database."""
    trace, begin = hexes(number, 32), round(at / timedelta(microseconds=1))
    ids = [hexes(number * 10 + k, 16) for k in range(5)]
    gap, work = round(wire_ms * 1000), 12_000
    of = partial(Span, trace=trace, status=status)
    return [
        of(own=ids[0], parent="", service="storefront", operation="POST /checkout", kind=2,
           start=begin, duration=gap + work + 9_000, pod="storefront-0"),
        of(own=ids[1], parent=ids[0], service="order", operation="POST /orders", kind=2,
           start=begin + 2_000, duration=gap + work + 5_000, pod="order-0"),
        of(own=ids[2], parent=ids[1], service="order", operation="SELECT", kind=3, status=0,
           start=begin + 3_000, duration=1_500, pod="order-0", peer="orders-db"),
        of(own=ids[3], parent=ids[1], service="order", operation="POST /charge", kind=3,
           start=begin + 5_000, duration=gap + work, pod="order-0"),
        of(own=ids[4], parent=ids[3], service="payment", operation="POST /charge", kind=2,
           start=begin + 5_000 + gap // 2, duration=work, pod="payment-0"),
    ]  # fmt: skip


def shop(
    minutes: int = 20, slow_from: int = 15, slow_ms: float = 400.0, per_minute: int = 12
) -> list[Span]:
    """Return requests of some minutes, of which the last reach payment late."""
    spans: list[Span] = []
    for number in range(minutes * per_minute):
        at = timedelta(seconds=number * 60 / per_minute)
        wire = slow_ms if at >= timedelta(minutes=slow_from) else 3.0
        # Nothing takes equally long twice.
        spans += request(number, at, wire * (1 + (number % 7) / 50))
    return spans


# The forms ---------------------------------------------------------------------------------------


def otlp(spans: Sequence[Span], *, ids_base64: bool = False, words: bool = False) -> str:
    """Return one ``ExportTraceServiceRequest``.

    Args:
        spans: to write.
        ids_base64: as protocol buffers print bytes in JSON; else hexadecimal.
        words: kinds and status codes by their names; else by their numbers.
    """

    resources: dict[tuple[str, str], list[Any]] = {}
    for span in spans:
        found = _otlp(span, ids_base64=ids_base64, words=words)
        resources.setdefault((span.service, span.pod), []).append(found)
    named: list[Any] = [
        {
            "resource": {
                "attributes": [
                    {"key": "service.name", "value": {"stringValue": service}},
                    {"key": "k8s.pod.name", "value": {"stringValue": pod}},
                ]
            },
            "scopeSpans": [{"scope": {}, "spans": found}],
        }
        for (service, pod), found in resources.items()
    ]
    return json.dumps({"resourceSpans": named})


def _otlp(span: Span, *, ids_base64: bool, words: bool) -> dict[str, Any]:
    def written(text: str) -> str:
        return base64.b64encode(bytes.fromhex(text)).decode() if ids_base64 and text else text

    attributes: list[Any] = []
    if span.peer:
        attributes.append({"key": "server.address", "value": {"stringValue": span.peer}})
        attributes.append({"key": "db.system.name", "value": {"stringValue": "postgresql"}})
    if span.status:
        value = {"intValue": str(span.status)}
        attributes.append({"key": "http.response.status_code", "value": value})
    failed = bool(span.exception) or span.status >= 500
    code: int | str = ("STATUS_CODE_ERROR" if words else 2) if failed else 0
    about = [{"key": "exception.type", "value": {"stringValue": span.exception}}]
    begin = (START_US + span.start) * 1000
    return {
        "traceId": written(span.trace),
        "spanId": written(span.own),
        "parentSpanId": written(span.parent),
        "name": span.operation,
        "kind": f"SPAN_KIND_{_KINDS[span.kind].upper()}" if words else span.kind,
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + span.duration * 1000),
        "attributes": attributes,
        "events": [{"name": "exception", "attributes": about}] if span.exception else [],
        "status": {"code": code} if code else {},
    }


def otlp_lines(spans: Sequence[Span]) -> str:
    """Return what the collector's file exporter writes: a request a line."""
    return "".join(otlp(spans[k : k + 40]) + "\n" for k in range(0, len(spans), 40))


def jaeger(spans: Sequence[Span]) -> str:
    """Return the answer of Jaeger's API."""
    return json.dumps({"data": jaeger_traces(spans), "total": 0, "errors": None})


def jaeger_traces(spans: Iterable[Span]) -> list[dict[str, Any]]:
    """Return Jaeger's traces."""
    traces: dict[str, dict[str, Any]] = {}
    for span in spans:
        trace = traces.setdefault(span.trace, {"traceID": span.trace, "spans": [], "processes": {}})
        process = {"key": "k8s.pod.name", "type": "string", "value": span.pod}
        name = f"p-{span.service}"
        trace["processes"][name] = {"serviceName": span.service, "tags": [process]}
        tags: list[dict[str, Any]] = [{"key": "span.kind", "value": _KINDS[span.kind]}]
        tags += [{"key": "http.status_code", "value": span.status}] if span.status else []
        tags += [{"key": "peer.service", "value": span.peer}] if span.peer else []
        failed = bool(span.exception) or span.status >= 500
        tags += [{"key": "error", "type": "bool", "value": True}] if failed else []
        fields = [{"key": "exception.type", "value": span.exception}]
        reference = {"refType": "CHILD_OF", "traceID": span.trace, "spanID": span.parent}
        trace["spans"].append(
            {
                "traceID": span.trace,
                "spanID": span.own,
                "operationName": span.operation,
                "references": [reference] if span.parent else [],
                "startTime": START_US + span.start,
                "duration": span.duration,
                "tags": tags,
                "logs": [{"timestamp": 0, "fields": fields}] if span.exception else [],
                "processID": name,
            }
        )
    return list(traces.values())


def zipkin(spans: Sequence[Span]) -> str:
    """Return a list of Zipkin's version 2."""
    return json.dumps([_zipkin(span) for span in spans])


def _zipkin(span: Span) -> dict[str, Any]:
    tags = {"k8s.pod.name": span.pod} if span.pod else {}
    tags |= {"http.status_code": str(span.status)} if span.status else {}
    failed = bool(span.exception) or span.status >= 500
    tags |= {"error": span.exception or str(span.status)} if failed else {}
    found: dict[str, Any] = {
        "traceId": span.trace,
        "id": span.own,
        "name": span.operation,
        "kind": _KINDS[span.kind].upper(),
        "timestamp": START_US + span.start,
        "duration": span.duration,
        "localEndpoint": {"serviceName": span.service},
        "tags": tags,
    }
    if span.parent:
        found["parentId"] = span.parent
    if span.peer:
        found["remoteEndpoint"] = {"serviceName": span.peer}
    return found


def wide_rows(spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Return flat rows under the names that this product writes itself."""
    return [
        {
            "trace_id": span.trace,
            "span_id": span.own,
            "parent_id": span.parent,
            "service": span.service,
            "operation": span.operation,
            "kind": _KINDS[span.kind],
            "start_us": START_US + span.start,
            "duration_us": span.duration,
            "error": span.exception or (str(span.status) if span.status >= 500 else ""),
            "peer": span.peer,
            "instance": span.pod,
        }
        for span in spans
    ]


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def json_lines(rows: Iterable[Any]) -> str:
    """Return rows as JSON, one a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)


FORMS: dict[str, Callable[[Sequence[Span]], tuple[str, str]]] = {
    "otlp": lambda s: ("traces.json", otlp(s)),
    "otlp-words": lambda s: ("traces.json", otlp(s, ids_base64=True, words=True)),
    "otlp-lines": lambda s: ("traces.jsonl", otlp_lines(s)),
    "otlp-pretty": lambda s: ("traces.json", json.dumps(json.loads(otlp(s)), indent=1)),
    "jaeger": lambda s: ("traces.json", jaeger(s)),
    "jaeger-traces": lambda s: ("traces.jsonl", json_lines(jaeger_traces(s))),
    "zipkin": lambda s: ("traces.json", zipkin(s)),
    "zipkin-lines": lambda s: ("traces.jsonl", json_lines(_zipkin(x) for x in s)),
    "csv": lambda s: ("traces.csv", csv_text(wide_rows(s))),
    "rows": lambda s: ("traces.jsonl", json_lines(wide_rows(s))),
}
"""Name -> file name and text of some spans."""


def write_form(folder: Path, form: str, spans: Sequence[Span]) -> Path:
    """Write spans into a recording in one of `FORMS`."""
    name, text = FORMS[form](spans)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
