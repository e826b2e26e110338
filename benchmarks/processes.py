"""CPU time and memory of a finished child process, as the kernel counted them.

CPU time is used instead of wall time because it holds on a machine that others use too.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Usage", "least_cpu_seconds", "measure"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run of a command took."""

    status: int
    """Exit code; negative for a signal."""
    cpu_seconds: float
    """User and system time of the process and of the children it waited for."""
    wall_seconds: float
    max_rss_bytes: int
    """The largest resident memory of the process itself."""
    output: str
    """Standard output and standard error, in the order in which they came."""


def measure(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Usage:
    """Run `command` to its end.

    Args:
        command: program and arguments.
        cwd: the folder to run in; None: this one.
        env: the whole environment; None: this one.
    """
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        # wait4 and not wait: only the kernel's own count is exact, and it is lost after wait().
        _, status, usage = os.wait4(process.pid, 0)
        wall_seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Usage(
        status=process.returncode,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        wall_seconds=wall_seconds,
        max_rss_bytes=usage.ru_maxrss * 1024,
        output=text,
    )


def least_cpu_seconds(command: Sequence[str], *, runs: int) -> float:
    """The least CPU time of `runs` runs, in seconds: what the command costs undisturbed.

    Raises:
        RuntimeError: when a run fails.
    """
    usages = [measure(command) for _ in range(runs)]
    for usage in usages:
        if usage.status:
            raise RuntimeError(f"{' '.join(command)} ended with {usage.status}: {usage.output}")
    return min(usage.cpu_seconds for usage in usages)
