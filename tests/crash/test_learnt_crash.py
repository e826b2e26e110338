"""Killed after it was read, what was learnt still counts: the session goes on with its record."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import variants
from crashing import KILLED, places, run_killed
from superbizagent.cli.asked import read_flags
from superbizagent.cli.compose import open_storage
from superbizagent.cli.session import diagnose_asked
from superbizagent.cli.sources import SourceSpec
from superbizagent.cli.system import system_of
from superbizagent.domain.learnt import SURPRISE, Band, LearntLength, LearntNormal
from superbizagent.domain.plan import ToolName
from superbizagent.domain.window import Window
from superbizagent.investigation.run import Finished
from superbizagent.settings import load_settings

SESSION = "killed"
DAY = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = variants.copy(variants.POOL, tmp_path / "incident")
    variants.thinned(folder, 30)
    return folder


def band(signal: str) -> Band:
    return Band(signal=signal, samples=60, median=0.5, q95=1.0, q975=1.2, largest=1.5)


async def learn(bundle: Path, data: Path) -> str:
    """Store a normal state of the recording's system; return the system."""
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    settings = load_settings()
    system = system_of(SourceSpec(bundle=str(bundle)), settings)
    known = LearntLength(
        length=timedelta(minutes=10), windows=60, bands=(band("strength"), band(SURPRISE))
    )
    learnt = LearntNormal(
        system=system,
        learnt_at=DAY,
        span=Window(start=DAY - timedelta(days=7), end=DAY),
        lengths=(known,),
    )
    async with open_storage(settings) as storage:
        await storage.baselines.replace(learnt)
    return system


async def forget(system: str, data: Path) -> None:
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    async with open_storage(load_settings()) as storage:
        assert await storage.baselines.forget(system)
        assert await storage.baselines.get(system) is None


async def run(bundle: Path, data: Path) -> Finished:
    os.environ["SUPERBIZ_DATA_DIR"] = str(data)
    told = {"lang": "en", "timezone": "UTC", "quiet": True}
    return await diagnose_asked(read_flags({"bundle": str(bundle), "session_id": SESSION, **told}))


def test_a_resumed_session_keeps_what_was_learnt_when_it_began(
    bundle: Path, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    asyncio.run(learn(bundle, whole))
    steps = len(places(run, bundle, tmp_path / "count"))
    undisturbed = asyncio.run(run(bundle, whole))
    tools = [row.tool for row in undisturbed.diagnosis.evidence.invocations]
    assert ToolName.GET_BASELINE in tools

    system = asyncio.run(learn(bundle, killed))
    assert run_killed("", round(0.5 * steps), run, bundle, killed) == KILLED
    asyncio.run(forget(system, killed))
    resumed = asyncio.run(run(bundle, killed))
    assert resumed.resumed
    assert resumed.session.report_digest == undisturbed.session.report_digest


def test_without_a_learnt_state_nothing_is_different(bundle: Path, tmp_path: Path) -> None:
    plain = asyncio.run(run(bundle, tmp_path / "plain"))
    tools = [row.tool for row in plain.diagnosis.evidence.invocations]
    assert ToolName.GET_BASELINE not in tools
    assert "learnt" not in (plain.session.scope or {})
