"""Run something in a process that is killed (``kill -9``) at a named place.

The work runs in a process of its own, made by a fork server, so nothing of the test's own process
(threads, connections) is in it, and the kill is real: no ``finally``, no ``atexit``, no flush.
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

from superbizagent.storage import crash_points

__all__ = ["KILLED", "places", "run_killed"]

KILLED = -signal.SIGKILL

_CONTEXT = multiprocessing.get_context("forkserver")


def places(work: Callable[..., Awaitable[Any]], *args: Any) -> list[str]:
    """Every place that the work reaches, in order, when nothing stops it."""
    reached: list[str] = []

    async def run() -> None:
        with crash_points.installed(reached.append):
            await work(*args)

    asyncio.run(run())
    return reached


def run_killed(place: str, occurrence: int, work: Callable[..., Awaitable[Any]], *args: Any) -> int:
    """Run the work and kill its process when it reaches ``place`` for the n-th time (from 1).

    An empty ``place`` counts every one.

    Args:
        place: Name of a crash point.
        occurrence: Which time.
        work: A function of a module, so that another process finds it.
        args: What it is called with.

    Returns:
        `KILLED`, or 0 when the work ended before.
    """
    # The server cannot see the tests' folder, but it can pay for the slow imports once.
    _CONTEXT.set_forkserver_preload(["superbizagent.investigation.journal", "aiosqlite"])
    process = _CONTEXT.Process(target=_die_at, args=(place, occurrence, work, args))
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _die_at(
    place: str, occurrence: int, work: Callable[..., Awaitable[Any]], args: tuple[Any, ...]
) -> None:
    left = occurrence

    def hook(name: str) -> None:
        nonlocal left
        left -= name == place or not place
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    async def run() -> None:
        await work(*args)

    with crash_points.installed(hook) if occurrence else nullcontext():
        asyncio.run(run())
