"""Whole trials: a live incident through alert, recording and diagnosis, and healthy windows."""

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lab import bundles, scenarios
from lab.faults import Fault, Setting
from lab.stack import Stack
from lab.timing import CASES, FAST

__all__ = [
    "TrialError",
    "diagnose",
    "live_incident",
    "quiet_windows",
    "record_healthy",
    "record_incident",
]

_LIVE_PACE = scenarios.Pace(baseline_seconds=24.0, after_alert_seconds=6.0)
"""A diagnosis leaves a third of it free before the incident; the rest is the baseline."""
_BEFORE_ALERT_SECONDS = 15.0
_SUPPORTED = frozenset({"root_cause_found", "likely"})


class TrialError(RuntimeError):
    """The product said something else than what really happened."""


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What a report says in short."""

    verdict: str
    entity: str
    fault_kind: str
    seconds: float


def diagnose(bundle: Path, *arguments: str) -> Diagnosis:
    """Run the product on a bundle.

    Raises:
        TrialError: when it ends with an error.
    """
    start = time.monotonic()
    result = bundles.superbiz("diagnose", str(bundle), "--json", *arguments)
    seconds = time.monotonic() - start
    if result.returncode != 0:
        raise TrialError(f"superbiz diagnose ended with {result.returncode}: {result.stderr}")
    try:
        document: Mapping[str, Any] = json.loads(result.stdout)
    except ValueError as error:
        raise TrialError(f"the report is no JSON: {result.stdout[:200]!r}") from error
    report: Mapping[str, Any] = document.get("report", document)
    return Diagnosis(
        verdict=report["verdict"],
        entity=(report.get("entity") or "").rpartition("/")[2],
        fault_kind=report.get("fault_kind") or "",
        seconds=seconds,
    )


async def live_incident(
    fault: Fault, setting: Setting, out: Path | None, say: Callable[[str], None]
) -> Diagnosis:
    """Start everything, inject the fault, wait for the alert, record and diagnose.

    Args:
        fault: what to inject.
        setting: that the fault was made for.
        out: folder for the bundle; None keeps none.
        say: takes lines about the progress.

    Raises:
        ProcessError: when a process fails or the alert does not come.
        TrialError: when the diagnosis is not what really happened.
    """
    # Socket paths are limited to 107 characters, so not below a long temporary folder.
    folder = Path(tempfile.mkdtemp(prefix="lab-", dir="/tmp"))
    try:
        async with Stack(folder, FAST, names=setting.names, disk=_may_mount()) as stack:
            say(f"ready after {stack.ready_seconds:.1f} s, all targets scraped")
            timeline = await scenarios.incident(stack, fault, _LIVE_PACE)
            timeline.seed = setting.seed
            waited = timeline.alerted_at - timeline.injected_at
            say(f"{_first_alert(folder, timeline)} came {waited:.1f} s after the fault")
            bundle = out or folder / "bundle"
            cut = bundles.plan_cut(folder, timeline)
            say(await asyncio.to_thread(bundles.cut, folder, bundle, stack.prometheus_url, cut))
        since = datetime.fromtimestamp(timeline.alerted_at - _BEFORE_ALERT_SECONDS, UTC)
        found = await asyncio.to_thread(diagnose, bundle, "--from", since.isoformat())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    say(f"diagnosis after {found.seconds:.1f} s: {found}")
    truth = fault.truth
    names = {cause.name for cause in truth.entities}
    right = found.entity in names and found.fault_kind in truth.fault_kinds
    if found.verdict not in _SUPPORTED or not right:
        raise TrialError(f"expected {truth.fault_kinds} of {names}, the report says {found}")
    return found


async def record_incident(
    fault: Fault, setting: Setting, pace: scenarios.Pace, out: Path, say: Callable[[str], None]
) -> None:
    """Record one incident of a set: its own names and strength, and a small disk.

    Raises:
        ProcessError: when a process or the recorder fails, or the alert does not come.
    """
    async with _recorded(setting, pace.nice) as stack:
        timeline = await scenarios.incident(stack, fault, pace)
        timeline.seed = setting.seed
        waited = timeline.alerted_at - timeline.injected_at
        say(f"{_first_alert(stack.folder, timeline)} came {waited:.1f} s after the fault")
        cut = bundles.plan_cut(stack.folder, timeline)
        say(await asyncio.to_thread(bundles.cut, stack.folder, out, stack.prometheus_url, cut))
        bundles.pack(out)


async def record_healthy(
    setting: Setting, pace: scenarios.Pace, out: Path, say: Callable[[str], None]
) -> None:
    """Record a time with noise and no fault, as long as the pace's baseline."""
    async with _recorded(setting, pace.nice) as stack:
        timeline = await scenarios.quiet(stack, pace)
        timeline.seed = setting.seed
        cut = bundles.plan_cut(stack.folder, timeline)
        say(await asyncio.to_thread(bundles.cut, stack.folder, out, stack.prometheus_url, cut))
        bundles.pack(out)


@asynccontextmanager
async def _recorded(setting: Setting, nice: int) -> AsyncGenerator[Stack, None]:
    # Socket paths are limited to 107 characters, so not below a long temporary folder.
    folder = Path(tempfile.mkdtemp(prefix="lab-", dir="/tmp"))
    try:
        async with Stack(folder, CASES, names=setting.names, disk=_may_mount(), nice=nice) as stack:
            yield stack
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _may_mount() -> bool:
    return os.geteuid() == 0  # only root may


def _first_alert(folder: Path, timeline: scenarios.Timeline) -> str:
    body = json.loads((folder / "webhook" / timeline.alert_file).read_text())
    return body["alerts"][0]["labels"]["alertname"]


def quiet_windows(
    bundle: Path, *, start: datetime, length: timedelta, count: int, say: Callable[[str], None]
) -> list[Diagnosis]:
    """Diagnose consecutive healthy windows of a bundle.

    Raises:
        TrialError: when a cause is named in any of them.
    """
    found: list[Diagnosis] = []
    for number in range(count):
        since = start + number * length
        until = since + length
        diagnosis = diagnose(
            bundle, "--service", "order-service",
            "--from", since.isoformat(), "--to", until.isoformat(),
        )  # fmt: skip
        say(f"{since:%H:%M:%S} to {until:%H:%M:%S}: {diagnosis.verdict}")
        found.append(diagnosis)
    wrong = [d for d in found if d.verdict in _SUPPORTED]
    if wrong:
        raise TrialError(f"{len(wrong)} of {count} healthy windows were given a cause: {wrong}")
    return found
