"""Child processes of the lab: free ports, spawn, readiness, ordered stop.

Every child dies with the runner, even when the runner is killed with SIGKILL: the kernel sends the
child SIGTERM when its parent goes, so a broken run leaves nothing behind.
"""

import asyncio
import contextlib
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

__all__ = ["Process", "ProcessError", "free_ports", "spawn", "stop_all", "wait_http", "wait_until"]

_STOP_SECONDS = 10.0
_DIES_WITH_PARENT = ("setpriv", "--pdeathsig", "TERM")


class ProcessError(RuntimeError):
    """A process of the lab did not start, ended early, or did not become ready in time."""


@dataclass(frozen=True, kw_only=True)
class Process:
    """One running child and the file that holds its output."""

    name: str
    popen: subprocess.Popen[bytes]
    output: Path

    def check_running(self) -> None:
        """Raise `ProcessError` with the last lines of output when the process has ended."""
        code = self.popen.poll()
        if code is None:
            return
        tail = self.output.read_text(errors="replace").splitlines()[-8:]
        raise ProcessError(f"{self.name} ended with code {code}:\n" + "\n".join(tail))


def free_ports(count: int) -> list[int]:
    """Return `count` distinct loopback ports that are free at the time of the call."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(count)]
    try:
        for sock in sockets:
            sock.bind(("127.0.0.1", 0))
        return [int(sock.getsockname()[1]) for sock in sockets]
    finally:
        for sock in sockets:
            sock.close()


def spawn(
    name: str,
    command: Sequence[str | Path],
    *,
    output: Path,
    cwd: Path | None = None,
    nice: int = 0,
) -> Process:
    """Start a child in a session of its own, with stdout and stderr appended to `output`.

    Args:
        name: Shown in errors.
        command: Program and arguments; never passed through a shell.
        output: File that receives both output streams.
        cwd: Working folder of the child.
        nice: Added to the child's niceness; negative values need the right to do so.
    """
    priority = ("nice", "-n", str(nice)) if nice else ()
    with output.open("ab") as stream:
        popen = subprocess.Popen(
            [*_DIES_WITH_PARENT, *priority, *(str(part) for part in command)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            start_new_session=True,
        )
    if nice:
        _favour_session(popen.pid, nice)
    return Process(name=name, popen=popen, output=output)


def _favour_session(pid: int, nice: int) -> None:
    """Give the child's session the niceness: among themselves, sessions do not go by processes'."""
    with contextlib.suppress(OSError):  # a kernel that does not group by session, or no right to it
        Path(f"/proc/{pid}/autogroup").write_text(str(nice))


async def wait_until(
    what: str,
    probe: Callable[[], Awaitable[bool]],
    *,
    deadline_seconds: float,
    process: Process | None = None,
) -> None:
    """Call `probe` until it returns true; raise `ProcessError` at the deadline or an early end."""
    end = time.monotonic() + deadline_seconds
    while not await probe():
        if process is not None:
            process.check_running()
        if time.monotonic() > end:
            raise ProcessError(f"{what} did not happen within {deadline_seconds:g} s")
        await asyncio.sleep(0.1)


async def wait_http(url: str, *, process: Process, deadline_seconds: float = 30.0) -> None:
    """Wait until `url` answers with a status below 400."""
    async with httpx2.AsyncClient(timeout=2.0, trust_env=False) as client:

        async def answers() -> bool:
            try:
                response = await client.get(url)
            except httpx2.HTTPError:
                return False
            return response.status_code < 400

        await wait_until(
            f"{process.name} ready", answers, deadline_seconds=deadline_seconds, process=process
        )


def stop_all(processes: Sequence[Process]) -> None:
    """Stop the processes one by one in the given order, with SIGTERM and at last SIGKILL."""
    for process in processes:
        if process.popen.poll() is not None:
            continue
        process.popen.terminate()
        try:
            process.popen.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.popen.kill()
            process.popen.wait()
