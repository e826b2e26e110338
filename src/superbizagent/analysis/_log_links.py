"""Which kinds of records each request wrote, and in which span: bounded, whole requests only."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.domain.logs import LogLinks

__all__ = ["LinkStore"]

Ints = NDArray[np.int64]

_MOST = 100_000
_KEYS = ["kind", "trace", "span"]
_SCHEMA = {
    "kind": pl.Int64,
    "trace": pl.String,
    "span": pl.String,
    "count": pl.Int64,
    "draw": pl.UInt32,
}
_NEVER = 1 << 32
"""Larger than any draw."""


@dataclass(slots=True)
class LinkStore:
    """Distinct (kind, trace, span) of the records that name a trace.

    Each trace has a draw, a number made of its id alone. When there are too many, the traces with
    the largest go: a request is there with all that it wrote or not at all, and which ones are
    there does not depend on how the stream was cut.
    """

    most: int = _MOST
    frame: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=_SCHEMA))
    below: int = _NEVER
    """Traces with a draw from here on are left out."""

    def add(self, frame: pl.DataFrame, kinds: Ints) -> None:
        """Take the records of a chunk, one kind each."""
        traces = frame["trace_id"]
        if traces.null_count() == len(traces):
            return
        spans = frame["span_id"] if "span_id" in frame.columns else pl.lit("")
        new = frame.select(
            pl.Series("kind", kinds, pl.Int64),
            pl.col("trace_id").alias("trace"),
            spans.cast(pl.String).fill_null("").alias("span"),
        ).filter(pl.col("trace").fill_null("") != "")
        new = new.group_by(_KEYS, maintain_order=True).agg(pl.len().cast(pl.Int64).alias("count"))
        known = new["trace"].unique()
        draws = [zlib.crc32(t.encode()) for t in known.to_list()]
        draw = new["trace"].replace_strict(known, draws, return_dtype=pl.UInt32).alias("draw")
        new = new.with_columns(draw).filter(pl.col("draw") < self.below)
        self.frame = pl.concat([self.frame, new.select(list(_SCHEMA))])
        if len(self.frame) > 2 * self.most:
            self._shrink()

    def _shrink(self) -> None:
        one = (pl.col("count").sum(), pl.col("draw").first())
        self.frame = self.frame.group_by(_KEYS, maintain_order=True).agg(*one)
        if len(self.frame) <= self.most:
            return
        counts = self.frame.group_by("draw").len().sort("draw")
        over = counts.filter(pl.col("len").cum_sum() > self.most)
        self.below = int(over["draw"][0])
        self.frame = self.frame.filter(pl.col("draw") < self.below)

    def of(self, groups: Sequence[Sequence[int]], kinds: int) -> LogLinks:
        """Return the links of templates, each a group of the first ``kinds`` kinds."""
        self._shrink()
        if len(self.frame) == 0:
            return LogLinks()
        home = np.full(kinds, -1, np.int64)
        for template, members in enumerate(groups):
            home[list(members)] = template
        columns = ["template", "trace", "span"]
        template = pl.Series("template", home[self.frame["kind"].to_numpy()])
        rows = self.frame.with_columns(template).filter(pl.col("template") >= 0)
        rows = rows.group_by(columns).agg(pl.col("count").sum()).sort(columns)
        traces, spans = (rows[name].unique().sort() for name in ("trace", "span"))
        return LogLinks(
            traces=tuple(traces.to_list()),
            spans=tuple(spans.to_list()),
            template=tuple(rows["template"].to_list()),
            trace=tuple(traces.search_sorted(rows["trace"]).to_list()),
            span=tuple(spans.search_sorted(rows["span"]).to_list()),
            count=tuple(rows["count"].to_list()),
        )
