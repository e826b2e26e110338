"""One worker process beside the service: started, woken, started again when it dies."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from superbizagent.telemetry import get_logger

__all__ = ["WorkerProcess"]

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
"""Seconds before a worker that died is started again; twice as long each time."""

_LIVED_SECONDS = 60.0
"""A worker that lived so long died of something new."""


class WorkerProcess:
    """Keeps a worker running while the block lasts.

    The child is a fresh process, not a fork: locks and threads of the service are not its own. It
    ends when its standard input does, so it never outlives a service that was killed, and it has a
    session of its own, so that an interrupt at the terminal reaches it through us alone.

    Args:
        drain_seconds: how long it may take to end.
        recording: what it diagnoses from instead of live systems, if anything.
    """

    def __init__(self, drain_seconds: float, recording: Path | None = None) -> None:
        self._drain_seconds = drain_seconds
        self._arguments = ("--recording", str(recording.absolute())) if recording else ()
        self._process: Process | None = None
        self._watching: asyncio.Task[None] | None = None
        self._log = get_logger("service")

    async def __aenter__(self) -> Self:
        self._process = await _start(self._arguments)
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()  # it ends what runs; the end of its input would tell it to hurry
        try:
            await asyncio.wait_for(process.wait(), self._drain_seconds + 5)
        except TimeoutError:
            process.kill()
            await process.wait()

    @property
    def pid(self) -> int | None:
        """Process id of the worker, None while there is none."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    def wake(self) -> None:
        """Tell the worker that something was queued."""
        process = self._process
        if process is not None and process.stdin is not None and process.returncode is None:
            with suppress(OSError, RuntimeError):
                process.stdin.write(b"\n")

    async def _watch(self) -> None:
        wait = _FIRST_WAIT
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            assert self._process is not None  # noqa: S101 - set before this task starts
            code = await self._process.wait()
            if loop.time() - began > _LIVED_SECONDS:
                wait = _FIRST_WAIT
            self._log.error("the worker died and is started again", exit_code=code, seconds=wait)
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)
            try:
                self._process = await _start(self._arguments)
            except OSError as error:  # no memory, no process left: asked again, ever more slowly
                self._log.error("the worker cannot be started", error=str(error))


async def _start(arguments: Sequence[str]) -> Process:
    return await asyncio.create_subprocess_exec(
        # -P: a file of the folder that we run in must not pass for a module.
        *(sys.executable, "-P", "-m", "superbizagent", "worker", "--child", *arguments),
        stdin=PIPE,
        start_new_session=True,
    )
