"""A live Jaeger, or what speaks its query API, as a data source."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import httpx2

from superbizagent.datasources._http import HttpAccess, HttpClient, Pace, first_look, status_of
from superbizagent.datasources._traces import SpanStore, document_rows, frame_of, take
from superbizagent.datasources.jaeger.searches import Search, searches_of
from superbizagent.domain.entity import Entity
from superbizagent.domain.json_values import mapping
from superbizagent.domain.outputs import Edge, Topology, is_empty, joined_topology
from superbizagent.domain.protocols import Clock
from superbizagent.domain.source import (
    Answer,
    EvidenceStatus,
    Signal,
    SourceDescription,
    TraceQuery,
)
from superbizagent.domain.vitals import Vitals
from superbizagent.domain.window import Window
from superbizagent.errors import ConfigError, DataSourceError, NothingReadableError

__all__ = ["JaegerLimits", "JaegerSource"]

_NOTED = 3


@dataclass(frozen=True, slots=True)
class JaegerLimits:
    """How much is asked of a server."""

    max_searches: int = 60
    """Of one look: what a person with a search page sends in some minutes."""
    traces_per_search: int = 100
    max_body_bytes: int = 64 * 1024 * 1024
    concurrency: int = 4
    timeout_seconds: float = 20.0
    look_seconds: float = 10.0
    """For saying what there is."""


class JaegerSource:
    """Asks one server. Nothing but reading requests is made, and few of them.

    Args:
        access: where it is and how it lets us in; its path prefix goes before ``/api``.
        span: the time that will be asked about.
        clock: tells how long requests take.
        name: name in plans and reports.
        limits: how much is taken.
        transport: replaces the network in tests.
    """

    def __init__(  # noqa: PLR0913 - one argument a thing that is handed in
        self,
        access: HttpAccess,
        span: Window,
        clock: Clock,
        *,
        name: str = "jaeger",
        limits: JaegerLimits | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._access = access
        self._span = span
        self._clock = clock
        self._name = name
        self._limits = limits or JaegerLimits()
        self._transport = transport

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which services the server knows.

        Raises:
            NothingReadableError: when it knows none.
            DataSourceError: when it does not answer like a Jaeger.
        """
        async with first_look(self._access, self._limits.look_seconds), self._open() as client:
            services = await self._services(client)
        if not services:
            raise NothingReadableError(
                f"{client.address} knows no service; are spans sent to this Jaeger?"
            )
        return SourceDescription(
            name=self._name,
            kind="jaeger",
            signals=(Signal.TRACES, Signal.TOPOLOGY),
            entities=tuple(Entity(name=name) for name in services),
        )

    async def examine(self) -> Vitals:
        """Say how the server is doing.

        Raises:
            DataSourceError: as `describe`.
        """
        described = await self.describe()
        return Vitals(counts={"services": len(described.entities)})

    async def get_topology(self) -> Answer:
        """Return who calls whom, as the server counts calls itself; not all of them do."""
        length_ms = self._span.end_ms - self._span.start_ms
        asked = {"endTs": str(self._span.end_ms), "lookback": str(length_ms)}
        try:
            async with self._open() as client:
                found = await self._data(client, "/api/dependencies", asked)
        except (DataSourceError, ConfigError) as error:
            return _failed(error)
        links = map(mapping, found)
        pairs = {(str(link.get("parent", "")), str(link.get("child", ""))) for link in links}
        edges = [Edge(caller=a, callee=b) for a, b in sorted(pairs) if a and b and a != b]
        topology = joined_topology([Topology(edges=tuple(edges))])
        status = EvidenceStatus.EMPTY if is_empty(topology) else EvidenceStatus.OK
        return Answer(status=status, output=topology)

    async def read_spans(self, query: TraceQuery) -> Answer:
        """Return spans of the traces that some searches find; a few that fail are a warning."""
        try:
            async with self._open() as client:
                known = await self._services(client)
                wanted = [s for s in query.services if s in known] if query.services else known
                searches = searches_of(wanted, query.windows, self._limits.max_searches)
                found = await asyncio.gather(*(self._search(client, s) for s in searches))
        except (DataSourceError, ConfigError) as error:
            return _failed(error)
        failed = [f for f in found if isinstance(f, DataSourceError)]
        if failed and len(failed) == len(found):
            return _failed(failed[0])
        documents = [f for f in found if not isinstance(f, DataSourceError)]
        return await asyncio.to_thread(self._answer, query, documents, failed, len(searches))

    def _answer(
        self,
        query: TraceQuery,
        documents: Sequence[list[Any]],
        failed: Sequence[DataSourceError],
        searches: int,
    ) -> Answer:
        store = SpanStore()
        notes: list[str] = []
        # A trace of several services is found by several searches.
        traces = {str(mapping(t).get("traceID")): t for found in documents for t in found}
        rows = document_rows({"data": [traces[k] for k in sorted(traces)]}) if traces else None
        if rows is not None:
            store.add(frame_of(rows), notes)
        taken = take(store.table(), query.windows, (), {}, min(query.max_spans, store.most))
        full = sum(len(found) >= self._limits.traces_per_search for found in documents)
        notes += [f"a search failed: {error}" for error in failed[:_NOTED]]
        if full:
            notes.append(
                f"{full} of {searches} searches reached {self._limits.traces_per_search} traces:"
                " the newest of each were read"
            )
        return Answer(
            status=EvidenceStatus.EMPTY if is_empty(taken.spans) else EvidenceStatus.OK,
            output=taken.spans,
            truncated=bool(full or failed or taken.spans_left_out),
            warnings=tuple(notes),
            stats={"searches": searches, "spans": len(taken.spans), "spans_read": store.read},
        )

    async def _services(self, client: HttpClient) -> list[str]:
        names = await self._data(client, "/api/services", {})
        return sorted({name for name in names if isinstance(name, str) and name})

    async def _search(self, client: HttpClient, search: Search) -> list[Any] | DataSourceError:
        asked = {
            "service": search.service,
            "start": str(search.start_us),
            "end": str(search.end_us),
            "limit": str(self._limits.traces_per_search),
        }
        try:
            return await self._data(client, "/api/traces", asked)
        except DataSourceError as error:
            return error

    async def _data(self, client: HttpClient, path: str, asked: Mapping[str, str]) -> list[Any]:
        """Return the ``data`` of an answer; null is how some write that there is none."""
        document = await client.get(path, asked)
        if not isinstance(document, dict) or "data" not in document:
            raise client.permanent(
                f"{client.address}{path} does not answer like Jaeger's query API;"
                " is this the base address of its web page?"
            )
        data = mapping(document).get("data")
        return cast("list[Any]", data) if isinstance(data, list) else []

    def _open(self) -> HttpClient:
        return HttpClient(
            self._access,
            timeout_seconds=self._limits.timeout_seconds,
            max_body_bytes=self._limits.max_body_bytes,
            attempts=2,
            pace=Pace(self._limits.concurrency, self._clock.monotonic),
            transport=self._transport,
        )


def _failed(error: DataSourceError | ConfigError) -> Answer:
    status = status_of(error) if isinstance(error, DataSourceError) else EvidenceStatus.ERROR
    return Answer(status=status, error=str(error))
