"""What was reported to the service, as a source of evidence for its diagnoses."""

from datetime import datetime, timedelta

from superbizagent.cli.live import span_of
from superbizagent.datasources.changes import ReportedChanges
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import Change
from superbizagent.domain.window import Window
from superbizagent.storage.store import Storage

__all__ = ["reported_changes"]

_BEFORE, _AFTER = timedelta(hours=24), timedelta(hours=1)
"""Around the incident: what is older explains nothing that began now."""
_MOST = 1000


async def reported_changes(
    storage: Storage, incident: Incident, known_at: datetime
) -> ReportedChanges | None:
    """Return the changes around an incident that had been reported when its session was created.

    None when nobody ever reported one: then that there is none would say nothing.
    """
    if not await storage.changes.any(known_at):
        return None
    told = span_of(incident)
    span = Window(start=told.start - _BEFORE, end=told.end + _AFTER)
    found = await storage.changes.within(span, known_at=known_at, most=_MOST)
    remark = f"only the newest {_MOST} changes were taken" if len(found) == _MOST else ""
    return ReportedChanges([Change.model_validate(one.body["change"]) for one in found], remark)
