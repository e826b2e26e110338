"""Measure the file sources at full size: a 1 GB log of some 8 million lines, 100,000 series.

``python -m benchmarks.datasources [--lines N] [--series N] [--dir DIR]``. Each measurement runs in
its own process, so that its peak memory is its own. The files are made once and kept in DIR.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.source import LogQuery, RangeQuery
from superbizagent.domain.window import Window, Windows

START = datetime(2026, 3, 1, tzinfo=UTC)
LEVELS = ("INFO",) * 20 + ("WARN", "WARN", "ERROR", "DEBUG")
MESSAGES = (
    "order {0} created for user {1}",
    "payment accepted amount={1} pool_active={2}",
    "cache miss key=user:{1}",
    "GET /api/orders/{1} 200 in {2} ms",
    "stock of item {1} is {2}",
)
LINES_A_SECOND = 250
SAMPLES = 60


def make_log(path: Path, lines: int) -> None:
    """Write a time-sorted service log of about 125 bytes a line."""
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, lines, 50_000):
            last = min(first + 50_000, lines)
            file.writelines(_line(number) for number in range(first, last))


def _line(number: int) -> str:
    at = START + timedelta(milliseconds=number * 1000 // LINES_A_SECOND)
    text = MESSAGES[number % 5].format(number, number * 7919 % 1_000_003, number % 97)
    level = LEVELS[number * 7 % len(LEVELS)]
    head = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {level} [exec-{number % 64}]"
    return f"{head} shop.order.Controller - {text} took={number % 500}ms\n"


def make_series(folder: Path, series: int) -> None:
    """Write a bundle of many series in the long form, in the order of their names."""
    folder.mkdir(exist_ok=True)
    times = int(START.timestamp() * 1000) + np.arange(SAMPLES) * 15_000
    names = [f"metric_{k // 100:05d}" for k in range(series)]
    labels = [
        json.dumps({"instance": f"h{k % 100}:80", "job": f"svc-{k % 50}"}, separators=(",", ":"))
        for k in range(series)
    ]
    values = np.random.default_rng(1).random(series * SAMPLES)
    pl.DataFrame(
        {
            "time": pl.Series(np.tile(times, series)).cast(pl.Datetime("ms", "UTC")),
            "name": pl.Series(names).repeat_by(SAMPLES).explode(),
            "labels": pl.Series(labels).repeat_by(SAMPLES).explode(),
            "value": values,
        }
    ).write_parquet(folder / "metrics.parquet", compression="zstd")


def make_wide(folder: Path, series: int) -> None:
    """Write a bundle of many series in the wide form."""
    folder.mkdir(exist_ok=True)
    start = int(START.timestamp())
    header = ",".join(["time", *(f"svc-{k % 500}|metric_{k // 500}" for k in range(series))])
    rng = np.random.default_rng(1)
    with (folder / "metrics.csv").open("w", encoding="utf-8") as file:
        file.write(header + "\n")
        for row in range(SAMPLES):
            cells = ",".join(f"{v:.4f}" for v in rng.random(series))
            file.write(f"{start + row * 15},{cells}\n")


def read_window(path: Path) -> str:
    """Read 15 minutes and 45 minutes before them, from the middle of the log."""
    source = LogFileSource({"order": (path,)}, log_tz=UTC)
    extent = asyncio.run(source.describe()).extent
    if extent is None:
        return "no extent"
    end = extent.start + extent.length * 0.7
    incident = Window(start=end - timedelta(minutes=15), end=end)
    baseline = Window(start=end - timedelta(minutes=62), end=end - timedelta(minutes=17))
    return _read(source, Windows(incident=incident, baselines=(baseline,)))


def read_whole(path: Path) -> str:
    """Read every line of the log."""
    source = LogFileSource({"order": (path,)}, log_tz=UTC)
    extent = asyncio.run(source.describe()).extent
    if extent is None:
        return "no extent"
    return _read(source, Windows(incident=extent, baselines=()))


def _read(source: LogFileSource, windows: Windows) -> str:
    records = lines = 0
    for chunk in source.read_logs(LogQuery(windows=windows)):
        records += len(chunk.frame)
        lines = chunk.file.lines
    return f"{lines:,} lines read, {records:,} records"


def query_series(folder: Path) -> str:
    """Describe a bundle and ask 20 label selectors and 20 names of it."""
    source = BundleSource(folder)

    async def ask() -> str:
        started = time.perf_counter()
        described = await source.describe()
        ready = time.perf_counter()
        if described.extent is None:
            return "no extent"
        label = "job" if "job" in described.label_values else "service"
        selectors = [
            Selector(matchers=(Matcher(label=label, op=MatchOp.REGEX, value=f"svc-{k}"),))
            for k in range(20)
        ] + [Selector(name=f"metric_{k:05d}") for k in range(20)]
        samples = 0
        for selector in selectors:
            query = RangeQuery(selector=selector, window=described.extent)
            samples += (await source.query_range(query)).stats["samples_returned"]
        asked = time.perf_counter() - ready
        return f"describe {ready - started:.2f} s, 40 queries {asked:.2f} s, {samples:,} samples"

    return asyncio.run(ask())


RUNS: dict[str, tuple[str, Callable[[Path], str]]] = {
    "log window": ("order.log", read_window),
    "log whole": ("order.log", read_whole),
    "series long": ("long", query_series),
    "series wide": ("wide", query_series),
}


def measure(name: str, folder: Path) -> None:
    """Run one measurement in this process and print it."""
    file, run = RUNS[name]
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    found = run(folder / file)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{name:12s} {seconds:6.2f} s wall {cpu:6.2f} s CPU, peak {peak_mb():5.0f} MB: {found}")


def peak_mb() -> float:
    """Return this program's peak memory; ru_maxrss would hold that of the process it came from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Make the files and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=8_000_000)
    parser.add_argument("--series", type=int, default=100_000)
    parser.add_argument("--dir", type=Path, default=Path("build/bench-datasources"))
    parser.add_argument("--run", choices=tuple(RUNS))
    options = parser.parse_args()
    if options.run:
        measure(options.run, options.dir)
        return
    options.dir.mkdir(parents=True, exist_ok=True)
    if not (options.dir / "order.log").exists():
        make_log(options.dir / "order.log", options.lines)
    if not (options.dir / "long").exists():
        make_series(options.dir / "long", options.series)
        make_wide(options.dir / "wide", options.series)
    print(f"order.log: {(options.dir / 'order.log').stat().st_size / 1e6:,.0f} MB")
    for name in RUNS:
        command = [sys.executable, "-m", "benchmarks.datasources", "--run", name]
        subprocess.run([*command, "--dir", str(options.dir)], check=True)


if __name__ == "__main__":
    main()
