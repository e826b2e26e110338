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

from lab.faults import Setting, fault_of
from lab.names import names_of
from lab_bundles import assert_untold, metrics
from superbizagent.evaluation.truth import read_truth

pytestmark = [pytest.mark.lab, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]


def children_of(pid: int) -> list[int]:
    """Process ids of the children of a process."""
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize(("name", "seed"), [("mysql-connection-pool", None), ("row-lock", 5)])
def test_a_live_fault_is_recorded_and_diagnosed(
    name: str, seed: int | None, tmp_path: Path
) -> None:
    bundle = tmp_path / "incident"
    seeded = [] if seed is None else ["--seed", str(seed)]
    # The runner compares the diagnosis with what it did, and fails when they differ.
    result = subprocess.run(
        [sys.executable, "-m", "lab", "run", name, *seeded, "--out", bundle],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert_untold(bundle)
    setting = Setting(names=names_of(seed), seed=seed)
    truth = fault_of(name, setting).truth
    alert = json.loads((bundle / "alert.json").read_text())["commonLabels"]
    assert alert["alertname"] in truth.main_alerts
    [fault] = read_truth(bundle).faults
    assert fault.is_of(f"//{truth.entities[0].kind}/{truth.entities[0].name}")
    assert f'"job":"{setting.names.orders}"' in "".join(metrics(bundle)["labels"].unique())


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
        assert len(children) == 8
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
