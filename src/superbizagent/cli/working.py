"""The worker process: builds what it needs, and works until it is told to stop."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from typing import Any

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import load_skills, open_storage, settings_for
from superbizagent.cli.running import run_stored
from superbizagent.domain.session import DiagnosisSession
from superbizagent.settings import Settings
from superbizagent.telemetry import configure_logging
from superbizagent.workers.worker import Worker

__all__ = ["run_worker"]


def run_worker(flags: Mapping[str, Any]) -> int:
    """Work until SIGTERM or SIGINT, or, as a child, until standard input ends."""
    settings = settings_for()
    configure_logging(settings.log_level, json=settings.log_json)
    asyncio.run(_work(settings, child=bool(flags.get("child"))))
    return 0


async def _work(settings: Settings, *, child: bool) -> None:
    skills = load_skills(settings)
    async with open_storage(settings) as storage:

        async def run(session: DiagnosisSession) -> None:
            await run_stored(storage, session, skills, settings)

        worker = Worker(storage, run, SystemClock(), settings.worker)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, worker.stop)
        listening = asyncio.create_task(_listen(worker)) if child else None
        try:
            await worker.work()
        finally:
            if listening is not None:
                listening.cancel()


async def _listen(worker: Worker) -> None:
    """Wake the worker at each line of standard input; its end is the end of our parent."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while await reader.readline():
        worker.wake()
    worker.stop(at_once=True)  # nobody waits for us, and our successor may be there already
