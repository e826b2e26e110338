"""One recorded span as every reader gives it, and what its attributes tell.

The names of attributes are OpenTelemetry's, of today and of its earlier conventions, and those of
Jaeger and Zipkin clients.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import polars as pl

from superbizagent.domain.spans import SpanKind

__all__ = [
    "SCHEMA",
    "UNNAMED",
    "Failure",
    "SpanRow",
    "as_int",
    "frame_of",
    "hex_id",
    "instance_of",
    "kind_of",
    "peer_of",
    "scalar_text",
    "what_failed",
]

SCHEMA = {
    "trace_id": pl.String,
    "span_id": pl.String,
    "parent_id": pl.String,
    "service": pl.String,
    "namespace": pl.String,
    "operation": pl.String,
    "kind": pl.Int64,
    "start_us": pl.Int64,
    "duration_us": pl.Int64,
    "error": pl.String,
    "peer": pl.String,
    "instance": pl.String,
}

UNNAMED = "unknown_service"
"""OpenTelemetry's own name for a service that has none."""

_TEXT = 200
"""Characters of a name or an error that are kept: some write whole statements and stacks there."""
_LARGEST = 2**62

_KINDS = {kind.name.lower(): kind for kind in SpanKind}
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")
_BASE64 = re.compile(r"[0-9A-Za-z+/_-]{11}=|[0-9A-Za-z+/_-]{22}==")
_GRPC_FAULTS = frozenset({"2", "4", "8", "12", "13", "14", "15"})
"""Of the codes of gRPC those by which the server failed, as OpenTelemetry counts them."""
_SERVER_ERROR = 500

_HTTP = ("http.response.status_code", "http.status_code")
_GRPC = ("rpc.grpc.status_code", "grpc.status_code")
_DATABASE = ("db.system.name", "db.system", "db.type")
_ADDRESS = ("server.address", "net.peer.name", "peer.hostname", "http.host", "peer.address")
_QUEUE = ("messaging.destination.name", "messaging.destination", "message_bus.destination")
_INSTANCE = ("k8s.pod.name", "service.instance.id", "host.name", "hostname", "ip")
_CLUSTER_NAME = re.compile(r"^([a-z0-9-]+)(?:\.[a-z0-9-]+)?\.svc(?:\..*)?$")
_IP = re.compile(r"^[0-9.]+$|^[0-9a-fA-F:]+:[0-9a-fA-F:]*$")


class SpanRow(NamedTuple):
    """A span in the columns of `SCHEMA`."""

    trace_id: str
    span_id: str
    parent_id: str
    service: str
    namespace: str
    operation: str
    kind: int
    start_us: int | None
    duration_us: int | None
    error: str | None
    peer: str | None
    instance: str | None


class Failure(NamedTuple):
    """What a span says of how it ended, beside its attributes."""

    failed: bool = False
    """Its status is an error."""
    fine: bool = False
    """Its status is set, and is no error."""
    exception: str = ""
    """Type of an exception that it recorded."""
    message: str = ""


def frame_of(rows: Iterable[SpanRow]) -> pl.DataFrame:
    """Return rows as a table of `SCHEMA`."""
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    return pl.DataFrame(
        [
            pl.Series(name, values, dtype=dtype, strict=False)
            for (name, dtype), values in zip(SCHEMA.items(), columns, strict=True)
        ]
    )


def scalar_text(value: Any) -> str:
    """Return a plain value as text; lists and mappings are nothing to be named by."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _clip(value)
        case int() | float():
            return str(value)
        case _:
            return ""


def as_int(value: Any) -> int | None:
    """Return a whole number that is written as a number or as text, or None."""
    if isinstance(value, bool):
        return None
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        try:
            number = int(float(value))
        except (TypeError, ValueError, OverflowError):
            return None
    return number if -_LARGEST < number < _LARGEST else None


def hex_id(value: Any) -> str:
    """Return an id as logs and dashboards print it: hexadecimal, also where it came as base64."""
    text = value if isinstance(value, str) else scalar_text(value)
    if _BASE64.fullmatch(text) and not _HEX.fullmatch(text):
        try:
            return base64.b64decode(text.replace("-", "+").replace("_", "/")).hex()
        except (binascii.Error, ValueError):
            return text
    return text


def kind_of(value: Any) -> int:
    """Return the `SpanKind` of a number or of a word such as ``SPAN_KIND_SERVER`` or ``server``."""
    if isinstance(value, str):
        known = _KINDS.get(value.strip().lower().removeprefix("span_kind_"))
        if known is not None:
            return known
    number = as_int(value)
    return number if number is not None and 0 <= number <= max(SpanKind) else SpanKind.UNKNOWN


def what_failed(tags: Mapping[str, str], end: Failure) -> str | None:
    """Return the shortest word for what went wrong, or None: it did not fail, or does not say so.

    A request that was answered with 500 or more failed, whatever its status says. An exception
    alone is a failure only where neither the status nor an answer says how it ended.
    """
    http = _first(tags, _HTTP)
    code = as_int(http) if http else None
    grpc = _first(tags, _GRPC)
    told = end.fine or bool(code) or bool(grpc)
    failed = end.failed or (code or 0) >= _SERVER_ERROR or grpc in _GRPC_FAULTS
    if not failed and (told or not end.exception):
        return None
    if end.exception:
        return _clip(end.exception)
    if code and code >= 400:
        return str(code)
    if grpc not in {"", "0"}:
        return f"grpc {grpc}"
    named = tags.get("error.type") or tags.get("error.kind") or end.message
    return _clip(named.strip().split("\n", 1)[0]) or "error"


def peer_of(tags: Mapping[str, str], kind: int) -> str | None:
    """Return what a span called, where it is the calling side: by name rather than by address."""
    if kind not in {SpanKind.CLIENT, SpanKind.PRODUCER, SpanKind.UNKNOWN}:
        return None
    if named := tags.get("peer.service"):
        return named
    address = _host(_first(tags, _ADDRESS))
    database = _first(tags, _DATABASE)
    queue = _first(tags, _QUEUE) or tags.get("messaging.system", "")
    if queue:
        return queue
    if database:
        return address if address and not _IP.match(address) else database
    return address if address and kind == SpanKind.CLIENT else None


def instance_of(tags: Mapping[str, str]) -> str | None:
    """Return which pod or host recorded a span."""
    return _first(tags, _INSTANCE) or None


def _host(address: str) -> str:
    """Return a host without its port; of a name inside a cluster the service's own part."""
    host = address if address.count(":") > 1 else address.split(":", 1)[0]
    inside = _CLUSTER_NAME.match(host)
    return inside[1] if inside else host


def _first(tags: Mapping[str, str], names: Iterable[str]) -> str:
    return next((tags[name] for name in names if tags.get(name)), "")


def _clip(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
