"""Alerts of a live server or Alertmanager, as `Alert`s."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from superbizagent.datasources._http import mapping
from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.payload import parse_payload

__all__ = ["Firing", "alerts_of", "firing_of", "is_suppressed"]

_MOST_ALERTS = 500
"""More alerts at once are one outage that a few hundred describe as well."""


_HEARTBEAT = "none"
"""Severity of alerts that always fire, so that somebody notices when they stop."""


@dataclass(frozen=True, slots=True)
class Firing:
    """Alerts that fire, earliest first, and what was left out."""

    alerts: tuple[Alert, ...] = ()
    pending: int = 0
    suppressed: int = 0
    """Alerts among them that are silenced or inhibited."""
    left_out: int = 0
    notes: tuple[str, ...] = ()


def firing_of(data: Any) -> Firing:
    """Read the ``data`` of Prometheus's ``/api/v1/alerts``."""
    rows = [mapping(row) for row in _list(mapping(data).get("alerts"))]
    pending = sum(row.get("state") == "pending" for row in rows)
    found = alerts_of([row for row in rows if row.get("state") != "pending"])
    return replace(found, pending=pending)


def alerts_of(rows: Sequence[Any]) -> Firing:
    """Read alert objects of Prometheus or of Alertmanager's API v2."""
    payload = parse_payload(canonical_bytes(list(rows)))
    real = [a for a in payload.alerts if a.labels.get("severity", "").lower() != _HEARTBEAT]
    real.sort(
        key=lambda a: (
            a.starts_at.timestamp() if a.starts_at else float("inf"),
            sorted(a.labels.items()),
        )
    )
    left_out = max(len(real) - _MOST_ALERTS, 0)
    cut = [f"{left_out} of {len(real)} alerts left out"] if left_out else []
    return Firing(
        alerts=tuple(real[:_MOST_ALERTS]),
        suppressed=sum(is_suppressed(a) for a in real),
        left_out=left_out,
        notes=(*cut, *dict.fromkeys(payload.notes)),
    )


def is_suppressed(alert: Alert) -> bool:
    """Tell whether Alertmanager says that somebody, or another alert, keeps this one quiet."""
    return mapping(alert.extra.get("status")).get("state") == "suppressed"


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
