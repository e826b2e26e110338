"""One range query on a store: selection, caps, thinning."""

import numpy as np

from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import Answer, EvidenceStatus, RangeQuery

from .store import Ids, MetricStore

__all__ = ["run_range_query"]


def run_range_query(store: MetricStore, query: RangeQuery) -> Answer:
    """Answer a query from recorded samples.

    Over the cap, constant series go first, then the last ones by name. A series with more samples
    than asked for keeps the last of each step.
    """
    try:
        ids = store.select(query.selector)
    except ValueError as error:
        return Answer(status=EvidenceStatus.ERROR, error=str(error))
    chosen = _cap(store, ids, max(query.max_series, 0))
    found = store.read(chosen, query.window.start_ms, query.window.end_ms)
    thinned, thinned_series = _thin(found, query)
    left_out = len(ids) - len(chosen)
    warnings = [f"{left_out} of {len(ids)} series left out"] if left_out else []
    if thinned_series:
        warnings.append(f"{thinned_series} series thinned to {query.max_points} samples")
    stats = {
        "series_selected": len(ids),
        "series_left_out": left_out,
        "series_returned": len(thinned),
        "series_thinned": thinned_series,
        "samples_read": len(found.times),
        "samples_returned": len(thinned.times),
    }
    status = EvidenceStatus.OK if len(thinned) else EvidenceStatus.EMPTY
    return Answer(
        status=status,
        output=thinned,
        truncated=left_out > 0,
        warnings=tuple(warnings),
        stats=stats,
    )


def _cap(store: MetricStore, ids: Ids, limit: int) -> Ids:
    if len(ids) <= limit:
        return ids
    # Stable: among equals the order of the printed names stands.
    order = np.argsort(store.is_constant(ids), kind="stable")
    return np.sort(ids[order[:limit]])


def _thin(found: SeriesSet, query: RangeQuery) -> tuple[SeriesSet, int]:
    counts = np.diff(found.offsets)
    limit = max(query.max_points, 1)
    dense = counts > limit
    if not dense.any():
        return found, 0
    length = query.window.end_ms - query.window.start_ms + 1
    step = -(-length // limit)
    owner = np.repeat(np.arange(len(found)), counts)
    bucket = (found.times - query.window.start_ms) // step
    keep = np.ones(len(owner), np.bool_)
    keep[:-1] = (owner[1:] != owner[:-1]) | (bucket[1:] != bucket[:-1])
    keep |= ~dense[owner]
    kept = np.bincount(owner[keep], minlength=len(found))
    thinned = SeriesSet(
        labels=found.labels,
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)]),
        times=found.times[keep],
        values=found.values[keep],
    )
    return thinned, int(dense.sum())
