"""A live Loki, or what speaks its API, as a data source."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping

import httpx2

from superbizagent.datasources._entities import entities_of
from superbizagent.datasources._http import HttpAccess, Pace, clock_notes, first_look
from superbizagent.datasources._records import merged_spans
from superbizagent.datasources.loki.chunks import LokiChunks
from superbizagent.datasources.loki.client import API, LokiClient
from superbizagent.datasources.loki.entries import Entry
from superbizagent.datasources.loki.holdings import Holdings, look_around
from superbizagent.datasources.loki.limits import LokiLimits
from superbizagent.datasources.loki.reading import LokiReading, Search
from superbizagent.domain.json_values import mapping
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.protocols import Clock
from superbizagent.domain.source import LogQuery, Signal, SourceDescription
from superbizagent.domain.vitals import Vitals
from superbizagent.domain.window import Window
from superbizagent.errors import (
    ConfigError,
    NothingReadableError,
    PermanentDataSourceError,
)

__all__ = ["LokiSource"]


class LokiSource:
    """Asks one server. Nothing but reading requests is made, and few of them.

    Args:
        access: where it is and how it lets us in.
        span: the time that will be asked about; names and extent are those of this span.
        clock: tells how long requests take, and whether the server's clock is ours.
        name: name in plans and reports.
        label_entities: label -> kind of entity its values name, first match first.
        labels: of everything the server holds, where it does not carry them itself.
        limits: how much is taken.
        transport: replaces the network in tests.
    """

    def __init__(  # noqa: PLR0913 - one argument a thing that is handed in
        self,
        access: HttpAccess,
        span: Window,
        clock: Clock,
        *,
        name: str = "loki",
        label_entities: Mapping[str, str],
        labels: Mapping[str, str] | None = None,
        limits: LokiLimits | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._access = access
        self._span = span
        self._clock = clock
        self._name = name
        self._label_entities = dict(label_entities)
        self._labels = dict(labels or {})
        self._limits = limits or LokiLimits()
        self._transport = transport
        self._holdings: Holdings | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which services the server knows and which time it covers.

        Raises:
            NothingReadableError: when it holds no line of the span.
            DataSourceError: when it does not answer like a Loki.
        """
        found, version = await self._look()
        self._holdings = found
        if found.extent is None:
            raise NothingReadableError(self._nothing(found))
        return SourceDescription(
            name=self._name,
            kind="loki",
            signals=(Signal.LOGS,),
            entities=entities_of(
                found.label_values, found.streams, self._label_entities, self._labels
            ),
            label_values=found.label_values,
            extent=found.extent,
            version=version,
            notes=tuple(found.notes),
        )

    async def examine(self) -> Vitals:
        """Say how the server is doing.

        Raises:
            DataSourceError: as `describe`.
        """
        described = await self.describe()
        found = self._holdings or Holdings()
        counts = {"labels": len(found.labels), "services": len(described.entities)}
        if found.volume is not None:
            counts = {"streams": found.volume.streams, "lines": found.volume.entries, **counts}
        return Vitals(
            version=described.version,
            counts=counts,
            newest_at=found.extent.end if found.extent else None,
            clock_ahead_seconds=found.clock_ahead_seconds,
            notes=described.notes,
        )

    def read_logs(self, query: LogQuery) -> Iterator[LogChunk]:
        """Yield the records of some services, page after page.

        Raises:
            DataSourceError: when nothing can be read.
        """
        # The caller's thread has no loop: one that lives as long as this reading drives the pages.
        with asyncio.Runner() as runner:
            try:
                yield from self._read(runner, query)
            except ConfigError as error:
                raise PermanentDataSourceError(str(error)) from error

    def _read(self, runner: asyncio.Runner, query: LogQuery) -> Iterator[LogChunk]:
        with self._lock:
            if self._holdings is None:
                self._holdings = runner.run(self._look())[0]
        chunks = LokiChunks(self._name, tuple(self._label_entities))
        client = self._open(self._limits.timeout_seconds)
        reading = LokiReading(client, self._clock, self._limits)
        pages = reading.pages(self._search(query, self._holdings))
        try:
            while page := runner.run(_next(pages)):
                yield from chunks.of_page(page)
            yield from chunks.ends(reading.notes, truncated=reading.truncated)
        finally:
            runner.run(pages.aclose())
            runner.run(client.__aexit__(None, None, None))

    def _search(self, query: LogQuery, found: Holdings) -> Search:
        selectors: list[str] = []
        for one in found.sets:
            known = found.label_values.get(one.label, ())
            wanted = [name for name in known if name in query.services]
            if wanted or not query.services:
                selectors.append(one.selector(wanted))
        return Search(selectors, merged_spans(query.windows), query.contains, query.max_bytes)

    async def _look(self) -> tuple[Holdings, str]:
        """Return what the server holds, and its version.

        Raises:
            DataSourceError: when it does not answer like a Loki.
        """
        pace = Pace(self._limits.concurrency, self._clock.monotonic)
        seconds = self._limits.survey_seconds
        async with first_look(self._access, seconds), self._open(seconds, pace) as client:
            found = await look_around(client, self._span, list(self._label_entities))
            self._note_clock(client, found)
            return found, await _version(client)

    def _note_clock(self, client: LokiClient, found: Holdings) -> None:
        """Note a clock that is wrong: what happened when is then read wrong, too."""
        if client.said_at is not None:
            found.clock_ahead_seconds = (client.said_at - self._clock.now()).total_seconds()
            found.notes += clock_notes(self._name, found.clock_ahead_seconds)

    def _open(self, seconds: float, pace: Pace | None = None) -> LokiClient:
        return LokiClient(
            self._access,
            timeout_seconds=seconds,
            max_body_bytes=self._limits.max_body_bytes,
            pace=pace,
            transport=self._transport,
        )

    def _nothing(self, found: Holdings) -> str:
        span = f"{self._span.start:%Y-%m-%d %H:%M} and {self._span.end:%Y-%m-%d %H:%M} UTC"
        labels = ", ".join(self._label_entities)
        if found.labels:
            known = ", ".join(found.labels[:8])
            return (
                f"{self._access.address} has no lines between {span} with a label of {labels}"
                f" (its labels: {known}); set entity_labels to the one that names a service"
            )
        return (
            f"{self._access.address} has no lines between {span}; check the time and the tenant's"
            " header X-Scope-OrgID"
        )


async def _next(pages: AsyncGenerator[list[Entry]]) -> list[Entry]:
    nothing: list[Entry] = []
    return await anext(pages, nothing)


async def _version(client: LokiClient) -> str:
    """Return the server's version, empty when it does not tell."""
    try:
        data = mapping(await client.get(f"{API}/status/buildinfo"))
    except PermanentDataSourceError:
        return ""
    return str(data.get("version", ""))
