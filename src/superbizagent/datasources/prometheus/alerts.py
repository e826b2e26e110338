"""Alerts of a live server or Alertmanager, as `Alert`s."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, cast

from superbizagent.domain.alert import Alert, is_heartbeat
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.json_values import mapping
from superbizagent.domain.payload import parse_payload
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, from_ms

__all__ = ["Firing", "alerts_of", "fired_in", "firing_of", "is_suppressed"]

_MOST_ALERTS = 500
"""More alerts at once are one outage that a few hundred describe as well."""


_STILL_FIRING = timedelta(minutes=5)
"""Rules are evaluated each minute or more often; a longer silence is an end."""


@dataclass(frozen=True, slots=True)
class Firing:
    """Alerts that fire, earliest first, and what was left out."""

    alerts: tuple[Alert, ...] = ()
    pending: int = 0
    suppressed: int = 0
    """Alerts among them that are silenced or inhibited."""
    left_out: int = 0
    always: tuple[str, ...] = ()
    """Names of heartbeats, which are no alerts."""
    notes: tuple[str, ...] = ()


def firing_of(data: Any) -> Firing:
    """Read the ``data`` of Prometheus's ``/api/v1/alerts``."""
    rows = [mapping(row) for row in _list(mapping(data).get("alerts"))]
    pending = sum(row.get("state") == "pending" for row in rows)
    found = alerts_of([row for row in rows if row.get("state") != "pending"])
    return replace(found, pending=pending)


def fired_in(series: SeriesSet, span: Window) -> Firing:
    """Read the server's own ``ALERTS`` series: an alert fired from its first to its last sample."""
    rows: list[dict[str, Any]] = []
    for one in series:
        start, end = from_ms(int(one.times[0])), from_ms(int(one.times[-1]))
        over = span.end - end > _STILL_FIRING
        labels = {k: v for k, v in one.labels.items() if k not in {"__name__", "alertstate"}}
        rows.append(
            {
                "labels": labels,
                "startsAt": start.isoformat(),
                "status": "resolved" if over else "firing",
                **({"endsAt": end.isoformat()} if over else {}),
            }
        )
    return alerts_of(rows)


def alerts_of(rows: Sequence[Any]) -> Firing:
    """Read alert objects of Prometheus or of Alertmanager's API v2."""
    payload = parse_payload(canonical_bytes(list(rows)))
    real = [a for a in payload.alerts if not is_heartbeat(a)]
    always = sorted({a.name for a in payload.alerts if is_heartbeat(a)})
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
        always=tuple(always),
        notes=(*cut, *dict.fromkeys(payload.notes)),
    )


def is_suppressed(alert: Alert) -> bool:
    """Tell whether Alertmanager says that somebody, or another alert, keeps this one quiet."""
    return mapping(alert.extra.get("status")).get("state") == "suppressed"


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
