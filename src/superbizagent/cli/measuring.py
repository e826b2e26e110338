"""Runs one diagnosis in a process of its own, and tells what it came to and what it took."""

import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from superbizagent.cli.quietly import diagnose_quietly
from superbizagent.errors import SuperbizError
from superbizagent.evaluation.incidents import Outcome, outcome_of

__all__ = ["measure_alone"]

_MOST_SECONDS = 900
"""A diagnosis asks within minutes; whoever takes longer hangs."""
_STATUS = Path("/proc/self/status")
_PEAK = "VmHWM:"
"""Line of `_STATUS`: most memory held, in KiB. The other count that systems keep, of `getrusage`,
begins with what the parent process held."""


def measure_alone(
    folder: Path, arguments: Sequence[str], without: Sequence[str] = ()
) -> Outcome | str:
    """Diagnose a folder in a new process: its memory is its own, and its end is not ours.

    Args:
        folder: the recording.
        arguments: further ones of ``superbiz diagnose``.
        without: names of playbooks that are not used.

    Returns:
        The outcome, or why there is none.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_measure, args=(sender, folder, tuple(arguments), tuple(without))
    )
    process.start()
    sender.close()
    try:
        if not receiver.poll(_MOST_SECONDS):
            process.kill()
            return f"it took longer than {_MOST_SECONDS // 60} minutes"
        found: Outcome | str = receiver.recv()
    except (EOFError, OSError):
        process.join()
        return f"its process ended with code {process.exitcode}"
    finally:
        receiver.close()
        process.join()
    return found


def _measure(
    sender: Connection, folder: Path, arguments: tuple[str, ...], without: tuple[str, ...]
) -> None:
    with sender:
        try:
            examine = diagnose_quietly(without)
            began = time.perf_counter()
            examined = examine(folder, arguments)
            seconds = time.perf_counter() - began
            sender.send(outcome_of(examined, seconds=seconds, peak_bytes=_peak_bytes()))
        except SuperbizError as error:
            sender.send(" ".join(str(error).split()))
        except Exception as error:  # noqa: BLE001 - one broken case is one row, not the end of all
            sender.send(f"{type(error).__name__}: {' '.join(str(error).split())}")


def _peak_bytes() -> int:
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0  # not a system that tells
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(_PEAK)), 0)
