"""An alert, with Alertmanager's fields in snake case."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["Alert", "AlertStatus", "is_heartbeat", "selector_of"]

_HEARTBEAT = "none"
"""Severity of alerts that always fire, so that somebody notices when they stop."""

_ALWAYS = frozenset({"Watchdog", "InfoInhibitor", "DeadMansSwitch", "DeadManSwitch"})
"""The same by the names that rule collections give them."""


class AlertStatus(StrEnum):
    """Whether the alert's condition still holds."""

    FIRING = "firing"
    RESOLVED = "resolved"


class Alert(Model):
    """One alert of one payload.

    ``starts_at`` is when it *fired*: later than the symptom by the rule's ``for`` and range.
    """

    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    status: AlertStatus = AlertStatus.FIRING
    starts_at: Instant | None = None
    ends_at: Instant | None = None
    generator_url: str = ""
    fingerprint: str = ""
    group_key: str = ""
    dashboard_url: str = ""
    panel_url: str = ""
    silence_url: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Fields the sender added that we do not know; kept whole."""

    @property
    def name(self) -> str:
        """The ``alertname`` label, or an empty string."""
        return self.labels.get("alertname", "")


def is_heartbeat(alert: Alert) -> bool:
    """Tell whether an alert always fires: that it does is no trouble."""
    return alert.name in _ALWAYS or alert.labels.get("severity", "").lower() == _HEARTBEAT


def selector_of(alert: Alert) -> str:
    """Write an alert as ``NAME{label="value"}``, in one line, as it can be pasted."""

    def quoted(value: str) -> str:
        return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')

    labels = [f'{k}="{quoted(v)}"' for k, v in sorted(alert.labels.items()) if k != "alertname"]
    return f"{alert.name}{{{','.join(labels)}}}"
