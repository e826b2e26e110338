"""Server and worker killed while sessions run: all reports, equal to their undisturbed twins."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.crash import run


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_again_and_again_the_service_brings_every_session_to_the_same_end(
    tmp_path: Path,
) -> None:
    result = asyncio.run(run(tmp_path, sessions=12, kills=6, seed=7))
    assert result.good, result
    assert (result.server_kills, result.worker_kills) == (3, 3)
