"""Firing alerts of an Alertmanager, in the form in which it would have sent them."""

from collections.abc import Collection
from typing import Any, cast

from superbizagent.datasources.prometheus.client import PrometheusClient, mapping
from superbizagent.errors import PermanentDataSourceError

__all__ = ["firing_alerts"]

_SENT_FIELDS = ("labels", "annotations", "startsAt", "endsAt", "generatorURL", "fingerprint")


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
        raise PermanentDataSourceError(
            f"{client.address} does not answer like an Alertmanager; give its base address"
        )
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
