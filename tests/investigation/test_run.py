"""What a run leaves beside its report."""

from pathlib import Path

import pytest

import variants
from diagnosing import diagnose


def test_log_lines_of_a_run_carry_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def fails(*_: object) -> None:
        raise RuntimeError("cannot judge")

    monkeypatch.setattr("superbizagent.investigation.finalise._judged", fails)
    finished = diagnose(variants.POOL, tmp_path / "data", session_id="case-7")
    assert finished.session.final_report
    (line,) = [text for text in capfd.readouterr().err.splitlines() if "not_judged" in text]
    assert "session_id=case-7" in line
