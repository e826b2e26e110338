"""The lab end to end: real services, a real fault, a real alert, our diagnosis."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.faults import FAULTS

pytestmark = [pytest.mark.lab, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]


def children_of(pid: int) -> list[int]:
    """Process ids of the children of a process."""
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_live_pool_incident_is_recorded_and_diagnosed(tmp_path: Path) -> None:
    bundle = tmp_path / "incident"
    result = subprocess.run(
        [sys.executable, "-m", "lab", "run", "mysql-connection-pool", "--out", bundle],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    alert = json.loads((bundle / "alert.json").read_text())
    truth = FAULTS["mysql-connection-pool"].truth
    assert alert["commonLabels"]["alertname"] == truth.main_alert
    assert alert["commonLabels"]["service"] == truth.entity


def test_a_killed_runner_leaves_no_process_behind() -> None:
    # Below /tmp, because socket paths are limited to 107 characters.
    folder = Path(f"/tmp/lab-kill-{os.getpid()}")  # noqa: S108
    runner = subprocess.Popen(
        [sys.executable, "-m", "lab", "capture", "healthy", folder],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert runner.stdout is not None
    try:
        assert "ready" in runner.stdout.readline()
        children = children_of(runner.pid)
        assert len(children) == 7
    finally:
        runner.send_signal(signal.SIGKILL)
        runner.wait()
        runner.stdout.close()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < end:
        time.sleep(0.1)
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []
    shutil.rmtree(folder)


def test_ten_healthy_windows_have_no_cause() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "lab", "healthy"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(result.stdout.splitlines()) == 10
