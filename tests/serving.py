"""A real ``superbiz serve`` on a free port, with a data folder of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

__all__ = ["EXAMPLES", "Service", "events_of", "serving"]

EXAMPLES = Path(__file__).parents[1] / "examples"
_START_SECONDS = 30.0


@dataclass
class Service:
    """A running service."""

    url: str
    data: Path
    process: subprocess.Popen[str]
    log: Path

    def client(self, **options: Any) -> httpx2.Client:
        """A client of it."""
        return httpx2.Client(base_url=self.url, timeout=60.0, trust_env=False, **options)

    def worker_pid(self) -> int:
        """Process id of its worker."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return int(children.split()[0])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal and wait for its end; return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)


@contextmanager
def serving(
    data: Path, *arguments: str, recording: str = "mysql-connection-pool", **env: str
) -> Generator[Service]:
    """Serve while the block lasts: from an example, or, without one, from live systems."""
    log = data.with_suffix(f".{time.monotonic_ns()}.log")
    own = {"SUPERBIZ_DATA_DIR": str(data), "XDG_CONFIG_HOME": str(data / "config"), "TZ": "UTC"}
    command = [sys.executable, "-m", "superbizagent", "serve", "--port", "0"]
    if recording:
        command += ["--recording", str(EXAMPLES / recording)]
    command += arguments
    with log.open("w") as stream:
        process = subprocess.Popen(
            command,
            stderr=stream,
            env={**os.environ, **own, **env},
            text=True,
            cwd=data.parent,
        )
    try:
        yield Service(_address(process, log), data, process, log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)


def _address(process: subprocess.Popen[str], log: Path) -> str:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"listening on (\S+)", log.read_text()):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"the service did not start: {log.read_text()}")


def events_of(lines: Iterator[str]) -> Generator[tuple[str, str, Any]]:
    """Yield name, id and decoded data of each event of a stream."""
    name, number, data = "", "", list[str]()
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line and data:
            yield name, number, json.loads("\n".join(data))
            name, number, data = "", "", []
        elif field == "event":
            name = value
        elif field == "id":
            number = value
        elif field == "data":
            data.append(value)
