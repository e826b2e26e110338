"""Killed at any step of the journal, a session goes on as if nothing had happened."""

import asyncio
from pathlib import Path

import pytest

from crashing import KILLED, places, run_killed
from journaling import Source, diagnose, new_session, opened
from superbizagent.domain.journal import EntryKind, IntegrityReport, JournalMode
from superbizagent.storage.crash_points import CRASH_POINTS
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.owner import Owner

CALLS = 2
"""A round: enough for calls that run side by side, and every place is reached several times."""

HEIR = Owner("heir", is_gone=lambda _: True)


async def first_run(folder: Path) -> bytes:
    async with opened(folder) as storage:
        if await storage.sessions.get("s-1") is None:
            await new_session(storage)
        mode = JournalMode.RESUME
        return await diagnose(storage, Source(), mode=mode, owner=HEIR, calls=CALLS)


async def recorded_calls(folder: Path) -> set[str]:
    async with opened(folder) as storage:
        entries = await storage.entries.load("s-1")
        return {e.key for e in entries if e.kind is EntryKind.CALL}


async def resumed(folder: Path) -> tuple[bytes, Source, IntegrityReport]:
    source = Source()
    async with opened(folder) as storage:
        mode = JournalMode.RESUME
        report = await diagnose(storage, source, mode=mode, owner=HEIR, calls=CALLS)
        return report, source, await verify_session(storage, "s-1")


async def head(folder: Path) -> str:
    async with opened(folder) as storage:
        return (await storage.sessions.require("s-1")).head_hash


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str, list[str]]:
    """Report, head hash and places of a run that nothing stops."""
    folder = tmp_path_factory.mktemp("undisturbed")
    reached = places(first_run, folder)
    report = asyncio.run(first_run(folder))
    return report, asyncio.run(head(folder)), reached


def test_a_whole_diagnosis_reaches_every_place(
    undisturbed: tuple[bytes, str, list[str]],
) -> None:
    assert set(undisturbed[2]) == set(CRASH_POINTS)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["first", "middle", "last"])
@pytest.mark.parametrize("place", CRASH_POINTS)
def test_killed_at_a_place_it_resumes_to_the_same_bytes(
    tmp_path: Path, undisturbed: tuple[bytes, str, list[str]], place: str, which: str
) -> None:
    report, head_hash, reached = undisturbed
    times = reached.count(place)
    occurrence = {"first": 1, "middle": (times + 1) // 2, "last": times}[which]
    assert run_killed(place, occurrence, first_run, tmp_path) == KILLED
    before = asyncio.run(recorded_calls(tmp_path))
    again, source, integrity = asyncio.run(resumed(tmp_path))
    assert again == report
    repeated = {f"gather/{1 + (n > CALLS):02d}/{n:04d}" for n in source.made} & before
    assert not repeated
    assert len(source.made) + len(before) == 2 * CALLS
    assert integrity.problems == ()
    assert integrity.sealed
    assert asyncio.run(head(tmp_path)) == head_hash


@pytest.mark.parametrize("every", [pytest.param(3, marks=pytest.mark.slow), 10])
def test_killed_again_and_again_it_still_arrives(
    tmp_path: Path, undisturbed: tuple[bytes, str, list[str]], every: int
) -> None:
    deaths = 0
    # each life a little longer than the one before, or it would die where it died
    while run_killed("", every + 2 * deaths, first_run, tmp_path) == KILLED:
        deaths += 1
        assert deaths < 40
    assert deaths > 3
    report, _, integrity = asyncio.run(resumed(tmp_path))
    assert report == undisturbed[0]
    assert integrity.problems == ()
