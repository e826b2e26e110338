"""A recorded incident as a data source."""

import asyncio
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from superbizagent.datasources._records import LogReader
from superbizagent.domain.entity import Entity
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.outputs import (
    AlertList,
    ChangeList,
    ToolOutput,
    Topology,
    is_empty,
    joined_topology,
)
from superbizagent.domain.rule import AlertRule, read_rules
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import series_name
from superbizagent.domain.source import (
    Answer,
    EvidenceStatus,
    LogQuery,
    RangeQuery,
    Signal,
    SourceDescription,
    TraceQuery,
)
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import DataSourceError, NothingReadableError

from .folder import FolderFacts, check_folder, read_folder
from .labels import DEFAULT_LABEL_KINDS, EntityIndex, index_entities
from .log_names import entity_of_log
from .metrics import METRIC_FILES, open_metrics
from .query import read_whole, run_range_query
from .recorded_logs import RecordedLogs
from .recorded_traces import RecordedTraces, TraceSurvey
from .store import MetricStore
from .wide import series_of_column

__all__ = ["BundleSource"]

_T = TypeVar("_T")


@dataclass(slots=True)
class _Metrics:
    store: MetricStore | None = None
    extent: Window | None = None
    """Of the bundle's own samples."""
    baseline: Window | None = None
    """Of the added normal telemetry, which may be of another day, even a later one."""
    error: str = ""
    notes: list[str] = field(default_factory=list[str])


class BundleSource:
    """Reads a folder that `superbiz record` wrote, or one in the wide form.

    Everything is read on first use and kept; nothing is written. Methods may run at the same time.

    Args:
        path: the folder.
        name: name in plans and reports.
        label_entities: label -> kind of entity, first match first.
        log_tz: zone of log times that carry none; when absent, the recorded one, else inferred.
        alone: whether nothing else is read of the folder; if not, it may hold no telemetry.
    """

    def __init__(
        self,
        path: Path,
        name: str = "bundle",
        label_entities: Mapping[str, str] = DEFAULT_LABEL_KINDS,
        *,
        log_tz: tzinfo | None = None,
        alone: bool = True,
    ) -> None:
        self._path = path
        self._alone = alone
        self._name = name
        self._label_entities = dict(label_entities)
        self._log_tz = log_tz
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say what the folder holds.

        Raises:
            NothingReadableError: when it holds nothing that can be looked at.
        """
        return await asyncio.to_thread(self._locked, lambda: self._description)

    async def query_range(self, query: RangeQuery) -> Answer:
        """Return recorded samples; a missing or damaged metrics file is an error status."""
        return await asyncio.to_thread(self._query_range, query)

    async def read_samples(
        self, selectors: Sequence[Selector], window: Window, max_series: int
    ) -> Answer:
        """Return recorded samples with the staleness markers that were recorded."""
        return await asyncio.to_thread(self._read_samples, selectors, window, max_series)

    async def list_rules(self) -> tuple[AlertRule, ...]:
        """Return the alerting rules that were recorded.

        Raises:
            NothingReadableError: when the folder is none.
        """
        return await asyncio.to_thread(
            self._locked, lambda: read_rules(self._facts.rules, self._name)
        )

    def read_logs(self, query: LogQuery) -> Iterator[LogChunk]:
        """Yield recorded log records, file by file.

        Raises:
            DataSourceError: when there are logs and none can be read.
        """
        logs = self._locked(lambda: self._logs)
        if logs.is_empty:
            raise NothingReadableError(f"the recording {self._name!r} holds no logs")
        yield from logs.read(query)

    async def read_spans(self, query: TraceQuery) -> Answer:
        """Return recorded spans; traces that cannot be read are an error status."""
        return await asyncio.to_thread(self._read_spans, query)

    async def list_alerts(self) -> Answer:
        """Return the alert the recording was made for."""
        return await self._answer(lambda: AlertList(alerts=self._facts.alerts))

    async def get_topology(self) -> Answer:
        """Return who calls whom, as the recording and its spans say."""
        return await self._answer(lambda: self._topology)

    async def list_changes(self) -> Answer:
        """Return recorded changes, oldest first."""
        return await self._answer(lambda: ChangeList(changes=self._facts.changes))

    async def _answer(self, read: Callable[[], ToolOutput]) -> Answer:
        try:
            output = await asyncio.to_thread(self._locked, read)
        except DataSourceError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        status = EvidenceStatus.EMPTY if is_empty(output) else EvidenceStatus.OK
        return Answer(status=status, output=output)

    def _locked(self, read: Callable[[], _T]) -> _T:
        with self._lock:
            return read()

    def _query_range(self, query: RangeQuery) -> Answer:
        return self._of_store(lambda store: run_range_query(store, query))

    def _read_samples(
        self, selectors: Sequence[Selector], window: Window, max_series: int
    ) -> Answer:
        return self._of_store(lambda store: read_whole(store, selectors, window, max_series))

    def _of_store(self, read: Callable[[MetricStore], Answer]) -> Answer:
        try:
            metrics = self._locked(lambda: self._metrics)
        except DataSourceError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        if metrics.store is None:
            error = metrics.error or "the recording holds no metrics"
            return Answer(status=EvidenceStatus.ERROR, error=error)
        return read(metrics.store)

    def _read_spans(self, query: TraceQuery) -> Answer:
        traces = self._locked(lambda: self._traces)
        if traces.is_empty:
            error = f"the recording {self._name!r} holds no traces"
            return Answer(status=EvidenceStatus.ERROR, error=error)
        return self._locked(lambda: traces.read(query))

    @cached_property
    def _facts(self) -> FolderFacts:
        check_folder(self._path)
        return read_folder(self._path)

    @cached_property
    def _metrics(self) -> _Metrics:
        try:
            opened = open_metrics(self._path, self._facts.baseline, self._scratch)
        except DataSourceError as error:
            if isinstance(error, NothingReadableError):
                raise
            return _Metrics(error=str(error))
        if opened is None:
            return _Metrics()
        return _Metrics(
            store=opened.store,
            extent=_window(opened.extent_ms),
            baseline=_window(opened.baseline_extent_ms),
            notes=list(opened.notes),
        )

    def _scratch(self) -> Path:
        """Return a folder for the tables of very large text files; it goes when this goes."""
        folder = tempfile.mkdtemp(prefix="superbiz-bundle-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    @cached_property
    def _logs(self) -> RecordedLogs:
        extent = self._metrics.extent
        references = (extent,) if extent else ()
        recorded = self._facts.log_timezone
        if self._log_tz is None and recorded is not None:
            reader = LogReader(log_tz=recorded, log_tz_reason="as recorded", references=references)
        else:
            reader = LogReader(log_tz=self._log_tz, references=references)
        aliases, known = self._facts.aliases, self._known_names()
        return RecordedLogs(
            self._path,
            self._facts.baseline,
            reader,
            lambda name: entity_of_log(name, known, aliases),
        )

    @cached_property
    def _traces(self) -> RecordedTraces:
        aliases = self._facts.aliases
        return RecordedTraces(
            self._path, self._facts.baseline, lambda name: aliases.get(name, name)
        )

    @cached_property
    def _topology(self) -> Topology:
        return joined_topology([Topology(edges=self._traces.survey.edges), self._facts.topology])

    def _known_names(self) -> set[str]:
        return {*self._index.entities, *(node.name for node in self._facts.topology.nodes)}

    @cached_property
    def _index(self) -> EntityIndex:
        store = self._metrics.store
        labels = store.labels if store else ()
        return index_entities(labels, self._label_entities, self._facts.kinds)

    @cached_property
    def _description(self) -> SourceDescription:
        facts, metrics, logs = self._facts, self._metrics, self._logs
        index = self._index
        survey = logs.survey()
        traces = self._traces.survey
        services = (*survey.services, *traces.services)
        # The gravest first: reports have room for few.
        notes = [metrics.error] if metrics.error else []
        notes += [*survey.notes, *traces.notes, *facts.notes, *metrics.notes, *index.notes]
        unread = [n for n in METRIC_FILES if metrics.error and (self._path / n).is_file()]
        signals = self._signals(survey.readable, traces)
        if not signals and self._alone:
            raise NothingReadableError(self._nothing(notes))
        interval = metrics.store.interval_ms if metrics.store else None
        measured = timedelta(milliseconds=interval) if interval else None
        return SourceDescription(
            name=self._name,
            kind="bundle",
            signals=signals,
            entities=_entities(index, services, facts, self._topology),
            label_values=index.label_values,
            aliases=facts.aliases,
            extent=metrics.extent or survey.extent or _window(traces.extent_ms),
            scrape_interval=facts.scrape_interval or measured,
            version=facts.version,
            alerts=facts.alerts,
            question=facts.question,
            symptom=_symptom(facts.alert_metric, metrics.store),
            hints=facts.hints,
            normal=self._normal(),
            entry=facts.entry,
            notes=tuple(notes),
            unreadable=(*unread[:1], *survey.unreadable, *traces.unreadable, *facts.unreadable),
        )

    def _signals(self, logs_readable: bool, traces: TraceSurvey) -> tuple[Signal, ...]:  # noqa: FBT001 - private, one caller
        facts, store = self._facts, self._metrics.store
        present = {
            Signal.METRICS: store is not None and len(store) > 0,
            Signal.LOGS: logs_readable,
            Signal.TRACES: traces.readable,
            Signal.ALERTS: bool(facts.alerts),
            Signal.TOPOLOGY: facts.has_topology or bool(traces.edges),
            Signal.CHANGES: facts.has_changes,
        }
        return tuple(signal for signal, there in present.items() if there)

    def _nothing(self, notes: list[str]) -> str:
        why = f" ({'; '.join(notes[:3])})" if notes else ""
        return (
            f"nothing in {str(self._path)!r} could be read{why}; a recorded incident holds"
            " metrics.parquet or metrics.csv, logs/, traces/ or traces.json, or alert.json"
        )

    def _normal(self) -> tuple[Window, ...]:
        """The span of normal telemetry that was recorded at another time."""
        spans = (
            self._metrics.baseline,
            _window(self._logs.baseline_extent_ms()),
            _window(self._traces.survey.baseline_extent_ms),
        )
        known = [span for span in spans if span is not None]
        if not known:
            return ()
        start = min(span.start for span in known)
        return (Window(start=start, end=max(span.end for span in known)),)


def _window(span_ms: tuple[int, int] | None) -> Window | None:
    return Window(start=from_ms(span_ms[0]), end=from_ms(span_ms[1])) if span_ms else None


def _symptom(alert_metric: str, store: MetricStore | None) -> str:
    """Print the alerting column as its series prints, when there is one."""
    if not alert_metric or store is None:
        return alert_metric
    printed = series_name(series_of_column(alert_metric))
    return printed if any(series_name(row) == printed for row in store.labels) else alert_metric


def _entities(
    index: EntityIndex, services: tuple[str, ...], facts: FolderFacts, topology: Topology
) -> tuple[Entity, ...]:
    found = dict(index.entities)
    for name in services:
        kind = facts.kinds.get(name, "service")
        found.setdefault(name, Entity(name=name, kind=kind))
    for node in topology.nodes:
        found.setdefault(node.name, Entity(name=node.name, kind=node.kind))
    by_path = {e.path: e for e in (*found.values(), *index.others)}
    return tuple(by_path[path] for path in sorted(by_path))
