"""A live Alertmanager: its alerts with what silences and inhibits them."""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any, cast

import httpx2

from superbizagent.datasources._external import labelled
from superbizagent.datasources._http import HttpAccess, Pace, clock_notes, status_of
from superbizagent.datasources.prometheus.alerts import alerts_of
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.datasources.prometheus.limits import Limits
from superbizagent.domain.json_values import mapping
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.protocols import Clock
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, SourceDescription
from superbizagent.domain.vitals import Vitals
from superbizagent.errors import (
    ConfigError,
    DataSourceError,
    PermanentDataSourceError,
    TemporaryDataSourceError,
)

__all__ = ["AlertmanagerSource", "firing_alerts"]

_STATES = {"active": "true", "silenced": "true", "inhibited": "true", "unprocessed": "true"}
_ATTEMPTS = 2

_SENT_FIELDS = ("labels", "annotations", "startsAt", "endsAt", "generatorURL", "fingerprint")


class AlertmanagerSource:
    """Asks one Alertmanager which alerts there are. Silences nothing, changes nothing.

    Args:
        access: where it is and how it lets us in.
        clock: tells how long requests take.
        name: name in plans and reports.
        labels: of every alert, where it does not carry them itself.
        limits: how long a request may take.
        transport: replaces the network in tests.
    """

    def __init__(  # noqa: PLR0913 - one argument a thing that is handed in
        self,
        access: HttpAccess,
        clock: Clock,
        *,
        name: str = "alertmanager",
        labels: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._access = access
        self._clock = clock
        self._name = name
        self._labels = dict(labels or {})
        self._limits = limits or Limits()
        self._pace = Pace(self._limits.concurrency, clock.monotonic)
        self._transport = transport

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which version it is.

        Raises:
            DataSourceError: when it does not answer like an Alertmanager.
        """
        try:
            async with (
                asyncio.timeout(self._limits.survey_seconds),
                self._open(self._limits.survey_seconds) as client,
            ):
                status = mapping(await client.get("/api/v2/status"))
                if not {"versionInfo", "config", "cluster"} & set(status):
                    raise _no_alertmanager(client)
        except TimeoutError:
            raise TemporaryDataSourceError(
                f"{self._access.address} did not answer within {self._limits.survey_seconds:g} s;"
                " it may be overloaded, or the wrong address"
            ) from TimeoutError()
        except ConfigError as error:
            raise PermanentDataSourceError(str(error)) from error
        version = str(mapping(status.get("versionInfo")).get("version", ""))
        return SourceDescription(
            name=self._name, kind="alertmanager", signals=(Signal.ALERTS,), version=version
        )

    async def examine(self) -> Vitals:
        """Say how the server is doing.

        Raises:
            DataSourceError: when it does not answer like an Alertmanager.
        """
        version = (await self.describe()).version
        async with self._open(self._limits.survey_seconds) as client:
            rows = await client.get("/api/v2/alerts", _STATES)
            told = client.said_at
        count = len(cast("list[Any]", rows)) if isinstance(rows, list) else 0
        ahead = (told - self._clock.now()).total_seconds() if told else None
        return Vitals(
            version=version,
            counts={"alerts": count},
            clock_ahead_seconds=ahead,
            notes=tuple(clock_notes(self._name, ahead)) if ahead is not None else (),
        )

    async def list_alerts(self) -> Answer:
        """Return all alerts it holds; ``Alert.extra["status"]`` says what suppresses one."""
        try:
            async with self._open(self._limits.survey_seconds) as client:
                rows = await client.get("/api/v2/alerts", _STATES)
                if not isinstance(rows, list):
                    raise _no_alertmanager(client)
        except DataSourceError as error:
            return Answer(status=status_of(error), error=str(error))
        except ConfigError as error:
            return Answer(status=EvidenceStatus.ERROR, error=str(error))
        found = alerts_of(cast("list[Any]", rows))
        answer = Answer(
            status=EvidenceStatus.OK if found.alerts else EvidenceStatus.EMPTY,
            output=AlertList(alerts=found.alerts),
            truncated=found.left_out > 0,
            warnings=found.notes,
            stats={
                "suppressed": found.suppressed,
                "left_out": found.left_out,
                "always": found.always,
            },
        )
        return labelled(answer, self._labels)

    def _open(self, seconds: float) -> PrometheusClient:
        return PrometheusClient(
            self._access,
            timeout_seconds=seconds,
            max_body_bytes=self._limits.max_body_bytes,
            attempts=_ATTEMPTS,
            pace=self._pace,
            transport=self._transport,
        )


async def firing_alerts(
    client: PrometheusClient, labels: Collection[str], names: Collection[str]
) -> dict[str, Any]:
    """Return a version 4 webhook body with the alerts that fire now, earliest first.

    Args:
        client: of the Alertmanager.
        labels: labels whose value names a service.
        names: keep only alerts about these services; empty: all.

    Raises:
        DataSourceError: when it does not answer like an Alertmanager.
    """
    rows = await client.get("/api/v2/alerts", {"active": "true", "silenced": "true"})
    if not isinstance(rows, list):
        raise _no_alertmanager(client)
    alerts = [mapping(row) for row in cast("list[Any]", rows)]
    if names:
        alerts = [a for a in alerts if _service_values(a, labels) & set(names)]
    alerts.sort(key=lambda a: (str(a.get("startsAt")), str(a.get("fingerprint"))))
    sent = [{"status": "firing", **{k: a[k] for k in _SENT_FIELDS if k in a}} for a in alerts]
    return {
        "version": "4",
        "status": "firing",
        "receiver": "",
        "groupLabels": {},
        "commonLabels": _common(sent, "labels"),
        "commonAnnotations": _common(sent, "annotations"),
        "externalURL": client.address,
        "alerts": sent,
    }


def _no_alertmanager(client: PrometheusClient) -> PermanentDataSourceError:
    return client.permanent(
        f"{client.address} does not answer like an Alertmanager; give its base address"
    )


def _service_values(alert: dict[str, Any], labels: Collection[str]) -> set[str]:
    own = mapping(alert.get("labels"))
    return {str(own[label]) for label in labels if label in own}


def _common(alerts: list[dict[str, Any]], key: str) -> dict[str, str]:
    """Return what all alerts have alike."""
    if not alerts:
        return {}
    first = mapping(alerts[0].get(key))
    return {
        name: str(value)
        for name, value in first.items()
        if all(mapping(a.get(key)).get(name) == value for a in alerts)
    }
