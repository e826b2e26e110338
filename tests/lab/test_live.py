"""The lab end to end: real services, a real fault, a real alert, our diagnosis."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from lab.faults import Setting, fault_of
from lab.names import names_of
from lab_bundles import assert_untold, metrics
from superbizagent.cli.measuring import measure_alone
from superbizagent.evaluation.incidents import cases_below, score_incidents
from superbizagent.evaluation.truth import read_truth

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
    truth = fault_of("mysql-connection-pool").truth
    assert alert["commonLabels"]["alertname"] in truth.main_alerts
    assert alert["commonLabels"]["service"] == truth.entities[0].name


def test_a_live_row_lock_is_recorded_under_names_of_its_own(tmp_path: Path) -> None:
    bundle = tmp_path / "set" / "case"
    bundle.parent.mkdir()
    result = subprocess.run(
        [
            sys.executable, "-m", "lab", "record", "row-lock", "--seed", "5", "--out", bundle,
            "--minutes", "2.5", "--after", "15",
        ],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert_untold(bundle)
    names = names_of(5)
    alert = json.loads((bundle / "alert.json").read_text())["alerts"][0]
    truth = fault_of("row-lock", Setting(names=names, seed=5)).truth
    assert alert["labels"]["alertname"] in truth.main_alerts
    [fault] = read_truth(bundle).faults
    assert fault.is_of(f"//database/{names.database}")
    waits = metrics(bundle).filter(
        pl.col("name") == "mysql_global_status_innodb_row_lock_current_waits"
    )["value"]
    assert (waits >= 2).any()
    [scored] = score_incidents(list(cases_below([bundle])), measure_alone)
    assert scored.outcome is not None, scored.problem
    assert scored.outcome.ranking


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
