"""Recorded and served traces to spans: what every source that reads traces shares."""

from .edges import edges_of
from .reading import TRACE_ENDINGS, document_rows, span_frames
from .rows import SpanRow, frame_of
from .store import MOST_SPANS, SpanStore, Taken, take, within

__all__ = [
    "MOST_SPANS",
    "TRACE_ENDINGS",
    "SpanRow",
    "SpanStore",
    "Taken",
    "document_rows",
    "edges_of",
    "frame_of",
    "span_frames",
    "take",
    "within",
]
