"""A live cluster as a data source. Reads with GET alone, once in a session."""

import asyncio
from collections.abc import Sequence

import httpx2

from superbizagent.datasources._http import HttpAccess, Pace
from superbizagent.datasources.kubernetes.api import KubernetesClient
from superbizagent.datasources.kubernetes.collecting import Collector
from superbizagent.datasources.kubernetes.describing import edges_of, entities_of, narrowed
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.snapshot import snapshot_of
from superbizagent.domain.cluster import ClusterSnapshot, KubernetesQuery
from superbizagent.domain.protocols import Clock
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, SourceDescription
from superbizagent.errors import ConfigError, DataSourceError, PermanentDataSourceError

__all__ = ["KubernetesApi"]

_SEEN = frozenset({"ok", "empty"})


class KubernetesApi:
    """Asks the API of one cluster for its objects, events and the last lines of logs.

    Everything is read on first use and kept: two calls of a session see one state.

    Args:
        access: where it is and how it lets us in.
        clock: tells when the cluster was looked at, and how long requests take.
        name: name in plans and reports.
        namespaces: to look at; empty: all that may be seen.
        fallback: namespaces to look at where the whole cluster may not be listed.
        concurrency: requests under way at once.
        timeout_seconds: of one request.
        seconds: for reading everything.
        transport: replaces the network in tests.
    """

    def __init__(  # noqa: PLR0913 - each is a limit or a place of its own
        self,
        access: HttpAccess,
        clock: Clock,
        *,
        name: str = "kubernetes",
        namespaces: Sequence[str] = (),
        fallback: Sequence[str] = (),
        concurrency: int = 4,
        timeout_seconds: float = 10.0,
        seconds: float = 25.0,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._access = access
        self._clock = clock
        self._name = name
        self._namespaces = tuple(namespaces)
        self._fallback = tuple(fallback)
        self._pace = Pace(concurrency, clock.monotonic)
        self._timeout_seconds = timeout_seconds
        self._seconds = seconds
        self._transport = transport
        self._lock = asyncio.Lock()
        self._read: tuple[str, Gathered, ClusterSnapshot] | None = None

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which objects there are.

        Raises:
            DataSourceError: when the server does not answer like a Kubernetes API, or lets
                nothing be seen.
        """
        version, gathered, snapshot = await self._once()
        entities, aliases = entities_of(snapshot)
        return SourceDescription(
            name=self._name,
            kind="kubernetes",
            signals=(Signal.KUBERNETES,),
            entities=entities,
            aliases=aliases,
            version=version,
            notes=tuple(gathered.notes),
        )

    async def get_topology(self) -> Answer:
        """Return what stands on what, by name."""
        _, _, snapshot = await self._once()
        return Answer(status=EvidenceStatus.OK, output=edges_of(snapshot))

    async def get_kubernetes(self, query: KubernetesQuery) -> Answer:
        """Return the objects; what was refused or too slow is a `KindLook`."""
        try:
            _, gathered, snapshot = await self._once()
        except DataSourceError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        kept, left_out = narrowed(snapshot, query)
        return Answer(
            status=EvidenceStatus.OK if kept.objects else EvidenceStatus.EMPTY,
            output=kept,
            truncated=left_out > 0,
            warnings=tuple(gathered.notes),
            stats={"objects": len(kept.objects), "left_out": left_out},
        )

    async def _once(self) -> tuple[str, Gathered, ClusterSnapshot]:
        async with self._lock:
            if self._read is None:
                self._read = await self._look()
            return self._read

    async def _look(self) -> tuple[str, Gathered, ClusterSnapshot]:
        try:
            async with KubernetesClient(
                self._access,
                timeout_seconds=self._timeout_seconds,
                attempts=2,
                pace=self._pace,
                transport=self._transport,
            ) as client:
                version = await client.version()
                collector = Collector(client, self._namespaces, self._fallback, self._seconds)
                gathered = await collector.collect()
        except ConfigError as error:
            raise PermanentDataSourceError(str(error)) from error
        looks = gathered.looks()
        if not any(look.status in _SEEN for look in looks):
            pods = next((look for look in looks if look.kind == "pods"), looks[0])
            raise PermanentDataSourceError(
                f"{self._access.address} lets nothing be seen: {pods.note}"
            )
        gathered.taken_at = self._clock.now()
        snapshot = await asyncio.to_thread(snapshot_of, gathered)
        return version, gathered, snapshot
