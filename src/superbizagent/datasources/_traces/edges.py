"""Who calls whom, as spans show it."""

import polars as pl

from superbizagent.domain.outputs import Edge
from superbizagent.domain.spans import SpanKind

__all__ = ["edges_of"]

_ADDRESS = r"^[0-9a-fA-F.:]+$"
_MOSTLY = 0.5
"""Of the calls of a peer: when fewer arrive at a span, nothing there records any."""


def edges_of(table: pl.DataFrame) -> tuple[Edge, ...]:
    """Return the calls between services, and those of a service to what records no spans itself.

    Args:
        table: of `SpanStore.table`.
    """
    above = table.select("trace_id", parent_id="span_id", caller="service")
    calls = table.select("trace_id", "parent_id", callee="service").join(
        above, on=["trace_id", "parent_id"]
    )
    calls = calls.filter(pl.col("caller") != pl.col("callee"))
    pairs = {(a, b) for a, b in calls.select("caller", "callee").unique().iter_rows()}
    pairs |= _to_peers(table, calls)
    return tuple(Edge(caller=a, callee=b) for a, b in sorted(pairs) if a and b)


def _to_peers(table: pl.DataFrame, calls: pl.DataFrame) -> set[tuple[str, str]]:
    """Return calls to databases, queues and hosts whose other end is not among the spans."""
    asking = table.filter(
        pl.col("peer").is_not_null()
        & pl.col("kind").is_in([SpanKind.CLIENT.value, SpanKind.PRODUCER.value])
        & ~pl.col("peer").fill_null("").str.contains(_ADDRESS)
        & (pl.col("peer") != pl.col("service"))
    )
    if not len(asking):
        return set()
    arrived = calls.select("trace_id", span_id="parent_id").unique().with_columns(arrived=True)
    seen = (
        asking.join(arrived, on=["trace_id", "span_id"], how="left")
        .group_by("service", "peer")
        .agg(pl.col("arrived").fill_null(value=False).mean())
        .filter(pl.col("arrived") < _MOSTLY)
    )
    return {(a, b) for a, b in seen.select("service", "peer").iter_rows()}
