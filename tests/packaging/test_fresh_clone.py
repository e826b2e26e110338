"""A stranger's first minute: clone, `make demo`."""

import os
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SET_UP_SECONDS = 60
"""The longest that clone to diagnosis may take on two cores."""
DEMO_SECONDS = 3
"""The longest that the demo may take when everything is there."""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_make_demo_in_a_fresh_clone(tmp_path: Path) -> None:
    clone = tmp_path / "a clone"
    cloned = subprocess.run(
        ["git", "clone", "--quiet", ROOT, clone], capture_output=True, text=True, check=False
    )
    if cloned.returncode:
        pytest.skip("not a git checkout: nothing to clone")
    # Nothing of the caller's but where packages already fetched are kept, to spare the index.
    home = Path.home()
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(home / ".cache" / "pip")),
        "LANG": "C.UTF-8",
    }

    def demo() -> tuple[str, float]:
        started = time.monotonic()
        done = subprocess.run(
            ["make", "demo"], cwd=clone, env=env, capture_output=True, text=True, check=False
        )
        if done.returncode and "could not install the packages" in done.stderr:
            assert "CI" not in os.environ, done.stderr
            pytest.skip("the packages of requirements.lock cannot be fetched from here")
        assert done.returncode == 0, done.stderr
        return done.stdout, time.monotonic() - started

    output, seconds = demo()
    assert "order-service: connection pool exhausted" in output
    assert "root cause found" in output
    assert "[E" in output
    assert seconds < SET_UP_SECONDS
    # The best of three, because the rest of the suite runs beside it.
    again = [demo() for _ in range(3)]
    assert all("[E" in output for output, _ in again)
    assert min(seconds for _, seconds in again) < DEMO_SECONDS

    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
