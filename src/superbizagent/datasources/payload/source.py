"""The alerts that an incident came with, so that what is said of them cites stored evidence."""

from collections.abc import Sequence

from superbizagent.domain.alert import Alert
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, SourceDescription

__all__ = ["PayloadSource"]


class PayloadSource:
    """Lists the alerts of one incident. Nothing is fetched.

    Args:
        alerts: those of the incident, in their order.
    """

    name = "payload"

    def __init__(self, alerts: Sequence[Alert]) -> None:
        self._alerts = tuple(alerts)

    async def describe(self) -> SourceDescription:
        """Say that it lists alerts and holds nothing else."""
        return SourceDescription(name=self.name, kind="payload", signals=(Signal.ALERTS,))

    async def list_alerts(self) -> Answer:
        """Return the alerts."""
        status = EvidenceStatus.OK if self._alerts else EvidenceStatus.EMPTY
        return Answer(status=status, output=AlertList(alerts=self._alerts))
