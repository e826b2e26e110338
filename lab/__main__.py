"""Command line of the lab.

`python -m lab capture SCENARIO FOLDER` runs a scenario at production-like intervals and leaves the
raw data in FOLDER.
"""

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from lab import scenarios
from lab.faults import FAULTS
from lab.load import Noise
from lab.processes import ProcessError
from lab.stack import Stack
from lab.timing import RECORD

_HEALTHY = "healthy"


async def _capture(scenario: str, folder: Path, *, minutes: float, nice: int) -> None:
    async with Stack(folder, RECORD, nice=nice) as stack:
        print(
            f"ready in {stack.ready_seconds:.1f} s, Prometheus at {stack.prometheus_url}",
            flush=True,
        )
        if scenario == _HEALTHY:
            await scenarios.quiet(stack, seconds=minutes * 60, noise=Noise())
            return
        timeline = await scenarios.incident(
            stack,
            FAULTS[scenario],
            scenarios.Pace(
                baseline_seconds=minutes * 60,
                after_alert_seconds=360.0,
                fault_seconds=440.0,
                noise=Noise(),
            ),
        )
        print(
            f"alert {timeline.alerted_at - timeline.injected_at:.1f} s after injection", flush=True
        )


async def _interruptible(work: Coroutine[Any, Any, None]) -> None:
    """Run `work`; SIGTERM and SIGINT cancel it, so that the stack is stopped in order."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    await task


def main() -> int:
    """Run one command; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab", description="Real services with faults.")
    commands = parser.add_subparsers(dest="command", required=True)
    capture = commands.add_parser("capture", help="run a scenario and keep its raw data")
    capture.add_argument("scenario", choices=[*FAULTS, _HEALTHY])
    capture.add_argument("folder", type=Path)
    capture.add_argument("--minutes", type=float, default=20.0, help="healthy time")
    capture.add_argument("--nice", type=int, default=0, help="niceness of the processes")
    args = parser.parse_args()
    try:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(
                _interruptible(
                    _capture(args.scenario, args.folder, minutes=args.minutes, nice=args.nice)
                )
            )
            return 0
    except ProcessError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    return 130


if __name__ == "__main__":
    sys.exit(main())
