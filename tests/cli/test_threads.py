"""Commands work with columns on one thread, unless the user says otherwise."""

import os
import subprocess
import sys

import pytest

_RUN = """
import sys
from superbizagent.cli import main
sys.argv = ["superbiz", "--help"]
try:
    main()
finally:
    import polars
    print("threads", polars.thread_pool_size())
"""


@pytest.mark.parametrize(("told", "threads"), [(None, 1), ("2", 2)])
def test_polars_has_one_thread_or_what_it_is_told(told: str | None, threads: int) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "POLARS_MAX_THREADS"}
    if told is not None:
        environment["POLARS_MAX_THREADS"] = told
    command = [sys.executable, "-c", _RUN]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.stdout.endswith(f"threads {threads}\n")
