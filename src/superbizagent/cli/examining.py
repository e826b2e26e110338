"""How sources are right now: for ``superbiz doctor``, and once a minute for the service."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.live import LiveFlags, access_to, build_server, kind_of
from superbizagent.cli.sources import SourceSpec
from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.protocols import DataSource, VitalsTeller
from superbizagent.domain.source_state import SourceState
from superbizagent.domain.vitals import Vitals
from superbizagent.domain.window import Window
from superbizagent.errors import ConfigError, DataSourceError, NothingReadableError
from superbizagent.settings import Settings

__all__ = ["examine_server", "examine_sources"]

_SPAN = timedelta(hours=1)
"""What a question without a time looks at."""

_OLD = timedelta(minutes=5)
_MISSED_SCRAPES = 4


async def examine_server(
    name: str, address: str, flags: LiveFlags, settings: Settings
) -> SourceState:
    """Ask one live system how it is; what is wrong with it is a value."""
    kind, now = kind_of(name, settings), SystemClock().now()
    window = Window(start=now - _SPAN, end=now)
    try:
        access = access_to(name, address, flags, settings)
        vitals = await _examine(build_server(name, access, settings, window))
    except (DataSourceError, ConfigError) as error:
        # The line names the address already.
        reason = str(error).removeprefix(f"{address} ").removeprefix(f"{address}: ")
        said, _, advice = reason.partition("; ")
        return SourceState(
            state="fails",
            name=name,
            kind=kind,
            place=address,
            said=said,
            advice=advice,
            examined_at=now,
        )
    return _state(vitals, name, kind, address, now)


async def examine_sources(spec: SourceSpec, settings: Settings) -> tuple[SourceState, ...]:
    """Ask every source of the service: its live systems, or the recording it was started with."""
    if spec.bundle:
        return (await _examine_recording(spec.bundle, settings),)
    looks = (
        examine_server(name, address, LiveFlags(), settings) for name, address in spec.live.items()
    )
    return tuple(await asyncio.gather(*looks))


async def _examine_recording(folder: str, settings: Settings) -> SourceState:
    now = SystemClock().now()
    kinds = {n: "host" if n == "host" else "service" for n in settings.entity_labels}
    try:
        vitals = await _examine(BundleSource(Path(folder), "bundle", kinds))
    except (DataSourceError, NothingReadableError) as error:
        return SourceState(
            state="fails",
            name="bundle",
            kind="recording",
            place=folder,
            said=str(error),
            examined_at=now,
        )
    # A recording is as old as it is: that nothing new comes in is no fault of it.
    found = _state(
        vitals.model_copy(update={"newest_at": None}), "bundle", "recording", folder, now
    )
    return found.model_copy(update={"vitals": vitals})


def _state(vitals: Vitals, name: str, kind: str, place: str, now: datetime) -> SourceState:
    notes = [*_old(vitals, now), *vitals.notes]
    return SourceState(
        state="warn" if notes else "ok",
        name=name,
        kind=kind,
        place=place,
        said=", ".join(_vitals(vitals, now)),
        advice="; ".join(notes),
        vitals=vitals,
        examined_at=now,
    )


async def _examine(source: DataSource) -> Vitals:
    if isinstance(source, VitalsTeller):
        return await source.examine()
    described = await source.describe()
    return Vitals(
        version=described.version,
        counts={"services": len(described.entities)},
        newest_at=described.extent.end if described.extent else None,
        notes=described.notes,
    )


def _vitals(vitals: Vitals, now: datetime) -> Iterator[str]:
    yield f"version {vitals.version}" if vitals.version else "version not told"
    yield from (f"{what} {count:,}" for what, count in vitals.counts.items())
    if vitals.scrape_interval is not None:
        yield f"scraped every {vitals.scrape_interval.total_seconds():g} s"
    if vitals.newest_at is not None:
        age = (now - vitals.newest_at).total_seconds()
        yield f"newest {max(age, 0.0):.0f} s ago"
    if vitals.clock_ahead_seconds is not None:
        yield f"clock {round(vitals.clock_ahead_seconds):+d} s"


def _old(vitals: Vitals, now: datetime) -> Iterator[str]:
    """Say that nothing new comes in, before a source itself would."""
    if vitals.newest_at is None or any("after" in note for note in vitals.notes):
        return
    longest = _OLD
    if vitals.scrape_interval is not None:
        longest = max(_MISSED_SCRAPES * vitals.scrape_interval, timedelta(minutes=1))
    if now - vitals.newest_at > longest:
        yield "nothing new came in since; is it still fed?"
