"""Alerts of a live server or Alertmanager, as `Alert`s."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from superbizagent.datasources._http import mapping
from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.payload import parse_payload

__all__ = ["Firing", "alerts_of", "firing_of"]

_MOST_ALERTS = 500
"""More alerts at once are one outage that a few hundred describe as well."""


@dataclass(frozen=True, slots=True)
class Firing:
    """Alerts that fire, earliest first, and what was left out."""

    alerts: tuple[Alert, ...] = ()
    pending: int = 0
    left_out: int = 0
    notes: tuple[str, ...] = ()


def firing_of(data: Any) -> Firing:
    """Read the ``data`` of Prometheus's ``/api/v1/alerts``."""
    rows = [mapping(row) for row in _list(mapping(data).get("alerts"))]
    pending = sum(row.get("state") == "pending" for row in rows)
    found = alerts_of([row for row in rows if row.get("state") != "pending"])
    notes = (f"{pending} more alerts are pending",) if pending else ()
    return Firing(found.alerts, pending, found.left_out, (*notes, *found.notes))


def alerts_of(rows: Sequence[Any]) -> Firing:
    """Read alert objects of Prometheus or of Alertmanager's API v2."""
    payload = parse_payload(canonical_bytes(list(rows)))
    ordered = sorted(
        payload.alerts,
        key=lambda a: (
            a.starts_at.timestamp() if a.starts_at else float("inf"),
            sorted(a.labels.items()),
        ),
    )
    left_out = max(len(ordered) - _MOST_ALERTS, 0)
    notes = [f"{left_out} of {len(ordered)} alerts left out"] if left_out else []
    return Firing(
        alerts=tuple(ordered[:_MOST_ALERTS]),
        left_out=left_out,
        notes=(*notes, *dict.fromkeys(payload.notes)),
    )


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
