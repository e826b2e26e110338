"""How fast logs are read and mined, end to end, and how much memory that takes.

    python -m benchmarks.log_speed [--lines N] [--data DIR] [--dir DIR] [--huge]

Measures read, header, time, severity, folding, templates, numbers and counts per bucket on a clean
log of one service with a trace id on every line, and on lines of many forms with new numbers in
each: of ``--data`` (``<System>/*.log``) where given, else of sixteen forms made up here. ``--huge``
adds a log of ten million lines. Each runs in a process of its own; CPU seconds do not count the
start of Python.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from superbizagent.analysis.log_templates import LogMiner
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Window, Windows
from superbizagent.evaluation.logs import with_new_numbers

START = datetime(2026, 3, 1, tzinfo=UTC)
SPAN = timedelta(hours=2)
PART = 50_000
HEAD = 30  # bytes of a line whose numbers stay: its time
MESSAGES = (
    "order {a} created for user {b} in {c}ms",
    "payment accepted amount={b} pool_active={d}",
    "cache miss key=user:{a}",
    "GET /api/orders/{a} 200 in {c} ms",
    "stock of item {b} is {d}",
    "connection acquired after {c}ms",
    "reservation {a} released by scheduler",
    "session of user {b} renewed",
)
LEVELS = ("INFO",) * 20 + ("WARN", "WARN", "ERROR", "DEBUG")
FORMS = (
    "2026-03-01 00:10:01,606 INFO [http-8080-exec-3] shop.Orders - order 1234 created in 17 ms",
    "2026-03-01T00:10:02.123456Z level=info msg=served path=/api/7 status=200 bytes=812",
    "2026/03/01 00:10:03 [error] 31#31: *77 upstream timed out, client: 10.0.0.7, host: web-1",
    "2026.03.01 00:10:04 R02-M1-N0 RAS KERNEL INFO instruction cache parity error corrected",
    "Mar  1 00:10:05 node-7 sshd[4711]: Failed password for root from 10.1.2.3 port 4711 ssh2",
    "Mar  1 00:10:06 node-8 kernel: eth0: link up, 1000 Mbps, full duplex, lpa 0x45E1",
    '10.0.0.9 - - [01/Mar/2026:00:10:07 +0000] "GET /products/17 HTTP/1.1" 200 5120',
    "I0301 00:10:08.123456   4711 controller.go:117] synced node 17 in 250 ms",
    "260301 001009 148 INFO dfs.DataNode: Received block blk_1608999687 of size 91178",
    "26/03/01 00:10:10 INFO executor.Executor: Finished task 5.0 in stage 3.0 (TID 379)",
    "03-01 00:10:11.606  1702  2395 D PowerService: release lock=233570404 flags=0x1",
    "[01 Mar 2026] 2026-03-01 00:10:12 WARN pool-3-thread-7 retry 3 of 5 after 1500 ms",
    "1772323813 node-17 unix.hw state_change 4 Component is in the unavailable state",
    "20260301-00:10:14:606|Step|30002312|calculated total=126775 in 17 steps",
    '{"ts":"2026-03-01T00:10:15Z","level":"info","msg":"job done","took_ms":41,"job":1234}',
    "2026-03-01 00:10:16,001 - WARN  [Worker:1889785610:Quorum$Worker@679] - Interrupted waiting",
)


def write_service(path: Path, lines: int) -> None:
    """Write a log of one service in order of time, some 110 bytes a line."""
    random = np.random.default_rng(0)
    step = SPAN.total_seconds() * 1000 / lines
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, lines, PART):
            count = min(PART, lines - first)
            numbers = random.integers(0, (10**6, 10**5, 500, 50), (count, 4)).tolist()
            traces = random.bytes(8 * count).hex()
            file.writelines(
                _service_line(first + k, step, numbers[k], traces[16 * k : 16 * k + 16])
                for k in range(count)
            )


def _service_line(number: int, step: float, values: list[int], trace: str) -> str:
    a, b, c, d = values
    minutes, ms = divmod(int(number * step), 60_000)
    text = MESSAGES[number % len(MESSAGES)].format(a=a, b=b, c=c, d=d)
    level = LEVELS[number * 7 % len(LEVELS)]
    clock = f"2026-03-01 {minutes // 60:02d}:{minutes % 60:02d}:{ms // 1000:02d},{ms % 1000:03d}"
    return f"{clock} {level} [exec-{number % 64}] shop.Orders - {text} trace_id={trace}\n"


def write_mixed(path: Path, samples: list[str], lines: int) -> None:
    """Write sample lines over and over, with new numbers behind their times."""
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, lines, PART):
            rows = range(first, min(first + PART, lines))
            part = [samples[k % len(samples)] for k in rows]
            tails = with_new_numbers([line[HEAD:] for line in part], seed=first)
            file.writelines(
                f"{line[:HEAD]}{tail}\n" for line, tail in zip(part, tails, strict=True)
            )


def samples_of(folder: Path | None) -> list[str]:
    """Return the lines of every ``<System>/*.log`` in turn, or those made up here."""
    if folder is None:
        return list(FORMS)
    logs = [
        path.read_text(encoding="utf-8", errors="replace").split("\n")[:2000]
        for path in sorted(folder.glob("*/*.log"))
    ]
    return [log[k] for k in range(2000) for log in logs if k < len(log)]


def mine(path: Path) -> dict[str, float]:
    """Read and mine a log as a diagnosis does; lines a CPU second, and the peak of memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    source = LogFileSource({"shop": (path,)}, log_tz=UTC)
    middle = START + SPAN * 0.7
    ever = Window(start=datetime(1990, 1, 1, tzinfo=UTC), end=middle)
    after = Window(start=middle + timedelta(milliseconds=1), end=START + timedelta(days=3650))
    windows = Windows(incident=after, baselines=(ever,))
    if path.name == "service.log":
        after = Window(start=after.start, end=START + SPAN)
        windows = Windows(incident=after, baselines=(Window(start=START, end=middle),))
    miner = LogMiner(windows)
    lines = 0
    for chunk in source.read_logs(LogQuery(windows=windows, max_bytes=1 << 40)):
        miner.add(chunk)
        lines = chunk.file.lines
    digest = miner.digest()
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "lines": lines,
        "records": digest.records_read,
        "templates": len(digest.templates),
        "cpu_seconds": round(seconds, 2),
        "lines_a_cpu_second": round(lines / seconds),
        "peak_mib": round(peak / 1024),
        "of_it_imports_mib": round(before / 1024),
    }


def measure(
    lines: int, data: Path | None, folder: Path, *, huge: bool
) -> Iterator[dict[str, object]]:
    """Make each log and mine it in a process of its own."""
    jobs = [("service.log", lines), ("mixed.log", lines // 4)]
    jobs += [("huge/service.log", 10_000_000)] if huge else []
    for name, count in jobs:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if name.endswith("mixed.log"):
            write_mixed(path, samples_of(data), count)
        else:
            write_service(path, count)
        command = [sys.executable, "-m", "benchmarks.log_speed", "--mine", str(path)]
        threads = {"POLARS_MAX_THREADS": "1"} | os.environ  # as the command line sets it
        ended = subprocess.run(command, check=True, capture_output=True, text=True, env=threads)
        yield {"log": name, "mib": path.stat().st_size >> 20, **json.loads(ended.stdout)}


def main() -> None:
    """Print a line a log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=2_000_000)
    parser.add_argument("--data", type=Path, help="folder with SYSTEM/*.log for the mixed lines")
    parser.add_argument("--dir", type=Path, help="where the logs are made, kept afterwards")
    parser.add_argument("--huge", action="store_true", help="ten million lines too: 1.1 GB on disk")
    parser.add_argument("--mine", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.mine:
        print(json.dumps(mine(args.mine)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.dir or Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        for row in measure(args.lines, args.data, folder, huge=args.huge):
            print(json.dumps(row))


if __name__ == "__main__":
    main()
