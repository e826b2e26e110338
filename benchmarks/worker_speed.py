"""How fast one worker is, and whether its memory grows.

Queues sessions of the recordings of `examples`, runs a real service over them and reads, every so
many sessions, the time and the resident memory of the worker process.

    python -m benchmarks.worker_speed --sessions 200 --concurrency 2 --every 20
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from benchmarks.served import Served, new_sessions, opened, put

__all__ = ["measured"]


async def measured(
    folder: Path, sessions: int, concurrency: int, every: int
) -> AsyncGenerator[tuple[int, float, float]]:
    """Yield after every so many sessions how many have ended, seconds since the start, and MB."""
    await put(folder, new_sessions(sessions))
    service = Served(folder, {"SUPERBIZ_WORKER__CONCURRENCY": str(concurrency)})
    service.start()
    began, wanted = time.monotonic(), every
    try:
        async with opened(folder) as storage:
            while (left := await storage.queue.length()) or wanted <= sessions:
                if sessions - left >= wanted:
                    yield sessions - left, time.monotonic() - began, _megabytes(service.worker())
                    wanted += every
                await asyncio.sleep(0.2)
    finally:
        service.stop()


def _megabytes(pid: int | None) -> float:
    if pid is None:
        return 0.0
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _show(sessions: int, concurrency: int, every: int) -> None:
    print(f"{'sessions':>8}{'seconds':>9}{'a minute':>10}{'MB':>7}   concurrency {concurrency}")
    with tempfile.TemporaryDirectory() as folder:
        async for done, seconds, size in measured(Path(folder), sessions, concurrency, every):
            print(f"{done:>8}{seconds:>9.1f}{done / seconds * 60:>10.0f}{size:>7.0f}", flush=True)


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.worker_speed")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--every", type=int, default=20)
    asked = parser.parse_args()
    asyncio.run(_show(asked.sessions, asked.concurrency, asked.every))
    return 0


if __name__ == "__main__":
    raise SystemExit(_main())
