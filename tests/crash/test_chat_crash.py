"""Killed at any step of an answer, the same turn ends in the same answer, and is intact."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import variants
from crashing import KILLED, places, run_killed
from diagnosing import diagnose
from superbizagent.cli.compose import open_storage, settings_for
from superbizagent.cli.talking import take_turn
from superbizagent.storage.integrity import verify_session

TURN = "turn"


async def run(data: Path) -> str:
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    settings = settings_for(lang="en", timezone="UTC")
    finished = await take_turn("why not mysql?", "pool", settings, session_id=TURN)
    return finished.session.report_digest


async def reused(data: Path) -> tuple[list[str], tuple[object, ...]]:
    """Rows that the answer reuses, and what is not intact."""
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    async with open_storage(settings_for()) as storage:
        rows = await storage.invocations.rows(TURN)
        return [r["reused_from"] for r in rows], (await verify_session(storage, TURN)).problems


@pytest.fixture(autouse=True, scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUPERBIZ_DATA_DIR", folder)
        patch.setenv("XDG_CONFIG_HOME", folder)
        patch.setenv("TZ", "UTC")
        yield


@pytest.fixture(scope="module")
def diagnosed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a diagnosis of a tenth of the recorded incident's samples."""
    folder = variants.copy(variants.POOL, tmp_path_factory.mktemp("bundle") / "incident")
    variants.thinned(folder, 30)
    keep = pl.col("name").str.contains("db_client|_count$|threads_connected|use_time")
    variants.each_sample(folder, lambda frame: frame.filter(keep))
    data = tmp_path_factory.mktemp("diagnosed") / "data"
    diagnose(folder, data, session_id="pool", timezone="UTC")
    return data


def fresh(diagnosed: Path, target: Path) -> Path:
    return Path(shutil.copytree(diagnosed, target))


@pytest.fixture(scope="module")
def steps(diagnosed: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    return len(places(run, fresh(diagnosed, tmp_path_factory.mktemp("steps") / "data")))


@pytest.fixture(scope="module")
def undisturbed(diagnosed: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return asyncio.run(run(fresh(diagnosed, tmp_path_factory.mktemp("whole") / "data")))


def killed_and_resumed(diagnosed: Path, data: Path, step: int, expected: str) -> None:
    fresh(diagnosed, data)
    assert run_killed("", step, run, data) == KILLED
    assert asyncio.run(run(data)) == expected
    rows, problems = asyncio.run(reused(data))
    assert len(rows) == len(set(rows)) > 0  # not one was taken over twice
    assert "" not in rows
    assert problems == ()


@pytest.mark.parametrize("share", [0.1, 0.4, 0.7, 0.97])
def test_killed_on_the_way_it_ends_in_the_same_answer(
    diagnosed: Path, tmp_path: Path, steps: int, undisturbed: str, share: float
) -> None:
    step = max(1, round(share * steps))
    killed_and_resumed(diagnosed, tmp_path / "data", step, undisturbed)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(8))
def test_killed_at_every_step_it_ends_in_the_same_answer(
    diagnosed: Path, tmp_path: Path, steps: int, undisturbed: str, part: int
) -> None:
    for step in range(1 + part, steps + 1, 8):
        killed_and_resumed(diagnosed, tmp_path / str(step), step, undisturbed)
