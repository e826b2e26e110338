"""Nobody set logging up: our lines must not get among the output of a command."""

import subprocess
import sys


def test_lines_go_to_standard_error_and_only_grave_ones() -> None:
    program = (
        "from superbizagent.telemetry import get_logger\n"
        "get_logger('a').info('quiet')\n"
        "get_logger('a').error('loud')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    assert "loud" in done.stderr
    assert "quiet" not in done.stderr
