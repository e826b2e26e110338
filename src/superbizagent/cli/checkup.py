"""What ``superbiz doctor`` finds: sources and this installation, one line each."""

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import open_storage, settings_for
from superbizagent.cli.examining import examine_server
from superbizagent.cli.live import LiveFlags, live_addresses, read_live_flags
from superbizagent.cli.sources import SourceSpec
from superbizagent.cli.system import system_of
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.model import Model
from superbizagent.domain.source_state import SourceState
from superbizagent.errors import (
    IntegrityError,
    NothingReadableError,
    StorageError,
)
from superbizagent.settings import CONFIG_NAME, Settings, config_files
from superbizagent.storage.condition import DatabaseCondition, database_condition

__all__ = ["run_checkup"]

_LITTLE_DISK = 256 * 1024 * 1024
"""Four sessions of the largest size."""

State = Literal["ok", "warn", "fails"]


class _Line(Model):
    """One thing that was looked at."""

    state: State
    name: str
    place: str
    said: str
    advice: str = ""


class _Checkup(Model):
    """Everything that was looked at."""

    sources: tuple[SourceState, ...] = ()
    installation: tuple[_Line, ...] = ()
    database: DatabaseCondition

    @property
    def can_look(self) -> bool:
        """Something can be looked at."""
        return any(line.state != "fails" for line in self.sources)


def run_checkup(flags: Mapping[str, Any], *, as_json: bool) -> int:
    """Look at everything, print it, and return the exit code.

    Raises:
        UsageError: when a flag cannot be read.
        ConfigError: when a setting is wrong.
    """
    settings = settings_for()
    found = asyncio.run(_check(read_live_flags(flags), settings))
    if as_json:
        click.echo(canonical_bytes(found).decode())
    else:
        click.echo("\n".join(_text(found)))
    return 0 if found.can_look else NothingReadableError.exit_code


async def _check(flags: LiveFlags, settings: Settings) -> _Checkup:
    addresses = live_addresses(flags, settings, configured=True)
    looks = [examine_server(name, address, flags, settings) for name, address in addresses.items()]
    database = await database_condition(settings.url)
    sources = await asyncio.gather(*looks)
    return _Checkup(
        sources=tuple(sources),
        installation=(
            _files(),
            _folder(settings.data_dir),
            _database(database),
            *await _baseline(addresses, settings, database),
        ),
        database=database,
    )


async def _baseline(
    addresses: Mapping[str, str], settings: Settings, database: DatabaseCondition
) -> tuple[_Line, ...]:
    """Say whether the normal state of these servers was learnt, and how long ago."""
    system = system_of(SourceSpec(live=dict(addresses)), settings)
    if not system:
        return ()
    line = _Line(state="ok", name="baseline", place=system, said="not learnt")
    advice = "learn it with superbiz baseline learn: nothing is called healthy without"
    if not database.schema_version or database.problem or database.is_old:
        return (line.model_copy(update={"advice": advice}),)
    try:
        async with open_storage(settings, reading=True) as storage:
            learnt = await storage.baselines.get(system)
    except (IntegrityError, StorageError) as error:
        return (line.model_copy(update={"state": "warn", "said": str(error)}),)
    if learnt is None:
        return (line.model_copy(update={"advice": advice}),)
    now = SystemClock().now()
    counts = ", ".join(f"{k.windows} windows" for k in learnt.lengths[-1:])
    said = f"learnt {max((now - learnt.learnt_at).days, 0)} days ago from {counts}"
    stale = "too old to be used; learn it again with superbiz baseline learn"
    old = learnt.is_stale(now)
    state: State = "warn" if old else "ok"
    return (line.model_copy(update={"state": state, "said": said, "advice": stale if old else ""}),)


def _files() -> _Line:
    read = [str(path) for path in config_files() if path.is_file()]
    said = "read" if read else "none yet; write one with superbiz init URL"
    return _Line(state="ok", name="settings", place=", ".join(read) or CONFIG_NAME, said=said)


def _folder(folder: Path) -> _Line:
    there = next(p for p in (folder.absolute(), *folder.absolute().parents) if p.exists())
    free = shutil.disk_usage(there).free
    said = f"{free / 1024**3:,.1f} GiB free"
    if not _is_writable(there):
        advice = "give write permission, or set SUPERBIZ_DATA_DIR to another folder"
        return _line("fails", folder, f"cannot be written ({there})", advice)
    if free < _LITTLE_DISK:
        return _line("warn", folder, said, "free some disk: a session takes up to 64 MB")
    return _line("ok", folder, said if there == folder.absolute() else f"not made yet, {said}")


def _line(state: State, folder: Path, said: str, advice: str = "") -> _Line:
    return _Line(state=state, name="data folder", place=str(folder), said=said, advice=advice)


def _is_writable(folder: Path) -> bool:
    import os

    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _database(found: DatabaseCondition) -> _Line:
    state: State = "ok"
    advice = ""
    if found.problem:
        state, (said, _, advice) = "fails", found.problem.partition("; ")
    elif not found.exists or not found.schema_version:
        said = f"none yet; the first diagnosis makes it (schema {found.known_version})"
    else:
        sessions = "1 session" if found.sessions == 1 else f"{found.sessions:,} sessions"
        size = f"{found.size_bytes / 1024**2:,.1f} MiB"
        said = f"schema {found.schema_version}, {sessions}, {size}"
        if found.is_old:
            state, advice = "warn", f"the next diagnosis upgrades it to {found.known_version}"
    return _Line(state=state, name="database", place=found.label, said=said, advice=advice)


def _text(found: _Checkup) -> Iterator[str]:
    yield "sources"
    lines: list[_Line | SourceState] = [*found.sources, *found.installation]
    width = max(len(line.name) for line in lines)
    for line in found.sources:
        yield _row(line, width)
    if not found.sources:
        yield "  none: name them in superbiz.toml (superbiz init URL …) or with --prometheus URL"
    yield "this installation"
    for line in found.installation:
        yield _row(line, width)
    ready = sum(line.state != "fails" for line in found.sources)
    total = len(found.sources)
    yield f"{ready} of {total} sources can be looked at"


def _row(line: _Line | SourceState, width: int) -> str:
    text = f"  {line.state:<5}  {line.name:<{width}}  {line.place}: {line.said}"
    return f"{text}; {line.advice}" if line.advice else text
