"""Capabilities that are implemented elsewhere and handed in by the composition root."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from superbizagent.domain.cluster import KubernetesQuery
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.plan import SkillChoice
from superbizagent.domain.rule import AlertRule
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Selector
from superbizagent.domain.source import (
    Answer,
    ExpressionQuery,
    LogQuery,
    RangeQuery,
    SourceDescription,
    TraceQuery,
)
from superbizagent.domain.vitals import Vitals
from superbizagent.domain.window import Window

__all__ = [
    "AlertLister",
    "ChangeLister",
    "Clock",
    "DataSource",
    "ExpressionQuerier",
    "KubernetesReader",
    "LogSearcher",
    "RangeQuerier",
    "Reasoner",
    "RuleLister",
    "SampleReader",
    "SkillCard",
    "SpanReader",
    "TopologyReader",
    "VitalsTeller",
]


class Clock(Protocol):
    """The only way to know the time below the composition root."""

    def now(self) -> datetime:
        """Return the current UTC-aware time."""
        ...

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        ...


@runtime_checkable
class DataSource(Protocol):
    """Something evidence is read from. Reads only."""

    @property
    def name(self) -> str:
        """Name used in plans and reports; unique in a session."""
        ...

    async def describe(self) -> SourceDescription:
        """Say what can be asked.

        Raises:
            NothingReadableError: when there is nothing to ask.
            DataSourceError: when the source does not answer.
        """
        ...


@runtime_checkable
class VitalsTeller(Protocol):
    """A source that says how it is doing, for ``superbiz doctor``."""

    async def examine(self) -> Vitals:
        """Say which version it is, what it holds, how fresh that is.

        Raises:
            NothingReadableError: when there is nothing to ask.
            DataSourceError: when the source does not answer.
        """
        ...


@runtime_checkable
class RangeQuerier(Protocol):
    """Answers `query_metrics`: `Answer.output` is a `SeriesSet`."""

    async def query_range(self, query: RangeQuery) -> Answer:
        """Return the selected series; expected failures are statuses, not exceptions."""
        ...


@runtime_checkable
class ExpressionQuerier(Protocol):
    """Evaluates PromQL itself: `Answer.output` is a `SeriesSet`."""

    async def query_expression(self, query: ExpressionQuery) -> Answer:
        """Return the values of an expression; expected failures are statuses, not exceptions."""
        ...


@runtime_checkable
class SampleReader(Protocol):
    """Gives samples as they were stored, for expressions that no server evaluates any more."""

    async def read_samples(
        self, selectors: Sequence[Selector], window: Window, max_series: int
    ) -> Answer:
        """Return every series that any selector selects, staleness markers included.

        The status is an error when there are more than ``max_series``: of an expression no part
        can be left out.
        """
        ...


@runtime_checkable
class RuleLister(Protocol):
    """Knows the rules by which alerts fire."""

    async def list_rules(self) -> tuple[AlertRule, ...]:
        """Return the alerting rules.

        Raises:
            DataSourceError: when they cannot be read.
        """
        ...


@runtime_checkable
class LogSearcher(Protocol):
    """Answers `search_logs` by streaming; the caller folds the chunks into a `LogDigest`."""

    def read_logs(self, query: LogQuery) -> Iterator[LogChunk]:
        """Yield records in file order; runs in a thread.

        The last chunk of a file carries its final `LogFile`.

        Raises:
            DataSourceError: when nothing can be read.
        """
        ...


@runtime_checkable
class SpanReader(Protocol):
    """Answers `search_traces`: `Answer.output` is a `SpanSet`."""

    async def read_spans(self, query: TraceQuery) -> Answer:
        """Return spans of whole traces; expected failures are statuses, not exceptions."""
        ...


@runtime_checkable
class AlertLister(Protocol):
    """Answers `list_alerts`: `Answer.output` is an `AlertList`."""

    async def list_alerts(self) -> Answer:
        """Return the alerts the source knows."""
        ...


@runtime_checkable
class TopologyReader(Protocol):
    """Answers `get_topology`: `Answer.output` is a `Topology`."""

    async def get_topology(self) -> Answer:
        """Return who calls whom."""
        ...


@runtime_checkable
class ChangeLister(Protocol):
    """Answers `list_changes`: `Answer.output` is a `ChangeList`."""

    async def list_changes(self) -> Answer:
        """Return deployments and configuration changes, oldest first."""
        ...


@runtime_checkable
class KubernetesReader(Protocol):
    """Answers `get_kubernetes`: `Answer.output` is a `ClusterSnapshot`."""

    async def get_kubernetes(self, query: KubernetesQuery) -> Answer:
        """Return objects of the cluster; what could not be looked at is a `KindLook`."""
        ...


class SkillCard(Protocol):
    """What a planner may see of a skill: metadata, never the body."""

    @property
    def name(self) -> str:
        """Folder name."""
        ...

    @property
    def description(self) -> str:
        """What it does and when to use it."""
        ...

    @property
    def alerts(self) -> tuple[str, ...]:
        """Alert names or patterns (``*`` wildcards) it is for."""
        ...

    @property
    def keywords(self) -> tuple[str, ...]:
        """Words of every language that point to it."""
        ...


class Reasoner(Protocol):
    """Chooses; it never judges. The gates are the same for every reasoner."""

    @property
    def name(self) -> str:
        """``rules``, ``choice`` or ``agent``."""
        ...

    async def choose_skills(
        self, scope: Scope, skills: Sequence[SkillCard]
    ) -> tuple[SkillChoice, ...]:
        """Return the playbooks to follow, best first; none is a valid answer."""
        ...
