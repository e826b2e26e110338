"""A stored session gives the same bytes again: without network, sources, or the same threads."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import superbizagent
import variants
from diagnosing import diagnose
from superbizagent.cli.app import run

GOLDEN = Path(__file__).parent / "golden.session"
RENEW = "if the report changed on purpose: python tools/make_golden.py"


def replay(target: str, data: Path, *, threads: int, offline: bool) -> str:
    """Run ``superbiz replay`` in a process of its own and return what it prints."""
    command = [sys.executable, "-m", "superbizagent", "replay", target]
    if offline:
        command = ["unshare", "--net", *command]
    environment = os.environ | {
        "SUPERBIZ_DATA_DIR": str(data),
        "XDG_CONFIG_HOME": str(data),
        "POLARS_MAX_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def may_cut_the_network() -> bool:
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_committed_session_replays_to_its_bytes(tmp_path: Path, threads: int) -> None:
    said = replay(str(GOLDEN), tmp_path, threads=threads, offline=False)
    assert said.startswith("same bytes: "), f"{said}\n{RENEW}"


def test_committed_session_is_intact(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["trace", "verify", str(GOLDEN)])
    assert ended.value.code == 0, f"{capsys.readouterr().out}\n{RENEW}"


def test_replay_needs_no_network_and_no_sources(tmp_path: Path) -> None:
    if not may_cut_the_network():
        if os.environ.get("CI"):
            pytest.fail("unshare --net is not allowed here")
        pytest.skip("unshare --net is not allowed here")
    folder = variants.copy(variants.POOL, tmp_path / "incident")
    variants.thinned(folder, 30)
    data = tmp_path / "data"
    digest = diagnose(folder, data, session_id="s").session.report_digest
    shutil.rmtree(folder)
    said = replay("s", data, threads=1, offline=True)
    assert said.startswith(f"same bytes: {digest}"), said


def test_other_version_is_named_and_the_stored_report_stays_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = variants.copy(variants.POOL, tmp_path / "incident")
    variants.thinned(folder, 60)
    written = diagnose(folder, tmp_path / "data", session_id="s").session.final_report
    monkeypatch.setenv("SUPERBIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own = tmp_path / "config" / "superbizagent" / "skills" / "diagnose-mysql-connection-pool"
    packaged = Path(superbizagent.__file__).parent / "skills" / "playbooks" / own.name
    shutil.copytree(packaged, own)
    checks = own / "checks.yaml"
    checks.write_text(checks.read_text().replace("fault_kind: pool_exhaustion", "fault_kind: cpu"))
    with pytest.raises(SystemExit) as ended:
        run(["replay", "s"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert "playbook:diagnose-mysql-connection-pool: recorded sha256:" in said
    with pytest.raises(SystemExit):
        run(["replay", "s", "--markdown"])
    assert capsys.readouterr().out.rstrip("\n") == (written or "").rstrip("\n")
