"""A stranger's first minute: clone, `make demo`."""

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.processes import Usage, measure

ROOT = Path(__file__).resolve().parents[2]

SET_UP_SECONDS = 60
"""The longest that clone to diagnosis may take on two cores."""
SET_UP_CPU_SECONDS = 40
"""CPU time of the same, which holds however busy the machine is; 20 is usual."""
DEMO_SECONDS = 3
"""The longest that the demo may take when everything is there."""


def is_quiet() -> bool:
    """Whether wall time tells about us: others leave half of the machine's time."""
    return os.getloadavg()[0] <= 2 * (os.cpu_count() or 1)


@pytest.mark.slow
@pytest.mark.timeout(400)
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

    def demo() -> Usage:
        usage = measure(["make", "demo"], cwd=clone, env=env)
        if usage.status and "could not install the packages" in usage.output:
            assert "CI" not in os.environ, usage.output
            pytest.skip("the packages of requirements.lock cannot be fetched from here")
        assert usage.status == 0, usage.output
        assert "order-service: connection pool exhausted" in usage.output
        assert "root cause found" in usage.output
        assert "[E" in usage.output
        return usage

    first = demo()
    assert first.cpu_seconds < SET_UP_CPU_SECONDS
    # The best of three, because the rest of the suite runs beside it.
    again = [demo() for _ in range(3)]
    assert min(usage.cpu_seconds for usage in again) < DEMO_SECONDS
    if is_quiet():
        assert first.wall_seconds < SET_UP_SECONDS
        assert min(usage.wall_seconds for usage in again) < DEMO_SECONDS

    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
