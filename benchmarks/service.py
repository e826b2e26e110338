"""A real `superbiz serve` with a data folder of its own, and what it came to."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Service", "serving"]

_START_SECONDS = 60


@dataclass(slots=True)
class Service:
    """A running service."""

    process: "subprocess.Popen[str]"
    port: int
    folder: Path

    @property
    def database(self) -> Path:
        """Its database."""
        return self.folder / "superbiz.db"

    @property
    def worker(self) -> int | None:
        """Process id of its worker."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        for children in tasks.glob("*/children"):
            for pid in children.read_text(encoding="ascii").split():
                return int(pid)
        return None

    def peak_mebibytes(self) -> tuple[float, float]:
        """Largest resident memory of the server and of its worker."""
        worker = self.worker
        return _peak(self.process.pid), _peak(worker) if worker else 0.0

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Read from its database."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()

    def number(self, query: str, *values: object) -> int:
        """Read one number from its database."""
        return int(str(self.rows(query, *values)[0][0] or 0))


def _peak(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(found[1]) / 1024 if found else 0.0


@contextmanager
def serving(
    recording: Path | None, folder: Path | None = None, *, port: int = 0, **settings: str
) -> Generator[Service]:
    """Serve while the block lasts.

    Args:
        recording: what is diagnosed from; None: the live systems of the settings.
        folder: its data; None: a temporary one.
        port: where to listen; 0: on a free one.
        settings: further variables of the environment.

    Raises:
        RuntimeError: when it does not start.
    """
    with tempfile.TemporaryDirectory() as temporary:
        data = folder or Path(temporary)
        own = {"SUPERBIZ_DATA_DIR": str(data), "SUPERBIZ_DATABASE_URL": ""}
        environment = {**os.environ, **own, **settings}
        process = subprocess.Popen(
            [sys.executable, "-m", "superbizagent", "serve", "--port", str(port),
             *(("--recording", str(recording)) if recording else ())],
            env=environment,
            cwd=temporary,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        try:
            yield Service(process, _port_of(process), data)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stderr is not None:
                process.stderr.close()


def _port_of(process: "subprocess.Popen[str]") -> int:
    """Read where it listens, and go on reading, so that it never waits for us."""
    lines = process.stderr or ()
    told: list[str] = []
    found = threading.Event()
    port = 0

    def read() -> None:
        nonlocal port
        try:
            for line in lines:
                told.append(line)
                if match := re.search(r"listening on http://\S+:(\d+)", line):
                    port = int(match[1])
                    found.set()
                elif found.is_set():
                    print(f"  service: {line.rstrip()}", file=sys.stderr)
        except ValueError:  # closed meanwhile
            pass
        found.set()

    threading.Thread(target=read, daemon=True).start()
    begun = time.monotonic()
    while not found.wait(0.2):
        if time.monotonic() - begun > _START_SECONDS:
            break
    if not port:
        process.kill()
        raise RuntimeError(f"the service did not start: {''.join(told)}")
    return port
