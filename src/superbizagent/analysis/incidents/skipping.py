"""Which alerts are recorded and not diagnosed, and why."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from superbizagent.domain.alert import Alert, is_heartbeat
from superbizagent.domain.grouping import Reason, SkipReason
from superbizagent.domain.intake import IntakeConfig
from superbizagent.domain.json_values import mapping

__all__ = ["skip_reason"]


def skip_reason(alert: Alert, at: datetime, config: IntakeConfig) -> Reason | None:
    """Tell why an alert asks nobody to act; None when it does.

    Args:
        alert: as parsed; silences and inhibitions are in what Alertmanager's API calls its status.
        at: when it was received, which is what maintenance is compared with: the sender's clock
            may be wrong.
        config: severities that ask nobody, and announced work.
    """
    if is_heartbeat(alert):
        return Reason(code=SkipReason.HEARTBEAT, values={"name": alert.name})
    severity = alert.labels.get("severity", "").lower()
    if severity and severity in config.skipped_severities:
        return Reason(code=SkipReason.SEVERITY, values={"severity": severity})
    status = mapping(alert.extra.get("status"))
    if status:
        for code, key in _SUPPRESSED:
            if ids := _ids(status.get(key)):
                return Reason(code=code, values={"ids": ", ".join(ids[:3])})
    for window in config.maintenance:
        if window.covers(alert.labels, at):
            return Reason(code=SkipReason.MAINTENANCE, values={"window": window.name})
    return None


_SUPPRESSED = ((SkipReason.SILENCED, "silencedBy"), (SkipReason.INHIBITED, "inhibitedBy"))


def _ids(value: Any) -> list[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [str(one) for one in cast("Sequence[Any]", value)]
