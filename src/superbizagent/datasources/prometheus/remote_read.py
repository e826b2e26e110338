"""The remote-read protocol: protobuf messages inside a snappy block.

The only way to read samples as they were stored: values bit for bit, and with staleness markers,
which the JSON API leaves out. The messages are declared here in a few lines instead of in generated
code; field numbers are those of Prometheus's ``prompb/remote.proto`` and ``types.proto``.
"""

from typing import Any

import cramjam
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window
from superbizagent.errors import PermanentDataSourceError

__all__ = ["CONTENT_TYPE", "HEADERS", "decode_response", "encode_request"]

CONTENT_TYPE = "application/x-protobuf"
HEADERS = {
    "Content-Type": CONTENT_TYPE,
    "Content-Encoding": "snappy",
    "Accept": CONTENT_TYPE,
    "X-Prometheus-Remote-Read-Version": "0.1.0",
}

_Field = descriptor_pb2.FieldDescriptorProto
_SCHEMA = {
    "ReadRequest": [("queries", 1, "Query")],
    "Query": [
        ("start_timestamp_ms", 1, "int64"),
        ("end_timestamp_ms", 2, "int64"),
        ("matchers", 3, "LabelMatcher"),
    ],
    # The type is an enumeration; on the wire it is an int32 like any other.
    "LabelMatcher": [("type", 1, "int32"), ("name", 2, "string"), ("value", 3, "string")],
    "ReadResponse": [("results", 1, "QueryResult")],
    "QueryResult": [("timeseries", 1, "TimeSeries")],
    "TimeSeries": [("labels", 1, "Label"), ("samples", 2, "Sample")],
    "Label": [("name", 1, "string"), ("value", 2, "string")],
    "Sample": [("value", 1, "double"), ("timestamp", 2, "int64")],
}
_SCALARS = {
    "int64": _Field.TYPE_INT64,
    "int32": _Field.TYPE_INT32,
    "string": _Field.TYPE_STRING,
    "double": _Field.TYPE_DOUBLE,
}
_MATCH_TYPES = {
    MatchOp.EQUAL: 0,
    MatchOp.NOT_EQUAL: 1,
    MatchOp.REGEX: 2,
    MatchOp.NOT_REGEX: 3,
}


def _messages() -> dict[str, Any]:
    """Build the message classes from the table above."""
    package = "superbizagent.remote_read"
    file = descriptor_pb2.FileDescriptorProto(
        name="superbizagent/remote_read.proto", package=package, syntax="proto3"
    )
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        for field_name, number, kind in fields:
            field = message.field.add(name=field_name, number=number)
            if kind in _SCALARS:
                field.label = _Field.LABEL_OPTIONAL
                field.type = _SCALARS[kind]
            else:
                field.label = _Field.LABEL_REPEATED
                field.type = _Field.TYPE_MESSAGE
                field.type_name = f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name in _SCHEMA
    }


_MESSAGES = _messages()


def encode_request(selector: Selector, window: Window) -> bytes:
    """Return the body of ``POST /api/v1/read`` for one selector over a closed span."""
    request = _MESSAGES["ReadRequest"]()
    query = request.queries.add(start_timestamp_ms=window.start_ms, end_timestamp_ms=window.end_ms)
    matchers = list(selector.matchers)
    if selector.name:
        matchers.append(Matcher(label="__name__", value=selector.name))
    for matcher in matchers:
        query.matchers.add(type=_MATCH_TYPES[matcher.op], name=matcher.label, value=matcher.value)
    return bytes(cramjam.snappy.compress_raw(request.SerializeToString()))


def decode_response(body: bytes) -> SeriesSet:
    """Return the series of a remote-read answer.

    Raises:
        PermanentDataSourceError: when the body is not such an answer.
    """
    try:
        response = _MESSAGES["ReadResponse"].FromString(bytes(cramjam.snappy.decompress_raw(body)))
    except (cramjam.DecompressionError, DecodeError) as error:
        raise PermanentDataSourceError(f"the remote-read answer is malformed: {error}") from error
    return SeriesSet.of(
        (
            {label.name: label.value for label in series.labels},
            np.array([s.timestamp for s in series.samples], np.int64),
            np.array([s.value for s in series.samples], np.float64),
        )
        for result in response.results
        for series in result.timeseries
    )
