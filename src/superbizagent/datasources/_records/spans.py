"""The spans of time that a log query needs."""

from superbizagent.domain.window import Windows

__all__ = ["merged_spans"]

_GAP_MS = 300_000
"""Windows this near each other are read as one: the guard between baseline and incident."""


def merged_spans(windows: Windows) -> list[tuple[int, int]]:
    """Return incident and baselines as ascending, disjoint spans in UTC milliseconds."""
    spans = sorted((w.start_ms, w.end_ms) for w in (windows.incident, *windows.baselines))
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start - merged[-1][1] <= _GAP_MS:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
