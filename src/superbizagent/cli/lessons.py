"""What a history teaches: which part of it is read, and how, for a person or once a day."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from superbizagent.cli.intake import parse_span
from superbizagent.cli.learnt_text import span_text, too_few
from superbizagent.cli.live import (
    LiveFlags,
    access_to,
    build_server,
    kind_of,
    live_addresses,
    read_live_flags,
)
from superbizagent.cli.sources import SourceSpec, read_zone
from superbizagent.cli.system import system_of
from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Incident
from superbizagent.domain.learnt import LEAST_WINDOWS, LearntNormal
from superbizagent.domain.protocols import DataSource
from superbizagent.domain.session import DiagnosisSession, SessionFilter
from superbizagent.domain.window import Window
from superbizagent.errors import (
    DataSourceError,
    NothingReadableError,
    TemporaryDataSourceError,
    UsageError,
)
from superbizagent.investigation.learning import (
    LIVE_LENGTHS,
    Learner,
    Lesson,
    Part,
    needed_history,
    parts_of,
)
from superbizagent.investigation.scope import scope_incident
from superbizagent.investigation.survey import survey_sources
from superbizagent.settings import Settings
from superbizagent.storage.store import Storage

__all__ = ["Learning", "Task", "learn", "of_bundle", "of_servers"]

_LONGEST_REST_SECONDS = 10.0
_MOST_OF_BUNDLE = 200
"""Windows of a recording; more overlap so much that they teach nothing new."""
_READ = ("prometheus", "loki", "jaeger")
"""Kinds of servers that hold a history."""
_AT_ONCE = 2
"""Questions to a server at a time: nobody waits for this."""
_FOUND = (Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY)

Open = Callable[[Window], tuple[DataSource, ...]]
"""Opens the sources for a part of the history."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is read, and how."""

    lesson: Lesson
    parts: tuple[Part, ...]
    open: Open
    rests: bool
    """A server gets time to breathe; a folder needs none."""


@dataclass(frozen=True, slots=True)
class Learning:
    """What came of it."""

    learnt: LearntNormal
    learner: Learner
    stopped: str
    """Why the rest was not read; empty when all was."""


async def learn(
    storage: Storage,
    task: Task,
    now: datetime,
    stop: asyncio.Event,
    step: Callable[[], None] = lambda: None,
) -> Learning:
    """Read a history and store what it teaches in place of what was learnt before.

    Args:
        storage: where it is kept.
        task: what is read.
        now: the time.
        stop: set: the window under way is given up, and the others count.
        step: called after each window.

    Raises:
        NothingReadableError: when there is too little history to learn from.
        DataSourceError: when a source fails and what was read until then is too little.
    """
    learner = Learner(task.lesson)
    stopped = await _read(task, learner, stop, step)
    learnt = learner.learnt(now)
    if learnt is None:
        raise NothingReadableError(too_few(learner, stopped))
    await storage.baselines.replace(learnt)
    return Learning(learnt, learner, stopped)


# What is read ------------------------------------------------------------------------------------


async def of_servers(
    flags: Mapping[str, Any], settings: Settings, now: datetime, storage: Storage
) -> Task:
    """Return what is read of live servers, by the flags of ``superbiz baseline learn``.

    Raises:
        UsageError: when a flag cannot be read, or there is no server with metrics.
    """
    live = read_live_flags(flags)
    addresses = _chosen(live, settings, tuple(flags.get("names") or ()))
    spec = SourceSpec(live=addresses)
    system = system_of(spec, settings)
    span = Window(start=now - parse_span(str(flags.get("since") or "7d")), end=now)
    lesson = Lesson(
        system=system,
        spans=(span,),
        lengths=LIVE_LENGTHS,
        stride=max(LIVE_LENGTHS),
        entity_labels=settings.entity_labels,
        caps=settings.caps,
        services=tuple(flags.get("services") or ()),
        trouble=await _trouble(storage, _with_metrics(addresses, settings), span),
    )
    parts = tuple(parts_of(lesson))
    if sum(len(part.windows) for part in parts) < LEAST_WINDOWS * len(LIVE_LENGTHS):
        raise UsageError(
            f"--since {flags.get('since')} is too short for {LEAST_WINDOWS} windows of an hour;"
            f" take {span_text(needed_history(max(LIVE_LENGTHS)))} or more"
        )

    caps = settings.caps.model_copy(update={"concurrency": _AT_ONCE})
    gentle = settings.model_copy(update={"caps": caps})

    def opened(part: Window) -> tuple[DataSource, ...]:
        return tuple(
            build_server(name, access_to(name, address, live, settings), gentle, part)
            for name, address in addresses.items()
        )

    return Task(lesson, parts, opened, rests=True)


def _chosen(live: LiveFlags, settings: Settings, names: Sequence[str]) -> dict[str, str]:
    """Return the servers with metrics, logs or traces, by name."""
    known = live_addresses(live, settings, configured=True)
    found = {n: a for n, a in known.items() if kind_of(n, settings) in _READ}
    if unknown := [name for name in names if name not in found]:
        have = ", ".join(found) or "none"
        raise UsageError(
            f"--source {unknown[0]!r} is no server with metrics, logs or traces; there is: {have}"
        )
    chosen = {n: a for n, a in found.items() if not names or n in names}
    if not _with_metrics(chosen, settings):
        raise UsageError(
            "nothing to learn from: name a server with metrics (--prometheus URL, or superbiz init"
            " URL) or a recording (--bundle DIR)"
        )
    return chosen


def _with_metrics(addresses: Mapping[str, str], settings: Settings) -> frozenset[str]:
    """Return the addresses by which a system is known."""
    return frozenset(a for n, a in addresses.items() if kind_of(n, settings) == "prometheus")


async def _trouble(storage: Storage, addresses: frozenset[str], span: Window) -> tuple[Window, ...]:
    """Times of the incidents at any of these servers in which a diagnosis found a cause."""
    found: list[Window] = []
    for verdict in _FOUND:
        wanted = SessionFilter(verdict=verdict.value, since=span.start, limit=500)
        for session in await storage.sessions.scan(wanted):
            if isinstance(session, DiagnosisSession) and session.scope:
                spec = SourceSpec.model_validate(session.payload["sources"])
                if addresses & set(spec.live.values()):
                    found.append(Window.model_validate(session.scope["windows"]["incident"]))
    return tuple(found)


async def of_bundle(
    folder: Path, flags: Mapping[str, Any], settings: Settings, now: datetime
) -> Task:
    """Return what is read of a recording.

    Raises:
        UsageError: when flags contradict each other.
        NothingReadableError: when it holds nothing from before its fault.
    """
    if given := [
        name for name in (*_READ, "source") if flags.get("names" if name == "source" else name)
    ]:
        raise UsageError(f"--bundle is learnt from alone; leave out --{given[0]}")
    kinds = {n: "host" if n == "host" else "service" for n in settings.entity_labels}
    path = folder.absolute()
    zone = read_zone(settings.log_tz) if settings.log_tz else None
    source = BundleSource(path, "bundle", kinds, log_tz=zone)
    survey = await survey_sources((source,))
    incident = Incident(received_at=now, services=tuple(flags.get("services") or ()))
    scope = scope_incident(incident, survey, settings.entity_labels)
    fault, extent = scope.windows.incident, survey.sources[0].extent
    spans = list(survey.sources[0].normal)
    if extent is not None and extent.start < fault.start:
        before = scope.windows.baselines[0]
        spans.insert(0, Window(start=extent.start, end=max(before.end, extent.start)))
    if not spans:
        raise NothingReadableError(
            f"{str(folder)!r} holds nothing from before its fault, so nothing can be learnt of it"
        )
    longest = max(span.length for span in spans)
    length = min(fault.length, longest / 4)
    room = sum((max(s.length - 2 * length, timedelta(0)) for s in spans), timedelta(0))
    stride = max(scope.step, min(length, room / _MOST_OF_BUNDLE))
    lesson = Lesson(
        system=system_of(SourceSpec(bundle=str(path)), settings),
        spans=tuple(spans),
        lengths=(length,),
        stride=stride,
        entity_labels=settings.entity_labels,
        caps=settings.caps,
        services=incident.services,
    )
    parts = tuple(parts_of(lesson, together=_MOST_OF_BUNDLE))
    return Task(lesson, parts, lambda _: (source,), rests=False)


# Reading -----------------------------------------------------------------------------------------


async def _read(task: Task, learner: Learner, stop: asyncio.Event, step: Callable[[], None]) -> str:
    """Read the parts; return why that ended early, empty when it did not."""
    loop = asyncio.get_running_loop()
    for part in task.parts:
        began = loop.time()
        try:
            if not await _before(stop, learner.read(task.open(part.span), part, step)):
                return "interrupted"
        except TemporaryDataSourceError as error:
            return str(error)
        except DataSourceError as error:
            if not learner.usable:
                raise
            return str(error)
        rest = min(loop.time() - began, _LONGEST_REST_SECONDS) if task.rests else 0.0
        if not await _before(stop, asyncio.sleep(rest)):
            return "interrupted"
    return ""


async def _before(stop: asyncio.Event, work: Any) -> bool:
    """Do some work unless it is stopped before; tell whether it was done."""
    doing, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    await asyncio.wait({doing, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not doing.done():
        doing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await doing
        return False
    doing.result()
    return not stop.is_set()
