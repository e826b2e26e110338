"""Measure the analysis core: CPU seconds for 100,000 series, log lines a CPU second.

python -m benchmarks.analysis_speed
"""

import time
from datetime import timedelta

import numpy as np
import polars as pl

from superbizagent.analysis.deviation import measure
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.domain.logs import LogChunk, LogFile
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms


def speed() -> dict[str, float]:
    """Return CPU seconds for 100,000 series of 60 samples, and log lines a CPU second."""
    n, length = 100_000, 60
    random = np.random.default_rng(0)
    labels = tuple({"__name__": f"m{k % 500}", "service": f"s{k // 500}"} for k in range(n))
    times = np.tile(1_790_000_000_000 + 15_000 * np.arange(length), n)
    series = SeriesSet(labels, np.arange(n + 1) * length, times, random.normal(10, 1, n * length))
    start = from_ms(int(times[0]))
    begin = start + timedelta(seconds=45 * 15)
    windows = Windows(
        incident=Window(start=begin, end=from_ms(int(times[-1]))),
        baselines=(Window(start=start, end=begin - timedelta(seconds=30)),),
    )
    begun = time.process_time()
    measure(series, windows, timedelta(seconds=15))
    measured = time.process_time() - begun
    lines = 1_000_000
    return {"measure_seconds": round(measured, 2), "lines_a_second": _mine(lines, windows)}


def _mine(lines: int, windows: Windows) -> float:
    """Mine a clean service log in which every line carries other numbers; lines a CPU second."""
    random = np.random.default_rng(0)
    kinds = (
        "order {} created in {}ms",
        "connection acquired after {}ms pool_active={}",
        "cache hit rate 0.{} size {}",
    )
    span = windows.whole.end_ms - windows.whole.start_ms
    numbers = random.integers(0, 10_000, (2, lines))
    bodies = [kinds[k % 3].format(a, b) for k, (a, b) in enumerate(numbers.T.tolist())]
    frame = pl.DataFrame(
        {
            "time": windows.whole.start_ms + np.arange(lines) * span // lines,
            "severity": pl.Series(np.full(lines, 3), dtype=pl.Int8),
            "service": ["order"] * lines,
            "body": bodies,
            "line": bodies,
            "offset": np.arange(lines),
            "trace_id": pl.Series([None] * lines, dtype=pl.String),
        }
    )
    miner = LogMiner(windows)
    file = LogFile(path="a.log", service="order", size_bytes=0, digest="")
    begun = time.process_time()
    for k in range(0, lines, 100_000):
        miner.add(LogChunk(file, frame[k : k + 100_000]))
    miner.digest()
    return round(lines / (time.process_time() - begun))


if __name__ == "__main__":
    for name, value in speed().items():
        print(name, value)
