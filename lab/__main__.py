"""Command line of the lab.

``python -m lab`` runs a whole live incident: fault, alert, recording, diagnosis. ``healthy``
diagnoses ten healthy windows. ``capture`` runs a scenario at production-like intervals and keeps
its raw data, of which ``cut`` makes a bundle. ``record`` makes one incident of a recorded set:
a seed draws the names, the load and the strength of the fault.
"""

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Coroutine
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from lab import bundles, scenarios, trials
from lab.faults import FAULTS, Setting, fault_of
from lab.load import Noise
from lab.names import names_of
from lab.processes import ProcessError
from lab.stack import Stack
from lab.timing import RECORD

_HEALTHY = "healthy"
_HEALTHY_BUNDLE = Path(__file__).resolve().parent.parent / "examples" / "healthy"


def _say(text: str) -> None:
    print(text, flush=True)


async def _run(args: argparse.Namespace) -> None:
    setting = Setting(names=names_of(args.seed), seed=args.seed)
    await trials.live_incident(fault_of(args.fault, setting), setting, args.out, _say)


async def _record(args: argparse.Namespace) -> None:
    setting = Setting(names=names_of(args.seed), seed=args.seed)
    pace = scenarios.Pace(
        baseline_seconds=args.minutes * 60,
        after_alert_seconds=args.after,
        seed=args.seed,
        rate=setting.between(7, 11, 8),
        noise=Noise(),
        nice=args.nice,
        upkeep=args.upkeep,
        decoy=_decoy(args.scenario, setting) if args.decoy else "",
    )
    if args.scenario == _HEALTHY:
        await trials.record_healthy(setting, pace, args.out, _say)
    else:
        fault = fault_of(args.scenario, setting, also=args.also)
        await trials.record_incident(fault, setting, pace, args.out, _say)


async def _windows(args: argparse.Namespace) -> None:
    cases = bundles.write_windows(
        args.recording, args.first, count=args.count, length=timedelta(minutes=args.minutes)
    )
    _say(f"{len(cases)} cases, {cases[0]} to {cases[-1].name}")


def _decoy(scenario: str, setting: Setting) -> str:
    """Return a service that has nothing to do with the fault."""
    concerned = {cause.name for cause in fault_of(scenario, setting).truth.entities}
    return next(name for name in setting.names.services if name not in concerned)


async def _healthy(args: argparse.Namespace) -> None:
    _, end = bundles.recorded_span(args.bundle)
    length = timedelta(minutes=args.minutes)
    start = end - args.count * length
    await asyncio.to_thread(
        trials.quiet_windows, args.bundle, start=start, length=length, count=args.count, say=_say
    )


async def _capture(args: argparse.Namespace) -> None:
    pace = scenarios.Pace(
        baseline_seconds=args.minutes * 60,
        after_alert_seconds=360.0,
        fault_seconds=440.0,
        noise=Noise(),
    )
    async with Stack(args.folder, RECORD, nice=args.nice) as stack:
        _say(f"ready after {stack.ready_seconds:.1f} s, Prometheus at {stack.prometheus_url}")
        if args.scenario == _HEALTHY:
            await scenarios.quiet(stack, replace(pace, seed=11))
            return
        timeline = await scenarios.incident(stack, fault_of(args.scenario), pace)
        _say(f"the alert came {timeline.alerted_at - timeline.injected_at:.1f} s after the fault")


async def _cut(args: argparse.Namespace) -> None:
    _say(await bundles.cut_finished_run(args.folder, args.out))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab", description="Real services with faults.")
    parser.set_defaults(work=_run, fault=next(iter(FAULTS)), out=None, seed=None)
    commands = parser.add_subparsers()
    run = commands.add_parser("run", help="fault, alert, recording and diagnosis (the default)")
    run.add_argument("fault", nargs="?", choices=[*FAULTS], default=next(iter(FAULTS)))
    run.add_argument("--seed", type=int, help="of names and strength; without it the usual ones")
    run.add_argument("--out", type=Path, help="keep the bundle in this folder")
    healthy = commands.add_parser(_HEALTHY, help="diagnose healthy windows; none may have a cause")
    healthy.add_argument("bundle", nargs="?", type=Path, default=_HEALTHY_BUNDLE)
    healthy.add_argument("--count", type=int, default=10, help="number of windows")
    healthy.add_argument("--minutes", type=float, default=3.0, help="length of a window")
    healthy.set_defaults(work=_healthy)
    _set_parsers(commands)
    capture = commands.add_parser("capture", help="run a scenario and keep its raw data")
    capture.add_argument("scenario", choices=[*FAULTS, _HEALTHY])
    capture.add_argument("folder", type=Path)
    capture.add_argument("--minutes", type=float, default=20.0, help="healthy time")
    capture.add_argument("--nice", type=int, default=0, help="added to the processes' niceness")
    capture.set_defaults(work=_capture)
    cut = commands.add_parser("cut", help="make a bundle of a captured run")
    cut.add_argument("folder", type=Path)
    cut.add_argument("out", type=Path)
    cut.set_defaults(work=_cut)
    return parser


def _set_parsers(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    record = commands.add_parser("record", help="record one incident of a set")
    record.add_argument("scenario", choices=[*FAULTS, _HEALTHY])
    record.add_argument("--seed", type=int, required=True, help="of names, load and strength")
    record.add_argument("--out", type=Path, required=True, help="folder of the bundle")
    record.add_argument("--minutes", type=float, default=7.0, help="healthy time")
    record.add_argument("--after", type=float, default=45.0, help="seconds after the alert")
    record.add_argument("--decoy", action="store_true", help="deploy another service before it")
    record.add_argument("--upkeep", action="store_true", help="healthy: batches, restarts, deploys")
    record.add_argument("--also", choices=[*FAULTS], default="", help="a second fault with it")
    record.add_argument("--nice", type=int, default=0, help="added to the processes' niceness")
    record.set_defaults(work=_record)
    windows = commands.add_parser("windows", help="make cases of a recorded healthy time")
    windows.add_argument("recording", type=Path)
    windows.add_argument("--first", type=int, default=1, help="number of the first case")
    windows.add_argument("--count", type=int, default=6, help="number of cases")
    windows.add_argument("--minutes", type=float, default=3.0, help="length of a window")
    windows.set_defaults(work=_windows)


async def _interruptible(work: Coroutine[Any, Any, None]) -> None:
    """Run `work`; SIGTERM and SIGINT cancel it, so that the stack is stopped in order."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    await task


def main() -> int:
    """Run one command; return the exit code."""
    args = _parser().parse_args()
    try:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(_interruptible(args.work(args)))
            return 0
    except (ProcessError, trials.TrialError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    return 130


if __name__ == "__main__":
    sys.exit(main())
