"""A live Prometheus, or what speaks its API, as a data source."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx2

from superbizagent.datasources._entities import entities_of
from superbizagent.datasources._external import labelled
from superbizagent.datasources._http import HttpAccess, Pace, clock_notes, first_look, status_of
from superbizagent.datasources.prometheus import asking
from superbizagent.datasources.prometheus.alerts import fired_in, firing_of
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.datasources.prometheus.holdings import Holdings, look_around
from superbizagent.datasources.prometheus.limits import Budget, Limits
from superbizagent.datasources.prometheus.query import LiveQuery
from superbizagent.datasources.prometheus.reader import PrometheusReader
from superbizagent.datasources.prometheus.samples import decode_matrix, keep_series
from superbizagent.domain.json_values import mapping
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.protocols import Clock
from superbizagent.domain.rule import AlertRule, read_rules
from superbizagent.domain.selector import Matcher, Selector
from superbizagent.domain.series import SeriesSet, named_series
from superbizagent.domain.source import (
    Answer,
    EvidenceStatus,
    ExpressionQuery,
    RangeQuery,
    Signal,
    SourceDescription,
)
from superbizagent.domain.vitals import Vitals
from superbizagent.domain.window import Window
from superbizagent.errors import (
    ConfigError,
    DataSourceError,
    NothingReadableError,
    PermanentDataSourceError,
)

__all__ = ["PrometheusSource"]

_ATTEMPTS = 2

_PAST = timedelta(minutes=5)
"""A span that ended longer ago is asked for the alerts of its time, not for those of now."""

_FIRED = Selector(name="ALERTS", matchers=(Matcher(label="alertstate", value="firing"),))
"""What Prometheus records of its own alerts."""


class PrometheusSource:
    """Asks one server. Nothing but reading requests is made, and few of them.

    Args:
        access: where it is and how it lets us in.
        span: the time that will be asked about; names and extent are those of this span.
        clock: tells how long requests take.
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
        name: str = "prometheus",
        label_entities: Mapping[str, str],
        labels: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._access = access
        self._span = span
        self._clock = clock
        self._name = name
        self._label_entities = dict(label_entities)
        self._labels = dict(labels or {})
        self._limits = limits or Limits()
        self._pace = Pace(self._limits.concurrency, clock.monotonic)
        self._budget = Budget(self._limits.max_samples)
        self._transport = transport
        self._holdings = Holdings()

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which entities the server knows and which time it covers.

        Raises:
            NothingReadableError: when it holds no sample of the span.
            DataSourceError: when it does not answer like a Prometheus.
        """
        seconds = self._limits.survey_seconds
        async with first_look(self._access, seconds), self._open(seconds) as client:
            version = await PrometheusReader(client).version()
            self._holdings = await look_around(client, self._span, list(self._label_entities))
            if self._holdings.extent is not None:
                await self._note_clock(client)
        return self._description(version)

    async def examine(self) -> Vitals:
        """Say how the server is doing.

        Raises:
            DataSourceError: as `describe`.
        """
        described = await self.describe()
        found = self._holdings
        counts = {"labels": found.labels, "services": len(described.entities)}
        if found.series is not None:
            counts = {"series": found.series, **counts}
        return Vitals(
            version=described.version,
            counts=counts,
            scrape_interval=found.interval,
            newest_at=found.extent.end if found.extent else None,
            clock_ahead_seconds=found.clock_ahead_seconds,
            notes=described.notes,
        )

    async def query_range(self, query: RangeQuery) -> Answer:
        """Return samples of live series; whatever the server does is a status."""
        if asking.is_everything(query.selector):
            error = f"{query.selector} selects every series there is; name a service or a metric"
            return Answer(status=EvidenceStatus.ERROR, error=error)
        try:
            async with self._open(self._limits.timeout_seconds) as client:
                answer = await LiveQuery(client, query, self._holdings, self._budget).answer()
        except DataSourceError as error:
            return Answer(status=status_of(error), error=str(error))
        except ConfigError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        return labelled(answer, self._labels)

    async def query_expression(self, query: ExpressionQuery) -> Answer:
        """Return what the server makes of an expression; whatever it does is a status."""
        question = asking.evaluated(
            query.expression, query.window, round(query.step / timedelta(milliseconds=1))
        )
        try:
            async with self._open(self._limits.timeout_seconds) as client:
                answer = await client.ask(question.path, question.params)
                found = named_series(self._decoded(client, answer.data, query.window), query.name)
        except DataSourceError as error:
            return Answer(status=status_of(error), error=str(error))
        except ConfigError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        self._budget.take(len(found.times))
        kept = keep_series(found, range(min(len(found), query.max_series)))
        cut = len(found) - len(kept)
        return Answer(
            status=EvidenceStatus.OK if len(found) else EvidenceStatus.EMPTY,
            output=kept,
            truncated=cut > 0 or answer.partial,
            warnings=(*answer.warnings, *([f"{cut} series left out"] if cut else [])),
            stats={"series_returned": len(kept), "samples_returned": len(kept.times)},
        )

    async def list_rules(self) -> tuple[AlertRule, ...]:
        """Return the alerting rules that the server evaluates.

        Raises:
            DataSourceError: when it does not give them.
        """
        try:
            async with self._open(self._limits.survey_seconds) as client:
                data = await client.get_data("/api/v1/rules", {"type": "alert"})
        except ConfigError as error:
            raise PermanentDataSourceError(str(error)) from error
        return read_rules(data, self._name)

    async def list_alerts(self) -> Answer:
        """Return the alerts that the server's rules fire now, or fired in a span that is over.

        Pending ones are counted. Alerts of the past come without annotations: only their labels
        are stored.
        """
        past = self._clock.now() - self._span.end > _PAST
        try:
            async with self._open(self._limits.survey_seconds) as client:
                if past:
                    question = asking.raw(_FIRED, self._span)
                    answer = await client.ask(question.path, question.params)
                    series = self._decoded(client, answer.data, self._span)
                    firing = fired_in(series, self._span)
                else:
                    answer = await client.ask("/api/v1/alerts")
                    firing = firing_of(answer.data)
        except DataSourceError as error:
            return Answer(status=status_of(error), error=str(error))
        except ConfigError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        listed = Answer(
            status=EvidenceStatus.OK if firing.alerts else EvidenceStatus.EMPTY,
            output=AlertList(alerts=firing.alerts),
            truncated=firing.left_out > 0 or answer.partial,
            warnings=(*answer.warnings, *firing.notes),
            stats={"pending": firing.pending, "left_out": firing.left_out, "always": firing.always},
        )
        return labelled(listed, self._labels)

    def _decoded(self, client: PrometheusClient, data: Any, window: Window) -> SeriesSet:
        try:
            return decode_matrix(data, window)[0]
        except ValueError as error:
            raise client.permanent(
                f"{client.address} answers with {error}; is this a Prometheus?"
            ) from error

    async def _note_clock(self, client: PrometheusClient) -> None:
        """Note a clock that is wrong: what happened when is then read wrong, too."""
        before = self._clock.now()
        try:
            data = mapping(await client.get_data("/api/v1/query", {"query": "time()"}))
            told = float(data["result"][0])
        except (DataSourceError, KeyError, TypeError, ValueError, IndexError):
            return  # a first look at names and samples says what is wrong
        ours = before + (self._clock.now() - before) / 2
        ahead = told - ours.timestamp()
        self._holdings.clock_ahead_seconds = ahead
        self._holdings.notes += clock_notes(self._name, ahead)

    def _open(self, seconds: float) -> PrometheusClient:
        return PrometheusClient(
            self._access,
            timeout_seconds=seconds,
            max_body_bytes=self._limits.max_body_bytes,
            attempts=_ATTEMPTS,
            pace=self._pace,
            transport=self._transport,
        )

    def _description(self, version: str) -> SourceDescription:
        found = self._holdings
        if found.extent is None:
            raise NothingReadableError(self._nothing())
        return SourceDescription(
            name=self._name,
            kind="prometheus",
            signals=(Signal.METRICS, Signal.ALERTS),
            entities=entities_of(
                found.label_values, found.targets, self._label_entities, self._labels
            ),
            label_values=found.label_values,
            extent=found.extent,
            scrape_interval=found.interval,
            version=version,
            notes=tuple(found.notes),
        )

    def _nothing(self) -> str:
        span = f"{self._span.start:%Y-%m-%d %H:%M} and {self._span.end:%Y-%m-%d %H:%M} UTC"
        if self._holdings.notes:
            return f"{self._access.address}: {self._holdings.notes[0]}"
        return (
            f"{self._access.address} has no samples between {span} with a label of"
            f" {', '.join(self._label_entities)}; check the time, the tenant's header, and the"
            " setting entity_labels"
        )
