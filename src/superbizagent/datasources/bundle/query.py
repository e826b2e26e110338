"""Questions to a store: selection, caps, thinning."""

from collections.abc import Sequence

import numpy as np

from superbizagent.datasources._thinning import thin_series
from superbizagent.domain.selector import Selector
from superbizagent.domain.source import Answer, EvidenceStatus, RangeQuery
from superbizagent.domain.window import Window

from .store import Ids, MetricStore

__all__ = ["read_whole", "run_range_query"]


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
    thinned, thinned_series = thin_series(found, query.window, query.max_points)
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


def read_whole(
    store: MetricStore, selectors: Sequence[Selector], window: Window, max_series: int
) -> Answer:
    """Return all samples of some series as they were stored, staleness markers included."""
    try:
        found = [store.select(selector) for selector in selectors]
    except ValueError as error:
        return Answer(status=EvidenceStatus.ERROR, error=str(error))
    ids = np.unique(np.concatenate([np.zeros(0, np.int64), *found]))
    if len(ids) > max_series:
        error = f"it needs {len(ids)} series, which is more than {max_series}"
        return Answer(status=EvidenceStatus.ERROR, error=error)
    samples = store.read(ids, window.start_ms, window.end_ms, markers=True)
    stats = {"series_selected": len(ids), "samples_read": len(samples.times)}
    status = EvidenceStatus.OK if len(samples) else EvidenceStatus.EMPTY
    return Answer(status=status, output=samples, stats=stats)


def _cap(store: MetricStore, ids: Ids, limit: int) -> Ids:
    if len(ids) <= limit:
        return ids
    # Stable: among equals the order of the printed names stands.
    order = np.argsort(store.is_constant(ids), kind="stable")
    return np.sort(ids[order[:limit]])
