"""A table of recorded spans to a `SpanSet`: names to rows, parents found, bad rows dropped.

Whatever read the spans, the same spans in any order give the same set.
"""

import numpy as np
import polars as pl

from superbizagent.domain.spans import ORPHAN, ROOT, Rows, SpanKind, SpanSet

__all__ = ["spans_from"]

_TEXTS = ("trace_id", "span_id", "parent_id", "service", "operation", "error", "peer", "instance")
_NUMBERS = ("start_us", "duration_us", "kind")
_NO_PARENT = r"^(?:|0+|root)$"


def spans_from(frame: pl.DataFrame) -> SpanSet:
    """Return the spans of a table.

    Args:
        frame: ``trace_id``, ``span_id``, ``parent_id`` (null, empty, ``root`` or zeros alone: it
            has none), ``service``, ``operation``, ``start_us`` (microseconds since the epoch),
            ``duration_us``; where known ``kind`` (number of a `SpanKind`), ``error`` (what went
            wrong; null or empty: nothing), ``peer``, ``instance``. Ids are text.

    A span without a start is dropped, and so is one whose trace and span id were seen already; of
    such a pair the one that started first stays. A duration below 0 counts as 0.

    Raises:
        polars.exceptions.ColumnNotFoundError: when one of the first seven columns is missing.
    """
    table = _cleaned(frame)
    columns = {name: _coded(table[name]) for name in _TEXTS if name not in {"span_id", "parent_id"}}
    named = {name: names for name, (names, _) in columns.items()}
    codes = {name: rows for name, (_, rows) in columns.items()}
    return SpanSet(
        services=named["service"],
        operations=named["operation"],
        errors=named["error"],
        peers=named["peer"],
        instances=named["instance"],
        traces=named["trace_id"],
        span_ids=tuple(table["span_id"].to_list()),
        trace=codes["trace_id"],
        parent=_without_loops(_parents(table)),
        service=codes["service"],
        operation=codes["operation"],
        kind=table["kind"].to_numpy(),
        error=codes["error"],
        peer=codes["peer"],
        instance=codes["instance"],
        start=table["start_us"].to_numpy(),
        duration=table["duration_us"].to_numpy(),
    )


def _cleaned(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that are spans, each once, in the order of a `SpanSet`."""
    missing = [n for n in ("kind", "error", "peer", "instance") if n not in frame.columns]
    table = frame.with_columns(pl.lit(None).alias(n) for n in missing).select(
        *(pl.col(n).cast(pl.String) for n in _TEXTS),
        *(pl.col(n).cast(pl.Int64, strict=False) for n in _NUMBERS),
    )
    known = pl.col("kind").is_between(0, max(SpanKind).value)
    table = table.drop_nulls("start_us").with_columns(
        *(pl.col(n).fill_null("") for n in ("trace_id", "span_id", "service", "operation")),
        *(pl.when(pl.col(n) != "").then(pl.col(n)) for n in ("error", "peer", "instance")),
        pl.col("duration_us").fill_null(0).clip(lower_bound=0),
        pl.when(known).then("kind").otherwise(0).cast(pl.Int32).alias("kind"),
        # Regular expressions do not match null, which has no parent either.
        pl.when(~pl.col("parent_id").str.contains(_NO_PARENT)).then("parent_id"),
    )
    # All other columns after the first three: of two spans with one id, too, the same one stays.
    order = ["start_us", "trace_id", "span_id"]
    table = table.sort([*order, *(n for n in table.columns if n not in order)])
    # What has no id of its own cannot be told to be the same.
    again = pl.struct("trace_id", "span_id").is_first_distinct() | (pl.col("span_id") == "")
    return table.filter(again)


def _coded(texts: pl.Series) -> tuple[tuple[str, ...], Rows]:
    """Return the distinct texts, sorted, and for each value its row there, -1 for null."""
    names = texts.drop_nulls().unique().sort()
    rows = texts.cast(pl.Enum(names)).to_physical().cast(pl.Int32).fill_null(-1)
    return tuple(names.to_list()), rows.to_numpy()


def _parents(table: pl.DataFrame) -> Rows:
    """Return the row of each span's parent within its trace."""
    own = table.select("trace_id", parent_id="span_id").with_row_index("row")
    own = own.filter(pl.col("parent_id") != "")
    found = table.select("trace_id", "parent_id").join(
        own, on=["trace_id", "parent_id"], how="left", maintain_order="left"
    )
    row = found["row"].cast(pl.Int32)
    named = table["parent_id"].is_not_null().to_numpy()
    return np.where(named, row.fill_null(ORPHAN).to_numpy(), ROOT).astype(np.int32)


def _without_loops(parent: Rows) -> Rows:
    """Return the parents with every loop cut above its first span, which becomes an orphan."""
    n = len(parent)
    # Each round doubles how far up a span looks; only what leads into a loop never gets out.
    above = np.append(np.where(parent < 0, n, parent), n)
    for _ in range(n.bit_length() + 1):
        above = above[above]
        if bool((above == n).all()):
            return parent
    cut = parent.copy()
    seen = np.zeros(n, np.bool_)
    # After as many steps as there are spans, everybody is inside the loop that they lead into.
    for start in np.unique(above[above < n]).tolist():
        loop: list[int] = []
        row = start
        while not seen[row]:
            seen[row] = True
            loop.append(row)
            row = int(parent[row])
        if loop:
            cut[min(loop)] = ORPHAN
    return cut
