"""Builds what a worker keeps house with: how sources are examined, how their health is learnt."""

import asyncio
from datetime import timedelta
from pathlib import Path

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.examining import examine_sources
from superbizagent.cli.lessons import learn, of_servers
from superbizagent.cli.live import kind_of
from superbizagent.cli.service_sources import service_sources
from superbizagent.cli.sources import SourceSpec
from superbizagent.cli.system import system_of
from superbizagent.domain.source_state import SourceState
from superbizagent.settings import Settings
from superbizagent.storage.store import Storage
from superbizagent.workers.housekeeping import Housekeeper, Learn

__all__ = ["housekeeper"]

_FRESH = timedelta(hours=23)
"""What was learnt so lately, by hand perhaps, need not be learnt again today."""


def housekeeper(storage: Storage, settings: Settings, recording: Path | None) -> Housekeeper:
    """Return what keeps house beside the diagnoses of a worker.

    Raises:
        UsageError: when an address in the settings is none.
    """
    spec = service_sources(settings, recording)

    async def examine() -> tuple[SourceState, ...]:
        return await examine_sources(spec, settings)

    return Housekeeper(storage, examine, _learner(storage, settings, spec))


def _learner(storage: Storage, settings: Settings, spec: SourceSpec) -> Learn | None:
    """Return what learns from the servers with metrics; a recording teaches nothing new."""
    servers = [name for name in spec.live if kind_of(name, settings) == "prometheus"]
    if not settings.worker.learn_daily or not servers:
        return None
    system = system_of(SourceSpec(live={name: spec.live[name] for name in servers}), settings)

    async def learn_anew() -> str:
        now = SystemClock().now()
        known = await storage.baselines.get(system)
        if known is not None and now - known.learnt_at < _FRESH:
            return "it was learnt today already"
        task = await of_servers({}, settings, now, storage)
        found = await learn(storage, task, now, asyncio.Event())
        windows = sum(length.windows for length in found.learnt.lengths)
        return f"{windows} windows of {system}" + (f"; {found.stopped}" if found.stopped else "")

    return learn_anew
