"""Changes that were reported to the service as they were made, as a data source."""

from collections.abc import Sequence

from superbizagent.domain.change_rows import ordered
from superbizagent.domain.outputs import Change, ChangeList
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, SourceDescription

__all__ = ["ReportedChanges"]


class ReportedChanges:
    """Lists changes that somebody handed in. Nothing is fetched.

    Args:
        changes: those around the incident.
        remark: what is to be said of them; empty for nothing.
    """

    name = "reported_changes"

    def __init__(self, changes: Sequence[Change], remark: str = "") -> None:
        self._changes = ordered(changes)
        self._remark = remark

    async def describe(self) -> SourceDescription:
        """Say that it lists changes and holds nothing else."""
        return SourceDescription(name=self.name, kind="changes", signals=(Signal.CHANGES,))

    async def list_changes(self) -> Answer:
        """Return the changes, oldest first."""
        return Answer(
            status=EvidenceStatus.OK if self._changes else EvidenceStatus.EMPTY,
            output=ChangeList(changes=self._changes),
            warnings=(self._remark,) if self._remark else (),
            truncated=bool(self._remark),
            stats={"changes": len(self._changes)},
        )
