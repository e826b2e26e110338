"""Which kinds of records each request wrote, and in which span: bounded, whole requests only."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.lib.stride_tricks import sliding_window_view
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

_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits as good as random
_HALF = np.uint64(32)


@dataclass(slots=True)
class LinkStore:
    """Distinct (kind, trace, span) of the records that name a trace.

    Each trace has a draw, a number made of its id alone. When there are too many, the traces with
    the largest go: a request is there with all that it wrote or not at all, and which ones are
    there does not depend on how the stream was cut. Once there are too many, a record costs no
    more than its draw.
    """

    most: int = _MOST
    parts: list[pl.DataFrame] = field(default_factory=lambda: [pl.DataFrame(schema=_SCHEMA)])
    below: int = _NEVER
    """Traces with a draw from here on are left out."""

    def add(self, frame: pl.DataFrame, kinds: Ints) -> None:
        """Take the records of a chunk, one kind each."""
        traces = frame["trace_id"]
        if traces.null_count() == len(traces):
            return
        traces = traces.fill_null("")
        draws = _draws(traces)
        rows = np.flatnonzero((traces.str.len_bytes().to_numpy() > 0) & (draws < self.below))
        if not len(rows):
            return
        picked = pl.Series(rows)
        some = pl.DataFrame(
            {
                "kind": kinds[rows],
                "trace": traces.gather(picked),
                "span": frame["span_id"].gather(picked) if "span_id" in frame.columns else "",
                "count": 1,
                "draw": draws[rows],
            },
            schema=_SCHEMA,
        )
        self.parts.append(some.with_columns(pl.col("span").fill_null("")))
        if sum(map(len, self.parts)) > 2 * self.most:
            frame = self._likely()
            # Where requests write many lines of a kind, rows are many and links are few.
            self.parts = [frame if 2 * len(frame) <= 3 * self.most else self._links(frame)]

    def _likely(self) -> pl.DataFrame:
        """Bring all into one frame, without traces that are surely too many.

        A trace has a link or more; so much may be left out before any link is counted.
        """
        frame = pl.concat(self.parts)
        draws = np.sort(frame["draw"].to_numpy())
        draws = draws[np.flatnonzero(np.diff(draws, prepend=draws[:1] + 1))]
        if len(draws) <= self.most:
            return frame
        self.below = int(draws[self.most])
        return frame.filter(pl.col("draw") < self.below)

    def _links(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Count the records of each link; return no more than ``most``."""
        frame = frame.group_by(_KEYS).agg(pl.col("count").sum(), pl.col("draw").first())
        if len(frame) <= self.most:
            return frame
        counts = frame.group_by("draw").len().sort("draw")
        over = counts.filter(pl.col("len").cum_sum() > self.most)
        self.below = int(over["draw"][0])
        return frame.filter(pl.col("draw") < self.below)

    def of(self, groups: Sequence[Sequence[int]], kinds: int) -> LogLinks:
        """Return the links of templates, each a group of the first ``kinds`` kinds."""
        links = self._links(self._likely())
        self.parts = [links]
        if len(links) == 0:
            return LogLinks()
        home = np.full(kinds, -1, np.int64)
        for template, members in enumerate(groups):
            home[list(members)] = template
        columns = ["template", "trace", "span"]
        template = pl.Series("template", home[links["kind"].to_numpy()])
        rows = links.with_columns(template).filter(pl.col("template") >= 0)
        rows = rows.group_by(columns).agg(pl.col("count").sum())
        traces, spans = (rows[name].unique().sort() for name in ("trace", "span"))
        rows = rows.with_columns(
            trace=_places(rows["trace"], traces), span=_places(rows["span"], spans)
        )
        rows = rows.sort(columns)
        return LogLinks(
            traces=tuple(traces.to_list()),
            spans=tuple(spans.to_list()),
            template=tuple(rows["template"].to_list()),
            trace=tuple(rows["trace"].to_list()),
            span=tuple(rows["span"].to_list()),
            count=tuple(rows["count"].to_list()),
        )


def _places(texts: pl.Series, distinct: pl.Series) -> pl.Series:
    return texts.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64)


def _draws(traces: pl.Series) -> NDArray[np.uint32]:
    """Return a number for each id, made of its bytes alone, the same on every machine."""
    text = np.frombuffer(traces.str.join("").cast(pl.Binary).item(), np.uint8)
    sizes = traces.str.len_bytes().to_numpy().astype(np.int64)
    draws = np.zeros(len(sizes), np.uint32)
    begins = np.cumsum(sizes) - sizes
    for size in np.flatnonzero(np.bincount(sizes)).tolist():
        if not size:
            continue
        rows = np.flatnonzero(sizes == size)
        if len(rows) == len(sizes):
            ids = text.reshape(-1, size)
        else:
            ids = sliding_window_view(text, size)[begins[rows]]
        draws[rows] = _mixed(ids)
    return draws


def _mixed(ids: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return 32 bits of each row of bytes."""
    count, size = ids.shape
    if size % 8:
        ids = np.hstack([ids, np.zeros((count, -size % 8), np.uint8)])
    words = np.ascontiguousarray(ids).view("<u8")
    state = np.full(count, size, np.uint64)
    for column in range(words.shape[1]):
        state = (state ^ words[:, column]) * _MIX
        state ^= state >> _HALF
    return (state * _MIX >> _HALF).astype(np.uint32)
