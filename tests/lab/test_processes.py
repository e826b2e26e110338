"""Child processes of the lab."""

from pathlib import Path

import pytest

from lab.processes import spawn, stop_all


def test_niceness_is_that_of_the_session_too(tmp_path: Path) -> None:
    if not Path("/proc/self/autogroup").exists():
        pytest.skip("this kernel does not group processes by session")
    process = spawn("sleeper", ["sleep", "30"], output=tmp_path / "output.txt", nice=7)
    try:
        group = Path(f"/proc/{process.popen.pid}/autogroup").read_text()
        assert group.split()[-2:] == ["nice", "7"]
    finally:
        stop_all([process])
