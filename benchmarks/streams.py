"""A thousand people watch: memory, CPU and delay of open event streams.

    python -m benchmarks.streams [--streams 1000]

A real `superbiz serve` on a recorded incident. Its worker is held while the streams are opened, so
that all of them wait for one session; then it goes on, and each client notes when each event came.
The delay is from the moment that an entry was recorded to the moment at which a client has it.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import time
from pathlib import Path

import httpx2

from benchmarks.service import Service, serving

ROOT = Path(__file__).parents[1]
_IDLE_SECONDS = 10.0
_OPEN_AT_ONCE = 50
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print one line of JSON."""
    parser = argparse.ArgumentParser(description="Measure open event streams.")
    parser.add_argument("--streams", type=int, default=1000)
    args = parser.parse_args()
    with serving(ROOT / "examples" / "mysql-connection-pool") as service:
        url = f"http://127.0.0.1:{service.port}"
        print(json.dumps(asyncio.run(_measure(url, service, args.streams))))


async def _measure(url: str, service: Service, streams: int) -> dict[str, float | int]:
    limits = httpx2.Limits(max_connections=streams + 10, max_keepalive_connections=10)
    async with httpx2.AsyncClient(
        base_url=url, timeout=120, trust_env=False, limits=limits
    ) as client:
        pid, worker = service.process.pid, service.worker
        if worker is None:
            raise SystemExit("the service has no worker")
        os.kill(worker, signal.SIGSTOP)
        before = _rss(pid)
        asking = asyncio.create_task(
            client.post("/api/chat", json={"Id": "watched", "Question": "why is it slow?"})
        )
        await asyncio.sleep(1)
        delays: list[float] = []
        room, opened = asyncio.Semaphore(_OPEN_AT_ONCE), asyncio.Semaphore(0)
        watching = [
            asyncio.create_task(_watch(client, room, opened, delays)) for _ in range(streams)
        ]
        for _ in range(streams):
            await opened.acquire()
        after, spent = _rss(pid), _cpu(pid)
        await asyncio.sleep(_IDLE_SECONDS)
        idle = (_cpu(pid) - spent) / _IDLE_SECONDS
        os.kill(worker, signal.SIGCONT)
        ended = sum(await asyncio.gather(*watching))
        await asking
    delays.sort()
    return {
        "streams": streams,
        "ended_with_done": ended,
        "rss_mib_before": before,
        "rss_mib_with_streams": after,
        "kib_a_stream": round((after - before) * 1024 / streams, 1),
        "cpu_share_while_nothing_happens": round(idle, 3),
        "events": len(delays),
        "delay_p50_ms": round(statistics.median(delays) * 1000),
        "delay_p99_ms": round(delays[int(len(delays) * 0.99)] * 1000),
    }


async def _watch(
    client: httpx2.AsyncClient,
    room: asyncio.Semaphore,
    opened: asyncio.Semaphore,
    delays: list[float],
) -> bool:
    """Follow the session to its end; tell whether it ended as it should."""
    await room.acquire()
    done = False
    async with client.stream("GET", "/api/traces/watched/events") as answer:
        room.release()
        opened.release()
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                done = done or line == "event: done"
            elif line.startswith("id: "):
                delays.append(time.time() - int(line[4:].partition("-")[0]) / 1e6)
    return done


def _rss(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024**2


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()
