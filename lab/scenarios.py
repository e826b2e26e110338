"""Timelines: what happens when, on a running stack, and the file that remembers it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.faults import Fault
from lab.load import Load, Noise
from lab.processes import ProcessError
from lab.stack import Stack
from lab.upkeep import Upkeep
from lab.webhook import Notification

__all__ = ["Pace", "Timeline", "incident", "quiet", "read_timeline"]

_TIMELINE_FILE = "timeline.json"


@dataclass(kw_only=True)
class Timeline:
    """When the parts of a run happened, in Unix seconds; 0 means not at all."""

    scenario: str
    seed: int | None = None
    """Of names and strength."""
    also: str = ""
    """A second fault at the same time."""
    decoy: str = ""
    """Service that got a harmless deploy before the fault."""
    started_at: float = 0.0
    injected_at: float = 0.0
    alerted_at: float = 0.0
    ended_at: float = 0.0
    ready_seconds: float = 0.0
    alert_file: str = ""
    """Name of the body that brought the fault's main alert, below the run's `webhook` folder."""

    def write(self, folder: Path) -> None:
        """Store the timeline in the run's folder."""
        (folder / _TIMELINE_FILE).write_text(json.dumps(asdict(self), indent=1) + "\n")


def read_timeline(folder: Path) -> Timeline:
    """Read the timeline of a finished run."""
    return Timeline(**json.loads((folder / _TIMELINE_FILE).read_text()))


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How long the parts of an incident run last, and what load it has."""

    baseline_seconds: float
    """Healthy time before the fault."""
    after_alert_seconds: float
    """Time to go on after the alert."""
    fault_seconds: float = 0.0
    """Least time the fault stays on."""
    alert_deadline_seconds: float = 240.0
    """Longest wait for the alert."""
    seed: int = 7
    rate: float = 8.0
    """Requests a second."""
    noise: Noise | None = None
    decoy: str = ""
    """Service that gets a harmless deploy before the fault."""
    decoy_seconds: float = 75.0
    """How long before the fault."""
    nice: int = 0
    """Added to the niceness of every process."""
    upkeep: bool = False
    """Whether batch jobs, restarts and harmless deploys are part of a healthy time."""


async def incident(stack: Stack, fault: Fault, pace: Pace) -> Timeline:
    """Run a healthy time, inject a fault, wait for its alert, go on for a while, clear the fault.

    Raises:
        ProcessError: when the alert does not come, another comes before, or a process ends.
    """
    timeline = Timeline(
        scenario=fault.truth.name,
        also="".join(truth.name for truth in fault.truth.also),
        ready_seconds=stack.ready_seconds,
        decoy=pace.decoy,
    )
    async with _loaded(stack, pace.rate, seed=pace.seed, noise=pace.noise) as load:
        timeline.started_at = time.time()
        # The last two minutes before the fault stay free of bursts: its onset must be its own.
        await _healthy(stack, max(0.0, pace.baseline_seconds - 120.0))
        load.bursts_allowed = False
        await _before(stack, pace)
        timeline.injected_at = time.time()
        await fault.inject(stack)
        notification = await _wait_for_alert(stack, fault, pace)
        timeline.alerted_at = notification.received_at
        timeline.alert_file = f"{stack.webhook.notifications.index(notification) + 1:03}.json"
        timeline.write(stack.folder)
        left = timeline.injected_at + pace.fault_seconds - time.time()
        await asyncio.sleep(max(pace.after_alert_seconds, left))
        timeline.ended_at = time.time()
        timeline.write(stack.folder)
        await fault.clear(stack)
    return timeline


async def _before(stack: Stack, pace: Pace) -> None:
    """Wait through the last minutes before the fault, with the decoy's deploy in them."""
    left = min(pace.baseline_seconds, 120.0)
    if pace.decoy:
        await _healthy(stack, left - pace.decoy_seconds)
        await stack.deploy_next(pace.decoy)
        left = pace.decoy_seconds
    await _healthy(stack, left)


async def _wait_for_alert(stack: Stack, fault: Fault, pace: Pace) -> Notification:
    """Return the notification of the first of the fault's main alerts that fires."""
    expected = set(fault.truth.main_alerts)
    notification = await stack.webhook.wait(
        lambda n: not expected.isdisjoint(n.firing), deadline_seconds=pace.alert_deadline_seconds
    )
    if notification is None:
        fired = sorted({name for n in stack.webhook.notifications for name in n.firing})
        raise ProcessError(
            f"none of {sorted(expected)} fired in {pace.alert_deadline_seconds:g} s, only {fired}"
        )
    return notification


async def quiet(stack: Stack, pace: Pace) -> Timeline:
    """Run a healthy time as long as the pace's baseline.

    Raises:
        ProcessError: when an alert comes, or a process ends.
    """
    timeline = Timeline(scenario="healthy", ready_seconds=stack.ready_seconds)
    async with (
        _loaded(stack, pace.rate, seed=pace.seed, noise=pace.noise),
        _kept_up(stack, pace),
    ):
        timeline.started_at = time.time()
        timeline.write(stack.folder)
        await _healthy(stack, pace.baseline_seconds)
        timeline.ended_at = time.time()
        timeline.write(stack.folder)
    return timeline


async def _healthy(stack: Stack, seconds: float) -> None:
    """Wait, and raise `ProcessError` when an alert comes or a process ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.sleep(min(1.0, max(0.0, end - time.monotonic())))
        stack.check_running()
        if (alert := stack.webhook.first(lambda n: bool(n.firing))) is not None:
            raise ProcessError(f"{', '.join(alert.firing)} fired in a healthy time")


@asynccontextmanager
async def _loaded(
    stack: Stack, rate: float, *, seed: int, noise: Noise | None
) -> AsyncGenerator[Load, None]:
    load = stack.load = Load(stack.fleet.url, rate=rate, seed=seed, noise=noise)
    task = asyncio.create_task(load.run())
    try:
        yield load
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        stack.load = None


@asynccontextmanager
async def _kept_up(stack: Stack, pace: Pace) -> AsyncGenerator[None, None]:
    if not pace.upkeep:
        yield
        return
    task = asyncio.create_task(Upkeep(stack, seed=pace.seed).run())
    try:
        yield
        if task.done():
            task.result()  # it never ends by itself, only with an error
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
