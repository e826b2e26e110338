"""Killed at any step of a whole diagnosis, the same command ends in the same report."""

import asyncio
import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

import variants
from crashing import KILLED, places, run_killed
from span_recordings import START_US, csv_text, shop, wide_rows
from superbizagent.cli.asked import read_flags
from superbizagent.cli.compose import open_storage
from superbizagent.cli.session import diagnose_asked
from superbizagent.domain.journal import EntryKind
from superbizagent.settings import load_settings
from superbizagent.storage.integrity import verify_session

SESSION = "killed"


def flags(bundle: Path) -> dict[str, object]:
    # All that could come from the environment: the killed process has one of its own.
    told = {"lang": "en", "timezone": "UTC", "quiet": True}
    return {"bundle": str(bundle), "session_id": SESSION, **told}


async def run(bundle: Path, data: Path) -> str:
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    finished = await diagnose_asked(read_flags(flags(bundle)))
    return finished.session.report_digest


async def calls_recorded(data: Path) -> dict[str, str]:
    """Journal key -> time of each recorded evidence call."""
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    async with open_storage(load_settings()) as storage:
        if await storage.sessions.get(SESSION) is None:
            return {}
        rows = await storage.invocations.rows(SESSION)
        entries = {e.key for e in await storage.entries.load(SESSION) if e.kind is EntryKind.CALL}
        return {r["journal_key"]: str(r["started_at"]) for r in rows if r["journal_key"] in entries}


async def problems(data: Path) -> tuple[object, ...]:
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    async with open_storage(load_settings()) as storage:
        return (await verify_session(storage, SESSION)).problems


@pytest.fixture(autouse=True, scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUPERBIZ_DATA_DIR", folder)
        patch.setenv("XDG_CONFIG_HOME", folder)
        patch.setenv("TZ", "UTC")
        yield


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded incident with a tenth of its samples, so that a run is short."""
    folder = variants.copy(variants.POOL, tmp_path_factory.mktemp("bundle") / "incident")
    variants.thinned(folder, 30)
    keep = pl.col("name").str.contains("db_client|_count$|threads_connected|use_time")
    variants.each_sample(folder, lambda frame: frame.filter(keep))
    add_traces(folder)
    return folder


def add_traces(folder: Path) -> None:
    """Put spans into a recording: the last quarter of an hour of it, slow in its last minutes."""
    end = pl.read_parquet(folder / "metrics.parquet")["time"].max()
    assert isinstance(end, datetime)
    rows = wide_rows(shop(minutes=15, slow_from=10, per_minute=4))
    shift = round((end - timedelta(minutes=15)).timestamp() * 1_000_000) - START_US
    moved = [row | {"start_us": row["start_us"] + shift} for row in rows]
    (folder / "traces.csv").write_text(csv_text(moved), encoding="utf-8")


@pytest.fixture(scope="module")
def steps(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    data = tmp_path_factory.mktemp("steps")
    return len(places(run, bundle, data))


@pytest.fixture(scope="module")
def undisturbed(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return asyncio.run(run(bundle, tmp_path_factory.mktemp("undisturbed")))


def killed_and_resumed(bundle: Path, data: Path, step: int, expected: str) -> None:
    assert run_killed("", step, run, bundle, data) == KILLED
    before = asyncio.run(calls_recorded(data))
    assert asyncio.run(run(bundle, data)) == expected
    after = asyncio.run(calls_recorded(data))
    assert {key: after[key] for key in before} == before  # not one was made again
    assert asyncio.run(problems(data)) == ()


@pytest.mark.parametrize("share", [0.25, 0.75, 0.97])
def test_killed_on_the_way_it_ends_in_the_same_report(
    bundle: Path, tmp_path: Path, steps: int, undisturbed: str, share: float
) -> None:
    killed_and_resumed(bundle, tmp_path, max(1, round(share * steps)), undisturbed)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(8))
def test_killed_at_every_step_it_ends_in_the_same_report(
    bundle: Path, tmp_path: Path, steps: int, undisturbed: str, part: int
) -> None:
    for step in range(1 + part, steps + 1, 8):
        killed_and_resumed(bundle, tmp_path / str(step), step, undisturbed)
