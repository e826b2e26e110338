"""Run ``superbiz baseline``: read a history part by part, keep what it teaches, show it."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import open_storage, settings_for
from superbizagent.cli.learnt_text import shown, told
from superbizagent.cli.lessons import learn, of_bundle, of_servers
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.learnt import LearntNormal
from superbizagent.errors import UsageError
from superbizagent.settings import Settings

__all__ = ["run_forgetting", "run_learning", "run_showing"]


def run_learning(flags: Mapping[str, Any]) -> int:
    """Learn, store and say what was learnt; return the exit code.

    Raises:
        UsageError: when a flag cannot be read.
        NothingReadableError: when there is too little history to learn from.
        DataSourceError: when a source fails and what was read until then is too little.
    """
    settings = settings_for()
    now = SystemClock().now()
    return asyncio.run(_learn(flags, settings, now))


async def _learn(flags: Mapping[str, Any], settings: Settings, now: datetime) -> int:
    quiet = bool(flags.get("quiet"))
    async with open_storage(settings) as storage:
        if flags.get("bundle"):
            task = await of_bundle(Path(flags["bundle"]), flags, settings, now)
        else:
            task = await of_servers(flags, settings, now, storage)
        windows = sum(len(part.windows) for part in task.parts)
        with _interruptible() as stop, _progress(windows, quiet=quiet) as step:
            found = await learn(storage, task, now, stop, step)
    click.echo("\n".join(told(found.learnt, found.learner, found.stopped)))
    return 0


@contextlib.contextmanager
def _interruptible() -> Generator[asyncio.Event]:
    """Give an event that Ctrl-C sets, instead of ending the process."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop.set)
    try:
        yield stop
    finally:
        loop.remove_signal_handler(signal.SIGINT)


@contextlib.contextmanager
def _progress(windows: int, *, quiet: bool) -> Generator[Callable[[], None]]:
    if quiet:
        yield lambda: None
        return
    with click.progressbar(length=windows, label="reading", file=sys.stderr) as bar:
        yield lambda: bar.update(1)


# Showing and forgetting ---------------------------------------------------------------------------


def run_showing(*, as_json: bool) -> int:
    """Print what was learnt of each system.

    Raises:
        StorageError: when it cannot be read.
    """
    found = asyncio.run(_known())
    now = SystemClock().now()
    if as_json:
        rows = [{**k.model_dump(mode="json"), "stale": k.is_stale(now)} for k in found]
        click.echo(canonical_bytes({"baselines": rows}).decode())
        return 0
    if not found:
        click.echo("nothing was learnt yet; learn with superbiz baseline learn")
    for learnt in found:
        click.echo("\n".join(shown(learnt, now)))
    return 0


async def _known() -> tuple[LearntNormal, ...]:
    async with open_storage(settings_for(), reading=True) as storage:
        return await storage.baselines.list()


def run_forgetting(system: str | None) -> int:
    """Forget a system.

    Raises:
        UsageError: when it is not clear which.
    """
    click.echo(f"forgot {asyncio.run(_forget(system))}")
    return 0


async def _forget(system: str | None) -> str:
    async with open_storage(settings_for()) as storage:
        names = [known.system for known in await storage.baselines.list()]
        if not names:
            raise UsageError("nothing was learnt yet, so there is nothing to forget")
        if system is None and len(names) > 1:
            raise UsageError(f"name one of: {', '.join(names)}")
        name = names[0] if system is None else system
        if name not in names:
            raise UsageError(f"nothing was learnt of {name!r}; there is: {', '.join(names)}")
        await storage.baselines.forget(name)
        return name
