"""``kill -9`` of server and worker in the middle of many sessions: are the reports the same?

Queues sessions twice, in two folders. One service is left alone; of the other, server and worker
are killed in turn at random moments and started again. Then every session is compared with its
undisturbed twin: status, report bytes, evidence, judgement; and each record is verified.

    python -m benchmarks.crash --sessions 50 --kills 12 --seed 1
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.served import Ended, Served, ended_of, new_sessions, opened, put, same_key

__all__ = ["Result", "run"]

_LATEST = 1.5
"""Seconds to the next kill at most, counted from where the worker has a session in hand."""

_STARTING = 0.2
"""Share of the kills that are counted from the start of the process instead."""

_LONGEST_START_SECONDS = 30.0

_LONGEST_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Result:
    """What came out."""

    sessions: int
    server_kills: int
    worker_kills: int
    taken_over: int
    """How often a process went on with what another one had begun."""
    statuses: dict[str, int]
    differences: tuple[str, ...]
    """``session: field`` of everything that is not as in the undisturbed twin."""
    damaged: tuple[str, ...]
    """What verifying found."""
    left_in_queue: int
    exit_codes: tuple[int, ...]
    undisturbed_seconds: float
    killed_seconds: float

    @property
    def good(self) -> bool:
        """Kills hit sessions, every report is there and equal, nothing is lost or damaged."""
        found = self.differences or self.damaged or self.left_in_queue or any(self.exit_codes)
        ended = self.statuses == {"completed": self.sessions}
        return ended and not found and self.taken_over > 0


async def run(folder: Path, sessions: int, kills: int, seed: int) -> Result:
    """Run both twins in subfolders of ``folder``, one after the other."""
    quiet, loud = folder / "undisturbed", folder / "killed"
    same_key(quiet, loud)
    service = Served(quiet)
    await put(quiet, new_sessions(sessions))
    service.start()
    undisturbed = await service.idle(_LONGEST_SECONDS)
    codes = [service.stop()]
    await put(loud, new_sessions(sessions))
    service = Served(loud)
    began = time.monotonic()
    killed = await _killed(service, kills, random.Random(seed))  # noqa: S311 - to be made again
    await service.idle(_LONGEST_SECONDS)
    seconds = time.monotonic() - began
    codes.append(service.stop())
    expected, found = await ended_of(quiet), await ended_of(loud)
    async with opened(loud) as storage, storage.database.read() as connection:
        query = "SELECT coalesce(sum(attempt - 1), 0) FROM session_claim"
        taken = (await connection.exec_driver_sql(query)).scalar_one()
        rows = await connection.exec_driver_sql("SELECT count(*) FROM session_queue")
        left = rows.scalar_one()
    return Result(
        sessions=sessions,
        server_kills=killed["server"],
        worker_kills=killed["worker"],
        taken_over=taken,
        statuses=dict(Counter(one.status.value for one in found.values())),
        differences=tuple(_differences(expected, found)),
        damaged=tuple(f"{k}: {p}" for k, one in sorted(found.items()) for p in one.problems),
        left_in_queue=left,
        exit_codes=tuple(codes),
        undisturbed_seconds=round(undisturbed, 1),
        killed_seconds=round(seconds, 1),
    )


async def _killed(service: Served, kills: int, rng: random.Random) -> Counter[str]:
    """Kill server and worker in turn, so often, while there is something to do."""
    done: Counter[str] = Counter()
    service.start()
    while done.total() < kills:
        if rng.random() >= _STARTING:
            await _at_work(service)
        await asyncio.sleep(rng.uniform(0, _LATEST))
        if done["server"] > done["worker"]:
            done["worker"] += service.kill_worker()
        else:
            service.kill_server()
            done["server"] += 1
            service.start()
    return done


async def _at_work(service: Served) -> None:
    """Wait until the worker has a session in hand, or there is none left."""
    query = "SELECT count(*) FROM session_claim WHERE owner LIKE ?"
    async with asyncio.timeout(_LONGEST_START_SECONDS), opened(service.data) as storage:
        while await storage.queue.length():
            async with storage.database.read() as connection:
                found = await connection.exec_driver_sql(query, (f"%/{service.worker()}/%",))
                if found.scalar_one():
                    return
            await asyncio.sleep(0.02)


def _differences(expected: dict[str, Ended], found: dict[str, Ended]) -> list[str]:
    missing = [f"{name}: missing" for name in sorted(expected.keys() - found.keys())]
    more = [f"{name}: not queued" for name in sorted(found.keys() - expected.keys())]
    return [*missing, *more] + [
        f"{name}: {field.name}"
        for name in sorted(expected.keys() & found.keys())
        for field in fields(Ended)
        if getattr(expected[name], field.name) != getattr(found[name], field.name)
    ]


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.crash")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(run(Path(folder), asked.sessions, asked.kills, asked.seed))
    for field in fields(Result):
        value = getattr(result, field.name)
        print(f"{field.name.replace('_', ' '):<22}{json.dumps(value, ensure_ascii=False)}")
    print("equal to their undisturbed twins" if result.good else "NOT equal")
    return int(not result.good)


if __name__ == "__main__":
    raise SystemExit(_main())
