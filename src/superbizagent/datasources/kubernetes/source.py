"""Saved output of a cluster as a data source."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from superbizagent.datasources.kubernetes.describing import (
    edges_of,
    entities_of,
    extent_of,
    narrowed,
)
from superbizagent.datasources.kubernetes.dump import read_dump
from superbizagent.datasources.kubernetes.gathered import Gathered
from superbizagent.datasources.kubernetes.snapshot import snapshot_of
from superbizagent.domain.cluster import ClusterSnapshot, KubernetesQuery
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, SourceDescription
from superbizagent.errors import DataSourceError

__all__ = ["KubernetesDump"]


class KubernetesDump:
    """Reads a folder or file of saved ``kubectl`` output, a cluster-info dump or a must-gather.

    Everything is read on first use and kept; nothing is written. Methods may run at the same time.

    Args:
        path: the folder or file.
        name: name in plans and reports.
        named: returns the namespaces that whoever asks named; called when the output is read.
            Where no text says where objects are, they are there.
    """

    def __init__(
        self, path: Path, name: str = "kubernetes", named: Callable[[], Sequence[str]] = tuple
    ) -> None:
        self._path = path
        self._named = named
        self._name = name
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which objects the output is of and which time it tells of.

        Raises:
            NothingReadableError: when nothing in it is output of a cluster.
        """
        return await asyncio.to_thread(self._described)

    async def get_topology(self) -> Answer:
        """Return what stands on what, by name."""
        snapshot = await asyncio.to_thread(self._read)
        return Answer(status=EvidenceStatus.OK, output=edges_of(snapshot))

    async def get_kubernetes(self, query: KubernetesQuery) -> Answer:
        """Return the objects; what was refused when the output was saved is a `KindLook`."""
        try:
            snapshot = await asyncio.to_thread(self._read)
        except DataSourceError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        kept, left_out = narrowed(snapshot, query)
        return Answer(
            status=EvidenceStatus.OK if kept.objects else EvidenceStatus.EMPTY,
            output=kept,
            truncated=left_out > 0,
            stats={"objects": len(kept.objects), "left_out": left_out},
        )

    def _described(self) -> SourceDescription:
        snapshot = self._read()
        entities, aliases = entities_of(snapshot)
        return SourceDescription(
            name=self._name,
            kind="cluster_dump",
            signals=(Signal.KUBERNETES,),
            entities=entities,
            aliases=aliases,
            extent=extent_of(snapshot),
            notes=tuple(self._gathered.notes),
            unreadable=tuple(self._gathered.unreadable),
        )

    def _read(self) -> ClusterSnapshot:
        with self._lock:
            return self._snapshot

    @cached_property
    def _gathered(self) -> Gathered:
        return read_dump(self._path, self._named())

    @cached_property
    def _snapshot(self) -> ClusterSnapshot:
        return snapshot_of(self._gathered)
