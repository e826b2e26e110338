"""Alerts and groupers for the tests of incidents."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from superbizagent.analysis.incidents.grouper import Grouper
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.intake import IntakeConfig

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LABELS = ("service", "app", "job", "container", "host")


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def alert(name: str = "HighLatency", /, *, resolved: bool = False, **fields: Any) -> Alert:
    """An alert; what is no field of `Alert` is a label."""
    known = {k: v for k, v in fields.items() if k in Alert.model_fields}
    labels = {k: v for k, v in fields.items() if k not in known}
    status = AlertStatus.RESOLVED if resolved else AlertStatus.FIRING
    return Alert(labels={"alertname": name, **labels}, status=status, **known)


def grouper(edges: Iterable[tuple[str, str]] = (), *, first: int = 1, **config: Any) -> Grouper:
    """A grouper whose incidents are ``i1``, ``i2`` …, from ``first`` on."""
    numbers = count(first)
    return Grouper(IntakeConfig(**config), LABELS, lambda: f"i{next(numbers)}", edges=edges)
